//! The registry on the disk: `registry.json`, the configs, and `.cfg/` beside it, which contains the exact text of each registered version in a file
//! named by its sha256.
//!
//! A change of several files is first written to a journal, which is created atomically. Before that, nothing has changed; after it, the change can
//! always be completed, by this process or by the next one that changes the registry. Bytes are synced to the disk before a name refers to them.
//!
//! Reading changes nothing: a [`Store`] shows an interrupted change as if it were complete, and a [`Writer`] completes it. Both use a journal only if
//! this user wrote it on this machine, because one that came with a repository could contain anything.

mod change;
mod error;
mod journal;
mod recovery;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use cfg_system::{Kind, Lock, NewMode, Overlay, Role, System, WritableSystem};

pub use change::{Change, Kept, Replace};
pub use error::{Error, Left};
pub use recovery::{Pending, Recovered};

use crate::{fingerprint::Digest, place};

/// The file name of a registry.
pub const FILE_NAME: &str = "registry.json";

/// The folder next to the registry.
pub const FOLDER: &str = ".cfg";

/// The folder in `.cfg` that contains the exact texts.
pub const OBJECTS: &str = "objects";

/// The file in `.cfg` that contains a change while it is in progress.
pub const JOURNAL: &str = "journal";

/// Keeps temporary files out of version control.
const GITIGNORE: &str = "/lock\n/journal\n/new-*\n";
/// A stored text is equal to its config, so that git may take a new one for a renamed config, into which it would then merge the lines of the other side.
const GITATTRIBUTES: &str = "objects/* -text -diff -merge linguist-generated\n";
/// The attributes that earlier programs wrote.
const FORMER_GITATTRIBUTES: &str = "objects/* -text -diff linguist-generated\n";

/// The paths of a registry and of its files.
#[derive(Clone, Debug)]
struct Layout {
    /// The registry, without links.
    registry: PathBuf,
    /// The folder `.cfg` next to it.
    folder: PathBuf,
}

impl Layout {
    fn of(registry: PathBuf) -> Self {
        let folder = registry.with_file_name(FOLDER);
        Self { registry, folder }
    }

    fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }

    fn journal(&self) -> PathBuf {
        self.folder.join(JOURNAL)
    }

    fn objects(&self) -> PathBuf {
        self.folder.join(OBJECTS)
    }

    /// Refuses a path of an unexpected type: a link could lead anywhere, and reading a pipe could block forever.
    fn check(&self, system: &dyn System) -> Result<(), Error> {
        let folders = [self.folder.clone(), self.objects()].map(|path| (path, Kind::Folder));
        let files = [self.lock(), self.journal()].map(|path| (path, Kind::File));
        for (path, kind) in folders.into_iter().chain(files) {
            match system.own_status(&path) {
                Ok(status) if status.kind != kind => return Err(Error::Odd { path, kind }),
                _ => {}
            }
        }
        Ok(())
    }
}

/// A registry on the disk, opened for reading. While it exists, no other process changes the registry, except if a lock is not
/// possible because the folder can't be written.
#[derive(Debug)]
pub struct Store {
    system: Arc<dyn System>,
    at: Layout,
    #[expect(dead_code, reason = "it is held, not used")]
    lock: Option<Lock>,
}

/// A registry on the disk, opened for changes. While it exists, no other process reads or changes the registry.
#[derive(Debug)]
pub struct Writer {
    system: Arc<dyn WritableSystem>,
    at: Layout,
    #[expect(dead_code, reason = "it is held, not used")]
    lock: Lock,
}

impl Store {
    /// Opens the registry at a path for reading, as soon as no other process changes it. `waiting` is called once if it has to wait. A change that
    /// an earlier process has begun is shown as if it were complete.
    ///
    /// # Errors
    ///
    /// If the registry can't be accessed, or stays locked for longer than `patience`.
    pub fn open(
        system: Arc<dyn System>,
        registry: &Path,
        patience: Duration,
        waiting: &dyn Fn(),
    ) -> Result<(Self, Option<Pending>), Error> {
        let at = Layout::of(system.real(registry).map_err(|error| failed(doing("read", registry), error))?);
        at.check(&*system)?;
        let lock = match take(patience, waiting, &at.lock(), &|path| system.share_lock(path)) {
            Ok(lock) => Some(lock),
            // If there is no lock file, no process holds the lock; if this user can't open the lock file, it is not waited for.
            Err(Error::Io { error, .. }) if is_out_of_reach(&error) => None,
            Err(error) => return Err(error),
        };
        let Some(journal) = recovery::read(&*system, &at)? else { return Ok((Self { system, at, lock }, None)) };
        let files = recovery::still_to_do(&*system, &at, &journal);
        let files = files.map_err(|error| failed(doing("read", &at.journal()), error))?;
        let texts = Overlay::new(system);
        // A file that is to be removed is still seen.
        let new = files.iter().flatten().filter_map(|(path, text)| Some((path, text.as_ref()?)));
        new.for_each(|(path, text)| texts.put(path, text.as_bytes()));
        let pending = Pending { what: journal.what, is_undone: files.is_none() };
        Ok((Self { system: Arc::new(texts), at, lock }, Some(pending)))
    }

    /// The files, as they are or will be after an interrupted change has been completed.
    pub fn system(&self) -> &Arc<dyn System> {
        &self.system
    }

    /// The path of the registry, without links.
    pub fn registry(&self) -> &Path {
        &self.at.registry
    }

