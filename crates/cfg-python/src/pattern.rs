//! Regular expressions of Python's `re`.

use std::{cell::RefCell, rc::Rc};

use cfg_meter::charge_each;
use regex_automata::{meta::Regex, util::syntax};

use crate::hash::HashMap;

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

/// A compiled expression.
struct Compiled {
    regex: Regex,
    /// The units for each letter of a text: what its states need at most.
    of_a_letter: usize,
}

/// The largest automaton of a pattern in bytes: some 2,000 states, each of which a letter can visit.
const LARGEST: usize = 64 << 10;

/// The units for compiling a pattern, and for each of its letters.
const OF_A_PATTERN: usize = 2000;
const OF_ITS_LETTER: usize = 50;

/// The units for an automaton that becomes too large.
const OF_THE_LARGEST: usize = 20_000;

thread_local! {
    /// The patterns of the current check, each compiled once.
    static COMPILED: RefCell<HashMap<String, Option<Rc<Compiled>>>> = RefCell::default();
}

/// Drops the compiled patterns.
pub(crate) fn forget() {
    COMPILED.with_borrow_mut(HashMap::clear);
}

/// The expression; `None` if it, or what it means for a text, is unknown.
///
/// Texts outside ASCII are unknown: what `\d` or `(?i)` means there needs tables that the program does not contain. In Python `$` also fits before a
/// line break at the end, and a few forms have another meaning.
fn compiled(pattern: &str, text: &str) -> Option<Rc<Compiled>> {
    let is_other = ["&&", "--", "~~", "[[", "\\<", "\\>", "\\Z", "\\h", "(?x", "\\b{"].iter().any(|form| pattern.contains(form));
    if is_other || !text.is_ascii() || text.ends_with('\n') || text.contains(['\x1c', '\x1d', '\x1e', '\x1f']) {
        return None;
    }
    let known = COMPILED.with_borrow(|compiled| compiled.get(pattern).cloned());
    known.unwrap_or_else(|| {
        let compiled = compile(pattern).map(Rc::new);
        COMPILED.with_borrow_mut(|all| all.insert(pattern.to_owned(), compiled.clone()));
        compiled
    })
}

fn compile(pattern: &str) -> Option<Compiled> {
    charge_each(OF_A_PATTERN + pattern.len() * OF_ITS_LETTER).ok()?;
    let ascii = syntax::Config::new().unicode(false).utf8(false);
    // A pattern is used for a few short texts, for which all states of an automaton would be computed in vain.
    let config = Regex::config().utf8_empty(false).nfa_size_limit(Some(LARGEST)).dfa(false);
    let Ok(regex) = Regex::builder().configure(config).syntax(ascii).build(pattern) else {
        charge_each(OF_THE_LARGEST).ok()?;
        return None;
    };
    let size = regex.memory_usage();
    charge_each(size / 8).ok()?;
    Some(Compiled { regex, of_a_letter: size / 64 + 1 })
}

impl Compiled {
    /// Charges a search in a text of this length.
    fn pays(&self, length: usize) -> Option<()> {
        charge_each(self.of_a_letter * (length + 1)).ok()
    }
}

/// Whether a pattern is found anywhere in a text; `None` if that is unknown.
pub(crate) fn is_found(pattern: &str, text: &str) -> Option<bool> {
    let compiled = compiled(pattern, text)?;
    compiled.pays(text.len())?;
    Some(compiled.regex.is_match(text))
}

/// The first fit of a pattern in a text, at most one; `None` if that is unknown.
pub(crate) fn found_first(pattern: &str, text: &str) -> Option<Vec<Groups>> {
    let compiled = compiled(pattern, text)?;
    let mut captures = compiled.regex.create_captures();
    compiled.pays(text.len() * (1 + captures.group_len() / 4))?;
    compiled.regex.captures(text, &mut captures);
    Some(captures.is_match().then(|| groups(&captures)).into_iter().collect())
}

/// All fits of a pattern in a text, from left to right; `None` if they are unknown.
pub(crate) fn found_all(pattern: &str, text: &str) -> Option<Vec<Groups>> {
    let compiled = compiled(pattern, text)?;
    let mut all = Vec::new();
    let mut fits = compiled.regex.captures_iter(text);
    let mut from = 0;
    loop {
        // Each search can go to the end of the text.
        let groups_of = all.first().map_or(1, |first: &Groups| 1 + first.count());
        compiled.pays((text.len() - from) * groups_of.div_ceil(4))?;
        let Some(captures) = fits.next() else { return Some(all) };
        charge_each(captures.group_len() * 2).ok()?;
        from = captures.get_match().map_or(from, |fit| fit.end());
        all.push(groups(&captures));
    }
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
    fn a_small_pattern_costs_little() {
        let compiled = super::compile(r"^step_(\d+)$").expect("it is valid");
        assert!(compiled.of_a_letter < 100, "{}", compiled.of_a_letter);
    }

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
