//! The repairs of single findings that pass their trial.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    path::Path,
};

use cfg_check::{COMMAND_LINE, Checked, Text, Texts, apply};
use cfg_diag::{Applicability, Diagnostic, Does, FileId, Fix, Order, Severity, Span, codes};
use cfg_syntax::{Dialect, Table, Value};
use cfg_system::tidy;

use crate::{
    consequences,
    follow::{Behind, joined},
    proposals::Proposals,
    trial::{Left, Remainder, State, Touching, Trials, Why, apart, attempt, is_refused_now, lead},
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
    findings: impl IntoIterator<Item = usize>,
    wanted: Wanted,
    check: &dyn Fn(&str) -> Checked,
) -> Vec<Offered> {
    let proposals = Proposals::new(file, text, checked);
    let mut findings = findings.into_iter().peekable();
    if findings.peek().is_none() || !proposals.are_there(wanted) {
        return Vec::new();
    }
    let before = Before { text, checked, check };
    let mut offered = Vec::new();
    let mut trials = Trials::of(text, checked);
    let found = findings.filter_map(|index| Some((index, checked.diagnostics.get(index)?)));
    let mut proposed: Vec<Proposed<'_>> = found
        .map(|(index, found)| {
            let certain = if wanted == Wanted::First { proposals.certain(found) } else { None };
            let is_begun = certain.is_some();
            let mut fixes = certain.map_or_else(|| proposals.of(found), |certain| vec![certain]);
            if wanted == Wanted::All {
                fixes.extend(proposals.stated_target(found));
            }
            Proposed { index, found, fixes, is_begun, is_tried: false }
        })
        .collect();
    before.try_many(&mut proposed, &mut trials);
    for Proposed { index, found, fixes: proposed, is_begun, is_tried } in proposed {
        let mut refused = None;
        // Each with what it leaves to be corrected.
        let mut passed: Vec<(Remainder, Fix)> = Vec::new();
        // Those that bring something to light, with their places among these.
        let mut leading: Vec<(usize, Fix, State)> = Vec::new();
        let is_enough = |passed: &[(Remainder, Fix)]| {
            wanted == Wanted::First && passed.iter().any(|(remainder, _)| *remainder == Remainder::Nothing)
        };
        let others = || if is_begun { proposals.of(found) } else { Vec::new() };
        let others = std::iter::once_with(others).flat_map(|others| others.into_iter().skip(1));
        let mut proposed = proposed.into_iter().chain(others).enumerate();
        while !is_enough(&passed)
            && let Some((at, fix)) = proposed.next()
        {
            // What only removes leaves nothing, but loses what another proposal keeps.
            if wanted == Wanted::First && !passed.is_empty() && only_removes(&fix) {
                continue;
            }
            if is_tried && at == 0 {
                passed.push((Remainder::Nothing, fix));
                continue;
            }
            let outcome = if trials.take() { before.lead(&[(found, &fix)]) } else { Err(Why::Untried) };
            match outcome {
                Ok(after) if let Some(why) = after.objection() => {
                    // It is an improvement only with what follows.
                    match before.with_what_follows(file, &fix, &after, &mut trials) {
                        Some(whole) => passed.push(whole),
                        None => refused = refused.or_else(|| Some(Left::new(found, &fix, why))),
                    }
                }
                Ok(after) => {
                    let mut said = fix.clone();
                    consequences::say(&mut said, checked, &after.checked);
                    consequences::say_revealed(&mut said, &after);
                    passed.push((after.remainder(), said));
                    if !after.revealed.is_empty() {
                        leading.push((passed.len() - 1, fix, after));
                    }
                }
                Err(why) => {
                    if refused.as_ref().is_none_or(|left: &Left| why.says_more_than(&left.why)) {
                        refused = Some(Left::new(found, &fix, why));
                    }
                }
            }
        }
        // What has to be corrected after it is repaired with it, unless another proposal leaves nothing.
        if !is_enough(&passed) && !passed.iter().any(|(remainder, fix)| *remainder == Remainder::Nothing && fix.lost.is_none()) {
            for (at, fix, after) in leading {
                if let Some(whole) = before.with_what_follows(file, &fix, &after, &mut trials) {
                    passed[at] = whole;
                }
            }
        }
        // One that leaves less to be corrected comes before one that leaves more, and then one that keeps more of what is written.
        if passed.len() > 1 {
            let costs: Vec<(Remainder, usize)> =
                passed.iter().map(|(remainder, fix)| (*remainder, losses(text, fix, *remainder))).collect();
            let keeping = (0..passed.len()).filter(|at| !only_removes(&passed[*at].1));
            if let Some(at) = keeping.min_by_key(|at| costs[*at]).filter(|at| costs[*at] < costs[0]) {
                passed[..=at].rotate_right(1);
            }
        }
        if wanted == Wanted::First {
            passed.truncate(1);
        }
        let mut fixes: Vec<Fix> = passed.into_iter().map(|(_, fix)| fix).collect();
        fixes.order_by_key(|fix| fix.applicability == Applicability::Unsafe);
        let left = refused.filter(|_| fixes.is_empty());
        if !fixes.is_empty() || left.is_some() {
            offered.push(Offered { index, fixes, left });
        }
    }
    offered
}

