//! From which prime-rl to which a file is migrated, and where these are stated.

use std::{path::Path, sync::PoisonError};

use cfg_check::best_target;
use cfg_diag::{Diagnostic, codes};
use cfg_migrate::Migration;
use cfg_project::{DetectedTarget, Earlier, EarlierTarget, TargetSource};
use cfg_schema::{Tag, Target};

use super::{
    Job,
    one::{MigratedConfig, states_target},
    unclear::Older,
};

/// The prime-rl that a file is written for.
pub(super) struct Origin {
    /// The target, if the text and the project around it are not to be asked.
    pub(super) target: Option<Target>,
    /// Where it is stated; `None` if it is not.
    pub(super) why: Option<String>,
}

/// A file that is migrated.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    pub(super) path: &'a Path,
    /// Its path in messages.
    pub(super) name: &'a str,
    pub(super) text: &'a str,
}

impl Job<'_> {
    /// The prime-rl to which a file is migrated: that of the command line, the one that the project has, or the newest release. What the settings
    /// state is what the configs are for now, and changes with them.
    pub(super) fn goal(&self, path: &Path, notes: &mut Vec<String>) -> Target {
        if let Some(to) = &self.to {
            return to.clone();
        }
        let newest = Target::newest_release(self.session.history);
        let is_goal = |detected: &DetectedTarget| {
            !matches!(detected.source, TargetSource::Settings(_)) || detected.target.point >= newest.point
        };
        let (target, why) = match self.detected(path).filter(is_goal) {
            Some(detected) => {
                let source = detected.source.describe(self.cx.host().folder());
                (detected.target.clone(), format!("which {source} states; `--to` names another one"))
            }
            None => (newest, "the newest release that this cfg knows".to_owned()),
        };
        notes.push(format!("migrating to prime-rl {target}, {why}"));
        target
    }

    /// Notes sentences that may concern several files, each once.
    pub(super) fn say_once(&self, sentences: Vec<String>) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        for sentence in sentences {
            if !said.contains(&sentence) {
                self.cx.note(&sentence);
                said.insert(sentence);
            }
        }
    }

    /// The prime-rl that the project around a file states.
    fn detected(&self, path: &Path) -> Option<DetectedTarget> {
        self.session.projects().target(path).as_deref().and_then(|target| target.as_ref().ok()).cloned()
    }

    /// From which prime-rl a file is migrated. A project that states the new one has been changed first: then it is the one that it stated before.
    pub(super) fn origin(&self, from: Option<Target>, file: &File<'_>, to: &Target, notes: &mut Vec<String>) -> Origin {
        let File { path, name, text } = *file;
        if let Some(from) = from {
            let is_of_user = self.arguments.from.is_some();
            let why = if is_of_user { "as `--from` says" } else { "as the config that includes it" };
            return Origin { target: Some(from), why: Some(why.to_owned()) };
        }
        if states_target(self.session, name, text) {
            return Origin { target: None, why: Some("as `prime_rl` in its metadata says".to_owned()) };
        }
        let answer = self.session.projects().target_in(path, text);
        let Some(detected) = answer.as_deref().and_then(|target| target.as_ref().ok()) else {
            return Origin { target: None, why: None };
        };
        let source = detected.source.describe(self.cx.host().folder());
        if detected.target.point == to.point
            && let Some(earlier) = self.earlier(path, detected)
        {
            let EarlierTarget { target, source: before, commit, day } = match earlier {
                Earlier::Known(earlier) => earlier,
                Earlier::Unknown { what, commit, day } => {
                    let sentence = format!(
                        "{source} states {to} since the commit after {commit} of {day}, where it was {what}, which this cfg does not know: pass `--from` \
                         with the release or commit of the main line that it was nearest to"
                    );
                    notes.push(sentence);
                    return Origin { target: None, why: Some(format!("read from {source}, before {what}, which is unknown")) };
                }
            };
            let before = before.describe(self.cx.host().folder());
            let stated = if before == source { String::new() } else { format!("{before}, ") };
            let why = format!("as stated until now: {stated}commit {commit} of {day}; {source} states {to} already");
            return Origin { target: Some(target), why: Some(why) };
        }
        Origin { target: None, why: Some(format!("read from {source}")) }
    }

    /// The prime-rl that a project stated before.
    fn earlier(&self, path: &Path, now: &DetectedTarget) -> Option<Earlier> {
        let place = now.source.path()?.to_owned();
        // Other threads wait for the answer of git.
        let mut known = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || self.session.projects().earlier_target(path, &now.source, now.target.point);
        known.entry(place).or_insert_with(find).clone()
    }

    /// Tells how to migrate configs that a merge in a checkout of prime-rl left behind: its sources are the old prime-rl and the new one alike.
    pub(super) fn note_merge(&self, all: &[MigratedConfig]) {
        let is_arrived = |config: &MigratedConfig| config.migration.from.point >= config.migration.to.point;
        let Some(first) = all.first().filter(|_| self.arguments.from.is_none() && all.iter().all(is_arrived)) else { return };
        let is_checkout = |detected: DetectedTarget| matches!(detected.source, TargetSource::GitCheckout { .. });
        let is_before = |release: &Tag| release.point() < first.migration.to.point;
        if self.detected(Path::new(&first.name)).is_some_and(is_checkout)
            && let Some(before) = self.session.history.releases().rfind(is_before)
        {
            self.say_once(vec![format!(
                "this checkout of prime-rl is both the old and the new one; after a merge, pass the release before it, such as `--from {}`",
                before.name()
            )]);
        }
    }

    /// The pins and checkouts of projects that still are the old prime-rl, each with what to do.
    pub(super) fn old_pins(&self, all: &[MigratedConfig]) -> Vec<String> {
        let mut pins: Vec<String> = Vec::new();
        for config in all {
            let Some(detected) = self.detected(Path::new(&config.name)) else { continue };
            if matches!(detected.source, TargetSource::Settings(_)) || detected.target.point >= config.migration.to.point {
                continue;
            }
            let source = detected.source.describe(self.cx.host().folder());
            let pin = format!("{source} has prime-rl {}: change it to {}, too", detected.target, config.migration.to);
            if !pins.contains(&pin) {
                pins.push(pin);
            }
        }
        pins
    }

    /// What asks for the old prime-rl of a config whose project states only the new one, although the keys are those of an older one.
    pub(super) fn asks_for_from(&self, migration: &Migration, name: &str, text: &str, why: Option<&str>) -> Option<Older> {
        let Migration { from, to, kind, before, .. } = migration;
        let is_gone = |found: &&Diagnostic| found.native.is_some() && found.code == &codes::REMOVED_KEY;
        let gone = before.diagnostics.iter().find(is_gone).filter(|_| from.point == to.point && self.arguments.from.is_none())?;
        let fitting = best_target(self.session, *kind, text, to.point).filter(|fitting| fitting.point < to.point)?;
        let why = why.map(|why| format!(", {why}")).unwrap_or_default();
        Some(Older {
            name: name.to_owned(),
            stated: format!("{to}{why}"),
            gone: gone.message.clone(),
            fitting: fitting.to_string(),
        })
    }
}
