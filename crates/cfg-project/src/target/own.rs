//! The config classes of the prime-rl that a project uses, read from its sources if these are available.

#[cfg(test)]
mod tests;
mod versions;

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    iter,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_python::{Beside, Declarations, Reading, Unknown};
use cfg_schema::{
    History, Kind, Node, NotUnderstood, OpenPart, OwnChecks, Point, Target,
    compiler::{Difference, Pin, all_nearest, differences},
};
use cfg_system::System;

use super::{
    Basis, DetectedTarget, Detection, TargetProblem, TargetSource, Unusable,
    entrypoints::OwnEntrypoints,
    installed::{entries, libraries, linked},
    pins::{of_project, pins, stated},
};
use crate::git;

/// The config classes in the sources of a prime-rl.
#[derive(Clone, Debug)]
pub struct OwnClasses {
    /// The folder that contains them.
    pub folder: PathBuf,
    /// Their schemas.
    pub history: History,
    /// The base point: the known point whose loader, launcher and checks are used for them.
    pub base: Point,
    /// Their differences from the base point.
    pub differences: Arc<[Difference]>,
    /// The validators that differ from those at the base point.
    pub checks: OwnChecks,
    /// The declared fields and docstrings, in the form of a history entry without a header.
    declared: Arc<Declared>,
    /// The scripts that load other classes.
    pub(super) entrypoints: Arc<OwnEntrypoints>,
    /// The script as whose these classes are read, if it is none of the known entrypoints.
    pub(super) entrypoint: Option<Box<str>>,
    /// Where fields are declared, by the ids of their nodes.
    lines: Arc<OnceLock<HashMap<u32, (PathBuf, u32)>>>,
}

impl PartialEq for OwnClasses {
    fn eq(&self, other: &Self) -> bool {
        (&self.folder, self.history, self.base) == (&other.folder, other.history, other.base)
    }
}

impl Eq for OwnClasses {}

/// The declared fields and their docstrings, in the form of a history entry.
#[derive(Debug)]
struct Declared {
    kinds: Vec<Vec<cfg_schema::compiler::Field>>,
    docs: BTreeMap<(usize, String), String>,
    /// The file and line of each field, by kind and path.
    places: BTreeMap<(usize, String), (PathBuf, u32)>,
}

impl OwnClasses {
    /// Whether there are no differences from the base point.
    fn is_as_known(&self) -> bool {
        self.differences.is_empty() && self.checks.changed.is_empty() && self.checks.open.is_empty()
    }

    /// The script as whose these classes are read, if it is none of the known entrypoints.
    pub fn entrypoint(&self) -> Option<&str> {
        self.entrypoint.as_deref()
    }

    /// The number of keys that the base point does not have.
    pub fn own_keys(&self) -> usize {
        self.differences.iter().filter(|one| one.known.is_none()).count()
    }

    /// The file and the line, counted from 1, in which a field of their history is declared.
    pub fn declared_at(&self, node: Node) -> Option<(&Path, u32)> {
        let lines = self.lines.get_or_init(|| {
            let of_place = |((kind, path), place): (&(usize, String), &(PathBuf, u32))| {
                let node = cfg_schema::compiler::node_at(self.history.root(Kind::ALL[*kind]), path)?;
                Some((node.id(), place.clone()))
            };
            self.declared.places.iter().filter_map(of_place).collect()
        });
        lines.get(&node.id()).map(|(path, line)| (path.as_path(), *line))
    }

    /// A description with paths relative to the folder `here`; `target` is the base point: "the prime-rl in deps/prime-rl (main line d5ce4ce84
    /// of 2026-06-12, 9 own keys)", or "(0.8.0 of 2026-08-06)" for a release.
    pub fn in_words(&self, target: &Target, here: &Path) -> String {
        let place = match self.folder.strip_prefix(here) {
            Ok(below) if !below.as_os_str().is_empty() => below.display().to_string(),
            _ if here.starts_with(&self.folder) => "this folder".to_owned(),
            _ => self.folder.display().to_string(),
        };
        let base = versions::base_in_words(self.base, target);
        let own = match self.own_keys() {
            0 => String::new(),
            1 => ", 1 own key".to_owned(),
            keys => format!(", {keys} own keys"),
        };
        let script = self.entrypoint.as_ref().map(|name| format!(", for its `{}`", cfg_diag::one_line(name))).unwrap_or_default();
        format!("the prime-rl in {place} ({base}{own}){script}")
    }

