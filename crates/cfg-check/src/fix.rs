//! Makes the fixes of findings in a text.

use std::collections::{BTreeMap, HashSet};

use cfg_diag::{Applicability, Diagnostic, Edit, FileId, Fix};

/// A text after its fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text.
    pub text: String,
    /// How many findings were fixed.
    pub count: usize,
    /// What is found in the new text.
    pub diagnostics: Vec<Diagnostic>,
}

/// So many fixes in a row may turn out to make things worse before the rest is left alone.
const MOST_REJECTED: usize = 64;

/// Makes fixes until none is left that makes things better. `check` says what is found in a text; `allows` which fixes are wanted.
///
/// A fix is made only if its finding is gone afterwards and no other has come: what it would do is checked before it is done. So the number of
/// findings falls with every step, and a second run changes nothing.
pub fn fix(
    file: FileId,
    text: &str,
    allows: &dyn Fn(Applicability) -> bool,
    check: &mut dyn FnMut(&str) -> Vec<Diagnostic>,
) -> Fixed {
    let mut now = Fixed { text: text.to_owned(), count: 0, diagnostics: check(text) };
    let mut rejected: HashSet<Name> = HashSet::new();
    while rejected.len() < MOST_REJECTED {
        let mut batch = batch(file, &now, allows, &rejected);
        if batch.is_empty() {
            break;
        }
        // Where several together make things worse, the first half of them is tried, until the guilty one is alone.
        let better = loop {
            match attempt(&now, &batch, check) {
                Some(better) => break Some(better),
                None if batch.len() == 1 => break None,
                None => batch.truncate(batch.len().div_ceil(2)),
            }
        };
        match better {
            Some(better) => {
                now = better;
                rejected.clear();
            }
            None => rejected.extend(batch.into_iter().map(|(name, _)| name)),
        }
    }
    now
}

/// How a finding is recognised in the text before and after: its place changes, and its words may.
type Name = (&'static str, Option<String>);

fn name(diagnostic: &Diagnostic) -> Name {
    (diagnostic.code.code, diagnostic.key.clone())
}

/// Fixes that may be made at once, in the order of the text.
fn batch(file: FileId, now: &Fixed, allows: &dyn Fn(Applicability) -> bool, rejected: &HashSet<Name>) -> Vec<(Name, Fix)> {
    let is_usable =
        |fix: &Fix| allows(fix.applicability) && !fix.edits.is_empty() && fix.edits.iter().all(|edit| edit.location.file == file);
    let fixes = now.diagnostics.iter().filter(|diagnostic| !diagnostic.is_echo).filter_map(|diagnostic| {
        let fix = diagnostic.fix.as_ref().filter(|fix| is_usable(fix))?;
        Some((name(diagnostic), fix.clone()))
    });
    let mut fixes: Vec<(Name, Fix)> = fixes.filter(|(name, _)| !rejected.contains(name)).collect();
    fixes.sort_by_key(|(_, fix)| fix.edits[0].location.span);
    let mut taken: Vec<(Name, Fix)> = Vec::new();
    let mut end = None;
    for (name, fix) in fixes {
        // Edits that only touch may both insert at one place; one of them waits.
        let starts_behind = |edit: &Edit| end.is_none_or(|end| edit.location.span.start > end);
        if fix.edits.iter().all(starts_behind) {
            end = fix.edits.iter().map(|edit| edit.location.span.end).max().max(end);
            taken.push((name, fix));
        }
    }
    taken
}

fn attempt(now: &Fixed, batch: &[(Name, Fix)], check: &mut dyn FnMut(&str) -> Vec<Diagnostic>) -> Option<Fixed> {
    let text = apply(&now.text, batch.iter().flat_map(|(_, fix)| &fix.edits))?;
    let diagnostics = check(&text);
    let mut allowed = counts(&now.diagnostics);
    for (name, _) in batch {
        *allowed.entry(name.clone()).or_default() -= 1;
    }
    let is_better = counts(&diagnostics).into_iter().all(|(name, count)| allowed.get(&name).is_some_and(|&most| count <= most));
    is_better.then(|| Fixed { text, count: now.count + batch.len(), diagnostics })
}

/// How often each finding occurs, those that others explain included.
fn counts(diagnostics: &[Diagnostic]) -> BTreeMap<Name, i64> {
    fn count(diagnostic: &Diagnostic, counts: &mut BTreeMap<Name, i64>) {
        *counts.entry(name(diagnostic)).or_default() += 1;
        diagnostic.folded.iter().for_each(|folded| count(folded, counts));
    }
    let mut counts = BTreeMap::new();
    diagnostics.iter().for_each(|diagnostic| count(diagnostic, &mut counts));
    counts
}

/// The text with edits made in it; nothing if they overlap or do not lie within it.
pub fn apply<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| edit.location.span);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let range = edit.location.span.range();
        out.push_str(text.get(at..range.start)?);
        text.get(range.clone())?;
        out.push_str(&edit.new_text);
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}
