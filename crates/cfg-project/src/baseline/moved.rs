//! Recognises renamed files by their accepted findings.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

use cfg_system::{System, tidy};

use super::{Counts, Finding};

/// The maximum number of files that are looked for on the disk.
const MAX_FILES: usize = 10_000;

/// The maximum number of files that are compared because they have the same finding.
const MAX_COMPARED_FILES: usize = 64;

/// The files of a baseline that do not exist any more.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// Their names, each with the number of its findings.
    gone: Vec<(String, usize)>,
    /// Those that have a finding. Severities are left out, because they may have changed.
    having: HashMap<Finding, Vec<usize>>,
    /// Those that have a finding in a line with this hash.
    with_line: HashMap<u64, Vec<usize>>,
}

impl Moved {
    pub(super) fn new(system: &dyn System, folder: &Path, accepted: &BTreeMap<String, Counts>) -> Self {
        let mut moved = Self::default();
        for (name, counts) in accepted.iter().take(MAX_FILES) {
            if counts.is_empty() || system.is_there(&tidy(&folder.join(name))) {
                continue;
            }
            let at = moved.gone.len();
            let findings: Vec<Finding> = counts.keys().filter_map(without_severity).collect();
            moved.gone.push((name.clone(), findings.len()));
            for finding in findings {
                finding.line.into_iter().for_each(|line| add(moved.with_line.entry(line).or_default(), at));
                add(moved.having.entry(finding).or_default(), at);
            }
        }
        moved
    }

    /// The former name of a file with these findings: of the files that are gone, the one with which it has the most findings in common, if these
    /// are at least half of those of that file. A renamed file may have been changed at the same time.
    pub(super) fn former_name<'m, 'f>(&'m self, name: &str, findings: impl Iterator<Item = &'f Finding>) -> Option<&'m str> {
        if self.gone.is_empty() {
            return None;
        }
        self.best(name, findings.filter_map(without_severity).filter_map(|finding| self.having.get(&finding)))
    }

    /// The former name of a file whose findings may not show, with the hashes of its lines: that of the file of which it has the most lines with
    /// findings, as above.
    pub(super) fn former_name_by_lines(&self, name: &str, lines: impl Iterator<Item = u64>) -> Option<&str> {
        if self.gone.is_empty() {
            return None;
        }
        let lines: HashSet<u64> = lines.collect();
        self.best(name, lines.iter().filter_map(|line| self.with_line.get(line)))
    }

    /// The file that is in the most of these lists, if it is in at least half as many as it has findings.
    fn best<'m>(&'m self, name: &str, found: impl Iterator<Item = &'m Vec<usize>>) -> Option<&'m str> {
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for file in found.flatten() {
            *common.entry(*file).or_default() += 1;
        }
        // Of several equal ones the one whose path has the most in common at its end, then the first, so that the result does not depend on the order
        // in which files are checked.
        let rank = |(at, times): (usize, usize)| (times, self.gone.get(at).map_or(0, |(gone, _)| common_end(gone, name)));
        let (most, times) = common.into_iter().max_by(|one, other| rank(*one).cmp(&rank(*other)).then(other.0.cmp(&one.0)))?;
        let (name, all) = self.gone.get(most)?;
        (times * 2 >= *all).then_some(name)
    }
}

/// Adds a file to a list, which has few.
fn add(files: &mut Vec<usize>, at: usize) {
    if files.len() < MAX_COMPARED_FILES && files.last() != Some(&at) {
        files.push(at);
    }
}

/// The number of bytes that two names have in common at their ends.
fn common_end(one: &str, other: &str) -> usize {
    one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count()
}

/// What identifies a finding besides its severity; `None` for one of the earlier format, which has no line.
fn without_severity(finding: &Finding) -> Option<Finding> {
    finding.line?;
    Some(Finding { severity: None, ..finding.clone() })
}
