//! The file that is repaired.

use std::path::Path;

use cfg_check::{Checked, Held, Project, Request, Session, check};
use cfg_diag::{Diagnostic, FileId, Severity};
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
    /// The target that the text is judged for while it is repaired, if nothing states one: that of the text as it was.
    pub held: Option<Held>,
    /// The project settings that rules use.
    pub project: &'a Project,
    /// What the command line selects.
    pub select: &'a [Selector],
    /// What the command line ignores.
    pub ignore: &'a [Selector],
    /// The severity from which on findings are shown: rules work out no fixes for others.
    pub shown: Severity,
}

impl<'a> Subject<'a> {
    /// A file that the user named, of which nothing is stated, and all of whose findings are shown.
    pub const fn new(session: &'a Session, path: &'a str, project: &'a Project) -> Self {
        Self {
            session,
            path,
            named: true,
            kind: None,
            script: None,
            target: None,
            held: None,
            project,
            select: &[],
            ignore: &[],
            shown: Severity::Info,
        }
    }
}

impl Subject<'_> {
    /// The file id in its findings.
    pub const FILE: FileId = FileId(0);

    /// The same file, whose other texts are judged for the target of this one.
    #[must_use]
    pub fn holding(self, checked: &Checked) -> Self {
        Self { held: Held::of(checked), ..self }
    }

    /// Checks a text in its place. `encoding` has the faults of its bytes.
    pub fn check(&self, text: &str, encoding: Vec<Diagnostic>) -> Checked {
        self.judged(Request { encoding, ..self.request(text) })
    }

    /// Checks a text with the edits of a fix: what only a reader of the findings needs is left out.
    pub fn trial(&self, text: &str) -> Checked {
        self.judged(Request { is_trial: true, ..self.request(text) })
    }

    fn request<'t>(&'t self, text: &'t str) -> Request<'t> {
        // A setting may raise the severity of any finding.
        let is_final = || !self.session.projects().settings(Path::new(self.path)).settings.lint.sets_severities();
        let fixes_from = if self.shown > Severity::Info && is_final() { self.shown } else { Severity::Info };
        Request {
            file: Self::FILE,
            named: self.named,
            kind: self.kind,
            script: self.script,
            target: self.target.clone(),
            held: self.held.as_ref(),
            project: Some(self.project),
            fixes_from,
            ..Request::new(self.path, text)
        }
    }

    fn judged(&self, request: Request<'_>) -> Checked {
        let mut checked = check(self.session, request);
        let projects = self.session.projects();
        projects.apply_lint(Path::new(self.path), self.select, self.ignore, &mut checked.diagnostics, |_| false);
        checked
    }
}

#[cfg(test)]
mod tests {
    use cfg_check::{Project, Session};

    use super::Subject;

    #[test]
    fn a_fix_is_judged_for_the_prime_rl_of_the_text_that_it_changes() {
        let (session, project) = (Session::default(), Project::default());
        let subject = Subject::new(&session, "rl.toml", &project);
        let own = "[monitors.wandb]\nproject = \"p\"\n[inference.vllm]\nmax_model_len = 4096\n";
        let text = format!("{own}seed = 1\n[trainer]\n[orchestrator]\n");
        let edited = text.replace(own, "[inference]\n");
        let before = subject.check(&text, Vec::new());
        assert_eq!(before.target.name, "main");
        assert_eq!(subject.check(&edited, Vec::new()).target.name, "0.8.0");
        let held = subject.holding(&before);
        assert_eq!(held.trial(&edited).target.name, "main");
        // What the text states counts all the same.
        let stated = format!("# /// config\n# prime_rl = \"0.8.0\"\n# ///\n{edited}");
        assert_eq!(held.trial(&stated).target.name, "0.8.0");
    }
}
