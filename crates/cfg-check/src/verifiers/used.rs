//! The version of verifiers that a file is for, and what that version accepts.

use std::path::Path;

use cfg_project::Verifiers;
use cfg_schema::Version;

use super::facts::{Facts, Key, facts};
use crate::Session;

/// The verifiers around a file, as far as it is known.
pub(super) struct Used {
    found: Option<Verifiers>,
    /// The release with the same loader, if the sources are not those of a release.
    like: Option<Version>,
    /// Whether the platform runs the evaluations: `prime eval run --hosted` then reads the file, and the project's verifiers does not.
    pub(super) is_hosted: bool,
}

/// What happens to a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is accepted, or may be: nothing is reported.
    Taken,
    /// No release has ever accepted it.
    Unknown {
        /// Whether the used version is newer than all known ones.
        may_be_new: bool,
    },
    /// It was accepted before this release.
    Removed {
        until: &'static str,
        /// Whether the used version is known.
        is_sure: bool,
    },
    /// It is accepted from this release on.
    Future { since: &'static str },
    /// Evaluations on the platform don't accept it.
    NotHosted,
}

impl Used {
    /// The verifiers that the project around a file uses.
    pub(super) fn around(session: &Session, path: &str) -> Self {
        Self::new(session.projects().verifiers(Path::new(path)))
    }

    fn new(found: Option<Verifiers>) -> Self {
        // The file can't be for a release that does not read such files, so that release is ignored.
        let found = found.filter(|found| match found {
            Verifiers::Release(release, _) | Verifiers::Commit(release, _) => !facts().is_before(release),
            Verifiers::Source(_) => true,
        });
        let like = match &found {
            Some(Verifiers::Source(keys)) => facts().newest_with(&keys.names).cloned(),
            _ => None,
        };
        Self { found, like, is_hosted: false }
    }

    /// The rules of `prime eval run --hosted`, which apply in place of verifiers' own.
    pub(super) fn hosted() -> Self {
        let like = facts().hosted.as_ref().map(|(like, _)| like.clone());
        Self { found: like.map(|like| Verifiers::Release(like, String::new())), like: None, is_hosted: true }
    }

    /// Whether a key of the root or of an evaluation is accepted.
    pub(super) fn standing(&self, name: &str) -> Standing {
        let Some(key) = facts().key(name) else {
            let is_listed = matches!(&self.found, Some(Verifiers::Source(keys)) if keys.names.iter().any(|own| own == name));
            return if is_listed { Standing::Taken } else { Standing::Unknown { may_be_new: self.is_beyond_facts() } };
        };
        if self.is_hosted {
            return if key.platform.is_some() { Standing::Taken } else { Standing::NotHosted };
        }
        if let Some(Verifiers::Source(keys)) = &self.found
            && name != "id"
            && !key.is_hosted
        {
            return Self::listed(keys.names.iter().any(|own| own == name), key);
        }
        self.by_release(key)
    }

    /// Whether a key of an `[[endpoint]]` is accepted.
    pub(super) fn of_endpoint(&self, name: &str) -> Standing {
        match facts().endpoint_keys().iter().find(|key| *key.name == *name) {
            Some(key) => self.by_release(key),
            None => Standing::Unknown { may_be_new: self.is_beyond_facts() },
        }
    }

    /// Whether a key is accepted, if the sources list the accepted ones.
    fn listed(is_listed: bool, key: &'static Key) -> Standing {
        match (is_listed, &key.stretch.until) {
            (true, _) => Standing::Taken,
            // A fork may lack a key that every release has.
            (false, None) => match &key.stretch.since {
                Some((_, since)) => Standing::Future { since },
                None => Standing::Unknown { may_be_new: false },
            },
            (false, Some((_, until))) => Standing::Removed { until, is_sure: true },
        }
    }

    fn by_release(&self, key: &'static Key) -> Standing {
        let release = self.release();
        match (&key.stretch.since, &key.stretch.until, release) {
            (_, Some((_, until)), None) => Standing::Removed { until, is_sure: false },
            (_, Some((_, until)), Some(release)) if key.stretch.has_ended(release) => Standing::Removed { until, is_sure: true },
            // A commit before the next release may accept what that release accepts.
            (Some((_, since)), _, Some(release)) if !key.stretch.has_begun(release) && !self.is_commit() => {
                Standing::Future { since }
            }
            _ => Standing::Taken,
        }
    }

