//! Patterns of files and folders, and the settings that consist of them: `exclude`, `extend-include`.

use std::path::Path;

use super::reader::{Entry, Reader};
use crate::{
    Sourced,
    pattern_set::{Contents, PatternBelow},
};

/// A pattern of files and folders, relative to the folder of its settings file.
#[derive(Clone, Debug)]
pub struct PathPattern {
    /// The pattern as written, with its place.
    pub pattern: Sourced<String>,
    /// It matches what one of these matches.
    pub(crate) matchers: Vec<PatternBelow>,
}

impl PathPattern {
    /// Whether the pattern matches `file`, an absolute path, or a folder around it. A pattern without a slash matches files and folders of that name in
    /// any folder.
    pub fn matches(&self, file: &Path) -> bool {
        self.matchers.iter().any(|matcher| matcher.matches(file, self.folder()))
    }

    /// The folder of its settings file.
    pub(crate) fn folder(&self) -> &Path {
        self.pattern.place.folder()
    }

    /// Whether another pattern is the same.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.pattern.value == other.pattern.value && self.folder() == other.folder()
    }
}

pub(super) fn paths<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Vec<PathPattern> {
    let mut patterns = Vec::new();
    for value in reader.array(entry, "an array of files, folders and patterns").into_iter().flatten() {
        if let Some(text) = reader.string(Entry { key: entry.key, value }) {
            if text.trim_matches(['/', '.']).is_empty() {
                let help = "write a path or a glob, such as `archive` or `configs/**/old-*.toml`".to_owned();
                reader.refuse(
                    Entry { key: entry.key, value },
                    format!("`{text}` names no file and no folder below this one"),
                    Some(help),
                );
                continue;
            }
            patterns.extend(reader.paths(value.span(), entry.key, text, Contents::OfAll));
        }
    }
    patterns
}
