//! Paths as texts: no file is looked at.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, as far as that can be told from the path alone.
pub fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::tidy;

    #[test]
    fn paths_are_made_plain() {
        assert_eq!(tidy(Path::new("/a/./b/../c.toml")), Path::new("/a/c.toml"));
        assert_eq!(tidy(Path::new("../c.toml")), Path::new("../c.toml"));
    }
}
