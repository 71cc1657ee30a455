//! Linked work trees, submodules, and repositories whose git folder is elsewhere.

use std::{fs, path::Path};

use crate::{
    CLEAN, MISSPELT, SETTINGS,
    repository::{Ended, Repository},
};

fn git(repository: &Repository, folder: &Path, words: &[&str]) -> Ended {
    repository.command("git").args(words).current_dir(folder).output().expect("git runs").into()
}

fn cfg(repository: &Repository, folder: &Path, words: &[&str]) -> Ended {
    repository.command(env!("CARGO_BIN_EXE_cfg")).args(words).current_dir(folder).output().expect("cfg runs").into()
}

#[test]
fn a_linked_work_tree_shares_the_hook_and_has_its_own_index() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", CLEAN)]);
    repository.git("add -A").well();
    repository.git("commit -qm first").well();
    let tree = repository.home().join("tree");
    let path = tree.to_str().expect("UTF-8");
    git(&repository, &repository.path(), &["worktree", "add", "-q", path, "-b", "other"]).well();
    cfg(&repository, &tree, &["hook", "install"]).well();
    assert!(repository.path().join(".git/hooks/pre-commit").is_file());
    fs::write(tree.join("a.toml"), MISSPELT).expect("a file");
    git(&repository, &tree, &["add", "-A"]).well();
    git(&repository, &tree, &["commit", "-qm", "x"]).refused("rollouts_per_exmaple");
    repository.replace("a.toml", "max_steps = 100", "max_steps = 101");
    repository.commit_all().well();
}

#[test]
fn a_submodule_has_a_hook_of_its_own() {
    let repository = Repository::new(&[SETTINGS]);
    let inner = repository.home().join("inner");
    let path = inner.to_str().expect("UTF-8");
    git(&repository, &repository.path(), &["init", "-q", path]).well();
    fs::write(inner.join("cfg.toml"), SETTINGS.1).expect("a file");
    git(&repository, &inner, &["add", "-A"]).well();
    git(&repository, &inner, &["commit", "-qm", "x"]).well();
    let words = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", path, "sub"];
    git(&repository, &repository.path(), &words).well();
    let sub = repository.path().join("sub");
    cfg(&repository, &sub, &["hook", "install"]).well();
    assert!(repository.path().join(".git/modules/sub/hooks/pre-commit").is_file());
    fs::write(sub.join("a.toml"), MISSPELT).expect("a file");
    git(&repository, &sub, &["add", "-A"]).well();
    git(&repository, &sub, &["commit", "-qm", "x"]).refused("rollouts_per_exmaple");
    git(&repository, &sub, &["commit", "-qm", "x", "--no-verify"]).well();
    // The outer repository contains the submodule as a commit, not as files.
    repository.cfg("hook install").well();
    repository.commit_all().well();
    assert!(!repository.cfg("hook run --all-files").well().contains("a.toml"));
}

#[test]
fn a_repository_may_be_outside_its_work_tree() {
    let repository = Repository::new(&[]);
    let (store, files) = (repository.home().join("store.git"), repository.home().join("files"));
    fs::create_dir(&files).expect("a folder");
    let (git_dir, work_tree) = (format!("--git-dir={}", store.display()), format!("--work-tree={}", files.display()));
    let run = |words: &[&str]| git(&repository, &files, &[&[git_dir.as_str(), work_tree.as_str()], words].concat());
    run(&["init", "-q"]).well();
    fs::write(files.join("a.toml"), MISSPELT).expect("a file");
    fs::write(files.join("cfg.toml"), SETTINGS.1).expect("a file");
    run(&["add", "-A"]).well();
    let hook = store.join("hooks/pre-commit");
    fs::create_dir_all(store.join("hooks")).expect("a folder");
    fs::write(&hook, format!("#!/bin/sh\nexec '{}' hook run\n", env!("CARGO_BIN_EXE_cfg"))).expect("a file");
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    run(&["commit", "-qm", "x"]).refused("rollouts_per_exmaple");
    fs::write(files.join("a.toml"), CLEAN).expect("a file");
    run(&["add", "-A"]).well();
    run(&["commit", "-qm", "x"]).well();
}
