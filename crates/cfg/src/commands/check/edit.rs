//! `cfg check --fix`, `--diff` and `--add-ignore`: edits of a file.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use cfg_check::Checked;
use cfg_diag::{Applicability, Diagnostic, FileId, Fix, LineIndex, Lost, PositionEncoding};
use cfg_project::BaselineTexts;
use cfg_repair::{Left, Step, Why, repair_all};
use cfg_report::json::{Fixed, FixesMade};
use cfg_syntax::Dialect;

use super::{Job, worse};
use crate::{Outcome, context::Context, control::Control, lines::unified};

/// The result of editing a file.
pub(super) enum Edited {
    /// Not changed. Contains what was not fixed.
    Unchanged(Vec<String>),
    /// Written. Contains the new text, the number of findings that were handled, what was not fixed, and what was.
    Written(String, usize, Vec<String>, Option<FixesMade>),
    /// Written to standard output instead of the file. Contains the same as `Written`.
    Shown(String, usize, Vec<String>, Option<FixesMade>),
    /// The file could not be written, which has been reported.
    Failed,
}

impl Job<'_> {
    /// Edits a file according to the command line. `bytes` is its content; `path` is `None` for standard input.
    pub(super) fn edit(&self, path: Option<&Path>, name: &Path, bytes: &[u8], checked: &Checked) -> Edited {
        let Ok(text) = std::str::from_utf8(bytes) else { return self.unchanged(path, bytes, Vec::new()) };
        let control = &self.check.control;
        if !control.edits() || !checked.is_config {
            return self.unchanged(path, bytes, Vec::new());
        }
        let (new, count, left, steps) = if let Some(reason) = &control.add_ignore {
            // A comment for an info, or for what the baseline accepts, would be one for nothing that anybody has seen.
            let mut shown = checked.diagnostics.clone();
            let path = name.to_string_lossy();
            let get = |file| (file == FileId(0)).then_some((&*path, text));
            self.baselines.hide_in_trial(self.session.projects(), BaselineTexts { reported: name, get: &get }, &mut shown);
            shown.retain(|found| found.severity >= control.shown());
            let ignoring = cfg_check::add_ignores(FileId(0), text, &shown, reason);
            (ignoring.text, ignoring.count, Vec::new(), None)
        } else {
            let project = self.project_among_inputs(name);
            let path = name.to_string_lossy();
            let subject = self.subject(&path, &project, true);
            let now = subject.check(text, Vec::new());
            let subject = subject.holding(&now);
            let check = |text: &str| subject.check(text, Vec::new());
            // A change of the meaning is made for what the user sees.
            let is_seen = |severity, applicability| applicability == Applicability::Safe || severity >= control.shown();
            let allows = |severity, applicability| control.allows(applicability) && is_seen(severity, applicability);
            let repaired = repair_all(FileId(0), text, now, &allows, &check);
            let mut left = left(&path, &repaired.text, &repaired.left);
            left.extend(lost(&path, &repaired.steps, control.diff));
            (repaired.text, repaired.count, left, Some(repaired.steps))
        };
        if new == text {
            return self.unchanged(path, bytes, left);
        }
        if control.diff {
            return Edited::Shown(unified(&name.to_string_lossy(), text, &new), count, left, None);
        }
        let fixed = steps.map(|steps| made(&name.to_string_lossy(), &steps, text, &new));
        let Some(path) = path else { return Edited::Shown(new, count, left, fixed) };
        match self.cx.writer.replace(path, bytes, new.as_bytes()) {
            Ok(()) => Edited::Written(new, count, left, fixed),
            Err(error) => {
                self.cx.complain(&format!("{} was not changed: {error}", path.display()));
                Edited::Failed
            }
        }
    }

    /// A text from standard input is written to standard output even if nothing changes.
    fn unchanged(&self, path: Option<&Path>, bytes: &[u8], left: Vec<String>) -> Edited {
        let control = &self.check.control;
        if path.is_none() && control.edits() && !control.diff {
            return Edited::Shown(String::from_utf8_lossy(bytes).into_owned(), 0, left, None);
        }
        Edited::Unchanged(left)
    }
}

/// Up to this many settings that fixes drop have a line each.
const MAX_LOST_LINES: usize = 16;

/// Descriptions of the settings that fixes drop because nothing means the same, one line each: the file no longer says what its author wanted there.
fn lost(name: &str, steps: &[Step], is_trial: bool) -> Vec<String> {
    let line = |(_, fix): &(Diagnostic, Fix)| {
        let Lost { keys, why } = fix.lost.as_ref()?;
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        let removed = removed(keys.len(), is_trial);
        Some(cfg_diag::one_line(&format!("{name}: {} {removed}{why}", cfg_diag::in_a_row(&keys))).into_owned())
    };
    let made = steps.iter().flat_map(|step| &step.made);
    let mut lines: Vec<String> = made.filter(|(_, fix)| fix.applicability == Applicability::Unsafe).filter_map(line).collect();
    if lines.len() > MAX_LOST_LINES {
        let more = lines.len() + 1 - MAX_LOST_LINES;
        lines.truncate(MAX_LOST_LINES - 1);
        lines.push(format!("{}: {more} more {}", cfg_diag::one_line(name), removed(more, is_trial)));
    }
    lines
}

