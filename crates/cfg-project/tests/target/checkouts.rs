//! Checkouts of prime-rl and of its forks, and what git reports about their commits.

use std::{fs, io, path::Path, process::Command};

use cfg_project::Basis;
use cfg_schema::History;

use super::{PRIME_RL, detected, folder, git, known, projects, repository, submodules::with_submodule, write};

#[test]
fn a_checkout_of_prime_rl_is_at_its_commit() {
    let folder = folder(&[("prime/pyproject.toml", PRIME_RL), ("prime/configs/rl.toml", "")]);
    let root = folder.path().join("prime");
    repository(&root);
    // Neither the commit nor any of its ancestors is one of prime-rl, so its date determines the commit of the main line.
    assert_eq!(detected(folder.path(), "prime/configs"), "be0e3d131 <- git checkout prime");
    // `git` is not needed if `HEAD` is a commit of the main line: detached, or a loose or packed reference.
    let (target, sha) = known();
    let name = format!("{target} <- git checkout prime");
    let dot_git = root.join(".git");
    write(&dot_git.join("HEAD"), &format!("{sha}\n"));
    assert_eq!(detected(folder.path(), "prime/configs"), name);
    write(&dot_git.join("HEAD"), "ref: refs/heads/a/b\n");
    write(&dot_git.join("refs/heads/a/b"), &format!("{sha}\n"));
    assert_eq!(detected(folder.path(), "prime"), name);
    fs::remove_file(dot_git.join("refs/heads/a/b")).expect("it was there");
    write(
        &dot_git.join("packed-refs"),
        &format!("# pack-refs with: peeled\n{} refs/tags/x\n^{}\n{sha} refs/heads/a/b\n", "1".repeat(40), "2".repeat(40)),
    );
    assert_eq!(detected(folder.path(), "prime"), name);
    // A repository without a commit states no prime-rl.
    write(&dot_git.join("HEAD"), "ref: refs/heads/none\n");
    assert_eq!(detected(folder.path(), "prime"), "");
}

#[test]
fn a_linked_work_tree_has_its_own_commit() {
    let folder = folder(&[("main/pyproject.toml", PRIME_RL)]);
    let main = folder.path().join("main");
    repository(&main);
    git(&main, &["worktree", "add", "-q", "-b", "side", "../tree"]);
    let (target, sha) = known();
    write(&main.join(".git/refs/heads/side"), &format!("{sha}\n"));
    assert_eq!(detected(folder.path(), "tree"), format!("{target} <- git checkout tree"));
    assert_eq!(detected(folder.path(), "main"), "be0e3d131 <- git checkout main");
}

#[test]
fn a_copy_within_another_repository_is_as_new_as_its_last_change() {
    let folder = folder(&[("vendor/prime/pyproject.toml", PRIME_RL)]);
    repository(folder.path());
    assert_eq!(detected(folder.path(), "vendor/prime/configs"), "be0e3d131 <- git checkout vendor/prime");
    // Without a repository, the version is unknown.
    fs::remove_dir_all(folder.path().join(".git")).expect("it was there");
    assert_eq!(detected(folder.path(), "vendor/prime"), "");
}

/// Adds a commit with the hash of one on the main line to a repository, and another commit on top of it, whose hash is returned.
pub(super) fn fork(root: &Path, main_line: &str) -> String {
    let own = repository(root);
    let place = |sha: &str| root.join(".git/objects").join(&sha[..2]).join(&sha[2..]);
    fs::create_dir_all(place(main_line).parent().expect("it has one")).expect("a folder");
    fs::copy(place(&own), place(main_line)).expect("an object");
    let sha = git(root, &["commit-tree", "HEAD^{tree}", "-p", main_line, "-m", "of the fork"]);
    git(root, &["update-ref", "HEAD", &sha]);
    sha
}

#[test]
fn a_fork_is_at_its_newest_known_ancestor() {
    let folder = folder(&[("fork/pyproject.toml", PRIME_RL)]);
    let root = folder.path().join("fork");
    // The commits are of 6 January; the ancestor, which is 0.3.0, is of 15 January.
    let ancestor = "32adbba80242b1e6c971c3bdc05a028b5cef0b2b";
    let sha = fork(&root, ancestor);
    assert_eq!(detected(folder.path(), "fork/configs"), "0.3.0 <- git checkout fork");
    let projects = projects(folder.path());
    let answer = projects.target(Path::new("fork/rl.toml")).expect("it is found");
    let found = answer.as_ref().as_ref().expect("it is usable");
    assert_eq!(found.basis, Basis::Ancestor { commit: sha });
    assert!(!found.target.is_beyond);
}