    /// The target with these classes as its history.
    pub fn target(&self, name: &str) -> Target {
        Target {
            point: self.base,
            name: name.to_owned(),
            history: self.history,
            is_beyond: false,
            own_checks: Some(self.checks.clone()),
        }
    }

    /// A history entry with the same contents, for use without the sources. `about` are comment lines about its source.
    pub fn entry(&self, about: &[String]) -> String {
        let base = History::built_in().commit_of(self.base).map(cfg_schema::Commit::sha).unwrap_or_default();
        cfg_schema::compiler::entry(about, &base, &self.declared.kinds, &listed(&self.declared.docs))
    }
}

/// Reads the classes of the prime-rl whose sources are in `folder`: a checkout, or a folder with installed packages. `None` if there are none.
///
/// # Errors
/// Why the sources can't be read.
pub fn read_own(system: &dyn System, folder: &Path, base: Option<Point>) -> Option<Result<OwnClasses, String>> {
    read_own_beside(system, folder, base, &[])
}

/// As [`read_own`], with the packages that are pinned by the project in another folder.
fn read_own_beside(
    system: &dyn System,
    folder: &Path,
    base: Option<Point>,
    pinned: &[Pin],
) -> Option<Result<OwnClasses, String>> {
    let roots = roots(system, folder)?;
    let pins = pins(system, &roots, pinned, folder);
    Some(read(system, folder, roots, base, pins))
}

fn read(
    system: &dyn System,
    folder: &Path,
    roots: Vec<PathBuf>,
    base: Option<Point>,
    pins: Vec<Pin>,
) -> Result<OwnClasses, String> {
    // If no commit is known, the base point is the one whose classes are most similar.
    let mut reading = Reading::new(system, roots);
    let (base, others) = match base {
        Some(base) => (base, Vec::new()),
        None => {
            let declared = reading.read(None)?;
            let history = cfg_schema::compiler::compile(&declared.kinds, &[], History::built_in().newest())?;
            let mut nearest = all_nearest(history).0;
            let base = nearest.pop().unwrap_or_else(|| History::built_in().newest());
            (base, if declared.seams.is_empty() { Vec::new() } else { nearest })
        }
    };
    let mut declared = reading.read(Some(Beside::with_pins(base, pins.clone())))?;
    versions::leave_open(&mut declared, &mut reading, base, others, &pins)?;
    let own = finished(system, folder, base, declared)?;
    Ok(OwnClasses { entrypoints: Arc::new(OwnEntrypoints::of(system, folder, pins)), ..own })
}

/// The classes that were read from a folder, beside their base point.
pub(super) fn finished(system: &dyn System, folder: &Path, base: Point, declared: Declarations) -> Result<OwnClasses, String> {
    let history = cfg_schema::compiler::compile(&declared.kinds, &listed(&declared.docs), base)?;
    let shown = |path: &Path| {
        let path = system.absolute(path);
        path.strip_prefix(system.absolute(folder)).unwrap_or(&path).display().to_string()
    };
    let code = declared.code.of_history(history, shown);
    let open = declared.open.iter().map(|(place, unknown)| (place, unknown.to_string(), unknown.absent.is_some()));
    let open = open_parts(history, open);
    let not_understood = |Unknown { path, line, why, .. }: Unknown| NotUnderstood { place: format!("{path}:{line}"), why };
    let unknown = declared.unknown.into_iter().map(not_understood).collect();
    let checks = OwnChecks { changed: code.changed().into(), code: Arc::new(code), open, unknown, is_recorded: false };
    Ok(OwnClasses {
        folder: folder.to_owned(),
        history,
        base,
        differences: differences(history, base).into(),
        checks,
        declared: Arc::new(Declared { kinds: declared.kinds, docs: declared.docs, places: absolute(system, declared.places) }),
        entrypoints: Arc::default(),
        entrypoint: None,
        lines: Arc::default(),
    })
}

