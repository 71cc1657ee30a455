//! Configs that are several texts: files one over the other, and launch commands.

use std::{
    cell::Cell,
    io,
    path::{Path, PathBuf},
};

use cfg_check::{Checked, CheckedCommand, Command, CommandRequest, check_command};
use cfg_diag::codes;
use cfg_project::tidy;

use super::{Done, Job, target_of};
use crate::{
    Outcome,
    inputs::{environment, read_error, sources},
};

impl Job<'_> {
    /// What the settings say that rules can use.
    pub(super) fn project(&self, path: &Path) -> cfg_check::Project {
        cfg_lsp::project_around(&self.projects, path)
    }

    /// The config that names this one in `toml_files`, where this one is no whole config and its prime-rl reads such files.
    pub(super) fn includer(&self, path: &Path, checked: &Checked) -> Option<PathBuf> {
        if checked.may_be_part() { self.projects.includer(path) } else { None }
    }

    /// A file that another names: it is checked with that one, which tells what is wrong in it where it is checked itself.
    pub(super) fn included(&self, path: &Path, includer: &Path) -> io::Result<Done> {
        let includer = includer.to_string_lossy();
        if self.named.contains(&includer) {
            return Ok(Done::new(None, Outcome::Clean));
        }
        self.command(&path.to_string_lossy(), Command::Files(&[includer.to_string()]))
    }

    /// Checks what several files, or the words of a launch command, are together.
    pub(super) fn command(&self, name: &str, command: Command<'_>) -> io::Result<Done> {
        let checked = self.check_composed(name, command, &|_| {});
        self.composed(name, checked)
    }

    /// Checks a config that was not changed itself, if it is composed of a file that was.
    pub(super) fn dependent(&self, path: &Path) -> io::Result<Done> {
        let name = path.to_string_lossy();
        let is_concerned = Cell::new(false);
        let looked_at = |read: &Path| is_concerned.set(is_concerned.get() || self.is_changed(read));
        let checked = self.check_composed(&name, Command::Files(&[name.to_string()]), &looked_at);
        // Of a chain the whole is told, by the config at its top.
        let is_part = || self.includer(path, &checked.checked).is_some();
        if is_concerned.get() && !is_part() { self.composed(&name, checked) } else { Ok(Done::new(None, Outcome::Clean)) }
    }

    /// Whether a commit would change a file.
    fn is_changed(&self, path: &Path) -> bool {
        // Also a file that would be gone has a path.
        let plain = tidy(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let real = self.files.real(path).unwrap_or_default();
        self.changed.contains(&plain) || self.changed.contains(&real)
    }

    /// Composes and checks; `looked_at` hears of each file.
    fn check_composed(&self, name: &str, command: Command<'_>, looked_at: &dyn Fn(&Path)) -> CheckedCommand {
        let project = match command {
            Command::Files([first, ..]) => self.project(Path::new(first)),
            _ => self.project(Path::new(name)),
        };
        let environment = if self.check.env { environment() } else { Vec::new() };
        let request = CommandRequest {
            command,
            environment: &environment,
            kind: self.common.kind,
            target: self.target.clone(),
            surroundings: &|path| self.target_of_project(Path::new(path)),
            project: Some(&project),
            read: &|path| {
                looked_at(Path::new(path));
                self.files.read(Path::new(path)).map_err(|error| read_error(&error))
            },
        };
        check_command(&self.session, &request)
    }

    fn composed(&self, name: &str, checked: CheckedCommand) -> io::Result<Done> {
        let CheckedCommand { mut checked, texts, files, .. } = checked;
        let first = files.first().and_then(|file| texts.get(*file)).map_or(name, |text| text.path.as_str());
        self.apply_settings(Path::new(first), &mut checked);
        if let Some(baseline) = &self.baseline {
            baseline.filter(Path::new(first), &mut checked.diagnostics);
        }
        let unreadable = checked.diagnostics.iter().any(|diagnostic| diagnostic.code == &codes::UNREADABLE_FILE);
        let outcome = if unreadable { Outcome::Failed } else { self.judge(&checked.diagnostics) };
        let mut done = Done::new(Some(self.render(name, &sources(&texts), &checked)?), outcome);
        done.target = target_of(&checked);
        if self.check.control.statistics {
            done.diagnostics = checked.diagnostics;
        }
        Ok(done)
    }
}
