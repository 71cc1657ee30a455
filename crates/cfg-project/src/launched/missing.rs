//! Configs that launches name and that are not there.
//!
//! A script may make a config before it starts a run, get one from elsewhere, or run on another machine. So a file is only missing if the script's
//! other files or its folder are there, and nothing in any script can have made it.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use cfg_compose::WrittenLaunch;
use cfg_diag::Span;
use cfg_system::{Role, Scope, System, tidy};

use super::placed::LaunchSource;
use crate::{
    may_be_config,
    scripts::{is_python, name_of},
};

/// The maximum number of launches that are looked at, and of scripts in which their files may be made.
pub(super) const MAX_LAUNCHES: usize = 256;

/// The maximum size of the scripts that are looked at for this, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// Words with which a script runs commands elsewhere, or gets files from there.
const ELSEWHERE: [&str; 27] = [
    "apptainer",
    "aws",
    "chdir",
    "clone",
    "curl",
    "docker",
    "enroot",
    "gcloud",
    "gsutil",
    "hf",
    "huggingface-cli",
    "image:",
    "kubectl",
    "modal",
    "podman",
    "prime",
    "pushd",
    "rclone",
    "rsync",
    "scp",
    "singularity",
    "sky",
    "ssh",
    "tar",
    "unzip",
    "wget",
    "working-directory:",
];

/// Words with which a script makes files.
const MAKES: [&str; 11] = ["cp", "dump", "envsubst", "install", "ln", "mv", "open", "sed", "tee", "write", "write_text"];

/// A config that a launch names and that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingConfig {
    /// The script, from the root of the file system.
    pub script: PathBuf,
    /// The place of the file's name in the script.
    pub place: Span,
    /// Its name, as the script has it.
    pub written: String,
    /// Where it would be, from the root of the file system.
    pub path: PathBuf,
}

/// A launch of which not all files are there, with the folders from which they may start, the most likely first.
pub(super) struct Unplaced {
    pub(super) script: PathBuf,
    pub(super) launch: WrittenLaunch,
    pub(super) folders: Vec<PathBuf>,
}

/// The configs that are certainly missing. `scripts` are all that the repository has.
pub(super) fn missing(system: &dyn System, root: &Path, unplaced: &[Unplaced], scripts: &[PathBuf]) -> Vec<MissingConfig> {
    let found = unplaced.iter().take(MAX_LAUNCHES).filter(|unplaced| unplaced.launch.kind.is_run());
    let mut scripts_here: HashMap<&Path, bool> = HashMap::new();
    let mut runs = |script| *scripts_here.entry(script).or_insert_with(|| runs_here(system, script));
    let found: Vec<MissingConfig> = found.flat_map(|unplaced| of_launch(system, root, unplaced, &mut runs)).collect();
    if found.is_empty() {
        return found;
    }
    let made = Made::read(system, root, scripts, &found);
    found.into_iter().filter(|missing| !made.may_be(missing)).collect()
}

/// The folder in which most of the files of a launch are; the first one of several with as many.
fn folder_of<'u>(system: &dyn System, root: &Path, unplaced: &'u Unplaced) -> Option<&'u Path> {
    let known = |folder: &&PathBuf| paths_in(folder, unplaced).filter(|path| is_there(system, root, path)).count();
    unplaced.folders.iter().rev().max_by_key(known).filter(|folder| known(folder) > 0).map(PathBuf::as_path)
}

/// The files of a launch that are there, although others are not.
pub(super) fn present(system: &dyn System, root: &Path, unplaced: &Unplaced) -> Vec<PathBuf> {
    let paths = folder_of(system, root, unplaced).into_iter().flat_map(|folder| paths_in(folder, unplaced));
    paths.filter(|path| is_there(system, root, path)).collect()
}

fn paths_in<'u>(folder: &'u Path, unplaced: &'u Unplaced) -> impl Iterator<Item = PathBuf> + 'u {
    unplaced.launch.files().map(move |file| tidy(&folder.join(file)))
}

fn is_there(system: &dyn System, root: &Path, path: &Path) -> bool {
    path.starts_with(root) && system.is_file_inside(path)
}

/// The files of a launch that are not there, if it is clear where they would be. `runs` answers [`runs_here`] of a script.
fn of_launch<'u>(
    system: &dyn System,
    root: &Path,
    unplaced: &'u Unplaced,
    runs: &mut dyn FnMut(&'u Path) -> bool,
) -> Vec<MissingConfig> {
    let Unplaced { script, launch, folders } = unplaced;
    let folder = match folder_of(system, root, unplaced) {
        Some(folder) => folder,
        None if runs(script) => {
            let is_placed = |path: PathBuf| is_among_configs(system, LaunchSource { root, path: script }, &path);
            match folders.iter().find(|folder| paths_in(folder, unplaced).all(is_placed)) {
                Some(folder) => folder,
                None => return Vec::new(),
            }
        }
        None => return Vec::new(),
    };
    let places = places(launch);
    let paths = paths_in(folder, unplaced).zip(launch.files()).zip(places);
    let missing = paths.filter(|((path, _), _)| path.starts_with(root) && system.has_inside(path) == Some(false));
    missing
        .map(|((path, written), place)| MissingConfig { script: script.clone(), place, written: written.to_owned(), path })
        .collect()
}

