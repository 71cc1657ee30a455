//! The user's rules for all repositories: git's `core.excludesFile`.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use ignore::gitignore::Gitignore;

/// The setting of git that names the file.
const SETTING: &[u8] = b"excludesfile";

/// The maximum size of a file of git's settings in which the name is searched for, in bytes.
const MAX_BYTES: u64 = 256 << 10;

/// The user's rules. Most people have none, which is found out without the parser of the settings: it is made of a pattern that takes longer to compile than
/// one config to check.
pub(super) fn rules() -> Gitignore {
    if may_have_rules().unwrap_or(true) { Gitignore::global().0 } else { Gitignore::empty() }
}

/// Whether any settings name a file of rules, or the usual one is there; `None` if that is not known.
fn may_have_rules() -> Option<bool> {
    let set = |name: &str| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let home = env::home_dir()?;
    let of_user = set("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("git");
    let of_machine = set("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    let settings = [set("GIT_CONFIG_GLOBAL"), Some(home.join(".gitconfig")), Some(of_user.join("config")), Some(of_machine)];
    let is_there = of_user.join("ignore").symlink_metadata().is_ok();
    Some(is_there || settings.iter().flatten().any(|path| may_name_rules(path)))
}

/// Whether a file of settings may name a file of rules.
fn may_name_rules(settings: &Path) -> bool {
    match settings.metadata() {
        Err(_) => false,
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_BYTES => {
            fs::read(settings).map_or(true, |text| text.windows(SETTING.len()).any(|part| part.eq_ignore_ascii_case(SETTING)))
        }
        Ok(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::may_name_rules;

    #[test]
    fn only_settings_with_the_name_are_parsed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config");
        assert!(!may_name_rules(&file));
        assert!(may_name_rules(folder.path()));
        for (text, is_named) in [("", false), ("[user]\nname = x\n", false), ("[core]\n\tExcludesFile = ~/x\n", true)] {
            fs::write(&file, text).expect("the settings");
            assert_eq!(may_name_rules(&file), is_named, "{text}");
        }
    }
}
