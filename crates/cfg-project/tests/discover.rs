//! The search for files to check.

#[cfg(unix)]
use std::time::{Duration, SystemTime};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_project::discover;
use cfg_system::{Admission, IgnoredFiles, OsSystem, Role, Scope, SearchOptions, SearchedOnce, System};
#[cfg(unix)]
use cfg_system::{Observed, SearchMemory};
use tempfile::TempDir;

fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for path in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, "").expect("a file");
    }
    folder
}

/// The files that are found, with paths relative to the folder; `*` names named ones, `!` errors.
fn found(folder: &Path, paths: &[&str], options: SearchOptions) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| folder.join(path)).collect();
    let system = OsSystem::new();
    paths.iter().for_each(|path| system.admit(path, Admission::Named));
    let below = |path: &Path| path.strip_prefix(folder).expect("it lies below").to_string_lossy().into_owned();
    let shown = discover(&system, &paths, options).into_iter().map(|entry| match entry {
        Ok(found) => format!("{}{}", below(&found.path), if found.explicit { "*" } else { "" }),
        Err(error) => format!("{}!", below(&error.path)),
    });
    shown.collect()
}

#[test]
fn folders_are_searched_and_named_files_are_always_included() {
    let folder = folder(&[
        "b.toml",
        "a/z.toml",
        "a/y.toml",
        "a/no.json",
        "c.txt",
        "a/cfg.toml",
        "pyproject.toml",
        ".hid/x.toml",
        ".x.toml",
    ]);
    let options = SearchOptions::default();
    assert_eq!(found(folder.path(), &[""], options), ["a/y.toml", "a/z.toml", "b.toml"]);
    assert_eq!(
        found(folder.path(), &["b.toml", "c.txt", "a", "a/./y.toml", "a"], options),
        ["a/./y.toml*", "a/z.toml", "b.toml*", "c.txt*"]
    );
    assert_eq!(found(folder.path(), &["a/cfg.toml", ".hid", ".x.toml"], options), [".hid/x.toml", ".x.toml*", "a/cfg.toml*"]);
    assert_eq!(found(folder.path(), &["gone.toml", "b.toml"], options), ["b.toml*", "gone.toml!"]);
    let hidden = SearchOptions { hidden: true, ..options };
    assert_eq!(found(folder.path(), &[""], hidden), [".hid/x.toml", ".x.toml", "a/y.toml", "a/z.toml", "b.toml"]);
    assert_eq!(found(folder.path(), &[], options), [""; 0]);
}

#[test]
fn ignore_files_count_for_folders_and_not_for_named_files() {
    let folder = folder(&["out/a.toml", "in/b.toml", "in/skip.toml", ".git/x.toml"]);
    fs::write(folder.path().join(".gitignore"), "out/\n").expect("a file");
    fs::write(folder.path().join("in/.ignore"), "skip.toml\n").expect("a file");
    let options = SearchOptions::default();
    assert_eq!(found(folder.path(), &[""], options), ["in/b.toml"]);
    assert_eq!(found(folder.path(), &["", "out/a.toml"], options), ["in/b.toml", "out/a.toml*"]);
    let all = SearchOptions { respect_ignores: false, hidden: true, ..SearchOptions::default() };
    assert_eq!(found(folder.path(), &[""], all), ["in/b.toml", "in/skip.toml", "out/a.toml"]);
}

