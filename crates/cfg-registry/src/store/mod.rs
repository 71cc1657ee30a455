//! The registry on the disk: `registry.json`, the configs, and beside it `.cfg/`, where the exact text of every registered version lies
//! under its sha256.
//!
//! This is the one module of the crate that touches files. Whoever opens a store holds its lock. A change of several files is written
//! into a journal first, and the journal appears under its name at once: before that moment nothing has changed, after it the change can
//! always be finished, by this process or by the next one. Bytes are on the disk before a name leads to them.

mod change;
mod error;
mod io;
mod journal;

use std::{
    io as std_io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

pub use change::{Change, Replace};
pub use error::{Error, Left};
pub use io::{Disk, Found, Io, Lock};

use journal::Journal;

use crate::fingerprint::Digest;

/// The name of a registry.
pub const FILE_NAME: &str = "registry.json";

/// The folder beside it.
pub const FOLDER: &str = ".cfg";

/// What keeps the files of one moment out of version control, and the others as they are.
const GITIGNORE: &str = "/lock\n/journal\n/new-*\n";
const GITATTRIBUTES: &str = "objects/* -text -diff linguist-generated\n";

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To read: nothing is made that is not there, and a folder that may not be written will do.
    Read,
    /// To change.
    Write,
}

/// What was done about a change that an earlier process had begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// It was finished.
    Finished {
        /// What it does, in words.
        what: String,
        /// Files that someone had changed since then, and which were left alone.
        except: Vec<PathBuf>,
    },
    /// It was taken back: a file that it was to replace had been changed since then.
    Undone {
        /// What it would have done, in words.
        what: String,
    },
    /// It can't be finished here, where nothing may be written.
    Pending,
}

/// A registry on the disk, and the lock of it.
pub struct Store<'io> {
    io: &'io dyn Io,
    /// The registry, without links.
    registry: PathBuf,
    /// `.cfg/` beside it.
    folder: PathBuf,
    /// Held for as long as the store lives.
    lock: Option<Lock>,
}

impl<'io> Store<'io> {
    /// Opens the store of the registry at a path, as soon as no other process uses it, and finishes what another one had begun. `waiting`
    /// is called once if there is another one.
    ///
    /// # Errors
    ///
    /// Where the registry can't be reached, or stays locked for longer than `patience`.
    pub fn open(
        io: &'io dyn Io,
        registry: &Path,
        access: Access,
        patience: Duration,
        waiting: &dyn Fn(),
    ) -> Result<(Self, Option<Recovered>), Error> {
        let doing = |what: &str, path: &Path| format!("{what} {}", path.display());
        let real = match io.real(registry) {
            Err(error) if error.kind() == std_io::ErrorKind::NotFound && access == Access::Write => {
                // A registry that is about to be made.
                let name = registry.file_name().unwrap_or_default();
                let parent = registry.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                io.real(parent).map(|parent| parent.join(name))
            }
            real => real,
        };
        let registry = real.map_err(|error| failed(doing("read", registry), error))?;
        let folder = registry.parent().unwrap_or(Path::new("")).join(FOLDER);
        let mut store = Self { io, registry, folder, lock: None };
        match access {
            Access::Write => store.make_folder()?,
            Access::Read if !matches!(io.look(&store.folder), Ok(Some(Found::Folder))) => return Ok((store, None)),
            Access::Read => {}
        }
        match store.take_lock(patience, waiting) {
            Ok(lock) => store.lock = Some(lock),
            // Where nothing may be written nobody else writes either.
            Err(Error::Io { error, .. }) if access == Access::Read && is_forbidden(&error) => {
                let has_journal = matches!(io.look(&store.journal_path()), Ok(Some(_)));
                return Ok((store, has_journal.then_some(Recovered::Pending)));
            }
            Err(error) => return Err(error),
        }
        let recovered = store.recover()?;
        Ok((store, recovered))
    }

