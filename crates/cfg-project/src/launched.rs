//! The launches of a repository: which configs its scripts, recipes and workflows start together, and the comments of its configs.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_compose::{WrittenLaunch, commands_of_python, launches as launches_in};
use cfg_system::{Kind, Role, Scope, SearchOptions, System, tidy};

use self::missing::Unplaced;
use crate::{Projects, launches::FOLDERS, may_be_config};

mod missing;

pub use missing::MissingConfig;

/// The maximum number of scripts that are read of a repository.
const MOST_SCRIPTS: usize = 4096;

/// The maximum number of configs whose comments are read.
const MOST_CONFIGS: usize = 4096;

/// The maximum size of the texts that are read, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// The maximum number of launches that are kept.
const MOST_LAUNCHES: usize = 4096;

/// The maximum number of launches with the same first file: each is checked with all of its files.
const MOST_OF_FILE: usize = 512;

/// The maximum number of `@` in all texts, each of which may be that of a launch, and how many of one text count: further ones are not looked at.
const MOST_SIGNS: usize = 50_000;
const MOST_OF_ONE: usize = 4096;

/// The maximum number of folders above a script from which its paths may start.
const MOST_ABOVE: usize = 16;

/// The endings of scripts and recipes, which are read wherever they are in a repository.
const ENDINGS: [&str; 7] = [".sh", ".bash", ".zsh", ".mk", ".just", ".sbatch", ".slurm"];

/// The endings of workflows and jobs, which are read where such files usually are.
const OF_JOBS: [&str; 3] = [".yml", ".yaml", ".j2"];

/// The folders with hidden names that have workflows, and the hidden files of a repository's root that are some.
const HIDDEN_FOLDERS: [&str; 3] = [".github/workflows", ".github/scripts", ".circleci"];
const HIDDEN_FILES: [&str; 2] = [".gitlab-ci.yml", ".justfile"];

/// A launch whose files are there.
#[derive(Debug)]
pub struct PlacedLaunch {
    /// The command.
    pub launch: WrittenLaunch,
    /// The file in which it is written, from the root of the file system.
    pub script: PathBuf,
    /// Whether it is written in a comment of a config.
    pub is_comment: bool,
    /// The files that it names, in their order, from the root of the file system.
    pub files: Vec<PathBuf>,
}

/// The launches of a repository, by the files that they name.
#[derive(Debug, Default)]
pub struct LaunchIndex {
    launches: Vec<Arc<PlacedLaunch>>,
    by_file: HashMap<PathBuf, Vec<usize>>,
    missing: Vec<MissingConfig>,
}

impl PlacedLaunch {
    /// The command with other names for its files.
    #[must_use]
    pub fn named(&self, name: impl Fn(&Path) -> String) -> WrittenLaunch {
        let mut names: HashMap<&str, String> = HashMap::new();
        for (written, path) in self.launch.files().zip(&self.files) {
            names.entry(written).or_insert_with(|| name(path));
        }
        self.launch.with_files(|file| names.get(file).cloned().unwrap_or_else(|| file.to_owned()))
    }

    /// Whether it starts a config as it is, without other files or flags.
    pub fn is_plain(&self) -> bool {
        self.files.len() == 1 && self.launch.unknown.is_empty() && self.launch.words.len() <= 2
    }
}

impl LaunchIndex {
    /// The launches that name a file, which has a path from the root of the file system.
    pub fn of(&self, file: &Path) -> impl Iterator<Item = &Arc<PlacedLaunch>> {
        self.by_file.get(file).into_iter().flatten().map(|at| &self.launches[*at])
    }

    /// The launches in a script or config.
    pub fn written_in(&self, script: &Path) -> impl Iterator<Item = &Arc<PlacedLaunch>> {
        self.launches.iter().filter(move |placed| placed.script == script)
    }

    /// The configs that launches of scripts name and that are not there, by their scripts.
    pub fn missing(&self) -> &[MissingConfig] {
        &self.missing
    }

