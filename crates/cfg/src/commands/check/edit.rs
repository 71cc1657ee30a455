//! `cfg check --fix`, `--diff` and `--add-ignore`: edits of a file.

use std::path::Path;

use cfg_check::Checked;
use cfg_diag::{FileId, LineIndex, PositionEncoding};
use cfg_project::BaselineTexts;
use cfg_repair::{Left, repair_all};
use similar::TextDiff;

use super::Job;
use crate::control::Control;

/// The result of editing a file.
pub(super) enum Edited {
    /// Not changed. Contains what was not fixed.
    Unchanged(Vec<String>),
    /// Written. Contains the new text, the number of findings that were handled, and what was not fixed.
    Written(String, usize, Vec<String>),
    /// Written to standard output instead of the file. Contains the same as `Written`.
    Shown(String, usize, Vec<String>),
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
        let (new, count, left) = if let Some(reason) = &control.add_ignore {
            // A comment for an info, or for what the baseline accepts, would be one for nothing that anybody has seen.
            let mut shown = checked.diagnostics.clone();
            let path = name.to_string_lossy();
            let get = |file| (file == FileId(0)).then_some((&*path, text));
            self.baselines.hide_in_trial(self.session.projects(), BaselineTexts { reported: name, get: &get }, &mut shown);
            shown.retain(|found| found.severity >= control.shown());
            let ignoring = cfg_check::add_ignores(FileId(0), text, &shown, reason);
            (ignoring.text, ignoring.count, Vec::new())
        } else {
            let project = self.project_among_inputs(name);
            let path = name.to_string_lossy();
            let subject = self.subject(&path, &project, true);
            let check = |text: &str| subject.check(text, Vec::new());
            let repaired = repair_all(FileId(0), text, check(text), &|applicability| control.allows(applicability), &check);
            let left = left(&path, &repaired.text, &repaired.left);
            (repaired.text, repaired.count, left)
        };
        if new == text {
            return self.unchanged(path, bytes, left);
        }
        if control.diff {
            return Edited::Shown(diff(&name.to_string_lossy(), text, &new), count, left);
        }
        let Some(path) = path else { return Edited::Shown(new, count, left) };
        match self.cx.writer.replace(path, bytes, new.as_bytes()) {
            Ok(()) => Edited::Written(new, count, left),
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
            return Edited::Shown(String::from_utf8_lossy(bytes).into_owned(), 0, left);
        }
        Edited::Unchanged(left)
    }
}

/// Descriptions of what was not fixed, with reasons: one line each.
fn left(name: &str, text: &str, left: &[Left]) -> Vec<String> {
    let lines = LineIndex::new(text);
    let line = |left: &Left| {
        let place = left.location.map(|location| lines.line_column(text, location.span.start, PositionEncoding::Utf8).line + 1);
        let place = place.map(|line| format!(":{line}")).unwrap_or_default();
        let (code, title, why) = (left.code.code, &left.title, left.why.in_words());
        cfg_diag::one_line(&format!("{name}{place}: {code} was not fixed: {title}: {why}")).into_owned()
    };
    left.iter().map(line).collect()
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

/// A unified diff that can be applied.
pub(in crate::commands) fn diff(name: &str, old: &str, new: &str) -> String {
    let name = cfg_diag::one_line(name);
    TextDiff::from_lines(old, new).unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}
