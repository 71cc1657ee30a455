//! The power goes: whatever was not on the disk by then is gone. Bytes that were not synced are lost, and of the names in each folder only
//! those changes stay that the disk happened to write, in their order.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use cfg_registry::{
    fingerprint::Digest,
    store::{Access, Change, Error, Found, Io, Lock, Replace, Store},
};

const OLD: [&str; 2] = ["{\"configs\": {}}\n", "max_steps = 1\n"];
const NEW: [&str; 2] = ["{\"configs\": {\"a.toml\": {}}}\n", "max_steps = 2\n"];

/// A change of the names in a folder.
#[derive(Clone)]
enum Naming {
    Link(PathBuf, usize),
    Unlink(PathBuf),
    Rename(PathBuf, PathBuf),
}

#[derive(Clone, Default)]
struct State {
    folders: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, usize>,
    /// What the disk has of the names.
    kept_names: BTreeMap<PathBuf, usize>,
    /// What it does not have yet, for each folder.
    pending: BTreeMap<PathBuf, Vec<Naming>>,
    /// The bytes of each file, and what the disk has of them.
    files: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    steps: usize,
    /// The step in front of which the power goes.
    end: usize,
}

impl Naming {
    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Self::Link(path, file) => drop(names.insert(path.clone(), *file)),
            Self::Unlink(path) => drop(names.remove(path)),
            Self::Rename(from, to) => {
                if let Some(file) = names.remove(from) {
                    names.insert(to.clone(), file);
                }
            }
        }
    }
}

impl State {
    fn name(&mut self, naming: Naming) {
        let (Naming::Link(path, _) | Naming::Unlink(path) | Naming::Rename(path, _)) = &naming;
        let folder = path.parent().expect("a folder").to_owned();
        naming.apply(&mut self.names);
        self.pending.entry(folder).or_default().push(naming);
    }

    /// What is there when the power is back. `luck` says how many of a folder's pending names the disk has written.
    fn after_loss(&self, luck: &dyn Fn(&Path, usize) -> usize) -> Self {
        let mut names = self.kept_names.clone();
        for (folder, pending) in &self.pending {
            pending[..luck(folder, pending.len())].iter().for_each(|naming| naming.apply(&mut names));
        }
        let files = self.files.iter().map(|(_, kept)| {
            let kept = kept.clone().unwrap_or_else(|| b"\0\0\0".to_vec());
            (kept.clone(), Some(kept))
        });
        let folders = self.folders.clone();
        Self { folders, names: names.clone(), kept_names: names, files: files.collect(), end: usize::MAX, ..Self::default() }
    }
}

/// A disk that forgets.
struct Forgetful(RefCell<State>);

impl Forgetful {
    fn step<T>(&self, run: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.0.borrow_mut();
        state.steps += 1;
        if state.steps > state.end { Err(io::Error::other("the power is gone")) } else { run(&mut state) }
    }
}

fn file_of(state: &State, path: &Path) -> io::Result<usize> {
    state.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
}

