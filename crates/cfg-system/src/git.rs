//! Starts `git`: the only code that knows what a repository's own settings could make it do.
//!
//! A repository's configuration, attributes and remotes can name programs that git starts: monitors, filters, hooks, pagers, transports. No question
//! needs any of them, so each is turned off here, for all questions. The questions must not need a filter either: none compares the work tree with
//! anything.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use crate::{Host, NoAnswer, Program, System};

mod opened;
mod own;
mod settings;
mod tracked;

pub use own::{belongs, common_folder, own_folder};
pub use tracked::Tracked;

/// Our settings, which take precedence over those of a repository.
const SETTINGS: [&str; 19] = [
    // Larger files than any that is read here are not loaded into memory.
    "core.bigFileThreshold=16m",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.alternateRefsCommand=false",
    "core.attributesFile=/dev/null",
    "core.untrackedCache=false",
    "credential.helper=",
    "diff.orderFile=/dev/null",
    "gpg.program=false",
    "log.mailmap=false",
    "log.showSignature=false",
    "mailmap.file=/dev/null",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "protocol.file.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
];

/// The setting of the hooks folder. It is also queried.
const NO_HOOKS: &str = "core.hooksPath=/dev/null";

/// Environment variables: no transport is allowed, missing objects of a partial clone are not fetched, no password is asked for, and dates are in
/// UTC.
const VARIABLES: [(&str, &str); 8] = [
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("TZ", "UTC0"),
];

/// Variables for git's installation and configuration, which may contain `safe.directory`.
const OF_THE_USER: [&str; 5] = ["GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", CEILING];

/// The variable with the folders above which git does not look for a repository.
const CEILING: &str = "GIT_CEILING_DIRECTORIES";

/// Variables by which git tells a hook its repository.
const OF_A_HOOK: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
];

/// The repository of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repository {
    /// The one around the folder, whatever the environment variables are.
    AroundFolder,
    /// The one in the environment variables, as git sets them for a hook; else the one around the folder.
    OfEnvironment,
}

/// Why git gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It was not asked: the repository's own files belong to another one, which does not know this work tree, or lead to one.
    Foreign,
    /// It was not asked: it would wait for something in the place of its files, or read it for a long time.
    Odd,
    /// The same reasons as for any program.
    None(NoAnswer),
}

/// git's answer to a question of [`ask`] in this folder: the only way to ask it. It is not started if it would wait for something that a repository
/// has put in the place of its files, or would report about another repository.
///
/// # Errors
///
/// Why there is no answer.
pub fn answer(system: &dyn System, folder: &Path, repository: Repository, program: &Program) -> Result<Vec<u8>, Unanswered> {
    let place = own::Place::around(system, folder);
    let may_look = place.as_ref().map_or_else(|| system.may_look(&system.absolute(folder)), |place| place.may_look(system));
    if !may_look {
        return Err(Unanswered::None(NoAnswer::Absent));
    }
    let Some(place) = place else { return system.host().run(program).map_err(Unanswered::None) };
    let may_be_another = repository == Repository::OfEnvironment && repository_from_env(system.host());
    match place.bar(system, references(program)) {
        Some(own::Bar::Odd) => Err(Unanswered::Odd),
        Some(own::Bar::Foreign) if !may_be_another => Err(Unanswered::Foreign),
        _ => {
            let Some(ceiling) = ceiling(system, &place.top) else { return Err(Unanswered::Foreign) };
            let program = program.clone().variable(CEILING, ceiling);
            system.host().run(&program).map_err(Unanswered::None)
        }
    }
}

/// The places in which git looks for a reference by a name.
const PLACES: [&str; 5] = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

/// The paths of the references that the names of objects in a question may mean: `main:rl.toml`.
fn references(program: &Program) -> impl Iterator<Item = String> {
    let words = program.arguments.iter().filter_map(|word| word.to_str()?.split_once(':'));
    let names = words.map(|(revision, _)| revision.split(['^', '~', '@']).next().unwrap_or(revision));
    names.filter(|name| !name.is_empty()).flat_map(|name| PLACES.map(|place| format!("{place}{name}")))
}

/// The folders above which git does not look for a repository: the one above this repository, so that it uses no other one if it does not accept the
/// files of this one. `None` if the variable can't express that, and there is another one.
fn ceiling(system: &dyn System, top: &Path) -> Option<OsString> {
    let of_user = system.host().variable(CEILING);
    let Some(above) = top.parent() else { return Some(of_user.unwrap_or_default()) };
    let known = of_user.iter().flat_map(std::env::split_paths);
    match std::env::join_paths([above.to_owned()].into_iter().chain(known)) {
        Ok(ceiling) => Some(ceiling),
        Err(_) if crate::around(above).any(|above| system.is_repository(above)) => None,
        Err(_) => Some(of_user.unwrap_or_default()),
    }
}

/// Whether the environment variables name the repository, as git sets them for a hook: then the folder does not determine it.
pub fn repository_from_env(host: &dyn Host) -> bool {
    ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| host.variable(name).is_some())
}

/// `git` in a folder, with these arguments.
pub fn ask(
    host: &dyn Host,
    folder: &Path,
    repository: Repository,
    words: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Program {
    program(host, folder, repository, &[NO_HOOKS]).arguments(words)
}

/// Like [`ask`], for a question about hooks.
pub fn ask_of_hooks(
    host: &dyn Host,
    folder: &Path,
    repository: Repository,
    words: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Program {
    program(host, folder, repository, &[]).arguments(words)
}

fn program(host: &dyn Host, folder: &Path, repository: Repository, more: &[&str]) -> Program {
    let mut program = Program::new("git").arguments(["--no-optional-locks", "--no-pager", "--literal-pathspecs"]);
    for setting in SETTINGS.iter().chain(more) {
        program = program.arguments(["-c", setting]);
    }
    program = program.arguments([OsStr::new("-C"), folder.as_os_str()]);
    let names = host.variables().into_iter().map(|(name, _)| name);
    program.environment = names.filter(|name| !is_kept(name, repository)).map(|name| (name, None)).collect();
    VARIABLES.iter().fold(program, |program, (name, value)| program.variable(name, *value))
}

/// Whether git gets a variable. Of its own variables only the needed ones are kept: others make it run programs, or trust more than it should.
fn is_kept(name: &OsString, repository: Repository) -> bool {
    let Some(name) = name.to_str().filter(|name| name.starts_with("GIT_")) else { return true };
    OF_THE_USER.contains(&name) || repository == Repository::OfEnvironment && OF_A_HOOK.contains(&name)
}

/// A path in git's output.
#[cfg(unix)]
pub fn path(bytes: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(bytes).into()
}

/// A path in git's output: in UTF-8 on every system.
#[cfg(not(unix))]
pub fn path(bytes: &[u8]) -> std::path::PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
