//! Regular expressions of Python's `re`.

use regex_automata::{meta::Regex, util::syntax};

/// Whether a pattern is found anywhere in a text; `None` if that is unknown.
///
/// Texts outside ASCII are unknown: what `\d` or `(?i)` means there needs tables that the program does not contain.
pub(crate) fn is_found(pattern: &str, text: &str) -> Option<bool> {
    let ascii = syntax::Config::new().unicode(false).utf8(false);
    let pattern = Regex::builder().configure(Regex::config().utf8_empty(false)).syntax(ascii).build(pattern).ok()?;
    text.is_ascii().then(|| pattern.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::is_found;

    #[test]
    fn classes_have_their_ascii_members() {
        assert_eq!(is_found(r"^step_\d+$", "step_12"), Some(true));
        assert_eq!(is_found(r"^step_\d+$", "step_x"), Some(false));
        assert_eq!(is_found("(?i)^qwen", "Qwen/Qwen3-8B"), Some(true));
        assert_eq!(is_found(r"\d", "٣"), None);
        assert_eq!(is_found("(", "("), None);
    }
}
