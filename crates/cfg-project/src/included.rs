//! Configs that another config includes by `toml_files`: they need not be complete.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

use cfg_system::{Role, Scope, System, tidy};
use memchr::memmem;
use toml::Value;

use crate::Projects;

/// The maximum number of files of a folder that are read.
const MAX_FILES: usize = 4096;

/// The configs of a folder that others in it include, each with one of those.
pub(crate) fn in_folder(system: &dyn System, folder: &Path) -> BTreeMap<PathBuf, PathBuf> {
    let Ok(entries) = system.list(folder, Scope::Inside) else { return BTreeMap::new() };
    let paths = entries.into_iter().map(|entry| folder.join(entry.name));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).take(MAX_FILES).collect();
    paths.sort_unstable();
    let mut included = BTreeMap::new();
    for path in paths {
        for named in system.text(&path, Role::Config).map_or_else(Vec::new, |text| files_of(&path, &text)) {
            included.entry(named).or_insert_with(|| path.clone());
        }
    }
    included
}

/// The other files that a config includes.
pub(crate) fn files_of(config: &Path, text: &str) -> Vec<PathBuf> {
    // Most texts with the word have it elsewhere, and some are large. A key of the root begins its line.
    let begins_line = |at: usize| {
        let before =
            text[..at].trim_end_matches(['"', '\'']).trim_end_matches(|before: char| before != '\n' && before.is_whitespace());
        before.is_empty() || before.ends_with('\n')
    };
    if !memmem::find_iter(text.as_bytes(), b"toml_files").any(begins_line) {
        return Vec::new();
    }
    let Ok(root) = text.parse::<toml::Table>() else { return Vec::new() };
    let Some(Value::Array(named)) = root.get("toml_files") else { return Vec::new() };
    let folder = config.parent().unwrap_or(Path::new(""));
    let named = named.iter().filter_map(Value::as_str).map(|name| tidy(&folder.join(name)));
    named.filter(|named| named != config).collect()
}

/// The config at the top of the chain of includes; `None` if the chain is a cycle.
pub(crate) fn tops(included: &BTreeMap<PathBuf, PathBuf>) -> HashMap<PathBuf, Option<PathBuf>> {
    let mut tops: HashMap<PathBuf, Option<PathBuf>> = HashMap::with_capacity(included.len());
    for file in included.keys() {
        let mut chain: HashSet<&Path> = HashSet::new();
        let mut at: &Path = file;
        // The result of a chain that has been followed before is reused.
        let top = loop {
            if let Some(known) = tops.get(at) {
                break known.clone();
            }
            match included.get(at) {
                None => break Some(at.to_owned()),
                Some(_) if !chain.insert(at) => break None,
                Some(above) => at = above,
            }
        };
        tops.extend(chain.into_iter().map(|path| (path.to_owned(), top.clone())));
    }
    tops
}

impl Projects {
    /// The config that includes this one, directly or through others, and is not included itself: one of the same folder, or else one of the repository.
    /// `None` if there is none, or if the includes are a cycle.
    pub fn includer(&self, file: &Path) -> Option<PathBuf> {
        let folder = self.folder_of(file);
        let own = folder.path().join(file.file_name()?);
        if let Some(top) = folder.tops().get(&own) {
            let top = top.as_ref()?;
            let is_beside = top.parent() == own.parent();
            return if is_beside { Some(file.with_file_name(top.file_name()?)) } else { Some(self.named_like(file, top)) };
        }
        let index = self.launch_index(&own);
        let top = index.includers().get(&own)?.as_ref()?;
        Some(self.named_like(file, top))
    }

    /// The config of the same folder that includes this one, directly or through others. Among many files, which are not read, none does.
    pub fn includer_beside(&self, file: &Path) -> Option<PathBuf> {
        let folder = self.folder_of(file);
        let top = folder.tops_of_few()?.get(&folder.path().join(file.file_name()?))?.as_ref()?;
        (top.parent() == Some(folder.path())).then(|| top.clone())
    }

    /// A path from the root of the file system in the form of another one.
    fn named_like(&self, other: &Path, path: &Path) -> PathBuf {
        if other.is_absolute() { path.to_owned() } else { PathBuf::from(self.system().shown(path)) }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        path::{Path, PathBuf},
    };

    use super::{files_of, tops};

    #[test]
    fn files_are_included_by_a_key_of_the_root() {
        let of = |text: &str| files_of(Path::new("/a/rl.toml"), text);
        let base = [PathBuf::from("/a/base.toml")];
        for key in ["toml_files", "\"toml_files\"", "'toml_files'", "  toml_files"] {
            assert_eq!(of(&format!("a = 1\r\n{key} = [\n  \"base.toml\", \"rl.toml\"\n]\n[x]\n")), base, "{key}");
        }
        for other in ["# toml_files = [\"base.toml\"]\n", "a = \"toml_files\"\n", "[x]\ntoml_files = [\"base.toml\"]\n"] {
            assert!(of(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn all_configs_of_a_chain_have_the_same_root() {
        let path = |name: &str| PathBuf::from(name);
        let mut named: BTreeMap<PathBuf, PathBuf> =
            (1..20_000).map(|number| (path(&format!("c{number}")), path(&format!("c{}", number - 1)))).collect();
        // A cycle of two configs, and one that is included by the cycle.
        named.extend([("a", "b"), ("b", "a"), ("x", "a")].map(|(one, by)| (path(one), path(by))));
        let tops = tops(&named);
        assert_eq!(tops.len(), named.len());
        assert!((1..20_000).all(|number| tops[&path(&format!("c{number}"))] == Some(path("c0"))));
        assert!(["a", "b", "x"].iter().all(|name| tops[&path(name)].is_none()));
    }
}
