//! Whether a checkpoint is complete.
//!
//! The trainer saves PyTorch's distributed checkpoints: each process writes a file of shards, and `.metadata`, which names all of these files, is
//! written last. The orchestrator writes one file, `progress.pt`, a zip archive whose directory is at its end.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use cfg_system::{Kind, Role, Scope, System};
use memchr::memmem;

/// A step that a component has saved, or begun to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its number.
    pub step: u64,
    /// The parts of the components.
    pub parts: Vec<Part>,
    /// The size of the step's weights for inference in bytes; they are stored separately.
    pub weights: u64,
}

/// What one component has saved of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The index of the component in [`RunFolder::components`](crate::outputs::RunFolder::components).
    pub component: usize,
    /// The folder of the part.
    pub path: PathBuf,
    /// Whether the part is complete.
    pub state: State,
    /// The size of its files in bytes.
    pub bytes: u64,
}

/// Whether a checkpoint is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Everything that its index names exists.
    Whole,
    /// It can't be loaded, with the reason.
    Broken(String),
}

impl State {
    fn broken(why: impl Into<String>) -> Self {
        Self::Broken(why.into())
    }
}

impl Checkpoint {
    /// The part of a component.
    pub fn part(&self, component: usize) -> Option<&Part> {
        self.parts.iter().find(|part| part.component == component)
    }
}

/// Whether a trainer's checkpoint is complete.
pub(crate) fn of_trainer(system: &dyn System, folder: &Path) -> State {
    let path = folder.join(".metadata");
    let Ok(status) = system.status(&path) else {
        return State::broken("`.metadata`, which is written last, is missing: the save was interrupted");
    };
    if status.size == 0 {
        return State::broken("`.metadata` is empty: the disk was full, or the save was interrupted");
    }
    // Metadata above the size limit belongs to a very large model; the files that it names are not checked.
    let named = system.read(&path, Role::RunFile).map(|bytes| shards(&bytes)).unwrap_or_default();
    let size = |name: &str| system.status(&folder.join(name)).map(|status| status.size);
    let missing: Vec<&String> = named.iter().filter(|name| size(name).is_err()).collect();
    if let [first, ..] = missing.as_slice() {
        return State::broken(format!(
            "{} of the {} files listed in `.metadata` are missing, such as `{first}`",
            missing.len(),
            named.len()
        ));
    }
    match named.iter().find(|name| size(name).is_ok_and(|size| size == 0)) {
        Some(name) => State::broken(format!("`{name}` is empty: the disk was full, or the save was interrupted")),
        None => State::Whole,
    }
}

/// The names of the shard files in the pickled metadata: `__0_0.distcp`.
fn shards(metadata: &[u8]) -> BTreeSet<String> {
    const END: &[u8] = b".distcp";
    let is_of_name = |byte: &u8| byte.is_ascii_digit() || *byte == b'_';
    memmem::find_iter(metadata, END)
        .filter_map(|at| {
            let length = metadata[..at].iter().rev().take_while(|byte| is_of_name(byte)).count();
            let name = str::from_utf8(&metadata[at - length..at + END.len()]).ok()?;
            name.starts_with("__").then(|| name.to_owned())
        })
        .collect()
}

/// Whether an orchestrator's checkpoint is complete.
pub(crate) fn of_orchestrator(system: &dyn System, folder: &Path) -> State {
    const BEGIN: &[u8] = b"PK\x03\x04";
    const DIRECTORY: &[u8] = b"PK\x05\x06";
    let path = folder.join("progress.pt");
    match system.status(&path) {
        Err(_) => return State::broken("`progress.pt` is missing: the save was interrupted"),
        Ok(status) if status.size == 0 => {
            return State::broken("`progress.pt` is empty: the disk was full, or the save was interrupted");
        }
        Ok(_) => {}
    }
    let is_cut = |bytes: &[u8]| bytes.starts_with(BEGIN) && memmem::rfind(bytes, DIRECTORY).is_none();
    match system.read(&path, Role::RunFile) {
        Ok(bytes) if is_cut(&bytes) => State::broken("`progress.pt` is truncated: the save was interrupted"),
        _ => State::Whole,
    }
}

/// The size of all files in a folder and its subfolders, in bytes.
pub(crate) fn size(system: &dyn System, folder: &Path) -> u64 {
    /// More levels than any checkpoint has.
    const DEPTH: usize = 4;
    let (mut waiting, mut bytes) = (vec![(folder.to_owned(), 0)], 0_u64);
    while let Some((at, depth)) = waiting.pop() {
        for entry in system.list(&at, Scope::Anywhere).unwrap_or_default() {
            let path = at.join(&entry.name);
            match entry.kind {
                Kind::File => bytes = bytes.saturating_add(system.own_status(&path).map_or(0, |status| status.size)),
                Kind::Folder if depth < DEPTH => waiting.push((path, depth + 1)),
                _ => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_system::MemorySystem;

    use super::{State, of_orchestrator, of_trainer, shards, size};

    /// pickle writes each name after its length, between opcodes.
    const METADATA: &str = "\u{1}X\u{c}__0_0.distcpq\u{3}h\u{3}X\u{c}__1_0.distcpq\u{4}X\u{7}.distcp";

    #[test]
    fn metadata_names_the_shards() {
        assert_eq!(shards(METADATA.as_bytes()).into_iter().collect::<Vec<_>>(), ["__0_0.distcp", "__1_0.distcp"]);
        assert!(shards(b"").is_empty());
    }

    #[test]
    fn a_trainer_checkpoint_is_complete_with_all_files_of_its_metadata() {
        let state = |files: &[(&str, &str)]| of_trainer(&MemorySystem::with_files(files.iter().copied()), Path::new("/t"));
        let broken = |files: &[(&str, &str)], why: &str| match state(files) {
            State::Broken(said) => assert!(said.contains(why), "{said}"),
            State::Whole => panic!("it is not: {files:?}"),
        };
        assert_eq!(state(&[("/t/.metadata", METADATA), ("/t/__0_0.distcp", "a"), ("/t/__1_0.distcp", "b")]), State::Whole);
        broken(&[("/t/__0_0.distcp", "a")], "is missing");
        broken(&[("/t/.metadata", ""), ("/t/__0_0.distcp", "a")], "`.metadata` is empty");
        broken(&[("/t/.metadata", METADATA), ("/t/__0_0.distcp", "a")], "1 of the 2 files");
        broken(&[("/t/.metadata", METADATA), ("/t/__0_0.distcp", ""), ("/t/__1_0.distcp", "b")], "`__0_0.distcp` is empty");
    }

    #[test]
    fn an_orchestrator_checkpoint_is_complete_with_the_end_of_its_archive() {
        let state = |text: &str| of_orchestrator(&MemorySystem::with_files([("/o/progress.pt", text)]), Path::new("/o"));
        assert_eq!(state("PK\u{3}\u{4}...PK\u{5}\u{6}..."), State::Whole);
        assert!(matches!(state("PK\u{3}\u{4}..."), State::Broken(why) if why.contains("truncated")));
        assert!(matches!(state(""), State::Broken(why) if why.contains("empty")));
        assert!(matches!(of_orchestrator(&MemorySystem::with_files([]), Path::new("/o")), State::Broken(_)));
    }

    #[test]
    fn a_size_counts_all_files() {
        let system = MemorySystem::with_files([("/c/a", "12"), ("/c/b/c", "345")]);
        assert_eq!(size(&system, Path::new("/c")), 5);
        assert_eq!(size(&system, Path::new("/nowhere")), 0);
    }
}
