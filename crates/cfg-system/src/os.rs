//! The machine of this process. Nothing else in the program accesses files, programs or the environment.

mod admitted;
mod held;
mod holes;
mod host;
mod late;
mod open;
mod programs;
mod roots;
mod search;
mod secret;
mod temporary;
mod unusual;
mod write;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    env,
    ffi::{OsStr, OsString},
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::UNIX_EPOCH,
};

use crate::{
    Admission, Entry, Host, Kind, Lock, NewMode, Refusal, Role, Scope, SearchOptions, Status, System, TemporaryFolder,
    Unsearched, WritableSystem, absolute::absolute,
};
use admitted::{Admitted, RequestedPath, Visited};
use held::Held;
use secret::Secret;

/// The machine of this process.
pub struct OsSystem {
    /// The working folder; empty if it is gone.
    folder: PathBuf,
    /// The environment, if it is not that of this process.
    environment: Option<BTreeMap<OsString, OsString>>,
    admitted: RwLock<Arc<Admitted>>,
    secret: Secret,
    /// What was found in the folders of git.
    folders: unusual::Folders,
    late: late::Late,
}

impl OsSystem {
    /// This machine, with no admitted paths yet.
    pub fn new() -> Self {
        let folder = env::current_dir().unwrap_or_default();
        Self {
            folder,
            environment: None,
            admitted: RwLock::default(),
            secret: Secret::default(),
            folders: unusual::Folders::default(),
            late: late::Late::default(),
        }
    }

    /// This machine, as seen by a process that works in a folder, with these additional environment variables.
    pub fn within(folder: &Path, variables: &[(&str, &OsStr)]) -> Self {
        let mut environment: BTreeMap<OsString, OsString> = env::vars_os().collect();
        environment.extend(variables.iter().map(|(name, value)| ((*name).into(), (*value).to_owned())));
        Self { folder: folder.to_owned(), environment: Some(environment), ..Self::new() }
    }

    /// From now on nothing is read outside this folder, given by its real path, and others that are passed to this function; and nothing is written.
    pub fn confine(&self, folder: &Path) {
        let mut admitted = self.admitted.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut admitted).confine(&absolute(&self.folder, folder));
    }

    fn admitted(&self) -> Arc<Admitted> {
        Arc::clone(&self.admitted.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A path in the form for the system's functions, which use the working folder of this process.
    fn at<'p>(&self, path: &'p Path) -> Cow<'p, Path> {
        if self.environment.is_some() { self.folder.join(path).into() } else { path.into() }
    }

    /// A deleted working folder contains nothing; the system reports it as an empty folder.
    fn is_somewhere(&self, path: &Path) -> io::Result<()> {
        if path.is_relative() && self.folder.as_os_str().is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(()) }
    }

    /// Refuses a path that leads out of the folders in which reading is allowed: not even whether there is something may be told.
    fn may_tell(&self, path: &Path) -> io::Result<()> {
        let admitted = self.admitted();
        if !admitted.is_confined() || open::is_confined_to(&admitted, &absolute(&self.folder, path)) {
            return Ok(());
        }
        refused(Refusal::Confined)
    }

    /// Resolves a path.
    fn place<'p>(&self, path: &'p Path) -> (Arc<Admitted>, RequestedPath<'p>) {
        let admitted = self.admitted();
        let place = admitted.place(absolute(&self.folder, path));
        (admitted, place)
    }
}

