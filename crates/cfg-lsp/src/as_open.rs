//! The files of a run as the client sees them: what is open counts before what is on disk.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use cfg_budget::Shape;
use cfg_check::{LookUp, Nearby, SplitRun};

use crate::files;

/// The texts that are open, by their paths.
pub(crate) type Open = Arc<RwLock<HashMap<PathBuf, Arc<str>>>>;

struct AsOpen {
    around: Nearby,
    open: Open,
}

impl LookUp for AsOpen {
    fn shape(&self, name: &str) -> Option<Shape> {
        self.around.shape(name)
    }

    fn hardware(&self) -> Option<String> {
        self.around.hardware()
    }

    fn split_runs(&self) -> Vec<SplitRun> {
        let mut runs = self.around.split_runs();
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        for file in runs.iter_mut().flat_map(|run| &mut run.files) {
            if let Some(text) = open.get(&files::normal(Path::new(&file.path))) {
                file.text = Some(text.to_string());
            }
        }
        runs
    }
}

/// What lies around a file, with the open texts in place of those on disk.
pub(crate) fn as_open(around: Nearby, open: &Open) -> Nearby {
    Nearby::new(AsOpen { around, open: Arc::clone(open) })
}

#[cfg(test)]
mod tests {
    use std::{path::PathBuf, sync::PoisonError};

    use cfg_check::{LookUp, Nearby, SplitFile, SplitRun};
    use cfg_schema::Kind;

    use super::{Open, as_open};

    struct OnDisk;

    impl LookUp for OnDisk {
        fn split_runs(&self) -> Vec<SplitRun> {
            let file =
                |kind, path: &str| SplitFile { kind, path: path.to_owned(), text: Some("on disk".to_owned()), is_checked: false };
            let files = vec![file(Kind::Orchestrator, "/run/orch.toml"), file(Kind::Inference, "/run/infer.toml")];
            vec![SplitRun { is_declared: true, kind: Kind::Trainer, files }]
        }
    }

    #[test]
    fn an_open_text_comes_before_that_on_disk() {
        let open = Open::default();
        open.write().unwrap_or_else(PoisonError::into_inner).insert(PathBuf::from("/run/orch.toml"), "open".into());
        let runs = as_open(Nearby::new(OnDisk), &open).split_runs();
        let texts: Vec<Option<&str>> = runs[0].files.iter().map(|file| file.text.as_deref()).collect();
        assert_eq!(texts, [Some("open"), Some("on disk")]);
    }
}
