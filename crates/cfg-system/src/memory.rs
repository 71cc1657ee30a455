//! Files in memory, for tests and for wasm32.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{
    Admission, Entry, Host, Kind, LimitOfFiles, Lock, NewMode, NoAnswer, Output, Process, Program, Refusal, Role, Running, Scope,
    SearchOptions, Status, System, TemporaryFolder, Unsearched, WritableSystem,
    absolute::{absolute, tidy},
};

/// Files in memory, on a machine without programs and variables. Paths begin at `/`, which is the working folder; there are no links.
#[derive(Debug)]
pub struct MemorySystem {
    files: Mutex<BTreeMap<PathBuf, Vec<u8>>>,
    folders: Mutex<BTreeSet<PathBuf>>,
    folder: PathBuf,
    now: Duration,
    input: Vec<u8>,
    output: Written,
}

/// The bytes that were written to standard output.
#[derive(Clone, Debug, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Default for MemorySystem {
    fn default() -> Self {
        let folder = PathBuf::from("/");
        let folders = Mutex::new(BTreeSet::from([folder.clone()]));
        Self { files: Mutex::default(), folders, folder, now: Duration::ZERO, input: Vec::new(), output: Written::default() }
    }
}

impl MemorySystem {
    /// A system with these files, by path.
    pub fn with_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let system = Self::default();
        for (path, text) in files {
            system.put(path.as_ref(), text);
        }
        system
    }

    /// At a time, in seconds since 1970.
    #[must_use]
    pub const fn at(mut self, seconds: u64) -> Self {
        self.now = Duration::from_secs(seconds);
        self
    }

    /// Sets the bytes on standard input.
    #[must_use]
    pub fn with_input(mut self, bytes: Vec<u8>) -> Self {
        self.input = bytes;
        self
    }

    /// The bytes that were written to standard output so far.
    pub fn output(&self) -> Vec<u8> {
        self.output.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes a text to a file, replacing its content.
    pub fn put(&self, path: &Path, text: &str) {
        self.put_bytes(path, text.as_bytes());
    }

    /// Writes bytes to a file, replacing its content.
    pub(crate) fn put_bytes(&self, path: &Path, bytes: &[u8]) {
        let path = self.path(path);
        self.folders().extend(crate::around(&path).skip(1).map(Path::to_owned));
        self.files().insert(path, bytes.to_vec());
    }

    fn path(&self, path: &Path) -> PathBuf {
        tidy(&absolute(&self.folder, path))
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Vec<u8>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folders(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of a file, without a limit.
    fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = self.path(path);
        if let Some(bytes) = self.files().get(&path) {
            return Ok(bytes.clone());
        }
        Err(if self.folders().contains(&path) { io::ErrorKind::IsADirectory } else { io::ErrorKind::NotFound }.into())
    }
}

impl System for MemorySystem {
    fn host(&self) -> &dyn Host {
        self
    }

    fn may_look(&self, _: &Path) -> bool {
        true
    }

    fn admit(&self, _: &Path, _: Admission) {}

    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        let bytes = self.bytes(path)?;
        let limit = role.limit();
        if bytes.len() as u64 > limit { Err(Refusal::TooLarge { limit }.into()) } else { Ok(bytes) }
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        Ok(Box::new(io::Cursor::new(self.bytes(path)?)))
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        let path = self.path(path);
        let size = self.files().get(&path).map(|bytes| bytes.len() as u64);
        let kind = match size {
            Some(_) => Kind::File,
            None if self.folders().contains(&path) => Kind::Folder,
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        Ok(Status { kind, size: size.unwrap_or_default(), modified: None, is_read_only: false, is_program: false })
    }

    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.status(path)
    }

    fn stays_inside(&self, _: &Path) -> bool {
        true
    }

    fn list(&self, folder: &Path, _: Scope) -> io::Result<Vec<Entry>> {
        let folder = self.path(folder);
        if !self.folders().contains(&folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let entry = |path: &PathBuf, kind| {
            let name = path.file_name().filter(|_| path.parent() == Some(&folder))?;
            Some(Entry { name: name.to_owned(), kind })
        };
        let folders: Vec<Entry> = self.folders().iter().filter_map(|path| entry(path, Kind::Folder)).collect();
        let files = self.files();
        Ok(folders.into_iter().chain(files.keys().filter_map(|path| entry(path, Kind::File))).collect())
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.status(path)?;
        Ok(self.path(path))
    }

    fn share_lock(&self, _: &Path) -> io::Result<Option<Lock>> {
        Ok(Some(Lock::free()))
    }

    fn seal(&self, bytes: &[u8]) -> Option<String> {
        // Nobody else can access this memory: any mark that differs for other bytes is enough.
        let fold = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Some(format!("{:032x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold)))
    }

    fn search(
        &self,
        folders: &[&Path],
        _: SearchOptions,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> Vec<Result<PathBuf, Unsearched>> {
        let files = self.files();
        let mut found = Vec::new();
        for folder in folders {
            let whole = self.path(folder);
            let below = files.keys().filter_map(|path| path.strip_prefix(&whole).ok());
            found.extend(below.filter(|below| wanted(below)).map(|below| Ok(folder.join(below))));
        }
        found
    }
}

impl WritableSystem for MemorySystem {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let path = self.path(path);
        if self.files().contains_key(&path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.folders().extend(crate::around(&path).map(Path::to_owned));
        Ok(())
    }

    fn may_write(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn create(&self, path: &Path, bytes: &[u8], _: NewMode<'_>) -> io::Result<()> {
        let path = self.path(path);
        if !path.parent().is_some_and(|folder| self.folders().contains(folder)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        if self.folders().contains(&path) || self.files().contains_key(&path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.files().insert(path, bytes.to_vec());
        Ok(())
    }

    fn replace(&self, path: &Path, old: &[u8], new: &[u8]) -> io::Result<()> {
        let mut files = self.files();
        let there = files.get_mut(&self.path(path)).ok_or(io::ErrorKind::NotFound)?;
        if there != old {
            return Err(io::Error::other("it changed in the meantime"));
        }
        new.clone_into(there);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.files().remove(&self.path(path)).map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn lock(&self, _: &Path) -> io::Result<Option<Lock>> {
        Ok(Some(Lock::free()))
    }

    fn new_seal(&self, bytes: &[u8]) -> Option<String> {
        self.seal(bytes)
    }

    fn temporary_folder(&self, prefix: &str) -> io::Result<TemporaryFolder> {
        let path = Path::new("/tmp").join(format!("{prefix}0"));
        self.create_folder(&path)?;
        Ok(TemporaryFolder::new(path, ()))
    }
}

impl Host for MemorySystem {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn variable(&self, _: &str) -> Option<OsString> {
        None
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        Vec::new()
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn input(&self, limit: u64) -> io::Result<Vec<u8>> {
        if self.input.len() as u64 > limit { Err(Refusal::TooLarge { limit }.into()) } else { Ok(self.input.clone()) }
    }

    fn input_stream(&self) -> Box<dyn io::Read + Send> {
        Box::new(io::Cursor::new(self.input.clone()))
    }

    fn has_input(&self) -> bool {
        !self.input.is_empty()
    }

    fn is_interactive(&self) -> bool {
        false
    }

    fn output_stream(&self) -> Box<dyn io::Write + Send> {
        Box::new(self.output.clone())
    }

    fn path(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn find_program(&self, _: &str) -> Option<PathBuf> {
        None
    }

    fn run(&self, _: &Program) -> Result<Vec<u8>, NoAnswer> {
        Err(NoAnswer::Absent)
    }

    fn output(&self, _: &Program) -> io::Result<Output> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn start(&self, _: &Program) -> io::Result<Box<dyn Running>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn execute(&self, _: &Program, _: Option<&Path>, _: &mut dyn FnMut(bool)) -> io::Result<bool> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn unusual_below(&self, _: &Path, _: &dyn Fn(&OsStr) -> bool, _: usize) -> Option<Vec<(PathBuf, Kind)>> {
        Some(Vec::new())
    }

    fn free_disk(&self, _: &Path) -> Option<u64> {
        None
    }

    fn limit_of_files(&self) -> Option<LimitOfFiles> {
        None
    }

    fn raise_limit_of_files(&self, _: u64) {}

    fn processes(&self) -> Vec<Process> {
        Vec::new()
    }

    fn runs(&self, _: u32) -> Option<bool> {
        None
    }

    fn listening(&self) -> Option<BTreeSet<u16>> {
        None
    }

    fn own_program(&self) -> io::Result<PathBuf> {
        Err(io::ErrorKind::NotFound.into())
    }
}
