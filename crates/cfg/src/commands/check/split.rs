//! Files of a split run: a contradiction between two of them is reported once if both are checked.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_check::{FileSet, Project};
use cfg_system::{System, tidy};

use super::{Input, Job};

/// The set of checked files.
pub(super) fn named(inputs: &[Input]) -> Arc<FileSet> {
    let path = |input: &Input| match input {
        Input::File { path, .. } | Input::Dependent { path } => Some(path.clone()),
        _ => None,
    };
    Arc::new(FileSet::new(inputs.iter().filter_map(path).collect()))
}

/// The scripts among the inputs, by their paths from the root of the file system.
pub(super) fn scripts(inputs: &[Input], system: &dyn System) -> HashSet<PathBuf> {
    let place = |input: &Input| match input {
        Input::Script { path, .. } => Some(tidy(&system.absolute(path))),
        _ => None,
    };
    inputs.iter().filter_map(place).collect()
}

impl Job<'_> {
    /// The settings of a file's project, for rules, with the other files that are checked.
    pub(super) fn project_among_inputs(&self, path: &Path) -> Project {
        let mut project = self.project(path);
        if self.named.len() > 1 {
            project.nearby = project.nearby.beside(&self.named);
        }
        project
    }
}
