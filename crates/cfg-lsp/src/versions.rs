//! The versions of the open configs. Where registries are, and how they are written, is for the program that serves to know.

use std::{path::Path, sync::Arc};

use cfg_check::{Checked, Session};
use cfg_diag::Diagnostic;
use cfg_ide::{Lens, Shows};
use cfg_project::Projects;

/// What can be asked of the registries around configs. Paths are those of open documents, whose texts may differ from what is on the disk.
pub trait Versions: Send + Sync {
    /// What configs of these projects are checked with, so that their registries are asked, too. These are read again, on the system of the
    /// projects: one of them may have changed.
    fn session(&self, projects: &Arc<Projects>) -> Session;

    /// How a config is in the registry around it; `None` if there is none.
    fn standing(&self, session: &Session, path: &Path, text: &str, checked: &Checked) -> Option<Standing>;

    /// What is wrong in a registry itself, if this is its text on the disk, too. Places are in `FileId(0)`.
    fn verify(&self, session: &Session, registry: &Path, text: &str) -> Vec<Diagnostic>;

    /// Which version of a config comes from which, as a text.
    ///
    /// # Errors
    ///
    /// A sentence that says why there is nothing to tell.
    fn lineage(&self, path: &Path) -> Result<String, String>;

    /// Makes what is on the disk a version, and says in words which. `text` is what the client sees: they must be the same.
    ///
    /// # Errors
    ///
    /// A sentence that says why none was made.
    fn bump(&self, path: &Path, text: &str, why: &str) -> Result<String, String>;
}

/// How a config is in its registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is none of its configs.
    Unregistered,
    /// It has versions.
    Registered {
        /// The current one.
        version: String,
        /// Where that comes from: a version of the same config, or `path:version`.
        from: Option<String>,
        /// Why it was made.
        notes: Option<String>,
        /// What was changed since.
        since: Since,
    },
}

/// What was changed since a version was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// Nothing: the text is the registered one.
    Nothing,
    /// Nothing that means anything.
    Comments,
    /// So many keys mean something else.
    Keys(usize),
    /// Something; what, can't be told.
    Unknown,
}

impl Standing {
    /// The words above the config: `v3 from v2, 2 changes since`.
    pub(crate) fn lens(&self, offset: u32) -> Lens {
        let (title, shows) = match self {
            Self::Unregistered => ("not registered".to_owned(), None),
            Self::Registered { version, from, since, .. } => {
                let from = from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
                let since = match since {
                    Since::Nothing => ", unchanged".to_owned(),
                    Since::Comments => ", only comments and layout changed since".to_owned(),
                    Since::Keys(1) => ", 1 change since".to_owned(),
                    Since::Keys(count) => format!(", {count} changes since"),
                    Since::Unknown => ", changed since".to_owned(),
                };
                (format!("{version}{from}{since}"), Some(Shows::Lineage))
            }
        };
        Lens { offset, title, shows }
    }

    /// What making a version of it would be, as an order; `None` if there is nothing to make one of.
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
    fn a_lens_tells_version_parent_and_changes() {
        assert_eq!(registered(Since::Keys(2)).lens(0).title, "v3 from v2, 2 changes since");
        assert_eq!(registered(Since::Nothing).lens(0).title, "v3 from v2, unchanged");
        assert_eq!(Standing::Unregistered.lens(0).shows, None);
    }

    #[test]
    fn a_version_is_made_only_of_what_changed() {
        assert_eq!(registered(Since::Comments).bump(), None);
        assert!(registered(Since::Keys(1)).bump().is_some_and(|order| order.contains("since v3")));
        assert!(Standing::Unregistered.bump().is_some());
    }
}
