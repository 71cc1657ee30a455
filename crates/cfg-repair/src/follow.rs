//! What a repair brings to light is repaired with it: a table that moves has keys that prime-rl had not read at its old place.

use cfg_check::Checked;
use cfg_diag::{Applicability, Diagnostic, FileId, Fix, Lost, Order, Severity};

use crate::{
    all::Step,
    proposals::Proposals,
    trial::{Name, State, Touching, Trials, apart, attempt, name},
};

/// How often something else may come to light behind one repair.
const MAX_LAYERS: usize = 4;

/// The largest number of repairs of one finding that are tried.
const MAX_FIXES: usize = 3;

/// The largest number of findings behind one repair that are tried.
const MAX_FINDINGS: usize = 16;

/// How the repairs behind another one are chosen and tried.
pub(crate) struct Behind<'a> {
    pub(crate) file: FileId,
    /// Whether a repair of a finding of this severity is wanted.
    pub(crate) allows: &'a dyn Fn(Severity, &Fix) -> bool,
    pub(crate) check: &'a dyn Fn(&str) -> Checked,
}

impl Behind<'_> {
    /// Repairs everything that the last repair of `first` has brought to light; `None` if a part of it would be left.
    pub(crate) fn repair(&self, first: &State, trials: &mut Trials) -> Option<(State, Vec<Step>)> {
        let mut open = first.revealed.clone();
        let mut steps = Vec::new();
        let mut later: Option<State> = None;
        for _ in 0..MAX_LAYERS {
            let now = later.as_ref().unwrap_or(first);
            let found = now.checked.diagnostics.iter().filter(|found| open.contains(&name(found)));
            let found: Vec<&Diagnostic> = found.take(MAX_FINDINGS + 1).collect();
            if found.is_empty() || found.len() > MAX_FINDINGS {
                return None;
            }
            let (mut better, made) = self.better(now, &found, trials)?;
            open.retain(|name: &Name| better.find(name).is_some());
            open.append(&mut better.revealed);
            better.lighter.extend(now.lighter.iter().cloned());
            steps.push(Step { before: now.text.clone(), made });
            if open.is_empty() {
                return Some((better, steps));
            }
            later = Some(better);
        }
        None
    }

    /// The text with the first repairs of as many of these findings as pass together, or with one of one finding.
    fn better(&self, now: &State, found: &[&Diagnostic], trials: &mut Trials) -> Option<(State, Vec<(Diagnostic, Fix)>)> {
        let proposals = Proposals::new(self.file, &now.text, &now.checked);
        let wanted = |found: &Diagnostic| {
            let fixes =
                proposals.of(found).into_iter().filter(|fix| (self.allows)(found.severity, fix) && is_complete(fix, &now.text));
            fixes.take(MAX_FIXES).collect::<Vec<Fix>>()
        };
        // What has no repair of its own may go with another one.
        let mut all: Vec<(&Diagnostic, Vec<Fix>)> = found.iter().map(|found| (*found, wanted(found))).collect();
        all.retain(|(_, fixes)| !fixes.is_empty());
        if all.is_empty() {
            return None;
        }
        let mut tried = |batch: &[(&Diagnostic, &Fix)]| {
            let after = trials.take().then(|| attempt(&now.text, &now.checked, batch, self.check))?.ok()?;
            Some((after, batch.iter().map(|(found, fix)| ((*found).clone(), (*fix).clone())).collect()))
        };
        let mut firsts: Vec<(&Diagnostic, &Fix)> = all.iter().map(|(found, fixes)| (*found, &fixes[0])).collect();
        firsts.order_by_key(|(_, fix)| fix.edits[0].location.span);
        let (together, rest) = apart(firsts, |(_, fix)| &fix.edits, Touching::None);
        let is_batch = together.len() > 1 || rest.is_empty();
        is_batch.then(|| tried(&together)).flatten().or_else(|| {
            let mut single = all.iter().flat_map(|(found, fixes)| fixes.iter().map(|fix| (*found, fix)));
            single.find_map(|one| tried(&[one]))
        })
    }
}

/// Whether a repair leaves nothing for the author to fill in.
/// `text` is what its edits change: what the author has written there is no gap.
pub(crate) fn is_complete(fix: &Fix, text: &str) -> bool {
    let gaps = |text: &str| text.matches("\"...\"").count();
    let old = |edit: &cfg_diag::Edit| text.get(edit.location.span.range()).map_or(0, gaps);
    fix.edits.iter().map(|edit| gaps(&edit.new_text)).sum::<usize>() <= fix.edits.iter().map(old).sum()
}

/// Makes of a repair and those behind it one, whose edits lead from `before` to `after`.
pub(crate) fn joined(file: FileId, fix: &Fix, behind: &[Step], before: &str, after: &str) -> Option<Fix> {
    const MAX_NAMED: usize = 2;
    let edits = crate::difference(file, before, after)?;
    let made = || behind.iter().flat_map(|step| &step.made).map(|(_, fix)| fix);
    let mut named: Vec<&str> = made().map(|fix| &*fix.title).collect();
    let more = named.len().saturating_sub(MAX_NAMED);
    named.truncate(MAX_NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let title = format!("{}; then {}{more}", fix.title, named.join("; "));
    let lost = made().fold(fix.lost.clone(), |lost, fix| and_lost(lost, fix.lost.as_ref()));
    let is_unsafe = std::iter::once(fix).chain(made()).any(|fix| fix.applicability == Applicability::Unsafe);
    let applicability = if is_unsafe { Applicability::Unsafe } else { fix.applicability };
    Some(Fix { title, applicability, edits, does: fix.does, lost })
}

/// What two repairs drop.
fn and_lost(one: Option<Lost>, other: Option<&Lost>) -> Option<Lost> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let keys = one.keys.iter().chain(&other.keys).cloned().collect();
            Some(Lost { keys, why: if one.why.is_empty() { other.why.clone() } else { one.why } })
        }
        (one, other) => one.or_else(|| other.cloned()),
    }
}
