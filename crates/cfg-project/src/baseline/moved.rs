//! Recognises renamed files by their accepted findings.

use std::{
    collections::{BTreeMap, HashMap},
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
                let files = moved.having.entry(finding).or_default();
                if files.len() < MAX_COMPARED_FILES && files.last() != Some(&at) {
                    files.push(at);
                }
            }
        }
        moved
    }

    /// The former name of a file with these findings: of the files that are gone, the one with which it has the most findings in common, if these
    /// are at least half of those of that file. A renamed file may have been changed at the same time.
    pub(super) fn former_name<'m, 'f>(&'m self, findings: impl Iterator<Item = &'f Finding>) -> Option<&'m str> {
        if self.gone.is_empty() {
            return None;
        }
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for file in findings.filter_map(without_severity).filter_map(|finding| self.having.get(&finding)).flatten() {
            *common.entry(*file).or_default() += 1;
        }
        // Of several equal ones the first, so that the result does not depend on the order in which files are checked.
        let (most, times) = common.into_iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)))?;
        let (name, all) = self.gone.get(most)?;
        (times * 2 >= *all).then_some(name)
    }
}

/// What identifies a finding besides its severity; `None` for one of the earlier format, which has no line.
fn without_severity(finding: &Finding) -> Option<Finding> {
    finding.line?;
    Some(Finding { severity: None, ..finding.clone() })
}
