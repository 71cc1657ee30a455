//! The file patterns of a settings file, which are compiled and matched together.
//!
//! A settings file can have thousands of patterns and a project thousands of files. All patterns of a settings file are one automaton, and a file is
//! compared with it once, whatever number of settings ask about it.

use std::{
    borrow::Cow,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use cfg_meter::{
    Allowance, Meter, Spent,
    patterns::{Patterns, States},
};
use globset::GlobBuilder;

use crate::pattern::beyond_bounds;

/// The maximum number of bytes of all patterns in a settings file.
const MAX_BYTES: usize = 16 << 10;

/// The maximum size of the compiled patterns of a settings file in bytes.
const MAX_COMPILED: usize = 4 << 20;

/// What compiling the patterns of a settings file may cost, and comparing a file with them: usual ones do not draw from the budget of the command.
const OF_COMPILING: Allowance = Allowance { free: 100_000, most: 20_000_000 };
const OF_A_FILE: Allowance = Allowance { free: 20_000, most: 20_000_000 };

/// The patterns of a settings file, relative to its folder.
#[derive(Debug, Default)]
pub(crate) struct PatternSet {
    written: Mutex<Written>,
    compiled: OnceLock<Option<Compiled>>,
    /// The patterns that match each file that has been compared with them.
    known: Mutex<HashMap<PathBuf, Vec<usize>>>,
    /// Whether a file could not be compared with them, because it would have cost too much.
    is_spent: AtomicBool,
}

/// The patterns as they are written.
#[derive(Debug, Default)]
struct Written {
    /// The regular expressions of those that have a slash, with their indices, and of those that match a file name.
    of_paths: Vec<(usize, String)>,
    of_names: Vec<(usize, String)>,
    bytes: usize,
}

#[derive(Debug)]
struct Compiled {
    of_paths: Option<Part>,
    of_names: Option<Part>,
}

#[derive(Debug)]
struct Part {
    indices: Vec<usize>,
    patterns: Patterns,
    states: Mutex<States>,
}

/// A pattern of the settings. One without a slash matches files of that name in any folder below.
#[derive(Clone, Debug)]
pub(crate) struct PatternBelow {
    set: Arc<PatternSet>,
    index: usize,
}

/// The matches of a pattern that have contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Folders that the pattern names: `c/*` matches the files in `c`, and nothing below the folders in it.
    OfFolders,
    /// All: `c/*` matches everything below `c`.
    OfAll,
}

/// Why a pattern is not used.
pub(crate) enum PatternError {
    /// It is too long, or nested too deep.
    BeyondBounds(String),
    /// It is not a pattern.
    Invalid(globset::Error),
    /// All patterns of the settings file together are too long.
    TooMany,
}

impl PatternSet {
    /// Adds a pattern, and checks its limits. Patterns are added before files are compared.
    pub(crate) fn add(self: &Arc<Self>, text: &str) -> Result<PatternBelow, PatternError> {
        self.add_at(text, text.contains('/'))
    }

    /// Adds a pattern of paths below the folder of the settings, or of names in any folder.
    fn add_at(self: &Arc<Self>, text: &str, is_of_paths: bool) -> Result<PatternBelow, PatternError> {
        if let Some(message) = beyond_bounds(text) {
            return Err(PatternError::BeyondBounds(message));
        }
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.bytes += text.len();
        if written.bytes > MAX_BYTES {
            return Err(PatternError::TooMany);
        }
        // `*` does not match path separators.
        let glob = GlobBuilder::new(text).literal_separator(true).build().map_err(PatternError::Invalid)?;
        let index = written.of_paths.len() + written.of_names.len();
        let part = if is_of_paths { &mut written.of_paths } else { &mut written.of_names };
        part.push((index, format!("(?s){}", glob.regex())));
        Ok(PatternBelow { set: Arc::clone(self), index })
    }

    /// Adds a pattern for files and folders: it matches what it names, and what is in it. `/` at the end stands for a folder, and at the beginning for
    /// the folder of the settings.
    pub(crate) fn add_with_contents(self: &Arc<Self>, text: &str, contents: Contents) -> Result<Vec<PatternBelow>, PatternError> {
        let named = text.trim_start_matches("./").trim_end_matches('/');
        let is_anchored = named.contains('/');
        let named = named.trim_start_matches('/');
        let own = self.add_at(named, is_anchored)?;
        let last = named.rsplit('/').next().unwrap_or(named);
        let is_file = [".toml", ".yaml", ".yml"].iter().any(|ending| last.ends_with(ending));
        if last == "**" || is_file && !text.ends_with('/') || last == "*" && contents == Contents::OfFolders {
            return Ok(vec![own]);
        }
        let contents = if is_anchored { format!("{named}/**") } else { format!("**/{named}/**") };
        match self.add_at(&contents, true) {
            // It is slightly longer than the pattern itself.
            Err(PatternError::BeyondBounds(_)) => Ok(vec![own]),
            added => Ok(vec![own, added?]),
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).bytes == 0
    }

