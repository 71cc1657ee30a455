//! `cargo xtask wheel`: the wheel and the source distribution of `PyPI`'s `cfg-prime-rl`, below `target/wheels`. `--check` installs the wheel in
//! a fresh virtual environment and uses it; `--reproducible` builds it in two folders and compares; `--target` builds it for another processor.
//!
//! The wheel is built from a copy of the files that git tracks, so that it contains nothing else, together with the notices of what the program is
//! built from. maturin and zig come from `PyPI`; with zig, a wheel for Linux also runs with an older glibc than that of this machine.

mod ci;
mod foreign;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

pub(crate) use self::foreign::write as write_for;
use crate::{dist, generate::root, say, server::Server, tools, trained::Profile};

/// From `PyPI`, and each pinned: another version may write another wheel.
const TOOLS: [&str; 3] = ["maturin==1.16.0", "ziglang==0.17.1", "deflate==0.9.0"];

/// Makes a wheel smaller by a thirtieth.
const COMPRESS: &str = include_str!("wheel/compress.py");

/// The list of what the program is built from. The one that maturin makes contains folders of this machine.
const BILL: &str = "cfg.cyclonedx.json";

/// The most bytes that a wheel may have: as many as that of a usual linter.
const MAX_BYTES: u64 = 10_500_000;

/// Builds the wheel and the source distribution.
pub(crate) fn write() -> Result<(), String> {
    let wheel = build("source", None, trained()?.as_ref())?;
    say(&format!("{}", wheel.display()));
    say(&format!("{}", sources(&wheel.with_file_name(""))?.display()));
    Ok(())
}

/// Puts the source distribution into a folder.
fn sources(folder: &Path) -> Result<PathBuf, String> {
    let programs = maturin()?;
    let source = target()?.join("wheel/source");
    copy_sources(&source)?;
    let mut sdist = Command::new(programs.join("maturin"));
    tools::run(sdist.arg("sdist").arg("--out").arg(folder).current_dir(source))?;
    only_file(folder, "gz")
}

/// Builds a wheel of the source distribution as pip does where there is none, and uses it.
pub(crate) fn check_sources() -> Result<(), String> {
    if let Err(why) = maturin() {
        say(&format!("skipped: no source distribution is built: {why}"));
        return Ok(());
    }
    let (folder, environment) = (target()?.join("wheels/sources"), target()?.join("wheel/environment"));
    drop(fs::remove_dir_all(&folder));
    let sources = sources(&folder)?;
    tools::virtual_environment(&environment)?;
    let mut pip = Command::new(environment.join(tools::SCRIPTS).join("python"));
    pip.args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]).arg(&folder).arg(&sources);
    tools::run(pip.env("CARGO_TARGET_DIR", target()?.join("wheel/sources-built")))?;
    let wheel = only_file(&folder, "whl")?;
    let programs = install(&wheel)?;
    let cfg = programs.join(format!("cfg{}", env::consts::EXE_SUFFIX));
    tools::run(Command::new(&cfg).args(["check", "configs"]).current_dir(root()))?;
    module_works(&programs)?;
    say(&format!("{}: pip builds a wheel of it, which checked configs/ and answered Python", sources.display()));
    Ok(())
}

/// The file in a folder that has an ending.
fn only_file(folder: &Path, ending: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|own| own == ending));
    files.next().ok_or_else(|| format!("{} has no .{ending}", folder.display()))
}

/// Builds the wheel, and uses it; says so where the tools for it can't be had.
pub(crate) fn check() -> Result<(), String> {
    if let Err(why) = maturin() {
        say(&format!("skipped: no wheel is built: {why}"));
        return Ok(());
    }
    let profile = trained()?;
    let wheel = build("source", None, profile.as_ref())?;
    let size = may_have(&wheel, profile.as_ref())?;
    let start = Instant::now();
    let programs = install(&wheel)?;
    holds_its_notices(&programs)?;
    let cfg = programs.join(format!("cfg{}", env::consts::EXE_SUFFIX));
    refuse_folders(&cfg)?;
    tools::run(Command::new(&cfg).args(["check", "configs"]).current_dir(root()))?;
    answers_an_editor(Command::new(&cfg))?;
    module_works(&programs)?;
    let seconds = start.elapsed().as_secs_f64();
    say(&format!(
        "{}: {size} bytes; installed, checked configs/, answered an editor and Python in {seconds:.1} s",
        wheel.display()
    ));
    ci::hooks_run(&wheel)?;
    ci::templates_run(&wheel)
}

