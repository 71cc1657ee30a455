//! A commit of a few kilobytes can have any number of files with one content, none of which a checkout needs: how much of such copies is read is bounded.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// The maximum size of all copies together in bytes; each counts as this size at least.
const MAX: u64 = 4 << 20;
const LEAST: u64 = 1 << 10;

/// The configs of a revision that have the text of another one.
#[derive(Default)]
pub(super) struct Copies {
    /// The hashes of the texts.
    seen: Mutex<HashSet<u64>>,
    size: AtomicU64,
}

impl Copies {
    /// Adds a text. Returns whether it, and those before it, are not too many copies.
    pub(super) fn add(&self, text: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let is_new = self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(hasher.finish());
        if !is_new {
            self.size.fetch_add(LEAST.max(text.len() as u64), Ordering::Relaxed);
        }
        !self.are_too_many()
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.size.load(Ordering::Relaxed) > MAX
    }
}
