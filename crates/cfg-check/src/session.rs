//! What many checks share.

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_diag::{Diagnostic, FileId, codes};
use cfg_plan::{Metadata, Stated};
use cfg_registry::fingerprint::Fingerprint;
use cfg_resolve::Names;
use cfg_schema::{History, Kind, Point, Schema, Target};
use cfg_syntax::Document;

use crate::ReadOther;

/// The history, and what has been computed of it so far. Threads may share one.
pub struct Session {
    /// The history in which targets are looked up.
    pub history: History,
    /// How a config is read that another one names. Without it what a config says of another is not checked.
    pub(crate) others: Option<Box<ReadOther>>,
    /// What a registry around a config has to say of it.
    pub(crate) registered: Option<Box<AskRegistry>>,
    /// How an imported entry is found that a config names.
    locals: Option<LocalTarget>,
    /// The folder to which relative paths belong, as far as a path tells a config's kind; empty where that is not known.
    here: String,
    names: Mutex<HashMap<(History, Kind, Point), Arc<Names>>>,
}

/// A config that is checked, as a registry sees it.
pub struct Seen<'a> {
    /// Its path, as the user wrote it.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
    /// What it says of itself.
    pub metadata: &'a Metadata,
    /// What it means, where prime-rl accepts it.
    pub fingerprint: &'a dyn Fn() -> Option<Fingerprint>,
}

/// What a registry has to say of a config.
pub type AskRegistry = dyn Fn(&Seen<'_>) -> Vec<Diagnostic> + Send + Sync;

/// The target that a text such as `local:NAME` names, seen from a folder; the error says what is wrong, and what to do.
pub type LocalTarget = fn(&str, &Path) -> Option<Result<Target, (String, String)>>;

impl Default for Session {
    fn default() -> Self {
        Self {
            history: History::built_in(),
            others: None,
            registered: None,
            locals: None,
            here: String::new(),
            names: Mutex::default(),
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("history", &self.history).finish_non_exhaustive()
    }
}

impl Session {
    /// Reads configs that others name with this function.
    #[must_use]
    pub fn reading(self, read: impl Fn(&str, &str) -> Result<crate::Other, String> + Send + Sync + 'static) -> Self {
        Self { others: Some(Box::new(read)), ..self }
    }

    /// Asks this function what a registry has to say of each config.
    #[must_use]
    pub fn asking(self, ask: impl Fn(&Seen<'_>) -> Vec<Diagnostic> + Send + Sync + 'static) -> Self {
        Self { registered: Some(Box::new(ask)), ..self }
    }

    /// Finds imported entries with this function.
    #[must_use]
    pub fn importing(self, locals: LocalTarget) -> Self {
        Self { locals: Some(locals), ..self }
    }

    /// Takes relative paths to begin in this folder.
    #[must_use]
    pub fn working_in(self, folder: &Path) -> Self {
        Self { here: folder.to_string_lossy().into_owned(), ..self }
    }

    /// The path of a file with the folders above it, so that it tells the same of the kind however the user spells it.
    pub(crate) fn place<'p>(&self, path: &'p str) -> Cow<'p, str> {
        // What is read from standard input lies in no folder.
        if self.here.is_empty() || path == "-" || Path::new(path).is_absolute() {
            return Cow::Borrowed(path);
        }
        Cow::Owned(format!("{}/{}", self.here, path.strip_prefix("./").unwrap_or(path)))
    }

    /// Reads what a config at `path` says of itself, with what is wrong in it. An imported entry is looked up from the folder of the config.
    pub fn metadata(&self, file: FileId, path: &str, text: &str, document: &Document) -> (Metadata, Vec<Diagnostic>) {
        let (mut metadata, mut diagnostics) = Metadata::read(self.history, file, text, document);
        if let Some(local) = metadata.local.clone() {
            let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let missing =
                || Err((format!("`{}` is not looked up here", local.value), "state a release, a commit or a date".to_owned()));
            match self.locals.and_then(|find| find(&local.value, folder)).unwrap_or_else(missing) {
                Ok(target) => metadata.target = Some(Stated { value: target, location: local.location }),
                Err((message, help)) => {
                    diagnostics.push(Diagnostic::new(&codes::UNKNOWN_TARGET, message).at(local.location).help(help));
                }
            }
        }
        (metadata, diagnostics)
    }

    /// The names of a schema, made once.
    pub(crate) fn names(&self, schema: Schema) -> Arc<Names> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(names.entry((schema.history, schema.kind, schema.point)).or_insert_with(|| Arc::new(Names::new(schema))))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Session;

    #[test]
    fn a_file_has_one_place_however_it_is_spelled() {
        let session = Session::default().working_in(Path::new("/project/sft"));
        for path in ["train.toml", "./train.toml", "/project/sft/train.toml"] {
            assert_eq!(session.place(path), "/project/sft/train.toml");
        }
        assert_eq!(session.place("-"), "-");
        assert_eq!(Session::default().place("sft/train.toml"), "sft/train.toml");
    }
}
