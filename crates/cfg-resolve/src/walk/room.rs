//! How large a config may be with all its defaults. A table in an array costs a few bytes of text, and has hundreds of values; whatever writes, compares or
//! counts the values of a config goes through all of them.

use cfg_diag::{Diagnostic, Location, codes};
use cfg_schema::{History, Node};

use super::Walker;
use crate::default;

/// The most bytes that the defaults of a config may have together: a million values without a text.
const MAX_BYTES: u64 = 64 << 20;

/// What the defaults of the tables add to a config.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    /// The number of arrays and maps around the walker's position: the tables in them are counted.
    pub(super) around: usize,
    bytes: u64,
}

impl Room {
    /// Whether the config is too large.
    pub(super) const fn is_full(&self) -> bool {
        self.bytes > MAX_BYTES
    }
}

impl Walker<'_> {
    /// Whether there is room for a table of the class at `node`; `place` is its location. What is in no array is small, unless a repository declares it.
    pub(super) fn has_room(&mut self, node: Node, place: Option<Location>) -> bool {
        let is_declared_root = || self.path.is_root() && self.schema.history != History::built_in();
        if self.room.around == 0 && !is_declared_root() {
            return true;
        }
        let was_full = self.room.is_full();
        self.room.bytes = self.room.bytes.saturating_add(default::size(node, self.schema.point));
        if self.room.is_full() && !was_full {
            let message = "with all defaults, this config is too large: cfg does not check the tables from here on";
            let mut found = Diagnostic::new(&codes::UNREADABLE_FILE, message);
            found.help = Some("use fewer tables in its arrays and maps".to_owned());
            (found.key, found.location) = (Some(self.path.key()).filter(|key| !key.is_empty()), place);
            self.push(found);
        }
        !self.room.is_full()
    }
}
