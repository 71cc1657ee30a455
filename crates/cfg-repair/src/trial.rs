//! Decides whether a repair improves a text.

use std::collections::BTreeMap;

use cfg_check::{Checked, Verdict, apply};
use cfg_diag::{Code, Diagnostic, Edit, Fix, Location, Severity, codes};

use crate::older::Attempt;

/// A text with its check results.
pub(crate) struct State {
    pub(crate) text: String,
    pub(crate) checked: Checked,
    /// Faults that the text had before its last repair, and that only show now.
    pub(crate) revealed: Vec<Name>,
    /// Warnings that its last repair leaves, which the text did not have before: lighter than what was repaired, but a person has to know of them.
    pub(crate) lighter: Vec<Name>,
    /// Whether these faults are worse than what was repaired: prime-rl accepted the text, or the finding was lighter. Then they have to be repaired with it.
    pub(crate) worsens: bool,
}

/// What a repair leaves to be corrected, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Remainder {
    Nothing,
    /// A fault with which prime-rl starts.
    Fault,
    /// Something that prime-rl refuses.
    Refusal,
}

/// Whether a code is that of a rule, which is about a config that prime-rl can read.
pub(crate) fn is_of_rule(code: &str) -> bool {
    code >= "PRL3"
}

impl State {
    /// A text as it is.
    pub(crate) const fn new(text: String, checked: Checked) -> Self {
        Self { text, checked, revealed: Vec::new(), lighter: Vec::new(), worsens: false }
    }

    /// Why a text is no improvement if what its last repair has brought to light stays; `None` if that is no worse than what was repaired.
    pub(crate) fn objection(&self) -> Option<Why> {
        let (code, key) = self.revealed.iter().filter(|_| self.worsens).find_map(|name| self.find(name))?;
        Some(Why::Brings(code, key))
    }

    /// The worst of what shows now.
    pub(crate) fn remainder(&self) -> Remainder {
        let of = |(code, _): &Name| if is_of_rule(code) { Remainder::Fault } else { Remainder::Refusal };
        self.revealed.iter().map(of).max().unwrap_or(Remainder::Nothing)
    }

    /// The code and the key of a finding.
    pub(crate) fn find(&self, wanted: &Name) -> Option<(Code, Option<String>)> {
        let found = self.checked.diagnostics.iter().find(|found| name(found) == *wanted)?;
        Some((found.code, found.key.clone()))
    }
}

/// A repair that was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The code of its finding.
    pub code: Code,
    /// The key of the finding.
    pub key: Option<String>,
    /// The place of the finding in the current text.
    pub location: Option<Location>,
    /// The title of the repair.
    pub title: String,
    /// The reason why it was not made.
    pub why: Why,
}

impl Left {
    pub(crate) fn new(found: &Diagnostic, fix: &Fix, why: Why) -> Self {
        Self { code: found.code, key: found.key.clone(), location: found.location, title: fix.title.clone(), why }
    }
}

/// Why a repair is not offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its finding would stay.
    Stays,
    /// It would cause this finding, at this key.
    Brings(Code, Option<String>),
    /// It would show this finding, at this key: a fault that the file has already. A person has to correct it.
    Reveals(Code, Option<String>),
    /// The edits don't fit the text, or the result is not a config of the same kind.
    Unfit,
    /// The value of this key would change too.
    Changes(String),
    /// There are too many repairs, so it was not tried.
    Untried,
}

impl Why {
    /// Whether it names what has to be corrected first.
    pub(crate) const fn names_obstacle(&self) -> bool {
        matches!(self, Self::Brings(..) | Self::Reveals(..))
    }

    /// Whether it is said instead of the reason for an earlier proposal of the same finding, because that names no obstacle.
    pub(crate) const fn says_more_than(&self, earlier: &Self) -> bool {
        self.names_obstacle() && !earlier.names_obstacle()
    }

