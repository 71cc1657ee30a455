//! Targets that a user has imported: `local:NAME`.

use std::path::{Path, PathBuf};

use cfg_schema::{Target, compiler::SUFFIX};
use cfg_system::{Role, System};

use super::named_folder::{self, NamedBy};

/// The prefix of an imported entry's name.
pub const LOCAL: &str = Target::LOCAL;

/// The folder of a project that contains imported entries.
pub const ENTRIES: &str = ".cfg/schemas";

/// The target of a text that names an imported entry or a checkout; `None` for other texts. `local:NAME` is the entry of that name in `.cfg/schemas`
/// of `folder` or of the nearest folder above it that has one, `local:PATH` the file at a path relative to `folder`, and `path:../prime-rl` a
/// checkout.
///
/// A text in a repository can't name every checkout, so that it can't make `cfg` read arbitrary files.
///
/// # Errors
/// The problem, and what to do about it, if there is no such entry, or it can't or must not be read.
pub fn local_target(
    system: &dyn System,
    text: &str,
    folder: &Path,
    named_by: NamedBy,
) -> Option<Result<Target, (String, String)>> {
    if let Some(of_checkout) = named_folder::path_target(system, text, folder, named_by) {
        return Some(of_checkout);
    }
    let name = text.trim().strip_prefix(LOCAL)?;
    Some(load(system, name, folder))
}

fn load(system: &dyn System, name: &str, folder: &Path) -> Result<Target, (String, String)> {
    let import = || "create one with `cfg schema import PATH-TO-PRIME-RL`".to_owned();
    let Some(path) = entry_path(system, name, folder) else {
        return Err((format!("no imported entry `{name}`"), import()));
    };
    let shown = path.display();
    let bytes = system.read(&path, Role::SchemaEntry).map_err(|error| (format!("{shown}: {error}"), import()))?;
    let no_text = |_| (format!("{shown} is not a schema entry: it is not UTF-8"), import());
    let text = String::from_utf8(bytes).map_err(no_text)?;
    let entry = cfg_schema::compiler::read_entry(&text)
        .map_err(|error| (format!("{shown} is not a schema entry: {error}"), "import it again".to_owned()))?;
    Ok(Target::at(entry.history, entry.nearest, format!("{LOCAL}{name}")))
}

fn entry_path(system: &dyn System, name: &str, folder: &Path) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|ending| ending == SUFFIX) {
        return Some(folder.join(name));
    }
    let folder = system.absolute(folder);
    cfg_system::around(&folder)
        .map(|above| above.join(ENTRIES).join(format!("{name}.{SUFFIX}")))
        .find(|path| system.is_file(path))
}
