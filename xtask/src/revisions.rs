//! `cargo xtask history revisions PRIME-RL VERIFIERS [SITE]`: reads the classes of every schema commit. Writes the revisions of their functions to
//! `schemas/revisions.tsv`, the commits of verifiers and renderers that the main line used to `schemas/pins.tsv`, and the places where its classes
//! use theirs to `schemas/seams.tsv`.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use cfg_history::{KINDS, Seam};
use cfg_schema::Point;

use crate::{commits::Commits, generate::root, mirror::Mirror};

const HEAD: &str = "# What decides in the classes of prime-rl and verifiers: validators, their other functions, their constants, and under no class the functions\n# that types name. By class and name, a hash of what each does with what it needs, and from which schema commit on, up to which.\n# `cargo xtask history revisions` writes it.\n";

const PINS: &str = "# Which commit or version of a package prime-rl's main line used, and from which commit on, up to which.\n# `cargo xtask history revisions` writes it.\n";

const SEAMS: &str = "# Where prime-rl's config classes use classes of packages: by kind and path, these classes; where they are bases of a class of prime-rl, its own\n# fields; and from which schema commit on, up to which. `cargo xtask history revisions` writes it.\n";

/// The indices of the commits at which something holds.
type Held<K> = BTreeMap<K, Vec<u16>>;

/// The packages whose classes are used.
const PACKAGES: [&str; 2] = ["verifiers", "renderers"];

/// Writes the files.
pub(crate) fn write(prime_rl: &Path, verifiers: &Path, site: Option<&Path>) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl, Some(verifiers), site)?;
    let commits = Commits::read()?;
    // The indices of the schema commits, by class, name and revision.
    let mut held: Held<(String, String, u64)> = BTreeMap::new();
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
    let lines = held.iter().map(|((class, name, revision), indices)| (format!("{class}\t{name}\t{revision:016x}"), indices));
    save("revisions.tsv", HEAD, lines, &shas)?;
    let seams = seams(&mut mirror, &commits)?;
    let line = |((kind, path, seam), indices): (&(usize, String, Seam), &Vec<u16>)| {
        (format!("{}\t{path}\t{}\t{}", KINDS[*kind], seam.names.join(" "), seam.own.join(" ")), indices.clone())
    };
    let seams: Vec<(String, Vec<u16>)> = seams.iter().map(line).collect();
    save("seams.tsv", SEAMS, seams.iter().map(|(line, indices)| (line.clone(), indices)), &shas)?;
    let pins = pins(&mirror, &commits)?;
    let shas: Vec<String> = commits.main_line.iter().map(|commit| commit.sha[..9].to_owned()).collect();
    save("pins.tsv", PINS, pins.iter().map(|((package, pin), indices)| (format!("{package}\t{pin}"), indices)), &shas)
}

/// The places where the classes use those of packages, with the indices of the schema commits.
fn seams(mirror: &mut Mirror, commits: &Commits) -> Result<Held<(usize, String, Seam)>, String> {
    let mut held: Held<(usize, String, Seam)> = BTreeMap::new();
    for commit in commits.main_line.iter().filter(|commit| commit.touches_schema) {
        for ((kind, path), seam) in mirror.seams(&commit.sha)? {
            held.entry((kind, path, seam)).or_default().push(commit.schema);
        }
    }
    Ok(held)
}

/// The packages that were used, with the indices of the commits.
fn pins(mirror: &Mirror, commits: &Commits) -> Result<Held<(&'static str, String)>, String> {
    let mut held: Held<(&'static str, String)> = BTreeMap::new();
    for (index, commit) in (0..).zip(&commits.main_line) {
        for package in PACKAGES {
            if let Some(pin) = mirror.pin_of(&commit.sha, package)? {
                held.entry((package, pin)).or_default().push(index);
            }
        }
    }
    Ok(held)
}

/// Writes lines, each with its ranges of commits.
fn save<'h>(name: &str, head: &str, lines: impl Iterator<Item = (String, &'h Vec<u16>)>, shas: &[String]) -> Result<(), String> {
    let mut text = head.to_owned();
    for (line, indices) in lines {
        let mut rest = indices.as_slice();
        while let Some(&since) = rest.first() {
            let length = rest.iter().zip(since..).take_while(|(index, expected)| **index == *expected).count();
            let until = shas.get(usize::from(since) + length).map_or("", String::as_str);
            let _ = writeln!(text, "{line}\t{}..{until}", shas[usize::from(since)]);
            rest = &rest[length..];
        }
    }
    let path = root().join("schemas").join(name);
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}
