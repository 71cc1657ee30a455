//! The launches of a repository: which configs its scripts, recipes and workflows start together, and the comments of its configs.

mod in_comments;
mod matching;
mod missing;
mod placed;
mod there;

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_compose::WrittenLaunch;
use cfg_system::{Kind, PathMap, Scope, SearchOptions, System, path_in};

pub use missing::MissingConfig;
pub use placed::LaunchSource;

use self::{
    in_comments::{InConfigs, Reading},
    matching::matching,
    missing::Unplaced,
    placed::place_of_script,
    there::There,
};
use crate::{
    Projects,
    folder::Folder,
    included, may_be_config,
    scripts::{
        FOLDERS, Script, Scripts, is_notebook, is_of_job, is_python, is_runnable, is_script, is_yaml, may_be_script, name_of,
    },
};

/// The maximum number of scripts that are read of a repository.
const MAX_SCRIPTS: usize = 4096;

/// The maximum number of configs whose comments are read.
const MAX_CONFIGS: usize = 4096;

/// The maximum size of the texts that are read, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// The maximum number of launches that are kept.
const MAX_LAUNCHES: usize = 4096;

/// The maximum number of launches with the same first file: each is checked with all of its files.
const MAX_LAUNCHES_OF_A_FILE: usize = 512;

/// The maximum number of `@` in all texts, each of which may be that of a launch, and how many of one text count: further ones are not looked at.
const MAX_AT_SIGNS: usize = 50_000;
const MAX_AT_SIGNS_OF_A_TEXT: usize = 4096;

/// The maximum number of folders above a script from which its paths may start.
const MAX_FOLDERS_ABOVE: usize = 16;

/// The maximum number of folders in which the files of a launch are looked up, and of those of all launches.
const MAX_FOLDERS: usize = 64;
const MAX_LOOKED_UP: usize = 150_000;

/// The folders with hidden names that have workflows, and the hidden files of a repository's root that are some.
const HIDDEN_FOLDERS: [&str; 5] = [".github/workflows", ".github/scripts", ".circleci", ".vscode", ".devcontainer"];
const HIDDEN_FILES: [&str; 3] = [".gitlab-ci.yml", ".justfile", ".mise.toml"];

/// The files that mark a project if there is no repository.
const MARKS: [&str; 3] = ["cfg.toml", "pyproject.toml", "registry.json"];

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
    by_file: PathMap<Vec<usize>>,
    missing: Vec<MissingConfig>,
    /// The launches of scripts of which only some files are there, each with those.
    incomplete: Vec<(WrittenLaunch, Vec<PathBuf>)>,
    /// The configs that others include by `toml_files`, each with the config at the top of the chain.
    includers: HashMap<PathBuf, Option<PathBuf>>,
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
        self.by_file.get(file.as_os_str()).into_iter().flatten().map(|at| &self.launches[*at])
    }

    /// The launches of scripts that name a file together with others that are not there.
    pub fn incomplete_of(&self, file: &Path) -> impl Iterator<Item = &WrittenLaunch> {
        self.incomplete.iter().filter(move |(_, files)| files.iter().any(|of| of == file)).map(|(launch, _)| launch)
    }

    /// The scripts below a folder that start a run whose files are all of a kind.
    pub fn scripts_in(&self, folder: &Path, is_meant: impl Fn(&Path) -> bool) -> BTreeSet<PathBuf> {
        let is_of_folder = |placed: &&Arc<PlacedLaunch>| !placed.is_comment && placed.script.starts_with(folder);
        let is_run = |placed: &&Arc<PlacedLaunch>| placed.launch.kind.is_run() && placed.files.iter().all(|file| is_meant(file));
        self.all().filter(is_of_folder).filter(is_run).map(|placed| placed.script.clone()).collect()
    }

    /// The scripts that start a run with a config for each of its components.
    pub fn scripts_of_components(&self) -> impl Iterator<Item = &PathBuf> {
        self.all().filter(|placed| !placed.is_comment && placed.launch.is_of_components()).map(|placed| &placed.script)
    }

    /// All launches, in the order in which they were found.
    pub fn all(&self) -> impl Iterator<Item = &Arc<PlacedLaunch>> {
        self.launches.iter()
    }

    /// The launches in a script or config.
    pub fn written_in(&self, script: &Path) -> impl Iterator<Item = &Arc<PlacedLaunch>> {
        self.launches.iter().filter(move |placed| placed.script == script)
    }

    /// The configs that others include by `toml_files`, each with the config at the top of the chain; `None` for a cycle.
    pub(crate) const fn includers(&self) -> &HashMap<PathBuf, Option<PathBuf>> {
        &self.includers
    }

    /// The configs that launches of scripts name and that are not there, by their scripts.
    pub fn missing(&self) -> &[MissingConfig] {
        &self.missing
    }

    fn add(&mut self, placed: PlacedLaunch) {
        let known = placed.files.first().and_then(|file| self.by_file.get(file.as_os_str())).into_iter().flatten();
        let is_known = |at: &usize| {
            let other = &self.launches[*at];
            other.files == placed.files && other.launch.is_like(&placed.launch)
        };
        let is_full = self.launches.len() >= MAX_LAUNCHES || known.clone().count() >= MAX_LAUNCHES_OF_A_FILE;
        if is_full || placed.is_comment && known.copied().any(|at| is_known(&at)) {
            return;
        }
        let mut files = placed.files.clone();
        files.sort_unstable();
        files.dedup();
        files.into_iter().for_each(|file| self.by_file.entry(file.into_os_string()).or_default().push(self.launches.len()));
        self.launches.push(Arc::new(placed));
    }
}

