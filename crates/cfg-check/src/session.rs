//! What many checks share.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_resolve::Names;
use cfg_schema::{History, Kind, Point, Schema};

/// The history, and what has been computed of it so far. Threads may share one.
#[derive(Debug)]
pub struct Session {
    /// The history in which targets are looked up.
    pub history: History,
    names: Mutex<HashMap<(History, Kind, Point), Arc<Names>>>,
}

impl Default for Session {
    fn default() -> Self {
        Self { history: History::built_in(), names: Mutex::default() }
    }
}

impl Session {
    /// The names of a schema, made once.
    pub(crate) fn names(&self, schema: Schema) -> Arc<Names> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(names.entry((schema.history, schema.kind, schema.point)).or_insert_with(|| Arc::new(Names::new(schema))))
    }
}
