//! Removes findings that comments of the file ignore.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cfg_diag::{Applicability, Diagnostic, Edit, FileId, Fix, Location, Span, codes};
use cfg_syntax::{Scope, Suppression};

/// Removes ignored findings, and adds the errors of these comments. Returns the number of removed findings.
///
/// Ignoring does not change prime-rl's answer: the verdict is determined before.
pub(crate) fn apply(file: FileId, text: &str, suppressions: &[Suppression], diagnostics: &mut Vec<Diagnostic>) -> usize {
    if suppressions.is_empty() {
        return 0;
    }
    let mut places = Places::new(file, suppressions, diagnostics);
    let mut is_ignored = |diagnostic: &Diagnostic| places.ignore(diagnostic);
    let before = diagnostics.len();
    for diagnostic in diagnostics.iter_mut() {
        // A folded finding is not shown, but still counts.
        diagnostic.folded.retain(|folded| !is_ignored(folded));
    }
    diagnostics.retain(|diagnostic| !is_ignored(diagnostic));
    let count = before - diagnostics.len();
    let unused = suppressions.iter().filter_map(|suppression| unused(file, text, suppression, &places.used(suppression)));
    diagnostics.extend(unused.take(MAX_FINDINGS));
    count
}

/// The maximum number of findings about these comments: a file may have nothing else.
const MAX_FINDINGS: usize = 10_000;

/// Which codes are ignored at which places. The comments of a place are merged, and each finding is compared only with those of its own lines,
/// because there may be as many comments as findings.
struct Places<'s> {
    file: FileId,
    /// For each place, the names that select codes, each with whether anything was ignored by it.
    names: Vec<BTreeMap<&'s str, bool>>,
    by_lines: BTreeMap<Span, usize>,
    /// The places that apply to findings that begin at an offset.
    at: HashMap<u32, Vec<usize>>,
}

/// The index of the place that is the whole file.
const WHOLE: usize = 0;

impl<'s> Places<'s> {
    fn new(file: FileId, suppressions: &'s [Suppression], diagnostics: &[Diagnostic]) -> Self {
        let mut names: Vec<BTreeMap<&'s str, bool>> = vec![BTreeMap::new()];
        let mut by_lines = BTreeMap::new();
        for suppression in suppressions {
            let place = match suppression.scope {
                Scope::File => WHOLE,
                Scope::Lines(lines) => *by_lines.entry(lines).or_insert_with(|| {
                    names.push(BTreeMap::new());
                    names.len() - 1
                }),
                Scope::Nothing => continue,
            };
            for ignored in &suppression.ignored {
                if !names[place].contains_key(&*ignored.name) && is_known(&ignored.name) {
                    names[place].insert(&*ignored.name, false);
                }
            }
        }
        let folded = diagnostics.iter().flat_map(|diagnostic| &diagnostic.folded);
        let located = diagnostics.iter().chain(folded).filter_map(|diagnostic| diagnostic.location);
        let offsets: BTreeSet<u32> =
            located.filter(|location| location.file == file).map(|location| location.span.start).collect();
        let mut next = by_lines.iter().peekable();
        let mut around: Vec<(Span, usize)> = Vec::new();
        let at = offsets.into_iter().map(|offset| {
            while let Some((lines, place)) = next.next_if(|(lines, _)| lines.start <= offset) {
                around.push((*lines, *place));
            }
            around.retain(|(lines, _)| offset <= lines.end);
            (offset, around.iter().map(|(_, place)| *place).collect())
        });
        let at = at.collect();
        Self { file, names, by_lines, at }
    }

    /// Whether a finding is ignored.
    fn ignore(&mut self, diagnostic: &Diagnostic) -> bool {
        let offset = diagnostic.location.filter(|location| location.file == self.file).map(|location| location.span.start);
        let around = offset.and_then(|offset| self.at.get(&offset)).into_iter().flatten();
        let mut is_ignored = false;
        for place in around.chain(&[WHOLE]) {
            for (name, is_used) in &mut self.names[*place] {
                if codes::selects(name, diagnostic.code) {
                    *is_used = true;
                    is_ignored = true;
                }
            }
        }
        is_ignored
    }

    /// For each entry of a comment, whether it ignored anything.
    fn used(&self, suppression: &Suppression) -> Vec<bool> {
        let place = match suppression.scope {
            Scope::File => Some(WHOLE),
            Scope::Lines(lines) => self.by_lines.get(&lines).copied(),
            Scope::Nothing => None,
        };
        let is_used = |name: &str| place.and_then(|place| self.names[place].get(name)).is_some_and(|is_used| *is_used);
        suppression.ignored.iter().map(|ignored| is_used(&ignored.name)).collect()
    }
}

/// Whether a name selects any code.
fn is_known(name: &str) -> bool {
    codes::ALL.iter().any(|code| codes::selects(name, code))
}