impl Projects {
    /// The launches of the repository around a file: those in its scripts, its recipes, its workflows and the comments of its configs. Without a
    /// repository, those of the project; without a project, those of the folder that was searched for configs, or else, for a command, those beside
    /// the file.
    pub fn launch_index(&self, file: &Path) -> Arc<LaunchIndex> {
        let own = self.folder_of(file);
        let (root, reach): (Arc<Path>, Reach) = match self.root_of_launches(&own) {
            Some(root) => (root, Reach::All),
            // An editor would have to check all files of the folder again with each change of one.
            None if self.searched.get().is_none() || self.is_home_or_root(own.path()) => return Arc::default(),
            None => (own.path().into(), Reach::Beside),
        };
        let folder = self.folder_of(&root.join("cfg.toml"));
        Arc::clone(folder.launched.get_or_init(|| {
            Arc::new(index(
                &*self.system,
                &self.shared.scripts,
                &root,
                reach,
                self.searched.get().map_or(&[], |searched| searched),
            ))
        }))
    }

    /// The folder below which the launches of the files of a folder are searched for. A home folder has those of too many projects.
    fn root_of_launches(&self, folder: &Folder) -> Option<Arc<Path>> {
        let is_searched = || self.searched.get().is_some_and(|searched| searched.iter().any(|path| *path == folder.path()));
        let begins_project = || {
            let is_there = |mark: &&str| self.system.own_status(&path_in(folder.path(), mark)).is_ok();
            [".git"].iter().chain(&MARKS).any(is_there)
        };
        let find = || match folder.outer().filter(|_| !is_searched() && !begins_project()) {
            // Nothing begins in this folder, so it belongs to what is around it.
            Some(outer) => self.root_of_launches(outer),
            None => self.find_root_of_launches(folder).map(Arc::from),
        };
        folder.root_of_launches.get_or_init(find).clone()
    }

    fn find_root_of_launches(&self, folder: &Folder) -> Option<PathBuf> {
        let folder = folder.path();
        let root = self.system.root_of(folder);
        let is_project = self.system.is_repository(&root) || MARKS.iter().any(|mark| self.system.is_file(&root.join(mark)));
        let root = if is_project { root } else { self.searched.get()?.iter().find(|above| folder.starts_with(above))?.clone() };
        (!self.is_home_or_root(&root)).then_some(root)
    }

    /// Whether a folder is that of all projects of a user, or of the machine.
    fn is_home_or_root(&self, folder: &Path) -> bool {
        self.system.host().variable("HOME").is_some_and(|home| Path::new(&home) == folder) || folder.parent().is_none()
    }

