//! Changes of the registry on the disk: however the process ends, the next one finds the state before or after the change, and no byte is lost.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use cfg_registry::{
    fingerprint::Digest,
    store::{Change, Error, Kept, Recovered, Replace, Store, Writer},
};
use cfg_system::{
    Admission, Entry, Host, Lock, NewMode, OsSystem, Role, Scope, SearchOptions, Status, System, TemporaryFolder, Unsearched,
    WritableSystem,
};
use tempfile::TempDir;

const OLD: [&str; 2] = ["{\"configs\": {}}\n", "max_steps = 1\n"];
const NEW: [&str; 2] = ["{\"configs\": {\"a.toml\": {}}}\n", "max_steps = 2\n"];

/// A fault that is injected at one step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The process ends before the step, or in the middle of a write.
    Killed,
    /// The process ends right after the step.
    KilledAfter,
    /// The step fails, and the process continues.
    Fails(io::ErrorKind),
}

/// A disk on which a fault occurs at one step.
#[derive(Debug)]
struct Faulty {
    disk: OsSystem,
    steps: AtomicUsize,
    at: usize,
    fault: Fault,
    is_dead: AtomicBool,
}

impl Faulty {
    fn new(folder: &Path, at: usize, fault: Fault) -> Arc<Self> {
        let (steps, is_dead) = (AtomicUsize::new(0), AtomicBool::new(false));
        let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("state");
        let disk = OsSystem::within(folder, &[("XDG_STATE_HOME", state.as_os_str())]);
        disk.admit(folder, Admission::Named);
        Arc::new(Self { disk, steps, at, fault, is_dead })
    }

    fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::Relaxed)
    }

    fn step<T>(&self, run: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.is_dead() {
            return Err(io::Error::other("the process has ended"));
        }
        if self.steps.fetch_add(1, Ordering::Relaxed) != self.at {
            return run();
        }
        match self.fault {
            Fault::Killed => {}
            Fault::KilledAfter => drop(run()),
            Fault::Fails(kind) => return Err(kind.into()),
        }
        self.is_dead.store(true, Ordering::Relaxed);
        Err(io::Error::other("the process ends"))
    }
}

impl System for Faulty {
    fn host(&self) -> &dyn Host {
        self.disk.host()
    }
    fn may_look(&self, folder: &Path) -> bool {
        self.disk.may_look(folder)
    }
    fn stays_inside(&self, path: &Path) -> bool {
        self.disk.stays_inside(path)
    }
    fn admit(&self, path: &Path, how: Admission) {
        self.disk.admit(path, how);
    }
    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        self.step(|| self.disk.read(path, role))
    }
    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.disk.open_stream(path)
    }
    fn status(&self, path: &Path) -> io::Result<Status> {
        self.step(|| self.disk.status(path))
    }
    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.disk.own_status(path)
    }
    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>> {
        self.step(|| self.disk.list(folder, scope))
    }
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.step(|| self.disk.real(path))
    }
    fn share_lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        self.step(|| self.disk.share_lock(path))
    }
    fn seal(&self, bytes: &[u8]) -> Option<String> {
        Some(Digest::of(&[b"a secret", bytes].concat()).to_string())
    }
    fn search(
        &self,
        folders: &[&Path],
        options: SearchOptions,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>> {
        self.disk.search(folders, options, wanted)
    }
}

impl WritableSystem for Faulty {
    fn may_write(&self, path: &Path) -> io::Result<()> {
        self.disk.may_write(path)
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|| self.disk.create_folder(path))
    }
    fn create(&self, path: &Path, bytes: &[u8], mode: NewMode<'_>) -> io::Result<()> {
        self.step(|| self.disk.create(path, bytes, mode))
    }
    fn replace(&self, path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
        self.step(|| self.disk.replace(path, old, new))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(|| self.disk.remove(path))
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|| self.disk.sync_folder(path))
    }
    fn lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        self.step(|| self.disk.lock(path))
    }
    fn new_seal(&self, bytes: &[u8]) -> Option<String> {
        self.seal(bytes)
    }
    fn temporary_folder(&self, prefix: &str) -> io::Result<TemporaryFolder> {
        self.disk.temporary_folder(prefix)
    }
}

