//! prime-rl as a submodule of a project.

use std::{ffi::OsString, fs, path::Path, process::Command};

use cfg_project::{TargetSource, Unusable};

use super::{PRIME_RL, detected, detected_in, folder, git, known, projects, repository, within, write};

/// Creates a project with prime-rl as a submodule, and returns the submodule's commit.
pub(super) fn with_submodule(root: &Path, path: &str) -> String {
    let origin = root.join("origin/prime-rl");
    write(&origin.join("pyproject.toml"), PRIME_RL);
    let sha = repository(&origin);
    let project = root.join("project");
    fs::create_dir_all(&project).expect("a folder");
    git(&project, &["init", "-q"]);
    git(&project, &["submodule", "--quiet", "add", "../origin/prime-rl", path]);
    sha
}

#[test]
fn a_submodule_is_at_the_commit_in_the_index() {
    let folder = folder(&[]);
    let sha = with_submodule(folder.path(), "deps/my prime");
    let project = folder.path().join("project");
    // It is not committed yet, so it is only in the index.
    assert_eq!(detected(&project, "configs/deep"), "be0e3d131 <- git submodule deps/my prime");
    let projects = projects(&project);
    let answer = projects.target(Path::new("rl.toml")).expect("it is found");
    let found = answer.as_ref().as_ref().expect("it is usable");
    assert_eq!(found.basis.commit(), Some(sha.as_str()));
    assert_eq!(found.source, TargetSource::GitSubmodule { path: project.join("deps/my prime") });
    // A config inside the submodule belongs to prime-rl itself.
    assert_eq!(detected(&project, "deps/my prime/configs"), "be0e3d131 <- git checkout deps/my prime");
    // The index decides, not what is checked out.
    let (target, known) = known();
    git(&project, &["update-index", "--cacheinfo", &format!("160000,{known},deps/my prime")]);
    assert_eq!(detected(&project, ""), format!("{target} <- git submodule deps/my prime"));
}

/// A repository with several parts, each of which has a prime-rl of its own.
#[test]
fn a_submodule_says_nothing_about_a_part_that_installs_its_own() {
    let folder = folder(&[]);
    with_submodule(folder.path(), "projects/code/deps/prime-rl");
    let project = folder.path().join("project");
    let submodule = "be0e3d131 <- git submodule projects/code/deps/prime-rl";
    for part in ["projects/code/configs", "projects/math/configs", "configs"] {
        assert_eq!(detected(&project, part), submodule, "{part}: nothing else states one");
    }
    let pinned = project.join("projects/math/pyproject.toml");
    let source = "[tool.uv.sources]\nprime-rl = { git = \"https://x/prime-rl\", tag = \"v0.4.0\" }\n";
    write(&pinned, source);
    assert_eq!(detected(&project, "projects/math/configs"), "0.4.0 <- projects/math/pyproject.toml");
    assert_eq!(detected(&project, "projects/code/configs"), submodule);
    write(&pinned, "[project]\ndependencies = [\"prime-rl>=0.3\"]\n");
    assert_eq!(detected(&project, "projects/math/configs"), submodule, "a range names no version");
    write(&project.join("projects/math/requirements.txt"), "prime-rl==0.3.0\n");
    assert_eq!(detected(&project, "projects/math/configs"), "0.3.0 <- projects/math/requirements.txt");
    // A workspace states at its root where the packages of its members come from.
    write(&project.join("pyproject.toml"), "[tool.uv.sources]\nprime-rl = { path = \"projects/code/deps/prime-rl\" }\n");
    assert_eq!(detected(&project, "projects/math/configs"), submodule);
}

#[test]
fn each_part_has_its_own_submodule() {
    let folder = folder(&[]);
    with_submodule(folder.path(), "projects/code/prime-rl");
    let project = folder.path().join("project");
    git(&project, &["submodule", "--quiet", "add", "../origin/prime-rl", "projects/math/prime-rl"]);
    let (target, known) = known();
    git(&project, &["update-index", "--cacheinfo", &format!("160000,{known},projects/math/prime-rl")]);
    assert_eq!(detected(&project, "projects/math/configs"), format!("{target} <- git submodule projects/math/prime-rl"));
    assert_eq!(detected(&project, "projects/code/configs"), "be0e3d131 <- git submodule projects/code/prime-rl");
}

#[test]
fn a_submodule_that_is_not_checked_out_has_no_date() {
    let folder = folder(&[]);
    let sha = with_submodule(folder.path(), "prime-rl");
    let project = folder.path().join("project");
    git(&project, &["commit", "-q", "-m", "first"]);
    git(&project, &["submodule", "--quiet", "deinit", "-f", "prime-rl"]);
    let projects = projects(&project);
    let answer = projects.target(Path::new("rl.toml")).expect("it is found");
    let problem = answer.as_ref().as_ref().expect_err("it is not known");
    assert_eq!(problem.unusable, Unusable::Commit(sha.clone()));
    let wanted =
        format!("prime-rl is at commit {} (git submodule prime-rl), which is not a known commit of the main branch", &sha[..9]);
    assert_eq!(problem.message(&project), wanted);
    assert!(problem.help().contains("set `target` in cfg.toml"), "{}", problem.help());
}

#[test]
fn a_hook_sees_the_index_that_is_about_to_be_committed() {
    let folder = folder(&[]);
    with_submodule(folder.path(), "prime-rl");
    let project = folder.path().join("project");
    git(&project, &["commit", "-q", "-m", "first"]);
    let (target, known) = known();
    let at_known = format!("{target} <- git submodule prime-rl");
    let next = project.join(".git/next-index-1.lock");
    fs::copy(project.join(".git/index"), &next).expect("a copy");
    let info = format!("160000,{known},prime-rl");
    let update = Command::new("git")
        .arg("-C")
        .arg(&project)
        .args(["update-index", "--cacheinfo", &info])
        .env("GIT_INDEX_FILE", &next)
        .status();
    assert!(update.expect("git runs").success());
    let hook = |index: OsString| within(&project, &[("GIT_INDEX_FILE", &index)]);
    for index in [next.clone().into_os_string(), ".git/next-index-1.lock".into()] {
        assert_eq!(detected_in(hook(index), ""), at_known);
    }
    // The index of another repository is not used.
    for index in ["../origin/prime-rl/.git/index".into(), OsString::from("nowhere"), "/".into()] {
        assert_eq!(detected_in(hook(index), ""), "be0e3d131 <- git submodule prime-rl");
    }
}

#[test]
fn other_submodules_and_broken_repositories_state_no_target() {
    let folder = folder(&[(".gitmodules", "[submodule \"x\"]\npath = prime-rl\nurl = u\n[submodule"), (".git/HEAD", "?")]);
    assert_eq!(detected(folder.path(), ""), "");
    write(&folder.path().join(".gitmodules"), "[submodule \"x\"]\npath = verifiers\nurl = ../verifiers\n");
    assert_eq!(detected(folder.path(), ""), "");
    // If `git` reports nothing, the checked out commit is used.
    write(&folder.path().join(".gitmodules"), "[submodule \"x\"]\npath = p\nurl = git@x:me/prime-rl.git\n");
    let (target, sha) = known();
    write(&folder.path().join("p/.git"), "gitdir: ../.git/modules/p\n");
    write(&folder.path().join(".git/modules/p/HEAD"), &sha);
    assert_eq!(detected(folder.path(), ""), format!("{target} <- git submodule p"));
}
