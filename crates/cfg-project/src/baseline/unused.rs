//! Accepted findings that a report does not have as they are: the key on the same line has another place in a newer prime-rl.

use std::collections::{BTreeSet, HashMap};

use super::{Counts, Finding};

/// The code, the line, the name of the key and the indices above it.
type Sought = (String, u64, String);

/// The accepted findings of files that no finding of a report is equal to.
pub(super) struct Unused<'b> {
    by_line: HashMap<(&'b str, Sought), Vec<Finding>>,
}

impl<'b> Unused<'b> {
    /// Those among the accepted findings of files, without the used ones.
    pub(super) fn new(files: impl Iterator<Item = (&'b str, &'b Counts)>, used: &HashMap<(&str, Finding), usize>) -> Self {
        let mut by_line: HashMap<(&str, Sought), Vec<Finding>> = HashMap::new();
        for (name, counts) in files.collect::<BTreeSet<_>>() {
            for (finding, count) in counts {
                let Some(sought) = sought(finding) else { continue };
                let free = count.saturating_sub(used.get(&(name, finding.clone())).copied().unwrap_or(0));
                by_line.entry((name, sought)).or_default().extend(std::iter::repeat_n(finding.clone(), free));
            }
        }
        Self { by_line }
    }

    /// Takes an accepted finding on the same line of a file, about a key of the same name, with the severity of `finding` or a higher one.
    pub(super) fn take(&mut self, name: &'b str, finding: &Finding) -> Option<Finding> {
        let free = self.by_line.get_mut(&(name, sought(finding)?))?;
        let at = free.iter().position(|accepted| accepted.severity >= finding.severity)?;
        Some(free.remove(at))
    }
}

/// By what a finding is recognised if the tables around its key have other names; `None` for one without a line or a key.
fn sought(finding: &Finding) -> Option<Sought> {
    let key = Some(finding.about.as_str()).filter(|key| !key.is_empty())?;
    let name = key.rsplit('.').next().unwrap_or(key);
    let indices: Vec<&str> = key.split('[').skip(1).filter_map(|part| Some(part.split_once(']')?.0)).collect();
    Some((finding.code.clone(), finding.line?, format!("{} {name}", indices.join(" "))))
}
