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

/// git converts line ends between systems: a checkout with CRLF has the same versions, and what is registered there is known elsewhere.
#[test]
fn a_checkout_with_other_line_ends_has_the_same_versions() {
    let repository = Repository::new(&[SETTINGS, ("k\u{f6}nfig/a b.toml", CLEAN)]);
    let words = |words: &str| -> Vec<String> { words.split(' ').map(|word| word.replace('%', "k\u{f6}nfig/a b.toml")).collect() };
    let run = |folder: &Path, line: &str| cfg(&repository, folder, &words(line).iter().map(String::as_str).collect::<Vec<_>>());
    run(&repository.path(), "registry init").well();
    run(&repository.path(), "registry merge --install").well();
    run(&repository.path(), "bump % -m first").well();
    repository.git("add -A").well();
    repository.git("commit -qm first").well();
    let clone = repository.home().join("clone");
    let (from, to) = (repository.path(), clone.to_str().expect("UTF-8").to_owned());
    let from = from.to_str().expect("UTF-8").to_owned();
    git(&repository, &repository.home(), &["clone", "-q", "-c", "core.autocrlf=true", &from, &to]).well();
    let config = clone.join("k\u{f6}nfig/a b.toml");
    let text = fs::read_to_string(&config).expect("a text");
    assert!(text.contains("\r\n"), "git converts line ends");
    for words in ["registry verify", "check -q %", "hook run --all-files"] {
        assert!(!run(&clone, words).well().contains("PRL7"), "{words}");
    }
    assert!(run(&clone, "diff --since HEAD").well().contains("none changed its meaning"));
    let said = run(&clone, "bump % -m again");
    assert!(said.status == Some(1) && said.text.contains("v1"), "{said:?}");
    fs::write(&config, text.replace("max_steps = 100", "max_steps = 200")).expect("a file");
    run(&clone, "bump % -m second").well();
    git(&repository, &clone, &["add", "-A"]).well();
    git(&repository, &clone, &["commit", "-qm", "second"]).well();
    run(&clone, "registry verify").well();
    // A colleague whose files have LF.
    git(&repository, &repository.path(), &["pull", "-q", &to, "main"]).well();
    assert!(!fs::read_to_string(repository.path().join("k\u{f6}nfig/a b.toml")).expect("a text").contains('\r'));
    let said = run(&repository.path(), "registry verify").well();
    assert!(said.contains("Found no problems (1 config, 2 versions)"), "{said}");
    assert!(run(&repository.path(), "log %").well().contains("a b.toml:v2  2026-01-05  (current)"));
}

#[test]
fn a_clone_that_borrows_objects_is_told_how_to_make_it_whole() {
    let repository = Repository::new(&[SETTINGS, ("a.toml", CLEAN)]);
    repository.git("add -A").well();
    repository.git("commit -qm first").well();
    let clone = repository.home().join("clone");
    let (from, to) = (repository.path(), clone.to_str().expect("UTF-8").to_owned());
    git(&repository, &repository.home(), &["clone", "-q", "--shared", from.to_str().expect("UTF-8"), &to]).well();
    for words in [&["hook", "run", "--all-files"][..], &["diff", "--since", "HEAD"]] {
        let said = cfg(&repository, &clone, words);
        assert!(said.status == Some(2) && said.text.contains("this clone borrows objects of another repository"), "{said:?}");
        assert!(said.text.contains("`git repack -a -d`"), "{said:?}");
    }
    git(&repository, &clone, &["repack", "-qad"]).well();
    fs::remove_file(clone.join(".git/objects/info/alternates")).expect("it is there");
    for words in [&["hook", "run", "--all-files"][..], &["diff", "--since", "HEAD"]] {
        cfg(&repository, &clone, words).well();
    }
}
