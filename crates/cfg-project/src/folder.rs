//! A folder, with facts about it that are looked up when first needed.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use cfg_compose::WrittenLaunch;
use cfg_python::Program;
use cfg_schema::{History, Target};
use cfg_system::{Entry, Kind, Role, Scope, System, path_in};

use crate::{
    EvaluationClass, FileDay, LaunchIndex, ProjectSettings, Verifiers,
    day::{self, PageDay},
    foreign::{self, Foreign},
    git, included, may_be_config,
    own_launches::OwnLaunches,
    own_program::{NamedProgram, OwnPrograms},
    packages::{FolderPackages, Modules},
    patches,
    patches::Patch,
    registry::Registry,
    scripts::Scripts,
    target::{self, Basis, TargetSource},
};

/// The maximum number of entries of a folder that has few.
const MAX_FEW: usize = 32;

/// A folder that contains configs, or is above one that does. There may be one for each config, and most have few of these facts: a fact that takes more than two
/// words is in a box.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    system: Arc<dyn System>,
    outer: Option<Arc<Folder>>,
    shared: Arc<Shared>,
    listed: OnceLock<Box<Listed>>,
    place: OnceLock<Option<Box<Place>>>,
    pyproject: OnceLock<Option<Box<str>>>,
    /// See [`crate::Projects::is_another_trainer`].
    pub(crate) has_own_programs: OnceLock<bool>,
    is_repository: OnceLock<bool>,
    foreign: OnceLock<Option<Box<Foreign>>>,
    prime_rl_submodules: OnceLock<Box<[String]>>,
    registry: OnceLock<Option<Box<Registry>>>,
    /// See [`crate::launches`].
    pub(crate) launches: OnceLock<Box<[WrittenLaunch]>>,
    /// See [`crate::Projects::launch_index`].
    pub(crate) launched: OnceLock<Arc<LaunchIndex>>,
    pub(crate) root_of_launches: OnceLock<Option<Arc<Path>>>,
    tops: OnceLock<Box<Tops>>,
    has_few_files: OnceLock<bool>,
    sources: [OnceLock<Detection>; target::SOURCES.len()],
    detected: OnceLock<Detection>,
    packages: OnceLock<Arc<FolderPackages>>,
    patches: OnceLock<Box<[Patch]>>,
    page_days: OnceLock<Box<[PageDay]>>,
    /// See [`crate::Projects::day`].
    pub(crate) locked_day: OnceLock<Option<Box<FileDay>>>,
    /// See [`crate::Projects::verifiers`].
    pub(crate) verifiers: OnceLock<Option<Box<Verifiers>>>,
    /// See [`crate::Projects::evaluation_class`].
    pub(crate) evaluation_class: OnceLock<Option<EvaluationClass>>,
    /// The scripts that its `pyproject.toml` installs.
    pub(crate) own_scripts: OnceLock<Box<[(String, Program)]>>,
    /// See [`crate::Projects::own_launch`].
    pub(crate) own_launches: OnceLock<Box<OwnLaunches>>,
    /// See [`crate::Projects::own_programs`].
    pub(crate) own_programs: OnceLock<Arc<[NamedProgram]>>,
    /// The settings that apply in this folder; filled by [`crate::Projects`], for the outer folders first.
    pub(crate) settings: OnceLock<Arc<ProjectSettings>>,
    /// The target in the settings, as a detection result.
    pub(crate) set_target: OnceLock<Detection>,
}

/// The caches that all folders share: each fact is looked up only once, for whatever folder.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// See [`crate::Projects::own_program`].
    pub(crate) own_programs: OwnPrograms,
    /// The known facts about commits of checkouts.
    pub(crate) pasts: target::Pasts,
    /// The classes in sources.
    pub(crate) owns: target::Owns,
    /// The prime-rls in folders of projects.
    pub(crate) found: target::Found,
    /// The days of the last changes of files.
    pub(crate) changes: git::LastChanges,
    /// The Python modules in folders of projects.
    pub(crate) modules: Modules,
    /// The scripts and pages of projects.
    pub(crate) scripts: Scripts,
}

impl Shared {
    /// The target of a commit of the prime-rl in the repository whose root is `root`.
    pub(crate) fn of_commit(&self, system: &dyn System, root: &Path, sha: &str) -> Option<Target> {
        Target::parse(History::built_in(), sha).ok().or_else(|| match self.pasts.of(system, root, sha) {
            target::Past::Known(target, _) => Some(target),
            target::Past::Before | target::Past::Unknown => None,
        })
    }
}

/// The place of a folder in its repository, by real paths.
#[derive(Debug)]
struct Place {
    top: PathBuf,
    below: PathBuf,
}

/// The names in a folder.
#[derive(Debug, Default)]
struct Listed {
    files: Vec<String>,
    folders: Vec<String>,
}

type Detection = Option<Arc<target::Detection>>;

/// Configs that others include by `toml_files`, each with the config at the top of the chain.
type Tops = HashMap<PathBuf, Option<PathBuf>>;

