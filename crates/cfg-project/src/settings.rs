//! The settings of a project: `cfg.toml`, or `[tool.cfg]` in `pyproject.toml`.

mod description;
mod dialect;
mod lint;
mod nearest;
mod paths;
mod read;
mod read_gpus;
mod read_lint;
mod read_preflight;
mod read_prices;
mod read_tables;
mod reader;
mod required;
mod selector;
mod watch;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_diag::{Diagnostic, FileId};
use cfg_memory::Bytes;
pub use cfg_memory::{catalogue::Gpu as Card, hardware::Named as Gpu};
pub use cfg_schema::ExtraType;
use cfg_schema::Target;

pub use description::{SETTINGS, Setting, SettingType, setting_at, settings_in, settings_schema, settings_table};
pub use dialect::DeclaredDialect;
pub use lint::{Level, Lint, PerFile, SettingOfLevel};
pub use paths::PathPattern;
pub(crate) use read::read;
pub use read::read_settings;
pub use required::RequiredVersion;
pub use selector::Selector;
pub use watch::Watch;

use crate::{SettingPlace, Sourced, pattern_set::PatternSet};

/// The values of the settings files, each with its place. Values that are not set in any file are empty.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `target`: the prime-rl of the configs. The inner value is `None` if the given one is invalid: then the target is unknown.
    pub target: Option<Sourced<Option<Target>>>,
    /// `gpu`: the hardware of the configs.
    pub gpu: Option<Sourced<Gpu>>,
    /// `[gpus]`: cards that are missing in the built-in table, or differ from it.
    pub gpus: Vec<Sourced<Card>>,
    /// `[prices]`: the price of a card's hour, in dollars, by the card's name.
    pub prices: BTreeMap<String, Sourced<f64>>,
    /// `disk`: the free disk space for a run, in bytes.
    pub disk: Option<Sourced<Bytes>>,
    /// `[lint]`: which findings are reported, and with which severity.
    pub lint: Lint,
    /// `baseline`: the file of accepted findings, as an absolute path.
    pub baseline: Option<Sourced<PathBuf>>,
    /// `exclude`: files and folders in which no configs are searched for. Those of all settings files above a config apply.
    pub exclude: Vec<PathPattern>,
    /// `extend-include`: files and folders of other repositories in which configs are searched for nevertheless.
    pub extend_include: Vec<PathPattern>,
    /// `required-version`: the versions of this program for which the settings are written.
    pub required_version: Option<Sourced<RequiredVersion>>,
    /// `[[group]]`: the files of a split run.
    pub groups: Vec<Sourced<Group>>,
    /// `[[dialect]]`: files that are configs of other programs. Those of nearer settings files come first.
    pub dialects: Vec<Sourced<DeclaredDialect>>,
    /// `[extend]`: the keys of a prime-rl fork beyond the known ones, by their dotted path.
    pub extend: BTreeMap<String, Sourced<ExtraType>>,
    /// `[environments."org/name"]`: facts about an environment, by the environment's name and by key.
    pub environments: BTreeMap<String, BTreeMap<String, Sourced<toml::Value>>>,
    /// `[preflight]`: what each training machine must have.
    pub preflight: Preflight,
    /// `[watch]`: the limits for the measurements of a run.
    pub watch: Watch,
    /// The patterns of the settings file, of which [`DeclaredDialect`] and [`PathPattern`] have some.
    pub(crate) patterns: Arc<PatternSet>,
    /// The number of keys and items in the settings files.
    pub(crate) size: usize,
}

/// What a project requires of its training machines, beyond what prime-rl needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preflight {
    /// Variables that must be set.
    pub variables: Vec<Sourced<Box<str>>>,
    /// Programs that must be in the PATH.
    pub programs: Vec<Sourced<Box<str>>>,
    /// Files that must exist; `~` is the home folder, and other paths are relative to the folder in which the run starts.
    pub files: Vec<Sourced<Box<str>>>,
}

/// The files of a split run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The trainer's file, as an absolute path.
    pub trainer: Option<PathBuf>,
    /// The orchestrator's.
    pub orchestrator: Option<PathBuf>,
    /// The inference server's.
    pub inference: Option<PathBuf>,
}

