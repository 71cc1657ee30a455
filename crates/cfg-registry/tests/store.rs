//! Changes of the registry on the disk: whatever ends the process, the next one finds the state before or the state after, and no byte
//! is lost.

use std::{
    cell::Cell,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_registry::{
    fingerprint::Digest,
    store::{Access, Change, Disk, Error, Found, Io, Lock, Recovered, Replace, Store},
};
use tempfile::TempDir;

const OLD: [&str; 2] = ["{\"configs\": {}}\n", "max_steps = 1\n"];
const NEW: [&str; 2] = ["{\"configs\": {\"a.toml\": {}}}\n", "max_steps = 2\n"];

/// What becomes of the step with a certain number.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// The process ends in front of it, or in the middle of a write.
    Killed,
    /// The process ends just behind it.
    KilledAfter,
    /// It fails, and the process goes on.
    Fails(io::ErrorKind),
}

/// The disk, but one step goes wrong.
struct Faulty {
    steps: Cell<usize>,
    at: usize,
    fault: Fault,
    is_dead: Cell<bool>,
}

impl Faulty {
    const fn new(at: usize, fault: Fault) -> Self {
        Self { steps: Cell::new(0), at, fault, is_dead: Cell::new(false) }
    }

    fn step<T>(&self, run: impl FnOnce() -> io::Result<T>, half: impl FnOnce()) -> io::Result<T> {
        if self.is_dead.get() {
            return Err(io::Error::other("the process has ended"));
        }
        let step = self.steps.replace(self.steps.get() + 1);
        if step != self.at {
            return run();
        }
        match self.fault {
            Fault::Killed => half(),
            Fault::KilledAfter => drop(run()),
            Fault::Fails(kind) => {
                half();
                return Err(kind.into());
            }
        }
        self.is_dead.set(true);
        Err(io::Error::other("the process ends"))
    }
}

impl Io for Faulty {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.step(|| Disk.read(path), || {})
    }
    fn look(&self, path: &Path) -> io::Result<Option<Found>> {
        self.step(|| Disk.look(path), || {})
    }
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.step(|| Disk.real(path), || {})
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.step(|| Disk.list(folder), || {})
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|| Disk.create_folder(path), || {})
    }
    fn create(&self, path: &Path) -> io::Result<()> {
        self.step(|| Disk.create(path), || {})
    }
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let half = || Disk.write(path, &bytes[..bytes.len() / 2]).expect("half of it");
        self.step(|| Disk.write(path, bytes), half)
    }
    fn copy_mode(&self, from: &Path, to: &Path, is_read_only: bool) -> io::Result<()> {
        self.step(|| Disk.copy_mode(from, to, is_read_only), || {})
    }
    fn sync(&self, path: &Path) -> io::Result<()> {
        self.step(|| Disk.sync(path), || {})
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|| Disk.sync_folder(path), || {})
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(|| Disk.rename(from, to), || {})
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(|| Disk.remove(path), || {})
    }
    fn lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        self.step(|| Disk.lock(path), || {})
    }
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("registry.json"), OLD[0]).expect("a registry");
    fs::write(folder.path().join("a.toml"), OLD[1]).expect("a config");
    folder
}

fn change(folder: &Path) -> Change {
    let replace = |name: &str, old: &str, new: &str| Replace {
        path: folder.join(name),
        old: Some(old.as_bytes().to_vec()),
        new: new.to_owned(),
    };
    Change {
        what: "bump a.toml to v2".to_owned(),
        objects: NEW[1..].iter().map(|text| text.as_bytes().to_vec()).collect(),
        registry: Some(replace("registry.json", OLD[0], NEW[0])),
        files: vec![replace("a.toml", OLD[1], NEW[1])],
    }
}

fn open<'io>(io: &'io dyn Io, folder: &Path) -> Result<(Store<'io>, Option<Recovered>), Error> {
    Store::open(io, &folder.join("registry.json"), Access::Write, Duration::from_secs(20), &|| {})
}

