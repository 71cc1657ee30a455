//! Programs that are used and not part of the repository: those from `PyPI` and npm, installed below `target/tools`, never into the system, and those of the
//! machine.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::generate::root;

/// Drives the browser, from npm.
pub(crate) const PLAYWRIGHT: &str = "playwright-core@1.65.1";

/// The folder of the programs of a virtual environment.
pub(crate) const SCRIPTS: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// Names of the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The folder of the programs of packages from `PyPI`, each with its version, in a virtual environment.
///
/// # Errors
/// A sentence that says what can't be installed, and why: there may be no Python, or no network.
pub(crate) fn from_pypi(target: &Path, name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let folder = target.join("tools").join(name);
    let programs = folder.join(SCRIPTS);
    let wanted = packages.join("\n");
    let installed = folder.join("packages.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(programs);
    }
    virtual_environment(&folder)?;
    let mut pip = Command::new(programs.join("python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "30", "--retries", "1"]);
    run(pip.args(packages))
        .map_err(|error| format!("{} can't be had: {}", packages.join(", "), error.lines().last().unwrap_or_default()))?;
    fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(programs)
}

/// Creates a new Python virtual environment.
pub(crate) fn virtual_environment(folder: &Path) -> Result<(), String> {
    let python = if cfg!(windows) { "python" } else { "python3" };
    run(Command::new(python).args(["-m", "venv", "--clear"]).arg(folder))?;
    Ok(())
}

/// npm, which is a script on Windows.
pub(crate) fn npm() -> Command {
    let mut npm = if cfg!(windows) { Command::new("cmd") } else { Command::new("npm") };
    if cfg!(windows) {
        npm.args(["/C", "npm"]);
    }
    npm
}

/// A program in the path that has one of these names, the first that is there.
pub(crate) fn in_path(names: &[String]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}

/// The browser: the one that `CFG_CHROMIUM` names, else one in the path.
///
/// # Errors
/// A sentence that says that there is none.
pub(crate) fn chromium() -> Result<PathBuf, String> {
    let named = env::var_os("CFG_CHROMIUM").map(PathBuf::from);
    let found = named.or_else(|| in_path(&BROWSERS.map(str::to_owned)));
    found.ok_or_else(|| "there is no Chromium; CFG_CHROMIUM may have its path".to_owned())
}

/// Whether the compiler has what programs for a target are built with.
///
/// # Errors
/// A sentence that says what is missing.
pub(crate) fn has_standard_library(target: &str) -> Result<(), String> {
    let folder = run(rustc().args(["--print", "target-libdir", "--target", target]))?;
    if fs::read_dir(folder.trim()).is_ok_and(|mut entries| entries.next().is_some()) {
        return Ok(());
    }
    Err(format!("the standard library for {target} is missing: `rustup target add {target}`"))
}

/// The target that the compiler builds for by itself: `x86_64-unknown-linux-gnu`.
pub(crate) fn own_triple() -> Result<String, String> {
    Ok(run(rustc().args(["--print", "host-tuple"]))?.trim().to_owned())
}

/// The folder of the programs that belong to the compiler's own LLVM.
///
/// # Errors
/// A sentence, if they are not installed.
pub(crate) fn of_llvm() -> Result<PathBuf, String> {
    let libraries = run(rustc().args(["--print", "target-libdir"]))?;
    let folder = Path::new(libraries.trim()).with_file_name("bin");
    let is_there = folder.join(format!("llvm-profdata{}", env::consts::EXE_SUFFIX)).is_file();
    if is_there { Ok(folder) } else { Err("LLVM's tools are missing: `rustup component add llvm-tools`".to_owned()) }
}

fn rustc() -> Command {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.current_dir(root());
    rustc
}

/// What a program prints on standard output.
///
/// # Errors
/// A sentence with its standard error, if it can't be started or fails.
pub(crate) fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    Err(format!("{name}: {}\n{text}{}", output.status, String::from_utf8_lossy(&output.stderr)).trim_end().to_owned())
}
