//! Power failures: what was not on the disk is lost. Files that were not synced lose their bytes. Of the changes of names in a folder, only the
//! first ones remain, as many as the disk happened to write.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use cfg_registry::{
    fingerprint::Digest,
    store::{Change, Error, Kept, Replace, Writer},
};
use cfg_system::{
    Admission, Entry, Host, Kind, Lock, MemorySystem, NewMode, Role, Scope, SearchOptions, Status, System, TemporaryFolder,
    Unsearched, WritableSystem,
};

const OLD: [&str; 2] = ["{\"configs\": {}}\n", "max_steps = 1\n"];
const NEW: [&str; 2] = ["{\"configs\": {\"a.toml\": {}}}\n", "max_steps = 2\n"];

/// A change of a name in a folder that is not on the disk yet.
#[derive(Clone, Debug)]
enum Naming {
    /// A name is linked to a file, replacing its previous link.
    Link(PathBuf, usize),
    Unlink(PathBuf),
}

#[derive(Clone, Debug, Default)]
struct State {
    folders: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, usize>,
    /// The files of the names that are on the disk.
    kept_names: BTreeMap<PathBuf, usize>,
    /// The changes that are not on the disk yet, by folder.
    pending: BTreeMap<PathBuf, Vec<Naming>>,
    /// The bytes of each file, which are on the disk before a name is linked to the file.
    files: Vec<Vec<u8>>,
    steps: usize,
    /// The number of the step before which the power fails.
    end: usize,
}

impl Naming {
    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Self::Link(path, file) => drop(names.insert(path.clone(), *file)),
            Self::Unlink(path) => drop(names.remove(path)),
        }
    }
}

impl State {
    fn name(&mut self, naming: Naming) {
        let (Naming::Link(path, _) | Naming::Unlink(path)) = &naming;
        let folder = path.parent().expect("a folder").to_owned();
        naming.apply(&mut self.names);
        self.pending.entry(folder).or_default().push(naming);
    }

    /// The state after the power failure. `luck` returns how many of a folder's pending changes the disk has written.
    fn after_loss(&self, luck: &dyn Fn(&Path, usize) -> usize) -> Self {
        let mut names = self.kept_names.clone();
        for (folder, pending) in &self.pending {
            pending[..luck(folder, pending.len())].iter().for_each(|naming| naming.apply(&mut names));
        }
        let (folders, files) = (self.folders.clone(), self.files.clone());
        Self { folders, names: names.clone(), kept_names: names, files, end: usize::MAX, ..Self::default() }
    }
}

/// A disk that loses what was not synced.
#[derive(Debug)]
struct Forgetful {
    state: Mutex<State>,
    machine: MemorySystem,
}

impl Forgetful {
    fn new(state: State) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(state), machine: MemorySystem::default() })
    }

    fn state(&self) -> State {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn step<T>(&self, run: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.steps += 1;
        if state.steps > state.end { Err(io::Error::other("the power is gone")) } else { run(&mut state) }
    }

    /// Links a name to a new file with these bytes, and then syncs the folder.
    fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.step(|state| {
            state.files.push(bytes.to_vec());
            let file = state.files.len() - 1;
            state.name(Naming::Link(path.to_owned(), file));
            Ok(())
        })?;
        self.sync_folder(path.parent().expect("a folder"))
    }
}

fn file_of(state: &State, path: &Path) -> io::Result<usize> {
    state.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
}

impl System for Forgetful {
    fn host(&self) -> &dyn Host {
        self.machine.host()
    }
    fn may_look(&self, folder: &Path) -> bool {
        self.machine.may_look(folder)
    }
    fn stays_inside(&self, path: &Path) -> bool {
        self.machine.stays_inside(path)
    }
    fn admit(&self, _: &Path, _: Admission) {}
    fn read(&self, path: &Path, _: Role) -> io::Result<Vec<u8>> {
        self.step(|state| Ok(state.files[file_of(state, path)?].clone()))
    }
    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.machine.open_stream(path)
    }
    fn status(&self, path: &Path) -> io::Result<Status> {
        self.step(|state| {
            let kind = match (state.folders.contains(path), state.names.contains_key(path)) {
                (true, _) => Kind::Folder,
                (_, true) => Kind::File,
                _ => return Err(io::ErrorKind::NotFound.into()),
            };
            Ok(Status { kind, size: 0, modified: None, is_read_only: false, is_program: false })
        })
    }
    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.status(path)
    }
    fn list(&self, _: &Path, _: Scope) -> io::Result<Vec<Entry>> {
        self.step(|_| Ok(Vec::new()))
    }
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.step(|_| Ok(path.to_owned()))
    }
    fn share_lock(&self, _: &Path) -> io::Result<Option<Lock>> {
        Ok(Some(Lock::free()))
    }
    fn seal(&self, bytes: &[u8]) -> Option<String> {
        self.machine.seal(bytes)
    }
    fn search(&self, _: &[&Path], _: SearchOptions, _: &(dyn Fn(&Path) -> bool + Sync)) -> Vec<Result<PathBuf, Unsearched>> {
        Vec::new()
    }
}