impl Folder {
    pub(crate) fn new(path: PathBuf, system: Arc<dyn System>, shared: Arc<Shared>, outer: Option<Arc<Self>>) -> Self {
        Self {
            path,
            system,
            outer,
            shared,
            listed: OnceLock::new(),
            place: OnceLock::new(),
            pyproject: OnceLock::new(),
            has_own_programs: OnceLock::new(),
            is_repository: OnceLock::new(),
            foreign: OnceLock::new(),
            prime_rl_submodules: OnceLock::new(),
            registry: OnceLock::new(),
            launches: OnceLock::new(),
            launched: OnceLock::new(),
            root_of_launches: OnceLock::new(),
            tops: OnceLock::new(),
            has_few_files: OnceLock::new(),
            sources: Default::default(),
            detected: OnceLock::new(),
            packages: OnceLock::new(),
            patches: OnceLock::new(),
            page_days: OnceLock::new(),
            locked_day: OnceLock::new(),
            verifiers: OnceLock::new(),
            evaluation_class: OnceLock::new(),
            own_scripts: OnceLock::new(),
            own_launches: OnceLock::new(),
            own_programs: OnceLock::new(),
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

    /// The folder itself and those above it, up to the root of its repository; without a repository, all of them.
    pub(crate) fn ancestors_in_repository(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |folder| folder.outer().filter(|_| !folder.is_repository()))
    }

    /// The text of a file in it that is written for another tool.
    pub(crate) fn text(&self, name: &str, role: Role) -> Option<String> {
        self.system.text(&path_in(&self.path, name), role)
    }

    /// The system on which its files are read.
    pub(crate) fn system(&self) -> &dyn System {
        &*self.system
    }

    /// The caches that all folders share.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The known facts about commits of checkouts.
    pub(crate) fn pasts(&self) -> &target::Pasts {
        &self.shared.pasts
    }

    /// The root of the project around it: that of its repository, or else the nearest folder with a `pyproject.toml`, or the working folder.
    pub(crate) fn root(&self) -> Option<&Self> {
        let here = self.system.host().folder();
        let is_project = |above: &&Self| above.pyproject().is_some() || above.path == here;
        self.ancestors().find(|above| above.is_repository()).or_else(|| self.ancestors().find(is_project))
    }

    /// Whether it is in the repository around the configs or, without a repository, a project itself: it has a `pyproject.toml`, or the user works in it.
    /// Folders above belong to other projects.
    pub(crate) fn is_in_project(&self) -> bool {
        self.is_repository() || self.ancestors().any(Self::is_repository) || self.pyproject().is_some() || self.is_worked_in()
    }

    /// Whether the user works in it. Programs that were not started for a project run in the home folder, or at the root of the file system.
    fn is_worked_in(&self) -> bool {
        let host = self.system.host();
        let is_home = || host.variable("HOME").is_some_and(|home| self.path == Path::new(&home));
        self.path == host.folder() && self.path.parent().is_some() && !is_home()
    }

    /// The names of the files in it, in order; empty if it is not part of a project.
    pub(crate) fn files_of_project(&self) -> &[String] {
        &self.listed().files
    }

    /// The names of what else is in it: folders, and links to them; empty if it is not part of a project.
    pub(crate) fn folders_of_project(&self) -> &[String] {
        &self.listed().folders
    }

    /// Whether there may be a folder at this path below it, which begins with one of [`Self::folders_of_project`].
    pub(crate) fn may_have_folder(&self, below: &str) -> bool {
        let first = below.split('/').next().unwrap_or_default();
        self.folders_of_project().iter().any(|known| known == first)
    }

    fn listed(&self) -> &Listed {
        self.listed.get_or_init(|| {
            if !self.is_in_project() {
                return Box::default();
            }
            let entries = self.system.list(&self.path, Scope::Around).unwrap_or_default();
            let (files, folders): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|entry| entry.kind == Kind::File);
            let names = |entries: Vec<Entry>| {
                let mut names: Vec<String> = entries.into_iter().filter_map(|entry| entry.name.into_string().ok()).collect();
                names.sort();
                names
            };
            Box::new(Listed { files: names(files), folders: names(folders) })
        })
    }

    /// The day of the last commit that changed a config in it (`2026-01-06`); `None` if there is none in git.
    pub(crate) fn last_change(&self, name: &str) -> Option<String> {
        let name = Path::new(name);
        let place =
            self.place.get_or_init(|| self.place_in_repository().map(Box::new)).as_ref().filter(|_| may_be_config(name))?;
        self.shared.changes.day(&*self.system, &place.top, &place.below.join(name))
    }

    fn place_in_repository(&self) -> Option<Place> {
        self.ancestors().find(|folder| folder.is_repository())?;
        let real = self.system.real(&self.path).ok()?;
        let top = cfg_system::around(&real).find(|above| self.system.is_repository(above))?;
        let below = real.strip_prefix(top).ok()?.to_owned();
        Some(Place { top: top.to_owned(), below })
    }

