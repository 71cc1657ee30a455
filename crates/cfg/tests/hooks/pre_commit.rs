//! This repository's `.pre-commit-hooks.yaml`, run by the program `pre-commit`.
//!
//! The program is the one in `CFG_PRE_COMMIT`, or else the one in `PATH`. If the variable is not set and there is none, the tests are skipped.
//! `language` determines how `cfg` is built for a hook; here the hooks use the `cfg` of this build.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    CLEAN, MISSPELT, SETTINGS,
    repository::{Ended, Repository},
};

/// The hooks as users get them.
const HOOKS: &str = include_str!("../../../../.pre-commit-hooks.yaml");

/// A config with a key that has moved, which a fix moves.
const MOVED: &str = "# /// config\n# prime_rl = \"0.4.0\"\n# ///\n[config]\nversion = \"v1\"\n[trainer]\n[orchestrator]\n";

/// The program, if there is one.
fn program() -> Option<OsString> {
    let named = env::var_os("CFG_PRE_COMMIT").filter(|name| !name.is_empty());
    let is_named = named.is_some();
    let program = named.unwrap_or_else(|| "pre-commit".into());
    let runs = Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = runs.is_ok_and(|status| status.success());
    assert!(is_there || !is_named, "CFG_PRE_COMMIT names a program that does not run");
    if !is_there {
        // If standard error is closed, nothing can be reported.
        let _ = writeln!(io::stderr(), "skipped: there is no pre-commit here");
    }
    is_there.then_some(program)
}

/// A repository whose commits `pre-commit` checks with these hooks.
fn repository(program: &OsString, hooks: &[&str], files: &[(&str, &str)]) -> Repository {
    let repository = Repository::new(files);
    let ours = repository.home().join("hooks of cfg");
    fs::create_dir(&ours).expect("a folder");
    fs::write(ours.join(".pre-commit-hooks.yaml"), HOOKS).expect("a file");
    let git = |words: &[&str]| Ended::from(repository.command("git").args(words).current_dir(&ours).output().expect("git runs"));
    git(&["init", "-q"]).well();
    git(&["add", "-A"]).well();
    git(&["commit", "-qm", "hooks"]).well();
    let revision = git(&["rev-parse", "HEAD"]).well();
    let listed = hooks.iter().map(|hook| format!("  - id: {hook}\n    language: system\n")).collect::<Vec<_>>().concat();
    let config = format!("repos:\n- repo: {:?}\n  rev: {}\n  hooks:\n{listed}", ours.to_string_lossy(), revision.trim());
    repository.write(".pre-commit-config.yaml", &config);
    run(&repository, program, &["install"]).well();
    repository
}

/// `pre-commit`, with the `cfg` of this build in its `PATH`.
fn run(repository: &Repository, program: &OsString, words: &[&str]) -> Ended {
    with_path(repository.command(program)).args(words).output().expect("pre-commit runs").into()
}

fn with_path(mut command: Command) -> Command {
    let own = Path::new(env!("CARGO_BIN_EXE_cfg")).parent().expect("a folder").to_owned();
    let rest = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(own).chain(env::split_paths(&rest))).expect("a path");
    command.env("PATH", path);
    command
}

fn commit(repository: &Repository) -> Ended {
    repository.git("add -A").well();
    with_path(repository.command("git")).args(["commit", "-qm", "x"]).output().expect("git runs").into()
}

#[test]
fn configs_are_checked_and_other_toml_is_passed_over() {
    let Some(program) = program() else { return };
    let files = [SETTINGS, ("a.toml", CLEAN), ("pyproject.toml", "[project]\nname = \"x\"\n"), ("Cargo.toml", "[package]\n")];
    let repository = repository(&program, &["cfg-check"], &files);
    commit(&repository).well();
    repository.write("with space.toml", MISSPELT);
    commit(&repository).refused("rollouts_per_exmaple");
    // Only the staged content is checked: pre-commit puts the rest aside.
    repository.write("with space.toml", CLEAN);
    with_path(repository.command("git")).args(["commit", "-qm", "x"]).status().expect("git runs");
    assert_eq!(repository.commits(), 1);
    commit(&repository).well();
    let said = run(&repository, &program, &["run", "--all-files", "--verbose"]).well();
    assert!(said.contains("2 files") && !said.contains("PRL010"), "{said}");
}

#[test]
fn fixes_are_made_and_must_be_staged() {
    let Some(program) = program() else { return };
    let repository = repository(&program, &["cfg-fix"], &[SETTINGS, ("a.toml", MOVED)]);
    commit(&repository).refused("files were modified by this hook");
    let mended = repository.read("a.toml");
    assert!(!mended.contains("[config]") && mended.contains("# version = \"v1\""), "{mended}");
    commit(&repository).well();
}

#[test]
fn a_registry_is_verified() {
    let Some(program) = program() else { return };
    let repository = repository(&program, &["cfg-check", "cfg-registry"], &[SETTINGS, ("a.toml", CLEAN)]);
    repository.cfg("registry init").well();
    repository.cfg("bump a.toml -m first").well();
    commit(&repository).well();
    repository.replace("registry.json", "first", "second");
    repository.replace("a.toml", "max_steps = 100", "max_steps = 200");
    commit(&repository).refused("PRL710");
    repository.cfg("bump a.toml -m longer").well();
    commit(&repository).well();
}
