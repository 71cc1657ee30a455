//! Which of the configs that are gone and of those that are new are the same file, under another name.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, VecDeque},
    ffi::OsStr,
    path::{Path, PathBuf},
};

use cfg_diag::Order as _;

/// The maximum number of files on each side of which the most similar ones are looked for; equal texts are found among any number.
const MAX_RENAMED: usize = 256;

/// The share of common lines, in percent, from which on a deleted file and a new one are the same file.
const ALIKE: usize = 60;

/// A config, with its text.
pub(super) type File<'f> = (&'f PathBuf, &'f String);

/// An old and a new path.
type Renamed<'f> = (&'f Path, &'f Path);

/// Takes the files that were renamed out of those that are gone and those that are new: equal texts first, then the most similar ones. Returns them in
/// the order of their old paths.
pub(super) fn renamed<'f>(gone: &mut Vec<File<'f>>, new: &mut Vec<File<'f>>) -> Vec<Renamed<'f>> {
    let mut pairs = equal(gone, new);
    take(&pairs, gone, new);
    let similar = similar(gone, new);
    take(&similar, gone, new);
    pairs.extend(similar);
    pairs.order_by_key(|pair| *pair);
    pairs
}

/// Takes pairs out of both sides.
fn take(pairs: &[Renamed<'_>], gone: &mut Vec<File<'_>>, new: &mut Vec<File<'_>>) {
    let (old, now): (BTreeSet<&Path>, BTreeSet<&Path>) = pairs.iter().copied().unzip();
    gone.retain(|(path, _)| !old.contains(path.as_path()));
    new.retain(|(path, _)| !now.contains(path.as_path()));
}

/// The pairs of files with equal texts: those of the same name first.
fn equal<'f>(gone: &[File<'f>], new: &[File<'f>]) -> Vec<Renamed<'f>> {
    let mut by_text: BTreeMap<&str, (Vec<&Path>, Vec<&Path>)> = BTreeMap::new();
    gone.iter().for_each(|(path, text)| by_text.entry(text).or_default().0.push(path));
    new.iter().for_each(|(path, text)| by_text.entry(text).or_default().1.push(path));
    let mut pairs = Vec::new();
    for (gone, new) in by_text.into_values() {
        let mut by_name: BTreeMap<Option<&OsStr>, VecDeque<&Path>> = BTreeMap::new();
        new.into_iter().for_each(|path| by_name.entry(path.file_name()).or_default().push_back(path));
        let mut others = Vec::new();
        for old in gone {
            match by_name.get_mut(&old.file_name()).and_then(VecDeque::pop_front) {
                Some(path) => pairs.push((old, path)),
                None => others.push(old),
            }
        }
        let mut left: Vec<&Path> = by_name.into_values().flatten().collect();
        left.sort_unstable();
        pairs.extend(others.into_iter().zip(left));
    }
    pairs
}

/// The most similar of the first files.
fn similar<'f>(gone: &[File<'f>], new: &[File<'f>]) -> Vec<Renamed<'f>> {
    let first = |files: &[File<'f>]| -> Vec<(&'f Path, Vec<&'f str>)> {
        files.iter().take(MAX_RENAMED).map(|(path, text)| (path.as_path(), lines(text))).collect()
    };
    let (gone, new) = (first(gone), first(new));
    let mut alike: Vec<(usize, &Path, &Path)> = Vec::new();
    for (old, one) in &gone {
        for (path, other) in &new {
            let share = likeness(one, other);
            if share >= ALIKE {
                alike.push((share, old, path));
            }
        }
    }
    alike.order_by_key(|(share, old, path)| (Reverse((*share, old.file_name() == path.file_name())), *old, *path));
    let (mut taken, mut pairs) = (BTreeSet::new(), Vec::new());
    for (_, old, path) in alike {
        if !taken.contains(&(true, old)) && !taken.contains(&(false, path)) {
            taken.extend([(true, old), (false, path)]);
            pairs.push((old, path));
        }
    }
    pairs
}

/// The lines of a text, without blank ones, sorted.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines
}

/// The share of the lines that two texts have in common, in percent of the longer one.
fn likeness(one: &[&str], other: &[&str]) -> usize {
    let (mut at, mut common) = (0, 0);
    for line in one {
        while other.get(at).is_some_and(|known| known < line) {
            at += 1;
        }
        if other.get(at) == Some(line) {
            common += 1;
            at += 1;
        }
    }
    common * 100 / one.len().max(other.len()).max(1)
}
