//! prime-rl in a `uv.lock`.

use cfg_system::Role;
use toml::de::DeTable;

use super::{Detection, TargetSource, checkout, pyproject::revision_in_query, reference};
use crate::folder::Folder;

/// What the lock file of `folder` holds of prime-rl.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let path = folder.path().join("uv.lock");
    let text = folder.text("uv.lock", Role::LockFile)?;
    let package = package(&text)?;
    let source = TargetSource::UvLock { path };
    if let Some(url) = package.git {
        let (url, sha) = url.split_once('#')?;
        let by_commit = reference::of_commit(sha, source.clone(), || None);
        // A tag names a known release even where its commit lies beside the main line.
        let by_name = || reference::of_revision(revision_in_query(url)?, source).filter(Result::is_ok);
        return Some(by_commit.or_else(|problem| by_name().unwrap_or(Err(problem))));
    }
    // A folder is used as it lies there, whatever version it had when it was locked.
    let used = package.folder.map(|below| folder.path().join(below));
    if let Some(detection) = used.and_then(|used| checkout::at(folder.system(), &used)) {
        return Some(detection);
    }
    package.version.map(|version| reference::of_version(&version, source))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Package {
    version: Option<String>,
    git: Option<String>,
    folder: Option<String>,
}

/// Finds prime-rl's entry. A lock file has thousands of entries, each of which uv writes in the same way: only the lines of this one
/// are parsed.
fn package(text: &str) -> Option<Package> {
    // Going by lines is several times faster than a search for the name: lines are long.
    let mut lines = text.lines();
    while lines.find(|line| *line == "[[package]]").is_some() {
        if lines.next() == Some("name = \"prime-rl\"") {
            return Some(entry(lines));
        }
    }
    None
}

fn entry<'t>(lines: impl Iterator<Item = &'t str>) -> Package {
    let mut package = Package::default();
    for line in lines.take_while(|line| !line.is_empty() && !line.starts_with('[')) {
        if !line.starts_with("version = ") && !line.starts_with("source = ") {
            continue;
        }
        let Ok(entry) = DeTable::parse(line) else { continue };
        for (key, value) in entry.get_ref() {
            match value.get_ref().as_table() {
                None if key.get_ref() == "version" => package.version = value.get_ref().as_str().map(str::to_owned),
                None => {}
                Some(source) => {
                    let text = |key: &str| source.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned);
                    package.git = text("git");
                    package.folder = text("editable").or_else(|| text("directory")).or_else(|| text("virtual"));
                }
            }
        }
    }
    package
}

#[cfg(test)]
mod tests {
    use super::package;

    #[test]
    fn only_the_entry_itself_is_taken() {
        let text = "version = 1\n\n[[package]]\nname = \"mine\"\nversion = \"1\"\ndependencies = [\n    { name = \"prime-rl\" },\n]\n\n[[package]]\r\nname = \"prime-rl\"\r\nversion = \"0.5.0\"\r\nsource = { git = \"https://x/prime-rl?rev=main#0123\" }\r\ndependencies = [\n    { name = \"a\", version = \"7\" },\n]\n\n[package.metadata]\nversion = \"9\"\n";
        let found = package(text).expect("it is there");
        assert_eq!((found.version.as_deref(), found.git.as_deref()), (Some("0.5.0"), Some("https://x/prime-rl?rev=main#0123")));
        assert_eq!(package("[[package]]\nname = \"prime-rl-configs\"\n"), None);
        assert_eq!(package(""), None);
    }
}
