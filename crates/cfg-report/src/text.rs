//! Sentences in the columns of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Splits a text without hazards into lines of at most `width` columns, the first of at most `first`.
/// A word that is wider stays whole, so that keys and paths can be copied.
pub(crate) fn wrap(text: &str, first: usize, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let (mut limit, mut used) = (first, 0);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = word.width();
        if used > 0 && used + 1 + wide > limit && !is_command(word) {
            lines.push(String::new());
            (limit, used) = (width, 0);
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += wide;
        }
    }
    lines
}

/// Whether a line that begins so could be a command to a workflow of GitHub, which reads all that a step prints.
fn is_command(word: &str) -> bool {
    word.starts_with("::") || word.starts_with("##[")
}

/// The columns of a character that is no hazard.
pub(crate) fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7, 5), ["one two", "three"]);
        assert_eq!(wrap("漢字 漢字", 8, 8), ["漢字", "漢字"]);
        assert_eq!(wrap("configs/very/long/path.toml x", 5, 5), ["configs/very/long/path.toml", "x"]);
        assert_eq!(wrap("", 5, 5), [""]);
        assert_eq!(wrap("a ::error file=x::evil", 4, 4), ["a ::error", "file=x::evil"]);
    }
}
