//! What users' CI does with the wheel: the hook of docs/hooks.md, action.yml, the template for GitLab, and the commands of uv.

use std::{fs, path::Path, process::Command};

use super::target;
use crate::{generate::root, say, tools};

const PRE_COMMIT: &str = "pre-commit==4.7.0";

/// What [`SCRIPT`] needs; uv has the version that a release is published with.
const OF_SCRIPT: [&str; 3] = ["PyYAML==6.0.4", "jq==1.13.0", "uv==0.13.9"];

const SCRIPT: &str = include_str!("ci.py");

/// A config with a misspelt key.
const MISSPELT: &str = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n";

/// Tests the hook of docs/hooks.md that needs no Rust, with pre-commit and the wheel: a misspelt key stops the commit, a correct one doesn't.
pub(super) fn hooks_run(wheel: &Path) -> Result<(), String> {
    let programs = match tools::from_pypi(&target()?, "pre-commit", &[PRE_COMMIT]) {
        Ok(programs) => programs,
        Err(why) => {
            say(&format!("skipped: the hooks are not run: {why}"));
            return Ok(());
        }
    };
    let page = fs::read_to_string(root().join("docs/hooks.md")).map_err(|error| format!("docs/hooks.md: {error}"))?;
    let example =
        page.split("```yaml\n").find(|example| example.contains("repo: local")).and_then(|example| example.split("```").next());
    let example = example.ok_or("docs/hooks.md has no example with `repo: local`")?;
    // Uses the wheel itself, whatever PyPI has under its name.
    let example = example.replace("[cfg-prime-rl]", &format!("[{}]", wheel.display()));
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).map_err(|error| format!("{name}: {error}"));
    let git = |words: &[&str]| tools::run(Command::new("git").args(words).current_dir(folder.path()));
    let hooks = || {
        let mut command = Command::new(programs.join("pre-commit"));
        command.args(["run", "--all-files", "--verbose"]).env("PRE_COMMIT_HOME", folder.path().join(".git/home"));
        tools::run(command.current_dir(folder.path()))
    };
    git(&["init", "--quiet"])?;
    write(".pre-commit-config.yaml", &example)?;
    write("cfg.toml", "target = \"0.4.0\"\n")?;
    write("rl.toml", MISSPELT)?;
    git(&["add", "--all"])?;
    match hooks() {
        Ok(said) => return Err(format!("the hook lets a misspelt key pass: {said}")),
        Err(said) if !said.contains("rollouts_per_exmaple") => return Err(said),
        Err(_) => {}
    }
    write("rl.toml", &MISSPELT.replace("exmaple", "example"))?;
    git(&["add", "--all"])?;
    hooks()?;
    say("pre-commit runs the hook of docs/hooks.md with the wheel");
    Ok(())
}

/// Runs `action.yml` and `ci/gitlab.yml` for pull requests, and README's commands of uv, with the wheel.
pub(super) fn templates_run(wheel: &Path) -> Result<(), String> {
    if cfg!(windows) {
        say("skipped: action.yml and ci/gitlab.yml are not run on Windows");
        return Ok(());
    }
    let programs = match tools::from_pypi(&target()?, "ci", &OF_SCRIPT) {
        Ok(programs) => programs,
        Err(why) => {
            say(&format!("skipped: action.yml and ci/gitlab.yml are not run: {why}"));
            return Ok(());
        }
    };
    let root = root().canonicalize().map_err(|error| error.to_string())?;
    tools::run(Command::new(programs.join("python")).args(["-c", SCRIPT]).arg(root).arg(wheel))?;
    say("action.yml, ci/gitlab.yml and README's commands of uv work with the wheel");
    Ok(())
}
