//! Configs that consist of several texts: composed files, and launch commands.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use cfg_check::{Checked, CheckedCommand, Command, Completed, Fragment, Project, Texts};
use cfg_diag::{Diagnostic, Span, codes};
use cfg_project::BaselineTexts;
use cfg_repair::offer_in;
use cfg_system::{Role, tidy};

use super::{Done, Job, file::Given, open::Together, report::CheckedFor};
use crate::{
    Outcome,
    inputs::{Inputs, sources},
};

/// The result of checking a file that other files name without those.
pub(super) struct Alone {
    /// Whether it is part of another config and reported there.
    is_part: bool,
    /// The codes and locations of its findings.
    found: HashSet<(&'static str, Span)>,
}

impl Alone {
    /// Whether checking the file alone gives a finding at the same place.
    fn has(&self, found: &Diagnostic) -> bool {
        found.location.is_some_and(|at| self.found.contains(&(found.code.code, at.span)))
    }
}

impl Job<'_> {
    /// The settings of a file's project, for rules.
    pub(super) fn project(&self, path: &Path) -> Project {
        Project { requested_gpu: self.gpu.clone(), ..Project::around(self.session.projects(), path) }
    }

    /// The config that names this one in `toml_files`, if this one is not a complete config and its prime-rl reads such files.
    pub(super) fn includer(&self, path: &Path, checked: &Checked) -> Option<PathBuf> {
        if checked.may_be_part() { self.session.projects().includer(path) } else { None }
    }

    /// Checks a file together with the config that names it. If that config is checked as well, the findings are reported there.
    pub(super) fn included(&self, path: &Path, includer: &Path) -> io::Result<Done> {
        let includer = includer.to_string_lossy();
        if self.named.contains(&*self.cx.system, Path::new(&*includer)) {
            return Ok(Done::new(None, Outcome::Clean));
        }
        self.command(&path.to_string_lossy(), Command::Files(&[includer.to_string()]))
    }

    /// Whether a file is part of another config, and neither an option nor its metadata states its kind.
    pub(super) fn is_part(&self, checked: &Checked, name: &str, text: &str) -> bool {
        !self.cx.common.states_kind() && checked.is_part() && !cfg_check::states_kind(&self.session, name, text)
    }

    /// The result of checking an overlay together with the files that complete it. If they are unknown, what depends on them is removed from the result of
    /// checking it alone.
    pub(super) fn completed_by(&self, checked: &mut Checked, name: &str, text: &str) -> Option<Completed> {
        let project = self.project(Path::new(name));
        let part = Fragment {
            session: &self.session,
            system: &*self.cx.system,
            path: name,
            text,
            target: self.target.as_ref(),
            project: Some(&project),
        };
        cfg_check::complete(part, checked)
    }

    /// Reports a file together with those that complete it. Findings that another of its files has alone are reported with that file if it is checked as
    /// well.
    pub(super) fn completed(&self, given: &Given<'_>, completed: Completed) -> io::Result<Done> {
        let name = &*given.path.to_string_lossy();
        let Completed { command: mut launch, bases, lacks } = completed;
        let own = tidy(&self.cx.system.absolute(Path::new(name)));
        let texts = &launch.texts;
        launch.checked.diagnostics.retain(|diagnostic| {
            let of = |file| texts.get(file).map(|text| text.path.as_str());
            let Some(path) = diagnostic.location.and_then(|location| of(location.file)) else { return true };
            let places = diagnostic.related.iter().filter_map(|related| of(related.location.file));
            let is_own = |path: &str| tidy(&self.cx.system.absolute(Path::new(path))) == own;
            let is_reported_there =
                || self.named.contains(&*self.cx.system, Path::new(path)) && self.alone(Path::new(path)).has(diagnostic);
            is_own(path) || places.into_iter().any(is_own) || !is_reported_there()
        });
        let together = (!bases.is_empty()).then(|| Together::new(name, &bases, &lacks));
        let late = Some((given.path.to_owned(), self.defer_shared(given.path, given.is_explicit, &mut launch.checked)));
        Ok(Done { late, together, ..self.composed(name, launch)? })
    }

    /// Checks several files together, or a launch command.
    pub(super) fn command(&self, name: &str, command: Command<'_>) -> io::Result<Done> {
        let mut checked = self.check_composed(name, command);
        self.tell_once(name, &mut checked);
        self.composed(name, checked)
    }

