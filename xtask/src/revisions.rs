//! `cargo xtask history revisions PRIME-RL VERIFIERS [SITE]`: reads the classes of every schema commit, and writes which code each of their
//! functions had when into `schemas/revisions.tsv`.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use cfg_schema::Point;

use crate::{commits::Commits, generate::root, mirror::Mirror};

const HEAD: &str = "# What decides in the classes of prime-rl and verifiers: validators, their other functions, and under no class the functions that types\n# name. By class and name, a hash of what each does with what it needs, and from which schema commit on, up to which.\n# `cargo xtask history revisions` writes it.\n";

/// Writes the file.
pub(crate) fn write(prime_rl: &Path, verifiers: &Path, site: Option<&Path>) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl, Some(verifiers), site)?;
    let commits = Commits::read()?;
    // By class, name and revision, the indices of the schema commits that have it.
    let mut held: BTreeMap<(String, String, u64), Vec<u16>> = BTreeMap::new();
    let mut shas: Vec<String> = Vec::new();
    for commit in commits.main_line.iter().filter(|commit| commit.touches_schema) {
        let read = mirror.read(&commit.sha, Some(Point(commit.schema)))?;
        for one in &read.revisions {
            let indices = held.entry((one.class.clone(), one.name.clone(), one.revision)).or_default();
            if indices.last() != Some(&commit.schema) {
                indices.push(commit.schema);
            }
        }
        shas.push(commit.sha[..9].to_owned());
    }
    let mut text = HEAD.to_owned();
    for ((class, name, revision), indices) in &held {
        let mut rest = indices.as_slice();
        while let Some(&since) = rest.first() {
            let length = rest.iter().zip(since..).take_while(|(index, expected)| **index == *expected).count();
            let until = shas.get(usize::from(since) + length).map_or("", String::as_str);
            let _ = writeln!(text, "{class}\t{name}\t{revision:016x}\t{}..{until}", shas[usize::from(since)]);
            rest = &rest[length..];
        }
    }
    let path = root().join("schemas/revisions.tsv");
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}
