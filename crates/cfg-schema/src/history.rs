//! The history, and one schema of it.

use std::sync::{Mutex, PoisonError};

use crate::{
    Kind, Node, Point,
    table::{Section, Table},
};

/// All schemas of all kinds at all points.
#[derive(Clone, Copy, Debug)]
pub struct History {
    pub(crate) table: &'static Table,
}

static BUILT_IN: Table = Table::new(include_bytes!("history.bin"));

impl PartialEq for History {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.table, other.table)
    }
}

impl Eq for History {}

impl std::hash::Hash for History {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.table).hash(state);
    }
}

impl History {
    /// The history that is built into this program.
    pub const fn built_in() -> Self {
        Self { table: &BUILT_IN }
    }

    /// A history from the bytes of a table that a user has imported; `None` if they are not a table. It has the commits, tags and moves
    /// of the built-in history. The bytes are kept until the program ends, once for equal histories.
    pub fn of_bytes(bytes: Vec<u8>) -> Option<Self> {
        static KNOWN: Mutex<Vec<(&'static [u8], History)>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, history)) = known.iter().find(|(own, _)| *own == bytes) {
            return Some(*history);
        }
        if !Table::is_whole(&bytes) {
            return None;
        }
        let bytes: &'static [u8] = Vec::leak(bytes);
        let table = Table::new(bytes).with_chronicle(&BUILT_IN);
        let history = Self { table: Box::leak(Box::new(table)) };
        known.push((bytes, history));
        Some(history)
    }

    /// The schema of `kind` at `point`. A hosted config has the schema of its entrypoint; [`hosted`](Self::hosted) adds the keys of
    /// hosted training.
    pub fn schema(self, kind: Kind, point: Point) -> Schema {
        // The class of a script is at the place of another kind, and is none of prime-rl's.
        let kind = if kind == Kind::Script { kind } else { kind.entrypoint() };
        Schema { history: self, kind, point }
    }

    /// The root of `kind`, for all points.
    pub fn root(self, kind: Kind) -> Node {
        Node::new(self, self.table.word(Section::Roots, kind.entrypoint() as usize))
    }
}

/// The fields of one kind at one point.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// Its history.
    pub history: History,
    /// Its kind.
    pub kind: Kind,
    /// Its point.
    pub point: Point,
}

impl Schema {
    /// The root of the fields.
    pub fn root(self) -> Node {
        self.history.root(self.kind)
    }
}