/// The parts whose declarations are not understood, by the nodes of the history.
fn open_parts<'o>(history: History, open: impl Iterator<Item = (&'o (usize, String), String, bool)>) -> Arc<[OpenPart]> {
    let mut parts: Vec<OpenPart> = open
        .filter_map(|((kind, path), why, is_absent)| {
            let node = cfg_schema::compiler::node_at(history.root(Kind::ALL[*kind]), path)?;
            Some(OpenPart { node: node.id(), why, is_absent })
        })
        .collect();
    parts.sort_by_key(|part| part.node);
    parts.dedup_by_key(|part| part.node);
    parts.into()
}

/// The docstrings of fields, as arguments for building the history.
fn listed(docs: &BTreeMap<(usize, String), String>) -> Vec<(usize, &str, &str)> {
    docs.iter().map(|((kind, path), sentence)| (*kind, path.as_str(), sentence.as_str())).collect()
}

/// The places where fields are declared, with absolute paths.
fn absolute(
    system: &dyn System,
    places: BTreeMap<(usize, String), (Arc<str>, u32)>,
) -> BTreeMap<(usize, String), (PathBuf, u32)> {
    places.into_iter().map(|(of, (path, line))| (of, (system.absolute(Path::new(&*path)), line))).collect()
}

/// The folders in a prime-rl that contain its package.
const OWN: [&str; 3] = ["packages/prime-rl-configs/src", "src", ""];

/// The modules with the classes of a kind, one line for each kind: a prime-rl has one of most of them.
const MODULES: [&[&str]; 4] = [
    &["configs/rl.py", "rl.py", "entrypoints/rl.py"],
    &["configs/trainer.py", "trainer/rl/config.py", "trainer/config.py"],
    &["configs/orchestrator.py", "orchestrator/config.py"],
    &["configs/inference.py", "inference/config.py"],
];

/// Whether a folder contains the sources of a prime-rl.
pub(super) fn has_sources(system: &dyn System, folder: &Path) -> bool {
    roots(system, folder).is_some()
}

/// Whether a folder contains the package of a prime-rl with config classes. Other folders of its name contain configs.
pub(super) fn is_package(system: &dyn System, folder: &Path) -> bool {
    let is_module = |root: &Path, module: &str| system.is_file(&root.join("prime_rl").join(module));
    let holds = |root: &Path| MODULES.iter().filter(|module| module.iter().any(|module| is_module(root, module))).count() > 1;
    OWN.iter().map(|inner| folder.join(inner)).any(|root| system.is_folder(&root.join("prime_rl")) && holds(&root))
}

/// The folders in which Python looks for prime-rl and the packages that its configs use; `None` if prime-rl is not there.
pub(crate) fn roots(system: &dyn System, folder: &Path) -> Option<Vec<PathBuf>> {
    // Removes `.` components, so that `./src` is displayed as `src`.
    let folder = &folder.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
    let own = OWN.map(|inner| folder.join(inner));
    let holds = |root: &PathBuf| system.is_folder(&root.join("prime_rl"));
    let first = own.iter().position(holds)?;
    let mut roots: Vec<PathBuf> = own[first..].iter().filter(|root| holds(root)).cloned().collect();
    for package in ["verifiers", "renderers", "pydantic-config"] {
        let package = folder.join("deps").join(package);
        roots.extend([package.join("src"), package].into_iter().filter(|root| system.is_folder(root)));
    }
    roots.extend(libraries(system, &folder.join(".venv")));
    Some(roots)
}

/// A cache of the prime-rls of projects: one for each folder of sources with its pins, and one for each point with its pins if there are no sources.
#[derive(Debug, Default)]
pub(crate) struct Owns {
    read: SharedResults<PathBuf, Result<Arc<OwnClasses>, String>>,
    recorded: SharedResults<Point, (History, OwnChecks)>,
}

/// The results, by source and pins.
type SharedResults<K, T> = Mutex<HashMap<(K, Vec<Pin>), Slot<T>>>;

type Slot<T> = Arc<OnceLock<Option<T>>>;

fn slot<K: Eq + Hash, T>(known: &SharedResults<K, T>, key: (K, Vec<Pin>)) -> Slot<T> {
    Arc::clone(known.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default())
}

