//! The repairs of single findings that pass their trial.

use std::path::Path;

use cfg_check::{COMMAND_LINE, Checked, Text, Texts};
use cfg_diag::{Applicability, Diagnostic, FileId, Fix, codes};
use cfg_system::tidy;

use crate::{
    consequences,
    proposals::Proposals,
    trial::{Left, State, Trials, Why, attempt},
};

/// How many repairs of a finding are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The first that improves the text.
    First,
    /// All that improve it.
    All,
}

/// The offered repairs of a finding.
pub struct Offered {
    /// The index of the finding in its list.
    pub index: usize,
    /// Repairs that improve the text, each by itself; the most certain first.
    pub fixes: Vec<Fix>,
    /// The first proposal that is not offered, if none is offered.
    pub left: Option<Left>,
}

/// The repairs of each of these findings that improve the text.
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
                    consequences::say(&mut fix, checked, &after.checked);
                    consequences::say_revealed(&mut fix, &after);
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

/// Replaces the proposed repairs of each finding by those that improve the text; returns the others.
pub fn offer_all(file: FileId, text: &str, checked: &mut Checked, wanted: Wanted, check: &dyn Fn(&str) -> Checked) -> Vec<Left> {
    let offered = offer(file, text, checked, (0..checked.diagnostics.len(), wanted), check);
    checked.diagnostics.iter_mut().for_each(|found| found.fix = None);
    let mut all_left = Vec::new();
    for Offered { index, fixes, left } in offered {
        let found = &mut checked.diagnostics[index];
        let mut fixes = fixes.into_iter();
        found.fix = fixes.next();
        found.other_fixes = fixes.collect();
        agree(found);
        agree_with_proposal(found);
        all_left.extend(left);
    }
    all_left
}

/// Makes the advice about a removed key agree with its fix: what is removed with this value needs nothing instead.
fn agree(found: &mut Diagnostic) {
    let removes = found.fix.as_ref().filter(|fix| found.code == &codes::REMOVED_KEY && fix.title.starts_with("remove `"));
    let (Some(fix), Some(help)) = (removes, &found.help) else { return };
    let Some((other, rest)) = help.strip_prefix("write `").and_then(|help| help.split_once("` instead")) else { return };
    let closest = if fix.applicability == Applicability::Safe { String::new() } else { format!("; the closest is `{other}`") };
    found.help = Some(format!("remove it{closest}{rest}"));
}

/// Makes the help name what the fix does, if the fix is not the first of the proposals.
fn agree_with_proposal(found: &mut Diagnostic) {
    let Some(fix) = &found.fix else { return };
    let made = found.proposals.iter().find(|proposal| fix.title.starts_with(&*proposal.title));
    if let Some(help) = made.and_then(|proposal| proposal.help.clone()) {
        found.help = Some(help);
    }
}

/// Keeps, in a config of several files, only the repairs in the file at `path` that improve it by themselves according to `check`. The author must
/// decide which of several files should change.
pub fn offer_in(path: &str, texts: &Texts, checked: &mut Checked, wanted: Wanted, check: &dyn Fn(&str) -> Checked) {
    if checked.diagnostics.iter().all(|found| found.fix.is_none()) {
        return;
    }
    for found in &mut checked.diagnostics {
        found.fix = None;
        found.other_fixes.clear();
    }
    // A command line is not a config.
    let is_own = |text: &&Text| path != COMMAND_LINE && tidy(Path::new(&text.path)) == tidy(Path::new(path));
    let Some(own) = texts.all().iter().find(is_own) else { return };
    let mut alone = check(&own.text);
    if alone.has_includes {
        return;
    }
    offer_all(FileId(0), &own.text, &mut alone, wanted, check);
    for found in &mut checked.diagnostics {
        let Some(at) = found.location.filter(|location| location.file == own.file) else { continue };
        let is_same =
            |other: &&Diagnostic| other.code == found.code && other.location.is_some_and(|location| location.span == at.span);
        let Some(same) = alone.diagnostics.iter().find(is_same) else { continue };
        (found.fix, found.other_fixes) = (same.fix.clone(), same.other_fixes.clone());
        for edit in found.fix.iter_mut().chain(&mut found.other_fixes).flat_map(|fix| &mut fix.edits) {
            edit.location.file = own.file;
        }
    }
}

struct Before<'a> {
    text: &'a str,
    checked: &'a Checked,
}

impl Before<'_> {
    fn attempt(&self, found: &Diagnostic, fix: &Fix, check: &dyn Fn(&str) -> Checked) -> Result<State, Why> {
        attempt((self.text, self.checked), &[(found, fix)], check)
    }
}