    /// Whether its loader has a behaviour; `None` if that is unknown.
    pub(super) fn does(&self, behaviour: &str) -> Option<bool> {
        let stretch = facts().behaviour(behaviour)?;
        let release = self.release()?;
        let has_begun = stretch.has_begun(release);
        if !has_begun && self.is_commit() {
            return None;
        }
        Some(has_begun && !stretch.has_ended(release))
    }

    fn release(&self) -> Option<&Version> {
        match self.found.as_ref()? {
            Verifiers::Source(_) => self.like.as_ref(),
            Verifiers::Release(release, _) | Verifiers::Commit(release, _) => Some(release),
        }
    }

    const fn is_commit(&self) -> bool {
        matches!(self.found, Some(Verifiers::Commit(..)))
    }

    fn is_beyond_facts(&self) -> bool {
        match &self.found {
            Some(Verifiers::Release(release, _) | Verifiers::Commit(release, _)) => facts().is_beyond(release),
            Some(Verifiers::Source(_)) | None => false,
        }
    }

    /// Whether it may have providers and client types that no known release has.
    pub(super) fn may_know_more_names(&self) -> bool {
        matches!(self.found, Some(Verifiers::Source(_))) || self.is_beyond_facts()
    }

    /// Its name: `verifiers 0.1.14`.
    pub(super) fn in_words(&self) -> String {
        if let Some((_, prime)) = facts().hosted.as_ref().filter(|_| self.is_hosted) {
            return format!("hosted evaluations of prime {prime}");
        }
        match &self.found {
            Some(Verifiers::Source(keys)) => format!("the verifiers of {}", keys.place),
            Some(Verifiers::Release(_, name)) => format!("verifiers {name}"),
            Some(Verifiers::Commit(_, name)) => format!("a commit of verifiers {name}"),
            None => "verifiers of an unknown version".to_owned(),
        }
    }

    /// The keys that it reads of an `[[endpoint]]`.
    pub(super) fn names_of_endpoint(&self) -> Vec<&'static str> {
        let names = facts().endpoint_keys().iter().map(|key| &*key.name);
        names.filter(|name| self.of_endpoint(name) == Standing::Taken).collect()
    }

    /// The keys that it accepts at a place of a file: at the root, or in an evaluation.
    pub(super) fn names(&self, is_root: bool) -> Vec<&'static str> {
        let all: &'static Facts = facts();
        let fits = |key: &&Key| !(key.is_hosted && !self.is_hosted || is_root && key.is_of_entries);
        let taken = all.keys().iter().filter(fits).map(|key| &*key.name);
        taken.filter(|name| self.standing(name) == Standing::Taken).collect()
    }
}

#[cfg(test)]
mod tests {
    use cfg_project::Verifiers;
    use cfg_schema::Version;

    use super::{Standing, Used};

    fn release(name: &str) -> Used {
        Used::new(Some(Verifiers::Release(Version::parse(name).expect("a version"), name.to_owned())))
    }

    fn commit(name: &str) -> Used {
        Used::new(Some(Verifiers::Commit(Version::parse(name).expect("a version"), name.to_owned())))
    }

    #[test]
    fn the_release_decides_which_keys_are_accepted() {
        assert_eq!(release("0.1.11").standing("debug"), Standing::Taken);
        assert_eq!(release("0.1.14").standing("debug"), Standing::Removed { until: "0.1.13.dev4", is_sure: true });
        assert_eq!(release("0.1.11").standing("sampling"), Standing::Future { since: "0.1.15.dev8" });
        assert_eq!(release("0.1.14").standing("no_such_key"), Standing::Unknown { may_be_new: false });
        assert_eq!(release("9.0").standing("no_such_key"), Standing::Unknown { may_be_new: true });
        assert_eq!(release("0.1.11").standing("timeout_minutes"), Standing::Taken);
    }

    #[test]
    fn an_unknown_release_is_unknown() {
        // The files can't be for a release that does not read such files.
        for used in [Used::new(None), release("0.1.9")] {
            assert_eq!(used.standing("sampling"), Standing::Taken);
            assert_eq!(used.standing("debug"), Standing::Removed { until: "0.1.13.dev4", is_sure: false });
            assert_eq!(used.standing("no_such_key"), Standing::Unknown { may_be_new: false });
            assert_eq!(used.does("ablations"), None);
        }
        assert_eq!(commit("0.1.13.dev8").standing("args"), Standing::Taken);
        assert_eq!(commit("0.1.13.dev8").does("tasksets-name"), None);
        assert_eq!(release("0.1.13.dev8").does("tasksets-name"), Some(false));
        assert_eq!(release("0.2.1").does("tasksets-name"), Some(true));
    }
}
