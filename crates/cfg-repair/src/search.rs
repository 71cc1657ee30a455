//! The search for the repairs that improve a text.

use std::collections::{BTreeMap, HashMap, HashSet};

use cfg_check::{Checked, apply};
use cfg_diag::{Applicability, Diagnostic, Does, Edit, FileId, Fix, Order, Severity};

use crate::{
    all::Step,
    consequences,
    follow::Behind,
    offer::lost_values,
    proposals::Proposals,
    trial::{Left, Name, State, Touching, Trials, Why, apart, attempt, is_refused_now, lead, name},
};

/// The largest number of combinations that are tried if no repair works alone.
const MAX_COMBINATIONS: usize = 32;

/// The largest number of repairs of a finding that are tried after that of another one.
const MAX_IN_TURN: usize = 2;

/// A wanted repair.
#[derive(Clone)]
pub(crate) struct Proposal<'a> {
    pub(crate) found: &'a Diagnostic,
    pub(crate) fix: Fix,
}

/// The repairs that lose nothing.
fn keeping<'a>(rank: &[Proposal<'a>]) -> Vec<Proposal<'a>> {
    let keeps = |proposal: &&Proposal<'_>| proposal.fix.lost.is_none() && proposal.fix.does != Does::Remove;
    rank.iter().filter(keeps).cloned().collect()
}

/// Where the findings begin whose repairs keep what is written, in the order of the text.
pub(crate) fn places_of_kept(wanted: &[Proposal<'_>]) -> Vec<u32> {
    let kept = wanted.iter().filter(|proposal| proposal.fix.does != Does::Remove);
    let mut places: Vec<u32> = kept.filter_map(|proposal| Some(proposal.found.location?.span.start)).collect();
    places.sort_unstable();
    places
}

/// Whether a repair removes what others keep, whose findings begin at these places.
pub(crate) fn takes_away(fix: &Fix, kept: &[u32]) -> bool {
    let has = |edit: &Edit| {
        let next = kept.partition_point(|place| *place < edit.location.span.start);
        kept.get(next).is_some_and(|place| *place < edit.location.span.end)
    };
    fix.does == Does::Remove && fix.edits.iter().any(has)
}

/// The key, from the root, under which the value of a refused one is to be written.
fn new_key(found: &Diagnostic) -> Option<String> {
    let (own, new) = (found.key.as_deref()?, found.choices.first()?);
    let owner = own.rsplit_once('.').map(|(owner, _)| owner).unwrap_or_default();
    // A name without a table is one of the same table.
    Some(if new.contains('.') || owner.is_empty() { new.clone() } else { format!("{owner}.{new}") })
}

/// A better text, and the repairs that made it so.
pub(crate) type Better = (State, Vec<Step>);

fn made(batch: &[&Proposal<'_>]) -> Vec<(Diagnostic, Fix)> {
    batch.iter().map(|proposal| (proposal.found.clone(), proposal.fix.clone())).collect()
}

/// Whether a repair is made together with those of what it brings to light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follows {
    Nothing,
    /// If each value is still written afterwards.
    Keeping,
    Everything,
}

/// The search for repairs that improve one text.
pub(crate) struct RepairSearch<'a> {
    pub(crate) file: FileId,
    pub(crate) allows: &'a dyn Fn(Severity, Applicability) -> bool,
    /// Whether what comes to light is repaired as well.
    pub(crate) follows: Follows,
    pub(crate) now: &'a State,
    /// Whether repairs may change values that they are not meant to change.
    pub(crate) may_change: bool,
    pub(crate) check: &'a dyn Fn(&str) -> Checked,
    pub(crate) trials: Trials,
    pub(crate) refused: HashMap<Name, Why>,
}

