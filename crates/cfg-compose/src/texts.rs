//! The texts that a config is composed of: files, the command line, the environment.

use std::{borrow::Cow, collections::HashMap, io, path::Path};

use cfg_diag::{Diagnostic, FileId};
use cfg_syntax::{Dialect, Document};
use cfg_system::{Refusal, Role, System, relative};

/// Why a file can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// It does not exist.
    NotFound,
    /// It is a folder.
    IsFolder,
    /// Permission is denied.
    Forbidden,
    /// `cfg` does not read it, whatever prime-rl would.
    Refused(Refusal),
    /// Something else, in words.
    Other(String),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        if let Some(refusal) = Refusal::of(&error) {
            return Self::Refused(refusal);
        }
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound,
            io::ErrorKind::IsADirectory => Self::IsFolder,
            io::ErrorKind::PermissionDenied => Self::Forbidden,
            _ => Self::Other(error.to_string()),
        }
    }
}

impl ReadError {
    /// The reason, in words.
    pub fn reason(&self) -> String {
        match self {
            Self::NotFound => "no such file".to_owned(),
            Self::IsFolder => "it is a directory".to_owned(),
            Self::Forbidden => "permission denied".to_owned(),
            Self::Refused(refusal) => refusal.to_string(),
            Self::Other(reason) => reason.clone(),
        }
    }
}

/// A text.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its id in diagnostics.
    pub file: FileId,
    /// Its path, or a name for it.
    pub path: String,
    /// The text.
    pub text: String,
    /// The errors in its bytes.
    pub encoding: Vec<Diagnostic>,
}

/// All texts of one config; the number of a [`FileId`] is its index.
#[derive(Debug, Default)]
pub struct Texts {
    all: Vec<Text>,
    by_path: HashMap<String, Result<FileId, ReadError>>,
    /// Whether each file from which something was to be composed may be read.
    may_be_used: HashMap<String, bool>,
}

impl Texts {
    /// The texts, in the order of their numbers.
    pub fn all(&self) -> &[Text] {
        &self.all
    }

    /// The number of the next text.
    pub fn next_id(&self) -> FileId {
        FileId(self.all.len() as u32)
    }

    /// Adds a text that is not a file.
    pub fn add(&mut self, path: &str, text: String) -> FileId {
        let file = self.next_id();
        self.all.push(Text { file, path: path.to_owned(), text, encoding: Vec::new() });
        file
    }

    /// Adds a file whose bytes are known.
    pub fn add_file(&mut self, path: &str, bytes: Vec<u8>) -> FileId {
        let file = self.next_id();
        let (text, encoding) = cfg_syntax::decode(file, bytes);
        self.all.push(Text { file, path: path.to_owned(), text, encoding });
        file
    }

    /// The file at a path as written, or derived from the file that names it; read if it was not yet.
    pub fn file(&mut self, path: &str, system: &dyn System) -> Result<FileId, ReadError> {
        if let Some(known) = self.by_path.get(path) {
            return known.clone();
        }
        let read = system.read(Path::new(path), Role::Config).map_err(ReadError::from);
        let outcome = read.map(|bytes| self.add_file(&named(path, system), bytes));
        self.by_path.insert(path.to_owned(), outcome.clone());
        outcome
    }

    /// Whether something may be composed from the file at this path. A config is composed several times until it is clear for which prime-rl it is, so
    /// that `may_be` decides once.
    pub(crate) fn may_use(&mut self, path: &str, may_be: impl FnOnce() -> bool) -> bool {
        if let Some(known) = self.may_be_used.get(path) {
            return *known;
        }
        let may = may_be();
        self.may_be_used.insert(path.to_owned(), may);
        may
    }

    /// The paths of all files that were requested, whether they could be read or not, in no order.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(String::as_str)
    }

    /// Frees a text in which nothing is shown; its number and its path stay.
    pub fn free(&mut self, file: FileId) {
        if let Some(text) = self.all.get_mut(file.0 as usize) {
            text.text = String::new();
        }
    }

    /// A text by its number.
    pub fn get(&self, file: FileId) -> Option<&Text> {
        self.all.get(file.0 as usize)
    }
}

/// The path of a file that was read as people are told it: `base.toml` for `exp/../base.toml`, as a file in a folder names another one. Of a file that may
/// not be read this would tell whether its folder exists.
fn named<'p>(path: &'p str, system: &dyn System) -> Cow<'p, str> {
    let goes_back = path.split('/').skip_while(|step| *step == "..").any(|step| step == "..");
    if !goes_back {
        return path.into();
    }
    let plain = system.plain(Path::new(path));
    if path.starts_with('/') {
        plain.to_string_lossy().into_owned().into()
    } else {
        relative(system.host().folder(), &plain).into()
    }
}

impl Text {
    /// The text as TOML.
    pub fn parse(&self, dialect: Dialect) -> (Document, Vec<Diagnostic>) {
        let (document, mut diagnostics) = cfg_syntax::parse(self.file, &self.text, dialect);
        diagnostics.splice(0..0, self.encoding.iter().cloned());
        (document, diagnostics)
    }
}
