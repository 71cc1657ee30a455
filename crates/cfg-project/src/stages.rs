//! Runs in stages: each stage has its own config, and resumes where the previous one ends.

use std::path::{Path, PathBuf};

use cfg_diag::Order as _;
use cfg_system::{Kind, Role, Scope, System};

/// The maximum number of files that are read.
const MAX_FILES: usize = 64;

/// The number of folders above a config that may be folders of stages: `stage1/train.toml` and `stage2/train.toml`, `stage1/rl/train.toml`.
const LEVELS: usize = 2;

/// Whether a config other than `file` ends at this step: one in its folder, or one of the same name in a neighbouring folder.
pub(crate) fn ends_with(system: &dyn System, file: &Path, step: i64) -> bool {
    let own = system.plain(file);
    let Some(folder) = own.parent() else { return false };
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let beside = named(system, folder, Kind::File).into_iter().filter(is_toml);
    let levels =
        cfg_system::around(folder).take(LEVELS).filter_map(|level| Some((level.parent()?, own.strip_prefix(level).ok()?)));
    let around =
        levels.flat_map(|(above, rest)| named(system, above, Kind::Folder).into_iter().map(move |folder| folder.join(rest)));
    beside.chain(around).filter(|path| *path != own).take(MAX_FILES).any(|path| last_step(system, &path) == Some(step))
}

fn named(system: &dyn System, folder: &Path, kind: Kind) -> Vec<PathBuf> {
    let mut entries = system.list(folder, Scope::Inside).unwrap_or_default();
    entries.retain(|entry| entry.kind == kind);
    entries.order_by(|one, other| one.name.cmp(&other.name));
    entries.into_iter().map(|entry| folder.join(entry.name)).collect()
}

fn last_step(system: &dyn System, path: &Path) -> Option<i64> {
    let text = system.text(path, Role::Config).filter(|text| text.contains("max_steps"))?;
    let root = text.parse::<toml::Table>().ok()?;
    root.get("max_steps").or_else(|| root.get("trainer")?.get("max_steps"))?.as_integer()
}
