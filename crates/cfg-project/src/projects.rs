//! The projects around the checked files, read when first needed.

mod faults;

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use cfg_diag::{Diagnostic, codes};
use cfg_meter::{Allowance, Meter, charge};
use cfg_schema::{Packages, Target};
use cfg_system::{PathMap, Role, System, around, folder_and_name, path_in};

use self::faults::not_utf8;
use crate::{
    Baseline, DeclaredDialect, DetectedTarget, LocalModel, ProjectSettings, Selector, SettingPlace, Settings, SettingsFile,
    Sourced, TargetProblem,
    folder::{Folder, Shared},
    packages::Lazily,
    patches::Patches,
    pattern_set::PatternSet,
    purpose::is_template,
    settings::read,
    target,
};

/// Returns the settings and the prime-rl for a config.
///
/// It can be shared between threads. Each folder is read only once, however many files it contains; to notice changes on the
/// disk, create a new one.
#[derive(Debug)]
pub struct Projects {
    pub(crate) system: Arc<dyn System>,
    /// The settings file of `--settings`; then no others are searched for.
    pub(crate) explicit: Option<PathBuf>,
    explicit_settings: OnceLock<Arc<ProjectSettings>>,
    explicit_target: OnceLock<Answer>,
    activated: OnceLock<Answer>,
    working: OnceLock<Answer>,
    pub(crate) shared: Arc<Shared>,
    /// See [`Projects::searched_in`].
    pub(crate) searched: OnceLock<Vec<PathBuf>>,
    /// The folders by their normalized absolute paths, as strings, whose hash is faster than that of a [`Path`]; each config needs it several times.
    folders: RwLock<PathMap<Arc<Folder>>>,
    /// The same folders by the texts of relative paths, as users and searches write them, so that these need not be made absolute again and again.
    written: RwLock<PathMap<Arc<Folder>>>,
    /// The targets that configs name by `local:` or `path:`, by folder and text.
    named: Mutex<HashMap<(PathBuf, String), Slot>>,
    /// The models in the folders that were searched.
    pub(crate) models: RwLock<Models>,
    /// The folder of the Hugging Face hub's local copies.
    pub(crate) hub: OnceLock<Option<PathBuf>>,
    /// The settings files that have errors, by their real path.
    pub(crate) wrong: Mutex<BTreeMap<PathBuf, SettingsFile>>,
    /// The patterns of the settings files.
    patterns: Mutex<Vec<(Arc<Path>, Arc<PatternSet>)>>,
    /// See [`Projects::baseline`].
    pub(crate) baselines: Mutex<BTreeMap<PathBuf, Option<Arc<Baseline>>>>,
    /// Whether settings that were read name a baseline.
    pub(crate) has_baseline: AtomicBool,
    /// See [`Projects::refused_version`].
    pub(crate) refused_version: OnceLock<(Arc<Path>, String)>,
    /// See [`Projects::odd_targets`].
    odd_targets: Mutex<BTreeMap<PathBuf, Arc<Result<DetectedTarget, TargetProblem>>>>,
}

/// What rules use of the project around a config.
#[derive(Debug)]
pub struct ProjectAround {
    /// The settings for the config.
    pub settings: Arc<ProjectSettings>,
    /// The packages around it.
    pub packages: Arc<dyn Packages>,
    /// Whether its path marks it as one for tests, benchmarks or debugging.
    pub is_for_tests: bool,
    /// Whether its name marks it as a template, whose values are to be replaced.
    pub is_template: bool,
}

/// The found models, by folder.
type Models = PathMap<Option<Arc<LocalModel>>>;

type Slot = Arc<OnceLock<Option<Result<Target, (String, String)>>>>;

type Answer = Option<Arc<Result<DetectedTarget, TargetProblem>>>;

/// What copying the settings of the folders above one may cost: usual ones do not draw from the budget of the command.
const OF_INHERITING: Allowance = Allowance { free: 20_000, most: u64::MAX };

