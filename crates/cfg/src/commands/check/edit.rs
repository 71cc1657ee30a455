//! `cfg check --fix`, `--diff` and `--add-ignore`: what becomes of a file.

use std::path::Path;

use cfg_check::Checked;
use cfg_diag::FileId;
use similar::TextDiff;

use super::Job;
use crate::control::Control;

/// What was done about a file.
pub(super) enum Edited {
    /// Nothing.
    Unchanged,
    /// It was written anew; this is its text, and how many findings that concerns.
    Written(String, usize),
    /// This is written to standard output instead.
    Shown(String, usize),
    /// It could not be written; that has been told.
    Failed,
}

impl Job<'_> {
    /// Edits a file as the command line asks. `bytes` is what it holds; `path` is nothing for standard input.
    pub(super) fn edit(&self, path: Option<&Path>, name: &Path, bytes: &[u8], checked: &Checked) -> Edited {
        let Ok(text) = std::str::from_utf8(bytes) else { return self.unchanged(path, bytes) };
        let control = &self.check.control;
        if !control.edits() || !checked.is_config {
            return self.unchanged(path, bytes);
        }
        let (new, count) = if control.add_ignore {
            let ignoring = cfg_check::add_ignores(FileId(0), text, &checked.diagnostics);
            (ignoring.text, ignoring.count)
        } else {
            let mut recheck = |text: &str| self.check_text(name, text, Vec::new(), true).diagnostics;
            let fixed = cfg_check::fix(FileId(0), text, &|applicability| control.allows(applicability), &mut recheck);
            (fixed.text, fixed.count)
        };
        if new == text {
            return self.unchanged(path, bytes);
        }
        if control.diff {
            return Edited::Shown(diff(&name.to_string_lossy(), text, &new), count);
        }
        let Some(path) = path else { return Edited::Shown(new, count) };
        match self.cx.writer.replace(path, bytes, new.as_bytes()) {
            Ok(()) => Edited::Written(new, count),
            Err(error) => {
                self.cx.complain(&format!("{} is left as it is: {error}", path.display()));
                Edited::Failed
            }
        }
    }

    /// A text from standard input is written to standard output even where nothing changes.
    fn unchanged(&self, path: Option<&Path>, bytes: &[u8]) -> Edited {
        let control = &self.check.control;
        if path.is_none() && control.edits() && !control.diff {
            return Edited::Shown(String::from_utf8_lossy(bytes).into_owned(), 0);
        }
        Edited::Unchanged
    }
}

/// What was done about the findings, or would be.
pub(super) fn sentence(control: &Control, edits: usize, files: usize) -> String {
    let verb = match (control.diff, control.add_ignore) {
        (true, true) => "Would ignore",
        (true, false) => "Would fix",
        (false, true) => "Ignored",
        (false, false) => "Fixed",
    };
    format!("{verb} {} in {}", cfg_report::count(edits, "finding"), cfg_report::count(files, "file"))
}

/// A unified diff, which can be applied.
pub(in crate::commands) fn diff(name: &str, old: &str, new: &str) -> String {
    let name = cfg_diag::one_line(name);
    TextDiff::from_lines(old, new).unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}