/// A disk without faults.
fn disk(folder: &Path) -> Arc<Faulty> {
    Faulty::new(folder, usize::MAX, Fault::Killed)
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a repository");
    fs::write(folder.path().join("registry.json"), OLD[0]).expect("a registry");
    fs::write(folder.path().join("a.toml"), OLD[1]).expect("a config");
    folder
}

fn change(folder: &Path) -> Change {
    let replace = |name: &str, old: &str, new: &str| Replace {
        path: folder.join(name),
        old: Some(old.as_bytes().to_vec()),
        new: Some(new.to_owned()),
    };
    Change {
        what: "bump a.toml to v2".to_owned(),
        objects: NEW[1..]
            .iter()
            .map(|text| Kept { bytes: text.as_bytes().to_vec(), like: Some(folder.join("a.toml")) })
            .collect(),
        registry: Some(replace("registry.json", OLD[0], NEW[0])),
        files: vec![replace("a.toml", OLD[1], NEW[1])],
    }
}

fn open(system: &Arc<Faulty>, folder: &Path) -> Result<(Writer, Option<Recovered>), Error> {
    let system: Arc<Faulty> = Arc::clone(system);
    Writer::open(system, &folder.join("registry.json"), Duration::from_mins(5), &|| {})
}

fn bump(system: &Arc<Faulty>, folder: &Path) -> Result<(), Error> {
    let (writer, _) = open(system, folder)?;
    writer.commit(&change(folder))
}

/// The files as a read-only command sees them.
fn seen(folder: &Path) -> [String; 2] {
    let registry = folder.join("registry.json");
    let (store, _) = Store::open(disk(folder), &registry, Duration::from_mins(5), &|| {}).expect("it opens");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a text");
    let config = store.read(&folder.join("a.toml"), Role::Config);
    [text(store.read_registry().expect("it is there")), text(config.expect("it is there"))]
}

fn texts(folder: &Path) -> [String; 2] {
    ["registry.json", "a.toml"].map(|name| fs::read_to_string(folder.join(name)).expect("it is there"))
}