    /// Marks findings that are also reported with another checked file: a finding in a file that several configs name is reported only with that
    /// file, or else with the first of these configs.
    fn tell_once(&self, name: &str, checked: &mut CheckedCommand) {
        let texts = &checked.texts;
        for diagnostic in &mut checked.checked.diagnostics {
            let text = diagnostic.location.and_then(|location| texts.get(location.file));
            let Some(path) = text.map(|text| Path::new(&text.path)).filter(|path| *path != Path::new(name)) else { continue };
            if !self.named.contains(&*self.cx.system, path) {
                continue;
            }
            let alone = self.alone(path);
            let is_told = if alone.is_part {
                let is_own = |top: &Path| tidy(&self.cx.system.absolute(top)) == tidy(&self.cx.system.absolute(Path::new(name)));
                self.session.projects().includer(path).is_some_and(|top| !is_own(&top))
            } else {
                alone.has(diagnostic)
            };
            diagnostic.is_echo |= is_told;
        }
    }

    /// The findings of checking a file alone, or with its launches if it has any; computed once.
    fn alone(&self, path: &Path) -> Arc<Alone> {
        let known = self.alone.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let given = Given { path, is_explicit: false, is_stdin: false };
            let text = self.cx.system.text(path, Role::Config).unwrap_or_default();
            let checked = self.check_at(path, &text, Vec::new(), false);
            let is_part = checked.may_be_part() || checked.has_includes;
            let launches = self.launches(&given, &text, &checked);
            let reported = self.with_launches(&given, &text, &launches, &checked).unwrap_or(checked.diagnostics);
            let found = reported.iter().filter_map(|found| Some((found.code.code, found.location?.span))).collect();
            let alone = Arc::new(Alone { is_part, found });
            self.alone.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), Arc::clone(&alone));
            alone
        })
    }

    /// Checks an unchanged config if it is composed of a changed file.
    pub(super) fn dependent(&self, path: &Path) -> io::Result<Done> {
        let name = path.to_string_lossy();
        let checked = self.check_composed(&name, Command::Files(&[name.to_string()]));
        let is_concerned = checked.texts.asked().any(|read| self.is_changed(Path::new(read)));
        // If several configs include each other, they are reported together, with the config at the top.
        let is_part = || self.includer(path, &checked.checked).is_some();
        if is_concerned && !is_part() { self.composed(&name, checked) } else { Ok(Done::new(None, Outcome::Clean)) }
    }

    /// Whether a commit would change a file.
    fn is_changed(&self, path: &Path) -> bool {
        // The path of a file that the commit removes can't be resolved.
        let plain = tidy(&self.cx.system.absolute(path));
        let real = self.cx.system.real(path).unwrap_or_default();
        self.changed.contains(&plain) || self.changed.contains(&real)
    }

    pub(super) fn check_composed(&self, name: &str, command: Command<'_>) -> CheckedCommand {
        let project = match command {
            Command::Files([first, ..]) => self.project(Path::new(first)),
            Command::Words(words) => {
                let files = cfg_check::files_of_command(words, &*self.cx.system);
                self.project(Path::new(files.first().map_or(name, String::as_str)))
            }
            Command::Files([]) | Command::Written(_) => self.project(Path::new(name)),
        };
        let inputs = Inputs {
            cx: &self.cx,
            session: &self.session,
            kind: self.cx.common.kind(),
            target: self.target.clone(),
            project: Some(&project),
            env: self.check.env_vars,
        };
        inputs.check(command)
    }

    /// Keeps only the fixes that `--fix` would apply: those in the checked file itself.
    fn offer_alone(&self, name: &str, texts: &Texts, checked: &mut Checked) {
        let path = Path::new(name);
        offer_in(name, texts, checked, self.wanted, self.shown(), &|text| self.check_at(path, text, Vec::new(), true));
    }

    fn composed(&self, name: &str, checked: CheckedCommand) -> io::Result<Done> {
        let CheckedCommand { mut checked, texts, files, .. } = checked;
        let first = files.first().and_then(|file| texts.get(*file)).map_or(name, |text| text.path.as_str());
        self.apply_settings(Path::new(first), &mut checked);
        let get = |file| texts.get(file).map(|text| (text.path.as_str(), text.text.as_str()));
        let in_texts = BaselineTexts { reported: Path::new(first), get: &get };
        let accepted = self.baselines.hide(self.session.projects(), in_texts, &mut checked.diagnostics);
        if !self.is_quiet {
            self.offer_alone(name, &texts, &mut checked);
        }
        let unreadable = checked.diagnostics.iter().any(|diagnostic| diagnostic.code == &codes::UNREADABLE_FILE);
        let outcome = if unreadable { Outcome::Failed } else { self.judge(&checked.diagnostics) };
        let mut done = Done::new(Some(self.render(name, &sources(&texts), &checked)?), outcome);
        done.target = CheckedFor::of(&*self.cx.system, &checked);
        done.note_open(name, &checked);
        done.accepted = accepted;
        if self.check.control.statistics {
            done.diagnostics = checked.diagnostics;
        }
        Ok(done)
    }
}
