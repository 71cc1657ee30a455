//! What the process was given: its folder and the few variables that matter here.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The surroundings of the process, read once.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The working folder, to which relative paths belong.
    pub folder: PathBuf,
    /// `VIRTUAL_ENV`: the activated Python environment.
    pub virtual_env: Option<PathBuf>,
    /// `GIT_INDEX_FILE`: within a hook, the index that is about to be committed.
    pub git_index_file: Option<OsString>,
}

impl Environment {
    /// What holds for this process.
    pub fn of_process() -> Self {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            folder: env::current_dir().unwrap_or_default(),
            virtual_env: set("VIRTUAL_ENV").map(PathBuf::from),
            git_index_file: set("GIT_INDEX_FILE"),
        }
    }

    /// `path` from the root of the file system.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        // `components` drops `.`; joining an absolute path replaces the folder.
        self.folder.join(path).components().collect()
    }
}