impl Default for OsSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for OsSystem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OsSystem").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl System for OsSystem {
    fn host(&self) -> &dyn Host {
        self
    }

    fn admit(&self, path: &Path, how: Admission) {
        self.admit_all(&[path], how);
    }

    fn admit_all(&self, paths: &[&Path], how: Admission) {
        let mut admitted = self.admitted.write().unwrap_or_else(PoisonError::into_inner);
        let (admitted, mut visited) = (Arc::make_mut(&mut admitted), Visited::new());
        admitted.reserve(paths.len());
        paths.iter().for_each(|path| admitted.admit(&absolute(&self.folder, path), how, &mut visited));
    }

    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        let (admitted, place) = self.place(path);
        open::read_all(open::open(&admitted, &place, role.scope())?, role.limit())
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        let (admitted, place) = self.place(path);
        Ok(Box::new(holes::WithoutHoles::new(open::open(&admitted, &place, Scope::Inside)?.file)))
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        self.is_somewhere(path)?;
        self.may_tell(path)?;
        fs::metadata(self.at(path)).map(|metadata| status(&metadata))
    }

    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.is_somewhere(path)?;
        self.may_tell(path)?;
        fs::symlink_metadata(self.at(path)).map(|metadata| status(&metadata))
    }

    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>> {
        let (admitted, place) = self.place(folder);
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok(Entry { name: entry.file_name(), kind: entry.file_type().map_or(Kind::Other, kind) })
        };
        fs::read_dir(open::folder(&admitted, &place, scope)?)?.map(entry).collect()
    }

    fn may_look(&self, folder: &Path) -> bool {
        let admitted = self.admitted();
        !admitted.is_confined() || fs::canonicalize(self.at(folder)).is_ok_and(|real| admitted.may_look(&real))
    }

    fn stays_inside(&self, path: &Path) -> bool {
        let Some(folder) = path.parent() else { return false };
        let (admitted, place) = self.place(folder);
        open::folder(&admitted, &place, Scope::Inside).map_or_else(|error| Refusal::of(&error).is_none(), |_| true)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.may_tell(path)?;
        // Elsewhere, a file has several paths without links. A long chain of links is not followed.
        if !cfg!(target_os = "linux") {
            return fs::canonicalize(self.at(path));
        }
        match open::follow(&absolute(&self.folder, path)) {
            (resolved, None) => Ok(resolved.path),
            (_, Some(error)) => Err(error),
        }
    }

    fn share_lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        let (admitted, place) = self.place(path);
        write::lock(&open::to_lock(&admitted, &place)?.path, false)
    }

    fn seal(&self, bytes: &[u8]) -> Option<String> {
        self.secret.seal(self, bytes, self.admitted().roots(), false)
    }

    fn search(
        &self,
        folders: &[&Path],
        options: SearchOptions,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>> {
        search::search(self, folders, options, wanted)
    }
}

impl WritableSystem for OsSystem {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let (admitted, place) = self.place(path);
        held::create_folder(&open::to_write(&admitted, &place)?)
    }

    fn may_write(&self, path: &Path) -> io::Result<()> {
        let (admitted, place) = self.place(path);
        open::to_write(&admitted, &place).map(drop)
    }

    fn create(&self, path: &Path, bytes: &[u8], mode: NewMode<'_>) -> io::Result<()> {
        let (admitted, place) = self.place(path);
        write::create(&Held::new(open::to_write(&admitted, &place)?)?.path, bytes, mode)
    }

    fn replace(&self, path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
        let (admitted, place) = self.place(path);
        let path = open::to_write(&admitted, &place)?;
        let seal = || self.secret.seal(self, path.as_os_str().as_encoded_bytes(), admitted.roots(), true);
        write::replace(&Held::new(path.clone())?.path, old, new, &seal)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let (admitted, place) = self.place(path);
        fs::remove_file(&Held::new(open::to_write(&admitted, &place)?)?.path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        write::sync_folder(path)
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Lock>> {
        let (admitted, place) = self.place(path);
        write::lock(&Held::new(open::to_write(&admitted, &place)?)?.path, true)
    }

    fn new_seal(&self, bytes: &[u8]) -> Option<String> {
        self.secret.seal(self, bytes, self.admitted().roots(), true)
    }

    fn temporary_folder(&self, prefix: &str) -> io::Result<TemporaryFolder> {
        temporary::clear(prefix, &|process| self.runs(process) == Some(false));
        if self.admitted().is_confined() {
            return refused(Refusal::Confined);
        }
        let folder = temporary::make(prefix)?;
        let mut admitted = self.admitted.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut admitted).add_root(&fs::canonicalize(folder.path())?);
        drop(admitted);
        Ok(TemporaryFolder::new(folder.path().to_owned(), folder))
    }
}

fn status(metadata: &fs::Metadata) -> Status {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    #[cfg(unix)]
    let is_program = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let is_program = metadata.is_file();
    Status {
        kind: kind(metadata.file_type()),
        size: metadata.len(),
        modified,
        is_read_only: metadata.permissions().readonly(),
        is_program,
    }
}

fn kind(kind: fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

/// A refusal as the result of reading or writing.
fn refused<T>(refusal: Refusal) -> io::Result<T> {
    Err(refusal.into())
}