#[test]
fn commits_after_the_last_known_one_are_newer() {
    let folder = folder(&[("prime/pyproject.toml", PRIME_RL)]);
    let root = folder.path().join("prime");
    let last = History::built_in().commits().next_back().expect("there are commits").sha();
    let sha = fork(&root, &last);
    assert_eq!(detected(folder.path(), "prime"), format!("{} <- git checkout prime", &sha[..9]));
    let projects = projects(folder.path());
    let answer = projects.target(Path::new("prime/rl.toml")).expect("it is found");
    assert!(answer.as_ref().as_ref().expect("it is usable").target.is_beyond);
}

#[test]
fn a_submodule_of_a_fork_is_at_its_newest_known_ancestor() {
    let folder = folder(&[]);
    let (target, known) = known();
    let project = folder.path().join("project");
    with_submodule(folder.path(), "prime-rl");
    let within = project.join("prime-rl");
    git(&within, &["init", "-q"]);
    let objects = git(&within, &["rev-parse", "--absolute-git-dir"]);
    let own = git(&within, &["rev-parse", "HEAD"]);
    let place = |sha: &str| Path::new(&objects).join("objects").join(&sha[..2]).join(&sha[2..]);
    fs::create_dir_all(place(&known).parent().expect("it has one")).expect("a folder");
    fs::copy(place(&own), place(&known)).expect("an object");
    let sha = git(&within, &["commit-tree", "HEAD^{tree}", "-p", &known, "-m", "of the fork"]);
    git(&project, &["update-index", "--cacheinfo", &format!("160000,{sha},prime-rl")]);
    assert_eq!(detected(&project, "configs"), format!("{target} <- git submodule prime-rl"));
}

/// For a clone outside the repository, whose files must not be read, the pins are read from git.
#[test]
fn a_clone_beside_the_project_is_at_its_committed_version() {
    let class = |name: &str| format!("from pydantic import BaseModel\nclass {name}(BaseModel):\n    x: int = 1\n");
    let orchestrator = "import verifiers.v1 as vf\nfrom pydantic import BaseModel\nclass Env(vf.EnvServerConfig):\n    name: str | None = None\nclass OrchestratorConfig(BaseModel):\n    env: Env\n";
    let lock = "version = 1\n\n[[package]]\nname = \"verifiers\"\nversion = \"0.0.7\"\nsource = { registry = \"r\" }\n\n";
    let folder = folder(&[
        ("project/cfg.toml", "target = \"path:../fork\"\n"),
        ("fork/pyproject.toml", PRIME_RL),
        ("fork/uv.lock", lock),
        ("fork/src/prime_rl/__init__.py", ""),
        ("fork/src/prime_rl/configs/__init__.py", ""),
        ("fork/src/prime_rl/configs/rl.py", &class("RLConfig")),
        ("fork/src/prime_rl/configs/trainer.py", &class("TrainerConfig")),
        ("fork/src/prime_rl/configs/orchestrator.py", orchestrator),
        ("fork/src/prime_rl/configs/inference.py", &class("InferenceConfig")),
        ("fork/src/prime_rl/configs/sft.py", &class("SFTConfig")),
    ]);
    let (project, fork) = (folder.path().join("project"), folder.path().join("fork"));
    repository(&project);
    repository(&fork);
    let why = || {
        let answer = projects(&project).target(Path::new("rl.toml")).expect("it is set");
        let own = answer.as_ref().as_ref().expect("it is usable").target.own_checks.clone().expect("it is read");
        own.unknown.iter().map(ToString::to_string).collect::<String>()
    };
    let told = why();
    assert!(told.contains("0.0.7"), "{told}");
    write(&fork.join("uv.lock"), &lock.replace("0.0.7", "0.0.8"));
    assert_eq!(why(), told, "the file itself is not read");
    git(&fork, &["commit", "-q", "-a", "-m", "second"]);
    assert!(why().contains("0.0.8"));
}

#[test]
fn a_fork_from_before_the_history_is_not_known() {
    let folder = folder(&[("fork/pyproject.toml", PRIME_RL)]);
    let root = folder.path().join("fork");
    git(folder.path(), &["init", "-q", "fork"]);
    let tree = git(&root, &["write-tree"]);
    let mut command = Command::new("git");
    command.arg("-C").arg(&root).args(["-c", "user.name=t", "-c", "user.email=t@t", "commit-tree", &tree, "-m", "old"]);
    let old = command.env("GIT_COMMITTER_DATE", "2025-03-01T00:00:00Z").output();
    let old = String::from_utf8(old.expect("git runs").stdout).expect("text");
    let sha = git(&root, &["commit-tree", &tree, "-p", old.trim(), "-m", "of the fork"]);
    git(&root, &["update-ref", "HEAD", &sha]);
    let wanted = format!("prime-rl is at commit {} (git checkout fork), which is older than the known history", &sha[..9]);
    assert_eq!(detected(folder.path(), "fork"), wanted);
}

