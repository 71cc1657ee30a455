//! Findings that comments of the file ask not to hear of.

use cfg_diag::{Applicability, Diagnostic, Edit, FileId, Fix, Location, Span, codes};
use cfg_syntax::{Scope, Suppression};

/// Takes out what the comments ignore, and adds what is wrong with these comments. Returns how many findings were taken out.
///
/// What prime-rl says does not change by being ignored: the verdict is made before.
pub(crate) fn apply(file: FileId, text: &str, suppressions: &[Suppression], diagnostics: &mut Vec<Diagnostic>) -> usize {
    if suppressions.is_empty() {
        return 0;
    }
    let mut is_used: Vec<Vec<bool>> = suppressions.iter().map(|suppression| vec![false; suppression.ignored.len()]).collect();
    let mut is_ignored = |diagnostic: &Diagnostic| {
        let mut is_ignored = false;
        for (suppression, used) in suppressions.iter().zip(&mut is_used) {
            let is_here = match suppression.scope {
                Scope::File => true,
                Scope::Lines(lines) => diagnostic.location.is_some_and(|location| {
                    location.file == file && lines.start <= location.span.start && location.span.start <= lines.end
                }),
                Scope::Nothing => false,
            };
            for (ignored, used) in suppression.ignored.iter().zip(used).filter(|_| is_here) {
                if codes::selects(&ignored.name, diagnostic.code) {
                    *used = true;
                    is_ignored = true;
                }
            }
        }
        is_ignored
    };
    let before = diagnostics.len();
    for diagnostic in diagnostics.iter_mut() {
        // What is folded is not shown, and still found.
        diagnostic.folded.retain(|folded| !is_ignored(folded));
    }
    diagnostics.retain(|diagnostic| !is_ignored(diagnostic));
    let count = before - diagnostics.len();
    let unused = suppressions.iter().zip(&is_used).filter_map(|(suppression, used)| unused(file, text, suppression, used));
    diagnostics.extend(unused);
    count
}

/// What is wrong with a suppression, if anything is.
fn unused(file: FileId, text: &str, suppression: &Suppression, used: &[bool]) -> Option<Diagnostic> {
    let place = Location::new(file, suppression.span);
    let report = |message: String| Diagnostic::new(&codes::UNUSED_SUPPRESSION, message);
    if suppression.ignored.is_empty() {
        let help = "write a code, such as `# cfg: ignore[PRL301]`, or a name, such as `# cfg: ignore[unknown-key]`";
        return Some(report("this comment does not say what is to be ignored".to_owned()).at(place).help(help));
    }
    let idle: Vec<usize> = (0..used.len()).filter(|&index| !used[index]).collect();
    let first = &suppression.ignored[*idle.first()?];
    let names: Vec<String> = idle.iter().map(|&index| format!("`{}`", suppression.ignored[index].name)).collect();
    let is_known = |name: &str| codes::ALL.iter().any(|code| codes::selects(name, code));
    let message = match suppression.scope {
        Scope::Nothing if is_file_wide(text, suppression) => {
            "a comment for the whole file has to stand above the first key and the first table".to_owned()
        }
        Scope::Nothing => format!("nothing stands below this comment, so {} can't be ignored here", names.join(" and ")),
        _ if !is_known(&first.name) => format!("`{}` is no code and no name of a finding", first.name),
        Scope::File => format!("{} is not found in this file", names.join(" or ")),
        Scope::Lines(_) => format!("{} is not found here", names.join(" or ")),
    };
    let span = if idle.len() == used.len() { without_comment(text, suppression.span) } else { without_entry(suppression, &idle) };
    let edit = Edit { location: Location::new(file, span), new_text: String::new() };
    let fix = Fix { title: "remove it".to_owned(), applicability: Applicability::Safe, edits: vec![edit] };
    // Of several that are in vain among others that are not, the next run takes the next out.
    let location = if idle.len() == used.len() { place } else { Location::new(file, first.span) };
    Some(Diagnostic { fix: Some(fix), ..report(message).at(location) })
}

fn is_file_wide(text: &str, suppression: &Suppression) -> bool {
    text[suppression.span.range()].contains("ignore-file")
}

/// The comment with the space before it; its whole line where nothing else stands there.
fn without_comment(text: &str, comment: Span) -> Span {
    let before = &text[..comment.start as usize];
    let start = before.trim_end_matches([' ', '\t']).len();
    if !before[..start].is_empty() && !before[..start].ends_with('\n') {
        return Span::new(start as u32, comment.end);
    }
    let rest = &text[comment.end as usize..];
    let end = rest.find('\n').map_or(text.len(), |newline| comment.end as usize + newline + 1);
    // The last line of a text goes with the line end before it.
    let start = if text[..end].ends_with('\n') { start } else { before[..start].trim_end_matches(['\n', '\r']).len() };
    Span::from(start..end)
}

/// The first entry that is in vain, with the comma on one side of it.
fn without_entry(suppression: &Suppression, idle: &[usize]) -> Span {
    let index = idle[0];
    let own = suppression.ignored[index].span;
    match (suppression.ignored.get(index + 1), index.checked_sub(1)) {
        (Some(next), _) => Span::new(own.start, next.span.start),
        (None, Some(before)) => Span::new(suppression.ignored[before].span.end, own.end),
        (None, None) => own,
    }
}
