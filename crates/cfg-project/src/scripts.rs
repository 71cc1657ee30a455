//! The files of a project that may contain launches: scripts, recipes, workflows and pages. Each is read once, whatever asks for its launches.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use cfg_compose::{Form, FoundLaunches, WrittenLaunch, launches_of_form};
use cfg_system::{PathMap, Role, System, file_name};

/// The subfolders of a project that contain scripts; its own folder is searched as well.
pub(crate) const FOLDERS: [&str; 10] =
    ["scripts", "script", "slurm", "jobs", "docker", "tools", "bin", "docs", ".github/workflows", "templates"];

/// The endings of scripts and recipes, which are read wherever they are in a repository.
const ENDINGS: [&str; 10] = [".sh", ".bash", ".zsh", ".fish", ".mk", ".just", ".sbatch", ".slurm", ".dockerfile", POWERSHELL];

/// The ending of scripts of PowerShell.
const POWERSHELL: &str = ".ps1";

/// The names of recipes, and the beginnings of the names of those for images of containers.
const RECIPES: [&str; 6] = ["makefile", "gnumakefile", "justfile", ".justfile", "procfile", "tox.ini"];
const IMAGES: [&str; 2] = ["dockerfile", "containerfile"];

/// The names of files with the scripts and tasks of a project, or of an editor.
const OF_TASKS_IN_TOML: [&str; 5] = ["pyproject.toml", "pixi.toml", "poe_tasks.toml", "mise.toml", ".mise.toml"];
const OF_TASKS_IN_JSON: [&str; 5] = ["package.json", "deno.json", "tasks.json", "launch.json", "devcontainer.json"];

/// The endings of workflows and jobs: in the folders where such files usually are, and elsewhere behind everything else.
const OF_YAML: [&str; 2] = [".yml", ".yaml"];
const OF_TEMPLATES: &str = ".j2";

/// The ending of notebooks.
const OF_NOTEBOOKS: &str = ".ipynb";

/// The ending of sources that may start runs as programs of their own.
const OF_PYTHON: &str = ".py";

/// The ending of pages, whose commands people copy.
const OF_PAGES: &str = ".md";

/// The maximum number of folders that a workflow names.
const MAX_FOLDERS: usize = 16;

/// A script or page, as far as launches are concerned.
#[derive(Debug)]
pub(crate) struct Script {
    /// Its launches, in their order.
    pub(crate) launches: Vec<WrittenLaunch>,
    /// The folders in which a workflow or a source of Python runs its commands, if it says so.
    pub(crate) folders: Vec<String>,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// The number of `@` in what may be commands, each of which may be that of a launch.
    pub(crate) signs: usize,
    /// Whether it names the program that runs it.
    pub(crate) names_shell: bool,
}

/// The scripts and pages that were read, by their paths; `None` for one that can't be read.
#[derive(Debug, Default)]
pub(crate) struct Scripts(Mutex<PathMap<Option<Arc<Script>>>>);

impl Scripts {
    /// What a file contains.
    pub(crate) fn read(&self, system: &dyn System, path: &Path) -> Option<Arc<Script>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path.as_os_str()).cloned();
        known.unwrap_or_else(|| {
            let read = system.text(path, Role::Project).map(|text| Arc::new(Script::of(path, &text)));
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.as_os_str().to_owned(), read.clone());
            read
        })
    }
}

impl Script {
    pub(crate) fn of(path: &Path, text: &str) -> Self {
        let name = name_of(path).unwrap_or_default();
        let FoundLaunches { launches, mut folders, signs } = launches_of_form(form(name), text);
        if is_of_job(name) {
            folders.extend(working_folders(text));
        }
        Self { launches, folders, size: text.len(), signs, names_shell: text.starts_with("#!") }
    }
}

/// How a file has its commands, by its name.
fn form(name: &str) -> Form {
    let is_one_of = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    match name {
        _ if is_python(name) => Form::Python,
        _ if has_ending(name, OF_NOTEBOOKS) => Form::Notebook,
        _ if has_ending(name, POWERSHELL) => Form::PowerShell,
        _ if is_yaml(name) => Form::Yaml,
        _ if is_one_of(&OF_TASKS_IN_TOML) => Form::Toml,
        _ if is_one_of(&OF_TASKS_IN_JSON) => Form::Json,
        _ => Form::Shell,
    }
}

