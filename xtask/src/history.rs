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

use cfg_history::{
    KINDS,
    chronicle::{Chronicle, Commit},
};
use cfg_schema::History;

use crate::{commits::Commits, docs, generate::root, mirror::Mirror, moves, revisions, tools};

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
    let before = Commits::read()?.main_line;
    for line in add::add(&request, &mut mirror)? {
        say(&line);
    }
    // Everything from the first commit on that the file did not have as it has it now.
    let now = Commits::read()?.main_line;
    let first = now.iter().zip(&before).take_while(|(now, before)| now.sha == before.sha).count();
    let first = if again.is_some() { first.min(since_of(again, &now)) } else { first };
    if first == now.len() {
        say("revisions.tsv, seams.tsv and pins.tsv stay as they are");
        return Ok(());
    }
    revisions::write(prime_rl.as_ref(), verifiers.as_ref(), site, first)?.iter().for_each(|line| say(line));
    Ok(())
}

/// The index of the commit from which on the history is read again.
fn since_of(again: Option<&str>, now: &[Commit]) -> usize {
    again.and_then(|since| now.iter().position(|commit| commit.sha.starts_with(since))).unwrap_or(0)
}

/// `cargo xtask history update [FOLDER]`: brings clones of prime-rl and verifiers into a folder, or up to date, adds the new commits, and makes what depends
/// on them. Moves, texts and classes of new keys are left to a person.
pub(crate) fn update(folder: Option<&str>) -> Result<(), String> {
    let root = root().canonicalize().map_err(|error| error.to_string())?;
    let folder = folder.map_or_else(|| root.join("target/history"), std::path::PathBuf::from);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut clones = Vec::new();
    for name in ["prime-rl", "verifiers"] {
        let clone = folder.join(name);
        let url = format!("https://github.com/PrimeIntellect-ai/{name}");
        let mut git = std::process::Command::new("git");
        if clone.is_dir() {
            git.arg("-C").arg(&clone).args(["fetch", "--quiet", "--tags", "origin", "+HEAD:refs/heads/main"]);
        } else {
            git.args(["clone", "--quiet", "--bare", &url]).arg(&clone);
        }
        tools::run(&mut git)?;
        clones.push(clone.to_string_lossy().into_owned());
    }
    let words: Vec<&str> = clones.iter().map(String::as_str).collect();
    let steps: [&[&str]; 5] = [
        &["history", "add", words[0], words[1]],
        &["generate"],
        &["history", "shipped", words[0], words[1]],
        &["history", "environments", words[0], words[1]],
        // Other files depend on the table.
        &["generate"],
    ];
    for step in steps {
        // Each step is built with what the one before wrote.
        let run = || {
            let mut cargo = std::process::Command::new(env!("CARGO"));
            cargo.arg("xtask").args(step).current_dir(&root).status().map_err(|error| error.to_string())
        };
        // The first `generate` may only make what it is itself built with.
        if !run()?.success() && (step != ["generate"] || !run()?.success()) {
            return Err(format!(
                "`cargo xtask {}` says what a person must decide; then run `cargo xtask history update` again",
                step.join(" ")
            ));
        }
    }
    Ok(())
}

/// `cargo xtask history revisions PRIME-RL VERIFIERS [SITE]`.
pub(crate) fn revisions(prime_rl: &str, verifiers: &str, site: Option<&str>) -> Result<(), String> {
    let told = revisions::write(prime_rl.as_ref(), verifiers.as_ref(), site.map(Path::new), 0)?;
    told.iter().for_each(|line| say(line));
    Ok(())
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