/// The settings for the configs of one folder.
#[derive(Clone, Debug, Default)]
pub struct ProjectSettings {
    /// The settings, merged key by key.
    pub settings: Settings,
    /// The contributing files, nearest first.
    pub files: Vec<Arc<Path>>,
    /// The nearest settings file that can't be read; its values are unknown.
    pub unreadable: Option<Arc<Path>>,
}

/// A settings file and its errors.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    /// Its absolute path.
    pub path: Arc<Path>,
    /// Its text. Bytes that are not UTF-8 are replaced.
    pub text: String,
    /// The errors. Every location is in this file, which is number 0; [`SettingsFile::numbered`] changes that number.
    pub diagnostics: Vec<Diagnostic>,
}

impl Settings {
    /// The settings of a text that is not TOML: empty, except that the target is unknown if the text contains one.
    pub(crate) fn of_broken(text: &str, path: &Path) -> Self {
        let states_target = text.lines().any(|line| line.trim_start().starts_with("target"));
        Self { target: states_target.then(|| Sourced::new(None, SettingPlace::whole_file(path))), ..Self::default() }
    }

    /// Copies values that are not set here from a settings file in an outer folder, key by key.
    pub(crate) fn inherit(&mut self, outer: &Self) {
        self.size = self.size.saturating_add(outer.size);
        inherit(&mut self.target, outer.target.as_ref());
        inherit(&mut self.gpu, outer.gpu.as_ref());
        inherit(&mut self.disk, outer.disk.as_ref());
        for gpu in &outer.gpus {
            if !self.gpus.iter().any(|own| own.value.name.eq_ignore_ascii_case(&gpu.value.name)) {
                self.gpus.push(gpu.clone());
            }
        }
        for (name, price) in &outer.prices {
            self.prices.entry(name.clone()).or_insert_with(|| price.clone());
        }
        self.lint.inherit(&outer.lint);
        inherit(&mut self.baseline, outer.baseline.as_ref());
        inherit(&mut self.required_version, outer.required_version.as_ref());
        self.exclude.extend(outer.exclude.iter().cloned());
        self.extend_include.extend(outer.extend_include.iter().cloned());
        if self.groups.is_empty() {
            self.groups.clone_from(&outer.groups);
        }
        self.dialects.extend(outer.dialects.iter().cloned());
        for (path, extra) in &outer.extend {
            self.extend.entry(path.clone()).or_insert_with(|| extra.clone());
        }
        for (name, bound) in &outer.watch.bounds {
            self.watch.bounds.entry(name.clone()).or_insert_with(|| bound.clone());
        }
        let Preflight { variables, programs, files } = &outer.preflight;
        let own = &mut self.preflight;
        for (own, outer) in [(&mut own.variables, variables), (&mut own.programs, programs), (&mut own.files, files)] {
            if own.is_empty() {
                own.clone_from(outer);
            }
        }
        for (name, keys) in &outer.environments {
            let own = self.environments.entry(name.clone()).or_default();
            for (key, value) in keys {
                own.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
}

impl Settings {
    /// The cards that `[gpus]` declares.
    pub fn cards(&self) -> Vec<Card> {
        self.gpus.iter().map(|gpu| gpu.value.clone()).collect()
    }
}

impl Group {
    /// The paths of its files.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.trainer, &self.orchestrator, &self.inference].into_iter().flatten()
    }
}

impl SettingsFile {
    /// Its diagnostics, with the number that the caller has for the file.
    pub fn numbered(&self, file: FileId) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics.clone();
        for diagnostic in &mut diagnostics {
            let related = diagnostic.related.iter_mut().map(|related| &mut related.location);
            for location in diagnostic.location.iter_mut().chain(related) {
                location.file = file;
            }
        }
        diagnostics
    }
}

fn inherit<T: Clone>(own: &mut Option<T>, outer: Option<&T>) {
    if own.is_none() {
        *own = outer.cloned();
    }
}

impl<T> Sourced<T> {
    pub(crate) const fn new(value: T, place: SettingPlace) -> Self {
        Self { value, place }
    }
}
