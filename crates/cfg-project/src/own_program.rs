//! The programs of a project that load a config class of their own: entries of `[project.scripts]`, modules and files of Python.

use cfg_diag::Order as _;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_python::{Loader, Program, ProgramClass, ProgramConfig, read_program};
use cfg_schema::{Entrypoint, History, Kind, NotUnderstood, OpenPart, OwnChecks};
use cfg_system::{Kind as EntryKind, Role, Scope, System, folder_and_name, path_in, tidy};
use toml::de::DeTable;

use crate::{Projects, folder::Folder, packages::workspace, target};

/// How a command names the program that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramName<'w> {
    /// A script that a project installs: `train`.
    Script(&'w str),
    /// A module behind `-m`: `zeroband.train`.
    Module(&'w str),
    /// A file: `src/zeroband/train.py`.
    File(&'w str),
}

/// The config of a program.
#[derive(Debug)]
pub enum OwnProgram {
    /// That of an entrypoint of prime-rl.
    Known(Kind),
    /// A class of its own.
    Own(ScriptClass),
}

/// The config class of a program.
#[derive(Debug)]
pub struct ScriptClass {
    /// Its name.
    pub name: String,
    /// The place of its definition: `src/zeroband/config.py:12`.
    pub place: String,
    /// How the program gets its values.
    pub loader: Loader,
    /// The place of the call that loads it: `src/zeroband/train.py:30`.
    pub loaded_at: String,
    /// The kind at which the history has its fields.
    pub kind: Kind,
    /// A history that has nothing else.
    pub history: History,
    /// Its checks.
    pub checks: OwnChecks,
}

/// The result for a program: its config, or why it is unknown.
pub type ProgramResult = Arc<Result<OwnProgram, String>>;

/// The programs that were read, by the folder of their project.
#[derive(Debug, Default)]
pub(crate) struct OwnPrograms(Mutex<HashMap<(PathBuf, Program), Slot>>);

type Slot = Arc<OnceLock<ProgramResult>>;

/// The maximum number of programs whose configs are read of their own accord.
const MAX_PROGRAMS: usize = 64;

/// The maximum number of scripts of a project.
const MAX_SCRIPTS: usize = 200;

impl Projects {
    /// The config of the program that a command names, in the project around a file; `None` if the project has no such program, or it is prime-rl's.
    pub fn own_program(&self, around: &Path, name: ProgramName<'_>) -> Option<ProgramResult> {
        let folder = self.folder_of(around);
        if !folder.is_in_project() {
            return None;
        }
        folder.ancestors_in_repository().find_map(|folder| self.program_in(folder, name))
    }

    fn program_in(&self, folder: &Folder, name: ProgramName<'_>) -> Option<ProgramResult> {
        let system = folder.system();
        let (program, before) = match name {
            ProgramName::Script(name) => (scripts(folder).iter().find(|(script, _)| script == name)?.1.clone(), None),
            ProgramName::Module(name) => {
                let is_name = |part: &str| !part.is_empty() && !part.contains(['/', '\\']);
                if !name.split('.').all(is_name) {
                    return None;
                }
                let module = own_roots(system, folder).iter().find_map(|root| {
                    let path = root.join(name.replace('.', "/"));
                    // A package runs this module of it.
                    let is_package = system.is_file_inside(&path.join("__main__.py"));
                    let is_module =
                        || system.is_file_inside(&path.with_extension("py")) || system.is_file_inside(&path.join("__init__.py"));
                    if is_package { Some(format!("{name}.__main__")) } else { is_module().then(|| name.to_owned()) }
                })?;
                (Program { module: module.into(), function: None }, None)
            }
            ProgramName::File(path) => {
                let path = tidy(&path_in(folder.path(), path));
                // A comment of a repository may name any file.
                let root = folder.root().unwrap_or(folder).path();
                if !path.starts_with(root) || !system.is_file_inside(&path) {
                    return None;
                }
                let (home, file) = folder_and_name(&path)?;
                let module = Path::new(file).file_stem()?.to_str()?.to_owned();
                // Python looks for modules beside a file that it runs first.
                (Program { module: module.into(), function: None }, Some(home.to_owned()))
            }
        };
        // prime-rl's own programs are known, whatever their project is called; a fork may have others.
        let is_of_prime_rl = program.is_of_prime_rl();
        let own_name = match name {
            ProgramName::Script(name) => name.to_owned(),
            _ => program.module.rsplit('.').next().unwrap_or_default().replace('_', "-"),
        };
        if is_of_prime_rl && is_entrypoint(&own_name) {
            return None;
        }
        let home = before.clone().unwrap_or_else(|| folder.path().to_owned());
        let slot = {
            let mut known = self.shared.own_programs.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry((home, program.clone())).or_default())
        };
        let read = || {
            let mut roots: Vec<PathBuf> = before.into_iter().collect();
            roots.extend(own_roots(system, folder));
            roots.extend(target::roots(system, folder.path()).unwrap_or_default());
            roots.extend(target::libraries(system, &folder.path().join(".venv")));
            Arc::new(read(system, roots, &program))
        };
        let config = Arc::clone(slot.get_or_init(read));
        // Which entrypoint a module of prime-rl belongs to is known without its class.
        let is_own = matches!(&*config, Ok(OwnProgram::Own(_)));
        (is_own || !is_of_prime_rl || matches!(name, ProgramName::Script(_))).then_some(config)
    }

    /// The names of the scripts that the project around a file installs and that are no entrypoints of prime-rl.
    pub fn own_scripts(&self, around: &Path) -> Vec<String> {
        let folder = self.folder_of(around);
        let nearest = folder.ancestors_in_repository().find(|folder| folder.pyproject().is_some());
        nearest.map(|folder| names(folder).map(str::to_owned).collect()).unwrap_or_default()
    }

    /// The programs of the project around a file that are no entrypoints of prime-rl, each with its config: the scripts that it installs and, if it does not
    /// use prime-rl, its files of Python that are run and load a config. They are read once.
    pub fn own_programs(&self, around: &Path) -> Arc<[NamedProgram]> {
        let folder = self.folder_of(around);
        let nearest = folder.ancestors_in_repository().find(|folder| folder.pyproject().is_some());
        let Some(nearest) = nearest.filter(|_| folder.is_in_project()) else { return Arc::default() };
        let read = || {
            let scripts = names(nearest).map(|name| (name.to_owned(), ProgramName::Script(name)));
            let scripts = scripts.filter_map(|(name, program)| Some((name, self.program_in(nearest, program)?)));
            let files = if names_prime_rl(nearest) { Vec::new() } else { runnable(nearest) };
            let files = files.into_iter().filter_map(|file| {
                let config = self.program_in(nearest, ProgramName::File(&file))?;
                Some((file, config))
            });
            scripts.chain(files).take(MAX_PROGRAMS).collect()
        };
        Arc::clone(nearest.own_programs.get_or_init(read))
    }

    /// Whether the project around a file uses prime-rl, or is it.
    pub fn uses_prime_rl(&self, around: &Path) -> bool {
        let folder = self.folder_of(around);
        folder.ancestors_in_repository().find(|folder| folder.pyproject().is_some()).is_some_and(names_prime_rl)
    }
}

fn names_prime_rl(folder: &Folder) -> bool {
    folder.pyproject().is_some_and(|text| text.contains("prime-rl") || text.contains("prime_rl"))
}

/// A program by its name, with its config.
pub type NamedProgram = (String, ProgramResult);

/// Whether a name is that of an entrypoint that prime-rl has or had.
fn is_entrypoint(name: &str) -> bool {
    name.parse::<Kind>().is_ok() || Entrypoint::named(name).next().is_some()
}

/// The scripts that a folder's `pyproject.toml` installs.
fn scripts(folder: &Folder) -> &[(String, Program)] {
    folder.own_scripts.get_or_init(|| folder.pyproject().map(installed).unwrap_or_default().into())
}

/// The names of those that are no entrypoints of prime-rl.
fn names(folder: &Folder) -> impl Iterator<Item = &str> {
    let is_own = |(name, program): &&(String, Program)| {
        name.parse::<Kind>().is_err() && !(program.is_of_prime_rl() && is_entrypoint(name))
    };
    scripts(folder).iter().filter(is_own).map(|(name, _)| &**name)
}

/// The maximum number of files of Python that are looked through, and how many folders deep.
const MAX_FILES: usize = 300;
const MAX_DEEP: usize = 4;

/// Words of which one is in a file that loads a config.
const LOADS: [&str; 5] = ["parse_argv", "pydantic_config", "tomllib", "toml.load", "load_config"];

/// Texts of modules that load a config when they are imported: no program of the project is needed to find it.
const AT_IMPORT: [&str; 3] = ["TomlConfigSettingsSource", "(**tomllib.load", "(**toml.load"];

/// The files of a project that load a config when they are run or imported.
fn runnable(folder: &Folder) -> Vec<String> {
    let (system, mut found, mut seen) = (folder.system(), Vec::new(), 0);
    let mut folders = vec![(folder.path().to_owned(), 0)];
    while let Some((path, depth)) = folders.pop() {
        let mut entries = system.list(&path, Scope::Around).unwrap_or_default();
        entries.order_by(|one, other| one.name.cmp(&other.name));
        for entry in entries {
            let Some(name) = entry.name.to_str().filter(|name| !name.starts_with(['.', '_']) || *name == "__main__.py") else {
                continue;
            };
            let below = path.join(name);
            if entry.kind == EntryKind::Folder && depth < MAX_DEEP && !matches!(name, "tests" | "test" | "docs" | "node_modules")
            {
                folders.push((below, depth + 1));
                continue;
            }
            if entry.kind != EntryKind::File || below.extension().is_none_or(|ending| ending != "py") || seen >= MAX_FILES {
                continue;
            }
            seen += 1;
            let Some(text) = system.text(&below, Role::Source) else { continue };
            let is_run = name == "__main__.py" || text.contains("\"__main__\"") || text.contains("'__main__'");
            let loads = |words: &[&str]| words.iter().any(|word| text.contains(word));
            if (loads(&AT_IMPORT) || is_run && loads(&LOADS))
                && let Some(shown) = below.strip_prefix(folder.path()).ok().and_then(Path::to_str)
            {
                found.push(shown.to_owned());
            }
        }
    }
    found.sort_unstable();
    found.truncate(MAX_SCRIPTS);
    found
}

/// The folders of a project that have its own modules.
fn own_roots(system: &dyn System, folder: &Folder) -> Vec<PathBuf> {
    let members = folder.pyproject().map(|text| workspace::members(system, folder.path(), text)).unwrap_or_default();
    let homes = std::iter::once(folder.path().to_owned()).chain(members);
    let with_src = |home: PathBuf| [home.join("src"), home];
    homes.flat_map(with_src).filter(|root| system.is_folder(root)).collect()
}

fn read(system: &dyn System, roots: Vec<PathBuf>, program: &Program) -> Result<OwnProgram, String> {
    let newest = History::built_in().newest();
    match read_program(system, roots, program, newest)? {
        ProgramConfig::Known(kind) => Ok(OwnProgram::Known(kind)),
        ProgramConfig::Own(class) => compiled(*class).map(OwnProgram::Own),
    }
}

pub(crate) fn compiled(class: ProgramClass) -> Result<ScriptClass, String> {
    let ProgramClass { name, place, loader, loaded_at, kind, declared } = class;
    let at = kind.entrypoint() as usize;
    let docs: Vec<(&str, &str)> = declared.docs.iter().map(|((_, path), sentence)| (path.as_str(), sentence.as_str())).collect();
    let history = cfg_schema::compiler::compile_program(kind, declared.kinds.get(at).map_or(&[][..], Vec::as_slice), &docs)
        .map_err(|why| format!("the class `{name}` can't be used: {why}"))?;
    let code = declared.code.of_history(history, |path| path.display().to_string());
    let mut open: Vec<OpenPart> = declared
        .open
        .iter()
        .filter_map(|((_, path), unknown)| {
            let node = cfg_schema::compiler::node_at(history.root(kind), path)?;
            Some(OpenPart { node: node.id(), why: unknown.to_string(), is_absent: unknown.absent.is_some() })
        })
        .collect();
    open.order_by_key(|part| part.node);
    open.dedup_by_key(|part| part.node);
    let unknown = declared.unknown.into_iter();
    let unknown = unknown.map(|unknown| NotUnderstood { place: format!("{}:{}", unknown.path, unknown.line), why: unknown.why });
    let checks = OwnChecks {
        changed: code.changed().into(),
        code: Arc::new(code),
        open: open.into(),
        unknown: unknown.collect(),
        is_recorded: false,
    };
    Ok(ScriptClass { name, place, loader, loaded_at, kind, history, checks })
}

/// The scripts that a `pyproject.toml` installs, each with its module and function.
fn installed(pyproject: &str) -> Vec<(String, Program)> {
    if !pyproject.contains("scripts") {
        return Vec::new();
    }
    let (root, _) = DeTable::parse_recoverable(pyproject);
    let project = root.get_ref().get("project").and_then(|project| project.get_ref().as_table());
    let scripts = project.and_then(|project| project.get("scripts")?.get_ref().as_table());
    let installed = scripts.into_iter().flatten().filter_map(|(name, entry)| {
        let (module, function) = entry.get_ref().as_str()?.split_once(':')?;
        let program = Program { module: module.trim().into(), function: Some(function.trim().into()) };
        Some((name.get_ref().to_string(), program))
    });
    installed.take(MAX_SCRIPTS).collect()
}

#[cfg(test)]
mod tests {
    use super::installed;

    #[test]
    fn scripts_are_read_from_the_project() {
        let found = installed("[project.scripts]\ntrain = 'small.train:main'\nother = 3\n");
        let [(name, program)] = found.as_slice() else { panic!("one script is installed: {found:?}") };
        assert_eq!((&**name, &*program.module, program.function.as_deref()), ("train", "small.train", Some("main")));
        assert!(installed("[project").is_empty());
    }
}