    /// Its configs that others in it include by `toml_files`, each with the config at the top of the chain.
    pub(crate) fn tops(&self) -> &Tops {
        self.tops.get_or_init(|| Box::new(included::tops(&included::in_folder(&*self.system, &self.path))))
    }

    /// The same of a folder that does not have many files.
    pub(crate) fn tops_of_few(&self) -> Option<&Tops> {
        let has_few = || self.system.list(&self.path, Scope::Inside).is_ok_and(|entries| entries.len() <= MAX_FEW);
        self.has_few_files.get_or_init(has_few).then(|| self.tops())
    }

    /// The text of its `pyproject.toml`.
    pub(crate) fn pyproject(&self) -> Option<&str> {
        self.pyproject.get_or_init(|| self.text("pyproject.toml", Role::Project).map(String::into_boxed_str)).as_deref()
    }

    /// Whether it is the root of a git repository.
    pub(crate) fn is_repository(&self) -> bool {
        *self.is_repository.get_or_init(|| self.system.is_repository(&self.path))
    }

    /// The folder of another project, in the repository around it, that it is or is in.
    pub(crate) fn foreign(&self) -> Option<&Foreign> {
        let find = || self.outer()?.foreign().cloned().or_else(|| foreign::begins_at(self));
        self.foreign.get_or_init(|| find().map(Box::new)).as_deref()
    }

    /// The paths of the submodules with prime-rl in the repository of which it is the root.
    pub(crate) fn prime_rl_submodules(&self) -> &[String] {
        self.prime_rl_submodules.get_or_init(|| target::of_prime_rl(self).into())
    }

    /// The packages around its configs: those of the whole project, unless it has its own environment or packages.
    pub(crate) fn packages(&self) -> &Arc<FolderPackages> {
        self.packages.get_or_init(|| {
            let begins = |name: &str| self.system.is_folder(&path_in(&self.path, name));
            let is_own = self.is_repository() || ["environments", ".venv", "deps"].into_iter().any(begins);
            match self.outer().filter(|outer| !is_own && outer.is_in_project()) {
                Some(outer) => Arc::clone(outer.packages()),
                None => Arc::new(FolderPackages::around(self, Arc::clone(&self.system))),
            }
        })
    }

    /// The patches in it that change config classes of prime-rl.
    pub(crate) fn patches(&self) -> &[Patch] {
        self.patches.get_or_init(|| patches::read(self).into())
    }

    /// The days in its documentation pages.
    pub(crate) fn page_days(&self) -> &[PageDay] {
        self.page_days.get_or_init(|| day::read_pages(self).into())
    }

    /// The contents of its `registry.json`.
    pub(crate) fn registry(&self) -> Option<&Registry> {
        let read = || self.text("registry.json", Role::Registry).as_deref().and_then(Registry::read);
        self.registry.get_or_init(|| read().map(Box::new)).as_deref()
    }

    /// The prime-rl that the project around it uses.
    pub(crate) fn detected(&self) -> Detection {
        self.detected.get_or_init(|| self.detect().map(|found| self.shared.owns.with(&*self.system, &found))).clone()
    }

    /// The most reliable source in a repository decides, in whatever folder it is, and among equally reliable ones the nearest. A prime-rl in a folder
    /// of another part of the repository says nothing about a part that installs its own. Only if a repository has no source, the folders above it are
    /// searched.
    fn detect(&self) -> Detection {
        let mut rest: Vec<&Self> = self.ancestors().collect();
        while !rest.is_empty() {
            let end = rest.iter().position(|folder| folder.is_repository()).map_or(rest.len(), |root| root + 1);
            let outside = rest.split_off(end);
            for source in 0..target::SOURCES.len() {
                if let Some(found) = rest.iter().find_map(|folder| folder.source(source)) {
                    let own = || if target::AT_HAND.contains(&source) { installed_apart_from(&rest, &found) } else { None };
                    return own().or(Some(found));
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

/// The prime-rl that is installed for the innermost of these folders, and is not the one `at_hand` in a folder outside of it. `folders` are all those up to
/// the root of the repository, the innermost first.
fn installed_apart_from(folders: &[&Folder], at_hand: &target::Detection) -> Detection {
    let source = at_hand.as_ref().map_or_else(|problem| &problem.source, |found| &found.source);
    let (TargetSource::GitSubmodule { path } | TargetSource::GitCheckout { path }) = source else { return None };
    let outer = folders.iter().position(|folder| path.starts_with(folder.path()))?;
    let (nearer, around) = folders.split_at(outer);
    // Where prime-rl comes from in a workspace is stated at its root.
    if around.iter().any(|folder| target::of_sources(folder).is_some()) {
        return None;
    }
    let is_exact = |found: &Arc<target::Detection>| !matches!(&**found, Ok(found) if found.basis == Basis::Range);
    target::INSTALLED.filter_map(|source| nearer.iter().find_map(|folder| folder.source(source))).find(is_exact)
}