/// That so many settings are gone.
const fn removed(count: usize, is_trial: bool) -> &'static str {
    match (is_trial, count) {
        (true, _) => "would be removed",
        (false, 1) => "was removed",
        (false, _) => "were removed",
    }
}

/// What was fixed in a file, and the keys whose written values differ from those before.
fn made(name: &str, steps: &[Step], before: &str, now: &str) -> FixesMade {
    let of_step = |(number, step): (usize, &Step)| -> Vec<Fixed> {
        step.made.iter().map(|(found, fix)| Fixed::new(found, fix, number + 1, name, &step.before)).collect()
    };
    let values = |text: &str| {
        let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
        let mut values = BTreeMap::new();
        leaves(&document.root, "", text, &mut values);
        values
    };
    let (before, now) = (values(before), values(now));
    let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed = keys.into_iter().filter(|key| before.get(*key) != now.get(*key)).cloned().collect();
    FixesMade { fixed: steps.iter().enumerate().flat_map(of_step).collect(), changed, text: None }
}

/// The written values below a table, by their dotted keys.
fn leaves(table: &cfg_syntax::Table, owner: &str, text: &str, values: &mut BTreeMap<String, String>) {
    for entry in &table.entries {
        let key = if owner.is_empty() { entry.key.text.to_string() } else { format!("{owner}.{}", entry.key.text) };
        value_leaves(&entry.value, &key, text, values);
    }
}

fn value_leaves(value: &cfg_syntax::Value, key: &str, text: &str, values: &mut BTreeMap<String, String>) {
    let is_of_tables = |items: &[cfg_syntax::Value]| !items.is_empty() && items.iter().all(|item| item.as_table().is_some());
    match value.as_table() {
        Some(table) if !table.entries.is_empty() => leaves(table, key, text, values),
        None if is_of_tables(value.items()) => {
            value.items().iter().enumerate().for_each(|(at, item)| value_leaves(item, &format!("{key}[{at}]"), text, values));
        }
        _ => drop(values.insert(key.to_owned(), text.get(value.span.range()).unwrap_or_default().to_owned())),
    }
}

/// Up to this many findings for which there were too many fixes have a line each.
const MAX_UNTRIED_LINES: usize = 3;

/// Descriptions of what was not fixed, with reasons: one line each, and one for the rest of those for which there were too many fixes.
fn left(name: &str, text: &str, left: &[Left]) -> Vec<String> {
    let lines = LineIndex::new(text);
    let line = |left: &Left| {
        let place = left.location.map(|location| lines.line_column(text, location.span.start, PositionEncoding::Utf8).line + 1);
        let place = place.map(|line| format!(":{line}")).unwrap_or_default();
        let (code, title, why) = (left.code.code, &left.title, left.why.in_words());
        cfg_diag::one_line(&format!("{name}{place}: {code} was not fixed: {title}: {why}")).into_owned()
    };
    let (untried, tried): (Vec<&Left>, Vec<&Left>) = left.iter().partition(|left| left.why == Why::Untried);
    let shown = if untried.len() > MAX_UNTRIED_LINES + 1 { MAX_UNTRIED_LINES } else { untried.len() };
    let rest = untried.len() - shown;
    let more = format!("{}: {rest} more were not fixed: {}", cfg_diag::one_line(name), Why::Untried.in_words());
    let lines = tried.into_iter().chain(untried.into_iter().take(shown)).map(line);
    lines.chain((rest > 0).then_some(more)).collect()
}

/// A sentence that states what was done about the findings, or would be done.
pub(super) fn sentence(control: &Control, edits: usize, files: usize) -> String {
    let verb = match (control.diff, control.add_ignore.is_some()) {
        (true, true) => "Would ignore",
        (true, false) => "Would fix",
        (false, true) => "Ignored",
        (false, false) => "Fixed",
    };
    format!("{verb} {} in {}", cfg_report::count(edits, "finding"), cfg_report::count(files, "file"))
}

/// The outcome of a check whose edits may only be shown. If nothing is, although there are errors, that is noted.
pub(super) fn of_diff(cx: &Context, control: &Control, edits: usize, outcome: Outcome) -> Outcome {
    if control.diff && edits > 0 {
        return worse(outcome, Outcome::Found);
    }
    if control.diff && control.add_ignore.is_none() && outcome == Outcome::Found {
        let safe = if control.unsafe_fixes { "" } else { "safe " };
        cx.note(&format!("nothing would be changed: no finding has a {safe}fix; `cfg check` shows them"));
    }
    outcome
}
