//! The file that somebody may have meant who named one that does not exist.

use std::path::{Path, PathBuf};

use cfg_system::{Kind, Scope, System};

/// The path of an existing file that is most similar to one that does not exist: another name in its folder, or its name in the working folder.
pub fn near_file(path: &Path, system: &dyn System) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let names = system.list(folder.unwrap_or(Path::new(".")), Scope::Inside).unwrap_or_default().into_iter();
    let files = names.filter(|entry| entry.kind == Kind::File).filter_map(|entry| entry.name.into_string().ok());
    let ending = |name: &str| Path::new(name).extension().map(std::ffi::OsStr::to_owned);
    let same = files
        .filter(|other| ending(other) == ending(name) || ending(name).is_none() && ending(other).is_some_and(|it| it == "toml"));
    let stem =
        |name: &str| Path::new(&name.to_lowercase()).with_extension("").to_string_lossy().replace(['-', '_', '.', ' '], "");
    let wanted = stem(name);
    let near = same.filter_map(|other| {
        let distance = strsim::damerau_levenshtein(&stem(&other), &wanted);
        (distance <= 1 + wanted.len() / 4).then_some((distance, other))
    });
    if let Some((_, near)) = near.min() {
        return Some(folder.map_or_else(|| PathBuf::from(&near), |folder| folder.join(&near)));
    }
    folder.map(|_| PathBuf::from(name)).filter(|here| system.is_file(here))
}