impl Io for Forgetful {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.step(|state| Ok(state.files[file_of(state, path)?].0.clone()))
    }
    fn look(&self, path: &Path) -> io::Result<Option<Found>> {
        self.step(|state| {
            let is_folder = state.folders.contains(path);
            let is_file = state.names.contains_key(path);
            Ok(if is_folder { Some(Found::Folder) } else { is_file.then_some(Found::File { is_read_only: false }) })
        })
    }
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.step(|_| Ok(path.to_owned()))
    }
    fn list(&self, _: &Path) -> io::Result<Vec<String>> {
        self.step(|_| Ok(Vec::new()))
    }
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.step(|state| {
            state.folders.insert(path.to_owned());
            Ok(())
        })
    }
    fn create(&self, path: &Path) -> io::Result<()> {
        self.step(|state| {
            if state.names.contains_key(path) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            state.files.push((Vec::new(), None));
            let file = state.files.len() - 1;
            state.name(Naming::Link(path.to_owned(), file));
            Ok(())
        })
    }
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.step(|state| {
            let file = file_of(state, path)?;
            state.files[file].0 = bytes.to_vec();
            Ok(())
        })
    }
    fn copy_mode(&self, _: &Path, _: &Path, _: bool) -> io::Result<()> {
        self.step(|_| Ok(()))
    }
    fn sync(&self, path: &Path) -> io::Result<()> {
        self.step(|state| {
            let file = file_of(state, path)?;
            state.files[file].1 = Some(state.files[file].0.clone());
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
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(|state| {
            file_of(state, from)?;
            state.name(Naming::Rename(from.to_owned(), to.to_owned()));
            Ok(())
        })
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(|state| {
            file_of(state, path)?;
            state.name(Naming::Unlink(path.to_owned()));
            Ok(())
        })
    }
    fn lock(&self, _: &Path) -> io::Result<Option<Lock>> {
        self.step(|_| Ok(Some(Lock::free())))
    }
}

fn beginning() -> State {
    let mut state = State { end: usize::MAX, ..State::default() };
    state.folders.insert("/p".into());
    for (name, text) in ["/p/registry.json", "/p/a.toml"].into_iter().zip(OLD) {
        state.names.insert(name.into(), state.files.len());
        state.files.push((text.as_bytes().to_vec(), Some(text.as_bytes().to_vec())));
    }
    state.kept_names = state.names.clone();
    state
}

fn open(disk: &Forgetful) -> Result<Store<'_>, Error> {
    Store::open(disk, Path::new("/p/registry.json"), Access::Write, Duration::ZERO, &|| {}).map(|(store, _)| store)
}

fn bump(disk: &Forgetful) -> Result<(), Error> {
    let replace = |name: &str, at: usize| Replace {
        path: Path::new("/p").join(name),
        old: Some(OLD[at].as_bytes().to_vec()),
        new: NEW[at].to_owned(),
    };
    let change = Change {
        what: "bump a.toml to v2".to_owned(),
        objects: vec![NEW[1].as_bytes().to_vec()],
        registry: Some(replace("registry.json", 0)),
        files: vec![replace("a.toml", 1)],
    };
    open(disk)?.commit(&change)
}

fn texts(disk: &Forgetful) -> [String; 2] {
    ["/p/registry.json", "/p/a.toml"]
        .map(|path| String::from_utf8(disk.read(Path::new(path)).expect("it is there")).expect("a text"))
}

#[test]
fn a_loss_of_power_at_any_step_leaves_the_old_state_or_the_new_one() {
    let whole = Forgetful(RefCell::new(beginning()));
    bump(&whole).expect("it is made");
    assert_eq!(texts(&whole), NEW);
    let steps = whole.0.borrow().steps;
    let mut seen = BTreeMap::new();
    for end in 0..=steps {
        let disk = Forgetful(RefCell::new(State { end, ..beginning() }));
        let is_made = bump(&disk).is_ok();
        for seed in 0..64_usize {
            // Everything, nothing, and much in between, for each folder by itself.
            let luck = |folder: &Path, pending: usize| match seed {
                0 => 0,
                1 => pending,
                _ => (seed * 31 + folder.as_os_str().len() * 17 + seed / 7) % (pending + 1),
            };
            let after = Forgetful(RefCell::new(disk.0.borrow().after_loss(&luck)));
            let store = open(&after).unwrap_or_else(|error| panic!("step {end}, {seed}: {error}"));
            let left = texts(&after);
            assert!(left == OLD || left == NEW, "step {end}, {seed}: {left:?}");
            assert!(left == NEW || !is_made, "step {end}, {seed}: what was said to be made is gone");
            if left == NEW {
                let kept = store.object(&Digest::of(NEW[1].as_bytes()));
                assert_eq!(kept.as_deref(), Some(NEW[1].as_bytes()), "step {end}, {seed}");
            }
            *seen.entry(left == NEW).or_insert(0) += 1;
        }
    }
    assert!(seen.values().all(|count| *count > 500) && seen.len() == 2, "{seen:?}");
}
