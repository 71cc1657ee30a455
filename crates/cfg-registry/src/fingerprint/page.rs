//! The documentation page of key classes.

use std::fmt::Write as _;

use cfg_schema::{History, Kind, find_fields};

use super::{Class, classes::LINES, lookup::ClassRule};

const HEAD: &str = "# Classes of keys

A fingerprint has three digests, one for each class of keys. The changed digests classify a change: `cfg bump` suggests the next
version accordingly, and `cfg diff` groups by class.

| class | its keys determine | version step |
|---|---|---|
| training | the result: what is trained, on what data, and how | major |
| resources | machines, memory and time | minor |
| operations | names, logging and what is kept | patch |

Comments, the order of keys, the spelling of a value, a default that is written out, and the metadata are in no class: they change no digest.
Kernels and parallelism are resources although they may change the last digits of a number; evaluation is operations, since the weights are the
same. A key has the same class at all versions of prime-rl. A renamed key keeps its digest: a value counts under the oldest name of its
key, and only if it differs from the first default of the key. So a new key of prime-rl changes no digest as long as its default
keeps the former behaviour, and a new default of an old key changes one.

A line applies to the key and to all keys below it without their own line. A key without a line is in the class training, because it may
affect the result. A number that is random at each start is in no digest. Versions in brackets are those that have the key, if not
all have it; *main* is newer than the last release.

This page is generated from `schemas/classes/`.
";

/// Generates the page.
pub fn page(history: History) -> String {
    let mut page = HEAD.to_owned();
    for (kind, lines) in Kind::ALL.into_iter().zip(LINES) {
        // Writing to a string does not fail.
        let _ = write!(page, "\n## {kind}\n");
        let copied = lines.iter().filter(|(_, says)| *says == ClassRule::Copied);
        section(
            &mut page,
            "copied by prime-rl to other keys, which count",
            copied.map(|(key, _)| with_releases(history, kind, key)),
        );
        for class in Class::ALL {
            let own = lines.iter().filter(|(_, says)| *says == ClassRule::Is(class));
            section(&mut page, class.name(), own.map(|(key, _)| with_releases(history, kind, key)));
        }
        let alike = lines.iter().filter_map(|(key, says)| match says {
            ClassRule::As(other, "") => Some(format!("`{key}` as {other}")),
            ClassRule::As(other, path) => Some(format!("`{key}` as `{path}` of {other}")),
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

/// A key, with the releases that have it.
fn with_releases(history: History, kind: Kind, key: &str) -> String {
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