    /// The bytes of the registry.
    pub fn read_registry(&self) -> Result<Vec<u8>, Error> {
        self.read(&self.at.registry, Role::Registry)
    }

    /// The bytes of any file.
    pub fn read(&self, path: &Path, role: Role) -> Result<Vec<u8>, Error> {
        self.system.read(path, role).map_err(|error| failed(doing("read", path), error))
    }

    /// The folder of stored texts. Each file is named by its sha256.
    pub fn objects_folder(&self) -> PathBuf {
        self.at.objects()
    }

    /// The path of the stored text with this sha256.
    pub fn object_path(&self, sha256: &Digest) -> PathBuf {
        self.objects_folder().join(sha256.to_string())
    }

    /// The stored text with this sha256; `None` if there is none, or if the file contains another text.
    pub fn object(&self, sha256: &Digest) -> Option<Vec<u8>> {
        place::stored(&*self.system, &self.objects_folder(), sha256)
    }

    /// The sha256 of every stored text, in order.
    pub fn objects(&self) -> Result<Vec<Digest>, Error> {
        let folder = self.objects_folder();
        let entries = match self.system.list(&folder, Role::KeptText.scope()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(doing("list", &folder), error)),
        };
        let mut objects: Vec<Digest> = entries.iter().filter_map(|entry| entry.name.to_str()?.parse().ok()).collect();
        objects.sort_unstable();
        Ok(objects)
    }
}

impl Writer {
    /// Opens the registry at a path for changes, as soon as no other process uses it, and completes an interrupted change. The registry need not
    /// exist yet. `waiting` is called once if it has to wait.
    ///
    /// # Errors
    ///
    /// If the registry can't be accessed, or stays locked for longer than `patience`.
    pub fn open(
        system: Arc<dyn WritableSystem>,
        registry: &Path,
        patience: Duration,
        waiting: &dyn Fn(),
    ) -> Result<(Self, Option<Recovered>), Error> {
        let real = match system.real(registry) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let name = registry.file_name().unwrap_or_default();
                let parent = registry.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                system.real(parent).map(|parent| parent.join(name))
            }
            real => real,
        };
        let at = Layout::of(real.map_err(|error| failed(doing("read", registry), error))?);
        at.check(&*system)?;
        make_folder(&*system, &at)?;
        let lock = take(patience, waiting, &at.lock(), &|path| system.lock(path))?;
        let writer = Self { system, at, lock };
        let recovered = writer.recover()?;
        Ok((writer, recovered))
    }

    /// The same registry for reading.
    pub fn store(&self) -> Store {
        let system: Arc<dyn WritableSystem> = Arc::clone(&self.system);
        Store { system, at: self.at.clone(), lock: None }
    }

    /// Deletes stored texts. The caller has checked that no version or run names them.
    pub fn drop_objects(&self, objects: &[Digest]) -> Result<(), Error> {
        for object in objects {
            let path = self.at.objects().join(object.to_string());
            self.system.remove(&path).map_err(|error| failed(doing("remove", &path), error))?;
        }
        Ok(())
    }
}

/// Takes a lock as soon as no other process has it.
fn take(
    patience: Duration,
    waiting: &dyn Fn(),
    path: &Path,
    lock: &dyn Fn(&Path) -> io::Result<Option<Lock>>,
) -> Result<Lock, Error> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match lock(path) {
            Ok(Some(lock)) => return Ok(lock),
            Ok(None) if start.elapsed() >= patience => return Err(Error::Busy { lock: path.to_owned() }),
            Ok(None) => {
                if pause == Duration::from_millis(1) {
                    waiting();
                }
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Err(error) => return Err(failed(doing("lock", path), error)),
        }
    }
}

/// Creates the folder `.cfg`, unless it exists.
fn make_folder(system: &dyn WritableSystem, at: &Layout) -> Result<(), Error> {
    let fail = |path: &Path| {
        let doing = doing("make", path);
        move |error| failed(doing, error)
    };
    let objects = at.objects();
    if system.own_status(&objects).is_ok() {
        let attributes = at.folder.join(".gitattributes");
        let is_former = system.read(&attributes, Role::Ignores).is_ok_and(|text| text == FORMER_GITATTRIBUTES.as_bytes());
        if is_former {
            let replaced = system.replace(&attributes, FORMER_GITATTRIBUTES.as_bytes(), GITATTRIBUTES.as_bytes());
            replaced.map_err(fail(&attributes))?;
        }
        return Ok(());
    }
    system.create_folder(&at.folder).map_err(fail(&at.folder))?;
    for (name, text) in [(".gitignore", GITIGNORE), (".gitattributes", GITATTRIBUTES)] {
        let path = at.folder.join(name);
        match system.create(&path, text.as_bytes(), NewMode::Plain) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fail(&path)(error)),
            _ => {}
        }
    }
    system.create_folder(&objects).map_err(fail(&objects))?;
    system.sync_folder(&at.folder).map_err(fail(&at.folder))?;
    let parent = at.registry.parent().unwrap_or(Path::new(""));
    system.sync_folder(parent).map_err(fail(parent))
}

fn doing(what: &str, path: &Path) -> String {
    format!("{what} {}", path.display())
}

/// The error of a step that failed before anything was changed.
const fn failed(doing: String, error: io::Error) -> Error {
    Error::Io { doing, error, left: Left::AsBefore }
}

fn is_out_of_reach(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
    )
}
