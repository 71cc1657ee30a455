//! The repairs of single findings that hold what they promise.

use std::path::Path;

use cfg_check::{Checked, Texts};
use cfg_diag::{Diagnostic, FileId, Fix};
use cfg_system::tidy;

use crate::{
    consequences,
    proposals::Proposals,
    trial::{Left, State, Trials, Why, attempt},
};

/// The repair of each of these findings of a text, as far as there is one that makes it better.
pub fn offer(
    file: FileId,
    text: &str,
    checked: &Checked,
    findings: impl IntoIterator<Item = usize>,
    check: &dyn Fn(&str) -> Checked,
) -> Vec<(usize, Result<Fix, Left>)> {
    let proposals = Proposals::new(file, text, checked);
    if !proposals.are_there() {
        return Vec::new();
    }
    let before = Before { text, checked };
    let mut offered = Vec::new();
    let mut trials = Trials::of(text);
    for index in findings {
        let Some(found) = checked.diagnostics.get(index) else { continue };
        let fixes = proposals.of(found);
        let mut refused = None;
        let mut made = None;
        for mut fix in fixes {
            let outcome = if trials.take() { before.attempt(found, &fix, check) } else { Err(Why::Untried) };
            match outcome {
                Ok(after) => {
                    consequences::say(&mut fix, checked, &after);
                    made = Some(fix);
                    break;
                }
                Err(why) => {
                    refused.get_or_insert_with(|| Left::new(found, &fix, why));
                }
            }
        }
        offered.extend(made.map(Ok).or(refused.map(Err)).map(|outcome| (index, outcome)));
    }
    offered
}

/// Gives each finding of a text the repair that makes it better, in place of what was proposed for it; hands out what does not.
pub fn offer_all(file: FileId, text: &str, checked: &mut Checked, check: &dyn Fn(&str) -> Checked) -> Vec<Left> {
    let outcomes = offer(file, text, checked, 0..checked.diagnostics.len(), check);
    checked.diagnostics.iter_mut().for_each(|found| found.fix = None);
    let mut left = Vec::new();
    for (index, outcome) in outcomes {
        match outcome {
            Ok(fix) => checked.diagnostics[index].fix = Some(fix),
            Err(refused) => left.push(refused),
        }
    }
    left
}

/// Leaves of the repairs in a config of several files those in the file at `path` that make it better by itself, which `check` checks. Which of several files
/// should change is the author's to say.
pub fn offer_in(path: &str, texts: &Texts, checked: &mut Checked, check: &dyn Fn(&str) -> Checked) {
    if checked.diagnostics.iter().all(|found| found.fix.is_none()) {
        return;
    }
    checked.diagnostics.iter_mut().for_each(|found| found.fix = None);
    let Some(own) = texts.all().iter().find(|text| tidy(Path::new(&text.path)) == tidy(Path::new(path))) else { return };
    let mut alone = check(&own.text);
    if alone.has_includes {
        return;
    }
    offer_all(FileId(0), &own.text, &mut alone, check);
    for found in &mut checked.diagnostics {
        let Some(at) = found.location.filter(|location| location.file == own.file) else { continue };
        let is_same =
            |other: &&Diagnostic| other.code == found.code && other.location.is_some_and(|location| location.span == at.span);
        found.fix = alone.diagnostics.iter().find(is_same).and_then(|other| other.fix.clone());
        for edit in found.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
            edit.location.file = own.file;
        }
    }
}

/// A repair of a finding, with what it changes besides, if it makes the text better.
pub fn holds(
    (text, checked): (&str, &Checked),
    found: &Diagnostic,
    mut fix: Fix,
    check: &dyn Fn(&str) -> Checked,
) -> Option<Fix> {
    let after = Before { text, checked }.attempt(found, &fix, check).ok()?;
    consequences::say(&mut fix, checked, &after);
    Some(fix)
}

struct Before<'a> {
    text: &'a str,
    checked: &'a Checked,
}

impl Before<'_> {
    fn attempt(&self, found: &Diagnostic, fix: &Fix, check: &dyn Fn(&str) -> Checked) -> Result<Checked, Why> {
        attempt((self.text, self.checked), &[(found, fix)], check).map(|State { checked, .. }| checked)
    }
}
