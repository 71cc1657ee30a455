//! Which prime-rl is detected for a project, with real git repositories.

mod checkouts;
mod days;
mod decides;
mod folders;
mod launched;
mod pins;
mod submodules;

use std::{ffi::OsStr, fs, path::Path, process::Command, sync::Arc};

use cfg_project::Projects;
use cfg_schema::{History, Target};
use cfg_system::{Admission, OsSystem, System};
use tempfile::TempDir;

/// A commit of prime-rl's main line.
const KNOWN: &str = "d564195ca";

fn known() -> (Target, String) {
    let history = History::built_in();
    let target = Target::parse(history, KNOWN).expect("it is known");
    let commit = history.commits().find(|commit| commit.sha().starts_with(KNOWN)).expect("it is known");
    (target, commit.sha())
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        write(&folder.path().join(path), text);
    }
    folder
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Runs `git`; commits get the date 6 January 2026, 18:22 UTC.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args([
        "-c",
        "protocol.file.allow=always",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
    ]);
    command.arg("-C").arg(folder).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_COMMITTER_DATE", "2026-01-06T20:22:00+02:00").env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00+00:00");
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

fn repository(folder: &Path) -> String {
    fs::create_dir_all(folder).expect("a folder");
    git(folder, &["init", "-q"]);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(folder, &["rev-parse", "HEAD"])
}

/// The system of a process in a folder of this machine, with these variables.
fn within(folder: &Path, variables: &[(&str, &OsStr)]) -> Arc<dyn System> {
    let none = [("VIRTUAL_ENV", OsStr::new("")), ("GIT_INDEX_FILE", OsStr::new(""))];
    let system = OsSystem::within(folder, &[&none, variables].concat());
    system.admit(folder, Admission::Named);
    Arc::new(system)
}

fn projects(folder: &Path) -> Projects {
    Projects::new(within(folder, &[]), None)
}

/// The target of `rl.toml` in `below`, as `name <- source`, a problem as `message`, or nothing.
fn detected(folder: &Path, below: &str) -> String {
    detected_in(within(folder, &[]), below)
}

fn detected_in(system: Arc<dyn System>, below: &str) -> String {
    let folder = system.host().folder().to_owned();
    let projects = Projects::new(system, None);
    let answer = projects.target(&Path::new(below).join("rl.toml"));
    assert!(projects.diagnostics().is_empty());
    match answer.as_deref() {
        None => String::new(),
        Some(Ok(found)) => format!("{} <- {}", found.target, found.source.describe(&folder)),
        Some(Err(problem)) => problem.message(&folder),
    }
}

const PRIME_RL: &str = "[project]\nname = \"prime-rl\"\nversion = \"0.5.0\"\n";