/// The places of the files of a launch.
fn places(launch: &WrittenLaunch) -> Vec<Span> {
    let words = launch.words.iter().enumerate();
    let files = words.filter_map(|(at, word)| match word.strip_prefix('@')? {
        "" => launch.places.get(at + 1),
        _ => launch.places.get(at),
    });
    files.copied().collect()
}

/// Whether a path is in a folder with other configs: one of its own, below that in which the script may run, or the root with the script in it.
fn is_among_configs(system: &dyn System, source: LaunchSource<'_>, path: &Path) -> bool {
    let LaunchSource { root, path: script } = source;
    let is_meant = |folder: &&Path| if *folder == root { script.parent() == Some(root) } else { folder.starts_with(root) };
    let Some(folder) = path.parent().filter(is_meant) else { return false };
    let entries = system.list(folder, Scope::Inside).unwrap_or_default();
    entries.iter().any(|entry| may_be_config(&folder.join(&entry.name)))
}

/// Whether the commands of a script run in the repository: it goes to no other folder or machine, and gets nothing from there.
fn runs_here(system: &dyn System, script: &Path) -> bool {
    let is_image = script.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().starts_with("dockerfile"));
    let Some(text) = system.text(script, Role::Project).filter(|_| !is_image) else { return false };
    // The folder of the script itself is one of those in which its files are looked for.
    let own = ["dirname", "BASH_SOURCE", "--show-toplevel", "__file__"];
    let goes = |line: &str| words(line).any(|word| word == "cd" || word == "cwd") && !own.iter().any(|own| line.contains(own));
    let is_elsewhere = |line: &str| words(line).any(|word| ELSEWHERE.contains(&word)) || goes(line);
    !text.lines().filter(|line| !line.trim_start().starts_with('#')).any(is_elsewhere)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !(letter.is_alphanumeric() || "-_:".contains(letter))).filter(|word| !word.is_empty())
}

/// What scripts and ignore files say about files that are not committed.
struct Made {
    /// The file names that occur outside of launches, or in more places than the launches that name them.
    names: HashSet<String>,
    /// Whether a script makes configs whose names are known only when it runs.
    any: bool,
    /// The lines of the ignore files.
    ignored: Vec<String>,
}

impl Made {
    fn read(system: &dyn System, root: &Path, scripts: &[PathBuf], missing: &[MissingConfig]) -> Self {
        let wanted: HashSet<&str> = missing.iter().filter_map(|missing| name_of(&missing.path)).collect();
        let mut made = Self { names: HashSet::new(), any: false, ignored: Vec::new() };
        let mut bytes = 0;
        for script in scripts {
            let Some(text) = (bytes < MAX_BYTES).then(|| system.text(script, Role::Project)).flatten() else { break };
            bytes += text.len();
            for line in text.lines().filter(|line| line.contains(".toml") && !line.trim_start().starts_with('#')) {
                let is_made = line.contains('>') || words(line).any(|word| MAKES.contains(&word));
                made.any |= is_made && has_open_name(line);
                let is_launch = line.contains('@') || line.trim_end().ends_with(['\\', ',']);
                if is_made || !is_launch {
                    made.names.extend(wanted.iter().filter(|name| line.contains(**name)).map(|name| (*name).to_owned()));
                }
            }
            // A name may be put together in one line, and the file be written in another.
            made.any |=
                name_of(script).is_some_and(is_python) && has_open_name(&text) && words(&text).any(|word| MAKES.contains(&word));
        }
        for file in [".gitignore", ".ignore", ".git/info/exclude"] {
            let text = system.text(&root.join(file), Role::Ignores).unwrap_or_default();
            made.ignored
                .extend(text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned));
        }
        made
    }

    fn may_be(&self, missing: &MissingConfig) -> bool {
        let name = name_of(&missing.path).unwrap_or_default();
        let folders = || missing.path.iter().filter_map(|part| part.to_str());
        let is_ignored = |line: &String| {
            let line = line.trim_matches('/');
            has_ending(line, "toml") || line.contains(name) || folders().any(|folder| line.split('/').any(|part| part == folder))
        };
        self.any || self.names.contains(name) || self.ignored.iter().any(is_ignored)
    }
}