    fn take_lock(&self, patience: Duration, waiting: &dyn Fn()) -> Result<Lock, Error> {
        let path = self.folder.join("lock");
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match self.io.lock(&path) {
                Ok(Some(lock)) => return Ok(lock),
                Ok(None) if start.elapsed() >= patience => return Err(Error::Busy { lock: path }),
                Ok(None) => {
                    if pause == Duration::from_millis(1) {
                        waiting();
                    }
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(error) => return Err(failed(format!("lock {}", path.display()), error)),
            }
        }
    }

    /// Makes the folder, unless it is there.
    fn make_folder(&self) -> Result<(), Error> {
        let fail = |path: &Path| {
            let doing = format!("make {}", path.display());
            move |error| failed(doing, error)
        };
        let objects = self.folder.join("objects");
        if matches!(self.io.look(&objects), Ok(Some(Found::Folder))) {
            return Ok(());
        }
        self.io.create_folder(&self.folder).map_err(fail(&self.folder))?;
        for (name, text) in [(".gitignore", GITIGNORE), (".gitattributes", GITATTRIBUTES)] {
            let path = self.folder.join(name);
            match self.io.create(&path) {
                Ok(()) => self.io.write(&path, text.as_bytes()).map_err(fail(&path))?,
                Err(error) if error.kind() == std_io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fail(&path)(error)),
            }
        }
        self.io.create_folder(&objects).map_err(fail(&objects))?;
        self.io.sync_folder(&self.folder).map_err(fail(&self.folder))?;
        let parent = self.registry.parent().unwrap_or(Path::new(""));
        self.io.sync_folder(parent).map_err(fail(parent))
    }

    fn journal_path(&self) -> PathBuf {
        self.folder.join("journal")
    }

    fn recover(&self) -> Result<Option<Recovered>, Error> {
        let path = self.journal_path();
        let bytes = match self.io.read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std_io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(format!("read {}", path.display()), error)),
        };
        let journal = Journal::from_bytes(&bytes).filter(|journal| self.is_trusted(journal));
        let journal = journal.ok_or(Error::Journal { path })?;
        self.finish(&journal).map(Some)
    }

    /// Whether no other command can change the registry meanwhile.
    pub const fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Where the registry is, without links.
    pub fn registry(&self) -> &Path {
        &self.registry
    }

    /// The bytes of the registry.
    pub fn read_registry(&self) -> Result<Vec<u8>, Error> {
        self.read(&self.registry)
    }

    /// The bytes of any file.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        self.io.read(path).map_err(|error| failed(format!("read {}", path.display()), error))
    }

    /// The folder of the exact texts, each of which is called by its sha256.
    pub fn objects_folder(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// The path of the exact text with this sha256.
    pub fn object_path(&self, sha256: &Digest) -> PathBuf {
        self.objects_folder().join(sha256.to_string())
    }

    /// The exact text with this sha256; nothing where it is not kept, or what is kept is another text.
    pub fn object(&self, sha256: &Digest) -> Option<Vec<u8>> {
        self.io.read(&self.object_path(sha256)).ok().filter(|bytes| Digest::of(bytes) == *sha256)
    }

    /// The sha256 of every text that is kept, in order.
    pub fn objects(&self) -> Result<Vec<Digest>, Error> {
        let folder = self.objects_folder();
        let names = match self.io.list(&folder) {
            Ok(names) => names,
            Err(error) if error.kind() == std_io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(format!("list {}", folder.display()), error)),
        };
        let mut objects: Vec<Digest> = names.iter().filter_map(|name| name.parse().ok()).collect();
        objects.sort_unstable();
        Ok(objects)
    }

    /// Drops texts that no version names; the caller knows that none does.
    pub fn drop_objects(&self, objects: &[Digest]) -> Result<(), Error> {
        for object in objects {
            let path = self.object_path(object);
            self.io.remove(&path).map_err(|error| failed(format!("remove {}", path.display()), error))?;
        }
        Ok(())
    }
}

/// A step failed before anything was changed.
const fn failed(doing: String, error: std_io::Error) -> Error {
    Error::Io { doing, error, left: Left::AsBefore }
}

fn is_forbidden(error: &std_io::Error) -> bool {
    matches!(error.kind(), std_io::ErrorKind::PermissionDenied | std_io::ErrorKind::ReadOnlyFilesystem)
}
