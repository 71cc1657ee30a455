//! `cfg init` in repositories that already have something: versions, hooks, CI, other projects.

use std::fs;

use super::{Folder, running::Ended};

const OLD: &str =
    "max_steps = 5\nseq_len = 2048\n[trainer]\n[orchestrator]\nbatch_size = 128\n[[orchestrator.env]]\nid = \"reverse-text\"\n";
const NEW: &str = "max_steps = 5\nseq_len = 2048\n[trainer]\n[orchestrator]\nbatch_size = 128\nrollouts_per_example = 8\n";

fn pinned(name: &str, version: &str) -> String {
    format!("[project]\nname = \"{name}\"\nversion = \"0\"\ndependencies = [\"prime-rl=={version}\"]\n")
}

fn git(folder: &Folder, words: &[&str]) {
    let fixed = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    let done = folder.program("git").args(fixed).args(words).output().expect("git");
    assert!(done.status.success(), "{done:?}");
}

fn init(folder: &Folder, within: &str, words: &str) -> Ended {
    let mut command = folder.command(&format!("init {words}"));
    let ended = super::finish(command.current_dir(folder.path().join(within)).env("PATH", "/usr/bin:/bin"), b"");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    ended
}

/// The report of `cfg check` without its last line.
fn findings(folder: &Folder) -> serde_json::Value {
    let report: serde_json::Value = serde_json::from_str(&folder.run("check --format json").stdout).expect("JSON");
    report["files"].clone()
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_monorepo_of_two_versions_gets_no_target() {
    let folder = Folder::repository(&[
        ("pyproject.toml", "[project]\nname = \"root\"\nversion = \"0\"\n[tool.uv.workspace]\nmembers = [\"projects/*\"]\n"),
        ("projects/a/pyproject.toml", &pinned("a", "0.6.0")),
        ("projects/a/configs/rl.toml", OLD),
        ("projects/b/pyproject.toml", &pinned("b", "0.8.0")),
        ("projects/b/configs/rl.toml", NEW),
        ("projects/c/pyproject.toml", &pinned("c", "0.5.0")),
    ]);
    let before = findings(&folder);
    let ended = init(&folder, ".", "--yes");
    let settings = read(&folder, "cfg.toml");
    assert!(!settings.lines().any(|line| line.starts_with("target")), "{settings}");
    for place in ["projects/a/pyproject.toml", "projects/b/pyproject.toml", "projects/c/pyproject.toml"] {
        assert!(settings.contains(place), "{settings}");
    }
    // The next upgrade would make it untrue.
    assert!(!settings.contains("0.6.0"), "{settings}");
    assert_eq!(findings(&folder), before);
    let found = "Found 1 error in 1 of 2 files (1 fixable with `--fix`), for prime-rl 0.6.0 and 0.8.0";
    assert!(ended.stderr.contains(&format!("`cfg check`, before and after: {found}\n")), "{ended:?}");
    assert_eq!(ended.stderr.matches(found).count(), 1, "{ended:?}");
}

#[test]
fn a_target_that_changes_results_is_not_written() {
    let inferred =
        "[trainer.model]\nname = \"a\"\n[trainer.data.fake]\nbatch_size = 2\n[orchestrator]\nrollouts_per_example = 8\n";
    let folder = Folder::repository(&[("a.toml", inferred), ("b.toml", NEW)]);
    let before = findings(&folder);
    init(&folder, ".", "--yes --no-hook");
    let verdicts = |files: &serde_json::Value| -> Vec<String> {
        files.as_array().into_iter().flatten().map(|file| file["verdict"].to_string()).collect()
    };
    assert_eq!(verdicts(&findings(&folder)), verdicts(&before), "{}", read(&folder, "cfg.toml"));
}

#[test]
fn existing_hooks_are_not_replaced() {
    let hooks = "repos:\n  - repo: local\n    hooks: []\n";
    let folder =
        Folder::repository(&[(".pre-commit-config.yaml", hooks), ("pyproject.toml", &pinned("a", "0.6.0")), ("rl.toml", OLD)]);
    let ended = init(&folder, ".", "--yes");
    assert!(ended.stdout.contains(".pre-commit-config.yaml is not changed; add to it:\n      - repo: local\n"), "{ended:?}");
    assert!(ended.stdout.contains("language: system") && !ended.stdout.contains("cfg-prime-rl"), "{ended:?}");
    assert!(!folder.path().join(".git/hooks/pre-commit").exists());
    assert_eq!(read(&folder, ".pre-commit-config.yaml"), hooks);
    let other = Folder::repository(&[(".git/hooks/pre-commit", "#!/bin/sh\nmake lint\n"), ("rl.toml", OLD)]);
    let ended = init(&other, ".", "--yes");
    assert!(ended.stdout.contains(".git/hooks/pre-commit is not changed; add to it:\n    cfg hook run || exit 1\n"), "{ended:?}");
    let managed = Folder::repository(&[("lefthook.yml", "pre-commit: {}\n"), ("rl.toml", OLD)]);
    let ended = init(&managed, ".", "--yes");
    assert!(ended.stderr.contains("lefthook") && !managed.path().join(".git/hooks/pre-commit").exists(), "{ended:?}");
}

#[test]
fn files_for_ci_are_at_the_root_of_the_repository() {
    let folder = Folder::repository(&[("projects/a/pyproject.toml", &pinned("a", "0.6.0")), ("projects/a/rl.toml", OLD)]);
    init(&folder, "projects/a", "--yes --no-hook --ci github");
    let workflow = read(&folder, ".github/workflows/configs.yml");
    assert!(workflow.contains("cfg check --format github \"projects/a\"'"), "{workflow}");
    assert!(!folder.path().join("projects/a/.github").exists());
    // No package is named that can't be installed.
    assert!(workflow.contains("vars.CFG_PACKAGE != ''") && !workflow.contains("cfg-prime-rl"), "{workflow}");
    init(&folder, ".", "--yes --no-hook --ci gitlab");
    assert!(read(&folder, ".gitlab-ci.yml").contains("- local: .gitlab/cfg.yml"));
    assert!(read(&folder, ".gitlab/cfg.yml").contains("- if: $CFG_PACKAGE"));
    let existing = Folder::repository(&[(".gitlab-ci.yml", "test:\n  script: make\n"), ("rl.toml", OLD)]);
    let ended = init(&existing, ".", "--yes --no-hook --ci gitlab");
    assert!(
        ended.stdout.contains(".gitlab-ci.yml is not changed; add to it:\n    include:\n      - local: .gitlab/cfg.yml\n"),
        "{ended:?}"
    );
    assert_eq!(read(&existing, ".gitlab-ci.yml"), "test:\n  script: make\n");
    // Without a stated prime-rl, the day of a config's last change counts, which a shallow clone does not have.
    let text = read(&existing, ".gitlab/cfg.yml");
    assert!(text.contains("GIT_DEPTH: 0"), "{text}");
}

#[test]
fn a_baseline_of_init_leaves_no_finding() {
    let folder =
        Folder::repository(&[("pyproject.toml", &pinned("a", "0.6.0")), ("configs/rl.toml", &format!("bogus = 1\n{OLD}"))]);
    assert_eq!(folder.run("check").status, Some(1));
    let ended = init(&folder, ".", "--yes --baseline");
    assert!(ended.stderr.contains("cfg-baseline.json: written"), "{ended:?}");
    // What the baseline accepts is not counted as found afterwards.
    assert!(ended.stderr.contains("`cfg check` after: only new findings, because cfg-baseline.json accepts"), "{ended:?}");
    assert_eq!(ended.stderr.matches("Found 1 error").count(), 1, "{ended:?}");
    assert!(read(&folder, "cfg.toml").contains("baseline = \"cfg-baseline.json\""));
    let checked = folder.run("check --deny warnings,stale");
    assert_eq!(checked.status, Some(0), "{checked:?}");
    git(&folder, &["add", "-A"]);
    assert_eq!(folder.run("hook run --all-files").status, Some(0));
}

#[test]
fn folders_of_other_projects_are_named() {
    let module = Folder::repository(&[("configs/b.toml", "bogus = 1\n[trainer]\n[orchestrator]\n")]);
    git(&module, &["add", "-A"]);
    git(&module, &["commit", "-qm", "a"]);
    let folder = Folder::repository(&[("pyproject.toml", &pinned("a", "0.6.0")), ("configs/rl.toml", OLD)]);
    git(&folder, &["submodule", "--quiet", "add", &module.path().to_string_lossy(), "deps/theirs"]);
    let ended = init(&folder, ".", "--yes");
    assert!(ended.stderr.contains("deps/theirs is a git submodule: its configs are not checked"), "{ended:?}");
    assert!(ended.stderr.contains("`cfg check`, before and after: Found no problems, for prime-rl 0.6.0"), "{ended:?}");
}

#[test]
fn a_hook_that_is_not_installed_is_said() {
    let alone = Folder::new(&[("rl.toml", OLD)]);
    let ended = init(&alone, ".", "--yes");
    assert!(ended.stderr.contains("so no git hook is installed"), "{ended:?}");
    let folder = Folder::repository(&[("rl.toml", OLD)]);
    let (hooks, settings) = (folder.path().join("elsewhere"), folder.path().join(".git/global"));
    fs::write(&settings, format!("[core]\n\thooksPath = {}\n", hooks.display())).expect("written");
    let mut command = folder.command("init --yes");
    let ended = super::finish(command.env("PATH", "/usr/bin:/bin").env("GIT_CONFIG_GLOBAL", &settings), b"");
    assert!(
        ended.stderr.contains("core.hooksPath is set globally to") && ended.stderr.contains("so no git hook is installed"),
        "{ended:?}"
    );
    assert!(ended.stderr.contains("`cfg hook run || exit 1`"), "{ended:?}");
}

#[test]
fn a_registry_is_merged_by_cfg_also_where_another_program_has_the_hooks() {
    let hooks = "repos:\n  - repo: local\n    hooks: []\n";
    let folder =
        Folder::repository(&[(".pre-commit-config.yaml", hooks), ("cfg.toml", "target = \"0.6.0\"\n"), ("rl.toml", OLD)]);
    assert_eq!(folder.run("registry init").status, Some(0));
    let ended = init(&folder, ".", "--yes");
    assert!(ended.stdout.contains("registries are merged by `cfg registry merge`"), "{ended:?}");
    assert!(read(&folder, ".gitattributes").contains("registry.json merge=cfg"), "{ended:?}");
    assert!(!folder.path().join(".git/hooks/pre-commit").exists());
    assert!(!init(&folder, ".", "--yes").stdout.contains("registries are merged"));
}

#[test]
fn a_folder_without_configs_is_said_to_have_none() {
    let ended = init(&Folder::repository(&[("README.md", "hello\n")]), ".", "--yes");
    assert!(ended.stderr.contains("no config was found here: `cfg new` writes the first one"), "{ended:?}");
    let ended = init(&Folder::repository(&[("rl.toml", NEW)]), ".", "--yes");
    assert!(!ended.stderr.contains("no config was found"), "{ended:?}");
}

#[test]
fn nothing_is_written_into_a_bare_repository() {
    let folder = Folder::new(&[]);
    git(&folder, &["init", "-q", "--bare", "bare.git"]);
    let at = folder.path().join("bare.git");
    for words in ["init --yes", "hook install", "hook run"] {
        let ended = super::finish(folder.command(words).current_dir(&at), b"");
        assert_eq!(ended.status, Some(2), "{words}: {ended:?}");
        assert!(ended.stderr.contains("this is a bare repository, in which no file is checked out"), "{words}: {ended:?}");
    }
    assert!(!at.join("cfg.toml").exists());
}
