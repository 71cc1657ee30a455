//! Paths in git's index, with real git repositories.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use cfg_project::Index;
use cfg_system::{Admission, OsSystem, Refusal, Role, Scope, System};
use tempfile::TempDir;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    let done = command.output().expect("git runs");
    assert!(done.status.success(), "{done:?}");
}

/// A repository `repo` with `a/base.toml`, with `staged` as its staged content and `written` in the work tree; next to it, files outside the
/// repository.
fn repository() -> (TempDir, PathBuf) {
    let around = tempfile::tempdir().expect("a temporary folder");
    let top = fs::canonicalize(around.path()).expect("a path").join("repo");
    fs::create_dir_all(top.join("a")).expect("a folder");
    git(&top, &["init", "-q"]);
    fs::write(top.join("a/base.toml"), "staged").expect("a file");
    fs::write(top.with_file_name("beside.toml"), "beside").expect("a file");
    symlink(&top, top.with_file_name("linked")).expect("a link");
    symlink(top.with_file_name("linked").join("a"), top.join("around")).expect("a link");
    symlink("../beside.toml", top.join("out.toml")).expect("a link");
    git(&top, &["add", "-A"]);
    fs::write(top.join("a/base.toml"), "written").expect("a file");
    (around, top)
}

#[test]
fn a_path_through_a_parent_folder_is_read_from_the_index() {
    let (_around, top) = repository();
    let system: Arc<dyn System> = Arc::new(OsSystem::new());
    system.admit(&top, Admission::Listed);
    let files: &dyn System = &Index::open(&system, &top).expect("a repository");
    let read =
        |path: &str| files.read(&top.join(path), Role::Config).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).ok();
    for path in [
        "a/base.toml",
        "a/../a/base.toml",
        "../repo/a/base.toml",
        "a/../../repo/a/base.toml",
        "../linked/a/base.toml",
        "../linked/../repo/a/base.toml",
        "around/base.toml",
        "around/../../linked/a/base.toml",
    ] {
        assert_eq!(read(path).as_deref(), Some("staged"), "{path}");
        assert!(files.is_file(&top.join(path)), "{path}");
        assert_eq!(files.real(&top.join(path)).ok(), Some(top.join("a/base.toml")), "{path}");
    }
    for path in ["../beside.toml", "a/../../beside.toml", "../repo/../beside.toml", "out.toml", "../linked/out.toml"] {
        let refused = files.read(&top.join(path), Role::Config).expect_err("it is not in the repository");
        assert_eq!(Refusal::of(&refused), Some(Refusal::Outside), "{path}");
    }
    for path in ["../repo/a/none.toml", "../none/base.toml", "a/base.toml/../base.toml"] {
        assert_eq!(read(path), None, "{path}");
    }
    let listed = files.list(&top.join("../repo/a"), Scope::Inside).expect("a folder");
    assert_eq!(listed.into_iter().map(|entry| entry.name).collect::<Vec<_>>(), ["base.toml"]);
}
