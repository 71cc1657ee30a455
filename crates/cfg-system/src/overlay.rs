//! Texts over the files of another system: documents that are open in an editor, a change that is not finished.

use std::{
    collections::HashMap,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use crate::{
    Entry, Kind, Role, Scope, Status, System,
    absolute::{goes_back, tidy},
};

/// A system in which some files have other texts than on the disk, or exist only in memory. A clone shares the texts.
#[derive(Clone)]
pub struct Overlay {
    base: Arc<dyn System>,
    texts: Arc<RwLock<HashMap<PathBuf, Arc<[u8]>>>>,
}

impl Overlay {
    /// Over another system, with no texts yet.
    pub fn new(base: Arc<dyn System>) -> Self {
        Self { base, texts: Arc::default() }
    }

    /// Over another system, with one text.
    pub fn with(base: Arc<dyn System>, path: &Path, text: impl Into<Arc<[u8]>>) -> Self {
        let overlay = Self::new(base);
        overlay.put(path, text);
        overlay
    }

    /// The same texts over another system; both share them.
    #[must_use]
    pub fn over(&self, base: Arc<dyn System>) -> Self {
        Self { base, texts: Arc::clone(&self.texts) }
    }

    /// Puts a text over a file.
    pub fn put(&self, path: &Path, text: impl Into<Arc<[u8]>>) {
        let path = self.path(path);
        self.texts.write().unwrap_or_else(PoisonError::into_inner).insert(path, text.into());
    }

    /// Removes a text.
    pub fn take(&self, path: &Path) {
        let path = self.path(path);
        self.texts.write().unwrap_or_else(PoisonError::into_inner).remove(&path);
    }

    /// Whether one of these files has a text in it. Their paths are absolute, without `..`.
    pub fn has_any(&self, paths: &[PathBuf]) -> bool {
        let texts = self.texts.read().unwrap_or_else(PoisonError::into_inner);
        !texts.is_empty() && paths.iter().any(|path| texts.contains_key(path))
    }

    /// A path in the form that is compared.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        let base: &dyn System = &*self.base;
        let absolute = base.absolute(path);
        let tidied = tidy(&absolute);
        if !goes_back(&absolute) {
            return tidied;
        }
        // `a/..` is not this folder if `a` is a link: then the file has another path, under which it may be open.
        let real = |path: &Path| Some(base.real(path.parent()?).ok()?.join(path.file_name()?));
        match (real(&absolute), real(&tidied)) {
            (Some(file), other) if other.as_ref() != Some(&file) => {
                let texts = self.texts.read().unwrap_or_else(PoisonError::into_inner);
                let known = texts.keys().find(|known| **known == file || real(known).as_ref() == Some(&file)).cloned();
                known.unwrap_or(file)
            }
            _ => tidied,
        }
    }

    fn text(&self, path: &Path) -> Option<Arc<[u8]>> {
        let is_empty = self.texts.read().unwrap_or_else(PoisonError::into_inner).is_empty();
        // The path is looked up while no other thread waits to write.
        let path = (!is_empty).then(|| self.path(path))?;
        self.texts.read().unwrap_or_else(PoisonError::into_inner).get(&path).cloned()
    }
}

impl fmt::Debug for Overlay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.texts.read().unwrap_or_else(PoisonError::into_inner);
        formatter.debug_struct("Overlay").field("base", &self.base).field("texts", &texts.len()).finish()
    }
}

impl System for Overlay {
    crate::delegate!(base);

    fn read(&self, path: &Path, role: Role) -> io::Result<Vec<u8>> {
        match self.text(path) {
            Some(text) => Ok(text.to_vec()),
            None => self.base.read(path, role),
        }
    }

    fn open_stream(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.base.open_stream(path)
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        match self.text(path) {
            Some(text) => {
                let size = text.len() as u64;
                Ok(Status { kind: Kind::File, size, modified: None, is_read_only: false, is_program: false })
            }
            None => self.base.status(path),
        }
    }

    fn own_status(&self, path: &Path) -> io::Result<Status> {
        self.base.own_status(path).or_else(|_| self.status(path))
    }

    fn list(&self, folder: &Path, scope: Scope) -> io::Result<Vec<Entry>> {
        self.base.list(folder, scope)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.base.real(path)
    }
}
