//! The other files of a split run.

use std::path::{Path, PathBuf};

use cfg_schema::Kind;
use cfg_system::System;

use crate::{Group, Projects};

/// The other files of a split run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitRun {
    /// Whether a `[[group]]` of the settings declares them as one run; otherwise their names do.
    pub is_declared: bool,
    /// The kind of the given file.
    pub kind: Kind,
    /// The other files.
    pub files: Vec<SplitFile>,
}

/// A file of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitFile {
    /// Its kind.
    pub kind: Kind,
    /// Its path in messages: in the form of the given file's path, if it is in the same folder or below the working folder; otherwise absolute.
    pub path: String,
    /// Where it is.
    pub place: PathBuf,
    /// Whether it is also checked on its own, so that its findings are reported there.
    pub is_checked: bool,
}

/// The file names that indicate a split run with its own folder.
const NAMES: [(Kind, [&str; 2]); 3] = [
    (Kind::Trainer, ["train.toml", "trainer.toml"]),
    (Kind::Orchestrator, ["orch.toml", "orchestrator.toml"]),
    (Kind::Inference, ["infer.toml", "inference.toml"]),
];

impl Projects {
    /// The split runs to which a file belongs: those that the settings declare, or else the one that is indicated by the names of three
    /// files in its folder.
    ///
    /// The other files are read on `system`, which may contain other texts than that of the projects, such as those that are open in an
    /// editor.
    pub fn split_runs(&self, system: &dyn System, file: &Path) -> Vec<SplitRun> {
        let settings = self.settings(file);
        let groups = &settings.settings.groups;
        if !groups.is_empty() {
            let absolute = system.absolute(file);
            let here = system.absolute(Path::new(""));
            let shown = |path: &Path| Shown { file, absolute: &absolute, here: &here }.of(path);
            let declared: Vec<SplitRun> =
                groups.iter().filter_map(|group| declared(system, &group.value, &absolute, shown)).collect();
            if !declared.is_empty() {
                return declared;
            }
        }
        beside(system, file).into_iter().collect()
    }
}

/// Determines how the path of another file is displayed next to one that the user named.
struct Shown<'a> {
    file: &'a Path,
    absolute: &'a Path,
    here: &'a Path,
}

impl Shown<'_> {
    fn of(&self, path: &Path) -> PathBuf {
        let is_beside = path.parent() == self.absolute.parent();
        match (path.file_name().filter(|_| is_beside), path.strip_prefix(self.here)) {
            (Some(name), _) => self.file.with_file_name(name),
            (None, Ok(below)) if self.file.is_relative() => below.to_owned(),
            _ => path.to_owned(),
        }
    }
}

fn declared(system: &dyn System, group: &Group, absolute: &Path, shown: impl Fn(&Path) -> PathBuf) -> Option<SplitRun> {
    let parts = [(Kind::Trainer, &group.trainer), (Kind::Orchestrator, &group.orchestrator), (Kind::Inference, &group.inference)];
    let parts = parts.into_iter().filter_map(|(kind, path)| Some((kind, path.as_deref()?)));
    let kind = parts.clone().find(|(_, path)| is_same(system, path, absolute))?.0;
    let others = parts.filter(|(other, _)| *other != kind).map(|(kind, path)| SplitFile {
        kind,
        path: shown(path).to_string_lossy().into_owned(),
        place: path.to_owned(),
        is_checked: false,
    });
    Some(SplitRun { is_declared: true, kind, files: others.collect() })
}

/// Whether two paths lead to the same file. Links are followed only if the file names are equal.
fn is_same(system: &dyn System, one: &Path, other: &Path) -> bool {
    let real = |path| system.real(path).ok();
    one == other || one.file_name() == other.file_name() && real(one).is_some_and(|one| real(other) == Some(one))
}

/// The run of a file with a usual name, if each of the two other files is in its folder under exactly one name.
fn beside(system: &dyn System, file: &Path) -> Option<SplitRun> {
    let name = file.file_name()?.to_str()?;
    let (kind, own) = NAMES.iter().find(|(_, names)| names.contains(&name))?;
    let mut others = Vec::with_capacity(2);
    for (other, names) in &NAMES {
        let there = |name: &&&str| system.is_file(&file.with_file_name(name));
        if other == kind {
            // If both names of a kind exist, the files belong to two runs.
            if own.iter().filter(|other| **other != name).any(|name| there(&name)) {
                return None;
            }
            continue;
        }
        let found: Vec<&&str> = names.iter().filter(there).collect();
        let [only] = found[..] else { return None };
        let path = file.with_file_name(only);
        let shown = path.to_string_lossy().into_owned();
        others.push(SplitFile { kind: *other, path: shown, place: path, is_checked: false });
    }
    Some(SplitRun { is_declared: false, kind: *kind, files: others })
}
