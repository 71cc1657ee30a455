//! Parts that are taken off the path of a key.

/// A path of the history without the variants of its tables: `loss.ratio` for `loss<type=default>.ratio`.
pub fn without_variants(path: &str) -> String {
    without_enclosed(path, '<', '>')
}

/// The path of a value without the positions of items: `env.id` for `env[0].id`, and for `env[].id`.
pub fn without_indices(path: &str) -> String {
    without_enclosed(path, '[', ']')
}

fn without_enclosed(path: &str, start: char, end: char) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut depth = 0_u32;
    for character in path.chars() {
        if character == start {
            depth += 1;
        } else if character == end {
            depth = depth.saturating_sub(1);
        } else if depth == 0 {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{without_indices, without_variants};

    #[test]
    fn variants_and_positions_are_left_out() {
        assert_eq!(without_variants("a<type=x>.b[]<type=y>.c"), "a.b[].c");
        assert_eq!(without_indices("a[0].b[].c[12]"), "a.b.c");
        assert_eq!(without_indices("a]b[c"), "ab");
        assert_eq!(without_variants("plain.path"), "plain.path");
    }
}
