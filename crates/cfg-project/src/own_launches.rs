//! The files of TOML that scripts of a project give to its own programs.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use cfg_compose::may_be_program;
use cfg_diag::Order as _;
use cfg_system::{Kind, Role, Scope, path_in, tidy};

use crate::{
    NamedProgram, Projects,
    folder::Folder,
    scripts::{FOLDERS, is_of_job, is_runnable, name_of},
};

/// The maximum number of scripts that are read, of bytes of all of them, of words of a command, and of files that the scripts give to programs.
const MAX_SCRIPTS: usize = 100;
const MAX_BYTES: usize = 1 << 18;
const MAX_WORDS: usize = 64;
const MAX_LAUNCHES: usize = 1000;

/// What stands around words in quotes and lists.
const OF_LISTS: [char; 7] = ['"', '\'', '`', ',', ';', '[', ']'];

/// The program of each file, as an index; `None` if several are given the file.
pub(crate) type OwnLaunches = HashMap<PathBuf, Option<usize>>;

impl Projects {
    /// The program of the project around a file to which a script of the project gives the file, if it is one alone.
    pub fn own_launch(&self, file: &Path) -> Option<NamedProgram> {
        let folder = self.folder_of(file);
        let nearest = folder.ancestors_in_repository().find(|folder| folder.pyproject().is_some())?;
        let programs = self.own_programs(file);
        let launches = nearest.own_launches.get_or_init(|| Box::new(launches(nearest, &programs)));
        let program = launches.get(&*folder.system().plain(file))?.as_ref()?;
        programs.get(*program).cloned()
    }
}

fn launches(folder: &Folder, programs: &[NamedProgram]) -> OwnLaunches {
    let (system, root) = (folder.system(), folder.path());
    let mut found = OwnLaunches::default();
    let mut left = MAX_BYTES;
    let modules: Vec<Option<String>> = programs.iter().map(|(name, _)| module_of(name)).collect();
    let program_of = |word: &str| {
        (0..programs.len()).find(|index| {
            let name = programs[*index].0.as_str();
            word.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
                || modules[*index].as_deref() == Some(word)
        })
    };
    let folders = std::iter::once(root.to_owned()).chain(FOLDERS.iter().map(|below| path_in(root, below)));
    let scripts = folders.flat_map(|folder| {
        let mut entries = system.list(&folder, Scope::Inside).unwrap_or_default();
        entries.order_by(|one, other| one.name.cmp(&other.name));
        let files = entries.into_iter().filter(|entry| entry.kind == Kind::File);
        files.map(|entry| folder.join(entry.name)).collect::<Vec<_>>()
    });
    let is_script = |path: &PathBuf| name_of(path).is_some_and(|name| is_runnable(name) || is_of_job(name));
    for script in scripts.filter(is_script).take(MAX_SCRIPTS) {
        let Some(text) = system.text(&script, Role::Project).filter(|text| text.contains(".toml")) else { continue };
        let Some(rest) = left.checked_sub(text.len()) else { continue };
        left = rest;
        let of_script = script.parent().unwrap_or(root);
        let lines = text.replace("\\\n", " ");
        let lines = lines.lines().filter(|line| !line.trim_start().starts_with('#'));
        for command in lines.flat_map(|line| line.split([';', '&', '|'])) {
            let Some((program, files)) = command_of(command, &program_of) else { continue };
            for file in files.flat_map(|file| [tidy(&path_in(root, file)), tidy(&path_in(of_script, file))]) {
                let known = found.entry(file).or_insert(Some(program));
                if *known != Some(program) {
                    *known = None;
                }
            }
        }
        if found.len() > MAX_LAUNCHES {
            break;
        }
    }
    found
}

/// The module of a file of Python: `small.train` of `src/small/train.py`.
fn module_of(file: &str) -> Option<String> {
    let path = file.strip_suffix(".py")?;
    Some(path.strip_prefix("src/").unwrap_or(path).replace('/', "."))
}

/// The program that a line starts, and the files of TOML that it is given.
fn command_of(line: &str, program_of: impl Fn(&str) -> Option<usize>) -> Option<(usize, impl Iterator<Item = &str>)> {
    if !line.contains(".toml") {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().take(MAX_WORDS).map(|word| word.trim_matches(OF_LISTS)).collect();
    let (at, program) = words.iter().enumerate().find_map(|(at, word)| Some((at, program_of(word)?)))?;
    if !may_be_program(words[..at].iter().copied()) {
        return None;
    }
    let files = words.into_iter().skip(at + 1).filter_map(|word| {
        let path = word.rsplit('=').next().unwrap_or(word).trim_start_matches('@');
        path.strip_suffix(".toml").filter(|stem| !stem.contains('$')).map(|_| path)
    });
    Some((program, files))
}