/// Asserts that no unexpected files are left.
fn assert_tidy(folder: &Path, context: &str) {
    let names = |path: PathBuf| {
        let mut names: Vec<String> = fs::read_dir(path)
            .expect("a folder")
            .map(|entry| entry.expect("it").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(folder.to_owned()), [".cfg", ".git", "a.toml", "registry.json"], "{context}");
    assert_eq!(names(folder.join(".cfg")), [".gitattributes", ".gitignore", "lock", "objects"], "{context}");
}

fn steps_of_a_bump() -> usize {
    let folder = folder();
    let io = disk(folder.path());
    bump(&io, folder.path()).expect("it is made");
    assert_eq!(texts(folder.path()), NEW);
    assert_tidy(folder.path(), "a whole bump");
    io.steps.load(Ordering::Relaxed)
}

#[test]
fn a_kill_at_any_step_leaves_the_old_state_or_the_new_one() {
    let steps = steps_of_a_bump();
    assert!(steps > 20, "{steps}");
    let (mut old, mut new, mut finished) = (0, 0, 0);
    for fault in [Fault::Killed, Fault::KilledAfter] {
        for at in 0..steps {
            let folder = folder();
            let io = Faulty::new(folder.path(), at, fault);
            let ended = bump(&io, folder.path());
            assert!(io.is_dead());
            drop(ended);
            let before = texts(folder.path());
            let shown = seen(folder.path());
            assert_eq!(texts(folder.path()), before, "step {at}: reading changes nothing");
            let (writer, recovered) = open(&disk(folder.path()), folder.path()).expect("the next command starts");
            let left = texts(folder.path());
            assert_eq!(shown, left, "step {at}: who reads sees what it will be");
            let store = writer.store();
            assert!(left == OLD || left == NEW, "step {at}: {left:?}");
            finished += usize::from(matches!(recovered, Some(Recovered::Finished { .. })));
            old += usize::from(left == OLD);
            new += usize::from(left == NEW);
            if left == NEW {
                let kept = store.object(&Digest::of(NEW[1].as_bytes()));
                assert_eq!(kept.as_deref(), Some(NEW[1].as_bytes()), "step {at}");
            } else {
                // The same bump is possible again.
                writer.commit(&change(folder.path())).expect("it is made now");
                assert_eq!(texts(folder.path()), NEW, "step {at}");
            }
            drop((store, writer));
            assert_tidy(folder.path(), &format!("step {at}"));
        }
    }
    assert!(old > 20 && new > 10 && finished > 4, "{old} {new} {finished}");
}

/// The registry, and the config under its old and its new name.
fn names_of(folder: &Path) -> [Option<String>; 3] {
    ["registry.json", "a.toml", "b.toml"].map(|name| fs::read_to_string(folder.join(name)).ok())
}

#[test]
fn a_kill_while_a_config_is_renamed_leaves_it_under_one_name() {
    let rename = |system: &Arc<Faulty>, folder: &Path| {
        let mut change = change(folder);
        let text = OLD[1].as_bytes().to_vec();
        change.files = vec![
            Replace { path: folder.join("b.toml"), old: None, new: Some(OLD[1].to_owned()) },
            Replace { path: folder.join("a.toml"), old: Some(text), new: None },
        ];
        open(system, folder)?.0.commit(&change)
    };
    let (old, new) = ([Some(OLD[0]), Some(OLD[1]), None], [Some(NEW[0]), None, Some(OLD[1])]);
    let whole = folder();
    let io = disk(whole.path());
    rename(&io, whole.path()).expect("it is made");
    assert_eq!(names_of(whole.path()).each_ref().map(Option::as_deref), new);
    let (mut begun, mut done) = (0, 0);
    for fault in [Fault::Killed, Fault::KilledAfter] {
        for at in 0..io.steps.load(Ordering::Relaxed) {
            let folder = folder();
            drop(rename(&Faulty::new(folder.path(), at, fault), folder.path()));
            drop(open(&disk(folder.path()), folder.path()).expect("the next command starts"));
            let left = names_of(folder.path());
            let left = left.each_ref().map(Option::as_deref);
            assert!(left == old || left == new, "step {at}: {left:?}");
            begun += usize::from(left == old);
            done += usize::from(left == new);
        }
    }
    assert!(begun > 10 && done > 10, "{begun} {done}");
}

#[test]
fn a_kill_while_a_registry_is_created_leaves_none_or_a_complete_one() {
    let without = || {
        let folder = folder();
        fs::remove_file(folder.path().join("registry.json")).expect("it goes");
        folder
    };
    let made = |system: &Arc<Faulty>, folder: &Path| {
        let mut change = change(folder);
        change.registry.as_mut().expect("one").old = None;
        open(system, folder)?.0.commit(&change)
    };
    let first = without();
    let io = disk(first.path());
    made(&io, first.path()).expect("it is made");
    let (mut none, mut whole) = (0, 0);
    for fault in [Fault::Killed, Fault::KilledAfter] {
        for at in 0..io.steps.load(Ordering::Relaxed) {
            let folder = without();
            drop(made(&Faulty::new(folder.path(), at, fault), folder.path()));
            drop(open(&disk(folder.path()), folder.path()).expect("the next command starts"));
            if folder.path().join("registry.json").exists() {
                whole += 1;
            } else {
                none += 1;
                assert_eq!(fs::read_to_string(folder.path().join("a.toml")).expect("it is there"), OLD[1], "step {at}");
                made(&disk(folder.path()), folder.path()).expect("it is made now");
            }
            assert_eq!(texts(folder.path()), NEW, "step {at}");
            assert_tidy(folder.path(), &format!("step {at}"));
        }
    }
    assert!(none > 10 && whole > 10, "{none} {whole}");
}

#[test]
fn a_kill_during_the_repair_is_repaired_as_well() {
    let steps = steps_of_a_bump();
    for at in 0..steps {
        let folder = folder();
        drop(bump(&Faulty::new(folder.path(), at, Fault::KilledAfter), folder.path()));
        if !folder.path().join(".cfg/journal").exists() {
            continue;
        }
        for again in 0.. {
            let io = Faulty::new(folder.path(), again, Fault::Killed);
            let opened = open(&io, folder.path()).map(|(_, recovered)| recovered);
            if !io.is_dead() {
                opened.expect("it opens");
                break;
            }
        }
        assert_eq!(texts(folder.path()), NEW);
        assert_tidy(folder.path(), &format!("step {at}"));
    }
}

#[test]
fn a_failed_step_is_reported_and_leaves_a_reported_state() {
    let steps = steps_of_a_bump();
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied] {
        for at in 0..steps {
            let folder = folder();
            let io = Faulty::new(folder.path(), at, Fault::Fails(kind));
            let Err(error) = bump(&io, folder.path()) else {
                // If this step fails, the change is nevertheless complete.
                assert_eq!(texts(folder.path()), NEW, "step {at}");
                continue;
            };
            let left = texts(folder.path());
            let told = error.to_string();
            if told.contains("nothing was changed") {
                assert_eq!(left, OLD, "step {at}: {told}");
                assert!(!folder.path().join(".cfg/journal").exists(), "step {at}: {told}");
            } else {
                assert!(told.contains("will finish it"), "step {at}: {told}");
                drop(open(&disk(folder.path()), folder.path()).expect("it opens"));
                assert_eq!(texts(folder.path()), NEW, "step {at}: {told}");
            }
            drop(bump(&disk(folder.path()), folder.path()));
            assert_eq!(texts(folder.path()), NEW, "step {at}");
            assert_tidy(folder.path(), &format!("step {at}: {told}"));
        }
    }
}

