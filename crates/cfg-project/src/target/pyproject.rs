//! prime-rl among the dependencies in a `pyproject.toml`.

use toml::de::{DeTable, DeValue};

use super::{Detection, TargetSource, checkout, reference};
use crate::folder::Folder;

/// The pin of prime-rl in the `pyproject.toml` of `folder`.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    let text = folder.pyproject()?;
    if !reference::mentions_prime_rl(text) {
        return None;
    }
    let (root, _) = DeTable::parse_recoverable(text);
    let root = root.get_ref();
    let source = || TargetSource::Pyproject { path: folder.path().join("pyproject.toml") };
    // uv takes the source before it looks at the version.
    let sources = table(root, &["tool", "uv", "sources"]).into_iter().flatten();
    for (_, value) in sources.filter(|(name, _)| reference::is_prime_rl(name.get_ref())) {
        let by_marker =
            value.get_ref().as_array().map(|tables| tables.iter().filter_map(|table| table.get_ref().as_table()).collect());
        let tables: Vec<&DeTable<'_>> = by_marker.unwrap_or_else(|| value.get_ref().as_table().into_iter().collect());
        for table in tables {
            let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
            let revision = ["rev", "tag", "branch"].into_iter().find_map(text).filter(|_| text("git").is_some());
            let detection = revision.and_then(|revision| reference::of_revision(revision, source()));
            if let Some(detection) = detection.or_else(|| checkout::at(folder.system(), &folder.path().join(text("path")?))) {
                return Some(detection);
            }
        }
    }
    requirements(root).into_iter().find_map(|requirement| match pin(requirement)? {
        Pin::Version(version) => Some(reference::of_version(version, source())),
        Pin::Revision(revision) => reference::of_revision(revision, source()),
    })
}

/// Every requirement of the project, its extras and its dependency groups.
fn requirements<'d>(root: &'d DeTable<'_>) -> Vec<&'d str> {
    let lists = [table(root, &["project", "optional-dependencies"]), table(root, &["dependency-groups"])];
    let lists = lists.into_iter().flatten().flat_map(DeTable::values);
    let own = [(["project"].as_slice(), "dependencies"), (&["tool", "uv"], "dev-dependencies")];
    let own = own.into_iter().filter_map(|(path, key)| table(root, path)?.get(key));
    let items = own.chain(lists).filter_map(|list| list.get_ref().as_array()).flatten();
    items.filter_map(|item| item.get_ref().as_str()).collect()
}

fn table<'d, 't>(root: &'d DeTable<'t>, path: &[&str]) -> Option<&'d DeTable<'t>> {
    path.iter().try_fold(root, |table, key| match table.get(*key)?.get_ref() {
        DeValue::Table(inner) => Some(inner),
        _ => None,
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Pin<'r> {
    Version(&'r str),
    Revision(&'r str),
}

/// The one prime-rl that a requirement (PEP 508) allows. A range allows many.
fn pin(requirement: &str) -> Option<Pin<'_>> {
    let name_end =
        requirement.find(|character: char| !character.is_ascii_alphanumeric() && !matches!(character, '-' | '_' | '.'))?;
    let (name, rest) = requirement.split_at(name_end);
    if !reference::is_prime_rl(name) {
        return None;
    }
    let rest = rest.trim_start();
    let rest = if rest.starts_with('[') { rest.split_once(']')?.1.trim_start() } else { rest };
    if let Some(url) = rest.strip_prefix('@') {
        let url = url.trim_start().split(|character: char| character.is_whitespace()).next()?;
        return revision_in_url(url).map(Pin::Revision);
    }
    let versions = rest.split(';').next()?.trim().trim_start_matches('(').trim_end_matches(')');
    let exact = versions.split(',').find_map(|one| one.trim().strip_prefix("=="))?;
    let exact = exact.trim_start_matches('=').trim();
    (!exact.contains('*') && !exact.is_empty()).then_some(Pin::Version(exact))
}

/// The revision of `git+https://host/org/prime-rl.git@revision#subdirectory=x`.
fn revision_in_url(url: &str) -> Option<&str> {
    let url = url.strip_prefix("git+")?;
    let url = url.split(['#', '?']).next()?;
    // An `@` before the first slash belongs to the user of the host.
    let (_, path) = url.split_once("://").map_or(url, |(_, rest)| rest).split_once('/')?;
    path.split_once('@').map(|(_, revision)| revision)
}

/// The revision that a lock file keeps in the query of a URL: `?tag=v0.4.0`.
pub(super) fn revision_in_query(url: &str) -> Option<&str> {
    let (_, query) = url.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| matches!(*key, "tag" | "rev" | "branch")).map(|(_, revision)| revision)
}

#[cfg(test)]
mod tests {
    use super::{Pin, pin};

    #[test]
    fn exact_requirements_pin() {
        for (requirement, version) in [
            ("prime-rl==0.4.0", "0.4.0"),
            ("prime_rl [flash-attn] == 0.4.0 ; python_version > '3.11'", "0.4.0"),
            ("Prime-RL (===0.2)", "0.2"),
            ("prime-rl>=0.3,==0.4.0", "0.4.0"),
        ] {
            assert_eq!(pin(requirement), Some(Pin::Version(version)), "{requirement}");
        }
        for (requirement, revision) in [
            ("prime-rl @ git+https://github.com/PrimeIntellect-ai/prime-rl@v0.4.0", "v0.4.0"),
            ("prime-rl[all]@git+ssh://git@github.com/me/prime-rl.git@d564195ca#egg=x ; extra == 'a'", "d564195ca"),
            ("prime-rl @ git+https://github.com/me/prime-rl@feature/x", "feature/x"),
        ] {
            assert_eq!(pin(requirement), Some(Pin::Revision(revision)), "{requirement}");
        }
    }

    #[test]
    fn ranges_and_others_do_not() {
        for requirement in [
            "prime-rl",
            "prime-rl>=0.4.0",
            "prime-rl~=0.4.0",
            "prime-rl==0.4.*",
            "prime-rl!=0.4.0",
            "prime-rl-configs==0.4.0",
            "verifiers==0.4.0",
            "prime-rl @ git+https://github.com/me/prime-rl",
            "prime-rl @ https://example.com/prime_rl.whl",
            "prime-rl[==",
            "",
        ] {
            assert_eq!(pin(requirement), None, "{requirement}");
        }
    }
}
