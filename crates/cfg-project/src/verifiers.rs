//! The verifiers that a project uses, for files with its evaluations.

use cfg_diag::Order as _;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_python::{Code, EvaluationKeys, Loader, read_evaluation, read_evaluation_keys};
use cfg_schema::compiler::{compile_program, node_at, recorded_evaluation};
use cfg_schema::{History, Kind, OpenPart, OwnCheck, OwnChecks, Version};
use cfg_system::{Role, Scope};

use crate::{Projects, ScriptClass, folder::Folder, own_program::compiled, target};

/// The verifiers around a config.
#[derive(Clone, Debug, PartialEq)]
pub enum Verifiers {
    /// Its sources are available; these keys were read from them.
    Source(EvaluationKeys),
    /// A release in a lock file.
    Release(Version, String),
    /// A commit in a lock file; the version is that of the previous release, or a development version of the next one.
    Commit(Version, String),
}

impl Projects {
    /// The verifiers that the project around a config uses; `None` if unknown.
    pub fn verifiers(&self, file: &Path) -> Option<Verifiers> {
        let folder = self.folder_of(file);
        if !folder.is_in_project() {
            return None;
        }
        // If a repository has many environments, each may have its own lock file; the nearest one is used.
        folder
            .ancestors_in_repository()
            .find_map(|folder| folder.verifiers.get_or_init(|| detect(folder).map(Box::new)).as_deref().cloned())
    }
}

/// The class of verifiers' typed evaluations, or why it is unknown.
pub type EvaluationClass = Arc<Result<Arc<ScriptClass>, String>>;

impl Projects {
    /// The class that verifiers has for typed evaluations, read from its sources around a config, or recorded for the release that the project pins;
    /// `None` if neither is here.
    pub fn evaluation_class(&self, file: &Path) -> Option<EvaluationClass> {
        let folder = self.folder_of(file);
        if !folder.is_in_project() {
            return None;
        }
        let read = |folder: &Folder| {
            let roots = roots(folder);
            let is_there = roots.iter().any(|root| folder.system().is_folder(&root.join("verifiers")));
            let class = || read_evaluation(folder.system(), roots, History::built_in().newest()).and_then(compiled).map(Arc::new);
            if is_there { Some(Arc::new(class())) } else { recorded(folder) }
        };
        folder.ancestors_in_repository().find_map(|folder| folder.evaluation_class.get_or_init(|| read(folder)).clone())
    }

    /// The version of a package in the project around a file, and as it is written: the one that is installed in its environment, or else that of its
    /// lock file; `None` if it is in neither.
    pub fn version_of(&self, file: &Path, package: &str) -> Option<(Version, String)> {
        let folder = self.folder_of(file);
        folder.ancestors_in_repository().find_map(|folder| {
            if let Some(installed) = installed(folder, package) {
                return Some(installed);
            }
            let entry = target::entry_of(&folder.text("uv.lock", Role::LockFile)?, package)?;
            let text = entry.version?;
            Some((Version::parse(&text)?, text))
        })
    }
}

/// The version of a package that is installed in the environment of a folder, as the folder with its metadata is called.
fn installed(folder: &Folder, package: &str) -> Option<(Version, String)> {
    let system = folder.system();
    let libraries = target::libraries(system, &folder.path().join(".venv"));
    libraries.iter().find_map(|library| {
        let entries = system.list(library, Scope::Anywhere).unwrap_or_default();
        entries.iter().find_map(|entry| {
            let text = entry.name.to_str()?.strip_suffix(".dist-info")?.strip_prefix(package)?.strip_prefix('-')?;
            Some((Version::parse(text)?, text.to_owned()))
        })
    })
}

/// The class in the release of verifiers that a folder pins, if it is recorded.
fn recorded(folder: &Folder) -> Option<EvaluationClass> {
    let release = target::stated_verifiers(folder.system(), folder.path())?;
    let recorded = recorded_evaluation(&release)?;
    let history = compile_program(Kind::Eval, &recorded.fields, &[]).ok()?;
    let place = format!("verifiers {release}");
    let check = |name: &str| OwnCheck { name: name.to_owned(), place: place.clone(), reads: None };
    let part = |(path, why): &(&str, &str)| {
        let root = history.root(Kind::Eval);
        let node = if path.is_empty() { Some(root) } else { node_at(root, path) };
        Some(OpenPart { node: node?.id(), why: (*why).to_owned(), is_absent: false })
    };
    let mut open: Vec<OpenPart> = recorded.open.iter().filter_map(part).collect();
    open.order_by_key(|part| part.node);
    open.dedup_by_key(|part| part.node);
    let checks = OwnChecks {
        changed: recorded.checks.iter().map(|name| check(name)).collect(),
        code: Arc::new(Code::default()),
        open: open.into(),
        unknown: Arc::default(),
        is_recorded: true,
    };
    let name = recorded.class.to_owned();
    Some(Arc::new(Ok(Arc::new(ScriptClass {
        name,
        loaded_at: place.clone(),
        place,
        loader: Loader::Cli,
        kind: Kind::Eval,
        history,
        checks,
    }))))
}

/// The folders in which Python would look for verifiers in a folder.
fn roots(folder: &Folder) -> Vec<PathBuf> {
    let mut roots = vec![folder.path().to_owned(), folder.path().join("src"), folder.path().join("deps/verifiers")];
    roots.retain(|root| folder.system().is_folder(&root.join("verifiers")));
    roots.extend(target::libraries(folder.system(), &folder.path().join(".venv")));
    roots
}

/// The verifiers of a folder: the one that Python would import there, by its sources or, if they have no list of keys, by its version; or else the locked
/// one.
fn detect(folder: &Folder) -> Option<Verifiers> {
    let system = folder.system();
    let roots = roots(folder);
    let keys = if roots.is_empty() { None } else { read_evaluation_keys(system, roots) };
    let release = || installed(folder, "verifiers").map(|(version, text)| Verifiers::Release(version, text));
    keys.map(Verifiers::Source).or_else(release).or_else(|| locked(folder))
}

fn locked(folder: &Folder) -> Option<Verifiers> {
    let package = target::entry_of(&folder.text("uv.lock", Role::LockFile)?, "verifiers")?;
    let sources = package.folder.as_ref().map(|below| folder.path().join(below));
    // A Python environment outside the repository is not used, because a text in the repository may name any path.
    if let Some(sources) = sources.filter(|sources| target::is_in_repository(folder.system(), folder.path(), sources)) {
        return read_evaluation_keys(folder.system(), vec![sources.join("src"), sources]).map(Verifiers::Source);
    }
    let text = package.version?;
    let version = Version::parse(&text)?;
    Some(if package.git.is_some() { Verifiers::Commit(version, text) } else { Verifiers::Release(version, text) })
}