/// The bytes of a wheel, which may not be too many; one without a profile is not published.
fn may_have(wheel: &Path, profile: Option<&Profile>) -> Result<u64, String> {
    let size = fs::metadata(wheel).map_err(|error| error.to_string())?.len();
    if size > MAX_BYTES && profile.is_some() {
        Err(format!("the wheel has {size} bytes, and may have {MAX_BYTES}"))
    } else {
        Ok(size)
    }
}

/// Whether a program names no folder of this machine.
fn refuse_folders(program: &Path) -> Result<(), String> {
    let bytes = fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    dist::refuse_folders_of_this_machine(&bytes, &target()?.join("wheel/source"))?;
    dist::refuse_folders_of_this_machine(&bytes, &absolute_root()?)
}

/// The program of the wheel, and the notices of what it is built of.
pub(crate) fn program() -> Result<(PathBuf, PathBuf), String> {
    let programs = install(&build("source", None, trained()?.as_ref())?)?;
    Ok((programs.join(format!("cfg{}", env::consts::EXE_SUFFIX)), target()?.join("wheel/source/THIRD-PARTY.md")))
}

/// Installs a wheel in a new virtual environment; returns the folder of its programs.
fn install(wheel: &Path) -> Result<PathBuf, String> {
    let environment = target()?.join("wheel/environment");
    tools::virtual_environment(&environment)?;
    let programs = environment.join(tools::SCRIPTS);
    let mut pip = Command::new(programs.join("python"));
    tools::run(pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]).arg(wheel))?;
    Ok(programs)
}

/// Builds the wheel in two folders, and compares the bytes.
pub(crate) fn reproducible() -> Result<(), String> {
    let read = |path: PathBuf| fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    // What a program does at its work is not the same twice, so both have the profile of the first.
    let profile = trained()?;
    let [first, second] = ["source", "source-again"].map(|name| read(build(name, None, profile.as_ref())?));
    let (first, second) = (first?, second?);
    if first != second {
        return Err("the same sources and profile in two folders gave two wheels".to_owned());
    }
    say("the same sources and profile in two folders gave the same wheel");
    Ok(())
}

/// The folder that cargo builds in.
pub(crate) fn target() -> Result<PathBuf, String> {
    Ok(dist::target_folder(&dist::metadata(&root())?))
}

fn absolute_root() -> Result<PathBuf, String> {
    root().canonicalize().map_err(|error| error.to_string())
}

/// The folder of maturin and zig.
pub(crate) fn maturin() -> Result<PathBuf, String> {
    tools::from_pypi(&target()?, "maturin", &TOOLS)
}

/// What maturin states to cargo if it links with zig. Without it, cargo names the crates that macros or build scripts are compiled for otherwise, and what is
/// counted of their functions is lost.
const AS_WITH_ZIG: [(&str, &str); 3] = [
    ("CARGO_TARGET_APPLIES_TO_HOST", "false"),
    ("CARGO_UNSTABLE_TARGET_APPLIES_TO_HOST", "true"),
    ("__CARGO_TEST_CHANNEL_OVERRIDE_DO_NOT_USE_THIS", "nightly"),
];

/// The profile of the program at work, of the same copy of the sources that the wheel is built of; says so where there can be none. zig can't link a program that
/// counts, so only the names are those of the wheel.
fn trained() -> Result<Option<Profile>, String> {
    let folder = target()?.join("wheel");
    let source = folder.join("source");
    copy_sources(&source)?;
    let stated = if cfg!(target_os = "linux") { &AS_WITH_ZIG[..] } else { &[] };
    Profile::of(&source, &folder.join("training"), stated)
}

