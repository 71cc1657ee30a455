//! Registered configs whose file has another path now, perhaps with edits.

use std::collections::HashMap;

use cfg_diag::{Diagnostic, codes, word};
use cfg_plan::Metadata;

use crate::{
    fingerprint::Digest,
    registry::{Config, Entry},
};

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
    text: &str,
    metadata: &Metadata,
    stored: &dyn Fn(&Digest) -> Option<String>,
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
    let before = stored(&entry.sha256.as_ref()?.value.parse().ok()?)?;
    let likeness = likeness(&before, text);
    (likeness >= LEAST_PERCENT).then_some(Edited { entry, likeness, is_certain })
}

/// The part of the longer of two texts that consists of lines of both, in percent.
fn likeness(one: &str, other: &str) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for line in one.lines() {
        *left.entry(line).or_default() += 1;
    }
    let mut shared = 0;
    for line in other.lines() {
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            shared += line.len() + 1;
        }
    }
    let longer = one.len().max(other.len());
    (shared * 100).checked_div(longer).unwrap_or(0).min(100)
}

/// The finding for a config that is not registered, but has the text of a version whose file is gone, or was edited from it.
pub fn renamed(path: &str, version: &str, old: &str, is_edited: bool) -> Diagnostic {
    let what = if is_edited { "is not registered, and seems to be edited from" } else { "has the text of" };
    let message = format!("`{path}` {what} {version}, whose file is gone");
    let then = if is_edited { format!("; then `cfg bump {} -m \"why\"` registers its edits", word(path)) } else { String::new() };
    Diagnostic::new(&codes::UNREGISTERED_CONFIG, message).help(format!(
        "`cfg registry mv {} {}` renames it in the registry, with its versions and runs{then}",
        word(old),
        word(path)
    ))
}

#[cfg(test)]
mod tests {
    use super::likeness;

    #[test]
    fn lines_that_both_texts_have_count_once() {
        for (one, other, expected) in [
            ("a\nb\n", "a\nb\n", 100),
            ("a\nb\n", "a\nc\n", 50),
            ("a\n", "a\na\n", 50),
            ("", "", 0),
            ("a", "b", 0),
            ("a", "a", 100),
        ] {
            assert_eq!(likeness(one, other), expected, "{one:?} {other:?}");
        }
    }
}
