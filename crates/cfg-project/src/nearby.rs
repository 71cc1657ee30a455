//! Facts about the surroundings of a config that require access to the disk, looked up when first needed.

use std::{
    collections::HashSet,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use cfg_compose::WrittenLaunch;
use cfg_system::{Role, System};

use crate::{LocalModel, Projects, SplitRun, stages};

/// The surroundings of one config; empty by default.
#[derive(Clone, Default)]
pub struct Nearby(Option<Arc<Around>>);

#[derive(Clone)]
struct Around {
    projects: Arc<Projects>,
    /// The system on which the other files are read that the config names or that belong to its run.
    system: Arc<dyn System>,
    path: PathBuf,
    /// The files that are checked together with it.
    checked: Option<Arc<FileSet>>,
    /// See [`Nearby::hardware`].
    hardware: OnceLock<Option<String>>,
}

/// A set of files that can be asked whether it contains a path.
#[derive(Debug, Default)]
pub struct FileSet {
    paths: Vec<PathBuf>,
    absolute: OnceLock<HashSet<PathBuf>>,
}

impl Nearby {
    /// The surroundings of the config at a path.
    pub fn around(projects: &Arc<Projects>, path: &Path) -> Self {
        let system = Arc::clone(projects.system());
        let (projects, path) = (Arc::clone(projects), path.to_owned());
        Self(Some(Arc::new(Around { projects, system, path, checked: None, hardware: OnceLock::new() })))
    }

    /// The system on which other files that the config names are read; `None` without surroundings.
    pub fn system(&self) -> Option<&dyn System> {
        self.0.as_ref().map(|around| &*around.system)
    }

    /// Sets another system for reading the other files that the config names or that belong to its run.
    #[must_use]
    pub fn read_on(self, system: &Arc<dyn System>) -> Self {
        self.with(|around| Around { system: Arc::clone(system), ..around })
    }

    /// Sets the files that are checked together with it.
    #[must_use]
    pub fn beside(self, checked: &Arc<FileSet>) -> Self {
        self.with(|around| Around { checked: Some(Arc::clone(checked)), ..around })
    }

    fn with(self, change: impl FnOnce(Around) -> Around) -> Self {
        Self(self.0.map(|around| Arc::new(change(Arc::unwrap_or_clone(around)))))
    }

    /// Whether something is at a relative path, from the folder of the config or a folder above it, up to the root of its repository. `None` without
    /// surroundings, for a text that is not a file, if the path is not relative, and if it leads out of the repository.
    pub fn has_at(&self, relative: &Path) -> Option<bool> {
        let around = self.0.as_ref().filter(|_| relative.is_relative())?;
        around.system.status(&around.path).ok()?;
        let folder = around.projects.folder_of(&around.path);
        let found: Vec<Option<bool>> =
            folder.ancestors_in_repository().map(|folder| around.system.has_inside(&folder.path().join(relative))).collect();
        if found.contains(&Some(true)) { Some(true) } else { (!found.contains(&None)).then_some(false) }
    }

    /// The model of this name that is on this machine.
    pub fn model(&self, name: &str) -> Option<Arc<LocalModel>> {
        let around = self.0.as_ref()?;
        around.projects.model(name, &around.path)
    }

    /// The hardware of the config in the registry.
    pub fn hardware(&self) -> Option<String> {
        let around = self.0.as_ref()?;
        around.hardware.get_or_init(|| around.projects.registered_hardware(&around.path)).clone()
    }

    /// The launches that name the config, those in its own comments first. Only the latter without surroundings.
    pub fn launches(&self, own: &[WrittenLaunch]) -> Vec<WrittenLaunch> {
        let Some(around) = &self.0 else { return own.to_vec() };
        around.projects.launches_of(&*around.system, &around.path, own)
    }

    /// Whether a file beside it may be a config, according to its text; `None` without surroundings, and among many files, which are not read.
    pub fn is_beside(&self, may_be_config: &dyn Fn(&str) -> bool) -> Option<bool> {
        let around = self.0.as_ref()?;
        let siblings = around.projects.all_siblings(&*around.system, &around.path)?;
        // A file that can't be read may be anything.
        let is_config = |path: &PathBuf| around.system.text(path, Role::Config).is_none_or(|text| may_be_config(&text));
        Some(siblings.iter().any(is_config))
    }

    /// The texts of the configs beside it, each with its path; none without surroundings, and among many files, which are not read.
    pub fn siblings(&self) -> Vec<(PathBuf, String)> {
        let Some(around) = &self.0 else { return Vec::new() };
        let paths = around.projects.all_siblings(&*around.system, &around.path).unwrap_or_default();
        paths.into_iter().filter_map(|path| around.system.text(&path, Role::Config).map(|text| (path, text))).collect()
    }

    /// Whether another config includes it by `toml_files`. Among many files, which are not read, none does.
    pub fn is_included(&self) -> bool {
        self.0.as_ref().is_some_and(|around| {
            let is_one_of_few = || around.projects.all_siblings(&*around.system, &around.path).is_some();
            is_one_of_few() && around.projects.includer(&around.path).is_some()
        })
    }

    /// Whether another config in its folder, or the one of the same name in a neighbouring folder, is for a run that ends at this step.
    pub fn is_end_of_another(&self, step: i64) -> bool {
        self.0.as_ref().is_some_and(|around| stages::ends_with(&*around.system, &around.path, step))
    }

    /// The runs of separately started processes to which the config belongs.
    pub fn split_runs(&self) -> Vec<SplitRun> {
        let Some(around) = &self.0 else { return Vec::new() };
        let mut runs = around.projects.split_runs(&*around.system, &around.path);
        if let Some(checked) = &around.checked {
            for file in runs.iter_mut().flat_map(|run| &mut run.files) {
                file.is_checked = checked.contains(&*around.system, Path::new(&file.path));
            }
        }
        runs
    }
}

impl fmt::Debug for Nearby {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Nearby" } else { "Nowhere" })
    }
}

impl FileSet {
    /// The set of these files.
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths, absolute: OnceLock::new() }
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Whether it contains a path, in any spelling.
    pub fn contains(&self, system: &dyn System, path: &Path) -> bool {
        let all = || self.paths.iter().map(|path| system.absolute(path)).collect();
        self.absolute.get_or_init(all).contains(&system.absolute(path))
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use cfg_system::MemorySystem;

    use super::Nearby;
    use crate::Projects;

    #[test]
    fn a_file_is_looked_for_up_to_the_root_of_the_repository() {
        let files = ["/p/.git/HEAD", "/p/configs/rl.toml", "/p/configs/own.jinja", "/p/templates/shared.jinja", "/outside.jinja"];
        let system = MemorySystem::with_files(files.map(|path| (path, "")));
        let projects = Arc::new(Projects::new(Arc::new(system), None));
        let of = |config: &str, path: &str| Nearby::around(&projects, Path::new(config)).has_at(Path::new(path));
        for path in ["own.jinja", "configs/own.jinja", "templates/shared.jinja", "../templates/shared.jinja"] {
            assert_eq!(of("/p/configs/rl.toml", path), Some(true), "{path}");
        }
        for path in ["shared.jinja", "outside.jinja", "templates/own.jinja"] {
            assert_eq!(of("/p/configs/rl.toml", path), Some(false), "{path}");
        }
        // A text that is not a file may be for any folder.
        assert_eq!(of("/p/configs/other.toml", "own.jinja"), None);
        assert_eq!(of("/p/configs/rl.toml", "/p/configs/own.jinja"), None);
        assert_eq!(Nearby::default().has_at(Path::new("own.jinja")), None);
    }
}
