//! Paths in the formats of CI systems, which read them from the root of the repository, in whatever folder the program runs.

use std::{
    borrow::Cow,
    path::{Component, PathBuf},
};

/// The folder from which a CI system reads paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The working folder, from which the paths of a report are read.
    here: PathBuf,
    /// The root, from the root of the file system.
    root: PathBuf,
}

/// The maximum number of checked paths that the id of a SARIF run names.
const MAX_NAMED: usize = 3;

impl Root {
    /// The root of the paths of a report that are relative to the folder `here`. Both are absolute.
    pub const fn new(here: PathBuf, root: PathBuf) -> Self {
        Self { here, root }
    }

    /// A path of a report from the root, with `/` between its parts. Unchanged if it is not below the root, or not a path, such as `<stdin>`.
    pub fn of<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if path.starts_with(['<', '-']) {
            return Cow::Borrowed(path);
        }
        let mut whole = PathBuf::new();
        for part in self.here.join(path).components() {
            match part {
                Component::ParentDir => drop(whole.pop()),
                Component::CurDir => {}
                other => whole.push(other),
            }
        }
        let Ok(below) = whole.strip_prefix(&self.root) else { return Cow::Borrowed(path) };
        let parts: Vec<Cow<'_, str>> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        if parts.is_empty() { Cow::Borrowed(".") } else { Cow::Owned(parts.join("/")) }
    }

    /// The id of a SARIF run about these paths, the same in whatever folder the program runs: `cfg/` for the whole repository, `cfg/PATH/` for a part.
    pub fn automation_id(&self, paths: &[PathBuf]) -> String {
        let mut named: Vec<String> = paths.iter().map(|path| self.of(&path.to_string_lossy()).into_owned()).collect();
        named.sort_unstable();
        named.dedup();
        match named.as_slice() {
            few if few.len() <= MAX_NAMED && !few.iter().any(|path| path == ".") && !few.is_empty() => {
                format!("cfg/{}/", few.join("+").trim_matches('/'))
            }
            [] => "cfg/".to_owned(),
            all if all.iter().any(|path| path == ".") => "cfg/".to_owned(),
            many => format!("cfg/{:016x}/", crate::fingerprint::of_text(&many.join("\n")) as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::Root;

    #[test]
    fn paths_are_named_from_the_root() {
        let root = |here: &str| Root::new(PathBuf::from(here), PathBuf::from("/r"));
        for (here, path) in [
            ("/r", "a/x.toml"),
            ("/r", "./a/x.toml"),
            ("/r/a", "x.toml"),
            ("/r/b", "../a/x.toml"),
            ("/", "/r/a/x.toml"),
            ("/", "r/a/x.toml"),
        ] {
            assert_eq!(root(here).of(path), "a/x.toml", "{here} {path}");
        }
        assert_eq!(root("/r/a").of("../../y.toml"), "../../y.toml");
        assert_eq!(root("/r/a").of("<stdin>"), "<stdin>");
        assert_eq!(root("/r/a").of("--target"), "--target");
        let id = |here: &str, paths: &[&str]| root(here).automation_id(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(id("/r", &["."]), "cfg/");
        assert_eq!(id("/r", &["a"]), "cfg/a/");
        assert_eq!(id("/r/a", &["."]), "cfg/a/");
        assert_eq!(id("/r", &["b", "a/"]), "cfg/a+b/");
        assert_eq!(id("/r", &[]), "cfg/");
        assert_eq!(id("/r", &["a", "b", "c", "d"]).len(), "cfg/0123456789abcdef/".len());
    }
}
