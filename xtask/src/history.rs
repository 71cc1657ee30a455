//! The schema history: compiles `schemas/history/*.schema`, `schemas/docs/*.docs` and `schemas/moves.toml` to the binary table that `cfg-schema`
//! includes, and writes these files from clones of prime-rl and verifiers.

mod add;
mod decisions;
mod environments;
mod evaluation;
mod kinds;
mod main_line;
mod news;
mod release;
mod rows;
mod schema_file;
mod sharing;
mod shipped;
mod tags;
#[cfg(test)]
mod tests;
mod update;

use std::{fs, path::Path};

use cfg_schema::{
    History, Point,
    compiler::{
        KINDS,
        chronicle::{Chronicle, Commit},
    },
};

use crate::{commits::Commits, docs, entrypoints, generate::root, mirror::Mirror, moves, revisions};
pub(crate) use update::update;

/// Reads the whole history and makes the table.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let commits = Commits::read()?;
    let mut kinds = Vec::new();
    for kind in KINDS {
        let path = format!("schemas/history/{kind}.schema");
        let source = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        let fields =
            cfg_schema::compiler::parse(&source, &|sha| commits.schema_index(sha)).map_err(|error| format!("{path}:{error}"))?;
        kinds.push((path, fields));
    }
    let mut trees = Vec::new();
    for (path, fields) in &kinds {
        trees.push(cfg_schema::compiler::build(fields).map_err(|error| format!("{path}:{error}"))?);
    }
    let entries = docs::read(&commits)?;
    let sentences = docs::choose(&entries, &trees)?;
    let moves = moves::read(&commits)?;
    let chronicle = Chronicle { commits: commits.main_line, tags: commits.tags, moves };
    cfg_schema::compiler::encode(&trees, &sentences, &chronicle)
}

/// `cargo xtask history add [--again SINCE] PRIME-RL VERIFIERS [SITE]`.
pub(crate) fn add(words: &[&str]) -> Result<(), String> {
    let (again, clones) = match words {
        ["--again", since, clones @ ..] => (Some(*since), clones),
        clones => (None, clones),
    };
    let (prime_rl, verifiers, site) = match clones {
        [prime_rl, verifiers] => (prime_rl, verifiers, None),
        [prime_rl, verifiers, site] => (prime_rl, verifiers, Some(Path::new(site))),
        _ => return Err("usage: cargo xtask history add [--again SINCE] PRIME-RL VERIFIERS [SITE]".to_owned()),
    };
    let mut mirror = Mirror::at(prime_rl.as_ref(), Some(verifiers.as_ref()), site)?;
    let added = added(again, &mut mirror)?;
    added.lines.iter().for_each(|line| say(line));
    if added.first == Commits::read()?.main_line.len() {
        say("revisions.tsv, seams.tsv, pins.tsv and entrypoints.tsv stay as they are");
    } else {
        revisions::write(&mut mirror, added.first)?.iter().for_each(|line| say(line));
        entrypoints::write(&mut mirror, added.first)?.iter().for_each(|line| say(line));
    }
    let mut list = added.open;
    list.append(decisions::open(&mut mirror, Some(added.first))?);
    list.lines().iter().for_each(|line| say(line));
    Ok(())
}

/// What was added to the schema files.
struct Added {
    /// The news, for a person to review.
    lines: Vec<String>,
    summary: news::Summary,
    /// What could not be read.
    open: decisions::Decisions,
    /// The index of the first commit from which on the main line is not as it was.
    first: usize,
}

/// Adds the commits that are new, or all from `again` on.
fn added(again: Option<&str>, mirror: &mut Mirror) -> Result<Added, String> {
    let before = Commits::read()?.main_line;
    let request = add::Request { schemas: &root().join("schemas"), again, known: known(&before) };
    let news = add::add(&request, mirror)?;
    // Everything from the first commit on that the file did not have as it has it now.
    let now = Commits::read()?.main_line;
    let first = now.iter().zip(&before).take_while(|(now, before)| now.sha == before.sha).count();
    let first = if again.is_some() { first.min(since_of(again, &now)) } else { first };
    let (summary, open) = (news.summary(&now), news.open());
    Ok(Added { lines: news.lines(), summary, open, first })
}

