//! The file whose text is repaired.

use std::path::Path;

use cfg_check::{Checked, Project, Request, Session, check};
use cfg_diag::{Diagnostic, FileId};
use cfg_project::Selector;
use cfg_schema::{Kind, Target};

/// A file, and how its text is checked: as prime-rl reads it alone, with the settings of its project. Anyone who repairs it, it is checked in the
/// same
/// way.
pub struct Subject<'a> {
    /// What all checks share.
    pub session: &'a Session,
    /// Its path, as the user knows it.
    pub path: &'a str,
    /// Whether it was named itself, rather than found in a folder.
    pub named: bool,
    /// The kind, where the user states it.
    pub kind: Option<Kind>,
    /// The target, where the user states it.
    pub target: Option<Target>,
    /// What the project's settings say that rules can use.
    pub project: &'a Project,
    /// What the command line selects.
    pub select: &'a [Selector],
    /// What the command line ignores.
    pub ignore: &'a [Selector],
}

impl Subject<'_> {
    /// How its findings name it.
    pub const FILE: FileId = FileId(0);

    /// Checks a text in its place. `encoding` says what was wrong with its bytes.
    pub fn check(&self, text: &str, encoding: Vec<Diagnostic>) -> Checked {
        let request = Request {
            file: Self::FILE,
            path: self.path,
            named: self.named,
            text,
            encoding,
            kind: self.kind,
            target: self.target.clone(),
            otherwise: None,
            project: Some(self.project),
        };
        let mut checked = check(self.session, request);
        let lists = (self.select, self.ignore);
        self.session.projects().apply_lint(Path::new(self.path), lists, &mut checked.diagnostics, |_| false);
        checked
    }
}
