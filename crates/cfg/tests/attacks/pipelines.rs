//! Nothing of a checked repository runs in CI: neither by a name that Python or a shell looks up, nor by settings of a tool, nor instead of the program
//! that was installed. The steps are those of `action.yml`, run without GitHub.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    running::{Ended, finish},
    victim::Victim,
};

/// Modules that Python imports when it makes an environment or installs a package.
const MODULES: [&str; 9] =
    ["venv", "pip", "ensurepip", "sitecustomize", "usercustomize", "subprocess", "logging", "encodings", "runpy"];

/// Programs that the steps start.
const PROGRAMS: [&str; 10] = ["python3", "python", "git", "gh", "mktemp", "sha256sum", "gzip", "base64", "tr", "cfg"];

/// Runs a step of the action in the clone, with these variables.
fn step(victim: &Victim, name: &str, variables: &[(&str, &str)]) -> Ended {
    let mut command = victim.within(Command::new("bash"));
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("ci/github.sh")).arg(name).env("RUNNER_TEMP", victim.at("state"));
    command.env("GITHUB_OUTPUT", victim.at("state/output")).env("PIP_NO_INDEX", "1").env("TMPDIR", victim.at("state"));
    let ended = finish(command.envs(variables.iter().copied()), b"");
    assert!(!victim.at("ran").exists(), "a program of the repository ran: {ended:?}");
    ended
}

/// A clone that has a module or a program for each name that a step looks up.
fn hostile() -> Victim {
    let victim = Victim::registered();
    let python = format!("import builtins\nbuiltins.open({:?}, 'w')\n", victim.at("ran").display().to_string());
    for module in MODULES {
        victim.write(&format!("{module}.py"), &python);
    }
    for program in PROGRAMS {
        victim.program(&format!("clone/bin/{program}"), &format!("#!/bin/sh\nexec {}\n", victim.marker()));
    }
    for (name, text) in [
        ("pip.conf", "[global]\nindex-url = file:///nowhere\npython = bin/python3\n"),
        ("setup.cfg", "[global]\nindex-url = file:///nowhere\n"),
        ("pyvenv.cfg", "home = bin\n"),
        ("uv.toml", "index-url = \"file:///nowhere\"\n"),
        ("cfg.bash", &format!("{}\n", victim.marker())),
    ] {
        victim.write(name, text);
    }
    victim
}

#[test]
fn installing_runs_nothing_of_the_repository() {
    let victim = hostile();
    let here = victim.path("").display().to_string();
    let path = format!("{here}/bin:bin:.::{}", std::env::var("PATH").unwrap_or_default());
    let config = victim.path("pip.conf").display().to_string();
    let variables = [
        ("PATH", &*path),
        ("PYTHONPATH", &here),
        ("PYTHONHOME", &here),
        ("PYTHONSTARTUP", "venv.py"),
        ("PIP_CONFIG_FILE", &config),
        ("PIP_PYTHON", "bin/python3"),
        ("CDPATH", &here),
    ];
    // There is no wheel to install here, so pip is the last program that is started.
    let ended = step(&victim, "install", &variables);
    assert!(ended.stderr.contains("cfg-prime-rl") || ended.stderr.contains("python"), "{ended:?}");
    assert_eq!(victim.git("status --porcelain --untracked-files=no"), "", "the repository is changed");
}