impl Owns {
    /// A detected target with the classes of its sources, if these are available.
    pub(crate) fn with(&self, system: &dyn System, found: &Arc<Detection>) -> Arc<Detection> {
        let system = of_sources(system, found);
        let source = match &**found {
            Ok(detected) => &detected.source,
            Err(problem) => &problem.source,
        };
        let commit = match &**found {
            Ok(detected) => detected.basis.commit().unwrap_or(&detected.target.name),
            Err(problem) => problem.commit().unwrap_or_default(),
        };
        let project = match source {
            TargetSource::UvLock { path } | TargetSource::Pyproject { path } | TargetSource::Requirements { path } => {
                path.parent()
            }
            _ => None,
        };
        let is_it = |folder: &PathBuf| system.revision().is_none() || is_of_revision(system, found, folder);
        let Some(folder) = sources(system, source, commit).filter(is_it) else { return self.beside_pins(system, found, project) };
        // If the target only approximates the prime-rl, by a date or a range, the base point is derived from the classes.
        let base = match &**found {
            Ok(DetectedTarget { target, basis: Basis::Named | Basis::Ancestor { .. }, .. }) => Some(target.point),
            _ => None,
        };
        let pins = project.map(|project| stated(system, project)).unwrap_or_default();
        let slot = slot(&self.read, (folder.clone(), pins.clone()));
        let own = match slot.get_or_init(|| Some(read_own_beside(system, &folder, base, &pins)?.map(Arc::new))) {
            Some(Ok(own)) => own,
            Some(Err(why)) => return self.unread(system, found, project, why),
            None => return self.beside_pins(system, found, project),
        };
        let detected = match &**found {
            Ok(detected) if own.is_as_known() => {
                let target = as_known(&detected.target, base, (own.base, own.history), &own.checks);
                DetectedTarget { target, own: Some(Arc::clone(own)), ..detected.clone() }
            }
            Ok(detected) => {
                let target = own.target(&detected.target.name);
                DetectedTarget { target, own: Some(Arc::clone(own)), ..detected.clone() }
            }
            Err(problem) => {
                let name = History::built_in().commit_of(own.base).map(cfg_schema::Commit::short_sha).unwrap_or_default();
                let (target, basis) = (own.target(&name), Basis::Named);
                DetectedTarget { target, source: problem.source.clone(), basis, own: Some(Arc::clone(own)) }
            }
        };
        Arc::new(Ok(detected))
    }

    /// A target whose sources can't be read.
    fn unread(&self, system: &dyn System, found: &Arc<Detection>, project: Option<&Path>, why: &str) -> Arc<Detection> {
        match &**found {
            Err(problem) if problem.unusable == Unusable::NoCommit(None) => {
                let unusable = Unusable::NoCommit(Some(why.to_owned()));
                Arc::new(Err(TargetProblem { unusable, ..problem.clone() }))
            }
            _ => self.beside_pins(system, found, project),
        }
    }

    /// A target without sources, in a project that may pin other versions of packages than that prime-rl does: uses the recorded
    /// fields of these packages.
    fn beside_pins(&self, system: &dyn System, found: &Arc<Detection>, project: Option<&Path>) -> Arc<Detection> {
        let (Ok(detected), Some(project)) = (&**found, project) else { return Arc::clone(found) };
        let pins = of_project(system, project);
        let point = detected.target.point;
        if pins.is_empty() {
            return Arc::clone(found);
        }
        let slot = slot(&self.recorded, (point, pins.clone()));
        let Some((history, checks)) = slot.get_or_init(|| recorded(point, &pins)) else { return Arc::clone(found) };
        let unknown = detected.source.path().map(|path| system.shown(path)).map(|place| {
            let mut reasons: Vec<&String> = checks.open.iter().map(|part| &part.why).collect();
            reasons.sort_unstable();
            reasons.dedup();
            reasons.into_iter().map(|why| NotUnderstood { place: place.clone(), why: why.clone() }).collect()
        });
        let checks = OwnChecks { unknown: unknown.unwrap_or_default(), ..checks.clone() };
        let target = Target { history: *history, own_checks: Some(checks), ..detected.target.clone() };
        Arc::new(Ok(DetectedTarget { target, ..detected.clone() }))
    }
}

