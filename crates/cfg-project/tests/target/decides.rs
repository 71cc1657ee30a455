//! Which of several sources is used, what the search costs, and the environments in which it runs.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use cfg_project::Projects;
use cfg_system::{Admission, Entry, Host, Lock, OsSystem, Role, Scope, SearchOptions, Status, System, Unsearched};

use super::{detected, folder, git, known, pins::lock, projects, submodules::with_submodule, within, write};

#[test]
fn the_surest_source_of_the_nearest_repository_decides() {
    let pin = |version: &str| format!("[project]\ndependencies = [\"prime-rl=={version}\"]\n");
    let registry = lock("{ registry = \"r\" }");
    let folder = folder(&[
        ("pyproject.toml", &pin("0.2.0")),
        ("uv.lock", &registry.replace("0.4.0", "0.3.0")),
        ("inner/.git/HEAD", "?"),
        ("inner/uv.lock", &registry),
        ("inner/package/pyproject.toml", &pin("0.2.0")),
        ("bare/.git/HEAD", "?"),
        ("cfg/cfg.toml", "target = \"0.6.0\"\n"),
    ]);
    // The lock file of the workspace, and not the pin of the member.
    assert_eq!(detected(folder.path(), "inner/package"), "0.4.0 <- inner/uv.lock");
    // If a repository states no prime-rl, the folders around it are searched.
    assert_eq!(detected(folder.path(), "bare/x"), "0.3.0 <- uv.lock");
    assert_eq!(detected(folder.path(), "cfg"), "0.6.0 <- cfg/cfg.toml:1");
}

#[cfg(unix)]
#[test]
fn non_utf8_names_and_link_loops_are_handled() {
    use std::os::unix::{ffi::OsStringExt, fs::symlink};

    let folder = folder(&[("uv.lock", &lock("{ registry = \"r\" }"))]);
    let odd = folder.path().join(PathBuf::from(OsString::from_vec(b"\xff odd\n".to_vec())));
    fs::create_dir(&odd).expect("a folder");
    symlink(".", odd.join("loop")).expect("a link");
    symlink("cfg.toml", odd.join("cfg.toml")).expect("a link");
    write(&odd.join(".gitmodules"), "[submodule \"p\"]\npath = prime-rl\nurl = u\n");
    git(&odd, &["init", "-q"]);
    let (target, sha) = known();
    git(&odd, &["update-index", "--add", "--cacheinfo", &format!("160000,{sha},prime-rl")]);
    let projects = projects(&odd);
    for file in ["rl.toml", "loop/loop/rl.toml", "loop/../loop/rl.toml"] {
        let answer = projects.target(Path::new(file)).expect("it is found");
        assert_eq!(answer.as_ref().as_ref().expect("it is usable").target.point, target.point, "{file}");
    }
    // A link to itself is not a settings file; this is reported for each path that leads to it.
    assert!(!projects.diagnostics().is_empty());
    // A path that is deeper than any project is in none.
    for (depth, is_in_project) in [(50, true), (2000, false)] {
        let deep: PathBuf = std::iter::repeat_n("a", depth).collect();
        assert_eq!(projects.target(&deep.join("rl.toml")).is_some(), is_in_project, "{depth}");
    }
}

#[test]
fn many_threads_get_one_answer() {
    let folder = folder(&[("cfg.toml", "target = \"0.4.0\"\nx = 1\n")]);
    let projects = projects(folder.path());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let projects = &projects;
            scope.spawn(move || {
                for file in 0..200 {
                    let path = format!("{}/{thread}/{file}.toml", file % 7);
                    assert!(projects.target(Path::new(&path)).is_some());
                }
            });
        }
    });
    assert_eq!(projects.diagnostics().len(), 1);
}

/// In each folder above it, only a few names are looked up, and only once.
#[test]
fn a_file_without_a_project_needs_few_questions() {
    let folder = folder(&[("a/b/c/d/rl.toml", "")]);
    let system = Arc::new(Counting { system: within(folder.path(), &[]), asked: AtomicUsize::default() });
    let projects = Projects::new(system.clone(), None);
    assert!(projects.target(Path::new("a/b/c/d/rl.toml")).is_none());
    let folders = folder.path().ancestors().count() + 4;
    let asked = system.asked.load(Ordering::Relaxed);
    assert!(asked <= 12 * folders, "{asked} questions for {folders} folders");
    // Results are cached.
    assert!(projects.target(Path::new("a/b/c/d/rl.toml")).is_none());
    assert!(projects.target(Path::new("a/b/c/d/other.toml")).is_none());
    assert_eq!(system.asked.load(Ordering::Relaxed), asked);
}

