//! The purpose of a config, derived from its path.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf, is_separator},
};

use cfg_system::below;

use crate::{Projects, folder::Folder};

/// Names of folders, and words in file names, of configs that only test the program.
const OF_TESTS: [&str; 7] = ["bench", "benchmark", "benchmarks", "ci", "debug", "smoke", "tests"];

/// Words in the file names of templates.
const OF_TEMPLATES: [&str; 4] = ["example", "sample", "template", "tmpl"];

impl Projects {
    /// The root of the repository that contains a config; without a repository, its folder.
    pub fn repository(&self, file: &Path) -> PathBuf {
        let folder = self.folder_of(file);
        folder.ancestors().find(|folder| folder.is_repository()).unwrap_or(&folder).path().to_owned()
    }

    /// Whether the path of a config in a folder marks it as one for tests, benchmarks or debugging: a folder of its repository (`ci/`, `debug/`), or a word in its
    /// name (`bench.toml`, `rl-debug.toml`).
    pub(crate) fn is_for_tests(&self, folder: &Folder, file: &Path) -> bool {
        let root =
            folder.ancestors().find(|folder| folder.is_repository()).map_or(self.system.host().folder(), |root| root.path());
        let is_in_one = below(folder.path(), root)
            .is_some_and(|below| has_one(below.as_os_str(), &OF_TESTS, |byte| is_separator(byte.into())));
        is_in_one || file.file_stem().is_some_and(|stem| has_one(stem, &OF_TESTS, is_end_of_word))
    }
}

/// Whether the name of a config marks it as a template, which is copied and filled in before it is started: `rl.template.toml`, `rl-example.toml`.
pub(crate) fn is_template(file: &Path) -> bool {
    file.file_stem().is_some_and(|stem| has_one(stem, &OF_TEMPLATES, is_end_of_word))
}

fn is_end_of_word(byte: u8) -> bool {
    matches!(byte, b'-' | b'_' | b'.')
}

/// Whether one of the parts of a text is one of these words.
fn has_one(text: &OsStr, words: &[&str], ends: impl Fn(u8) -> bool) -> bool {
    text.as_encoded_bytes().split(|byte| ends(*byte)).any(|part| words.iter().any(|word| word.as_bytes() == part))
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use cfg_system::MemorySystem;

    use crate::Projects;

    #[test]
    fn the_path_shows_the_purpose_of_a_config() {
        let projects = Projects::new(Arc::new(MemorySystem::default()), None);
        let is_for_tests = |path: &str| projects.around(Path::new(path)).is_for_tests;
        for path in ["configs/ci/rl.toml", "debug/rl.toml", "bench.toml", "configs/rl-debug.toml", "configs/math_smoke.toml"] {
            assert!(is_for_tests(path), "{path}");
        }
        for path in ["configs/rl.toml", "configs/city/rl.toml", "configs/benchmarking.toml"] {
            assert!(!is_for_tests(path), "{path}");
        }
        let is_template = |path: &str| projects.around(Path::new(path)).is_template;
        for path in ["rl.template.toml", "configs/rl-template.toml", "template.toml", "rl.example.toml", "sample_rl.toml"] {
            assert!(is_template(path), "{path}");
        }
        for path in ["example/rl.toml", "examples/rl.toml", "templates/rl.toml", "configs/chat_templates.toml", "rl.toml"] {
            assert!(!is_template(path), "{path}");
        }
    }
}
