//! Regular expressions of Python's `re`.

use regex_automata::{meta::Regex, util::syntax};

/// The groups of a fit: the whole fit is the first one.
#[derive(Debug)]
pub(crate) struct Groups {
    spans: Vec<Option<(usize, usize)>>,
    names: Vec<(String, usize)>,
}

impl Groups {
    /// The number of groups.
    pub(crate) const fn count(&self) -> usize {
        self.spans.len()
    }

    /// The names of groups, each with its number.
    pub(crate) fn names(&self) -> &[(String, usize)] {
        &self.names
    }

    /// The range of a group, in bytes; `None` if it takes no part.
    pub(crate) fn span(&self, group: usize) -> Option<(usize, usize)> {
        self.spans.get(group).copied().flatten()
    }

    /// The text of a group.
    pub(crate) fn text<'t>(&self, group: usize, text: &'t str) -> Option<&'t str> {
        let (from, to) = self.span(group)?;
        text.get(from..to)
    }
}

/// The expression; `None` if it, or what it means for a text, is unknown.
///
/// Texts outside ASCII are unknown: what `\d` or `(?i)` means there needs tables that the program does not contain. In Python `$` also fits before a
/// line break at the end, and a few forms have another meaning.
fn compiled(pattern: &str, text: &str) -> Option<Regex> {
    let is_other = ["&&", "--", "~~", "[[", "\\<", "\\>", "\\Z", "\\h", "(?x", "\\b{"].iter().any(|form| pattern.contains(form));
    if is_other || !text.is_ascii() || text.ends_with('\n') || text.contains(['\x1c', '\x1d', '\x1e', '\x1f']) {
        return None;
    }
    let ascii = syntax::Config::new().unicode(false).utf8(false);
    Regex::builder().configure(Regex::config().utf8_empty(false)).syntax(ascii).build(pattern).ok()
}

/// Whether a pattern is found anywhere in a text; `None` if that is unknown.
pub(crate) fn is_found(pattern: &str, text: &str) -> Option<bool> {
    Some(compiled(pattern, text)?.is_match(text))
}

/// All fits of a pattern in a text, from left to right; `None` if they are unknown.
pub(crate) fn found_all(pattern: &str, text: &str) -> Option<Vec<Groups>> {
    Some(compiled(pattern, text)?.captures_iter(text).map(|captures| groups(&captures)).collect())
}

fn groups(captures: &regex_automata::util::captures::Captures) -> Groups {
    let spans = (0..captures.group_len()).map(|group| captures.get_group(group).map(|span| (span.start, span.end))).collect();
    let infos = captures.group_info();
    let names = captures.pattern().into_iter().flat_map(|pattern| infos.pattern_names(pattern).enumerate());
    let names = names.filter_map(|(number, name)| Some((name?.to_owned(), number))).collect();
    Groups { spans, names }
}

#[cfg(test)]
mod tests {
    use super::{found_all, is_found};

    #[test]
    fn classes_have_their_ascii_members() {
        assert_eq!(is_found(r"^step_\d+$", "step_12"), Some(true));
        assert_eq!(is_found(r"^step_\d+$", "step_x"), Some(false));
        assert_eq!(is_found("(?i)^qwen", "Qwen/Qwen3-8B"), Some(true));
        assert_eq!(is_found(r"\d", "٣"), None);
        assert_eq!(is_found("(", "("), None);
    }

    /// Python's `$` also fits before the last line break.
    #[test]
    fn what_another_engine_means_by_a_pattern_is_unknown() {
        assert_eq!(is_found("a$", "a\n"), None);
        assert_eq!(is_found("[a&&b]", "a"), None);
    }

    #[test]
    fn groups_have_texts_and_names() {
        let all = found_all(r"(?P<word>[a-z]+)-(\d+)?", "ab-").expect("known");
        let groups = &all[0];
        assert_eq!((groups.text(1, "ab-"), groups.text(2, "ab-"), groups.span(0)), (Some("ab"), None, Some((0, 3))));
        assert_eq!(groups.names(), [("word".to_owned(), 1)]);
        assert_eq!(found_all("[ab]", "xaxb").map(|all| all.len()), Some(2));
    }
}