    /// The reason in words, for use after "because".
    pub fn in_words(&self) -> String {
        match self {
            Self::Stays => "the finding would remain".to_owned(),
            Self::Brings(code, Some(key)) => format!("it would cause {} ({}) at `{key}`", code.code, code.name),
            Self::Brings(code, None) => format!("it would cause {} ({})", code.code, code.name),
            Self::Reveals(code, key) => {
                let place = key.as_ref().map(|key| format!(" at `{key}`")).unwrap_or_default();
                format!("{} ({}){place} has to be corrected too", code.code, code.name)
            }
            Self::Unfit => "the file would no longer be a config of this kind".to_owned(),
            Self::Changes(key) => format!("it would also change `{key}`"),
            Self::Untried => "too many fixes at once".to_owned(),
        }
    }
}

/// Identifies a finding before and after a repair: its place changes, and its text may change.
pub(crate) type Name = (&'static str, Option<String>);

pub(crate) fn name(diagnostic: &Diagnostic) -> Name {
    (diagnostic.code.code, diagnostic.key.clone())
}

/// How often each finding occurs, including findings that others explain.
fn counts(diagnostics: &[Diagnostic]) -> BTreeMap<Name, (usize, &Diagnostic)> {
    fn count<'d>(found: &'d Diagnostic, counts: &mut BTreeMap<Name, (usize, &'d Diagnostic)>) {
        counts.entry(name(found)).or_insert((0, found)).0 += 1;
        found.folded.iter().for_each(|folded| count(folded, counts));
    }
    let mut counts = BTreeMap::new();
    diagnostics.iter().for_each(|found| count(found, &mut counts));
    counts
}

/// The number of bytes that may be checked while repairs of one text are tried.
const MAX_BYTES: usize = 16 << 20;

/// The smallest number of trials for any text.
const FEWEST_TRIALS: usize = 4;

/// The largest number of trials.
const MAX_TRIALS: usize = 512;

/// The bytes for a finding: explaining it takes longer than reading it.
const OF_A_FINDING: usize = 512;

/// The number of trials left: few for a text that is large or has many findings, because each trial checks the whole text.
pub(crate) struct Trials(usize);

impl Trials {
    pub(crate) fn of(text: &str, checked: &Checked) -> Self {
        let size = text.len().saturating_add(checked.diagnostics.len().saturating_mul(OF_A_FINDING));
        Self((MAX_BYTES / size.max(1)).clamp(FEWEST_TRIALS, MAX_TRIALS))
    }

    /// Uses up one trial, if any is left.
    pub(crate) fn take(&mut self) -> bool {
        let is_left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        is_left
    }

    pub(crate) const fn are_used_up(&self) -> bool {
        self.0 == 0
    }
}

/// Which edits that touch are made at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touching {
    /// None: what is written depends on the order of two insertions at one place, and on the text that others leave.
    None,
    /// Removals, whose order does not matter: it is only tried whether they pass together.
    Removals,
}

/// Repairs in the order of the text that can be made at once, and the rest.
pub(crate) fn apart<'e, T>(sorted: Vec<T>, edits: impl Fn(&T) -> &'e [Edit], touching: Touching) -> (Vec<T>, Vec<T>) {
    // Where the last of them ends, and whether it only removes.
    let mut last: Option<(u32, bool)> = None;
    sorted.into_iter().partition(|repair| {
        let edits = edits(repair);
        let removes = touching == Touching::Removals && edits.iter().all(|edit| edit.new_text.is_empty());
        let starts_behind = edits.iter().all(|edit| {
            let start = edit.location.span.start;
            last.is_none_or(|(end, is_removed)| start > end || start == end && removes && is_removed)
        });
        let end = edits.iter().map(|edit| edit.location.span.end).max();
        if let Some(end) = end.filter(|_| starts_behind) {
            last = Some((end.max(last.map_or(0, |(last, _)| last)), removes));
        }
        starts_behind
    })
}

