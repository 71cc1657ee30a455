//! When the contents of files were last changed. A commit that only renames a file does not make its content newer.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use cfg_system::System;

use super::answer;

/// This many renames of one file are followed.
const MOST_RENAMES: usize = 3;

/// In a folder, the renames of this many commits are followed, each with one question to git.
const MOST_COMMITS: usize = 8;

const PLAIN: [&str; 5] = ["log", "-z", "--no-notes", "--no-ext-diff", "--no-textconv"];

/// The newest commit that changed a file.
struct Change {
    commit: String,
    day: String,
    /// Whether the file was added, by a commit that may have removed it elsewhere.
    may_be_renamed: bool,
}

/// A file: its name for the caller, and the path by which git knows it.
type File = (String, String);

/// Files by the commit that added them.
type Added = BTreeMap<String, Vec<File>>;

/// The days (`2026-01-06`) of the last commits that changed the contents of these files of a folder, by file name.
pub(crate) fn last_changes(system: &dyn System, folder: &Path, names: &[&str]) -> HashMap<String, String> {
    let mut days = HashMap::new();
    let found = changes(system, folder, &["--relative", "HEAD", "--"], names.iter().map(|name| (*name).to_owned()));
    let files = found.into_iter().map(|(name, change)| ((name.clone(), name), change));
    let mut added = Added::new();
    note(files, &mut days, &mut added);
    let below = system.absolute(folder);
    // The way from the folder to the top of the repository.
    let mut up = String::new();
    for round in 0..MOST_RENAMES {
        let mut older = Added::new();
        let renames = renames_of(system, folder, added.keys());
        for (commit, renames) in renames.into_iter().take(MOST_COMMITS) {
            // Only the first paths are relative to the folder, and others to the top of the repository.
            let is_it = |path: &str, new: &str| if round == 0 { below.join(path).ends_with(new) } else { path == new };
            let rename_of = |path: &str| renames.iter().filter(|(new, _)| is_it(path, new)).max_by_key(|(new, _)| new.len());
            let files = added.remove(&commit).unwrap_or_default().into_iter();
            let files: Vec<(File, String)> =
                files.filter_map(|(name, path)| rename_of(&path).map(|(new, old)| ((name, old.clone()), new.clone()))).collect();
            let Some(((name, _), new)) = files.first() else { continue };
            if round == 0 {
                up = "../".repeat(new.strip_suffix(name.as_str()).unwrap_or_default().matches('/').count());
            }
            let before = format!("{commit}^");
            let paths = files.iter().map(|((_, path), _)| format!("{up}{path}"));
            let mut found = changes(system, folder, &[&before, "--"], paths);
            let files = files.into_iter().filter_map(|(file, _)| found.remove(&file.1).map(|change| (file, change)));
            note(files, &mut days, &mut older);
        }
        added = older;
    }
    days
}

/// Takes the days of files, and those that may have had another name before.
fn note(files: impl Iterator<Item = (File, Change)>, days: &mut HashMap<String, String>, added: &mut Added) {
    for ((name, path), change) in files {
        if change.may_be_renamed {
            added.entry(change.commit).or_default().push((name.clone(), path));
        }
        days.insert(name, change.day);
    }
}

/// The newest change of each path.
fn changes(system: &dyn System, folder: &Path, which: &[&str], paths: impl Iterator<Item = String>) -> HashMap<String, Change> {
    let fixed = ["--no-renames", "--name-status", "--date=format-local:%Y-%m-%d", "--format=%x01%H %cd %P%x02"];
    let words = PLAIN.iter().chain(&fixed).chain(which).map(|word| (*word).to_owned()).chain(paths);
    let answer = answer(system, folder, words, None).unwrap_or_default();
    let mut changes = HashMap::new();
    for (head, changed) in commits(&String::from_utf8_lossy(&answer)) {
        let mut head = head.splitn(3, ' ');
        let (Some(commit), Some(day), Some(parents)) = (head.next(), head.next(), head.next()) else { continue };
        for change in changed.chunks_exact(2) {
            changes.entry(change[1].to_owned()).or_insert_with(|| Change {
                commit: commit.to_owned(),
                day: day.to_owned(),
                may_be_renamed: change[0] == "A" && !parents.is_empty(),
            });
        }
    }
    changes
}

/// The files that commits renamed without a change: by commit, each new path with the old one, from the top of the repository.
fn renames_of<'c>(
    system: &dyn System,
    folder: &Path,
    of: impl ExactSizeIterator<Item = &'c String>,
) -> Vec<(String, Vec<(String, String)>)> {
    if of.len() == 0 {
        return Vec::new();
    }
    let fixed = ["--no-walk=unsorted", "--find-renames=100%", "--diff-filter=R", "--name-status", "--format=%x01%H%x02"];
    let words = PLAIN.iter().chain(&fixed).map(|word| (*word).to_owned()).chain(of.cloned());
    let answer = answer(system, folder, words.chain(["--".to_owned()]), None).unwrap_or_default();
    let text = String::from_utf8_lossy(&answer);
    let renames = commits(&text).map(|(commit, renames)| {
        let renames = renames.chunks_exact(3).map(|renamed| (renamed[2].to_owned(), renamed[1].to_owned()));
        (commit.to_owned(), renames.collect())
    });
    renames.collect()
}

/// The commits of an answer: the head of each, and what follows it.
fn commits(answer: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let parts = |text| str::split(text, '\0').map(|part| part.trim_start_matches('\n')).filter(|part| !part.is_empty());
    answer.split('\u{1}').filter_map(move |commit| {
        let (head, rest) = commit.split_once('\u{2}')?;
        Some((head, parts(rest).collect()))
    })
}