    /// The commands of a script that the user named, without those that are commented out, as far as they are wanted: each with the files that it starts if
    /// these are there, whatever the index of its repository has.
    pub fn launches_of_script(
        &self,
        source: LaunchSource<'_>,
        text: &str,
        is_wanted: impl Fn(&WrittenLaunch) -> bool,
    ) -> Vec<Result<PlacedLaunch, Box<WrittenLaunch>>> {
        let (script, there) = (Script::of(source.path, text), There::default());
        let wanted = script.launches.iter().filter(|launch| !launch.is_comment && is_wanted(launch));
        let place = |launch: Cow<'_, WrittenLaunch>| place_of_script(&*self.system, &there, source, &script, &launch).0;
        let wanted = wanted.flat_map(|launch| matching(&*self.system, source, &script, launch));
        wanted.map(|launch| place(launch).map_err(|unplaced| Box::new(unplaced.launch))).collect()
    }

    /// Takes note of the folders that are searched for configs.
    pub fn searched_in(&self, folders: &[PathBuf]) {
        let _ = self.searched.set(folders.iter().map(|folder| self.system.plain(folder).into_owned()).collect());
    }
}

/// How far files are searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// In a folder and all below it.
    All,
    /// In a folder alone, which may have anything below it.
    Beside,
}

/// What may still be read of a repository.
#[derive(Clone, Copy)]
struct Left {
    bytes: usize,
    signs: usize,
    /// The folders in which launches may still be looked up.
    folders: usize,
}

impl Left {
    const fn is_used_up(self) -> bool {
        self.bytes == 0 || self.signs == 0 || self.folders == 0
    }

    /// Takes a text of a size in bytes with this number of `@`.
    fn take(&mut self, size: usize, signs: usize) {
        self.bytes = self.bytes.saturating_sub(size);
        self.signs = self.signs.saturating_sub(signs.min(MAX_AT_SIGNS_OF_A_TEXT));
    }

    /// Takes folders in which a launch was looked up.
    fn look_up(&mut self, folders: usize) {
        self.folders = self.folders.saturating_sub(folders);
    }
}

/// The launches in a folder, as far as they are searched for. The configs in `checked` are read next.
fn index(system: &dyn System, known: &Scripts, root: &Path, reach: Reach, checked: &[PathBuf]) -> LaunchIndex {
    let mut index = LaunchIndex::default();
    let (scripts, configs) = files(system, root, reach);
    let mut left = Left { bytes: MAX_BYTES, signs: MAX_AT_SIGNS, folders: MAX_LOOKED_UP };
    let mut unplaced: Vec<Unplaced> = Vec::new();
    let there = There::default();
    let mut read = |scripts: &[Found], left: &mut Left| {
        for Found { path, rank } in scripts {
            if left.is_used_up() {
                break;
            }
            let Some(script) = known.read(system, path) else { continue };
            left.take(script.size, script.signs);
            if may_be_script(path) && !script.names_shell {
                continue;
            }
            // What is commented out is not run.
            let written = script.launches.iter().filter(|launch| !launch.is_comment);
            let source = LaunchSource { root, path };
            for launch in written.flat_map(|launch| matching(system, source, &script, launch)) {
                if left.is_used_up() {
                    break;
                }
                let (placed, looked_up) = place_of_script(system, &there, source, &script, &launch);
                left.look_up(looked_up);
                match placed {
                    Ok(placed) => index.add(placed),
                    // No file matches the pattern, so nothing is started.
                    Err(unplaced) if unplaced.launch.pattern.is_some() => {}
                    // Of a file that need not be a script, it is not known where it would run.
                    Err(launch) if *rank < Rank::Elsewhere && unplaced.len() < missing::MAX_LAUNCHES => unplaced.push(*launch),
                    Err(_) => {}
                }
            }
        }
    };
    let read_of = &scripts[..scripts.len().min(MAX_SCRIPTS)];
    let (others, sources) = read_of.split_at(read_of.partition_point(|found| found.rank == Rank::Script));
    read(others, &mut left);
    let configs = &configs[..configs.len().min(MAX_CONFIGS)];
    let InConfigs { launches: in_comments, included } =
        Reading { system, root, configs, checked, there: &there }.launches(&mut left);
    // A repository can have more sources of Python than may be read: they get what scripts and configs leave.
    read(sources, &mut left);
    let scripts: Vec<PathBuf> =
        scripts.into_iter().filter(|found| found.rank < Rank::Elsewhere).map(|found| found.path).collect();
    index.missing = missing::missing(system, root, &unplaced, &scripts);
    let with_files = unplaced.into_iter().map(|unplaced| {
        let files = missing::present(system, root, &unplaced);
        (unplaced.launch, files)
    });
    index.incomplete = with_files.filter(|(_, files)| !files.is_empty()).collect();
    index.includers = included::tops(&included);
    in_comments.into_iter().for_each(|placed| index.add(placed));
    index
}