/// The last point that the built-in history and the files have alike. Classes of packages that are in no clone are taken from it.
pub(crate) fn known(main_line: &[Commit]) -> Point {
    let last = main_line.last().map_or(0, |commit| commit.schema);
    History::built_in().newest().min(Point(last))
}

/// The index of the commit from which on the history is read again.
fn since_of(again: Option<&str>, now: &[Commit]) -> usize {
    again.and_then(|since| now.iter().position(|commit| commit.sha.starts_with(since))).unwrap_or(0)
}

/// `cargo xtask history decisions [SINCE]`: the list of what a person must decide, again.
pub(crate) fn decisions(since: Option<&str>) -> Result<(), String> {
    let folder = root().join("target/history");
    let clone = |name: &str| folder.join(format!("{name}.git"));
    let mut mirror = Mirror::at(&clone("prime-rl"), Some(&clone("verifiers")), None)?;
    let list = decisions::open(&mut mirror, since.map(decisions::index_of).transpose()?)?;
    list.lines().iter().for_each(|line| say(line));
    Ok(())
}

/// `cargo xtask history revisions PRIME-RL VERIFIERS [SITE]`.
pub(crate) fn revisions(prime_rl: &str, verifiers: &str, site: Option<&str>) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl.as_ref(), Some(verifiers.as_ref()), site.map(Path::new))?;
    let told = revisions::write(&mut mirror, 0)?;
    told.iter().for_each(|line| say(line));
    entrypoints::write(&mut mirror, 0)?.iter().for_each(|line| say(line));
    Ok(())
}

/// `cargo xtask history entrypoints PRIME-RL`.
pub(crate) fn entrypoints(prime_rl: &str) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl.as_ref(), None, None)?;
    entrypoints::write(&mut mirror, 0)?.iter().for_each(|line| say(line));
    Ok(())
}

/// `cargo xtask history kinds PRIME-RL VERIFIERS [SITE]`.
pub(crate) fn kinds(prime_rl: &str, verifiers: &str, site: Option<&str>) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl.as_ref(), Some(verifiers.as_ref()), site.map(Path::new))?;
    kinds::read(&mut mirror)?.iter().for_each(|line| say(line));
    Ok(())
}

/// `cargo xtask history evaluation VERSION WHEEL`.
pub(crate) fn evaluation(version: &str, wheel: &str) -> Result<(), String> {
    evaluation::write(version, wheel.as_ref())?.iter().for_each(|line| say(line));
    Ok(())
}

/// `cargo xtask history release PACKAGE VERSION WHEEL PRIME-RL VERIFIERS`.
pub(crate) fn release(words: &[&str]) -> Result<(), String> {
    let [package, version, wheel, prime_rl, verifiers] = *words else {
        return Err("usage: cargo xtask history release PACKAGE VERSION WHEEL PRIME-RL VERIFIERS".to_owned());
    };
    let mut mirror = Mirror::at(prime_rl.as_ref(), Some(verifiers.as_ref()), None)?;
    let release = release::Release { package, version, wheel: wheel.as_ref() };
    release::write(&release, &mut mirror)?.iter().for_each(|line| say(line));
    Ok(())
}

/// `cargo xtask history shipped PRIME-RL VERIFIERS`.
pub(crate) fn shipped(prime_rl: &str, verifiers: &str) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl.as_ref(), Some(verifiers.as_ref()), None)?;
    shipped::read(&mut mirror, 0)?.iter().for_each(|line| say(line));
    Ok(())
}

/// `cargo xtask history environments PRIME-RL VERIFIERS`.
pub(crate) fn environments(prime_rl: &str, verifiers: &str) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl.as_ref(), Some(verifiers.as_ref()), None)?;
    environments::read(&mut mirror, 0)?.iter().for_each(|line| say(line));
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a chore talks to the maintainer at the terminal")]
fn say(line: &str) {
    eprintln!("{line}");
}