/// The units for copying a setting, and comparing it with those that a folder has.
const OF_A_VALUE: u64 = 100;

impl Projects {
    /// The projects on a system. If a settings file is given, no others are searched for.
    pub fn new(system: Arc<dyn System>, explicit_settings: Option<&Path>) -> Self {
        Self {
            // The path must be absolute: paths in the settings are relative to their folder, which is compared with the folders of files.
            explicit: explicit_settings.map(|path| system.plain(path).into_owned()),
            system,
            explicit_settings: OnceLock::new(),
            explicit_target: OnceLock::new(),
            activated: OnceLock::new(),
            working: OnceLock::new(),
            shared: Arc::default(),
            searched: OnceLock::new(),
            folders: RwLock::default(),
            written: RwLock::default(),
            named: Mutex::default(),
            models: RwLock::default(),
            hub: OnceLock::new(),
            wrong: Mutex::default(),
            patterns: Mutex::default(),
            baselines: Mutex::default(),
            has_baseline: AtomicBool::new(false),
            refused_version: OnceLock::new(),
            odd_targets: Mutex::default(),
        }
    }

    /// The system on which their files are read.
    pub fn system(&self) -> &Arc<dyn System> {
        &self.system
    }

    /// The settings for a config. The file need not exist: in an editor it may never have been saved.
    pub fn settings(&self, file: &Path) -> Arc<ProjectSettings> {
        self.explicit_settings().unwrap_or_else(|| self.settings_of(&self.folder_of(file)))
    }

    /// The settings of `--settings`.
    pub(crate) fn explicit_settings(&self) -> Option<Arc<ProjectSettings>> {
        let explicit = self.explicit.as_ref()?;
        Some(Arc::clone(self.explicit_settings.get_or_init(|| self.read_explicit(explicit))))
    }

    /// The project around a config.
    pub fn around(&self, file: &Path) -> ProjectAround {
        let folder = self.folder_of(file);
        ProjectAround {
            settings: self.explicit_settings().unwrap_or_else(|| self.settings_of(&folder)),
            is_for_tests: self.is_for_tests(&folder, file),
            is_template: is_template(file),
            packages: Arc::new(Lazily(folder)),
        }
    }

    /// The dialect that the settings around a file declare for it.
    pub fn dialect(&self, file: &Path) -> Option<Sourced<DeclaredDialect>> {
        let project = self.settings(file);
        let dialects = &project.settings.dialects;
        if dialects.is_empty() {
            return None;
        }
        let file = self.system.plain(file);
        dialects.iter().find(|dialect| dialect.value.has(&file, dialect.place.folder())).cloned()
    }

    /// The prime-rl of the project around a config: the one in its settings, or else the one that is detected in the project, or else the one in which
    /// this process runs, or the activated one. `None` if there is none; a problem if it can't be used.
    ///
    /// The command line and the config's own metadata take precedence over this.
    pub fn target(&self, file: &Path) -> Answer {
        self.target_of(file, None)
    }

    /// As [`target`](Self::target), for a config with this text: if the project has none, the commands in its comments may go to one.
    pub fn target_in(&self, file: &Path, text: &str) -> Answer {
        self.target_of(file, Some(text))
    }