/// Builds the wheel of a copy of the sources in a folder of that name, in a build folder of its own: for another target, on which no program is at work here,
/// or for this machine, with the profile of its program if there is one.
fn build(name: &str, other: Option<&str>, profile: Option<&Profile>) -> Result<PathBuf, String> {
    let programs = maturin()?;
    let folder = target()?.join("wheel");
    let source = folder.join(name);
    copy_sources(&source)?;
    let wheels = folder.with_file_name("wheels").join(other.unwrap_or(name));
    // What an earlier version left would be taken for the wheel.
    drop(fs::remove_dir_all(&wheels));
    let mut maturin = Command::new(programs.join("maturin"));
    maturin.args(["build", "--profile", "dist", "--locked", "--quiet"]);
    maturin.args(["--sbom-include", BILL, "--out"]).arg(&wheels);
    if cfg!(target_os = "linux") || other.is_some() {
        maturin.arg("--zig");
    }
    if let Some(triple) = other.or_else(|| profile.map(Profile::triple)) {
        maturin.args(["--target", triple]);
    }
    let python = programs.join(format!("python{}", env::consts::EXE_SUFFIX));
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(programs).chain(env::split_paths(&path))).map_err(|error| error.to_string())?;
    maturin
        .env("PATH", path)
        .env("SOURCE_DATE_EPOCH", date_of_head()?)
        .env("CARGO_TARGET_DIR", folder.join(format!("{name}-built")));
    tools::run(maturin.envs(dist::variables(&source, &profile.map(Profile::flags).unwrap_or_default())?).current_dir(&source))?;
    let wheel = only_file(&wheels, "whl")?;
    let smaller = wheel.with_extension("smaller");
    tools::run(Command::new(python).args(["-c", COMPRESS]).args([&wheel, &smaller]))?;
    fs::rename(&smaller, &wheel).map_err(|error| format!("{}: {error}", wheel.display()))?;
    Ok(wheel)
}

/// The seconds since 1970 of the last commit.
fn date_of_head() -> Result<String, String> {
    let date = tools::run(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()))?;
    Ok(date.trim().to_owned())
}

/// Makes a folder contain the files that git tracks, and the notices. Equal files are not touched, because cargo compares their times.
fn copy_sources(folder: &Path) -> Result<(), String> {
    let listed = tools::run(Command::new("git").args(["ls-files", "-z"]).current_dir(root()))?;
    let listed: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    let known = folder.join(".sources");
    let before = fs::read_to_string(&known).unwrap_or_default();
    for gone in before.split('\0').filter(|path| !path.is_empty() && !listed.contains(path)) {
        let gone = folder.join(gone);
        drop(fs::remove_file(&gone));
        // Cargo takes an empty folder for a package; one that has something in it stays.
        gone.ancestors().skip(1).take_while(|above| *above != folder).for_each(|above| drop(fs::remove_dir(above)));
    }
    for path in &listed {
        // A tracked file that was deleted is left out.
        if let Ok(bytes) = fs::read(root().join(path)) {
            write_if_other(&folder.join(path), &bytes)?;
        }
    }
    let metadata = dist::metadata(&root())?;
    write_if_other(&folder.join("THIRD-PARTY.md"), dist::notices(&metadata)?.as_bytes())?;
    write_if_other(&folder.join(BILL), dist::bill_of_materials(&metadata)?.as_bytes())?;
    write_if_other(&known, listed.join("\0").as_bytes())
}

fn write_if_other(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|before| before == bytes) {
        return Ok(());
    }
    let io = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(path.with_file_name("")).map_err(io)?;
    fs::write(path, bytes).map_err(io)
}

/// Checks that the installed distribution contains its own licences, those of others, and the list of what it is built from.
fn holds_its_notices(programs: &Path) -> Result<(), String> {
    let script = "import importlib.metadata as m; print('\\n'.join(str(f.locate()) for f in m.files('cfg-prime-rl')))";
    let files = tools::run(Command::new(programs.join("python")).args(["-c", script]))?;
    for wanted in ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.md", BILL] {
        let Some(file) = files.lines().find(|file| file.ends_with(wanted)) else {
            return Err(format!("the wheel has no {wanted}"));
        };
        let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        dist::refuse_folders_of_this_machine(&bytes, &target()?.join("wheel/source"))
            .map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

/// Checks that the module that was installed with the program passes its tests.
fn module_works(programs: &Path) -> Result<(), String> {
    let mut python = Command::new(programs.join("python"));
    python.args(["-B", "-m", "unittest", "discover", "--start-directory"]).arg(root().join("python/tests"));
    tools::run(python.env_remove("PYTHONPATH").env_remove("CFG_PRIME_RL_PROGRAM"))?;
    Ok(())
}

/// Whether the language server answers the first request of an editor, and ends when asked.
fn answers_an_editor(cfg: Command) -> Result<(), String> {
    Server::start(cfg)?.end()
}
