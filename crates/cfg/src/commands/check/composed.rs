//! Configs that are several texts: files one over the other, and launch commands.

use std::{
    io,
    path::{Path, PathBuf},
};

use cfg_check::{Checked, CheckedCommand, Command};
use cfg_diag::codes;

use super::{Done, Job, target_of};
use crate::{
    Outcome,
    inputs::{Inputs, sources},
};

impl Job<'_> {
    /// What the settings say that rules can use.
    pub(super) fn project(&self, path: &Path) -> cfg_check::Project {
        cfg_lsp::project_around(&self.projects, path)
    }

    /// The config that names this one in `toml_files`, where this one is no whole config and its prime-rl reads such files.
    pub(super) fn includer(&self, path: &Path, checked: &Checked) -> Option<PathBuf> {
        let may_be_included = checked.is_fragment() && !self.check.control.edits();
        let reads_includes = || checked.is_assumed || cfg_compose::loader::at(checked.target.point).includes;
        if may_be_included && reads_includes() { self.projects.includer(path) } else { None }
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
        let project = match command {
            Command::Files([first, ..]) => self.project(Path::new(first)),
            _ => self.project(Path::new(name)),
        };
        let inputs = Inputs {
            session: &self.session,
            kind: self.common.kind,
            target: self.target.clone(),
            surroundings: &|path| self.target_of_project(path),
            project: Some(&project),
            env: self.check.env,
        };
        let CheckedCommand { mut checked, texts, files, .. } = inputs.check(command);
        let first = files.first().and_then(|file| texts.get(*file)).map_or(name, |text| text.path.as_str());
        self.apply_settings(Path::new(first), &mut checked);
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