#[test]
fn the_date_of_a_config_is_read_from_git() {
    let folder = folder(&[("a.toml", ""), ("deep/b.toml", ""), ("deep/c.toml", "")]);
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "a.toml", "deep/b.toml"]);
    git(folder.path(), &["commit", "-q", "-m", "first"]);
    let projects = projects(folder.path());
    for (file, day) in [("a.toml", Some("2026-01-06")), ("deep/b.toml", Some("2026-01-06")), ("deep/c.toml", None)] {
        assert_eq!(projects.last_change(Path::new(file)).as_deref(), day, "{file}");
    }
    // For many files, git is queried once for all of them.
    (0..100).for_each(|file| write(&folder.path().join(format!("many/{file}.toml")), ""));
    git(folder.path(), &["add", "many"]);
    git(folder.path(), &["commit", "-q", "-m", "second"]);
    let projects = self::projects(folder.path());
    assert_eq!(projects.last_change(Path::new("many/99.toml")).as_deref(), Some("2026-01-06"));
}

/// The content of a file is as old as the commit that wrote it, whatever its name was then.
#[test]
fn a_rename_does_not_make_a_config_newer() {
    let folder = folder(&[("a.toml", "max_steps = 1\n"), ("b.toml", "max_steps = 2\n"), ("deep/e.toml", "max_steps = 3\n")]);
    let at = |day: &str, words: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder.path()).args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]);
        let done = command.args(words).env("GIT_COMMITTER_DATE", format!("{day}T12:00:00Z")).output().expect("git runs");
        assert!(done.status.success(), "{words:?}: {done:?}");
    };
    git(folder.path(), &["init", "-q"]);
    let commit = |day: &str| {
        git(folder.path(), &["add", "-A"]);
        at(day, &["commit", "-q", "-m", "x"]);
    };
    write(&folder.path().join("first"), "");
    git(folder.path(), &["add", "first"]);
    at("2026-01-01", &["commit", "-q", "-m", "x"]);
    commit("2026-01-05");
    git(folder.path(), &["mv", "a.toml", "deep/c.toml"]);
    git(folder.path(), &["mv", "deep/e.toml", "deep/f.toml"]);
    git(folder.path(), &["rm", "-q", "b.toml"]);
    write(&folder.path().join("deep/d.toml"), "max_steps = 2\nseed = 1\n");
    commit("2026-02-05");
    git(folder.path(), &["mv", "deep", "configs"]);
    commit("2026-03-05");
    write(&folder.path().join("configs/f.toml"), "max_steps = 4\n");
    commit("2026-04-05");
    let projects = projects(folder.path());
    // One that is changed as it moves, or later, is as new as that.
    for (file, day) in [("c", "2026-01-05"), ("d", "2026-02-05"), ("f", "2026-04-05")] {
        assert_eq!(projects.last_change(Path::new(&format!("configs/{file}.toml"))).as_deref(), Some(day), "{file}");
    }
}

#[test]
fn a_known_ancestor_is_found_far_back() {
    let folder = folder(&[("fork/pyproject.toml", PRIME_RL)]);
    let root = folder.path().join("fork");
    let ancestor = "32adbba80242b1e6c971c3bdc05a028b5cef0b2b";
    let own = fork(&root, ancestor);
    // Written as one stream: 300 commits, each on top of the previous one.
    let mut stream = String::new();
    for commit in 0..300 {
        let from = if commit == 0 { format!("from {own}\n") } else { String::new() };
        stream.push_str(&format!(
            "commit refs/heads/long\ncommitter t <t@t> {} +0000\ndata 1\nx\n{from}\n",
            1_770_000_000 + commit
        ));
    }
    let mut import = Command::new("git");
    import.arg("-C").arg(&root).args(["fast-import", "--quiet", "--force"]).stdin(std::process::Stdio::piped());
    let mut running = import.spawn().expect("git runs");
    io::Write::write_all(&mut running.stdin.take().expect("piped"), stream.as_bytes()).expect("it reads");
    assert!(running.wait().expect("it ends").success());
    let newest = git(&root, &["rev-parse", "long"]);
    git(&root, &["update-ref", "HEAD", &newest]);
    assert_eq!(git(&root, &["rev-list", "--count", "HEAD"]), "302");
    assert_eq!(detected(folder.path(), "fork/configs"), "0.3.0 <- git checkout fork");
}