/// Whether a text has the name of a TOML file of which a part is known only when it runs: `"$NAME.toml"`, `f"{name}.toml"`, `name + ".toml"`.
fn has_open_name(text: &str) -> bool {
    text.match_indices(".toml").any(|(at, _)| {
        let before = text[..at].rsplit(|letter: char| letter.is_whitespace()).next().unwrap_or_default();
        before.contains(['$', '}', '%', '*']) || before.ends_with(['"', '\''])
    })
}

/// Whether a path or a pattern ends in `.` and these letters.
fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, known)| known == ending)
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use cfg_system::MemorySystem;

    use crate::Projects;

    /// The files that launches name and that are missing, as the scripts name them.
    fn missing(files: &[(&str, &str)]) -> Vec<String> {
        let configs = [("r/.git/HEAD", ""), ("r/c/base.toml", ""), ("r/c/run.toml", "")];
        let system = MemorySystem::with_files(files.iter().copied().chain(configs));
        let projects = Projects::new(Arc::new(system), None);
        let file = projects.system().absolute(Path::new("r/c/base.toml"));
        let index = projects.launch_index(&file);
        let found = index.missing().iter().map(|missing| {
            let text = projects.system().text(&missing.script, cfg_system::Role::Project).expect("a script");
            assert!(text[missing.place.range()].contains(&missing.written), "{missing:?}");
            missing.written.clone()
        });
        found.collect()
    }

    #[test]
    fn a_file_beside_others_that_are_there_is_missing() {
        for script in [
            ("r/launch.sh", "uv run rl @ c/base.toml @ c/gone.toml"),
            ("r/launch.sh", "cd x\nuv run rl @ c/base.toml @ c/gone.toml"),
            ("r/c/go.sh", "uv run rl @ base.toml @ gone.toml"),
            ("r/launch.sh", "uv run rl @ c/gone.toml"),
            ("r/scripts/launch.sh", "cd \"$(dirname \"$0\")/..\"\nuv run rl @ c/gone.toml --max-steps 3"),
            ("r/launch.py", "subprocess.run(['uv', 'run', 'rl', '@', 'c/gone.toml'])"),
        ] {
            assert_eq!(missing(&[script]).len(), 1, "{script:?}");
        }
    }

    #[test]
    fn a_file_beside_a_script_among_other_configs_is_missing() {
        let script = ("r/launch.sh", "uv run rl @ gone.toml");
        assert_eq!(missing(&[script, ("r/rl.toml", "")]), ["gone.toml"]);
        assert!(missing(&[script, ("r/pyproject.toml", "")]).is_empty());
        assert!(missing(&[("r/scripts/launch.sh", script.1), ("r/rl.toml", "")]).is_empty());
    }

    #[test]
    fn a_file_that_may_be_made_or_be_elsewhere_is_not() {
        for files in [
            &[("r/launch.sh", "uv run rl @ gone.toml")][..],
            &[("r/launch.sh", "uv run rl @ d/gone.toml")],
            &[("r/launch.sh", "# uv run rl @ c/gone.toml")],
            &[("r/launch.sh", "cp c/base.toml c/gone.toml\nuv run rl @ c/gone.toml")],
            &[("r/launch.sh", "cat > c/gone.toml <<EOF\nEOF\nuv run rl @ c/base.toml @ c/gone.toml")],
            &[("r/launch.sh", "cd ../prime-rl\nuv run rl @ c/gone.toml")],
            &[("r/launch.sh", "ssh host uv run rl @ c/gone.toml")],
            &[("r/launch.sh", "git clone x && uv run rl @ c/gone.toml")],
            &[("r/Dockerfile", "CMD uv run rl @ c/gone.toml")],
            &[("r/launch.sh", "uv run rl @ c/gone.toml"), ("r/make.py", "open(f'c/{name}.toml', 'w')")],
            &[("r/launch.sh", "uv run rl @ c/gone.toml"), ("r/make.py", "path = name + '.toml'\npath.write_text('')")],
            &[("r/launch.sh", "uv run rl @ c/gone.toml"), ("r/make.sh", "python make.py --out c/gone.toml")],
            &[("r/launch.sh", "uv run rl @ c/gone.toml"), ("r/.gitignore", "/c/*.toml\n")],
            &[("r/launch.sh", "uv run rl @ c/gone.toml"), ("r/.gitignore", "gone.toml\n")],
            &[("r/launch.sh", "uv run rl @ ../c/gone.toml"), ("c/x.toml", "")],
            &[("r/launch.sh", "uv run rl @ c/$NAME.toml")],
            &[("r/README.md", "uv run rl @ c/gone.toml")],
        ] {
            assert!(missing(files).is_empty(), "{files:?}: {:?}", missing(files));
        }
    }
}
