//! What many checks share.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_diag::Diagnostic;
use cfg_plan::Metadata;
use cfg_registry::fingerprint::Fingerprint;
use cfg_resolve::Names;
use cfg_schema::{History, Kind, Point, Schema};

use crate::ReadOther;

/// The history, and what has been computed of it so far. Threads may share one.
pub struct Session {
    /// The history in which targets are looked up.
    pub history: History,
    /// How a config is read that another one names. Without it what a config says of another is not checked.
    pub(crate) others: Option<Box<ReadOther>>,
    /// What a registry around a config has to say of it.
    pub(crate) registered: Option<Box<AskRegistry>>,
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

impl Default for Session {
    fn default() -> Self {
        Self { history: History::built_in(), others: None, registered: None, names: Mutex::default() }
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

    /// The names of a schema, made once.
    pub(crate) fn names(&self, schema: Schema) -> Arc<Names> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(names.entry((schema.history, schema.kind, schema.point)).or_insert_with(|| Arc::new(Names::new(schema))))
    }
}
