//! prime-rl among the dependencies in a `pyproject.toml`.

use std::path::PathBuf;

use cfg_system::{Kind, Role, Scope};
use toml::de::{DeTable, DeValue};

use super::{
    Detection, TargetSource, checkout, reference,
    requirement::{Pin, in_url, pin},
};
use crate::folder::Folder;

/// The maximum number of requirements and of sources that are looked up: there may be one for each environment marker.
const MAX_LOOKED_UP: usize = 16;

/// The maximum number of patterns of members.
const MAX_PATTERNS: usize = 256;

/// The maximum number of folders of members that are looked at.
const MAX_MEMBERS: usize = 1024;

/// The pin of prime-rl in the `pyproject.toml` of `folder`.
pub(super) fn detect(folder: &Folder) -> Option<Detection> {
    // If there is a source, uv ignores the version of the requirement.
    if let Some(found) = of_sources(folder) {
        return Some(found);
    }
    let text = folder.pyproject().filter(|text| reference::mentions_prime_rl(text))?;
    let (root, _) = DeTable::parse_recoverable(text);
    let root = root.get_ref();
    let source = || TargetSource::Pyproject { path: folder.path().join("pyproject.toml") };
    let pins: Vec<Pin<'_>> = requirements(root).into_iter().filter_map(pin).collect();
    // A pin of prime-rl itself is more exact than one of its config classes.
    let is_own = |pin: &&Pin<'_>| matches!(pin, Pin::OwnVersion(_));
    let in_order = pins.iter().filter(|pin| !is_own(pin)).chain(pins.iter().filter(is_own));
    in_order.take(MAX_LOOKED_UP).find_map(|pin| reference::of_pin(folder, folder.path(), pin, source()))
}

/// The prime-rl of uv's sources in the `pyproject.toml` of `folder`.
pub(crate) fn of_sources(folder: &Folder) -> Option<Detection> {
    let text = folder.pyproject().filter(|text| reference::mentions_prime_rl(text))?;
    let (root, _) = DeTable::parse_recoverable(text);
    let source = || TargetSource::Pyproject { path: folder.path().join("pyproject.toml") };
    sources(root.get_ref(), is_wanted).take(MAX_LOOKED_UP).find_map(|table| of_source(folder, table, source()))
}

fn is_wanted(name: &str) -> bool {
    reference::is_prime_rl(name) || reference::is_configs(name)
}

/// uv's sources for packages with wanted names; there may be one for each environment marker.
pub(super) fn sources<'d, 't>(root: &'d DeTable<'t>, is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &'d DeTable<'t>> {
    let sources = table(root, &["tool", "uv", "sources"]).into_iter().flatten();
    sources.filter(move |(name, _)| is_wanted(name.get_ref())).flat_map(|(_, value)| {
        let by_marker =
            value.get_ref().as_array().map(|tables| tables.iter().filter_map(|table| table.get_ref().as_table()).collect());
        let tables: Vec<&DeTable<'t>> = by_marker.unwrap_or_else(|| value.get_ref().as_table().into_iter().collect());
        tables
    })
}

/// The git revision in one of uv's sources.
pub(super) fn revision<'d>(table: &'d DeTable<'_>) -> Option<&'d str> {
    let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
    ["rev", "tag", "branch"].into_iter().find_map(text).filter(|_| text("git").is_some())
}

/// The pin of one of uv's sources: a revision, an archive, a folder, or a member of the workspace.
fn of_source(folder: &Folder, table: &DeTable<'_>, source: TargetSource) -> Option<Detection> {
    let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
    if let Some(found) = revision(table).and_then(|revision| reference::of_revision(revision, source.clone())) {
        return Some(found);
    }
    if let Some(found) = text("url").and_then(in_url).and_then(|pin| reference::of_pin(folder, folder.path(), &pin, source)) {
        return Some(found);
    }
    if let Some(path) = text("path") {
        return checkout::around(folder, &folder.path().join(path));
    }
    let is_member = table.get("workspace").is_some_and(|value| value.get_ref().as_bool() == Some(true));
    is_member.then(|| member(folder)).flatten()
}

/// The prime-rl that is a member of the uv workspace around `folder`.
fn member(folder: &Folder) -> Option<Detection> {
    folder.ancestors_in_repository().find_map(|root| {
        let (parsed, _) = DeTable::parse_recoverable(root.pyproject()?);
        let members = table(parsed.get_ref(), &["tool", "uv", "workspace"])?.get("members")?.get_ref().as_array()?;
        let patterns = members.iter().filter_map(|member| member.get_ref().as_str()).take(MAX_PATTERNS);
        let mut folders = patterns.flat_map(|pattern| folders_of(root, pattern)).take(MAX_MEMBERS);
        folders.find_map(|member| {
            let text = folder.system().text(&member.join("pyproject.toml"), Role::Project)?;
            checkout::is_prime_rl_itself(&text).then(|| checkout::around(folder, &member)).flatten()
        })
    })
}

/// The folders that match a pattern of workspace members: a path, or all folders in one (`packages/*`).
fn folders_of(root: &Folder, pattern: &str) -> Vec<PathBuf> {
    let Some(above) = pattern.trim_end_matches('/').strip_suffix('*') else { return vec![root.path().join(pattern)] };
    let above = root.path().join(above);
    let entries = root.system().list(&above, Scope::Around).unwrap_or_default().into_iter();
    let mut folders: Vec<PathBuf> =
        entries.filter(|entry| entry.kind == Kind::Folder).map(|entry| above.join(entry.name)).collect();
    folders.sort();
    folders
}

/// All requirements of the project, its extras and its dependency groups.
pub(super) fn requirements<'d>(root: &'d DeTable<'_>) -> Vec<&'d str> {
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

/// The revision in the query of a lock file's URL: `?tag=v0.4.0`.
pub(super) fn revision_in_query(url: &str) -> Option<&str> {
    let (_, query) = url.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| matches!(*key, "tag" | "rev" | "branch")).map(|(_, revision)| revision)
}
