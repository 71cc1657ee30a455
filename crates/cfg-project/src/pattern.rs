//! File patterns: in the settings, and on the command line.

use std::{path::Path, str::FromStr};

use globset::{GlobBuilder, GlobMatcher};

/// The maximum length of a file pattern, in bytes.
const LONGEST_PATTERN: usize = 1024;

/// The maximum nesting of `{}` in a pattern.
const DEEPEST_PATTERN: usize = 16;

/// A pattern that excludes files: `old`, `*.debug.toml`, `configs/**/tmp`.
#[derive(Clone, Debug)]
pub struct FilePattern(GlobMatcher);

impl FromStr for FilePattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = text.trim_start_matches("./").trim_end_matches('/');
        if let Some(message) = beyond_bounds(plain) {
            return Err(message);
        }
        matcher(plain).map(Self).map_err(|error| format!("not a valid file pattern: {}", error.kind()))
    }
}

impl FilePattern {
    /// Whether it matches a part of a path: the file name, a folder, or several consecutive parts.
    pub fn is_part_of(&self, path: &Path) -> bool {
        let parts: Vec<_> = path.components().collect();
        (0..parts.len()).any(|start| {
            let mut part = std::path::PathBuf::new();
            parts[start..].iter().any(|name| {
                part.push(name);
                self.0.is_match(&part)
            })
        })
    }
}

/// The matcher of a pattern. `*` does not match path separators.
fn matcher(pattern: &str) -> Result<GlobMatcher, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).build().map(|glob| glob.compile_matcher())
}

/// The limit that a pattern exceeds. Compiling a pattern takes memory for each character, and more for each level of braces.
pub(crate) fn beyond_bounds(pattern: &str) -> Option<String> {
    if pattern.len() > LONGEST_PATTERN {
        return Some(format!("a file pattern may have {LONGEST_PATTERN} bytes, and this one has {}", pattern.len()));
    }
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = pattern.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'[' => {
                // In a character class, `{` has no special meaning, and neither has a `]` at its beginning.
                bytes.next_if(|byte| matches!(byte, b'!' | b'^'));
                bytes.next();
                bytes.by_ref().find(|byte| *byte == b']');
            }
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    (deepest > DEEPEST_PATTERN)
        .then(|| format!("the `{{}}` of a file pattern may be nested {DEEPEST_PATTERN} deep; these are {deepest} deep"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::FilePattern;

    #[test]
    fn a_pattern_matches_a_part_of_a_path() {
        let is_part =
            |pattern: &str, path: &str| pattern.parse::<FilePattern>().is_ok_and(|pattern| pattern.is_part_of(Path::new(path)));
        for (pattern, path) in [
            ("old", "configs/old/a.toml"),
            ("old/", "configs/old/b/a.toml"),
            ("*.debug.toml", "configs/a.debug.toml"),
            ("configs/old", "/home/me/configs/old/a.toml"),
            ("./configs/*/tmp", "configs/a/tmp/b.toml"),
            ("configs/**/a.toml", "./configs/b/c/a.toml"),
        ] {
            assert!(is_part(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [("old", "configs/older/a.toml"), ("configs/*.toml", "configs/a/b.toml"), ("a", "b/a.toml")] {
            assert!(!is_part(pattern, path), "{pattern} {path}");
        }
        assert!("{".parse::<FilePattern>().is_err() && "a".repeat(2000).parse::<FilePattern>().is_err());
    }
}