    fn target_of(&self, file: &Path, text: Option<&str>) -> Answer {
        let folder = self.folder_of(file);
        let (settings, slot) = match &self.explicit {
            Some(_) => (self.settings(file), &self.explicit_target),
            None => (self.settings_of(&folder), &folder.set_target),
        };
        if let Some(set) = slot.get_or_init(|| set_target(&settings.settings)) {
            return Some(Arc::clone(set));
        }
        let activated = || {
            let detect = || target::detect_activated(&folder).map(|found| self.shared.owns.with(&*self.system, &Arc::new(found)));
            self.activated.get_or_init(detect).clone()
        };
        let in_comments = || {
            let found = target::in_comments(&folder, text?)?;
            Some(self.shared.owns.with(&*self.system, &Arc::new(found)))
        };
        let working = || {
            let detect = || {
                let found = target::around_working_folder(&folder)?;
                Some(self.shared.owns.with(&*self.system, &Arc::new(found)))
            };
            self.working.get_or_init(detect).clone()
        };
        let Some(found) = folder.detected().or_else(in_comments).or_else(working).or_else(activated) else {
            // Settings that can't be read might state a target, so none is assumed.
            let settings = settings.unreadable.as_deref()?;
            return Some(Arc::new(DetectedTarget::of_settings(None, SettingPlace::whole_file(settings))));
        };
        let said_by = match &*found {
            Ok(detected) => detected.target.beyond().map(|_| &detected.source),
            Err(problem) => Some(&problem.source),
        };
        if let Some(source) = said_by {
            let path = source.path().unwrap_or(file).to_owned();
            self.odd_targets.lock().unwrap_or_else(PoisonError::into_inner).insert(path, Arc::clone(&found));
        }
        Some(found)
    }

