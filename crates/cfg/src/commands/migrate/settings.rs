//! `target` in the settings of migrated configs.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use cfg_project::{FoundFile, SettingPlace, Sourced};
use cfg_schema::Target;
use cfg_system::{Role, tidy};

use super::{Job, one::MigratedConfig};

/// A settings file that states the old prime-rl of migrated configs.
pub(super) struct OldSettings {
    /// Its path.
    pub(super) name: String,
    /// The line of `target`, counted from 1.
    pub(super) line: u32,
    /// Its text.
    pub(super) old: String,
    /// The old target.
    pub(super) from: String,
    /// The new target.
    pub(super) to: String,
    /// Its text with the new target; `Err` with the reason if it is not changed.
    pub(super) new: Result<String, String>,
}

impl Job<'_> {
    /// The settings that state another prime-rl for the migrated configs than the new one; `seen` has the places of all configs of the command.
    pub(super) fn settings(&self, all: &[MigratedConfig], seen: &HashSet<PathBuf>) -> Vec<OldSettings> {
        let mut places: BTreeMap<PathBuf, (SettingPlace, Target, Target)> = BTreeMap::new();
        for config in all {
            let settings = self.session.projects().settings(Path::new(&config.name));
            let Some(Sourced { value: Some(target), place }) = settings.settings.target.clone() else { continue };
            let to = &config.migration.to;
            if target.point != to.point {
                places.entry(place.path.to_path_buf()).or_insert_with(|| (place, target, to.clone()));
            }
        }
        places.into_values().filter_map(|(place, from, to)| self.of_place(&place, &from, &to, seen)).collect()
    }

    fn place_of(&self, path: &Path) -> PathBuf {
        tidy(&self.cx.system.absolute(path))
    }

    fn of_place(&self, place: &SettingPlace, from: &Target, to: &Target, seen: &HashSet<PathBuf>) -> Option<OldSettings> {
        let old = self.cx.system.text(&place.path, Role::Settings)?;
        let written = old.get(place.span.range())?;
        let quote = if written.starts_with('\'') { '\'' } else { '"' };
        if to.point < from.point || !written.starts_with(quote) || to.name.contains(['"', '\'', '\\']) {
            return None;
        }
        let mut new = old.clone();
        new.replace_range(place.span.range(), &format!("{quote}{}{quote}", to.name));
        let others = self.others(place, seen);
        let new = match others.as_slice() {
            _ if Target::is_in_files(&to.name) => Err("it names a checkout: change it by hand".to_owned()),
            [] => Ok(new),
            [one] => Err(format!("{one} has it, too, and is not migrated here")),
            [one, more @ ..] => Err(format!("{one} and {} more have it, too, and are not migrated here", more.len())),
        };
        Some(OldSettings {
            name: self.cx.system.shown(&place.path),
            line: place.line,
            old,
            from: from.name.clone(),
            to: to.name.clone(),
            new,
        })
    }

    /// The other configs that have their target from a settings file.
    fn others(&self, place: &SettingPlace, seen: &HashSet<PathBuf>) -> Vec<String> {
        let folder = PathBuf::from(self.cx.system.shown(place.folder()));
        let found = self.session.projects().discover(&[folder]).into_iter().flatten();
        let mut others = Vec::new();
        for FoundFile { path, .. } in found.filter(|found| !seen.contains(&self.place_of(&found.path))) {
            let settings = self.session.projects().settings(&path);
            if settings.settings.target.as_ref().is_none_or(|target| target.place.path != place.path) {
                continue;
            }
            let Some(text) = self.cx.system.text(&path, Role::Config) else { continue };
            let name = path.to_string_lossy();
            let checked = self.look(&name, &text, false, None);
            let is_one = checked.is_config && !checked.is_of_other() && checked.kind.is_some_and(|kind| !kind.is_hosted());
            if is_one && !super::one::states_target(self.session, &name, &text) {
                others.push(cfg_diag::one_line(&name).into_owned());
            }
        }
        others
    }
}
