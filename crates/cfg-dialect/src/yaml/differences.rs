//! The differences between YAML 1.2, which the parser follows, and `PyYAML`, with which Python programs read the file.

use std::ops::Range;

/// The characters that may follow the name of an anchor or alias.
const AFTER_NAME: &str = " \t\r\n?:,]}%@`";

/// How `PyYAML` differs from YAML 1.2.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// `PyYAML` refuses it.
    Refused(&'static str),
    /// `PyYAML` may read it differently.
    Open(&'static str),
}

/// The first difference in the characters of a text, with its place in bytes.
pub(super) fn in_characters(text: &str) -> Option<(Range<usize>, Difference)> {
    let is_plain = |byte: u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    if text.bytes().all(is_plain) {
        return None;
    }
    // A byte order mark may come first.
    let differs = |(at, character): (usize, char)| {
        let difference = match character {
            '\u{85}' | '\u{2028}' | '\u{2029}' => Difference::Open("PyYAML ends a line at this character"),
            '\r' if !text[at..].starts_with("\r\n") => Difference::Open("PyYAML ends a line at a carriage return"),
            '\u{feff}' if at > 0 => Difference::Open("a byte order mark belongs to the start of a file"),
            '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => return None,
            _ => Difference::Refused("PyYAML does not accept control characters: write an escape sequence in double quotes"),
        };
        Some((at..at + character.len_utf8(), difference))
    };
    text.char_indices().find_map(differs)
}

/// The first line with a directive other than the usual ones, or the first line that ends a document which has not begun.
pub(super) fn odd_directive(text: &str) -> Option<Range<usize>> {
    let is_usual = |line: &str| {
        let line = line.trim_end_matches(['\r', '\n']);
        line.starts_with("%TAG ") || matches!(line, "%YAML 1.1" | "%YAML 1.2")
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_first = || text[..at].lines().all(|line| line.trim().is_empty() || line.starts_with('#'));
        if line.starts_with('%') && !is_usual(line) || line.starts_with("...") && is_first() {
            return Some(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    None
}

/// The first tab outside of comments and of scalars with a style, whose places are `covered`, in their order: for `PyYAML`, only
/// spaces separate tokens.
pub(super) fn tab_between(text: &str, covered: &[Range<usize>]) -> Option<Range<usize>> {
    let mut covered = covered.iter().peekable();
    let mut tabs = text.match_indices('\t').map(|(at, _)| at).peekable();
    tabs.peek()?;
    let mut at = 0;
    let mut is_comment = false;
    let mut before = '\n';
    while let Some(character) = text[at..].chars().next() {
        while covered.next_if(|range| range.end <= at).is_some() {}
        if let Some(range) = covered.peek().filter(|range| range.contains(&at) && !is_comment) {
            at = range.end;
            before = '"';
            continue;
        }
        match character {
            '\n' | '\r' => is_comment = false,
            '#' if matches!(before, ' ' | '\t' | '\n' | '\r') => is_comment = true,
            '\t' if !is_comment => return Some(at..at + 1),
            _ => {}
        }
        before = character;
        at += character.len_utf8();
    }
    None
}

/// A scalar in quotes, whose text with its properties begins here.
pub(super) fn quoted(text: &str) -> Option<Range<usize>> {
    let start = text.find(['"', '\''])?;
    let quote = text[start..].chars().next()?;
    let mut characters = text[start + 1..].char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let is_escape = character == '\\' && quote == '"';
        let is_doubled = character == quote && quote == '\'' && characters.peek().is_some_and(|(_, next)| *next == quote);
        if is_escape || is_doubled {
            characters.next();
        } else if character == quote {
            return Some(start..start + 1 + at + 1);
        }
    }
    None
}

/// The end of the line with `|` or `>` of a block scalar, whose text with its properties begins here.
pub(super) fn block_start(text: &str) -> usize {
    let mut rest = text;
    while rest.starts_with(['!', '&']) {
        rest = rest.trim_start_matches(|next: char| !next.is_whitespace()).trim_start();
    }
    let header = text.len() - rest.len();
    rest.find('\n').map_or(text.len(), |end| header + end)
}

/// Whether the `:` after a key, whose end is here, is on a later line: `PyYAML` no longer takes that for a key.
pub(super) fn is_colon_on_later_line(text: &str) -> bool {
    let mut rest = text.trim_start();
    while rest.starts_with('#') {
        rest = rest.find('\n').map_or("", |end| rest[end..].trim_start());
    }
    rest.starts_with(':') && text[..text.len() - rest.len()].contains('\n')
}

/// What `PyYAML` may read otherwise in the properties of a value, whose text begins here, or else the name of its anchor.
pub(super) fn anchor_name(text: &str) -> Result<Option<&str>, &'static str> {
    let mut rest = text;
    let mut name = None;
    for _ in 0..2 {
        let end = rest.find([' ', '\t', '\r', '\n']).unwrap_or(rest.len());
        if rest.starts_with('!') {
            if rest[..end].contains(['[', ']', '{', '}', ',', '&', '*', '#', '|', '%', '"', '\'']) {
                return Err("PyYAML reads another tag here");
            }
        } else if let Some(own) = rest.strip_prefix('&').filter(|_| name.is_none()) {
            name = Some(name_after(own).ok_or("PyYAML reads another anchor here")?);
        } else {
            break;
        }
        rest = rest[end..].trim_start();
    }
    Ok(name)
}

/// Whether a plain scalar begins with a character with which none begins in `PyYAML`.
pub(super) fn is_no_plain_start(text: &str) -> bool {
    text.starts_with(['|', '>', '@', '`', '%', '?', ':'])
}

/// The name of an anchor or alias after its sign, at the start of a text; `None` if `PyYAML` may read another name.
pub(super) fn name_after(text: &str) -> Option<&str> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    let end = text.find(|character| !is_part(character)).unwrap_or(text.len());
    let next = text[end..].chars().next();
    // For YAML 1.2, these characters are part of the name.
    let is_same = next.is_none_or(|next| AFTER_NAME.contains(next) && !"?:%@`".contains(next));
    (end > 0 && is_same).then_some(&text[..end])
}

/// Whether `PyYAML` may accept what the parser refuses with this message: it is less strict about indentation, and flow scalars
/// end at other characters.
pub(super) fn is_of_yaml_1_2(message: &str) -> bool {
    [
        "may not precede any of",
        "invalid indentation",
        "wrongly indented line in block scalar",
        "comments must be separated",
        "expected whitespace",
        "simple key expect",
        "plain scalar cannot start",
    ]
    .iter()
    .any(|part| message.contains(part))
}

/// Whether the parser refuses, with this message, a `:` in brackets or braces behind which a space is missing: `PyYAML` needs none there.
pub(super) fn is_colon_in_flow(message: &str, text: &str, at: usize) -> bool {
    let (before, rest) = text.split_at_checked(at).unwrap_or_default();
    message.contains("while parsing a flow") && rest.starts_with(':') && !before.trim_end_matches(' ').ends_with('\n')
}

#[cfg(test)]
mod tests {
    use super::{anchor_name, block_start, is_colon_on_later_line, name_after, quoted, tab_between};

    #[test]
    fn names_of_anchors_are_those_of_both() {
        assert_eq!(anchor_name("&x 1"), Ok(Some("x")));
        assert_eq!(anchor_name("!!str &x-1\n 1"), Ok(Some("x-1")));
        assert_eq!(anchor_name("&x !!str 1"), Ok(Some("x")));
        assert_eq!(anchor_name("a"), Ok(None));
        assert_eq!(name_after("x, y"), Some("x"));
        for other in ["&x.y 1", "&x: 1", "&é 1", "& 1", "!a[ b"] {
            assert!(anchor_name(other).is_err(), "{other}");
        }
    }

    #[test]
    fn quoted_scalars_end_at_their_quote() {
        for (text, range) in [("'a' # '", 0..3), ("'it''s' x", 0..7), ("!!str \"a\\\"b\" c", 6..12)] {
            assert_eq!(quoted(text), Some(range), "{text}");
        }
        assert_eq!(quoted("'a"), None);
    }

    #[test]
    fn blocks_start_after_their_first_line() {
        for (text, start) in [("|1\t\n  a", 3), ("!t &x\n >\n a", 8), ("|", 1)] {
            assert_eq!(block_start(text), start, "{text}");
        }
    }

    #[test]
    fn a_colon_on_a_later_line_is_accepted() {
        for (text, is_later) in [(": 1", false), (" : 1", false), ("\n : 1", true), (" # x\n# y\n: 1", true), ("\n, b: 1", false)]
        {
            assert_eq!(is_colon_on_later_line(text), is_later, "{text}");
        }
    }

    #[test]
    fn tabs_are_found_between_scalars() {
        assert_eq!(tab_between("a: 1 # \t\nb: '\t'\n", std::slice::from_ref(&(12..15))), None);
        assert_eq!(tab_between("a: '#'\t\n", std::slice::from_ref(&(3..6))), Some(6..7));
        assert_eq!(tab_between("a: b#\tc\n", &[]), Some(5..6));
    }
}
