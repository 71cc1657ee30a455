//! Configs that the project's scripts start and that are not there.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
};

use cfg_check::BaselineTexts;
use cfg_diag::{Diagnostic, FileId, Location, codes, word};
use cfg_project::{MissingConfig, is_only_script};
use cfg_report::{FileReport, Sources, Stream};
use cfg_system::{Role, tidy};

use super::{Job, subject::Staged};
use crate::Outcome;

/// What was found in scripts.
pub(super) struct MissingConfigs {
    pub(super) outcome: Outcome,
    /// The number of findings that the baseline hides.
    pub(super) accepted: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Job<'_> {
    /// Reports the configs that scripts in the named folders start and that are not there: of a commit, those that it takes away, and those of the
    /// scripts that it changes.
    pub(super) fn missing_configs<W: Write>(
        &self,
        named: &[PathBuf],
        staged: Option<&Staged>,
        stream: &mut Stream<W>,
    ) -> io::Result<MissingConfigs> {
        let mut all = MissingConfigs { outcome: Outcome::Clean, accepted: 0, diagnostics: Vec::new() };
        if !self.check.command.is_empty() || self.check.configs_only && staged.is_none() {
            return Ok(all);
        }
        let is_meant = |missing: &MissingConfig| {
            let is_changed = |path: &PathBuf| staged.is_some_and(|staged| staged.changed.contains(path));
            staged.is_none_or(|staged| staged.is_all) || is_changed(&missing.script) || is_changed(&missing.path)
        };
        let mut by_script: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        for path in named.iter().map(|path| tidy(&self.cx.system.absolute(path))) {
            let index = match self.cx.system.is_folder(&path) {
                true => self.session.projects().launch_index(&path.join("cfg.toml")),
                false if is_only_script(&path) => self.session.projects().launch_index(&path),
                false => continue,
            };
            let own = index.missing().iter().filter(|missing| missing.script.starts_with(&path) && is_meant(missing));
            for missing in own.filter(|missing| self.session.projects().left_out(&missing.script, named).is_none()) {
                let found = self.missing_config(missing);
                let of_script = by_script.entry(missing.script.clone()).or_default();
                if !of_script.iter().any(|known| known.location == found.location) {
                    of_script.push(found);
                }
            }
        }
        for (script, mut found) in by_script {
            let name = self.cx.system.shown(&script);
            let text = self.cx.system.text(&script, Role::Project).unwrap_or_default();
            let control = &self.check.control;
            self.session.projects().apply_lint(Path::new(&name), &control.select, &control.ignore, &mut found, |_| false);
            let get = |_| Some((name.as_str(), text.as_str()));
            let texts = BaselineTexts { reported: Path::new(&name), get: &get };
            all.accepted += self.baselines.hide(self.session.projects(), texts, &mut found);
            if found.is_empty() {
                continue;
            }
            all.outcome = super::worse(all.outcome, self.judge(&found));
            if !self.is_quiet {
                let report = FileReport::about(&name, &found);
                stream.rendered(&self.reporter.render(&report, &Sources::single(&name, &text))?)?;
            }
            all.diagnostics.append(&mut found);
        }
        Ok(all)
    }

    fn missing_config(&self, missing: &MissingConfig) -> Diagnostic {
        let path = self.cx.system.shown(&missing.path);
        let message = format!("this launch names `{}`, which does not exist", missing.written);
        let near = cfg_compose::near_file(Path::new(&path), &*self.cx.system);
        let help = match near {
            Some(near) => format!("there is `{}`", near.display()),
            None => format!(
                "create the file, or correct its path; if something creates it before the launch, name `{}` in the script that does, or in `.gitignore`",
                word(&missing.written)
            ),
        };
        Diagnostic::new(&codes::MISSING_LAUNCHED, message).at(Location::new(FileId(0), missing.place)).help(help)
    }
}
