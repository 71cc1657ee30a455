//! The versions of open configs. The program that starts the server provides them, because it can find and write registries.

use std::{path::Path, sync::Arc};

use cfg_check::{Checked, Session};
use cfg_diag::Diagnostic;
use cfg_project::Projects;

/// The registries around configs. Paths are those of open documents, whose texts may differ from those on disk.
pub trait Versions: Send + Sync {
    /// The session for checking configs of these projects, including their registries. The registries are read again, on the system of the projects:
    /// one of them may have changed.
    fn session(&self, projects: &Arc<Projects>) -> Session;

    /// The state of a config in the registry around it; `None` if there is none.
    fn standing(&self, session: &Session, path: &Path, text: &str, checked: &Checked) -> Option<Standing>;

    /// The errors in a registry itself; empty if `text` differs from the text on disk. Locations are in `FileId(0)`.
    fn verify(&self, session: &Session, registry: &Path, text: &str) -> Vec<Diagnostic>;

    /// The reason why there is none, as a sentence.
    fn lineage(&self, path: &Path) -> Result<String, String>;

    /// Registers the text on disk as a new version, and returns a sentence with its name. `text` is the client's text, which must be the same.
    ///
    /// # Errors
    ///
    /// The reason why no version was registered, as a sentence.
    fn bump(&self, path: &Path, text: &str, why: &str) -> Result<String, String>;
}

/// The state of a config in its registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is not registered.
    Unregistered,
    /// It has versions.
    Registered {
        /// The current one.
        version: String,
        /// Its parent: a version of the same config, or `path:version`.
        from: Option<String>,
        /// The reason for it.
        notes: Option<String>,
        /// The changes since that version was registered.
        since: Since,
    },
}

/// The changes since a version was registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// No change: the text is the registered one.
    Nothing,
    /// Only changes that do not affect the meaning.
    Comments,
    /// The number of keys whose meaning has changed.
    Keys(usize),
    /// There are changes, but it is unknown which.
    Unknown,
}

impl Standing {
    /// The state in short: `v3 from v2, 2 changes since`.
    pub(crate) fn in_short(&self) -> String {
        let Self::Registered { version, from, since, .. } = self else { return "not registered".to_owned() };
        // What another config is called has no room.
        let from = from.as_ref().filter(|from| !from.contains(':'));
        let from = from.map(|from| format!(" from {from}")).unwrap_or_default();
        let since = match since {
            Since::Nothing => ", unchanged".to_owned(),
            Since::Comments => ", same meaning".to_owned(),
            Since::Keys(1) => ", 1 change since".to_owned(),
            Since::Keys(count) => format!(", {count} changes since"),
            Since::Unknown => ", changed since".to_owned(),
        };
        format!("{version}{from}{since}")
    }

    /// The title of the code action that registers a version, in imperative form; `None` if there is nothing to register.
    pub(crate) fn bump(&self) -> Option<String> {
        match self {
            Self::Unregistered => Some("register this config as its first version".to_owned()),
            Self::Registered { since: Since::Nothing | Since::Comments, .. } => None,
            Self::Registered { version, .. } => Some(format!("bump: register the changes since {version} as a version")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Since, Standing};

    fn registered(since: Since) -> Standing {
        Standing::Registered { version: "v3".to_owned(), from: Some("v2".to_owned()), notes: None, since }
    }

    #[test]
    fn a_state_has_version_parent_and_changes() {
        assert_eq!(registered(Since::Keys(2)).in_short(), "v3 from v2, 2 changes since");
        assert_eq!(registered(Since::Nothing).in_short(), "v3 from v2, unchanged");
        assert_eq!(Standing::Unregistered.in_short(), "not registered");
    }

    #[test]
    fn only_a_changed_config_is_bumped() {
        assert_eq!(registered(Since::Comments).bump(), None);
        assert!(registered(Since::Keys(1)).bump().is_some_and(|order| order.contains("since v3")));
        assert!(Standing::Unregistered.bump().is_some());
    }
}