#[test]
fn changes_by_others_in_between_are_kept() {
    let steps = steps_of_a_bump();
    let mut seen = std::collections::BTreeSet::new();
    for at in 0..steps {
        let folder = folder();
        drop(bump(&Faulty::new(folder.path(), at, Fault::KilledAfter), folder.path()));
        fs::write(folder.path().join("a.toml"), "mine = true\n").expect("written");
        let (writer, recovered) = open(&disk(folder.path()), folder.path()).expect("it opens");
        assert_eq!(fs::read_to_string(folder.path().join("a.toml")).expect("it is there"), "mine = true\n", "step {at}");
        match recovered {
            Some(Recovered::Undone { .. }) => {
                assert_eq!(texts(folder.path())[0], OLD[0]);
                seen.insert("undone");
            }
            Some(Recovered::Finished { except, .. }) => {
                assert_eq!((texts(folder.path())[0].as_str(), except.len()), (NEW[0], 1));
                assert!(writer.store().object(&Digest::of(NEW[1].as_bytes())).is_some(), "what it would have become is kept");
                seen.insert("finished but for the file");
            }
            _ => {}
        }
    }
    assert_eq!(seen.len(), 2);
}

/// A journal of a change of one file, whose path is relative to the registry's repository.
fn journal(path: &str, seal: impl FnOnce(&str) -> Option<String>) -> String {
    let text = "evil = true\n";
    let digest = Digest::of(text.as_bytes());
    let change = format!(
        "{{\"what\": \"x\", \"files\": [{{\"path\": {path:?}, \"old\": null, \"new\": \"{digest}\", \"text\": {text:?}}}]}}"
    );
    let seal = seal(&change).map_or("null".to_owned(), |seal| format!("{seal:?}"));
    format!("{{\"format\": 2, \"seal\": {seal}, \"change\": {change:?}}}")
}

/// The name of a file that must not be created.
const VICTIM: &str = "victim.toml";

