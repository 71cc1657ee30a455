//! The file that is repaired.

use std::path::Path;

use cfg_check::{Checked, Project, Request, Session, check};
use cfg_diag::{Diagnostic, FileId};
use cfg_project::Selector;
use cfg_schema::{Kind, Target};

/// A file, with the way its text is checked: alone, as prime-rl reads it, and with the settings of its project. Every caller that repairs it
/// checks it in the same way.
pub struct Subject<'a> {
    /// The shared state of all checks.
    pub session: &'a Session,
    /// Its path, as the user knows it.
    pub path: &'a str,
    /// Whether the user named the file itself, not only its folder.
    pub named: bool,
    /// The kind, if the user gives it.
    pub kind: Option<Kind>,
    /// The script of the project that reads it, if the user gives it in place of a kind.
    pub script: Option<&'a str>,
    /// The target, if the user gives it.
    pub target: Option<Target>,
    /// The project settings that rules use.
    pub project: &'a Project,
    /// What the command line selects.
    pub select: &'a [Selector],
    /// What the command line ignores.
    pub ignore: &'a [Selector],
}

impl Subject<'_> {
    /// The file id in its findings.
    pub const FILE: FileId = FileId(0);

    /// Checks a text in its place. `encoding` has the faults of its bytes.
    pub fn check(&self, text: &str, encoding: Vec<Diagnostic>) -> Checked {
        let request = Request {
            file: Self::FILE,
            named: self.named,
            encoding,
            kind: self.kind,
            script: self.script,
            target: self.target.clone(),
            project: Some(self.project),
            ..Request::new(self.path, text)
        };
        let mut checked = check(self.session, request);
        let lists = (self.select, self.ignore);
        self.session.projects().apply_lint(Path::new(self.path), lists, &mut checked.diagnostics, |_| false);
        checked
    }
}
