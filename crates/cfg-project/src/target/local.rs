//! Targets that a user has imported: `local:NAME`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cfg_history::SUFFIX;
use cfg_schema::Target;

/// What stands in front of the name of an imported entry.
pub const LOCAL: &str = Target::LOCAL;

/// The folder of a project in which imported entries lie.
pub const ENTRIES: &str = ".cfg/schemas";

/// The target that `text` names, if it names an imported entry: `local:NAME` is the entry of that name in `.cfg/schemas` of `folder` or of the
/// nearest folder above it that has one, `local:PATH` the file at a path from `folder`.
///
/// # Errors
/// In a sentence, with what to do, where there is no such entry, or it can't be read.
pub fn local_target(text: &str, folder: &Path) -> Option<Result<Target, (String, String)>> {
    let name = text.trim().strip_prefix(LOCAL)?;
    Some(load(name, folder))
}

fn load(name: &str, folder: &Path) -> Result<Target, (String, String)> {
    let import = || "`cfg schema import PATH-TO-PRIME-RL` makes one".to_owned();
    let Some(path) = entry_path(name, folder) else {
        return Err((format!("there is no imported entry `{name}`"), import()));
    };
    let shown = path.display();
    let text = fs::read_to_string(&path).map_err(|error| (format!("{shown}: {error}"), import()))?;
    let entry = cfg_history::read_entry(&text)
        .map_err(|error| (format!("{shown} is no entry of the schema history: {error}"), "import it again".to_owned()))?;
    Ok(Target { point: entry.nearest, name: format!("{LOCAL}{name}"), history: entry.history })
}

fn entry_path(name: &str, folder: &Path) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|ending| ending == SUFFIX) {
        return Some(folder.join(name));
    }
    let folder = std::path::absolute(folder).ok()?;
    folder.ancestors().map(|above| above.join(ENTRIES).join(format!("{name}.{SUFFIX}"))).find(|path| path.is_file())
}
