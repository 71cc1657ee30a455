//! prime-rl in a `uv.lock`.

use cfg_system::Role;
use toml::de::DeTable;

use super::{Detection, TargetSource, checkout, past::Past, pyproject::revision_in_query, reference, requirement};
use crate::folder::Folder;

/// The maximum length of a line with a version or a source, in bytes. No package has longer ones; messages quote them.
const LONGEST_LINE: usize = 4096;

/// The prime-rl in the lock file of `folder`.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let path = folder.path().join("uv.lock");
    let package = locked(folder)?;
    let source = TargetSource::UvLock { path };
    if let Some(url) = &package.git {
        let (url, sha) = url.split_once('#')?;
        return Some(of_git(url, sha, package.version.as_deref().filter(|_| !package.is_configs), source));
    }
    // A folder is used as it is now, whatever version it had when it was locked.
    let used = package.folder.map(|below| folder.path().join(below));
    if let Some(detection) = used.and_then(|used| checkout::around(folder, &used)) {
        return Some(detection);
    }
    let by_url = package.url.as_deref().and_then(requirement::in_url);
    if let Some(detection) = by_url.and_then(|pin| reference::of_pin(folder, folder.path(), &pin, source.clone())) {
        return Some(detection);
    }
    let version = package.version?;
    if package.is_configs {
        return reference::of_pin(folder, folder.path(), &requirement::Pin::OwnVersion(&version), source);
    }
    Some(reference::of_version(&version, source))
}

/// The prime-rl in the lock file, if that says where it is from: a repository, an archive, or a folder.
pub(super) fn of_source(folder: &Folder) -> Option<Detection> {
    let package = locked(folder)?;
    let has_source = package.git.is_some() || package.url.is_some() || package.folder.is_some();
    has_source.then(|| detect(folder)).flatten()
}

fn locked(folder: &Folder) -> Option<Package> {
    package(&folder.text("uv.lock", Role::LockFile)?)
}

/// The target of a locked commit. `url` does not contain the commit; `version` is prime-rl's version at it.
fn of_git(url: &str, sha: &str, version: Option<&str>, source: TargetSource) -> Detection {
    let revision = revision_in_query(url);
    reference::of_commit(sha, source.clone(), || Past::Unknown).or_else(|problem| {
        // A tag is the name of a known release, even if its commit is not on the main line.
        if let Some(Ok(by_name)) =
            revision.filter(|name| *name != "main").and_then(|name| reference::of_revision(name, source.clone()))
        {
            return Ok(by_name);
        }
        let is_of_main_line = reference::is_upstream(url) && matches!(revision, None | Some("main" | "HEAD"));
        let is_newer = version
            .and_then(|version| reference::of_version(version, source.clone()).ok())
            .is_some_and(|found| found.target.is_beyond);
        // The history has all commits of the main line up to its end, so an unknown commit is newer.
        if is_of_main_line || is_newer { Ok(reference::of_newer_commit(sha, source)) } else { Err(problem) }
    })
}

/// The commit or version of a package in a lock file; `None` if it is used from a folder, or missing.
pub(super) fn pin_of(text: &str, package: &str) -> Option<String> {
    let found = entry_of(text, package)?;
    match (found.git, found.folder) {
        // A prime-rl that is installed from git uses the packages in its own folders.
        (Some(url), _) => {
            let (place, sha) = url.split_once('#')?;
            let repository = place.split('?').next().unwrap_or_default();
            (!reference::names_prime_rl(repository)).then(|| sha.to_owned())
        }
        (None, Some(_)) => None,
        (None, None) => found.version,
    }
}

/// The entry of a package.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) version: Option<String>,
    /// The URL of its repository, with the commit after a `#`.
    pub(crate) git: Option<String>,
    /// A folder whose sources are used directly.
    pub(crate) folder: Option<String>,
    url: Option<String>,
    /// Whether it is the distribution that has only the config classes.
    is_configs: bool,
}

/// The entry of a package in a lock file.
pub(crate) fn entry_of(text: &str, package: &str) -> Option<Package> {
    let head = format!("name = \"{package}\"");
    let mut lines = text.lines();
    while lines.find(|line| *line == "[[package]]").is_some() {
        if lines.next() == Some(&head) {
            return Some(entry(lines));
        }
    }
    None
}

/// Finds prime-rl's entry, or that of its config classes if there is no other. A lock file has thousands of entries, but only the lines of this
/// one are parsed, which is possible because all are in uv's own format.
fn package(text: &str) -> Option<Package> {
    // Going through the lines is several times faster than searching the text for the name, because lines are long.
    let mut lines = text.lines();
    let mut configs = None;
    while lines.find(|line| *line == "[[package]]").is_some() {
        match lines.next() {
            Some("name = \"prime-rl\"") => return Some(entry(lines)),
            Some("name = \"prime-rl-configs\"") => configs = Some(Package { is_configs: true, ..entry(lines.clone()) }),
            _ => {}
        }
    }
    configs
}

fn entry<'t>(lines: impl Iterator<Item = &'t str>) -> Package {
    let mut package = Package::default();
    for line in lines.take_while(|line| !line.is_empty() && !line.starts_with('[')) {
        let is_read = line.starts_with("version = ") || line.starts_with("source = ");
        if !is_read || line.len() > LONGEST_LINE {
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
                    package.url = text("url");
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
    fn only_the_package_s_own_lock_entry_is_read() {
        let text = "version = 1\n\n[[package]]\nname = \"mine\"\nversion = \"1\"\ndependencies = [\n    { name = \"prime-rl\" },\n]\n\n[[package]]\r\nname = \"prime-rl\"\r\nversion = \"0.5.0\"\r\nsource = { git = \"https://x/prime-rl?rev=main#0123\" }\r\ndependencies = [\n    { name = \"a\", version = \"7\" },\n]\n\n[package.metadata]\nversion = \"9\"\n";
        let found = package(text).expect("it is there");
        assert_eq!((found.version.as_deref(), found.git.as_deref()), (Some("0.5.0"), Some("https://x/prime-rl?rev=main#0123")));
        let configs = "[[package]]\nname = \"prime-rl-configs\"\nversion = \"0.4.0\"\nsource = { url = \"https://x/y.zip\" }\n\n";
        let found = package(configs).expect("it is there");
        assert_eq!((found.is_configs, found.url.as_deref()), (true, Some("https://x/y.zip")));
        assert_eq!(package(&(configs.to_owned() + text)), package(text));
        assert_eq!(package(""), None);
    }

    #[test]
    fn a_version_of_megabytes_is_not_read() {
        let of = |version: &str| {
            let text = format!("[[package]]\nname = \"prime-rl\"\nversion = \"{version}\"\nsource = {{ virtual = \".\" }}\n");
            package(&text).expect("it is there")
        };
        assert_eq!(of("0.5.0+local.1").version.as_deref(), Some("0.5.0+local.1"));
        let found = of(&"1.".repeat(1_000_000));
        assert_eq!((found.version, found.folder.as_deref()), (None, Some(".")));
    }
}
