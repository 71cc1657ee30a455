//! A table as YAML writes it, within TOML: `optim:` with its keys on indented lines.

use cfg_diag::Span;

/// The largest number of lines that belong to one key.
const MAX_LINES: usize = 256;

/// The replacements that turn the lines below a key that ends in a colon into dotted keys: `optim:` and `  lr: 1` become `optim.lr: 1`. `None` if the
/// lines below it are not indented keys.
pub(crate) fn as_dotted(text: &str, key: Span) -> Option<Vec<(Span, String)>> {
    let start = cfg_diag::line_start(text, key.start as usize);
    let indentation = &text[start..key.start as usize];
    if !indentation.trim().is_empty() {
        return None;
    }
    let name = &text[key.range()];
    let mut lines = text[start..].split_inclusive('\n');
    let mut at = start + lines.next()?.len();
    let mut edits = vec![(Span::from(start..at), String::new())];
    let mut depth = None;
    for line in lines.take(MAX_LINES) {
        let content = line.trim_start();
        let indented = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') {
            at += line.len();
            continue;
        }
        if indented <= indentation.len() {
            break;
        }
        let depth = *depth.get_or_insert(indented);
        if indented < depth || !starts_with_key(content) {
            return None;
        }
        // What is deeper belongs to a key below this one, which is rewritten after it.
        if indented == depth {
            edits.push((Span::from(at..at + indented), format!("{indentation}{name}.")));
        }
        at += line.len();
    }
    (edits.len() > 1).then_some(edits)
}

/// The lines of a list of YAML, or of tables within a table, that a key with a colon begins, as far as they have content. `None` if what is below the key
/// is neither.
pub(crate) fn block(text: &str, key: Span) -> Option<Span> {
    let start = cfg_diag::line_start(text, key.start as usize);
    let indentation = key.start as usize - start;
    let mut at = start;
    let (mut end, mut depth, mut is_deep) = (0, None, false);
    for (number, line) in text[start..].split_inclusive('\n').take(MAX_LINES).enumerate() {
        let content = line.trim();
        let indented = line.len() - line.trim_start().len();
        let is_item = content.starts_with("- ");
        let is_within = number == 0 || indented > indentation || is_item && indented == indentation;
        if !content.is_empty() && (is_within || !content.starts_with('#')) {
            if !is_within || content.starts_with('[') {
                break;
            }
            if number > 0 && !content.starts_with('#') {
                is_deep |= is_item || indented > *depth.get_or_insert(indented);
            }
            end = at + line.trim_end().len();
        }
        at += line.len();
    }
    is_deep.then(|| Span::from(key.start as usize..end))
}

/// Whether a line begins with a key and a colon or `=`.
fn starts_with_key(line: &str) -> bool {
    let end = line.find([':', '=']).unwrap_or(0);
    let key = line[..end].trim().trim_matches(['"', '\'']);
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use cfg_diag::Span;

    use super::{as_dotted, block};

    fn rewritten(text: &str) -> Option<String> {
        let start = text.find("optim")?;
        let edits = as_dotted(text, Span::from(start..start + 5))?;
        let mut text = text.to_owned();
        for (span, new) in edits.iter().rev() {
            text.replace_range(span.range(), new);
        }
        Some(text)
    }

    #[test]
    fn a_list_of_yaml_ends_with_its_last_line_of_content() {
        let found = |text: &str| {
            let start = text.find("env").expect("a key");
            block(text, Span::from(start..start + 3)).map(|span| text[span.range()].to_owned())
        };
        let list = "env:\n  - id: a\n    args:\n      n: 1\n\n  # why\n  - id: b";
        for (before, behind) in [("", ""), ("[t]\n", "\n\n# about x\nx = 1\n"), ("", "\n[t]\n"), ("", "\nother: 1\n")] {
            assert_eq!(found(&format!("{before}{list}{behind}")).as_deref(), Some(list), "{behind}");
        }
        assert_eq!(found("env:\n  a:\n    b: 1\nx = 1\n").as_deref(), Some("env:\n  a:\n    b: 1"));
        assert_eq!(found("  env:\n  - a\nx = 1\n").as_deref(), Some("env:\n  - a"));
        for text in ["env:\n  a: 1\n  b: 2\n", "env:\nx = 1\n", "env:\n", "env: - a\n"] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn indented_keys_get_the_name_of_their_table() {
        let dotted = |text| rewritten(text).expect("keys below it");
        assert_eq!(
            dotted("a = 1\noptim:\n  lr: 1\n  # why\n  wd: 2\nb = 3\n"),
            "a = 1\noptim.lr: 1\n  # why\noptim.wd: 2\nb = 3\n"
        );
        assert_eq!(dotted("optim:\n  lr: 1\n  x:\n    y: 2"), "optim.lr: 1\noptim.x:\n    y: 2");
        for text in ["optim:\nlr = 1\n", "optim:\n  - 1\n", "optim:\n", "optim:\n    lr: 1\n  wd: 2\n"] {
            assert_eq!(rewritten(text), None, "{text}");
        }
    }
}
