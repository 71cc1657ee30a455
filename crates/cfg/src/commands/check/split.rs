//! Files of one run that are started one by one: what two of them say against each other is told once, where both are checked.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use cfg_check::{LookUp, Nearby, Project, SplitRun};

use super::{Input, Job};

/// The files that are checked.
pub(super) struct Named {
    inputs: Arc<Vec<Input>>,
    paths: OnceLock<HashSet<PathBuf>>,
}

impl Named {
    pub(super) fn new(inputs: &Arc<Vec<Input>>) -> Self {
        Self { inputs: Arc::clone(inputs), paths: OnceLock::new() }
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        let paths = self.paths.get_or_init(|| {
            let path = |input: &Input| match input {
                Input::File { path, .. } | Input::Dependent { path } => Some(real(path)),
                _ => None,
            };
            self.inputs.iter().filter_map(path).collect()
        });
        paths.contains(&real(Path::new(path)))
    }
}

fn real(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// What lies around a file of which others may be checked as well.
struct Among {
    around: Nearby,
    named: Arc<Named>,
}

impl LookUp for Among {
    fn shape(&self, name: &str) -> Option<cfg_budget::Shape> {
        self.around.shape(name)
    }

    fn hardware(&self) -> Option<String> {
        self.around.hardware()
    }

    fn split_runs(&self) -> Vec<SplitRun> {
        let mut runs = self.around.split_runs();
        for file in runs.iter_mut().flat_map(|run| &mut run.files) {
            file.is_checked = self.named.contains(&file.path);
        }
        runs
    }
}

impl Job<'_> {
    /// What the settings say that rules can use, and what lies around a file that is checked beside others.
    pub(super) fn project_among_inputs(&self, path: &Path) -> Project {
        let mut project = self.project(path);
        if self.named.inputs.len() > 1 {
            let around = std::mem::take(&mut project.nearby);
            project.nearby = Nearby::new(Among { around, named: Arc::clone(&self.named) });
        }
        project
    }
}