/// A file that may have launches.
struct Found {
    path: PathBuf,
    rank: Rank,
}

/// In which order such files are read, because a repository can have more than may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A script, or a workflow where such files usually are.
    Script,
    /// A source of Python, of which few start runs.
    Python,
    /// YAML in another folder, or a notebook.
    Elsewhere,
}

/// The scripts and the configs in a folder, each in the order of their paths.
fn files(system: &dyn System, root: &Path, reach: Reach) -> (Vec<Found>, Vec<PathBuf>) {
    let wanted = |path: &Path| {
        let name = name_of(path).unwrap_or_default();
        !name.contains('.') || may_be_config(path) || is_runnable(name) || is_python(name) || is_notebook(name) || is_yaml(name)
    };
    let list = |folder: &Path| {
        let entries = system.entries(folder, Scope::Inside).unwrap_or_default();
        let files = entries.iter().filter(|entry| entry.kind == Kind::File);
        files.map(|entry| folder.join(&entry.name)).collect::<Vec<_>>()
    };
    let found: Vec<PathBuf> = match reach {
        Reach::All => system.search(&[root], SearchOptions::default(), &wanted).into_iter().filter_map(Result::ok).collect(),
        Reach::Beside => list(root).into_iter().filter(|path| wanted(path)).collect(),
    };
    let is_config = |path: &PathBuf| may_be_config(path) && !name_of(path).is_some_and(is_runnable);
    let (mut configs, mut scripts): (Vec<PathBuf>, Vec<PathBuf>) = found.into_iter().partition(is_config);
    scripts.retain(|path| is_script(path));
    let is_job = |path: &PathBuf| name_of(path).is_some_and(|name| is_runnable(name) || is_of_job(name));
    let usual = FOLDERS.iter().chain(&HIDDEN_FOLDERS).filter(|folder| **folder != "docs" && reach == Reach::All);
    let folders: Vec<PathBuf> = [root.to_owned()].into_iter().chain(usual.map(|folder| root.join(folder))).collect();
    scripts.extend(folders.iter().flat_map(|folder| list(folder)).filter(is_job));
    scripts.extend(HIDDEN_FILES.iter().map(|name| root.join(name)).filter(|path| system.is_file(path)));
    let rank = |path: &Path| match name_of(path).unwrap_or_default() {
        name if is_python(name) => Rank::Python,
        name if is_notebook(name) => Rank::Elsewhere,
        name if is_yaml(name) && !folders.iter().any(|folder| path.parent() == Some(folder)) => Rank::Elsewhere,
        _ => Rank::Script,
    };
    let mut scripts: Vec<Found> = scripts.into_iter().map(|path| Found { rank: rank(&path), path }).collect();
    scripts.sort_by_cached_key(|found| (found.rank, in_order(&found.path)));
    scripts.dedup_by(|one, other| one.path.as_os_str() == other.path.as_os_str());
    configs.sort_by_cached_key(|path| in_order(path));
    (scripts, configs)
}

/// What has the order of the paths, folder by folder, and is quicker to compare than thousands of them.
fn in_order(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes.map(|byte| if std::path::is_separator(char::from(*byte)) { 0 } else { *byte }).collect()
}

#[cfg(test)]
mod tests;
