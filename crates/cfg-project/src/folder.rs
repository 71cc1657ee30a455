//! One folder, with what is known of it so far.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use cfg_system::{Role, System};

use crate::{ProjectSettings, included, registry::Registry, target};

/// A folder that holds configs, or lies above one that does. Everything is looked up once, when it is first asked for.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    system: Arc<dyn System>,
    outer: Option<Arc<Folder>>,
    pyproject: OnceLock<Option<String>>,
    is_repository: OnceLock<bool>,
    registry: OnceLock<Option<Registry>>,
    tops: OnceLock<HashMap<PathBuf, Option<PathBuf>>>,
    sources: [OnceLock<Detection>; target::SOURCES.len()],
    detected: OnceLock<Detection>,
    /// The settings that hold here; filled by [`crate::Projects`], from the root downwards.
    pub(crate) settings: OnceLock<Arc<ProjectSettings>>,
    /// The target that the settings give, in the form in which it is handed out.
    pub(crate) set_target: OnceLock<Detection>,
}

type Detection = Option<Arc<target::Detection>>;

impl Folder {
    pub(crate) fn new(path: PathBuf, system: Arc<dyn System>, outer: Option<Arc<Self>>) -> Self {
        Self {
            path,
            system,
            outer,
            pyproject: OnceLock::new(),
            is_repository: OnceLock::new(),
            registry: OnceLock::new(),
            tops: OnceLock::new(),
            sources: Default::default(),
            detected: OnceLock::new(),
            settings: OnceLock::new(),
            set_target: OnceLock::new(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn outer(&self) -> Option<&Self> {
        self.outer.as_deref()
    }

    /// The folder itself and those above it, nearest first.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |folder| folder.outer())
    }

    /// The folder itself and those above it, up to where its repository begins; where there is none, all of them.
    pub(crate) fn ancestors_in_repository(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |folder| folder.outer().filter(|_| !folder.is_repository()))
    }

    /// The text of a file in it that other tools own.
    pub(crate) fn text(&self, name: &str, role: Role) -> Option<String> {
        self.system.text(&self.path.join(name), role)
    }

    /// Where it is read.
    pub(crate) fn system(&self) -> &dyn System {
        &*self.system
    }

    /// Its configs that others of it name in `toml_files`, each with the one that all of these belong to.
    pub(crate) fn tops(&self) -> &HashMap<PathBuf, Option<PathBuf>> {
        self.tops.get_or_init(|| included::tops(&included::in_folder(&*self.system, &self.path)))
    }

    /// The text of its `pyproject.toml`.
    pub(crate) fn pyproject(&self) -> Option<&str> {
        self.pyproject.get_or_init(|| self.text("pyproject.toml", Role::Project)).as_deref()
    }

    /// Whether a git repository begins here.
    pub(crate) fn is_repository(&self) -> bool {
        *self.is_repository.get_or_init(|| self.system.is_repository(&self.path))
    }

    /// What its `registry.json` states.
    pub(crate) fn registry(&self) -> Option<&Registry> {
        self.registry.get_or_init(|| self.text("registry.json", Role::Registry).as_deref().and_then(Registry::read)).as_ref()
    }

    /// The prime-rl that the surrounding project uses.
    pub(crate) fn detected(&self) -> Detection {
        self.detected.get_or_init(|| self.detect()).clone()
    }

    /// A repository is one project: within it the surest source decides, wherever it stands, and of equally sure ones the nearest.
    /// Only where it says nothing, what is around it is asked.
    fn detect(&self) -> Detection {
        let mut rest: Vec<&Self> = self.ancestors().collect();
        while !rest.is_empty() {
            let end = rest.iter().position(|folder| folder.is_repository()).map_or(rest.len(), |root| root + 1);
            let outside = rest.split_off(end);
            for source in 0..target::SOURCES.len() {
                if let Some(found) = rest.iter().find_map(|folder| folder.source(source)) {
                    return Some(found);
                }
            }
            rest = outside;
        }
        None
    }

    fn source(&self, source: usize) -> Detection {
        self.sources[source].get_or_init(|| target::SOURCES[source](self).map(Arc::new)).clone()
    }
}
