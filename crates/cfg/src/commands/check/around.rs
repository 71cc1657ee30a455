//! Findings about what is around the checked configs: the targets and settings of projects, and registries.

use std::{
    collections::BTreeMap,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_diag::{Diagnostic, Severity, codes};
use cfg_project::{DetectedTarget, TargetProblem};
use cfg_report::{FileReport, Sources, Stream};
use cfg_schema::{BeyondHistory, Target};

use super::{Job, failing, worse};
use crate::{CommandResult, Outcome, commands::registry::findings::Findings, context::hides_the_target};

impl Job<'_> {
    /// Problems with the targets of projects: a target can't be used, or is newer than the history. Each is reported once, at the file that
    /// states it.
    fn targets_of_projects(&self) -> BTreeMap<PathBuf, Diagnostic> {
        let here = self.cx.host().folder();
        let said = |(path, answer): (PathBuf, Arc<Result<DetectedTarget, TargetProblem>>)| {
            let diagnostic = match &*answer {
                Ok(detected) => {
                    let beyond = detected.target.beyond()?;
                    beyond_history(format!("{beyond}; it is this project's prime-rl ({})", detected.source.describe(here)))
                }
                Err(problem) => {
                    let mut unknown = Diagnostic::new(&codes::UNKNOWN_TARGET, problem.message(here)).help(problem.help());
                    // The target is not an error, but only unknown to this version of cfg.
                    unknown.severity = Severity::Info;
                    unknown
                }
            };
            Some((path, diagnostic))
        };
        self.session.projects().odd_targets().into_iter().filter_map(said).collect()
    }

    /// Reports problems around the files: in their settings, and with their project's prime-rl. `has_configs` is whether there were any configs.
    ///
    /// Registries that are checked themselves are reported there.
    pub(super) fn surroundings<W: Write>(
        &self,
        has_configs: bool,
        checked: &[Findings],
        stream: &mut Stream<W>,
    ) -> CommandResult {
        let mut outcome = Outcome::Clean;
        let mut report = |path: &Path, text: &str, diagnostics: &[Diagnostic]| {
            let path = self.cx.system.shown(path);
            let is_lost = self.target.is_none() && diagnostics.iter().any(hides_the_target);
            outcome = worse(outcome, if is_lost { Outcome::Failed } else { self.judge(diagnostics) });
            for diagnostic in diagnostics.iter().filter(|_| self.is_quiet) {
                self.cx.complain(&format!("{path}: {}", diagnostic.message));
            }
            // Findings about a project are displayed whatever their severity.
            let reporter = self.reporter.clone().showing_from(Severity::Info);
            let file = FileReport::about(&path, diagnostics);
            stream.rendered(&reporter.render(&file, &Sources::single(&path, text))?)
        };
        for settings in self.session.projects().diagnostics() {
            report(&settings.path, &settings.text, &settings.diagnostics)?;
        }
        let is_checked = |path: &Path| {
            let own = |findings: &Findings| self.cx.system.absolute(findings.path()) == self.cx.system.absolute(path);
            checked.iter().any(own) || self.named.contains(&*self.cx.system, path)
        };
        for (path, text, problem) in self.registries.broken().into_iter().filter(|(path, ..)| !is_checked(path)) {
            report(&path, &text, std::slice::from_ref(&problem))?;
        }
        for (path, problem) in self.targets_of_projects() {
            report(&path, "", std::slice::from_ref(&problem))?;
        }
        if let Some(beyond) = self.target.as_ref().and_then(Target::beyond).filter(|_| has_configs) {
            let problem = beyond_history(beyond.to_string());
            if self.is_quiet {
                self.cx.complain(&format!("--target: {}", problem.message));
            }
            outcome = worse(outcome, self.judge(std::slice::from_ref(&problem)));
            stream.about_command("--target", std::slice::from_ref(&problem))?;
        }
        Ok(outcome)
    }

    /// Reports findings in registries, with the files that they are about.
    pub(super) fn registries<W: Write>(&self, registries: Vec<Findings>, stream: &mut Stream<W>) -> CommandResult {
        let mut outcome = Outcome::Clean;
        for mut findings in registries {
            findings.write(&*self.cx.system, stream)?;
            outcome = worse(outcome, if findings.has(failing(self.check)) { Outcome::Found } else { Outcome::Clean });
        }
        Ok(outcome)
    }
}

fn beyond_history(message: String) -> Diagnostic {
    Diagnostic::new(&codes::TARGET_BEYOND_HISTORY, message).help(BeyondHistory::HELP)
}