/// The finding about a comment that is invalid or ignores nothing; `None` if there is none.
fn unused(file: FileId, text: &str, suppression: &Suppression, used: &[bool]) -> Option<Diagnostic> {
    let place = Location::new(file, suppression.span);
    let report = |message: String| Diagnostic::new(&codes::UNUSED_SUPPRESSION, message);
    if suppression.ignored.is_empty() {
        let help = "write a code, such as `# cfg: ignore[PRL301]`, or a name, such as `# cfg: ignore[unknown-key]`";
        return Some(report("this comment does not say what to ignore".to_owned()).at(place).help(help));
    }
    let idle: Vec<usize> = (0..used.len()).filter(|&index| !used[index]).collect();
    let first = &suppression.ignored[*idle.first()?];
    let names: Vec<String> = idle.iter().map(|&index| format!("`{}`", suppression.ignored[index].name)).collect();
    let message = match suppression.scope {
        Scope::Nothing if is_file_wide(text, suppression) => "`ignore-file` must come before the first key or table".to_owned(),
        Scope::Nothing => format!("nothing follows this comment, so {} can't be ignored here", names.join(" and ")),
        _ if !is_known(&first.name) => format!("unknown rule `{}`", first.name),
        Scope::File => format!("{} is not reported in this file", names.join(" or ")),
        Scope::Lines(_) => format!("{} is not reported here", names.join(" or ")),
    };
    let span = if idle.len() == used.len() { without_comment(text, suppression.span) } else { without_entry(suppression, &idle) };
    let edit = Edit { location: Location::new(file, span), new_text: String::new() };
    let fix = Fix::new("remove it", Applicability::Safe, vec![edit]);
    // If only some entries are unused, a fix removes the first; the next run removes the next one.
    let location = if idle.len() == used.len() { place } else { Location::new(file, first.span) };
    Some(Diagnostic { fix: Some(fix), ..report(message).at(location) })
}

fn is_file_wide(text: &str, suppression: &Suppression) -> bool {
    text[suppression.span.range()].contains("ignore-file")
}

/// The span of a comment with the spaces before it, or of its whole line if nothing else is on it.
fn without_comment(text: &str, comment: Span) -> Span {
    let before = &text[..comment.start as usize];
    let start = before.trim_end_matches([' ', '\t']).len();
    if !before[..start].is_empty() && !before[..start].ends_with('\n') {
        return Span::new(start as u32, comment.end);
    }
    let rest = &text[comment.end as usize..];
    let end = rest.find('\n').map_or(text.len(), |newline| comment.end as usize + newline + 1);
    // The last line of a text is removed with the line break before it.
    let start = if text[..end].ends_with('\n') { start } else { before[..start].trim_end_matches(['\n', '\r']).len() };
    Span::from(start..end)
}

/// The span of the first unused entry, with the comma on one side of it.
fn without_entry(suppression: &Suppression, idle: &[usize]) -> Span {
    let index = idle[0];
    let own = suppression.ignored[index].span;
    match (suppression.ignored.get(index + 1), index.checked_sub(1)) {
        (Some(next), _) => Span::new(own.start, next.span.start),
        (None, Some(before)) => Span::new(suppression.ignored[before].span.end, own.end),
        (None, None) => own,
    }
}

#[cfg(test)]
mod tests {
    use cfg_diag::{Diagnostic, FileId, Location, Span, codes};
    use cfg_syntax::Dialect;

    use super::Places;

    #[test]
    fn only_the_comments_of_a_line_are_searched_for_ignores() {
        let lines = |index: usize| {
            format!("# cfg: ignore[PRL101]\n# cfg: ignore[PRL1, PRL102]\nk{index} = 1 # cfg: ignore[unknown-key]\n")
        };
        let text = format!("# cfg: ignore-file[PRL8]\n{}", (0..2000).map(lines).collect::<String>());
        let (document, _) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml11);
        let suppressions = cfg_syntax::suppressions(&text, &document);
        assert_eq!(suppressions.len(), 6001);
        let at = |start: u32| Location::new(FileId(0), Span::new(start, start + 1));
        let keys = document.root.entries.iter().map(|entry| entry.key.span.start);
        let mut found: Vec<Diagnostic> =
            keys.map(|start| Diagnostic::new(&codes::UNKNOWN_KEY, String::new()).at(at(start))).collect();
        let places = Places::new(FileId(0), &suppressions, &found);
        assert_eq!(places.at.len(), 2000);
        assert!(places.at.values().all(|around| (1..=2).contains(&around.len())));
        assert_eq!(super::apply(FileId(0), &text, &suppressions, &mut found), 2000);
        let unused: Vec<&str> = found.iter().map(|diagnostic| &*diagnostic.message).collect();
        assert!(
            unused.len() == 2001 && unused[1..].iter().all(|message| *message == "`PRL102` is not reported here"),
            "{:?}",
            &unused[..3]
        );
    }
}
