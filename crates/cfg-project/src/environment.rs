//! What the process was given: its folder and the few variables that matter here.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf, is_separator},
};

use crate::{Files, files::without_dots};

/// The surroundings of the process, read once.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The working folder, to which relative paths belong.
    pub folder: PathBuf,
    /// `VIRTUAL_ENV`: the activated Python environment.
    pub virtual_env: Option<PathBuf>,
    /// `GIT_INDEX_FILE`: within a hook, the index that is about to be committed.
    pub git_index_file: Option<OsString>,
    /// The folder of the Hugging Face hub's local copies: `HF_HUB_CACHE`, `HF_HOME/hub`, `XDG_CACHE_HOME/huggingface/hub`, or
    /// `~/.cache/huggingface/hub`.
    pub hub_cache: Option<PathBuf>,
    /// Where the files of projects are read.
    pub files: Files,
}

impl Environment {
    /// What holds for this process.
    pub fn of_process() -> Self {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let below = |name, rest: &str| set(name).map(|folder| PathBuf::from(folder).join(rest));
        Self {
            folder: env::current_dir().unwrap_or_default(),
            virtual_env: set("VIRTUAL_ENV").map(PathBuf::from),
            git_index_file: set("GIT_INDEX_FILE"),
            hub_cache: set("HF_HUB_CACHE")
                .or_else(|| set("HUGGINGFACE_HUB_CACHE"))
                .map(PathBuf::from)
                .or_else(|| below("HF_HOME", "hub"))
                .or_else(|| below("XDG_CACHE_HOME", "huggingface/hub"))
                .or_else(|| below("HOME", ".cache/huggingface/hub")),
            files: Files::Disk,
        }
    }

    /// `path` from the root of the file system.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        // Joining an absolute path replaces the folder.
        let joined = self.folder.join(path);
        if steps(&joined).any(|step| matches!(step, b"" | b".")) { without_dots(&joined) } else { joined }
    }

    /// The path of a file from the root of the file system, without `..` where its folder exists.
    pub fn plain(&self, file: &Path) -> PathBuf {
        let absolute = self.absolute(file);
        // `a/..` is not this folder where `a` is a link, so only the file system can tell what is meant.
        if steps(&absolute).any(|step| step == b"..")
            && let (Some(Ok(folder)), Some(name)) = (absolute.parent().map(fs::canonicalize), absolute.file_name())
        {
            return folder.join(name);
        }
        absolute
    }
}

/// What stands behind each separator of an absolute path: names, `.`, `..`, or nothing.
fn steps(path: &Path) -> impl Iterator<Item = &[u8]> {
    path.as_os_str().as_encoded_bytes().split(|byte| is_separator(char::from(*byte))).skip(1)
}
