//! The repairs of single findings that hold what they promise.

use cfg_check::Checked;
use cfg_diag::{Diagnostic, FileId, Fix};

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