    fn add(&mut self, placed: PlacedLaunch) {
        let known = placed.files.first().and_then(|file| self.by_file.get(file)).into_iter().flatten();
        let is_known = |at: &usize| {
            let other = &self.launches[*at];
            other.files == placed.files && other.launch.is_like(&placed.launch)
        };
        let is_full = self.launches.len() >= MOST_LAUNCHES || known.clone().count() >= MOST_OF_FILE;
        if is_full || placed.is_comment && known.copied().any(|at| is_known(&at)) {
            return;
        }
        let mut files = placed.files.clone();
        files.sort_unstable();
        files.dedup();
        files.into_iter().for_each(|file| self.by_file.entry(file).or_default().push(self.launches.len()));
        self.launches.push(Arc::new(placed));
    }
}

impl Projects {
    /// The launches of the repository around a file: those in its scripts, its recipes, its workflows and the comments of its configs. Without a
    /// repository, those of the project; without a project, those of the folder that was searched for configs.
    pub fn launch_index(&self, file: &Path) -> Arc<LaunchIndex> {
        let Some(root) = self.root_of_launches(file) else { return Arc::default() };
        let folder = self.folder_of(&root.join("cfg.toml"));
        Arc::clone(folder.launched.get_or_init(|| Arc::new(index(&*self.system, &root))))
    }

    /// The folder below which the launches of a file are searched for. A home folder has those of too many projects.
    fn root_of_launches(&self, file: &Path) -> Option<PathBuf> {
        let file = self.system.plain(file);
        let folder = file.parent()?;
        let root = self.system.root_of(folder);
        let is_project = self.system.is_repository(&root)
            || ["cfg.toml", "pyproject.toml", "registry.json"].iter().any(|mark| self.system.is_file(&root.join(mark)));
        let root = if is_project { root } else { self.searched.get()?.iter().find(|above| folder.starts_with(above))?.clone() };
        let home = self.system.host().variable("HOME").map(PathBuf::from);
        (home.as_ref() != Some(&root) && root.parent().is_some()).then_some(root)
    }

    /// Takes note of the folders that are searched for configs.
    pub fn searched_in(&self, folders: &[PathBuf]) {
        let _ = self.searched.set(folders.iter().map(|folder| self.system.plain(folder).into_owned()).collect());
    }
}

/// Whether commands in a file of this name may start runs, and are checked: a script, a recipe, a workflow. Of a file of a job, its folder decides.
pub fn is_script(path: &Path) -> bool {
    let Some(name) = name_of(path) else { return false };
    is_runnable(&name) || is_python(&name) || OF_JOBS.iter().any(|ending| name.ends_with(ending)) || is_bare(path, &name)
}

fn is_python(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ending == "py")
}

fn name_of(path: &Path) -> Option<String> {
    path.file_name().and_then(|name| name.to_str()).map(str::to_ascii_lowercase)
}