/// Runs `git` in a folder.
fn git(folder: &Path, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "init.defaultBranch=main", "-C"]).arg(folder).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn tracked_files_are_found_whatever_git_ignores() {
    let paths = [
        "in/a.toml",
        "in/new.toml",
        "in/one.toml",
        "out/deep/b.toml",
        "out/deep/new.toml",
        "out/deep/skip.toml",
        "out/new/new.toml",
        "out/.hidden/c.toml",
        "none/new.toml",
        "inner/d.toml",
        "out/inner/e.toml",
    ];
    let tracked = ["in/a.toml", "in/one.toml", "out/deep/b.toml", "out/deep/skip.toml", "out/.hidden/c.toml"];
    let wanted = ["in/a.toml", "in/one.toml", "out/deep/b.toml"];
    // Each form of an index; one that is split, or sparse, has its entries elsewhere.
    for (init, then) in [
        (&["init", "-q"][..], &[][..]),
        (&["init", "-q"], &["update-index", "--index-version", "4"]),
        (&["init", "-q"], &["update-index", "--split-index"]),
        (&["init", "-q", "--object-format=sha256"], &["update-index", "--untracked-cache", "--force-untracked-cache"]),
    ] {
        let folder = folder(&paths);
        let root = folder.path();
        git(root, init);
        git(root, &[&["add", "-f"], &tracked[..]].concat());
        if !then.is_empty() {
            git(root, then);
            git(root, &["add", "-f", "out/deep/b.toml"]);
        }
        // Other repositories do not belong to this one, and their own rules count.
        for inner in ["inner", "out/inner"] {
            git(&root.join(inner), &["init", "-q"]);
        }
        git(&root.join("out/inner"), &["add", "e.toml"]);
        fs::write(root.join(".gitignore"), "out/\nnone\ninner/d.toml\none.toml\n").expect("a file");
        fs::write(root.join(".git/info/exclude"), "/in/*.toml\n").expect("a file");
        fs::write(root.join("out/deep/.ignore"), "skip.toml\n").expect("a file");
        let ignored = IgnoredFiles::new(|path| !path.ends_with("skip.toml"));
        let options = SearchOptions { ignored: Some(&ignored), ..SearchOptions::default() };
        // What the inner repository has is not ignored by the rules of the outer one.
        assert_eq!(
            found(root, &[""], options),
            [&wanted[..1], &wanted[1..2], &["inner/d.toml"], &wanted[2..]].concat(),
            "{then:?}"
        );
        assert_eq!(ignored.count(), 5, "{then:?}");
        assert_eq!(found(root, &["out/deep"], SearchOptions::default()), ["out/deep/b.toml", "out/deep/new.toml"], "{then:?}");
    }
}

