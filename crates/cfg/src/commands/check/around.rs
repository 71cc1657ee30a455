//! What surrounds the configs that are checked: projects with their targets and settings, and registries.

use std::{
    io::{self, Write},
    path::Path,
    sync::PoisonError,
};

use cfg_diag::{Diagnostic, codes};
use cfg_project::TargetSource;
use cfg_report::{FileReport, Sources, Stream};
use cfg_schema::{BeyondHistory, Target};

use super::{Job, failing, worse};
use crate::{Outcome, commands::registry::findings::Findings, terminal};

impl Job<'_> {
    /// The target that the project around a file uses. What can't be used is kept, to be said once.
    pub(super) fn target_of_project(&self, path: &Path) -> Option<Target> {
        match self.projects.target(path)?.as_ref() {
            Ok(detected) => {
                let is_set = matches!(detected.source, TargetSource::Settings(_));
                if !is_set && let Some(beyond) = detected.target.beyond(self.session.history) {
                    let here = std::env::current_dir().unwrap_or_default();
                    let message = format!("{beyond}; prime-rl is from that day ({})", detected.source.describe(&here));
                    self.note(detected.source.path().unwrap_or(path), beyond_history(message));
                }
                Some(detected.target.clone())
            }
            Err(problem) => {
                let here = std::env::current_dir().unwrap_or_default();
                let diagnostic = Diagnostic::new(&codes::UNKNOWN_TARGET, problem.message(&here)).help(problem.help());
                self.note(problem.source.path().unwrap_or(path), diagnostic);
                None
            }
        }
    }

    /// Keeps what is to be said once, of what lies around the files.
    pub(super) fn note(&self, path: &Path, diagnostic: Diagnostic) {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), diagnostic);
    }

    /// What is wrong around the files: their settings, and the prime-rl that their project uses.
    pub(super) fn surroundings<W: Write>(&self, stream: &mut Stream<W>) -> io::Result<Outcome> {
        let here = std::env::current_dir().unwrap_or_default();
        let relative = |path: &Path| path.strip_prefix(&here).unwrap_or(path).to_string_lossy().into_owned();
        let mut outcome = Outcome::Clean;
        let mut report = |path: &Path, text: &str, diagnostics: &[Diagnostic]| {
            let path = relative(path);
            let verdict = cfg_report::Verdict::Ok;
            let is_lost = self.target.is_none() && diagnostics.iter().any(hides_the_target);
            outcome = worse(outcome, if is_lost { Outcome::Failed } else { self.judge(diagnostics) });
            for diagnostic in diagnostics.iter().filter(|_| self.is_quiet) {
                terminal::complain(&format!("{path}: {}", diagnostic.message));
            }
            stream
                .file(&FileReport { path: &path, kind: None, target: None, verdict, diagnostics }, &Sources::single(&path, text))
        };
        for settings in self.projects.diagnostics() {
            report(&settings.path, &settings.text, &settings.diagnostics)?;
        }
        for (path, problem) in self.registries.broken() {
            report(&path, "", std::slice::from_ref(&problem))?;
        }
        for (path, problem) in self.problems.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            report(path, "", std::slice::from_ref(problem))?;
        }
        Ok(outcome)
    }

    /// What is wrong with registries that are told together with the files.
    pub(super) fn registries<W: Write>(&self, registries: Vec<Findings>, stream: &mut Stream<W>) -> io::Result<Outcome> {
        let mut outcome = Outcome::Clean;
        for mut findings in registries {
            findings.write(stream)?;
            outcome = worse(outcome, if findings.has(failing(self.check)) { Outcome::Found } else { Outcome::Clean });
        }
        Ok(outcome)
    }
}

/// Whether a finding in the settings means that nothing was checked as asked: the target that they state is not known.
fn hides_the_target(diagnostic: &Diagnostic) -> bool {
    let is_of_target = diagnostic.key.as_deref().is_some_and(|key| matches!(key, "target" | "tool.cfg.target"));
    diagnostic.code == &codes::UNREADABLE_FILE || (diagnostic.code == &codes::INVALID_SETTINGS && is_of_target)
}

pub(super) fn beyond_history(message: String) -> Diagnostic {
    Diagnostic::new(&codes::TARGET_BEYOND_HISTORY, message).help(BeyondHistory::HELP)
}