impl WritableSystem for Forgetful {
    fn may_write(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|state| {
            state.folders.insert(path.to_owned());
            Ok(())
        })
    }
    fn create(&self, path: &Path, bytes: &[u8], _: NewMode<'_>) -> io::Result<()> {
        if self.status(path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.put(path, bytes)
    }
    fn replace(&self, path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
        assert_eq!(self.read(path, Role::Config)?, old);
        self.put(path, new)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(|state| {
            file_of(state, path)?;
            state.name(Naming::Unlink(path.to_owned()));
            Ok(())
        })
    }
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|state| {
            for naming in state.pending.remove(path).unwrap_or_default() {
                naming.apply(&mut state.kept_names);
            }
            Ok(())
        })
    }
    fn lock(&self, _: &Path) -> io::Result<Option<Lock>> {
        self.step(|_| Ok(Some(Lock::free())))
    }
    fn new_seal(&self, bytes: &[u8]) -> Option<String> {
        self.seal(bytes)
    }
    fn temporary_folder(&self, prefix: &str) -> io::Result<TemporaryFolder> {
        self.machine.temporary_folder(prefix)
    }
}

fn beginning() -> State {
    let mut state = State { end: usize::MAX, ..State::default() };
    state.folders.extend(["/p".into(), "/p/.git".into()]);
    for (name, text) in ["/p/registry.json", "/p/a.toml"].into_iter().zip(OLD) {
        state.names.insert(name.into(), state.files.len());
        state.files.push(text.as_bytes().to_vec());
    }
    state.kept_names = state.names.clone();
    state
}

fn open(disk: &Arc<Forgetful>) -> Result<Writer, Error> {
    let disk: Arc<Forgetful> = Arc::clone(disk);
    Writer::open(disk, Path::new("/p/registry.json"), Duration::ZERO, &|| {}).map(|(writer, _)| writer)
}

fn bump(disk: &Arc<Forgetful>) -> Result<(), Error> {
    let replace = |name: &str, at: usize| Replace {
        path: Path::new("/p").join(name),
        old: Some(OLD[at].as_bytes().to_vec()),
        new: Some(NEW[at].to_owned()),
    };
    let change = Change {
        what: "bump a.toml to v2".to_owned(),
        objects: vec![Kept { bytes: NEW[1].as_bytes().to_vec(), like: None }],
        registry: Some(replace("registry.json", 0)),
        files: vec![replace("a.toml", 1)],
    };
    open(disk)?.commit(&change)
}

fn texts(disk: &Forgetful) -> [String; 2] {
    ["/p/registry.json", "/p/a.toml"]
        .map(|path| String::from_utf8(disk.read(Path::new(path), Role::Config).expect("it is there")).expect("a text"))
}

#[test]
fn a_loss_of_power_at_any_step_leaves_the_old_state_or_the_new_one() {
    let whole = Forgetful::new(beginning());
    bump(&whole).expect("it is made");
    assert_eq!(texts(&whole), NEW);
    let steps = whole.state().steps;
    let mut seen = BTreeMap::new();
    for end in 0..=steps {
        let disk = Forgetful::new(State { end, ..beginning() });
        let is_made = bump(&disk).is_ok();
        for seed in 0..64_usize {
            // All changes, no changes, and many combinations of both for different folders.
            let luck = |folder: &Path, pending: usize| match seed {
                0 => 0,
                1 => pending,
                _ => (seed * 31 + folder.as_os_str().len() * 17 + seed / 7) % (pending + 1),
            };
            let after = Forgetful::new(disk.state().after_loss(&luck));
            let writer = open(&after).unwrap_or_else(|error| panic!("step {end}, {seed}: {error}"));
            let left = texts(&after);
            assert!(left == OLD || left == NEW, "step {end}, {seed}: {left:?}");
            assert!(left == NEW || !is_made, "step {end}, {seed}: what was said to be made is gone");
            if left == NEW {
                let kept = writer.store().object(&Digest::of(NEW[1].as_bytes()));
                assert_eq!(kept.as_deref(), Some(NEW[1].as_bytes()), "step {end}, {seed}");
            }
            *seen.entry(left == NEW).or_insert(0) += 1;
        }
    }
    assert!(seen.values().all(|count| *count > 500) && seen.len() == 2, "{seen:?}");
}