/// A config may name thousands of environments, and an editor looks them up again after each edit.
#[test]
fn a_missing_environment_package_needs_few_questions() {
    let folder =
        folder(&[(".git/HEAD", ""), ("a/b/c/rl.toml", ""), ("environments/mine/mine.py", "def load_environment(n: int): ...\n")]);
    let system = Arc::new(Counting { system: within(folder.path(), &[]), asked: AtomicUsize::default() });
    let projects = Projects::new(system.clone(), None);
    let packages = projects.packages(Path::new("a/b/c/rl.toml"));
    packages.arguments("team/env-0").expect_err("there is none");
    let before = system.asked.load(Ordering::Relaxed);
    for number in 1..101 {
        packages.arguments(&format!("team/env-{number}")).expect_err("there is none");
    }
    // Two names in the folder of environments, a module and a package in each of the four folders above, and installed packages.
    let asked = system.asked.load(Ordering::Relaxed) - before;
    assert!(asked <= 100 * 16, "{asked} questions for 100 environments");
    packages.arguments("team/mine").expect("it is here");
}

/// A system that counts its calls.
#[derive(Debug)]
struct Counting {
    system: Arc<dyn System>,
    asked: AtomicUsize,
}

impl Counting {
    fn ask(&self) -> &dyn System {
        self.asked.fetch_add(1, Ordering::Relaxed);
        &*self.system
    }
}

impl System for Counting {
    fn host(&self) -> &dyn Host {
        self.system.host()
    }

    fn may_look(&self, folder: &Path) -> bool {
        self.system.may_look(folder)
    }
    fn stays_inside(&self, path: &Path) -> bool {
        self.system.stays_inside(path)
    }

    fn admit(&self, path: &Path, how: Admission) {
        self.system.admit(path, how);
    }

    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        self.ask().read(path, role)
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.ask().open_stream(path)
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        self.ask().status(path)
    }

    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.ask().own_status(path)
    }

    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>> {
        self.ask().list(folder, scope)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.ask().real(path)
    }

    fn share_lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        self.ask().share_lock(path)
    }

    fn seal(&self, bytes: &[u8]) -> Option<String> {
        self.ask().seal(bytes)
    }

    fn search(
        &self,
        folders: &[&Path],
        options: SearchOptions,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>> {
        self.ask().search(folders, options, wanted)
    }
}

const IN_A_HOOK: &str = "CFG_PROJECT_TEST_ANSWER";

/// Not a test by itself: the hook of the next test runs it, in the environment that git sets for hooks.
#[test]
fn within_a_hook() {
    let Some(answer) = std::env::var_os(IN_A_HOOK) else { return };
    let folder = std::env::current_dir().expect("a folder");
    let system = OsSystem::new();
    system.admit(&folder, Admission::Listed);
    let projects = Projects::new(Arc::new(system), None);
    let found = projects.target(Path::new("configs/rl.toml")).expect("it is found");
    let shown = match found.as_ref() {
        Ok(found) => found.source.describe(&folder) + " " + found.basis.commit().unwrap_or_default(),
        Err(problem) => problem.message(&folder),
    };
    fs::write(answer, shown).expect("a file");
}

#[cfg(unix)]
#[test]
fn a_git_hook_reads_committed_files() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder(&[]);
    let old = with_submodule(folder.path(), "prime-rl");
    let project = folder.path().join("project");
    git(&project, &["commit", "-q", "-m", "first"]);
    git(&project, &["worktree", "add", "-q", "../tree"]);
    let (hook, answer) = (project.join(".git/hooks/pre-commit"), folder.path().join("answer"));
    let program = std::env::current_exe().expect("it runs");
    write(
        &hook,
        &format!("#!/bin/sh\n{IN_A_HOOK}='{}' '{}' --exact decides::within_a_hook\n", answer.display(), program.display()),
    );
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let read = || fs::read_to_string(&answer).expect("the hook ran");

    let new = git(&project.join("prime-rl"), &["rev-parse", "HEAD"]);
    assert_eq!(old, new);
    git(&project.join("prime-rl"), &["commit", "-q", "--allow-empty", "-m", "second"]);
    let new = git(&project.join("prime-rl"), &["rev-parse", "HEAD"]);
    // The moved submodule is not part of this commit ...
    git(&project, &["commit", "-q", "--allow-empty", "-m", "nothing"]);
    assert_eq!(read(), format!("git submodule prime-rl {old}"));
    // ... but it is part of this one, which has an index of its own.
    git(&project, &["commit", "-q", "-m", "move", "prime-rl"]);
    assert_eq!(read(), format!("git submodule prime-rl {new}"));
    // For a hook in a linked work tree, `GIT_DIR` names the repository.
    git(&folder.path().join("tree"), &["commit", "-q", "--allow-empty", "-m", "tree"]);
    let wanted =
        format!("prime-rl is at commit {} (git submodule prime-rl), which is not a known commit of the main branch", &old[..9]);
    assert_eq!(read(), wanted);
}