/// A target whose sources have the classes of the known point `own`. If no commit said so (`base`) and its own point has other classes, these say more
/// than the date of a commit that nobody knows, such as that of a copy that was committed anew.
fn as_known(detected: &Target, base: Option<Point>, own: (Point, History), checks: &OwnChecks) -> Target {
    let (point, history) = own;
    let stays = base.is_some() || (!detected.is_beyond && differences(history, detected.point).is_empty());
    let target = Target { own_checks: Some(checks.clone()), ..detected.clone() };
    if stays { target } else { Target { point, is_beyond: false, ..target } }
}

/// The recorded fields of a point with other versions of packages; `None` if these are the same as at the point.
fn recorded(point: Point, pins: &[Pin]) -> Option<(History, OwnChecks)> {
    let cfg_schema::compiler::Beside { kinds, open } = cfg_schema::compiler::beside(point, pins)?;
    let history = cfg_schema::compiler::compile(&kinds, &[], point).ok()?;
    let open = open_parts(history, open.iter().map(|(place, why)| (place, why.clone(), true)));
    let code = Arc::new(Declarations::default().code);
    Some((history, OwnChecks { changed: Arc::default(), code, open, unknown: Arc::default(), is_recorded: true }))
}

/// The system with the sources: a prime-rl in the project need not be part of its commits.
fn of_sources<'s>(system: &'s dyn System, found: &Detection) -> &'s dyn System {
    let source = match found {
        Ok(detected) => &detected.source,
        Err(problem) => &problem.source,
    };
    match (source, system.with_untracked()) {
        (TargetSource::GitCheckout { path }, Some(all)) if !has_sources(system, path) => all,
        _ => system,
    }
}

/// Whether sources that are on the disk today are those of the prime-rl that an earlier revision of a project uses: they are in the revision itself, or in
/// a checkout of its commit.
fn is_of_revision(system: &dyn System, found: &Detection, folder: &Path) -> bool {
    let Ok(detected) = found else { return false };
    match &detected.source {
        TargetSource::GitCheckout { .. } | TargetSource::Installed { .. } => true,
        TargetSource::GitSubmodule { .. } => {
            let here = git::head(system, folder).and_then(|sha| Target::parse(History::built_in(), &sha).ok());
            here.is_some_and(|here| here.point == detected.target.point)
        }
        // The environment of today has the packages of today; a cache has those of each commit.
        _ => !folder.components().any(|part| part.as_os_str() == ".venv"),
    }
}

/// The folder of the sources that a project uses; `None` if it is unknown.
fn sources(system: &dyn System, source: &TargetSource, commit: &str) -> Option<PathBuf> {
    let holds = |folder: &PathBuf| has_sources(system, folder);
    match source {
        TargetSource::GitCheckout { path } | TargetSource::GitSubmodule { path } => Some(path.clone()).filter(holds),
        TargetSource::Installed { path } => {
            let library = path.parent()?;
            iter::once(library.to_owned()).chain(linked(system, library)).find(holds)
        }
        TargetSource::UvLock { path } | TargetSource::Pyproject { path } | TargetSource::Requirements { path } => {
            let installed = libraries(system, &path.parent()?.join(".venv")).into_iter().find(holds);
            installed.or_else(|| in_cache(system, commit).filter(holds))
        }
        TargetSource::Metadata | TargetSource::Settings(_) | TargetSource::Script { .. } => None,
    }
}

/// The folder in uv's cache with the sources of a commit.
fn in_cache(system: &dyn System, commit: &str) -> Option<PathBuf> {
    let is_hash = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let variable = |name: &str| system.host().variable(name).map(PathBuf::from);
    let cache = variable("UV_CACHE_DIR")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("uv")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache/uv")))
        .filter(|_| is_hash)?;
    let checkouts = cache.join("git-v0/checkouts");
    let is_commit = |name: &str| name.len() >= 7 && (commit.starts_with(name) || name.starts_with(commit));
    let repositories = entries(system, &checkouts, |_| true);
    let mut commits = repositories.iter().flat_map(|repository| entries(system, repository, is_commit));
    commits.find(|path| has_sources(system, path))
}
