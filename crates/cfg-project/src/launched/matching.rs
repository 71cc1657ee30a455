//! Launches whose files are those that a pattern matches: `for f in configs/*.toml; do uv run rl @ $f; done`.

use std::{borrow::Cow, path::Path};

use cfg_compose::WrittenLaunch;
use cfg_system::{Kind, Scope, System, tidy};

use super::placed::{LaunchSource, folders};
use crate::scripts::Script;

/// The maximum number of files that a pattern stands for.
const MAX_FILES: usize = 64;

/// A launch of a script for each file that its pattern matches in the first folder with any; the launch itself if it has none.
pub(super) fn matching<'l>(
    system: &dyn System,
    source: LaunchSource<'_>,
    script: &Script,
    launch: &'l WrittenLaunch,
) -> Vec<Cow<'l, WrittenLaunch>> {
    let Some(pattern) = launch.pattern.as_deref() else { return vec![Cow::Borrowed(launch)] };
    let (below, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let in_folder = |folder: &Path| -> Vec<String> {
        let folder = tidy(&folder.join(below));
        if !folder.starts_with(source.root) {
            return Vec::new();
        }
        let entries = system.list(&folder, Scope::Inside).unwrap_or_default().into_iter();
        let files = entries.filter(|entry| entry.kind == Kind::File).filter_map(|entry| entry.name.into_string().ok());
        let mut names: Vec<String> = files.filter(|file| matches(name, file)).collect();
        names.sort_unstable();
        names.truncate(MAX_FILES);
        names
    };
    let mut around = launch.clone();
    around.folders.extend(script.folders.iter().cloned());
    let found = folders(source, &around).iter().map(|folder| in_folder(folder)).find(|names| !names.is_empty());
    let Some(names) = found else { return vec![Cow::Borrowed(launch)] };
    let path_of = |name: String| if below.is_empty() { name } else { format!("{below}/{name}") };
    names.into_iter().map(|name| Cow::Owned(launch.for_match(&path_of(name)))).collect()
}

/// Whether a pattern matches the name of a file. As in a shell, a hidden file is only matched by a pattern that begins with a dot.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first).filter(|_| !name.starts_with('.') || first.starts_with('.')) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_matches_as_in_a_shell() {
        for (pattern, name, is_matched) in [
            ("*.toml", "a.toml", true),
            ("*.toml", ".a.toml", false),
            ("a*b*.toml", "axxbyy.toml", true),
            ("a*b*.toml", "axx.toml", false),
            ("a*a.toml", "a.toml", false),
            ("rl_*.toml", "rl_1.toml", true),
        ] {
            assert_eq!(matches(pattern, name), is_matched, "{pattern} {name}");
        }
    }
}
