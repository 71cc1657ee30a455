//! The classes as a page for people.

use std::fmt::Write as _;

use cfg_schema::{History, Kind, find_fields};

use super::{Class, classes::LINES, lookup::Says};

const HEAD: &str = "# What a key is about

A fingerprint has three digests, one for each class of keys. Which of them changed classifies a change: `cfg bump` suggests the next
version by it, `cfg diff` groups by it.

| class | its keys | a change calls for |
|---|---|---|
| training | changes what is trained, on what, or how: the result | major |
| resources | changes on which machines and in how much memory and time the same is done | minor |
| operations | changes how the run is named, watched and kept | patch |

Comments, the order of keys, how a value is spelled, a default that is written out, and the metadata are in no class: they change nothing.
Kernels and parallelism are resources although they may change the last digits of a number; evaluation is operations, since the same weights come
out. A key has one class at all versions of prime-rl. Where a key was renamed, its digest stays: a value counts under the oldest name of its
key, and only if it differs from what the key first meant where it was not given. So a new key of prime-rl changes no digest as long as its default
keeps what was, and a new default of an old key changes one.

A line holds for the key and for all keys below it that have no line of their own. A key that has none is about training: who can't tell must
assume that it matters. A number that is random at each start counts nowhere. Versions in brackets are those that have the key, where not
all have it; *main* is newer than the last release.

This page is generated from `schemas/classes/`.
";

/// Makes the page.
pub fn page(history: History) -> String {
    let mut page = HEAD.to_owned();
    for (kind, lines) in Kind::ALL.into_iter().zip(LINES) {
        // Writing to a string does not fail.
        let _ = write!(page, "\n## {kind}\n");
        let copied = lines.iter().filter(|(_, says)| *says == Says::Copied);
        section(&mut page, "copied by prime-rl to where they count", copied.map(|(key, _)| told(history, kind, key)));
        for class in Class::ALL {
            let own = lines.iter().filter(|(_, says)| *says == Says::Is(class));
            section(&mut page, class.name(), own.map(|(key, _)| told(history, kind, key)));
        }
        let alike = lines.iter().filter_map(|(key, says)| match says {
            Says::As(other, "") => Some(format!("`{key}` as {other}")),
            Says::As(other, path) => Some(format!("`{key}` as `{path}` of {other}")),
            _ => None,
        });
        section(&mut page, "of others", alike);
    }
    page
}

fn section(page: &mut String, name: &str, keys: impl Iterator<Item = String>) {
    let keys: Vec<String> = keys.collect();
    if !keys.is_empty() {
        let _ = write!(page, "\n**{name}:** {}\n", keys.join(", "));
    }
}

/// A key with the releases that have it.
fn told(history: History, kind: Kind, key: &str) -> String {
    let found = find_fields(history, kind, key);
    let releases: Vec<_> =
        history.releases().map(|release| (release.name(), release.point())).chain([("main", history.newest())]).collect();
    let has: Vec<bool> = releases.iter().map(|(_, point)| found.iter().any(|found| found.exists_at(*point))).collect();
    if found.is_empty() || has.iter().all(|has| *has) {
        return format!("`{key}`");
    }
    let mut stretches = Vec::new();
    let mut from = 0;
    for part in has.chunk_by(|one, other| one == other) {
        let last = from + part.len() - 1;
        if part[0] {
            let (first, last) = (releases[from].0, releases[last].0);
            stretches.push(if first == last { first.to_owned() } else { format!("{first} to {last}") });
        }
        from += part.len();
    }
    let stretches = if stretches.is_empty() { "between releases".to_owned() } else { stretches.join(", ") };
    format!("`{key}` ({stretches})")
}
