//! The members of a uv workspace: packages whose folders the `pyproject.toml` of the workspace names, however deep in the repository.

use cfg_diag::Order as _;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use cfg_system::{Kind, Scope, System, tidy};
use globset::{GlobBuilder, GlobMatcher};
use toml::de::{DeTable, DeValue};

use crate::pattern::beyond_bounds;

/// The maximum number of folders, and of what is in them, that is looked at for the members of a workspace.
const MAX_ENTRIES: usize = 8192;

/// The maximum number of patterns of a workspace.
const MAX_PATTERNS: usize = 256;

/// The folders of the members of the workspace whose root is `folder`, with this `pyproject.toml`.
pub(crate) fn members(system: &dyn System, folder: &Path, pyproject: &str) -> Vec<PathBuf> {
    if !pyproject.contains("workspace") {
        return Vec::new();
    }
    let (root, _) = DeTable::parse_recoverable(pyproject);
    let workspace = below(root.get_ref(), "tool").and_then(|tool| below(tool, "uv")).and_then(|uv| below(uv, "workspace"));
    let Some(workspace) = workspace else { return Vec::new() };
    let texts = |key: &str| -> Vec<String> {
        let items = workspace.get(key).and_then(|value| value.get_ref().as_array()).into_iter().flatten();
        let texts = items.filter_map(|item| match item.get_ref() {
            DeValue::String(text) => Some(text.trim_start_matches("./").trim_end_matches('/').to_owned()),
            _ => None,
        });
        texts.take(MAX_PATTERNS).filter(|pattern| beyond_bounds(pattern).is_none()).collect()
    };
    let excluded: Vec<GlobMatcher> = texts("exclude").iter().filter_map(|pattern| matcher(pattern)).collect();
    let mut left = MAX_ENTRIES;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for pattern in texts("members") {
        for member in matching(system, folder, &pattern, &mut left) {
            if !seen.insert(member.as_os_str().to_owned()) {
                continue;
            }
            let name = member.strip_prefix(folder).unwrap_or(&member);
            if !excluded.iter().any(|matcher| matcher.is_match(name)) {
                found.push(member);
            }
        }
    }
    found
}

/// The folders below one that match a pattern, part by part.
fn matching(system: &dyn System, folder: &Path, pattern: &str, left: &mut usize) -> Vec<PathBuf> {
    let mut layer = vec![folder.to_owned()];
    if pattern.split('/').any(|part| part == "..") {
        return Vec::new();
    }
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        if !part.contains(['*', '?', '[', '{']) {
            layer = layer.iter().map(|folder| tidy(&folder.join(part))).collect();
            continue;
        }
        let Some(matcher) = matcher(part) else { return Vec::new() };
        let mut below = Vec::new();
        for folder in layer {
            let Some(rest) = left.checked_sub(1) else { return Vec::new() };
            *left = rest;
            let mut names: Vec<_> = system.list(&folder, Scope::Inside).unwrap_or_default();
            *left = left.saturating_sub(names.len());
            names.retain(|entry| entry.kind == Kind::Folder && matcher.is_match(&entry.name));
            names.order_by(|one, other| one.name.cmp(&other.name));
            below.extend(names.into_iter().map(|entry| folder.join(entry.name)));
        }
        layer = below;
    }
    // A pattern that leads out of the workspace names no member.
    layer.retain(|member| member.starts_with(folder) && system.is_file(&member.join("pyproject.toml")));
    layer
}

fn below<'a, 't>(table: &'a DeTable<'t>, key: &str) -> Option<&'a DeTable<'t>> {
    table.get(key)?.get_ref().as_table()
}

fn matcher(pattern: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(pattern).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfg_system::MemorySystem;

    use super::members;

    #[test]
    fn members_are_found_by_their_patterns() {
        let files = ["a/b/c/d/e/f/one", "packages/two", "packages/old", "packages/empty/x", "other/three"];
        let system = MemorySystem::with_files([]);
        for file in files {
            let name = if file.ends_with('x') { format!("/w/{file}") } else { format!("/w/{file}/pyproject.toml") };
            system.put(Path::new(&name), "[project]\nname = \"x\"\n");
        }
        let text = "[tool.uv.workspace]\nmembers = [\"packages/*\", \"./a/b/c/d/e/*/one/\", \"../*\", \"missing\"]\nexclude = [\"packages/old\"]\n";
        let found = members(&system, Path::new("/w"), text);
        let below: Vec<_> = found.iter().filter_map(|path| path.strip_prefix("/w").ok()).collect();
        assert_eq!(below, [Path::new("packages/two"), Path::new("a/b/c/d/e/f/one")]);
        assert!(members(&system, Path::new("/w"), "[project]\nname = \"workspace\"\n").is_empty());
    }
}