fn bump(io: &dyn Io, folder: &Path) -> Result<(), Error> {
    let (store, _) = open(io, folder)?;
    store.commit(&change(folder))
}

fn texts(folder: &Path) -> [String; 2] {
    ["registry.json", "a.toml"].map(|name| fs::read_to_string(folder.join(name)).expect("it is there"))
}

/// No file is left over but those that belong there.
fn assert_tidy(folder: &Path, context: &str) {
    let names = |path: PathBuf| {
        let mut names: Vec<String> = fs::read_dir(path)
            .expect("a folder")
            .map(|entry| entry.expect("it").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(folder.to_owned()), [".cfg", "a.toml", "registry.json"], "{context}");
    assert_eq!(names(folder.join(".cfg")), [".gitattributes", ".gitignore", "lock", "objects"], "{context}");
}

fn steps_of_a_bump() -> usize {
    let folder = folder();
    let io = Faulty::new(usize::MAX, Fault::Killed);
    bump(&io, folder.path()).expect("it is made");
    assert_eq!(texts(folder.path()), NEW);
    assert_tidy(folder.path(), "a whole bump");
    io.steps.get()
}

#[test]
fn a_kill_at_any_step_leaves_the_old_state_or_the_new_one() {
    let steps = steps_of_a_bump();
    assert!(steps > 40, "{steps}");
    let (mut old, mut new, mut finished) = (0, 0, 0);
    for fault in [Fault::Killed, Fault::KilledAfter] {
        for at in 0..steps {
            let folder = folder();
            let io = Faulty::new(at, fault);
            let ended = bump(&io, folder.path());
            assert!(io.is_dead.get());
            drop(ended);
            let (store, recovered) = open(&Disk, folder.path()).expect("the next command starts");
            let left = texts(folder.path());
            assert!(left == OLD || left == NEW, "step {at}: {left:?}");
            finished += usize::from(matches!(recovered, Some(Recovered::Finished { .. })));
            old += usize::from(left == OLD);
            new += usize::from(left == NEW);
            if left == NEW {
                let kept = store.object(&Digest::of(NEW[1].as_bytes()));
                assert_eq!(kept.as_deref(), Some(NEW[1].as_bytes()), "step {at}");
            } else {
                // Nothing stands in the way of the same bump.
                store.commit(&change(folder.path())).expect("it is made now");
                assert_eq!(texts(folder.path()), NEW, "step {at}");
            }
            drop(store);
            assert_tidy(folder.path(), &format!("step {at}"));
        }
    }
    assert!(old > 20 && new > 10 && finished > 8, "{old} {new} {finished}");
}

#[test]
fn a_kill_during_the_repair_is_repaired_as_well() {
    let steps = steps_of_a_bump();
    for at in 0..steps {
        let folder = folder();
        drop(bump(&Faulty::new(at, Fault::KilledAfter), folder.path()));
        if !folder.path().join(".cfg/journal").exists() {
            continue;
        }
        for again in 0.. {
            let io = Faulty::new(again, Fault::Killed);
            let opened = open(&io, folder.path()).map(|(_, recovered)| recovered);
            if !io.is_dead.get() {
                opened.expect("it opens");
                break;
            }
        }
        assert_eq!(texts(folder.path()), NEW);
        assert_tidy(folder.path(), &format!("step {at}"));
    }
}

#[test]
fn a_step_that_fails_is_told_and_leaves_a_state_that_is_told() {
    let steps = steps_of_a_bump();
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied] {
        for at in 0..steps {
            let folder = folder();
            let io = Faulty::new(at, Fault::Fails(kind));
            let Err(error) = bump(&io, folder.path()) else {
                // A step that need not succeed.
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
                drop(open(&Disk, folder.path()).expect("it opens"));
                assert_eq!(texts(folder.path()), NEW, "step {at}: {told}");
            }
            drop(bump(&Disk, folder.path()));
            assert_eq!(texts(folder.path()), NEW, "step {at}");
            assert_tidy(folder.path(), &format!("step {at}: {told}"));
        }
    }
}