impl RepairSearch<'_> {
    /// The best text that some of the first repairs, `wanted`, or of the `others` lead to. Those that lose nothing come first; headers are added last.
    pub(crate) fn best(
        &mut self,
        wanted: &[Proposal<'_>],
        others: &[Vec<Proposal<'_>>],
        added: &[Proposal<'_>],
    ) -> Option<Better> {
        let kept: Vec<Vec<Proposal<'_>>> = others.iter().map(|rank| keeping(rank)).collect();
        let mut found = self.better_with_the_certain(wanted).or_else(|| kept.iter().find_map(|rank| self.better(rank)));
        for follows in [Follows::Keeping, Follows::Everything] {
            self.follows = follows;
            found = found.or_else(|| self.better(wanted)).or_else(|| kept.iter().find_map(|rank| self.better(rank)));
        }
        self.follows = Follows::Nothing;
        found.or_else(|| others.iter().find_map(|rank| self.better(rank))).or_else(|| self.better(added))
    }

    /// As [`Self::better`]: first without guesses that would take the place to which another key certainly belongs.
    fn better_with_the_certain(&mut self, wanted: &[Proposal<'_>]) -> Option<Better> {
        let is_certain = |proposal: &&Proposal<'_>| proposal.fix.applicability != Applicability::Unsafe;
        let taken: HashSet<String> = wanted.iter().filter(is_certain).filter_map(|proposal| new_key(proposal.found)).collect();
        let is_guess =
            |proposal: &Proposal<'_>| !is_certain(&proposal) && new_key(proposal.found).is_some_and(|key| taken.contains(&key));
        if wanted.iter().any(is_guess) {
            let others: Vec<Proposal<'_>> = wanted.iter().filter(|proposal| !is_guess(proposal)).cloned().collect();
            if let Some(better) = self.better(&others) {
                return Some(better);
            }
        }
        self.better(wanted)
    }

    /// The text with as many repairs as possible, and these; `None` if none improves it.
    fn better(&mut self, wanted: &[Proposal<'_>]) -> Option<Better> {
        let mut waiting: Vec<&Proposal<'_>> = wanted.iter().collect();
        waiting.order_by_key(|proposal| proposal.fix.edits[0].location.span);
        while !waiting.is_empty() {
            let (batch, rest) = apart(waiting, |proposal| &proposal.fix.edits, Touching::None);
            if let Some(better) = self.within(&batch) {
                return Some(better);
            }
            waiting = rest;
        }
        self.together(wanted)
    }

    /// The repairs of a batch that improve the text: all of them, or those of one half.
    fn within(&mut self, batch: &[&Proposal<'_>]) -> Option<Better> {
        match self.attempt(batch) {
            Ok(better) => return Some(better),
            Err(why) => {
                if let [one] = batch {
                    let first = self.refused.entry(name(one.found)).or_insert_with(|| why.clone());
                    if why.says_more_than(first) {
                        *first = why;
                    }
                }
            }
        }
        if batch.len() < 2 {
            return None;
        }
        let (first, second) = batch.split_at(batch.len() / 2);
        self.within(first).or_else(|| self.within(second))
    }

    /// Repairs that do not work alone: those of one table, then those of two findings.
    fn together(&mut self, wanted: &[Proposal<'_>]) -> Option<Better> {
        let mut by_table: BTreeMap<&str, Vec<&Proposal<'_>>> = BTreeMap::new();
        for proposal in wanted {
            let key = proposal.found.key.as_deref().unwrap_or_default();
            for (end, _) in key.match_indices('.') {
                by_table.entry(&key[..end]).or_default().push(proposal);
            }
        }
        let of_tables = by_table.into_values().filter(|group| group.len() > 1);
        let pairs = (1..wanted.len())
            .flat_map(|distance| (distance..wanted.len()).map(move |second| vec![&wanted[second - distance], &wanted[second]]));
        for mut group in of_tables.chain(pairs).take(MAX_COMBINATIONS) {
            group.order_by_key(|proposal| proposal.fix.edits[0].location.span);
            if self.trials.are_used_up() {
                return None;
            }
            let (batch, rest) = apart(group, |proposal| &proposal.fix.edits, Touching::None);
            let better = match (&*batch, &*rest) {
                (batch, []) => self.attempt(batch).ok(),
                ([one], [other]) => self.in_turn(one, other).or_else(|| self.in_turn(other, one)),
                _ => None,
            };
            if better.is_some() {
                return better;
            }
        }
        None
    }

    /// The repairs of two findings one after the other, whose edits can't be made at once: neither is accepted without the other.
    fn in_turn(&mut self, one: &Proposal<'_>, other: &Proposal<'_>) -> Option<Better> {
        let (first, second) = (&one.fix, name(other.found));
        let between = self.trials.take().then(|| apply(&self.now.text, &first.edits))??;
        let checked = (self.check)(&between);
        let found = checked.diagnostics.iter().find(|found| name(found) == second)?;
        for fix in Proposals::new(self.file, &between, &checked).of(found).into_iter().take(MAX_IN_TURN) {
            let Some(text) = apply(&between, &fix.edits).filter(|_| (self.allows)(found.severity, fix.applicability)) else {
                continue;
            };
            let Some(edits) = crate::difference(self.file, &self.now.text, &text).filter(|_| self.trials.take()) else {
                continue;
            };
            let (joined, nothing) = (Fix { edits, ..first.clone() }, Fix { edits: Vec::new(), ..fix.clone() });
            let both = [(one.found, &joined), (other.found, &nothing)];
            let Ok(after) = attempt(&self.now.text, &self.now.checked, &both, self.check) else { continue };
            let steps = vec![
                Step { before: self.now.text.clone(), made: vec![(one.found.clone(), first.clone())] },
                Step { before: between.clone(), made: vec![(found.clone(), fix)] },
            ];
            if let Ok(better) = self.settled(after, steps) {
                return Some(better);
            }
        }
        None
    }

    /// The text with these repairs, and with those of what they bring to light.
    fn attempt(&mut self, batch: &[&Proposal<'_>]) -> Result<Better, Why> {
        if !self.trials.take() {
            return Err(Why::Untried);
        }
        let fixes: Vec<(&Diagnostic, &Fix)> = batch.iter().map(|proposal| (proposal.found, &proposal.fix)).collect();
        let after = lead(&self.now.text, &self.now.checked, &fixes, self.check)?;
        self.settled(after, vec![Step { before: self.now.text.clone(), made: made(batch) }])
    }

    /// What these steps lead to, with the repairs of what they bring to light.
    fn settled(&mut self, after: State, mut steps: Vec<Step>) -> Result<Better, Why> {
        let revealed = after.revealed.first().and_then(|name| after.find(name));
        let (better, behind) = match revealed {
            None => (after, Vec::new()),
            Some((code, key)) if self.follows == Follows::Nothing => {
                return Err(after.objection().unwrap_or(Why::Reveals(code, key)));
            }
            Some((code, key)) => {
                let allows = |severity, fix: &Fix| (self.allows)(severity, fix.applicability);
                let behind = Behind { file: self.file, allows: &allows, check: self.check };
                let whole = behind.repair(&after, &mut self.trials);
                let keeps = |text: &str| self.follows == Follows::Everything || lost_values(&self.now.text, text) == 0;
                let is_better = |whole: &State| keeps(&whole.text) && !is_refused_now(&self.now.checked, &whole.checked);
                whole.filter(|(whole, _)| is_better(whole)).ok_or_else(|| after.objection().unwrap_or(Why::Reveals(code, key)))?
            }
        };
        if !self.may_change {
            let fixes: Vec<&Fix> = steps.iter().chain(&behind).flat_map(|step| &step.made).map(|(_, fix)| fix).collect();
            if let Some(key) = consequences::others(&fixes, &self.now.checked, &better.checked).first() {
                return Err(Why::Changes(key.clone()));
            }
        }
        steps.extend(behind);
        Ok((better, steps))
    }

    pub(crate) fn left(&self, proposal: &Proposal<'_>) -> Left {
        let Proposal { found, fix } = proposal;
        Left::new(found, fix, self.refused.get(&name(found)).cloned().unwrap_or(Why::Untried))
    }
}