/// Whether prime-rl refuses a text that it accepted before.
pub(crate) fn is_refused_now(before: &Checked, after: &Checked) -> bool {
    after.verdict == Verdict::Rejected && before.verdict != Verdict::Rejected
}

/// As [`lead`], if what comes to light is no worse than what was repaired.
pub(crate) fn attempt(
    before: &str,
    checked_before: &Checked,
    fixes: &[(&Diagnostic, &Fix)],
    check: &dyn Fn(&str) -> Checked,
) -> Result<State, Why> {
    let after = lead(before, checked_before, fixes, check)?;
    after.objection().map_or(Ok(after), Err)
}

/// Makes the fixes of some findings and returns the new results, or the reason why they do not improve the text.
///
/// Each finding must occur less often. New findings must have a lower severity than all removed ones. Others are allowed if they are about faults that
/// the text has already: text below a refused key was not checked before.
pub(crate) fn lead(
    before: &str,
    checked_before: &Checked,
    fixes: &[(&Diagnostic, &Fix)],
    check: &dyn Fn(&str) -> Checked,
) -> Result<State, Why> {
    let text = apply(before, fixes.iter().flat_map(|(_, fix)| &fix.edits)).ok_or(Why::Unfit)?;
    if text == before {
        return Err(Why::Stays);
    }
    let checked = check(&text);
    // The former format of hosted training becomes a config of prime-rl.
    let may_change_kind = fixes.iter().any(|(found, _)| found.code == &codes::RETIRED_HOSTED_FORM);
    if !checked.is_config || checked_before.kind.is_some() && checked.kind != checked_before.kind && !may_change_kind {
        return Err(Why::Unfit);
    }
    let (old, new) = (counts(&checked_before.diagnostics), counts(&checked.diagnostics));
    let mut gone: BTreeMap<Name, usize> = BTreeMap::new();
    for (found, _) in fixes {
        *gone.entry(name(found)).or_default() += 1;
    }
    let attempt = Attempt::new(before, &text, fixes, &checked_before.diagnostics);
    let (mut revealed, mut lighter, mut worsens) = (Vec::new(), Vec::new(), false);
    for (name, count) in &gone {
        let (was, is) = (old.get(name).map_or(0, |old| old.0), new.get(name).map_or(0, |new| new.0));
        if is + count > was {
            // Another fault of the same kind may be behind it, on a line that was not read to its end.
            let behind = checked.diagnostics.iter().filter(|found| attempt.is_rest_of_line(found)).count();
            if is + count > was + behind {
                return Err(Why::Stays);
            }
            revealed.push(name.clone());
        }
    }
    let is_worse = is_refused_now(checked_before, &checked);
    let weight = fixes.iter().map(|(found, _)| found.severity).min().unwrap_or(Severity::Info);
    for (name, (count, found)) in &new {
        let is_known = old.get(name).is_some_and(|(was, _)| count <= was);
        // A key that gets to a place where prime-rl ignores it is lost.
        if !is_known && found.code == &codes::IGNORED_KEY && !attempt.is_older(found) {
            return Err(Why::Brings(found.code, found.key.clone()));
        }
        // Every edit of a registered text is a change of it.
        if is_known || found.code == &codes::UNBUMPED_CHANGE || revealed.contains(name) {
            continue;
        }
        if found.severity < weight {
            let is_shown =
                found.severity >= Severity::Warning && checked.diagnostics.iter().any(|shown| std::ptr::eq(shown, *found));
            if is_shown && !found.is_echo {
                lighter.push(name.clone());
            }
            continue;
        }
        if !attempt.is_older(found) {
            return Err(Why::Brings(found.code, found.key.clone()));
        }
        worsens |= is_worse || found.severity > weight;
        revealed.push(name.clone());
    }
    Ok(State { text, checked, revealed, lighter, worsens })
}
