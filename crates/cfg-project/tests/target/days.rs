//! The day on which a config was used: from its comments, its commits, the pages and the lock file of its project.

use std::{path::Path, sync::Arc};

use cfg_project::{DaySource, FileDay, Projects};
use cfg_schema::{Commit, History};
use cfg_system::MemorySystem;

#[cfg(unix)]
use super::within;
use super::{folder, git, projects, write};

/// The day of `rl.toml` with a text, and what says so, relative to the folder.
fn day(projects: &Projects, folder: &Path, text: &str) -> Option<(String, String)> {
    let FileDay { day, source } = projects.day(Path::new("configs/rl.toml"), text)?;
    Some((day, source.describe(folder)))
}

fn said(day: &str, source: &str) -> Option<(String, String)> {
    Some((day.to_owned(), source.to_owned()))
}

#[test]
fn the_later_of_comment_and_commit_counts() {
    let text = "max_steps = 1\n";
    let pages = "# Runs\n\n`configs/rl.toml` passed on 2026-11-01.\n";
    let folder = folder(&[("configs/rl.toml", text), ("README.md", pages), ("pyproject.toml", "")]);
    let path = folder.path();
    // In a repository, git is asked from its root.
    git(path, &["init", "-q"]);
    git(path, &["add", "-A"]);
    git(path, &["commit", "-q", "-m", "first"]);
    let projects = projects(path);
    assert_eq!(day(&projects, path, text), said("2026-01-06", "its last commit"));
    let later = "# passed on 2026-02-01\nmax_steps = 1\n";
    assert_eq!(day(&projects, path, later), said("2026-02-01", "its comment in line 1"));
    let earlier = "max_steps = 1\n# passed on 2026-01-05\n";
    assert_eq!(day(&projects, path, earlier), said("2026-01-06", "its last commit"));
    assert_eq!(projects.last_change(Path::new("configs/rl.toml")).as_deref(), Some("2026-01-06"));
}

#[test]
fn pages_and_lock_files_tell_the_day_without_commits() {
    let lock = "version = 1\n\n[[package]]\nname = \"torch\"\nwheels = [\n    { url = \"x\", upload-time = \"2026-05-06T10:00:00Z\" },\n]\n";
    let folder = folder(&[("p/configs/rl.toml", ""), ("p/pyproject.toml", ""), ("p/uv.lock", lock)]);
    let path = folder.path().join("p");
    let found = |text: &str| day(&projects(&path), &path, text);
    let here = |name: &str| path.canonicalize().expect("it is there").join(name);
    assert_eq!(found(""), said("2026-05-06", "the newest package in uv.lock"));
    write(&here("docs/runs.md"), "Validated with prime-rl main (2026-06-02).\n");
    assert_eq!(found(""), said("2026-06-02", "docs/runs.md:1"));
    // What is about another config, or about something else, does not count.
    write(&here("configs/README.md"), "- `other.toml` passed on 2026-07-01\n- it ran on 2026-07-02\n");
    assert_eq!(found(""), said("2026-06-02", "docs/runs.md:1"));
    write(&here("README.md"), "| config | |\n|---|---|\n| [rl.toml](configs/rl.toml) | last run 2026-06-01 |\n");
    assert_eq!(found(""), said("2026-06-01", "README.md:3"));
    assert_eq!(found("# ran on 2026-04-01\n"), said("2026-04-01", "its comment in line 1"));
}

#[test]
fn without_any_sign_there_is_no_day() {
    let files = MemorySystem::with_files([("/a/rl.toml", ""), ("/a/README.md", "`rl.toml` passed on 2026-06-01")]);
    let projects = Projects::new(Arc::new(files), None);
    assert_eq!(projects.day(Path::new("/a/rl.toml"), "# run: 2026-06-01\n"), None, "not a project");
    let day = History::built_in().commits().next_back().map(Commit::day).expect("there are commits");
    let text = format!("# ran on {day}\n");
    let found = projects.day(Path::new("/a/rl.toml"), &text).expect("a comment");
    assert_eq!((found.day.as_str(), found.source), (day, DaySource::Comment { line: 1 }));
}

/// However many folders have configs, git is started once for all of them, and not for one that it does not track.
#[cfg(unix)]
#[test]
fn git_is_asked_once_for_a_repository() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    let folder = folder(&[("bin/git", "#!/bin/sh\necho \"$@\" >> \"$LOG\"\nexec \"$GIT\" \"$@\"\n"), ("p/new/rl.toml", "")]);
    let at = |path: &str| folder.path().join(path);
    fs::set_permissions(at("bin/git"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = std::env::var_os("PATH").expect("it is set");
    let real =
        std::env::split_paths(&path).map(|folder| folder.join("git")).find(|path| path.is_file()).expect("git is installed");
    git(&at("p"), &["init", "-q"]);
    for commit in 0..3 {
        (0..100).for_each(|file| write(&at(&format!("p/{commit}/{file}/rl.toml")), &format!("a = {commit}")));
        git(&at("p"), &["add", &commit.to_string()]);
        git(&at("p"), &["commit", "-q", "-m", "x"]);
    }
    let variables = [("PATH", at("bin").into_os_string()), ("GIT", real.into_os_string()), ("LOG", at("log").into_os_string())];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_os_str()));
    let projects = Projects::new(within(&at("p"), &variables), None);
    assert_eq!(projects.last_change(Path::new("new/rl.toml")), None);
    assert!(!at("log").exists(), "the index tells");
    for commit in 0..3 {
        for file in 0..100 {
            assert_eq!(projects.last_change(&at(&format!("p/{commit}/{file}/rl.toml"))).as_deref(), Some("2026-01-06"));
        }
    }
    assert_eq!(fs::read_to_string(at("log")).expect("git was asked").lines().count(), 1);
}
