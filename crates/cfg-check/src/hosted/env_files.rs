//! The files with variables that a config for hosted training names: `env_files = ["secrets.env"]`.

use std::path::Path;

use cfg_diag::{Diagnostic, FileId, Location, codes};
use cfg_syntax::{Document, Value};
use cfg_system::{Role, System};

/// The findings for files that are neither beside the config nor in the working folder.
pub(crate) fn missing(system: &dyn System, file: FileId, path: &str, document: &Document) -> Vec<Diagnostic> {
    let config = Path::new(path);
    // Without the config itself, as in a playground, nothing is known of the files beside it.
    if !system.is_file(config) {
        return Vec::new();
    }
    let values = ["env_files", "env_file"].into_iter().filter_map(|key| Some((key, document.root.value(key)?)));
    let texts = values.flat_map(|(key, value)| {
        let items = if value.as_str().is_some() { std::slice::from_ref(value) } else { value.items() };
        items.iter().map(move |item| (key, item))
    });
    texts.filter(|(_, item)| is_missing(system, config, item)).map(|(key, item)| finding(file, key, item)).collect()
}

fn is_missing(system: &dyn System, config: &Path, item: &Value) -> bool {
    let Some(name) = item.as_str().filter(|name| !name.is_empty() && !name.starts_with('~') && !name.contains('$')) else {
        return false;
    };
    let is_not_there = |path: &Path| system.has_inside(path) == Some(false);
    let beside = config.with_file_name(name);
    is_not_there(&beside)
        && (is_not_there(Path::new(name)) || is_not_in_folder(system, config, name))
        && !is_ignored(system, &beside)
}

/// Whether a file is not in the working folder, where that is not in a repository with the config. A repository must not learn what is outside of it.
fn is_not_in_folder(system: &dyn System, config: &Path, name: &str) -> bool {
    let is_cloned = system.is_repository(&system.root_of(&system.absolute(config)));
    !is_cloned && !name.contains(['/', '\\']) && !system.is_there(Path::new(name))
}

/// Whether git ignores a file of this name: then it is absent from a clone on purpose.
fn is_ignored(system: &dyn System, path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let path = system.absolute(path);
    let root = system.root_of(&path);
    let folders = cfg_system::around(&path).skip(1).take_while(|folder| folder.starts_with(&root));
    let texts = folders.filter_map(|folder| system.text(&folder.join(".gitignore"), Role::Ignores));
    texts.into_iter().any(|text| text.lines().any(|line| fits(line.trim().rsplit('/').next().unwrap_or_default(), name)))
}

/// Whether a pattern with at most one `*` fits a name.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
    }
}

fn finding(file: FileId, key: &str, item: &Value) -> Diagnostic {
    let name = item.as_str().unwrap_or_default();
    let place = if Path::new(name).is_absolute() { "" } else { " next to this config" };
    let message = format!("there is no file `{name}`{place}, so `prime train` has no variables from it");
    let help = "create it there, or correct the path; keep it out of version control, because it contains secrets";
    Diagnostic::new(&codes::MISSING_ENV_FILE, message).at(Location::new(file, item.span)).key(key).help(help)
}
