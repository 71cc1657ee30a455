//! `cargo xtask history revisions PRIME-RL VERIFIERS [SITE]`: reads the classes of every schema commit. Writes the revisions of their functions to
//! `schemas/revisions.tsv`, the commits of verifiers and renderers that the main line used to `schemas/pins.tsv`, and the places where its classes
//! use theirs to `schemas/seams.tsv`. What the files have of earlier commits stays, and of packages that are not here as well.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
};

use cfg_schema::{
    History, Point,
    compiler::{KINDS, Seam},
};

use crate::{commits::Commits, generate::root, mirror::Mirror};

const HEAD: &str = "# What decides in the classes of prime-rl and verifiers: validators, their other functions, their constants, and under no class the functions\n# that types name. By class and name, a hash of what each does with what it needs, and from which schema commit on, up to which.\n# `cargo xtask history revisions` writes it.\n";

const PINS: &str = "# Which commit or version of a package prime-rl's main line used, and from which commit on, up to which.\n# `cargo xtask history revisions` writes it.\n";

const SEAMS: &str = "# Where prime-rl's config classes use classes of packages: by kind and path, these classes; where they are bases of a class of prime-rl, its own\n# fields; and from which schema commit on, up to which. `cargo xtask history revisions` writes it.\n";

/// The indices of the commits at which something holds.
pub(crate) type Held<K> = BTreeMap<K, Vec<u16>>;

/// The packages whose classes are used.
const PACKAGES: [&str; 2] = ["verifiers", "renderers"];

/// Writes the files, for the commits of the main line from the one with the index `first` on. Returns lines for a person to review.
pub(crate) fn write(mirror: &mut Mirror, first: usize) -> Result<Vec<String>, String> {
    let commits = Commits::read()?;
    let schema_commits = || commits.main_line.iter().enumerate().filter(|(_, commit)| commit.touches_schema);
    let shas: Vec<String> = schema_commits().map(|(_, commit)| commit.sha[..9].to_owned()).collect();
    let known = read("revisions.tsv", &shas)?;
    let new: BTreeSet<u16> = schema_commits().filter(|(at, _)| *at >= first).map(|(_, commit)| commit.schema).collect();
    let mut held = before(&known, new.first().copied());
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    // What the program knows of packages that are not here ends there.
    let base = History::built_in().newest();
    for (_, commit) in schema_commits().filter(|(at, _)| *at >= first) {
        let read = mirror.read(&commit.sha, Some(Point(commit.schema).min(base)))?;
        let mut lines: BTreeSet<String> = BTreeSet::new();
        for one in &read.revisions {
            lines.insert(format!("{}\t{}\t{:016x}", one.class, one.name, one.revision));
        }
        let classes: BTreeSet<&str> = read.revisions.iter().map(|one| &*one.class).collect();
        for line in kept_at(&known, commit.schema, &classes) {
            kept.insert(line.split('\t').next().unwrap_or_default());
            lines.insert(line.to_owned());
        }
        lines.into_iter().for_each(|line| held.entry(line).or_default().push(commit.schema));
    }
    save("revisions.tsv", HEAD, held.iter().map(|(line, indices)| (line.clone(), indices)), &shas)?;
    let mut seams_held = before(&read("seams.tsv", &shas)?, new.first().copied());
    for ((kind, path, seam), indices) in seams(mirror, &commits, first)? {
        let line = format!("{}\t{path}\t{}\t{}", KINDS[kind], seam.names.join(" "), seam.own.join(" "));
        seams_held.entry(line).or_default().extend(indices);
    }
    // Kinds have an order of their own.
    let kind_of = |line: &str| KINDS.iter().position(|kind| line.split('\t').next() == Some(*kind));
    let mut seams_held: Vec<(String, Vec<u16>)> = seams_held.into_iter().collect();
    seams_held.sort_by(|(one, _), (other, _)| {
        let rest = |line: &str| line.split('\t').skip(1).map(str::to_owned).collect::<Vec<String>>();
        (kind_of(one), rest(one)).cmp(&(kind_of(other), rest(other)))
    });
    save("seams.tsv", SEAMS, seams_held.iter().map(|(line, indices)| (line.clone(), indices)), &shas)?;
    let shas: Vec<String> = commits.main_line.iter().map(|commit| commit.sha[..9].to_owned()).collect();
    let mut pins_held = before(&read("pins.tsv", &shas)?, u16::try_from(first).ok());
    for ((package, pin), indices) in pins(mirror, &commits, first)? {
        pins_held.entry(format!("{package}\t{pin}")).or_default().extend(indices);
    }
    save("pins.tsv", PINS, pins_held.iter().map(|(line, indices)| (line.clone(), indices)), &shas)?;
    let told = (!kept.is_empty()).then(|| {
        let classes: Vec<&str> = kept.into_iter().collect();
        let classes = classes.join(", ");
        format!(
            "revisions.tsv: kept as they were, because they are not here (if prime-rl has removed one, end its rows): {classes}"
        )
    });
    Ok(told.into_iter().collect())
}

