//! A mapping whose entries are added one by one.

use cfg_compose::{Node, Table, Value};
use cfg_diag::{Diagnostic, Location, Severity, codes, one_line};

use super::{
    fault,
    key::{Insertion, Key},
};

#[derive(Default)]
pub(super) struct Mapping {
    entries: Table,
    /// The key of the next value.
    pub(super) key: Option<NextKey>,
    /// The mappings to merge into this one by `<<`, in the order of writing.
    merged: Vec<Node>,
    /// Whether a key is unknown: then the mapping may have any key.
    is_open: bool,
}

/// The key to which the next value belongs.
pub(super) enum NextKey {
    Known(Key),
    /// A key that only the program can determine.
    Unknown,
    Merge,
}

impl Mapping {
    /// Adds the value of the current key. Returns a finding if the key already exists.
    pub(super) fn add(&mut self, node: Node) -> Option<Diagnostic> {
        let key = match self.key.take()? {
            NextKey::Known(key) => key,
            NextKey::Merge => {
                self.merged.push(node);
                return None;
            }
            NextKey::Unknown => {
                self.is_open = true;
                return None;
            }
        };
        let mut found = None;
        match Insertion::of(&self.entries, &key.name, key.written.is_none()) {
            Insertion::New => {}
            Insertion::Taken(first) => {
                let message = format!("`{}` is defined twice: PyYAML silently uses the last", one_line(&key.name));
                let mut twice = Diagnostic::new(&codes::DUPLICATE_KEY, message).at(key.at);
                twice.severity = Severity::Warning;
                found = Some(match first {
                    Some(first) => twice.related(first, "first defined here"),
                    None => twice,
                });
            }
            Insertion::Mixed => self.is_open = true,
        }
        self.entries.insert(key.entry(node));
        found
    }

    /// The value of the whole mapping. `<<` adds the entries of other mappings, except for keys that the mapping has itself. If several `<<`
    /// have a key, the last is used; if several mappings of a list have it, the first.
    pub(super) fn finish(self, at: Location) -> Result<Value, Box<Diagnostic>> {
        let Self { mut entries, merged, mut is_open, .. } = self;
        for node in merged.into_iter().rev() {
            let place = node.origin.place().unwrap_or(at);
            let others = match node.value {
                Value::List(items) => items,
                value => vec![Node { value, origin: node.origin }],
            };
            for other in others {
                match other.value {
                    Value::Table(table) => {
                        for entry in table.into_entries() {
                            match Insertion::of(&entries, &entry.key, entry.written.is_none()) {
                                Insertion::New => entries.insert(entry),
                                Insertion::Taken(_) => {}
                                Insertion::Mixed => is_open = true,
                            }
                        }
                    }
                    Value::Unknown => is_open = true,
                    _ => return Err(fault(place, "`<<` must be a mapping, or a list of mappings")),
                }
            }
        }
        Ok(if is_open { Value::Unknown } else { Value::Table(entries) })
    }
}