/// Replaces the proposed repairs of each finding from a severity on by those that improve the text; returns the others. Findings below it, which nobody
/// sees, have none: each trial checks the text again.
pub fn offer_all(
    file: FileId,
    text: &str,
    checked: &mut Checked,
    wanted: Wanted,
    shown: Severity,
    check: &dyn Fn(&str) -> Checked,
) -> Vec<Left> {
    let seen: Vec<usize> = (0..checked.diagnostics.len()).filter(|index| checked.diagnostics[*index].severity >= shown).collect();
    let offered = offer(file, text, checked, seen, wanted, check);
    checked.diagnostics.iter_mut().for_each(|found| found.fix = None);
    let mut all_left = Vec::new();
    for Offered { index, fixes, left } in offered {
        let found = &mut checked.diagnostics[index];
        let mut fixes = fixes.into_iter();
        found.fix = fixes.next();
        found.other_fixes = fixes.collect();
        agree(found);
        agree_with_proposal(found);
        if let Some(left) = &left {
            say_obstacle(found, left);
        }
        all_left.extend(left);
    }
    all_left
}

/// Makes the advice about a removed key agree with its fix: what is removed with this value needs nothing instead.
fn agree(found: &mut Diagnostic) {
    let removes = found.fix.as_ref().filter(|fix| found.code == &codes::REMOVED_KEY && fix.does == Does::Remove);
    let (Some(fix), Some(help)) = (removes, &found.help) else { return };
    let Some((other, rest)) = help.strip_prefix("write `").and_then(|help| help.split_once("` instead")) else { return };
    let closest = if fix.applicability == Applicability::Safe { String::new() } else { format!("; the closest is `{other}`") };
    found.help = Some(format!("remove it{closest}{rest}"));
}

/// Completes advice that was tried and does not work: what stands in its way.
fn say_obstacle(found: &mut Diagnostic, left: &Left) {
    // That another target would fit says nothing against the advice.
    let is_of_target = matches!(&left.why, Why::Brings(code, _) | Why::Reveals(code, _) if *code == &codes::OTHER_TARGET_FITS);
    let Some(help) = found.help.as_mut().filter(|_| left.why.names_obstacle() && !is_of_target) else { return };
    let joint = if help.ends_with('?') { " As" } else { ", but as" };
    let _ = write!(help, "{joint} the config is now, {}", left.why.in_words());
}

/// Makes the help name what the fix does, if the fix is not the first of the proposals.
fn agree_with_proposal(found: &mut Diagnostic) {
    let Some(fix) = &found.fix else { return };
    let made = found.proposals.iter().find(|proposal| fix.title.starts_with(&*proposal.title));
    if let Some(help) = made.and_then(|proposal| proposal.help.clone()) {
        found.help = Some(help);
    }
}

/// Keeps, in a config of several files, only the repairs in the file at `path` that improve it by themselves according to `check`, of findings from a
/// severity on. The author must decide which of several files should change.
pub fn offer_in(
    path: &str,
    texts: &Texts,
    checked: &mut Checked,
    wanted: Wanted,
    shown: Severity,
    check: &dyn Fn(&str) -> Checked,
) {
    let is_any = checked.diagnostics.iter().any(|found| found.fix.is_some() && found.severity >= shown);
    for found in &mut checked.diagnostics {
        found.fix = None;
        found.other_fixes.clear();
    }
    if !is_any {
        return;
    }
    // A command line is not a config.
    let is_own = |text: &&Text| path != COMMAND_LINE && tidy(Path::new(&text.path)) == tidy(Path::new(path));
    let Some(own) = texts.all().iter().find(is_own) else { return };
    let mut alone = check(&own.text);
    if alone.has_includes {
        return;
    }
    offer_all(FileId(0), &own.text, &mut alone, wanted, shown, check);
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

/// The largest number of groups of findings whose fixes touch those of another group.
const MAX_GROUPS: usize = 3;

/// How many values of a text are no longer written after a fix. Only asked where something is left to be corrected: what is complete has
/// been judged by what it means.
fn losses(text: &str, fix: &Fix, remainder: Remainder) -> usize {
    if remainder == Remainder::Nothing {
        return 0;
    }
    apply(text, &fix.edits).map_or(0, |after| lost_values(text, &after))
}

/// How many values of a text another one does not have.
pub(crate) fn lost_values(text: &str, after: &str) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    let written = cfg_syntax::parse(FileId(0), after, Dialect::Toml11).0;
    each_value(&written.root, &mut |span| *left.entry(plain(after, span)).or_default() += 1);
    let mut lost = 0;
    each_value(&cfg_syntax::parse(FileId(0), text, Dialect::Toml11).0.root, &mut |span| match left
        .get_mut(plain(text, span))
        .filter(|left| **left > 0)
    {
        Some(left) => *left -= 1,
        None => lost += 1,
    });
    lost
}

/// A value as it is written, without quotes: a number in quotes may become that number.
fn plain(text: &str, span: Span) -> &str {
    text.get(span.range()).unwrap_or_default().trim_matches(['"', '\''])
}