/// What a file has, by line, with the indices of the commits at which it holds.
pub(crate) fn read(name: &str, shas: &[String]) -> Result<Held<String>, String> {
    let path = root().join("schemas").join(name);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut held: Held<String> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (key, range) = line.rsplit_once('\t').ok_or_else(|| format!("{name}: `{line}` has no range"))?;
        let (since, until) = range.split_once("..").ok_or_else(|| format!("{name}: `{range}` is no range"))?;
        let place = |sha: &str| shas.iter().position(|known| known == sha).ok_or_else(|| format!("{name}: no commit {sha}"));
        let since = place(since)?;
        let until = if until.is_empty() { shas.len() } else { place(until)? };
        let indices = held.entry(key.to_owned()).or_default();
        indices.extend((since..until).filter_map(|index| u16::try_from(index).ok()));
    }
    Ok(held)
}

/// What holds before the commit with an index; everything, if there is none.
pub(crate) fn before(known: &Held<String>, first: Option<u16>) -> Held<String> {
    let is_before = |index: &u16| first.is_none_or(|first| *index < first);
    let held = known.iter().map(|(line, indices)| (line.clone(), indices.iter().copied().filter(is_before).collect()));
    held.filter(|(_, indices): &(String, Vec<u16>)| !indices.is_empty()).collect()
}

/// The known lines at a commit whose class was not read there. An open range goes on at commits that are new.
fn kept_at<'k>(known: &'k Held<String>, index: u16, classes: &BTreeSet<&str>) -> Vec<&'k str> {
    let lines = known.iter().filter(|(line, indices)| {
        let class = line.split('\t').next().unwrap_or_default();
        indices.contains(&index) && !classes.contains(class)
    });
    lines.map(|(line, _)| line.as_str()).collect()
}

/// The places where the classes use those of packages, with the indices of the schema commits.
fn seams(mirror: &mut Mirror, commits: &Commits, first: usize) -> Result<Held<(usize, String, Seam)>, String> {
    let mut held: Held<(usize, String, Seam)> = BTreeMap::new();
    for commit in commits.main_line.iter().skip(first).filter(|commit| commit.touches_schema) {
        for ((kind, path), seam) in mirror.seams(&commit.sha)? {
            held.entry((kind, path, seam)).or_default().push(commit.schema);
        }
    }
    Ok(held)
}

/// The packages that were used, with the indices of the commits.
fn pins(mirror: &Mirror, commits: &Commits, first: usize) -> Result<Held<(&'static str, String)>, String> {
    let mut held: Held<(&'static str, String)> = BTreeMap::new();
    for (index, commit) in (0..).zip(&commits.main_line).skip(first) {
        for package in PACKAGES {
            if let Some(pin) = mirror.pin_of(&commit.sha, package)? {
                held.entry((package, pin)).or_default().push(index);
            }
        }
    }
    Ok(held)
}

/// Writes lines, each with its ranges of commits.
pub(crate) fn save<'h>(
    name: &str,
    head: &str,
    lines: impl Iterator<Item = (String, &'h Vec<u16>)>,
    shas: &[String],
) -> Result<(), String> {
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{before, kept_at};

    #[test]
    fn what_earlier_commits_have_stays_and_what_is_not_here_is_kept() {
        let known = BTreeMap::from([("A\tcheck\t01".to_owned(), vec![0, 1, 2, 3]), ("B\tcheck\t02".to_owned(), vec![2, 3])]);
        assert_eq!(before(&known, Some(2)), BTreeMap::from([("A\tcheck\t01".to_owned(), vec![0, 1])]));
        assert_eq!(before(&known, None), known);
        assert_eq!(kept_at(&known, 3, &BTreeSet::from(["A"])), ["B\tcheck\t02"]);
        assert!(kept_at(&known, 1, &BTreeSet::from(["A"])).is_empty());
    }
}
