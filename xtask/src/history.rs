//! The schema history: compiles `schemas/history/*.schema`, `schemas/docs/*.docs` and `schemas/moves.toml` to the binary table that `cfg-schema`
//! includes, and writes these files from clones of prime-rl and verifiers.

mod add;
mod environments;
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

use std::{fs, path::Path};

use cfg_history::{KINDS, chronicle::Chronicle};
use cfg_schema::History;

use crate::{commits::Commits, docs, generate::root, mirror::Mirror, moves, revisions};

/// Reads the whole history and makes the table.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let commits = Commits::read()?;
    let mut kinds = Vec::new();
    for kind in KINDS {
        let path = format!("schemas/history/{kind}.schema");
        let source = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        let fields = cfg_history::parse(&source, &|sha| commits.schema_index(sha)).map_err(|error| format!("{path}:{error}"))?;
        kinds.push((path, fields));
    }
    let mut trees = Vec::new();
    for (path, fields) in &kinds {
        trees.push(cfg_history::build(fields).map_err(|error| format!("{path}:{error}"))?);
    }
    let entries = docs::read(&commits)?;
    let sentences = docs::choose(&entries, &trees)?;
    let moves = moves::read(&commits)?;
    let chronicle = Chronicle { commits: commits.main_line, tags: commits.tags, moves };
    cfg_history::encode(&trees, &sentences, &chronicle)
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
    let request = add::Request { schemas: &root().join("schemas"), again, known: History::built_in().newest() };
    for line in add::add(&request, &mut mirror)? {
        say(&line);
    }
    revisions::write(prime_rl.as_ref(), verifiers.as_ref(), site)
}

/// `cargo xtask history kinds PRIME-RL VERIFIERS [SITE]`.
pub(crate) fn kinds(prime_rl: &str, verifiers: &str, site: Option<&str>) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl.as_ref(), Some(verifiers.as_ref()), site.map(Path::new))?;
    kinds::read(&mut mirror)?.iter().for_each(|line| say(line));
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
    shipped::read(&mut mirror)?.iter().for_each(|line| say(line));
    Ok(())
}

/// `cargo xtask history environments PRIME-RL VERIFIERS`.
pub(crate) fn environments(prime_rl: &str, verifiers: &str) -> Result<(), String> {
    let mut mirror = Mirror::at(prime_rl.as_ref(), Some(verifiers.as_ref()), None)?;
    environments::read(&mut mirror)?.iter().for_each(|line| say(line));
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a chore talks to the maintainer at the terminal")]
fn say(line: &str) {
    eprintln!("{line}");
}