#[test]
fn checking_runs_nothing_of_the_repository() {
    let victim = hostile();
    let path = format!("{}:bin:{}", victim.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let ended = step(&victim, "check", &[("CFG", env!("CARGO_BIN_EXE_cfg")), ("PATH", &path), ("PATHS", "rl.toml")]);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let base = victim.git("rev-parse HEAD");
    victim.write("rl.toml", &victim.read("rl.toml").replace("max_steps = 100", "max_steps = 200"));
    victim.git("add rl.toml");
    victim.git("commit -qm change");
    let variables = [("CFG", env!("CARGO_BIN_EXE_cfg")), ("PATH", &path), ("BASE", base.trim())];
    let ended = step(&victim, "markdown", &variables);
    assert!(ended.stdout.contains("max_steps"), "{ended:?}");
}

/// A program beside the one that was installed, and the digest of that one.
fn replaced(victim: &Victim) -> (PathBuf, String) {
    let digest = Command::new("sha256sum").arg(env!("CARGO_BIN_EXE_cfg")).output().expect("it runs").stdout;
    let digest = String::from_utf8_lossy(&digest).split(' ').next().unwrap_or_default().to_owned();
    (victim.at("programs/marker"), digest)
}

#[test]
fn a_program_that_is_not_the_installed_one_is_not_run() {
    let victim = hostile();
    let (other, digest) = replaced(&victim);
    let own = Path::new(env!("CARGO_BIN_EXE_cfg"));
    for (program, digest, is_run) in [(own, &*digest, true), (&*other, &digest, false), (own, "", false), (&other, "", false)] {
        let variables =
            [("CFG", program.to_str().expect("UTF-8")), ("CFG_SHA256", digest), ("PATHS", "rl.toml"), ("GITHUB_ACTIONS", "true")];
        let _ = fs::remove_file(victim.at("state/output"));
        let ended = step(&victim, "check", &variables);
        let output = fs::read_to_string(victim.at("state/output")).unwrap_or_default();
        assert_eq!(output, if is_run { "status=0\n" } else { "" }, "{ended:?}");
        assert_eq!(ended.status, Some(if is_run { 0 } else { 2 }), "{ended:?}");
    }
    let ended = step(&victim, "check", &[("PATHS", "rl.toml")]);
    assert!(ended.stderr.contains("install"), "a program is not looked up: {ended:?}");
}

#[test]
fn nothing_is_installed_below_the_repository_or_from_words_of_pip() {
    let victim = hostile();
    fs::create_dir(victim.path("temporary")).expect("a folder");
    let below = victim.path("temporary").display().to_string();
    for variables in [("RUNNER_TEMP", &*below), ("VERSION", "1 -r evil.txt"), ("WHEEL", "-r"), ("WHEEL", "pip.conf")] {
        let ended = step(&victim, "install", &[variables]);
        assert_eq!(ended.status, Some(2), "{variables:?}: {ended:?}");
    }
    assert_eq!(fs::read_dir(victim.path("temporary")).expect("a folder").count(), 0);
}

/// Python is started isolated, and pip by that Python, in all scripts and templates for CI.
#[test]
fn python_is_isolated_wherever_it_is_started_in_ci() {
    let victim = Victim::new(&[]);
    for service in ["github", "gitlab"] {
        assert_eq!(victim.run(&format!("init --yes --no-hook --ci {service}")).status, Some(0));
    }
    let of_workspace = ["ci/github.sh", "ci/gitlab.yml"].map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
    let made = [".github/workflows/configs.yml", ".gitlab/cfg.yml"].map(|name| victim.path(name));
    for path in of_workspace.into_iter().chain(made) {
        let text = fs::read_to_string(&path).expect("it is there");
        let started = text.lines().filter(|line| !line.trim_start().starts_with('#') && line.contains(" -m "));
        let started: Vec<&str> = started.collect();
        assert!(started.len() >= 2 && started.iter().all(|line| line.contains(" -I -m ")), "{}: {text}", path.display());
        // Without quotes, a list item with `: ` is a mapping, and no command.
        let is_mapping = |line: &&&str| line.contains(": ") && line.trim_start().starts_with("- ") && !line.contains("- '");
        assert_eq!(started.iter().find(is_mapping), None, "{}", path.display());
        let has_names = ["pipx ", "- pip install", "- cfg ", "uvx "].iter().any(|name| text.contains(name));
        assert!(!has_names, "{}: a program is looked up by its name: {text}", path.display());
    }
}
