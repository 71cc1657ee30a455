//! One config, in both states of the repository.

use std::path::Path;

use cfg_check::Project;
use cfg_diag::markdown::cell;
use cfg_registry::fingerprint::{Difference as Of, Meaning, Outcome as Difference, compare, edits, outcome};
use cfg_report::memory::{write_changes, write_new};
use cfg_schema::Target;

use super::{
    Changes, Edited, New, State,
    registered::{Around, Text, standing},
};
use crate::commands::diff::{
    hints::hints,
    markdown::{Comparison, value},
    side::Side,
};

/// The two states of the repository.
pub(super) struct States<'a> {
    pub(super) before: &'a State,
    pub(super) now: &'a State,
    /// Their registries.
    pub(super) was: Around<'a>,
    pub(super) is: Around<'a>,
    /// The root of the work tree.
    pub(super) top: &'a Path,
    /// The target of the command line.
    pub(super) target: Option<Target>,
    /// Whether the differences are shown.
    pub(super) is_for_people: bool,
}

/// A config that is there now, by its paths from the root of the work tree.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    /// Its path before; `None` if it is new.
    pub(super) before: Option<&'a Path>,
    pub(super) now: &'a Path,
}

impl States<'_> {
    /// What became of a config.
    pub(super) fn compare(&self, pair: Pair<'_>) -> Changes {
        let mut changes = Changes::default();
        self.registered(pair, &mut changes);
        let Some(other) = self.now.side(self.top, pair.now, self.target.as_ref()) else { return changes };
        match pair.before {
            Some(old) => self.compare_sides(old, pair.now, other, &mut changes),
            None => changes.new.push(self.described(&other)),
        }
        changes
    }

    /// What became of a new or changed config in the registries.
    fn registered(&self, Pair { before: old, now: path }: Pair<'_>, changes: &mut Changes) {
        let one = old.and_then(|old| self.before.configs.get_key_value(old));
        let Some(text) = self.now.configs.get(path) else { return };
        let (old, place) = (one.map(|(old, _)| self.top.join(old)), self.top.join(path));
        let one = one.zip(old.as_ref()).map(|((_, text), path)| Text { path, text });
        let found =
            standing(&self.was, &self.is, one.as_ref(), &Text { path: &place, text }, path.to_string_lossy().into_owned());
        let is_changed = one.is_none_or(|one| one.text != text);
        changes.standings.extend(found.filter(|found| is_changed || found.before != found.now));
    }

    fn described(&self, side: &Side) -> New {
        let kind = side.kind().map_or_else(|| "a config".to_owned(), |kind| format!("{} config", kind.with_article()));
        let memory = side.memory(&self.now.session).filter(|_| self.is_for_people).and_then(|memory| {
            let mut text = Vec::new();
            write_new(&mut text, &memory).ok()?;
            Some(text)
        });
        let target = cfg_diag::markdown::code(&side.target().name);
        New { name: side.name.clone(), what: format!("{kind} for prime-rl {target}"), memory }
    }

    fn compare_sides(&self, old: &Path, path: &Path, other: Side, changes: &mut Changes) {
        let Some(one) = self.before.side(self.top, old, self.target.as_ref()) else { return };
        // A target that nothing states is no change of the project, even if the day of a commit shows another one.
        let is_assumed = one.is_assumed() && other.is_assumed() && one.target().name != other.target().name;
        let again = is_assumed.then(|| self.before.side(self.top, old, Some(other.target()))).flatten();
        let one = again.unwrap_or(one);
        let is_edited = old != path || self.before.configs.get(old) != self.now.configs.get(path);
        let stated = |state: &State, path: &Path| {
            let Project { gpu, gpus, disk, .. } = Project::around(state.session.projects(), &self.top.join(path));
            (gpu, gpus, disk)
        };
        let has_other_machine =
            (is_edited || stated(self.before, old) != stated(self.now, path)) && self.machine(&one, &other, changes);
        if one.is_of_unknown() || other.is_of_unknown() {
            // The prime-rl of a file that nobody edited may be another one.
            changes.uncompared.push((other.name, "its prime-rl is unknown"));
            return;
        }
        if one.is_partly_read() || other.is_partly_read() {
            changes.uncompared.push((other.name, "not all of its files are read"));
            return;
        }
        let (before, now) = (&self.before.session, &self.now.session);
        let (Some(one_means), Some(other_means)) = (one.meaning(before), other.meaning(now)) else {
            if is_edited {
                let why = if one.has_conflict() || other.has_conflict() {
                    "it has an unresolved merge conflict"
                } else {
                    "it is unclear which entrypoint it is for"
                };
                changes.uncompared.push((other.name, why));
            }
            return;
        };
        changes.compared = 1;
        if one.target().name != other.target().name {
            let targets = (one.target().name.clone(), other.target().name.clone());
            changes.targets.insert(targets, vec![other.name.clone()]);
        }
        changes.faults(&one, &other);
        let differences = compare(&one_means, &other_means);
        if outcome(&differences) != Difference::Same {
            changes.differing.push(other.name.clone());
            if self.is_for_people {
                self.differ(one, other, (&one_means, &other_means), &differences, changes);
            }
        } else if has_other_machine && let Some((before, after)) = one.memory(before).zip(other.memory(now)) {
            let mut table = Vec::new();
            if write_changes(&mut table, &before, &after).is_ok() && !table.is_empty() {
                changes.memory.insert(String::from_utf8_lossy(&table).into_owned(), vec![other.name]);
            }
        }
    }

    /// Writes what differs in a config.
    fn differ(
        &self,
        one: Side,
        other: Side,
        (one_means, other_means): (&Meaning, &Meaning),
        differences: &[Of<'_>],
        changes: &mut Changes,
    ) {
        // What another prime-rl makes of an unchanged text is no edit, even if it refuses it.
        let is_of_version = one.target().name != other.target().name && one.has_texts_of(&other);
        if outcome(differences) == Difference::ByDefault || is_of_version {
            for difference in differences {
                let row = (cell(difference.key()), value(difference.one), value(difference.other));
                *changes.keys_of_version.entry(row).or_default() += 1;
            }
            changes.of_version.push(other.name.clone());
            changes.sides_of_version.push((one, other));
            return;
        }
        let hints = one.course().zip(other.course()).map_or_else(Vec::new, |(one, other)| hints(&one, &other));
        let edits = edits(one_means, other_means, differences).len();
        let mut text = Vec::new();
        let comparison = Comparison { one: &one, other: &other, differences, edits, hints: &hints };
        if comparison.write_differences(&mut text, &self.now.session).is_ok() {
            let text = String::from_utf8_lossy(&text).into_owned();
            changes.edited.push(Edited { configs: vec![(one.name, other.name)], text });
        }
    }

    /// Notes the machine of a config if it is another one; whether it is.
    fn machine(&self, one: &Side, other: &Side, changes: &mut Changes) -> bool {
        let machines = (one.machine(&self.before.session), other.machine(&self.now.session));
        let is_other = machines.0 != machines.1;
        if is_other {
            changes.machines.insert(machines, vec![other.name.clone()]);
        }
        is_other
    }
}

impl Changes {
    /// Notes what prime-rl refuses on either side.
    fn faults(&mut self, one: &Side, other: &Side) {
        let name = other.name.clone();
        let is_worse = !one.has_faults() || one.fault().is_none() && other.fault().is_some();
        if other.has_faults() && is_worse {
            self.refused_now.insert(name, other.first_fault());
        } else if one.has_faults() && !other.has_faults() {
            self.accepted_now.insert(name);
        } else if other.has_faults() && other.is_part() {
            self.parts.insert(name);
        } else if other.has_faults() {
            self.refused.insert(name);
        }
    }
}
