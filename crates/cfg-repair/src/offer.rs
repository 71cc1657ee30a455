//! The repairs of single findings that hold what they promise.

use cfg_check::Checked;
use cfg_diag::{Applicability, Diagnostic, FileId, Fix};

use crate::{
    consequences,
    proposals::Proposals,
    trial::{Left, State, Trials, Why, attempt},
};

/// How many repairs of a finding are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The first that makes the text better.
    First,
    /// All that do.
    All,
}

/// What can be done about a finding.
pub struct Offered {
    /// Its place in the list of findings.
    pub index: usize,
    /// Repairs, each of which makes the text better by itself; the surest first.
    pub fixes: Vec<Fix>,
    /// What was proposed first and is not offered, where nothing is.
    pub left: Option<Left>,
}

/// The repairs of each of these findings of a text, as far as there are any that make it better.
pub fn offer(
    file: FileId,
    text: &str,
    checked: &Checked,
    (findings, wanted): (impl IntoIterator<Item = usize>, Wanted),
    check: &dyn Fn(&str) -> Checked,
) -> Vec<Offered> {
    let proposals = Proposals::new(file, text, checked);
    if !proposals.are_there(wanted) {
        return Vec::new();
    }
    let before = Before { text, checked };
    let mut offered = Vec::new();
    let mut trials = Trials::of(text);
    for index in findings {
        let Some(found) = checked.diagnostics.get(index) else { continue };
        let mut proposed = proposals.of(found);
        if wanted == Wanted::All {
            proposed.extend(proposals.stated_target(found));
        }
        let mut refused = None;
        let mut fixes: Vec<Fix> = Vec::new();
        for mut fix in proposed {
            let outcome = if trials.take() { before.attempt(found, &fix, check) } else { Err(Why::Untried) };
            match outcome {
                Ok(after) => {
                    consequences::say(&mut fix, checked, &after);
                    fixes.push(fix);
                    if wanted == Wanted::First {
                        break;
                    }
                }
                Err(why) => {
                    refused.get_or_insert_with(|| Left::new(found, &fix, why));
                }
            }
        }
        fixes.sort_by_key(|fix| fix.applicability == Applicability::Unsafe);
        let left = refused.filter(|_| fixes.is_empty());
        if !fixes.is_empty() || left.is_some() {
            offered.push(Offered { index, fixes, left });
        }
    }
    offered
}

/// Gives each finding of a text the repairs that make it better, in place of what was proposed for it; hands out what does not.
pub fn offer_all(file: FileId, text: &str, checked: &mut Checked, wanted: Wanted, check: &dyn Fn(&str) -> Checked) -> Vec<Left> {
    let offered = offer(file, text, checked, (0..checked.diagnostics.len(), wanted), check);
    checked.diagnostics.iter_mut().for_each(|found| found.fix = None);
    let mut all_left = Vec::new();
    for Offered { index, fixes, left } in offered {
        let found = &mut checked.diagnostics[index];
        let mut fixes = fixes.into_iter();
        found.fix = fixes.next();
        found.other_fixes = fixes.collect();
        all_left.extend(left);
    }
    all_left
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
