//! Which objects Python can hash: only these can be in a set, or be a key of a dict or be looked up in one.

use std::rc::Rc;

use super::{
    equality::set_of,
    heap,
    object::{Object, Why},
    operators::type_name,
    run::{Frame, Outcome, Raise, Run},
};
use crate::parts::Measured;

impl Object {
    /// Whether Python can hash it; `None` if that is unknown. Tuples are nested at most so deep that this ends.
    fn is_hashable(&self) -> Option<bool> {
        match self {
            Self::List(_) | Self::Dict(_) => Some(false),
            Self::Tuple(items) => {
                let all: Vec<Option<bool>> = items.iter().map(Self::is_hashable).collect();
                if all.contains(&Some(false)) { Some(false) } else { all.into_iter().collect::<Option<Vec<_>>>().map(|_| true) }
            }
            // It may be a frozen set, and a table of a class that says how it is hashed.
            Self::Unknown(_) | Self::Set(_) | Self::Table(..) | Self::New(_) => None,
            _ => Some(true),
        }
    }
}

impl Run<'_> {
    /// Hashes an object, as a dict does with a key. Returns why it is unknown whether Python can.
    pub(super) fn hashed(&self, frame: &Frame, line: u32, key: &Object) -> Outcome<Option<Why>> {
        heap::spend(key.size().nodes as usize);
        match key.is_hashable() {
            Some(true) => Ok(None),
            Some(false) => Err(self.unhashable(frame, line, key)),
            None => Ok(Some(match key {
                Object::Unknown(why) => Rc::clone(why),
                _ => self.why(&frame.module, line, "whether a value can be hashed"),
            })),
        }
    }

    fn unhashable(&self, frame: &Frame, line: u32, key: &Object) -> Raise {
        let inner = match key {
            Object::Tuple(items) => items.iter().find(|item| item.is_hashable() == Some(false)).unwrap_or(key),
            key => key,
        };
        self.raised(frame, line, "TypeError", format!("unhashable type: '{}'", type_name(inner)))
    }

    /// Hashes several objects; only what Python certainly can't hash is an error.
    pub(super) fn all_hashed<'o>(&self, frame: &Frame, line: u32, keys: impl IntoIterator<Item = &'o Object>) -> Outcome<()> {
        keys.into_iter().try_for_each(|key| self.hashed(frame, line, key).map(|_| ()))
    }

    /// A set of these objects.
    pub(super) fn hashed_set(&self, frame: &Frame, line: u32, items: Vec<Object>) -> Outcome<Object> {
        self.all_hashed(frame, line, &items)?;
        Ok(set_of(items))
    }
}
