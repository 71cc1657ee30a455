//! The folders whose contents may be used.

use std::{
    collections::BTreeSet,
    ops::Bound::{Included, Unbounded},
    path::{Path, PathBuf},
};

use crate::absolute::is_within;

/// Folders, none of which contains another. They are in the order of the parts of their paths: a folder comes directly before everything in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Roots(BTreeSet<PathBuf>);

impl Roots {
    /// Adds a folder, unless it is in one of them.
    pub(super) fn add(&mut self, root: &Path) {
        if self.around(root).is_none() {
            while let Some(inner) = self.first_in(root).map(Path::to_owned) {
                self.0.remove(&inner);
            }
            self.0.insert(root.to_owned());
        }
    }

    /// The one that contains a path, or is at this path.
    pub(super) fn around(&self, path: &Path) -> Option<&Path> {
        // Usually there is only one.
        let may_be_one =
            if self.0.len() > 1 { self.0.range::<Path, _>((Unbounded, Included(path))).next_back() } else { self.0.first() };
        may_be_one.map(PathBuf::as_path).filter(|root| is_within(path, root))
    }

    /// The first one in a folder, or at its path.
    pub(super) fn first_in(&self, folder: &Path) -> Option<&Path> {
        let first = self.0.range::<Path, _>((Included(folder), Unbounded)).next()?;
        is_within(first, folder).then_some(first)
    }

    /// Whether one is at this path.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.0.contains(path)
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Roots;

    #[test]
    fn a_folder_contains_what_is_below_it_and_not_its_neighbours() {
        let mut roots = Roots::default();
        ["/a/b/c", "/a/b-c", "/a/b/d", "/z"].iter().for_each(|root| roots.add(Path::new(root)));
        let around = |roots: &Roots, path: &str| roots.around(Path::new(path)).map(Path::to_owned);
        assert_eq!(around(&roots, "/a/b/c/x/y").as_deref(), Some(Path::new("/a/b/c")));
        assert_eq!(around(&roots, "/a/b-c").as_deref(), Some(Path::new("/a/b-c")));
        assert!(["/a/b", "/a/b/cc", "/a/b/c-d/x", "/", "/zz"].iter().all(|path| around(&roots, path).is_none()));
        assert!(["/", "/a", "/a/b", "/z"].iter().all(|folder| roots.first_in(Path::new(folder)).is_some()));
        assert!(["/a/b/c/x", "/b", "/zz"].iter().all(|folder| roots.first_in(Path::new(folder)).is_none()));
        // What a new one contains is not kept beside it.
        roots.add(Path::new("/a/b"));
        roots.add(Path::new("/a/b/e"));
        assert_eq!(roots.iter().collect::<Vec<_>>(), ["/a/b", "/a/b-c", "/z"].map(Path::new));
        assert!(roots.has(Path::new("/z")) && !roots.has(Path::new("/a/b/e")));
    }
}
