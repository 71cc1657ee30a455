//! `cargo xtask vsix`: the VS Code extension with the program in it, for the platform of this machine, in `target/vsix`. `--check` says what is in it,
//! starts that program, and runs the tests of the extension.
//!
//! The program is that of the wheel, which runs where glibc is older than here, too.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{generate::root, say, tools, wheel};

const EXTENSION: &str = "editors/vscode";

/// Builds the package.
pub(crate) fn write() -> Result<(), String> {
    if let Some(why) = what_is_missing() {
        return Err(format!("no package can be built: {why}"));
    }
    let (package, _) = build()?;
    say(&format!("{}", package.display()));
    Ok(())
}

/// Builds the package, and looks at it; says so where the tools for it can't be had.
pub(crate) fn check() -> Result<(), String> {
    if let Some(why) = what_is_missing() {
        say(&format!("skipped: no package of the VS Code extension is built: {why}"));
        return Ok(());
    }
    let (package, program) = build()?;
    let tests = root().join(EXTENSION).join("test");
    let entries = fs::read_dir(&tests).map_err(|error| format!("{}: {error}", tests.display()))?;
    let is_test = |path: &PathBuf| path.to_string_lossy().ends_with(".test.js");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_test).collect();
    files.sort();
    let mut node = Command::new("node");
    node.arg("--test").args(files).env("CFG_VSIX", &package).env("CFG_PROGRAM", program);
    tools::run(&mut node)?;
    say(&format!("{}: it has what it needs, and its program starts", package.display()));
    Ok(())
}

/// Why there can be no package: a tool is not here, and can't be had.
fn what_is_missing() -> Option<String> {
    if tools::run(Command::new("node").arg("--version")).is_err() {
        return Some("Node.js is missing".to_owned());
    }
    if let Err(why) = install() {
        return Some(why);
    }
    wheel::maturin().err()
}

/// Gets what the extension is built of from npm.
fn install() -> Result<(), String> {
    // On Windows npm is a script.
    let mut npm = if cfg!(windows) { Command::new("cmd") } else { Command::new("npm") };
    if cfg!(windows) {
        npm.args(["/C", "npm"]);
    }
    npm.args(["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(root().join(EXTENSION));
    tools::run(&mut npm)
        .map_err(|error| format!("its packages can't be had from npm: {}", error.lines().last().unwrap_or_default()))?;
    Ok(())
}

/// The package, and the program that is in it.
fn build() -> Result<(PathBuf, PathBuf), String> {
    let (installed, notices) = wheel::program()?;
    let folder = wheel::target()?.join("vsix");
    // What an earlier version left would be taken for the package.
    drop(fs::remove_dir_all(&folder));
    let inside = folder.join("program");
    fs::create_dir_all(&inside).map_err(|error| format!("{}: {error}", inside.display()))?;
    let program = inside.join(format!("cfg{}", env::consts::EXE_SUFFIX));
    copy(&installed, &program)?;
    copy(&notices, &inside.join("THIRD-PARTY.md"))?;
    let mut node = Command::new("node");
    node.arg(root().join(EXTENSION).join("build.mjs")).args(["--offline", "--out"]).arg(&folder).arg("--program").arg(&program);
    tools::run(&mut node)?;
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut packages =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "vsix"));
    let package = packages.next().ok_or_else(|| format!("build.mjs left no package in {}", folder.display()))?;
    Ok((package, program))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|error| format!("{}: {error}", from.display()))
}
