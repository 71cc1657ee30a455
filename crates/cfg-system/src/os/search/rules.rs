//! The rules for what a search skips, and the files that git tracks in spite of its rules.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use ignore::{Match, gitignore::Gitignore};

use crate::{System, file_name, git::Tracked};

/// The rules for a folder, and for those above it.
pub(super) struct Rules {
    pub(super) ignore: Option<Gitignore>,
    pub(super) gitignore: Option<Gitignore>,
    pub(super) exclude: Option<Gitignore>,
    /// The repository whose root is the folder. git's settings above do not apply in it.
    pub(super) repository: Option<Arc<Repository>>,
    pub(super) outer: Option<Arc<Rules>>,
}

/// What the rules say about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// It is skipped.
    Ignored,
    /// It is skipped, unless git tracks it.
    IgnoredByGit,
    /// It is not skipped, even if it is hidden.
    Wanted,
    Nothing,
}

impl Said {
    /// What git's rules say about a path.
    pub(super) const fn by_git<T>(said: &Match<T>) -> Self {
        match said {
            Match::Ignore(_) => Self::IgnoredByGit,
            Match::Whitelist(_) => Self::Wanted,
            Match::None => Self::Nothing,
        }
    }
}

impl Rules {
    /// The decision for a path: `.ignore` takes precedence over `.gitignore`, that over git's own exclude files, and for each the nearest one
    /// decides.
    pub(super) fn say(&self, path: &Path, is_folder: bool) -> Said {
        let (mut ignore, mut gitignore, mut exclude) = (Match::None, Match::None, Match::None);
        let mut is_of_git = true;
        let mut next = Some(self);
        while let Some(rules) = next {
            let said =
                |file: &Option<Gitignore>| file.as_ref().map_or(Match::None, |file| file.matched(path, is_folder).map(drop));
            ignore = ignore.or(said(&rules.ignore));
            if is_of_git {
                gitignore = gitignore.or(said(&rules.gitignore));
                exclude = exclude.or(said(&rules.exclude));
            }
            is_of_git &= rules.repository.is_none();
            next = rules.outer.as_deref();
        }
        match ignore {
            Match::Ignore(()) => Said::Ignored,
            Match::Whitelist(()) => Said::Wanted,
            Match::None => Said::by_git(&gitignore.or(exclude)),
        }
    }

    /// The nearest repository around the folder.
    pub(super) fn repository(&self) -> Option<&Arc<Repository>> {
        self.repository.as_ref().or_else(|| self.outer.as_deref()?.repository())
    }
}

/// A repository, with the wanted files that git tracks in it. They are read when a rule of git skips something for the first time.
pub(super) struct Repository {
    top: PathBuf,
    tracked: OnceLock<Option<Tracked>>,
}

impl Repository {
    /// The repository whose root is a folder.
    pub(super) fn at(top: &Path) -> Self {
        Self { top: top.to_owned(), tracked: OnceLock::new() }
    }

    /// Whether git tracks a file, or a wanted file below a folder.
    pub(super) fn tracks(
        &self,
        system: &dyn System,
        path: &Path,
        is_folder: bool,
        wanted: &(dyn Fn(&Path) -> bool + Sync),
    ) -> bool {
        let is_wanted = |path: &Path| file_name(path).is_some_and(|name| wanted(Path::new(name)));
        let tracked = self.tracked.get_or_init(|| Tracked::of(system, &self.top, &is_wanted));
        let (Some(tracked), Ok(below)) = (tracked, path.strip_prefix(&self.top)) else { return false };
        if is_folder { tracked.has_below(below) } else { tracked.has(below) }
    }
}
