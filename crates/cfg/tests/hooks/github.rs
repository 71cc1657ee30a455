//! Tests `ci/github.sh`, which has the steps of this repository's `action.yml`, without GitHub.

use std::{path::Path, process::Command};

use crate::{
    CLEAN, MISSPELT, SETTINGS,
    repository::{Ended, Repository},
};

fn step(repository: &Repository, name: &str, variables: &[(&str, &str)]) -> Ended {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("ci/github.sh");
    let mut command: Command = repository.command("bash");
    command.arg(script).arg(name).env("CFG", env!("CARGO_BIN_EXE_cfg")).env("RUNNER_TEMP", repository.home());
    command.envs(variables.iter().copied()).output().expect("bash runs").into()
}

#[test]
fn changes_of_a_pull_request_are_formatted_as_code() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", CLEAN), ("same.toml", CLEAN), ("Cargo.toml", "[package]\n")]);
    repository.git("add -A").well();
    repository.git("commit -qm base").well();
    let base = repository.git("rev-parse HEAD").well();
    repository.replace("a.toml", "max_steps = 100", "max_steps = 200\n[wandb]\nname = \"</details> ``` @someone\"");
    repository.write("same.toml", &format!("# A comment.\n{CLEAN}"));
    repository.write("Cargo.toml", "[package]\nname = \"x\"\n");
    repository.git("add -A").well();
    repository.git("commit -qm change").well();
    let said = step(&repository, "markdown", &[("BASE", base.trim())]).well();
    assert!(said.contains("#### `a.toml`") && said.contains("max_steps") && said.contains("200"), "{said}");
    assert!(!said.contains("same.toml") && !said.contains("Cargo.toml"), "{said}");
    // Text from a config is always in a code span, and never HTML or Markdown.
    for line in said.lines().filter(|line| line.contains("@someone")) {
        assert!(line.contains(".wandb.name` | ") && line.contains("````\"</details> ``` @someone"), "{said}");
    }
    assert!(repository.git("worktree list").well().lines().count() == 1);
}

#[test]
fn errors_are_annotations_and_the_status_is_an_output() {
    let repository = Repository::new(&[SETTINGS, ("a b.toml", MISSPELT)]);
    let output = repository.home().join("output");
    let output = output.to_str().expect("a path in UTF-8");
    let said = step(&repository, "check", &[("GITHUB_OUTPUT", output), ("PATHS", "a b.toml\n")]).well();
    assert!(said.contains("::error ") && said.contains("rollouts_per_exmaple"), "{said}");
    assert_eq!(std::fs::read_to_string(output).expect("an output"), "status=1\n");
}