fn is_runnable(name: &str) -> bool {
    let is_recipe = ["makefile", "gnumakefile", "justfile", ".justfile"].contains(&name);
    is_recipe || name.starts_with("dockerfile") || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a file without an ending is in a folder of scripts.
fn is_bare(path: &Path, name: &str) -> bool {
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    !name.contains('.') && folder.is_some_and(|folder| FOLDERS.contains(&folder))
}

/// The launches below a folder.
fn index(system: &dyn System, root: &Path) -> LaunchIndex {
    let mut index = LaunchIndex::default();
    let (scripts, configs) = files(system, root);
    let mut bytes = 0;
    let mut signs = 0;
    let mut read = |path: &Path, role: Role| {
        let text = (bytes < MOST_BYTES && signs < MOST_SIGNS).then(|| system.text(path, role)).flatten()?;
        bytes += text.len();
        signs += text.bytes().filter(|byte| *byte == b'@').count().min(MOST_OF_ONE);
        Some(text)
    };
    let mut unplaced: Vec<Unplaced> = Vec::new();
    for script in scripts.iter().take(MOST_SCRIPTS) {
        let Some(mut text) = read(script, Role::Project) else { continue };
        let name = name_of(script).unwrap_or_default();
        if is_bare(script, &name) && !is_runnable(&name) && !text.starts_with("#!") {
            continue;
        }
        let mut folders = working_folders(script, &text);
        if is_python(&name) {
            let commands = commands_of_python(&text);
            (text, folders) = (commands.text, commands.folders);
        }
        // What is commented out is not run.
        for mut launch in launches_in(&text).into_iter().filter(|launch| !launch.is_comment) {
            launch.folders.extend(folders.iter().cloned());
            match place(system, root, (script, false), launch) {
                Ok(placed) => index.add(placed),
                Err(launch) => unplaced.push(*launch),
            }
        }
    }
    index.missing = missing::missing(system, root, &unplaced, &scripts);
    for config in configs.iter().take(MOST_CONFIGS) {
        let Some(text) = read(config, Role::Config).filter(|text| text.contains('@')) else { continue };
        for launch in launches_in(&comments(&text)) {
            place(system, root, (config, true), launch).into_iter().for_each(|placed| index.add(placed));
        }
    }
    index
}

/// The scripts and the configs below a folder, each in the order of their paths.
fn files(system: &dyn System, root: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let wanted = |path: &Path| {
        let name = name_of(path).unwrap_or_default();
        may_be_config(path) || is_runnable(&name) || is_python(&name) || !name.contains('.')
    };
    let found = system.search(&[root], SearchOptions::default(), &wanted).into_iter().filter_map(Result::ok);
    let (mut configs, mut scripts): (Vec<PathBuf>, Vec<PathBuf>) = found.partition(|path| may_be_config(path));
    scripts.retain(|path| is_script(path));
    let list = |folder: PathBuf| {
        let entries = system.list(&folder, Scope::Inside).unwrap_or_default().into_iter();
        entries.filter(|entry| entry.kind == Kind::File).map(move |entry| folder.join(entry.name)).collect::<Vec<_>>()
    };
    let is_job = |path: &PathBuf| {
        let name = name_of(path).unwrap_or_default();
        is_runnable(&name) || OF_JOBS.iter().any(|ending| name.ends_with(ending))
    };
    let folders = FOLDERS.iter().chain(&HIDDEN_FOLDERS).filter(|folder| **folder != "docs").map(|folder| root.join(folder));
    scripts.extend([root.to_owned()].into_iter().chain(folders).flat_map(list).filter(is_job));
    scripts.extend(HIDDEN_FILES.iter().map(|name| root.join(name)).filter(|path| system.is_file(path)));
    // Few of the many files of Python start runs, so they are the last ones of which some may be too many.
    scripts.sort_by_cached_key(|path| (name_of(path).is_some_and(|name| is_python(&name)), path.clone()));
    scripts.dedup();
    configs.sort_unstable();
    (scripts, configs)
}

/// The lines of a config that are comments.
fn comments(text: &str) -> String {
    let lines = text.lines().filter(|line| line.trim_start().starts_with('#'));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The folders in which a workflow runs its commands, if it says so.
fn working_folders(script: &Path, text: &str) -> Vec<String> {
    if !name_of(script).is_some_and(|name| OF_JOBS.iter().any(|ending| name.ends_with(ending))) {
        return Vec::new();
    }
    let value =
        |line: &str| Some(line.trim_start().trim_start_matches("- ").strip_prefix("working-directory:")?.trim().to_owned());
    let folders = text.lines().filter_map(value).map(|folder| folder.trim_matches(['"', '\'']).to_owned());
    let mut folders: Vec<String> = folders.filter(|folder| !folder.contains('$')).collect();
    folders.sort_unstable();
    folders.dedup();
    folders.truncate(MOST_ABOVE);
    folders
}

/// A launch with the paths of its files, which are relative to the folder of its script or one above it; as an error if they are not there.
fn place(
    system: &dyn System,
    root: &Path,
    (script, is_comment): (&Path, bool),
    launch: WrittenLaunch,
) -> Result<PlacedLaunch, Box<Unplaced>> {
    let above: Vec<&Path> =
        cfg_system::around(script).skip(1).take_while(|above| above.starts_with(root)).take(MOST_ABOVE).collect();
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in above {
        let below = launch.folders.iter().map(|below| folder.join(below)).chain([folder.to_owned()]);
        below.for_each(|folder| {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        });
    }
    let placed = folders.iter().find_map(|folder| {
        let files: Vec<PathBuf> = launch.files().map(|file| tidy(&folder.join(file))).collect();
        files.iter().all(|file| file.starts_with(root) && system.is_file(file)).then_some(files)
    });
    let script = script.to_owned();
    match placed {
        Some(files) => Ok(PlacedLaunch { launch, script, is_comment, files }),
        None => Err(Box::new(Unplaced { script, launch, folders })),
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use cfg_system::MemorySystem;

    use crate::Projects;

    /// The launches that name a file, as words, each with its files.
    fn launches(files: &[(&str, &str)], of: &str) -> Vec<String> {
        let system = MemorySystem::with_files(files.iter().copied().chain([("r/.git/HEAD", "")]));
        let projects = Projects::new(Arc::new(system), None);
        let file = projects.system().absolute(Path::new(of));
        let shown = |path: &Path| projects.system().shown(path);
        let index = projects.launch_index(&file);
        index.of(&file).map(|placed| placed.named(shown).words.join(" ")).collect()
    }

    #[test]
    fn launches_anywhere_in_the_repository_are_placed() {
        let configs = [("r/c/base.toml", ""), ("r/c/run.toml", "")];
        let together = ["@ r/c/base.toml @ r/c/run.toml"];
        for script in [
            ("r/launch.sh", "uv run rl @ c/base.toml @ c/run.toml"),
            ("r/c/run.sbatch", "srun uv run rl @ base.toml @ run.toml"),
            ("r/experiments/one/go.sh", "uv run rl @ ../../c/base.toml @ c/run.toml"),
            ("r/experiments/one/go.sh", "cd ../../c\nuv run rl @ base.toml @ run.toml"),
            ("r/Makefile", "train:\n\tuv run rl @ c/base.toml @ c/run.toml"),
            ("r/.github/workflows/ci.yml", "      - run: uv run rl @ c/base.toml @ c/run.toml"),
            ("r/.github/workflows/ci.yml", "working-directory: c\n- run: uv run rl @ base.toml @ run.toml"),
            ("r/scripts/launch", "#!/bin/sh\nuv run rl @ c/base.toml @ c/run.toml"),
            ("r/exp/other.toml", "# uv run rl @ c/base.toml @ c/run.toml\n"),
            ("r/launch.py", "run(['uv', 'run', 'rl', '@', 'c/base.toml', '@', 'c/run.toml'])"),
            ("r/tools/go.py", "run(['rl', '@', 'base.toml', '@', 'run.toml'], cwd='c')"),
        ] {
            let files = [configs[0], configs[1], script];
            let expected: &[&str] = if script.1.contains("../../c/base.toml @ c/") { &[] } else { &together };
            assert_eq!(launches(&files, "r/c/base.toml"), expected, "{script:?}");
            assert_eq!(launches(&files, "r/c/run.toml"), expected, "{script:?}");
        }
    }

    #[test]
    fn a_launch_of_files_that_are_not_there_is_none() {
        let files = [
            ("r/c/base.toml", ""),
            ("r/launch.sh", "uv run rl @ c/base.toml @ c/gone.toml"),
            ("r/scripts/notes", "rl @ c/base.toml"),
        ];
        assert!(launches(&files, "r/c/base.toml").is_empty());
    }
}