#[test]
fn a_journal_of_another_user_is_not_followed() {
    let folder = folder();
    drop(open(&disk(folder.path()), folder.path()).expect("it opens"));
    let place = folder.path().join(".cfg/journal");
    let own = disk(folder.path());
    let registry = fs::canonicalize(folder.path()).expect("a path").join("registry.json");
    let of_registry =
        |registry: &Path, change: &str| own.seal(&[registry.as_os_str().as_encoded_bytes(), b"\0", change.as_bytes()].concat());
    let outside = folder.path().join(VICTIM).to_str().expect("a text").to_owned();
    let other = folder.path().join("other/registry.json");
    let mut refused = vec![
        journal(VICTIM, |_| None),
        journal(VICTIM, |_| Some(Digest::of(b"a guess").to_string())),
        // A journal that this user sealed for another registry.
        journal(VICTIM, |change| of_registry(&other, change)),
    ];
    // Even a journal with this user's seal must only write configs in the repository.
    let paths = [outside.as_str(), "../x.toml", "run.sh", ".git/hooks/post-checkout", "a.toml/../victim.toml"];
    refused.extend(paths.map(|path| journal(path, |change| of_registry(&registry, change))));
    for text in refused {
        fs::write(&place, &text).expect("written");
        let error = open(&disk(folder.path()), folder.path()).expect_err("it is refused");
        assert!(matches!(error, Error::Journal { .. }), "{text}: {error}");
        let reading = Store::open(disk(folder.path()), &registry, Duration::from_mins(5), &|| {});
        assert!(matches!(reading, Err(Error::Journal { .. })), "{text}");
        assert_eq!(fs::read_to_string(&place).expect("it is still there"), text);
    }
    assert!(!folder.path().join(VICTIM).exists() && !folder.path().join("run.sh").exists());
    assert_eq!(texts(folder.path()), OLD);
    fs::write(&place, journal(VICTIM, |change| of_registry(&registry, change))).expect("written");
    drop(open(&disk(folder.path()), folder.path()).expect("it is followed"));
    assert!(folder.path().join(VICTIM).exists(), "this user's own is followed");
}

#[cfg(unix)]
#[test]
fn files_of_the_registry_are_not_links() {
    use std::os::unix::fs::symlink;
    for name in [".cfg", ".cfg/lock", ".cfg/objects", ".cfg/journal"] {
        let folder = folder();
        let elsewhere = tempfile::tempdir().expect("a folder");
        if name != ".cfg" {
            fs::create_dir(folder.path().join(".cfg")).expect("a folder");
        }
        let target = elsewhere.path().join("there");
        if name.ends_with("lock") || name.ends_with("journal") {
            fs::write(&target, "").expect("written");
        } else {
            fs::create_dir(&target).expect("a folder");
        }
        symlink(&target, folder.path().join(name)).expect("a link");
        let error = open(&disk(folder.path()), folder.path()).expect_err("it is refused");
        assert!(matches!(error, Error::Odd { .. }), "{name}: {error}");
        assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 1);
        assert!(!target.is_dir() || fs::read_dir(&target).expect("a folder").next().is_none(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn links_within_the_repository_and_modes_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = folder();
    let target = folder.path().join("real.toml");
    fs::rename(folder.path().join("a.toml"), &target).expect("moved");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink(&target, folder.path().join("a.toml")).expect("a link");
    bump(&disk(folder.path()), folder.path()).expect("it is made");
    assert!(folder.path().join("a.toml").is_symlink());
    assert_eq!(fs::read_to_string(&target).expect("it is there"), NEW[1]);
    assert_eq!(fs::metadata(&target).expect("it is there").permissions().mode() & 0o777, 0o640);
    let object = folder.path().join(".cfg/objects").join(Digest::of(NEW[1].as_bytes()).to_string());
    assert_eq!(fs::metadata(object).expect("it is kept").permissions().mode() & 0o777, 0o440);
}

#[cfg(unix)]
#[test]
fn a_config_that_links_outside_the_repository_is_not_replaced() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let elsewhere = tempfile::tempdir().expect("a folder");
    let target = elsewhere.path().join("real.toml");
    fs::rename(folder.path().join("a.toml"), &target).expect("moved");
    symlink(&target, folder.path().join("a.toml")).expect("a link");
    let error = bump(&disk(folder.path()), folder.path()).expect_err("it is refused");
    assert!(matches!(error, Error::Outside { .. }), "{error}");
    assert_eq!(texts(folder.path()), OLD);
}

#[test]
fn an_unwritable_or_changed_file_ends_the_commit() {
    let folder = folder();
    let mut other = change(folder.path());
    other.files[0].old = Some(b"something else".to_vec());
    let (writer, _) = open(&disk(folder.path()), folder.path()).expect("it opens");
    assert!(matches!(writer.commit(&other), Err(Error::Changed { .. })));
    let path = folder.path().join("a.toml");
    let mut permissions = fs::metadata(&path).expect("it is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("a mode");
    assert!(matches!(writer.commit(&change(folder.path())), Err(Error::ReadOnly { .. })));
    assert_eq!(texts(folder.path()), OLD);
    drop(writer);
    assert_tidy(folder.path(), "refused");
}
