//! Patches beside configs that change the config classes of prime-rl. Only the names that they add or change are read.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use cfg_system::{Role, Scope};

use crate::folder::Folder;

/// The maximum number of patches that are read of a folder, and of each of its subfolders.
const MAX_FILES: usize = 64;

/// The maximum number of folders around a config in which patches are searched, the nearest ones: nobody's configs are deeper.
const MAX_FOLDERS: usize = 64;

/// The subfolders of a project that contain patches; its own folder is searched as well.
const FOLDERS: [&str; 6] = ["patches", "patch", "scripts", "docker", "setup", "third_party"];

/// A patch that changes config classes of prime-rl, or of a package whose classes its configs use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Its path, relative to the folder in which it was searched for.
    pub path: String,
    /// The names of the fields that it adds, and strings in its added lines, which may be names of variants.
    names: BTreeSet<String>,
    /// The functions in which it changes lines.
    functions: BTreeSet<String>,
}

impl Patch {
    /// Whether it may add a field of this name, or a variant or choice.
    pub fn adds(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether it may change the check of this name.
    pub fn changes(&self, check: &str) -> bool {
        self.functions.contains(check)
    }
}

/// The patches of the project around a config, read when they are first needed.
#[derive(Clone, Debug, Default)]
pub struct Patches(Option<Arc<Folder>>);

impl Patches {
    pub(crate) fn around(folder: Arc<Folder>) -> Self {
        Self(Some(folder))
    }

    /// The first patch for which `is_it` returns true, in the nearest folder first.
    pub fn find(&self, is_it: impl Fn(&Patch) -> bool) -> Option<&Patch> {
        let folders = self.0.as_deref().map(Folder::ancestors_in_repository);
        folders.into_iter().flatten().take(MAX_FOLDERS).flat_map(Folder::patches).find(|patch| is_it(patch))
    }
}

/// The patches in a folder, and in those of its subfolders that contain patches.
pub(crate) fn read(folder: &Folder) -> Vec<Patch> {
    if !folder.is_in_project() {
        return Vec::new();
    }
    let system = folder.system();
    let below = FOLDERS.iter().filter(|name| folder.may_have_folder(name)).flat_map(|name| {
        let entries = system.list(&folder.path().join(name), Scope::Inside).unwrap_or_default();
        entries.into_iter().filter_map(move |entry| Some(format!("{name}/{}", entry.name.to_str()?)))
    });
    let is_patch = |path: &String| ["patch", "diff"].into_iter().any(|ending| has_ending(path, ending));
    let mut files: Vec<String> = folder.files_of_project().iter().cloned().chain(below).filter(is_patch).collect();
    files.sort();
    let read = |path: String| parse(&system.text(&folder.path().join(&path), Role::Project)?, path);
    files.into_iter().take(MAX_FILES).filter_map(read).collect()
}

/// The changes of a patch to config classes; `None` if it changes none.
fn parse(text: &str, path: String) -> Option<Patch> {
    let mut read = Patch { path, names: BTreeSet::new(), functions: BTreeSet::new() };
    let (mut is_of_configs, mut is_any) = (false, false);
    // The function to which the lines of a hunk belong, as far as the hunk contains it.
    let mut function: Option<&str> = None;
    for line in text.lines() {
        if let Some(changed) = line.strip_prefix("+++ ") {
            is_of_configs = holds_configs(changed);
            is_any |= is_of_configs;
        } else if !is_of_configs || line.starts_with("--- ") {
        } else if let Some(header) = line.strip_prefix("@@ ") {
            function = header.split_once("@@").and_then(|(_, context)| function_in(context));
        } else {
            let (sign, words) = line.split_at_checked(1).unwrap_or_default();
            function = function_in(words).or(function.filter(|_| !words.starts_with("class ")));
            if matches!(sign, "+" | "-") {
                read.functions.extend(function.map(str::to_owned));
            }
            if sign == "+" {
                read.names.extend(field_in(words).map(str::to_owned));
                read.names.extend(texts_in(words).map(str::to_owned));
            }
        }
    }
    is_any.then_some(read)
}

fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|own| own == ending)
}

/// Whether a file declares config classes, by its path in a patch: `b/packages/prime-rl-configs/src/prime_rl/configs/trainer.py`.
fn holds_configs(path: &str) -> bool {
    let path = path.split('\t').next().unwrap_or(path).trim_end();
    let is_of = |package: &str| path.split('/').any(|part| part == package);
    has_ending(path, "py") && path.contains("config") && ["prime_rl", "verifiers", "renderers"].into_iter().any(is_of)
}

/// The name in a line such as `name: type = default`.
fn field_in(line: &str) -> Option<&str> {
    let name = line.trim_start().split_once(':')?.0;
    is_name(name).then_some(name)
}

/// The strings in a line that could be names.
fn texts_in(line: &str) -> impl Iterator<Item = &str> {
    line.split(['"', '\'']).skip(1).step_by(2).filter(|text| !text.is_empty() && !text.contains(' '))
}

/// The name in a line such as `def name(`.
fn function_in(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix("def ")?.split_once('(')?.0.trim_end();
    is_name(name).then_some(name)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character.is_alphanumeric() || character == '_')
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn fields_that_a_patch_adds_are_known_by_name() {
        let text = "\
diff --git a/src/prime_rl/configs/trainer.py b/src/prime_rl/configs/trainer.py
--- a/src/prime_rl/configs/trainer.py
+++ b/src/prime_rl/configs/trainer.py
@@ -1,6 +1,12 @@ class TokenizerConfig(BaseConfig):
     name: str = \"x\"
+    eos_token: str | None = None
+
+class Other(Base):
+    type: Literal[\"other\"] = \"other\"
@@ -20,3 +26,3 @@ def auto_setup(self):
-        if self.a:
+        if self.b:
             raise ValueError(\"no\")
     def untouched(self):
         return self
--- a/src/prime_rl/trainer/model.py
+++ b/src/prime_rl/trainer/model.py
@@ -1 +1,2 @@
+unrelated: int = 1
";
        let patch = parse(text, "patches/own.patch".to_owned()).expect("it changes classes");
        assert!(patch.adds("eos_token") && patch.adds("type") && patch.adds("other"));
        assert!(!patch.adds("name") && !patch.adds("unrelated"));
        assert!(patch.changes("auto_setup") && !patch.changes("untouched"));
        assert_eq!(parse("--- a/x.py\n+++ b/src/prime_rl/trainer/x.py\n@@ -1 +1 @@\n+a: int\n", String::new()), None);
        for odd in ["", "+++ ", "+++ b/prime_rl/config.py\n+é\n@@ \n-\n \n\n", "@@ -1 @@ def f(\n+x: int\n"] {
            parse(odd, String::new());
        }
    }
}