    /// Whether a file could not be compared with them.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// The indices of the patterns that match a path below the folder, in ascending order.
    fn matching(&self, below: &Path) -> Result<Vec<usize>, Spent> {
        let compiled = self.compiled.get_or_init(|| self.compile()).as_ref().ok_or(Spent::TooMuch)?;
        let _meter = Meter::begin(OF_A_FILE);
        let mut found = Vec::new();
        for (part, text) in [(&compiled.of_paths, Some(below.as_os_str())), (&compiled.of_names, below.file_name())] {
            let Some((part, text)) = part.as_ref().zip(text) else { continue };
            let bytes = with_slashes(text.as_encoded_bytes());
            let mut states = part.states.lock().unwrap_or_else(PoisonError::into_inner);
            found.extend(part.patterns.matching(&mut states, &bytes)?.map(|index| part.indices[index]));
        }
        found.sort_unstable();
        Ok(found)
    }

    fn compile(&self) -> Option<Compiled> {
        let _meter = Meter::begin(OF_COMPILING);
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let part = |written: &[(usize, String)]| {
            if written.is_empty() {
                return Some(None);
            }
            let (indices, texts): (Vec<usize>, Vec<&str>) = written.iter().map(|(index, text)| (*index, text.as_str())).unzip();
            let patterns = Patterns::compile(&texts, MAX_COMPILED).ok()?;
            let states = Mutex::new(patterns.states());
            Some(Some(Part { indices, patterns, states }))
        };
        Some(Compiled { of_paths: part(&written.of_paths)?, of_names: part(&written.of_names)? })
    }
}

impl PatternBelow {
    /// Whether it matches `file`; both it and the folder of the settings are absolute paths.
    pub(crate) fn matches(&self, file: &Path, folder: &Path) -> bool {
        let mut known = self.set.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(file) {
            return found.binary_search(&self.index).is_ok();
        }
        let Ok(below) = file.strip_prefix(folder) else { return false };
        let found = self.set.matching(below).unwrap_or_else(|_| {
            self.set.is_spent.store(true, Ordering::Relaxed);
            Vec::new()
        });
        let is_match = found.binary_search(&self.index).is_ok();
        known.insert(file.to_owned(), found);
        is_match
    }
}

/// A path as patterns match it.
fn with_slashes(path: &[u8]) -> Cow<'_, [u8]> {
    if cfg!(windows) {
        return Cow::Owned(path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect());
    }
    Cow::Borrowed(path)
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::{Contents, PatternError, PatternSet};

    #[test]
    fn each_pattern_matches_as_if_it_was_alone() {
        let set = Arc::new(PatternSet::default());
        let files = ["a.yaml", "c/a.yaml", "c/d/e.yml", "c/d/é.yaml", "c/ab.yaml"];
        let cases: [(&str, [bool; 5]); 8] = [
            ("*.yaml", [true, true, false, true, true]),
            ("c/*.yaml", [false, true, false, false, true]),
            ("c/**/*.yaml", [false, true, false, true, true]),
            ("**/d/*", [false, false, true, true, false]),
            ("c/{a,d/e}.{yaml,yml}", [false, true, true, false, false]),
            ("[!a].yml", [false, false, true, false, false]),
            ("a?.yaml", [false, false, false, false, true]),
            ("/c/a.yaml", [false; 5]),
        ];
        let patterns = cases.map(|(text, _)| set.add(text).unwrap_or_else(|_| panic!("{text}")));
        for (at, file) in files.iter().enumerate() {
            for (pattern, (text, matches)) in patterns.iter().zip(cases) {
                let file = Path::new("/project").join(file);
                assert_eq!(pattern.matches(&file, Path::new("/project")), matches[at], "{text} {}", file.display());
            }
        }
        assert!(!set.is_spent());
    }

    #[test]
    fn a_folder_matches_what_is_in_it() {
        let files = ["old/a.toml", "c/old/b/a.toml", "older/a.toml", "c/x/a.toml", "c/a.toml"];
        let cases: [(&str, Contents, [bool; 5]); 9] = [
            ("old", Contents::OfFolders, [true, true, false, false, false]),
            ("./old/", Contents::OfAll, [true, true, false, false, false]),
            ("/old", Contents::OfAll, [true, false, false, false, false]),
            ("c/old", Contents::OfFolders, [false, true, false, false, false]),
            ("old*", Contents::OfFolders, [true, true, true, false, false]),
            ("c/*", Contents::OfFolders, [false, false, false, false, true]),
            ("c/*", Contents::OfAll, [false, true, false, true, true]),
            ("c/**", Contents::OfFolders, [false, true, false, true, true]),
            ("a.toml", Contents::OfFolders, [true; 5]),
        ];
        for (text, contents, matches) in cases {
            let set = Arc::new(PatternSet::default());
            let patterns = set.add_with_contents(text, contents).unwrap_or_else(|_| panic!("{text}"));
            for (file, expected) in files.iter().zip(matches) {
                let file = Path::new("/project").join(file);
                let is_match = patterns.iter().any(|pattern| pattern.matches(&file, Path::new("/project")));
                assert_eq!(is_match, expected, "{text} {contents:?} {}", file.display());
            }
        }
    }

    #[test]
    fn the_patterns_of_a_file_are_bounded_together() {
        let set = Arc::new(PatternSet::default());
        let added = (0..2000).filter(|number| set.add(&format!("c/**/*{{a,b}}*{number}*.yaml")).is_ok()).count();
        assert!((400..900).contains(&added), "{added}");
        assert!(matches!(set.add("b.yaml"), Err(PatternError::TooMany)));
    }
}
