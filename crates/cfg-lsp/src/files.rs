//! Paths and files, in the form that the core needs.

use std::{
    ffi::OsStr,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Component, Path, PathBuf},
};

use cfg_ide::{LeadsTo, Listed};
use cfg_project::may_be_config;
pub(crate) use cfg_system::tidy as normal;
use cfg_system::{Entry, Kind, Role, Scope, System};
use tower_lsp_server::ls_types::Uri;

/// The longest name of a file, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// The role in which a file of this name is read.
pub(crate) fn role(path: &Path) -> Role {
    match path.file_name().and_then(|name| name.to_str()) {
        Some("registry.json") => Role::Registry,
        Some("cfg.toml") => Role::Settings,
        _ => Role::Config,
    }
}

/// The existing file at a path that is relative to the folder of the file `from`, or to a folder above it.
pub(crate) fn of_project(system: &dyn System, from: &Path, path: &str) -> Option<PathBuf> {
    let folders = cfg_system::around(from).skip(1);
    let file = folders.map(|folder| normal(&folder.join(path))).find(|file| system.is_file(file));
    file.filter(|_| !path.is_empty())
}

/// The entries of a folder that a value of a config could name, those of folders with a trailing `/`. Hidden entries are omitted. Configs are relative
/// to the config, and other files to the root of its repository, where runs are started.
pub(crate) fn listed_in(system: &dyn System, config: &Path, listed: Listed, folder: &str) -> Vec<String> {
    let own = config.parent().unwrap_or(config);
    match listed {
        Listed::Configs => {
            let is_other = |path: &Path| may_be_config(path) && normal(path) != normal(config);
            entries_of(system, &own.join(folder), &is_other)
        }
        Listed::FilesOfRun => {
            let root = system.root_of(own);
            let mut names = entries_of(system, &root.join(folder), &|_| true);
            if folder.is_empty() && own != root {
                let beside = entries_of(system, own, &|path| normal(path) != normal(config));
                names.extend(
                    beside
                        .into_iter()
                        .map(|name| way(&root.join("x"), &own.join(&name)) + if name.ends_with('/') { "/" } else { "" }),
                );
            }
            names
        }
    }
}

/// The names of a folder's entries, without hidden ones: folders with a trailing `/`, and the files that are wanted. None if more are in it than the
/// meter has left.
fn entries_of(system: &dyn System, folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let Ok(entries) = system.list(folder, Scope::Inside) else { return Vec::new() };
    if cfg_meter::charge_each(entries.len()).is_err() {
        return Vec::new();
    }
    let named = |entry: Entry| {
        let path = folder.join(&entry.name);
        let name = entry.name.into_string().ok().filter(|name| !name.starts_with('.'))?;
        if entry.kind == Kind::Folder || entry.kind == Kind::Link && system.is_folder(&path) {
            return Some(name + "/");
        }
        is_wanted(&path).then_some(name)
    };
    entries.into_iter().filter_map(named).collect()
}

/// The relative path from one file to another, with `/` as separator, in the form of `toml_files`.
pub(crate) fn way(from: &Path, to: &Path) -> String {
    let from: Vec<Component<'_>> = from.parent().unwrap_or(from).components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[same..].iter().map(|_| "..".to_owned());
    let down = to[same..].iter().map(|component| component.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// The URI of the file to which a link leads; `None` if the file does not exist.
pub(crate) fn linked(system: &dyn System, from: &Path, leads_to: &LeadsTo) -> Option<Uri> {
    let file = match leads_to {
        LeadsTo::Page(..) => return None,
        LeadsTo::File(path) => normal(&from.parent()?.join(path)),
        LeadsTo::FileOfProject(path) => of_project(system, from, path)?,
    };
    Uri::from_file_path(file)
}

/// The path by which a document is known whose own is too long or too deep: one of the same name, in a folder of its own that does not exist, and in no
/// project.
pub(crate) fn stand_in(path: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    path.as_os_str().hash(&mut hasher);
    let root: PathBuf = path.components().take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir)).collect();
    let name = path.file_name().filter(|name| name.len() <= MAX_NAME_BYTES).unwrap_or(OsStr::new("config.toml"));
    root.join(format!("cfg-out-of-reach-{:016x}", hasher.finish())).join(name)
}

/// Whether a file has the ending of TOML.
pub(crate) fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_system::MemorySystem;

    use super::{Listed, listed_in, way};

    #[test]
    fn a_folder_has_configs_and_folders() {
        let files = ["own.toml", "base.toml", "cfg.toml", "notes.md", ".hidden.toml", "parts/long.toml"];
        let system = MemorySystem::with_files(files.map(|file| (file, "")));
        let listed = |below: &str| {
            let mut names = listed_in(&system, Path::new("/own.toml"), Listed::Configs, below);
            names.sort();
            names
        };
        assert_eq!(listed(""), ["base.toml", "parts/"]);
        assert_eq!(listed("parts/"), ["long.toml"]);
        assert_eq!(listed("nowhere/"), [""; 0]);
    }

    #[test]
    fn files_of_a_run_are_those_of_the_repository_and_those_beside_the_config() {
        let files = ["p/.git/HEAD", "p/chat.jinja", "p/configs/rl.toml", "p/configs/own.jinja", "p/configs/parts/a.toml"];
        let system = MemorySystem::with_files(files.map(|file| (file, "")));
        let listed = |below: &str| {
            let mut names = listed_in(&system, Path::new("/p/configs/rl.toml"), Listed::FilesOfRun, below);
            names.sort();
            names
        };
        assert_eq!(listed(""), ["chat.jinja", "configs/", "configs/own.jinja", "configs/parts/"]);
        assert_eq!(listed("configs/"), ["own.jinja", "parts/", "rl.toml"]);
    }

    #[test]
    fn relative_paths_lead_from_file_to_file() {
        assert_eq!(way(Path::new("/a/b/run.toml"), Path::new("/a/base.toml")), "../base.toml");
        assert_eq!(way(Path::new("/a/run.toml"), Path::new("/a/b/base.toml")), "b/base.toml");
        assert_eq!(way(Path::new("/a/run.toml"), Path::new("/a/base.toml")), "base.toml");
    }
}