/// The launches in the text of a file, by its form.
pub fn launches_in_file(path: &Path, text: &str) -> Vec<WrittenLaunch> {
    launches_of_form(form(name_of(path).unwrap_or_default()), text).launches
}

/// Whether the commands of a file are lines of a shell, in which each flag stands as it is passed.
pub fn has_lines_of_shell(path: &Path) -> bool {
    matches!(form(name_of(path).unwrap_or_default()), Form::Shell | Form::Yaml)
}

/// Whether a file may name launches, by its own name: a script, a recipe, or a page of documentation.
pub fn may_have_launches(path: &Path) -> bool {
    name_of(path).is_some_and(|name| is_runnable(name) || is_of_job(name) || is_notebook(name) || has_ending(name, OF_PAGES))
}

/// Whether commands in a file of this name may start runs, and are checked: a script, a recipe, a workflow. Of a file of a job, its folder decides.
pub fn is_script(path: &Path) -> bool {
    let is_named = |name: &str| is_runnable(name) || is_python(name) || is_of_job(name) || is_notebook(name);
    name_of(path).is_some_and(|name| is_named(name) || is_bare(path, name))
}

/// Whether the name of a file alone shows that it is a script, and no config.
pub fn is_only_script(path: &Path) -> bool {
    let is_named = |name: &str| (is_runnable(name) || is_python(name) || is_notebook(name)) && !has_ending(name, ".toml");
    name_of(path).is_some_and(is_named)
}

/// Whether a file of this name is a source of Python.
pub(crate) fn is_python(name: &str) -> bool {
    has_ending(name, OF_PYTHON)
}

/// Whether a file of this name is a notebook.
pub(crate) fn is_notebook(name: &str) -> bool {
    has_ending(name, OF_NOTEBOOKS)
}

/// Whether a file of this name is YAML.
pub(crate) fn is_yaml(name: &str) -> bool {
    OF_YAML.iter().any(|ending| has_ending(name, ending))
}

/// Whether only its text shows whether a file is a script: it is in a folder of scripts, and its name has no ending.
pub(crate) fn may_be_script(path: &Path) -> bool {
    name_of(path).is_some_and(|name| is_bare(path, name) && !is_runnable(name))
}

/// The name of a file.
pub(crate) fn name_of(path: &Path) -> Option<&str> {
    file_name(path).and_then(|name| name.to_str())
}

/// Whether a file of this name is a script or a recipe wherever it is. Case does not matter in any name.
pub(crate) fn is_runnable(name: &str) -> bool {
    let names = [&RECIPES[..], &OF_TASKS_IN_TOML, &OF_TASKS_IN_JSON];
    let begins = |image: &str| name.get(..image.len()).is_some_and(|start| start.eq_ignore_ascii_case(image));
    // Asked for every file of a repository; most have an ending that is none of these.
    let ending = name.rfind('.').map_or("", |dot| &name[dot..]);
    ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
        || names.iter().any(|names| names.iter().any(|known| name.eq_ignore_ascii_case(known)))
        || IMAGES.iter().any(|image| begins(image))
}

/// Whether a file of this name is a workflow or a job in a folder of such files.
pub(crate) fn is_of_job(name: &str) -> bool {
    is_yaml(name) || has_ending(name, OF_TEMPLATES)
}

fn has_ending(name: &str, ending: &str) -> bool {
    let start = name.len().checked_sub(ending.len());
    start.and_then(|start| name.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// Whether a file without an ending is in a folder of scripts.
fn is_bare(path: &Path, name: &str) -> bool {
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    !name.contains('.') && folder.is_some_and(|folder| FOLDERS.contains(&folder))
}

fn working_folders(text: &str) -> Vec<String> {
    let value =
        |line: &str| Some(line.trim_start().trim_start_matches("- ").strip_prefix("working-directory:")?.trim().to_owned());
    let folders = text.lines().filter_map(value).map(|folder| folder.trim_matches(['"', '\'']).to_owned());
    let mut folders: Vec<String> = folders.filter(|folder| !folder.contains('$')).collect();
    folders.sort_unstable();
    folders.dedup();
    folders.truncate(MAX_FOLDERS);
    folders
}