/// Calls `found` for each value below a table that contains no others.
fn each_value(table: &Table, found: &mut dyn FnMut(Span)) {
    fn within(value: &Value, found: &mut dyn FnMut(Span)) {
        match (value.as_table(), value.items()) {
            (Some(table), _) => each_value(table, found),
            (None, []) => found(value.span),
            (None, items) => items.iter().for_each(|item| within(item, found)),
        }
    }
    table.entries.iter().for_each(|entry| within(&entry.value, found));
}

/// Whether a fix writes nothing.
fn only_removes(fix: &Fix) -> bool {
    fix.edits.iter().all(|edit| edit.new_text.trim().is_empty())
}

/// Up to this many findings of a text are tried one by one if their first proposals don't pass together.
const MAX_SINGLE_FINDINGS: usize = 16;

/// A finding with its proposals.
struct Proposed<'a> {
    index: usize,
    found: &'a Diagnostic,
    fixes: Vec<Fix>,
    /// Whether only the first of them was worked out: the others are needed if it fails.
    is_begun: bool,
    /// Whether the first of them has passed a trial, and changes nothing else.
    is_tried: bool,
}

/// The text as it is, and the check of another one.
struct Before<'a> {
    text: &'a str,
    checked: &'a Checked,
    check: &'a dyn Fn(&str) -> Checked,
}

impl Before<'_> {
    fn attempt(&self, fixes: &[(&Diagnostic, &Fix)]) -> Result<State, Why> {
        attempt(self.text, self.checked, fixes, self.check)
    }

    fn lead(&self, fixes: &[(&Diagnostic, &Fix)]) -> Result<State, Why> {
        lead(self.text, self.checked, fixes, self.check)
    }

    /// A repair that passed, with the repairs of what it brings to light; `None` if a part of that can't be repaired.
    fn with_what_follows(&self, file: FileId, fix: &Fix, after: &State, trials: &mut Trials) -> Option<(Remainder, Fix)> {
        let behind = Behind { file, allows: &|_, _| true, check: self.check };
        let (whole, steps) = behind.repair(after, trials).filter(|(whole, _)| !is_refused_now(self.checked, &whole.checked))?;
        let mut joined = joined(file, fix, &steps, self.text, &whole.text)?;
        // What loses something is compared with other proposals.
        let loses = joined.lost.is_some() || lost_values(self.text, &whole.text) > 0;
        let remainder = if loses { Remainder::Fault } else { Remainder::Nothing };
        consequences::say(&mut joined, self.checked, &whole.checked);
        consequences::say_revealed(&mut joined, &whole);
        Some((remainder, joined))
    }

    /// Tries the first proposals of many findings together, and those of each half if that fails. Those that do not pass in company are left to be tried
    /// alone.
    fn try_many(&self, proposed: &mut [Proposed<'_>], trials: &mut Trials) {
        let mut order: Vec<usize> =
            (0..proposed.len()).filter(|at| proposed[*at].fixes.first().is_some_and(|fix| !fix.edits.is_empty())).collect();
        order.order_by_key(|at| proposed[*at].fixes[0].edits[0].location.span);
        // Those of lines that follow each other are in two groups.
        let mut groups: Vec<(bool, Vec<usize>)> = Vec::new();
        while !order.is_empty() && groups.len() < MAX_GROUPS {
            let (group, touching) = apart(order, |at| &proposed[*at].fixes[0].edits, Touching::Removals);
            groups.push((group.len() > MAX_SINGLE_FINDINGS, group));
            order = touching;
        }
        groups.reverse();
        while let Some((may_be_halved, group)) = groups.pop() {
            if group.len() < 2 || !trials.take() {
                continue;
            }
            let fixes: Vec<(&Diagnostic, &Fix)> = group.iter().map(|at| (proposed[*at].found, &proposed[*at].fixes[0])).collect();
            let all: Vec<&Fix> = fixes.iter().map(|(_, fix)| *fix).collect();
            let passes = self.attempt(&fixes).is_ok_and(|after| {
                after.revealed.is_empty()
                    && after.lighter.is_empty()
                    && consequences::others(&all, self.checked, &after.checked).is_empty()
            });
            if passes {
                let keys: BTreeSet<&str> = group.iter().filter_map(|at| proposed[*at].found.key.as_deref()).collect();
                // Alone, the fix of a table leaves what is to be repaired within it.
                let is_around = |key: &str| {
                    ['.', '['].into_iter().any(|mark| {
                        let start = format!("{key}{mark}");
                        keys.range(&*start..).next().is_some_and(|other| other.starts_with(&start))
                    })
                };
                let alone: Vec<usize> =
                    group.iter().copied().filter(|at| !proposed[*at].found.key.as_deref().is_some_and(is_around)).collect();
                alone.iter().for_each(|at| proposed[*at].is_tried = true);
            } else if may_be_halved {
                let (first, second) = group.split_at(group.len() / 2);
                groups.extend([second, first].map(|half| (true, half.to_vec())));
            }
        }
    }
}
