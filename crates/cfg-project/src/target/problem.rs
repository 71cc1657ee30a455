//! A project's prime-rl that can't be used as a target.

use std::{fmt, path::Path};

use cfg_schema::{Commit, History, TargetError};

use super::TargetSource;

/// The prime-rl that a source names is not in the known history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetProblem {
    /// The source.
    pub source: TargetSource,
    /// What the source names.
    pub unusable: Unusable,
}

/// What a source can name that is not in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// A commit that is not on the known main line, and whose date is in no available repository.
    Commit(String),
    /// A commit that is older than the history.
    TooOld(String),
    /// A copy without git, whose classes can't be read: the reason, once that was tried.
    NoCommit(Option<String>),
    /// A version, tag or other name.
    Name(TargetError),
    /// A range that allows no version of the history.
    Range(String),
    /// A version of the distribution with only the config classes, whose version numbers differ from prime-rl's.
    OwnVersion(String),
    /// The settings state something that is not the name of a prime-rl, or the settings can't be read.
    Refused,
}

impl TargetProblem {
    /// The commit that it names.
    pub(super) fn commit(&self) -> Option<&str> {
        match &self.unusable {
            Unusable::Commit(sha) | Unusable::TooOld(sha) => Some(sha),
            _ => None,
        }
    }

    /// The problem, in one sentence; paths are relative to the folder `base`.
    pub fn message(&self, base: &Path) -> String {
        let source = self.source.describe(base);
        match &self.unusable {
            Unusable::Commit(sha) => {
                format!("prime-rl is at commit {} ({source}), which is not a known commit of the main branch", short(sha))
            }
            Unusable::TooOld(sha) => {
                format!("prime-rl is at commit {} ({source}), which is older than the known history", short(sha))
            }
            Unusable::NoCommit(why) => {
                let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                format!("this prime-rl has no git history, and its config classes can't be read ({source}){why}")
            }
            Unusable::Name(error) => format!("{error} ({source})"),
            Unusable::Refused => format!("the settings do not say which prime-rl is used ({source})"),
            Unusable::Range(range) => format!("no known release of prime-rl matches `{range}` ({source})"),
            Unusable::OwnVersion(version) => {
                format!(
                    "prime-rl-configs `{version}` ({source}) does not identify a prime-rl: its versions are not those of \
                    prime-rl"
                )
            }
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        let mut commits = History::built_in().commits();
        let first = commits.next().map(Commit::day).unwrap_or_default();
        let last = commits.next_back().map(Commit::day).unwrap_or_default();
        format!(
            "checks that depend on the version are skipped; set `target` in cfg.toml to a release or to the date of the commit \
             (the known history covers {first} to {last}), or pass a checkout with `--target path:CHECKOUT`"
        )
    }
}

impl fmt::Display for TargetProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message(Path::new("")))
    }
}

impl std::error::Error for TargetProblem {}

fn short(sha: &str) -> &str {
    sha.get(..9).unwrap_or(sha)
}