/// A repository whose index is not its own has no tracked files.
#[cfg(unix)]
#[test]
fn the_index_of_another_repository_tells_nothing() {
    let folder = folder(&["theirs/out/a.toml", "mine/out/a.toml", "mine/in/b.toml"]);
    let at = |path: &str| folder.path().join(path);
    git(&at("theirs"), &["init", "-q"]);
    git(&at("theirs"), &["add", "out/a.toml"]);
    fs::write(at("mine/.gitignore"), "out/\n").expect("a file");
    fs::write(at("mine/.git"), format!("gitdir: {}\n", at("theirs/.git").display())).expect("a file");
    assert_eq!(found(&at("mine"), &[""], SearchOptions::default()), ["in/b.toml"]);
    fs::remove_file(at("mine/.git")).expect("it is there");
    std::os::unix::fs::symlink(at("theirs/.git"), at("mine/.git")).expect("a link");
    assert_eq!(found(&at("mine"), &[""], SearchOptions::default()), ["in/b.toml"]);
    // A pipe in the place of an index is not waited for.
    fs::remove_file(at("mine/.git")).expect("it is there");
    git(&at("mine"), &["init", "-q"]);
    std::process::Command::new("mkfifo").arg(at("mine/.git/index")).status().expect("mkfifo runs");
    assert_eq!(found(&at("mine"), &[""], SearchOptions::default()), ["in/b.toml"]);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_non_utf8_names_are_handled() {
    use std::{
        ffi::OsStr,
        os::unix::{ffi::OsStrExt, fs::symlink},
    };

    let folder = folder(&["real/a.toml", "other/b.toml"]);
    let at = |path: &str| folder.path().join(path);
    symlink("..", at("real/up")).expect("a link");
    symlink("self.toml", at("real/self.toml")).expect("a link");
    symlink("../other/b.toml", at("real/link.toml")).expect("a link");
    symlink("nowhere", at("real/broken.toml")).expect("a link");
    symlink("real", at("alias")).expect("a link");
    std::process::Command::new("mkfifo").arg(at("real/pipe.toml")).status().expect("mkfifo runs");
    let name = OsStr::from_bytes(b"\xff.toml");
    fs::write(at("other").join(name), "").expect("a file");
    let options = SearchOptions::default();
    assert_eq!(found(folder.path(), &["real"], options), ["real/a.toml", "real/link.toml"]);
    assert_eq!(found(folder.path(), &["alias"], options), ["alias/a.toml", "alias/link.toml"]);
    assert_eq!(
        found(folder.path(), &["real/pipe.toml", "real/self.toml", "real/broken.toml"], options),
        ["real/broken.toml!", "real/pipe.toml*", "real/self.toml!"]
    );
    let others = discover(&OsSystem::new(), &[at("other")], options);
    assert_eq!(others.len(), 2);
    assert_eq!(others[1].as_ref().expect("it is found").path.file_name(), Some(name));
}

/// A process that answers once does not ask for a project's files where its search found none.
#[test]
fn names_that_a_search_did_not_find_are_not_asked_for() {
    let folder = folder(&["plain/a.toml", "project/b.toml", "project/cfg.toml"]);
    let at = |path: &str| folder.path().join(path);
    let system: Arc<dyn System> = Arc::new(SearchedOnce::new(Arc::new(OsSystem::new())));
    system.admit(folder.path(), Admission::Named);
    let has = |path: &str| {
        let (is_read, is_file) = (system.read(&at(path), Role::Settings).is_ok(), system.is_file(&at(path)));
        assert_eq!((is_read, system.own_status(&at(path)).is_ok()), (is_file, is_file), "{path}");
        is_file
    };
    assert_eq!(discover(&*system, &[at("")], SearchOptions::default()).len(), 2);
    fs::write(at("plain/cfg.toml"), "").expect("a file");
    fs::write(at("project/pyproject.toml"), "").expect("a file");
    // What is asked for under another name, or in a folder that has such a file, is looked up.
    fs::write(at("plain/later.toml"), "").expect("a file");
    let seen = ["plain/cfg.toml", "plain/a.toml", "plain/later.toml", "project/cfg.toml", "project/pyproject.toml"].map(has);
    assert_eq!(seen, [false, true, true, true, true]);
}

/// What such a process has listed, a search does not list again, nor is what a search has listed.
#[test]
fn a_folder_is_listed_once() {
    let folder = folder(&["one/a.toml", "other/b.toml"]);
    let at = |path: &str| folder.path().join(path);
    let system: Arc<dyn System> = Arc::new(SearchedOnce::new(Arc::new(OsSystem::new())));
    system.admit(folder.path(), Admission::Named);
    let listed = |path: &str, scope| system.list(&at(path), scope).expect("a folder").len();
    let names = |path: &str| listed(path, Scope::Inside);
    assert_eq!(names("one"), 1);
    fs::write(at("one/later.toml"), "").expect("a file");
    assert_eq!(discover(&*system, &[at("")], SearchOptions::default()).len(), 2);
    fs::write(at("other/later.toml"), "").expect("a file");
    assert_eq!((names("one"), names("other")), (1, 1));
    // What may be listed inside of a repository may be listed for whatever else.
    assert_eq!((listed("one", Scope::Around), listed("other", Scope::Anywhere)), (1, 1));
}

/// Paths that are admitted together allow the same files as if each was admitted alone.
#[cfg(unix)]
#[test]
fn many_paths_are_admitted_as_each_one_is() {
    let files = ["repository/.git/HEAD", "repository/a/a.toml", "repository/a/b/b.toml", "repository/c.toml"];
    let folder = folder(&[&files[..], &["plain/d/d.toml", "plain/e/e.toml", "plain/e/f/f.toml", "plain/g.toml"]].concat());
    let at = |path: &str| folder.path().join(path);
    std::os::unix::fs::symlink("repository", at("link")).expect("a link");
    let named =
        ["link/a/b/b.toml", "repository/a/../a/a.toml", "plain/e/e.toml", "plain/e/f/f.toml", "plain/absent.toml"].map(at);
    let together = OsSystem::new();
    together.admit_all(&named.each_ref().map(PathBuf::as_path), Admission::Named);
    let one_by_one = OsSystem::new();
    named.iter().for_each(|path| one_by_one.admit(path, Admission::Named));
    let reads = |system: &OsSystem, path: &str| system.read(&at(path), Role::Config).is_ok();
    let paths =
        [&files[1..], &["link/c.toml", "plain/d/d.toml", "plain/e/f/f.toml", "plain/g.toml", "link/../plain/e/e.toml"]].concat();
    let seen: Vec<bool> = paths.iter().map(|path| reads(&together, path)).collect();
    assert_eq!(seen, paths.iter().map(|path| reads(&one_by_one, path)).collect::<Vec<_>>());
    assert_eq!((reads(&together, "link/c.toml"), reads(&together, "plain/e/f/f.toml")), (true, true));
}

/// The time of a folder shows whether anything was added to it or removed from it.
#[cfg(unix)]
#[test]
fn a_folder_that_has_not_changed_is_not_listed_again() {
    let folder = folder(&["in/a.toml", "in/b.toml"]);
    let at = |path: &str| folder.path().join(path);
    let memory = SearchMemory::default();
    let options = SearchOptions { memory: Some(&memory), ..SearchOptions::default() };
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let set_time = |time| fs::File::open(at("in")).and_then(|folder| folder.set_modified(time)).expect("a time");
    // A folder whose last change is not past is listed each time.
    let later = SystemTime::now() + Duration::from_secs(1_000);
    set_time(later);
    assert_eq!(found(folder.path(), &[""], options), ["in/a.toml", "in/b.toml"]);
    fs::write(at("in/c.toml"), "").expect("a file");
    set_time(later);
    assert_eq!(found(folder.path(), &[""], options), ["in/a.toml", "in/b.toml", "in/c.toml"]);
    set_time(long_ago);
    assert_eq!(found(folder.path(), &[""], options), ["in/a.toml", "in/b.toml", "in/c.toml"]);
    fs::remove_file(at("in/c.toml")).expect("it is removed");
    assert_eq!(found(folder.path(), &[""], options), ["in/a.toml", "in/b.toml"]);
    // With the time of an earlier state, the entries are those of that state.
    set_time(long_ago);
    assert_eq!(found(folder.path(), &[""], options), ["in/a.toml", "in/b.toml", "in/c.toml"]);
    // An ignore file is read each time.
    fs::write(at(".gitignore"), "a.toml\n").expect("a file");
    assert_eq!(found(folder.path(), &[""], options), ["in/b.toml", "in/c.toml"]);
}

/// A project's file that is added to a folder without one is noticed, however its absence became known.
#[cfg(unix)]
#[test]
fn a_file_that_a_search_did_not_find_is_noticed_when_it_is_added() {
    let folder = folder(&["a/a.toml", "b/b.toml"]);
    let at = |path: &str| folder.path().join(path);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for name in ["a", "b"] {
        fs::File::open(at(name)).and_then(|folder| folder.set_modified(long_ago)).expect("a time");
    }
    let observed = Arc::new(Observed::new(Arc::new(OsSystem::new())));
    let system: &dyn System = &*observed;
    system.admit(folder.path(), Admission::Named);
    let memory = SearchMemory::default();
    let searches = observed.keep_searches();
    discover(system, &[at("")], SearchOptions { memory: Some(&memory), ..SearchOptions::default() });
    let names = ["a/cfg.toml", "a/pyproject.toml", "b/registry.json", "b/environments"].map(at);
    for name in &names {
        assert!(!system.exists(name) && !system.is_there(name) && system.read(name, Role::Settings).is_err());
    }
    assert_eq!(observed.len(), 3, "the searched folder, and one question for each below it");
    assert!(observed.changed_files().is_empty());
    // Another file changes nothing that was asked for.
    fs::write(at("a/other.toml"), "").expect("a file");
    assert!(observed.changed_files().is_empty());
    fs::write(&names[0], "").expect("a file");
    fs::create_dir(&names[3]).expect("a folder");
    // It is so even while the searches are kept, whatever is answered meanwhile.
    assert!(!system.exists(&names[0]));
    assert_eq!(observed.changed_files(), [names[0].clone(), names[3].clone()]);
    drop(searches);
    assert!(system.exists(&names[0]));
    assert_eq!(observed.changed_files(), [names[0].clone(), names[3].clone()]);
    // What was accepted is known, and nothing else of its folder.
    fs::write(&names[1], "").expect("a file");
    observed.accept(&names[0]);
    assert_eq!(observed.changed_files(), [names[1].clone(), names[3].clone()]);
    observed.accept(&names[1]);
    observed.accept(&names[3]);
    assert!(observed.changed_files().is_empty());
    fs::remove_file(&names[0]).expect("it is removed");
    assert_eq!(observed.changed_files(), [names[0].clone()]);
}