    /// The target that a text in `folder` names by `local:` or `path:`; see [`target::local_target`]. Each is looked up only
    /// once.
    ///
    /// # Errors
    /// The problem, and what to do about it, if the target does not exist or can't be read.
    pub fn named_target(&self, text: &str, folder: &Path) -> Option<Result<Target, (String, String)>> {
        if !Target::is_in_files(text) {
            return None;
        }
        let key = (self.system.absolute(folder), text.to_owned());
        let slot = {
            let mut known = self.named.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(key).or_default())
        };
        slot.get_or_init(|| target::local_target(&*self.system, text, folder, target::NamedBy::Text)).clone()
    }

    /// The packages around a config.
    pub fn packages(&self, file: &Path) -> Arc<dyn Packages> {
        Arc::new(Lazily(self.folder_of(file)))
    }

    /// The packages and the patches around a config.
    pub fn packages_and_patches(&self, file: &Path) -> (Arc<dyn Packages>, Patches) {
        let folder = self.folder_of(file);
        (Arc::new(Lazily(Arc::clone(&folder))), Patches::around(folder))
    }

    /// The day of the last commit that changed a config (`2026-01-06`); `None` if there is none in git.
    pub fn last_change(&self, file: &Path) -> Option<String> {
        self.folder_of(file).last_change(file.file_name()?.to_str()?)
    }

    /// The results of [`target`](Self::target) so far that can't be used, or are newer than the history. Each has the file that states the target,
    /// or else the file for which it was requested.
    pub fn odd_targets(&self) -> Vec<(PathBuf, Arc<Result<DetectedTarget, TargetProblem>>)> {
        let odd = self.odd_targets.lock().unwrap_or_else(PoisonError::into_inner);
        odd.iter().map(|(path, answer)| (path.clone(), Arc::clone(answer))).collect()
    }

    /// The errors in a settings file with this text, which an editor may not have saved. Empty if the file is not a settings file.
    pub fn wrong_in(&self, file: &Path, text: &str) -> Vec<Diagnostic> {
        let is_explicit = self.explicit.as_ref().is_some_and(|explicit| *explicit == self.system.plain(file));
        if !is_explicit && !file.file_name().is_some_and(|name| name == "cfg.toml" || name == "pyproject.toml") {
            return Vec::new();
        }
        let folder = self.folder_of(file);
        let outer = folder.outer().map(|outer| self.settings_of(outer)).unwrap_or_default();
        read(&*self.system, text, file, &outer.settings.cards()).map(|(_, diagnostics)| diagnostics).unwrap_or_default()
    }

    /// Drops the findings of a config that its settings turn off, and sets the severities of the others. The selections of the command line are
    /// added to them; findings for which `stays` returns true are always reported.
    pub fn apply_lint(
        &self,
        file: &Path,
        select: &[Selector],
        ignore: &[Selector],
        diagnostics: &mut Vec<Diagnostic>,
        stays: impl Fn(&Diagnostic) -> bool,
    ) {
        if diagnostics.is_empty() {
            return;
        }
        let project = self.settings(file);
        let absolute = self.system.plain(file);
        let lint = &project.settings.lint;
        if select.is_empty() && ignore.is_empty() {
            lint.apply_except(&absolute, diagnostics, stays);
        } else {
            lint.with_command_line(select, ignore).apply_except(&absolute, diagnostics, stays);
        }
    }

    /// The settings files that have errors, of the projects used so far.
    pub fn diagnostics(&self) -> Vec<SettingsFile> {
        self.report_patterns();
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    pub(crate) fn folder_of(&self, file: &Path) -> Arc<Folder> {
        let is_name = |name: &OsStr| !name.as_encoded_bytes().starts_with(b".");
        let written = folder_and_name(file).filter(|(_, name)| file.is_relative() && is_name(name)).map(|(folder, _)| folder);
        if let Some(written) = written
            && let Some(known) = self.written.read().unwrap_or_else(PoisonError::into_inner).get(written.as_os_str())
        {
            return Arc::clone(known);
        }
        let plain = self.system.plain(file);
        let folder = self.folder(folder_and_name(&plain).map_or(&plain, |(folder, _)| folder));
        // Where `..` leads may change.
        let goes_back = |folder: &Path| folder.as_os_str().as_encoded_bytes().windows(2).any(|pair| pair == b"..");
        if let Some(written) = written.filter(|written| !goes_back(written)) {
            self.written.write().unwrap_or_else(PoisonError::into_inner).insert(written.into(), Arc::clone(&folder));
        }
        folder
    }

    /// The folder at an absolute path, with all those above it.
    fn folder(&self, path: &Path) -> Arc<Folder> {
        if let Some(known) = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(path.as_os_str()) {
            return Arc::clone(known);
        }
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        let (mut missing, mut outer) = (Vec::new(), None);
        for path in around(path) {
            outer = folders.get(path.as_os_str()).cloned();
            if outer.is_some() {
                break;
            }
            missing.push(path);
        }
        while let Some(path) = missing.pop() {
            let folder = Arc::new(Folder::new(path.to_owned(), Arc::clone(&self.system), Arc::clone(&self.shared), outer));
            folders.insert(path.into(), Arc::clone(&folder));
            outer = Some(folder);
        }
        outer.unwrap_or_else(|| Arc::new(Folder::new(path.to_owned(), Arc::clone(&self.system), Arc::clone(&self.shared), None)))
    }

    pub(crate) fn settings_of(&self, folder: &Folder) -> Arc<ProjectSettings> {
        if let Some(known) = folder.settings.get() {
            return Arc::clone(known);
        }
        // The outermost folder first, because each is merged over the one above it.
        let unknown: Vec<&Folder> = folder.ancestors().take_while(|folder| folder.settings.get().is_none()).collect();
        let around = unknown.last().and_then(|outermost| outermost.outer()?.settings.get());
        let mut outer = around.cloned().unwrap_or_default();
        for folder in unknown.into_iter().rev() {
            outer = Arc::clone(folder.settings.get_or_init(|| self.read_folder(folder, &outer)));
        }
        outer
    }

    /// The settings of the files in one folder, merged over `outer`. In one folder `cfg.toml` takes precedence over `pyproject.toml`.
    fn read_folder(&self, folder: &Folder, outer: &Arc<ProjectSettings>) -> Arc<ProjectSettings> {
        let whole = path_in(folder.path(), "cfg.toml");
        let (bytes, pyproject) = (self.system.read_if_there(&whole, Role::Settings), folder.pyproject());
        if matches!((&bytes, pyproject), (Ok(None), None)) {
            return Arc::clone(outer);
        }
        let mut merged = ProjectSettings::default();
        match bytes {
            Ok(None) => {}
            Ok(Some(bytes)) => self.add(&whole, &bytes, &mut merged, outer),
            Err(error) => self.unreadable(&whole, &error, &mut merged),
        }
        if let Some(text) = pyproject {
            let path = folder.path().join("pyproject.toml");
            self.add(&path, text.as_bytes(), &mut merged, outer);
        }
        if merged.files.is_empty() && merged.unreadable.is_none() {
            return Arc::clone(outer);
        }
        merged.unreadable = merged.unreadable.or_else(|| outer.unreadable.clone());
        if self.may_inherit(folder, &merged.settings, &outer.settings) {
            merged.settings.inherit(&outer.settings);
        } else {
            merged.unreadable = merged.unreadable.or_else(|| outer.files.first().cloned());
        }
        merged.files.extend(outer.files.iter().cloned());
        Arc::new(merged)
    }

    fn read_explicit(&self, path: &Path) -> Arc<ProjectSettings> {
        let mut settings = ProjectSettings::default();
        match self.system.read(path, Role::Settings) {
            Ok(bytes) => self.add(path, &bytes, &mut settings, &ProjectSettings::default()),
            Err(error) => self.unreadable(path, &error, &mut settings),
        }
        Arc::new(settings)
    }

    /// Reads a settings file into `merged`, whose existing values take precedence.
    fn add(&self, path: &Path, bytes: &[u8], merged: &mut ProjectSettings, outer: &ProjectSettings) {
        let read = match std::str::from_utf8(bytes) {
            Ok(text) => read(&*self.system, text, path, &outer.settings.cards()),
            Err(error) => {
                let settings = Settings::of_broken(&String::from_utf8_lossy(bytes), path);
                Some((settings, vec![not_utf8(error.valid_up_to())]))
            }
        };
        let Some((settings, diagnostics)) = read else { return };
        let path: Arc<Path> = Arc::from(path);
        if !settings.patterns.is_empty() {
            let patterns = (Arc::clone(&path), Arc::clone(&settings.patterns));
            self.patterns.lock().unwrap_or_else(PoisonError::into_inner).push(patterns);
        }
        if let Some(required) = settings.required_version.as_ref().filter(|required| !required.value.holds()) {
            self.refused_version.get_or_init(|| (Arc::clone(&path), required.value.to_string()));
        }
        self.has_baseline.fetch_or(settings.baseline.is_some(), Ordering::Relaxed);
        merged.settings.inherit(&settings);
        merged.files.push(Arc::clone(&path));
        self.record(SettingsFile { path, text: String::from_utf8_lossy(bytes).into_owned(), diagnostics });
    }

    /// Records a settings file that can't be read.
    fn unreadable(&self, path: &Path, error: &io::Error, merged: &mut ProjectSettings) {
        merged.unreadable = Some(Arc::from(path));
        let diagnostic = Diagnostic::new(&codes::UNREADABLE_FILE, format!("the settings can't be read: {error}"));
        self.record(SettingsFile { path: Arc::from(path), text: String::new(), diagnostics: vec![diagnostic] });
    }

    /// Whether the settings of an outer folder may be copied to a folder. A repository can have thousands of values in one folder, and thousands of folders
    /// with settings below it.
    fn may_inherit(&self, folder: &Folder, own: &Settings, outer: &Settings) -> bool {
        let _meter = Meter::begin(OF_INHERITING);
        let each = OF_A_VALUE + own.size as u64 / 4;
        let charged = charge(each.saturating_mul(outer.size as u64));
        if let Err(spent) = charged {
            let why = io::Error::other(format!("those of the folders above it are not used: {spent}"));
            self.unreadable(&path_in(folder.path(), "cfg.toml"), &why, &mut ProjectSettings::default());
        }
        charged.is_ok()
    }
}

fn set_target(settings: &Settings) -> Answer {
    let Sourced { value: target, place } = settings.target.as_ref()?.clone();
    Some(Arc::new(DetectedTarget::of_settings(target, place)))
}
