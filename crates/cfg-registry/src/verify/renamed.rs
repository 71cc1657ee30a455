//! Registered configs whose file has another path now, perhaps with edits.

use std::{
    cmp::Ordering,
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use cfg_diag::{Diagnostic, codes, word};
use cfg_plan::Metadata;

use crate::{
    fingerprint::Digest,
    registry::{Config, Entry},
};

/// The maximum number of configs without a file, and of files that are not registered, whose texts are compared with each other.
pub const MAX_COMPARED: usize = 64;

/// The least part of the longer of two texts, in percent, that both have if one was made of the other by a rename with edits; the one of git.
const LEAST_PERCENT: usize = 50;

/// What the file of a registered config that is gone has become.
#[derive(Clone, Copy, Debug)]
pub struct Edited<'c> {
    /// The version from which it was edited.
    pub entry: &'c Entry,
    /// The part of the longer text that both have, from 50 to 100 percent.
    pub likeness: usize,
    /// Whether its metadata block is that of the version, so that it is not only a similar config.
    pub is_certain: bool,
}

/// The version of a config whose file is gone from which a text was edited: the one that its metadata state, or else the current one, if half of the
/// text is the same. `stored` looks up a text by its sha256.
pub fn edited_from<'c>(
    config: &'c Config,
    text: &Lines,
    metadata: &Metadata,
    stored: &StoredLines,
    read: &dyn Fn(&Digest) -> Option<Vec<u8>>,
) -> Option<Edited<'c>> {
    let (entry, is_certain) = match &metadata.version {
        Some(version) => {
            let states = |entry: &&Entry| {
                let stated = entry.stated_version.as_ref().unwrap_or(&entry.label);
                let notes = (metadata.notes.as_ref().map(|notes| &*notes.value), entry.notes.as_ref().map(|notes| &*notes.value));
                *stated.value == *version.value && notes.0 == notes.1
            };
            (config.versions.iter().rev().find(states)?, metadata.notes.is_some())
        }
        None => (config.current_entry()?, false),
    };
    let likeness = stored.likeness(text, &entry.sha256.as_ref()?.value.parse().ok()?, read);
    (likeness >= LEAST_PERCENT).then_some(Edited { entry, likeness, is_certain })
}

/// The lines of a text, to compare it with many others.
#[derive(Debug)]
pub struct Lines {
    /// The number of bytes of the text.
    bytes: usize,
    /// Each different line as its hash, with its number of bytes and how often it is there, in the order of the hashes.
    counted: Vec<(u64, usize, usize)>,
}

impl Lines {
    /// The lines of a text.
    pub fn of(text: &str) -> Self {
        let mut counted: HashMap<&str, usize> = HashMap::new();
        for line in text.lines() {
            *counted.entry(line).or_default() += 1;
        }
        let hash = |line: &str| {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            hasher.finish()
        };
        let mut counted: Vec<_> = counted.into_iter().map(|(line, count)| (hash(line), line.len() + 1, count)).collect();
        counted.sort_unstable();
        Self { bytes: text.len(), counted }
    }

    /// The part of the longer of two texts that consists of lines of both, in percent; 0 if one is too short for half of the other.
    fn likeness(&self, other: &Self) -> usize {
        let (shorter, longer) = (self.bytes.min(other.bytes), self.bytes.max(other.bytes));
        // The last line may lack its end.
        if (shorter + 1) * 100 < longer * LEAST_PERCENT {
            return 0;
        }
        let (mut ours, mut theirs, mut shared) = (&*self.counted, &*other.counted, 0);
        while let ([one, rest_of_ours @ ..], [another, rest_of_theirs @ ..]) = (ours, theirs) {
            match one.0.cmp(&another.0) {
                Ordering::Less => ours = rest_of_ours,
                Ordering::Greater => theirs = rest_of_theirs,
                Ordering::Equal => {
                    shared += one.1 * one.2.min(another.2);
                    (ours, theirs) = (rest_of_ours, rest_of_theirs);
                }
            }
        }
        (shared * 100).checked_div(longer).unwrap_or(0).min(100)
    }
}

/// The lines of stored texts, each of which is read once.
#[derive(Debug, Default)]
pub struct StoredLines(Mutex<HashMap<Digest, StoredSlot>>);

/// The lines of a stored text, when they have been asked for; `None` in it if there is no such text.
type StoredSlot = Arc<OnceLock<Option<Lines>>>;

impl StoredLines {
    /// How much of a text is in the stored one with a sha256, in percent. `read` reads it.
    fn likeness(&self, text: &Lines, sha256: &Digest, read: &dyn Fn(&Digest) -> Option<Vec<u8>>) -> usize {
        let slot = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(*sha256).or_default());
        let lines = slot.get_or_init(|| Some(Lines::of(&String::from_utf8(read(sha256)?).ok()?)));
        lines.as_ref().map_or(0, |before| before.likeness(text))
    }
}

/// The advice for a config whose file has another path, both as the user would write them.
pub fn rename_advice(old: &str, new: &str) -> String {
    format!("`cfg registry mv {} {}` renames it in the registry, with its versions and runs", word(old), word(new))
}

/// The finding for a config that is not registered, but has the text of a version whose file is gone, or was edited from it.
pub fn renamed(path: &str, version: &str, old: &str, is_edited: bool) -> Diagnostic {
    let what = if is_edited { "is not registered, and seems to be edited from" } else { "has the text of" };
    let message = format!("`{path}` {what} {version}, whose file is gone");
    let then = if is_edited { format!("; then `cfg bump {} -m \"why\"` registers its edits", word(path)) } else { String::new() };
    Diagnostic::new(&codes::UNREGISTERED_CONFIG, message).help(format!("{}{then}", rename_advice(old, path)))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{Lines, StoredLines};
    use crate::fingerprint::Digest;

    #[test]
    fn lines_that_both_texts_have_count_once() {
        for (one, other, expected) in [
            ("a\nb\n", "a\nb\n", 100),
            ("a\nb\n", "a\nc\n", 50),
            ("a\n", "a\na\n", 50),
            ("", "", 0),
            ("a", "b", 0),
            ("a", "a", 100),
            ("a\na\nb\n", "b\na\na\n", 100),
            ("a\nb\nc\nd\n", "a\n", 0),
        ] {
            assert_eq!(Lines::of(one).likeness(&Lines::of(other)), expected, "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_stored_text_is_read_once_for_all_that_are_compared_with_it() {
        let (stored, count) = (StoredLines::default(), Cell::new(0));
        let read = |_: &Digest| {
            count.set(count.get() + 1);
            Some(b"a\nb\n".to_vec())
        };
        for (text, expected) in [("a\nb\n", 100), ("a\nc\n", 50), ("x\n", 0)] {
            assert_eq!(stored.likeness(&Lines::of(text), &Digest::of(b"a\nb\n"), &read), expected, "{text:?}");
        }
        assert_eq!(count.get(), 1);
    }
}
