//! The config that a run left in its folder.

use std::path::{Path, PathBuf};

use cfg_system::{Kind, Scope, System};

/// The names of the config of a whole run.
const NAMES: [&str; 2] = ["rl.toml", "sft.toml"];

/// The config with which a run was started, as its launcher left it: in `configs`, or in `configs/attempt_N` of the newest attempt; `None` if there is
/// none.
pub fn left_config(system: &dyn System, run: &Path) -> Option<PathBuf> {
    let configs = run.join("configs");
    let entries = system.list(&configs, Scope::Anywhere).unwrap_or_default();
    let folders = entries.into_iter().filter(|entry| entry.kind == Kind::Folder);
    let attempts = folders.filter_map(|entry| entry.name.to_str()?.strip_prefix("attempt_")?.parse::<u32>().ok());
    let newest = attempts.max().map(|attempt| configs.join(format!("attempt_{attempt}")));
    let folders = newest.into_iter().chain([configs.join("latest"), configs, run.join("launcher")]);
    folders.flat_map(|folder| NAMES.map(|name| folder.join(name))).find(|path| system.is_file(path))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use cfg_system::MemorySystem;

    use super::left_config;

    #[test]
    fn the_config_of_the_newest_attempt_is_found() {
        let left = |files: &[&str]| {
            let files = files.iter().map(|path| (*path, "x"));
            left_config(&MemorySystem::with_files(files), Path::new("/run"))
        };
        assert_eq!(left(&["/run/configs/sft.toml"]), Some(PathBuf::from("/run/configs/sft.toml")));
        let attempts = ["/run/configs/attempt_2/rl.toml", "/run/configs/attempt_10/rl.toml", "/run/configs/rl.toml"];
        assert_eq!(left(&attempts), Some(PathBuf::from("/run/configs/attempt_10/rl.toml")));
        assert_eq!(left(&["/run/rl.toml"]), None);
    }
}