#[test]
fn what_someone_wrote_in_between_stays() {
    let steps = steps_of_a_bump();
    let mut seen = std::collections::BTreeSet::new();
    for at in 0..steps {
        let folder = folder();
        drop(bump(&Faulty::new(at, Fault::KilledAfter), folder.path()));
        fs::write(folder.path().join("a.toml"), "mine = true\n").expect("written");
        let (store, recovered) = open(&Disk, folder.path()).expect("it opens");
        assert_eq!(fs::read_to_string(folder.path().join("a.toml")).expect("it is there"), "mine = true\n", "step {at}");
        match recovered {
            Some(Recovered::Undone { .. }) => {
                assert_eq!(texts(folder.path())[0], OLD[0]);
                seen.insert("undone");
            }
            Some(Recovered::Finished { except, .. }) => {
                assert_eq!((texts(folder.path())[0].as_str(), except.len()), (NEW[0], 1));
                assert!(store.object(&Digest::of(NEW[1].as_bytes())).is_some(), "what it would have become is kept");
                seen.insert("finished but for the file");
            }
            _ => {}
        }
    }
    assert_eq!(seen.len(), 2);
}

#[test]
fn a_journal_of_someone_else_is_not_followed() {
    let folder = folder();
    drop(open(&Disk, folder.path()).expect("it opens"));
    let victim = folder.path().join("victim.toml");
    let text = "evil = true\n";
    let entry = |path: &str| {
        format!(
            "{{\"format\": 1, \"what\": \"x\", \"files\": [{{\"path\": {path:?}, \"old\": null, \"new\": \"{}\", \"text\": {text:?}}}]}}",
            Digest::of(text.as_bytes())
        )
    };
    let outside = victim.to_str().expect("a text").to_owned();
    for path in [outside.as_str(), "../x.toml", "run.sh", ".git/hooks/post-checkout"] {
        fs::write(folder.path().join(".cfg/journal"), entry(path)).expect("written");
        let error = open(&Disk, folder.path()).err().expect("it is refused");
        assert!(matches!(error, Error::Journal { .. }), "{error}");
    }
    assert!(!victim.exists());
    assert_eq!(texts(folder.path()), OLD);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_modes_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = folder();
    let real = tempfile::tempdir().expect("a folder");
    let target = real.path().join("real.toml");
    fs::rename(folder.path().join("a.toml"), &target).expect("moved");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink(&target, folder.path().join("a.toml")).expect("a link");
    bump(&Disk, folder.path()).expect("it is made");
    assert!(folder.path().join("a.toml").is_symlink());
    assert_eq!(fs::read_to_string(&target).expect("it is there"), NEW[1]);
    assert_eq!(fs::metadata(&target).expect("it is there").permissions().mode() & 0o777, 0o640);
    let object = folder.path().join(".cfg/objects").join(Digest::of(NEW[1].as_bytes()).to_string());
    assert_eq!(fs::metadata(object).expect("it is kept").permissions().mode() & 0o777, 0o440);
}

#[test]
fn a_file_that_may_not_be_written_or_was_changed_ends_it() {
    let folder = folder();
    let mut other = change(folder.path());
    other.files[0].old = Some(b"something else".to_vec());
    let (store, _) = open(&Disk, folder.path()).expect("it opens");
    assert!(matches!(store.commit(&other), Err(Error::Changed { .. })));
    let path = folder.path().join("a.toml");
    let mut permissions = fs::metadata(&path).expect("it is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("a mode");
    assert!(matches!(store.commit(&change(folder.path())), Err(Error::ReadOnly { .. })));
    assert_eq!(texts(folder.path()), OLD);
    drop(store);
    assert_tidy(folder.path(), "refused");
}
