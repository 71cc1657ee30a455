//! Whether a repair makes a text better.

use std::collections::BTreeMap;

use cfg_check::{Checked, apply};
use cfg_diag::{Code, Diagnostic, Fix, Location, Severity};

/// A text with what is found in it.
pub(crate) struct State {
    pub(crate) text: String,
    pub(crate) checked: Checked,
}

/// A repair that was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The finding that it is for.
    pub code: Code,
    /// The key of the finding.
    pub key: Option<String>,
    /// The place of the finding in the text as it is now.
    pub location: Option<Location>,
    /// What it would do.
    pub title: String,
    /// Why it was not made.
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
    /// This would be found then, at this key.
    Brings(Code, Option<String>),
    /// The edits don't fit the text, or leave no config of the same kind.
    Unfit,
    /// Also the value of this key would be another.
    Changes(String),
    /// So much is to be done that it was not looked at.
    Untried,
}

impl Why {
    /// In words, behind "because".
    pub fn in_words(&self) -> String {
        match self {
            Self::Stays => "the finding would remain".to_owned(),
            Self::Brings(code, Some(key)) => format!("it would cause {} ({}) at `{key}`", code.code, code.name),
            Self::Brings(code, None) => format!("it would cause {} ({})", code.code, code.name),
            Self::Unfit => "the file would no longer be a config of this kind".to_owned(),
            Self::Changes(key) => format!("it would also change `{key}`"),
            Self::Untried => "too many fixes at once".to_owned(),
        }
    }
}

/// How a finding is recognised in the text before and after: its place changes, and its words may.
pub(crate) type Name = (&'static str, Option<String>);

pub(crate) fn name(diagnostic: &Diagnostic) -> Name {
    (diagnostic.code.code, diagnostic.key.clone())
}

/// How often each finding occurs, those that others explain included.
fn counts(diagnostics: &[Diagnostic]) -> BTreeMap<Name, (usize, &Diagnostic)> {
    fn count<'d>(found: &'d Diagnostic, counts: &mut BTreeMap<Name, (usize, &'d Diagnostic)>) {
        counts.entry(name(found)).or_insert((0, found)).0 += 1;
        found.folded.iter().for_each(|folded| count(folded, counts));
    }
    let mut counts = BTreeMap::new();
    diagnostics.iter().for_each(|found| count(found, &mut counts));
    counts
}

/// So many bytes are checked while repairs of one text are tried.
const MOST_BYTES: usize = 16 << 20;

/// So many trials there are of any text.
const FEWEST_TRIALS: usize = 4;

/// So many there are at most.
const MOST_TRIALS: usize = 512;

/// How many trials are left: of a large text there are few, as each looks at the whole of it.
pub(crate) struct Trials(usize);

impl Trials {
    pub(crate) fn of(text: &str) -> Self {
        Self((MOST_BYTES / text.len().max(1)).clamp(FEWEST_TRIALS, MOST_TRIALS))
    }

    /// Takes one, if there is one.
    pub(crate) fn take(&mut self) -> bool {
        let is_left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        is_left
    }

    pub(crate) const fn are_used_up(&self) -> bool {
        self.0 == 0
    }
}

/// Makes fixes of findings, and says what is found then; or why they don't make the text better.
///
/// Each finding must occur less often. What comes may only be of less weight than all that goes: behind a key that prime-rl refuses,
/// nothing was looked at before.
pub(crate) fn attempt(
    (before, checked_before): (&str, &Checked),
    fixes: &[(&Diagnostic, &Fix)],
    check: &dyn Fn(&str) -> Checked,
) -> Result<State, Why> {
    let text = apply(before, fixes.iter().flat_map(|(_, fix)| &fix.edits)).ok_or(Why::Unfit)?;
    if text == before {
        return Err(Why::Stays);
    }
    let checked = check(&text);
    if !checked.is_config || checked_before.kind.is_some() && checked.kind != checked_before.kind {
        return Err(Why::Unfit);
    }
    let (old, new) = (counts(&checked_before.diagnostics), counts(&checked.diagnostics));
    let mut gone: BTreeMap<Name, usize> = BTreeMap::new();
    for (found, _) in fixes {
        *gone.entry(name(found)).or_default() += 1;
    }
    for (name, count) in &gone {
        let (was, is) = (old.get(name).map_or(0, |old| old.0), new.get(name).map_or(0, |new| new.0));
        if is + count > was {
            return Err(Why::Stays);
        }
    }
    let weight = fixes.iter().map(|(found, _)| found.severity).min().unwrap_or(Severity::Info);
    for (name, (count, found)) in &new {
        let is_known = old.get(name).is_some_and(|(was, _)| count <= was);
        if !is_known && found.severity >= weight {
            return Err(Why::Brings(found.code, found.key.clone()));
        }
    }
    Ok(State { text, checked })
}
