//! What public sources show of prime-rl after the last commit of the history: keys that are new, gone, or take other values.

mod rows;

use std::cmp::Ordering;

use crate::{History, Kind, Target, is_day, without_indices};

/// A release after the end of the history.
#[derive(Debug, PartialEq, Eq)]
pub struct AheadRelease {
    /// Its name.
    pub name: &'static str,
    /// Its day.
    pub day: &'static str,
    /// The pull request that made it.
    pub pull_request: u16,
}

impl AheadRelease {
    /// All of them, the oldest first.
    pub fn all() -> &'static [Self] {
        rows::RELEASES
    }
}

impl Target {
    /// The day up to which this prime-rl has the known changes after the end of the history; empty if it has none of them.
    pub fn has_changes_until(&self) -> &str {
        let name = self.name.as_str();
        if is_day(name) {
            return name;
        }
        match AheadRelease::all().iter().find(|release| release.name == name) {
            Some(release) => release.day,
            // A later release than those that are known.
            None if self.is_beyond && name.contains('.') => "9999-12-31",
            None => "",
        }
    }

    /// Whether this prime-rl has a key of configs of `kind`, or may have it, because a known change after the end of the history adds it: `main` and a commit
    /// that is not known may be of any later day.
    pub fn may_have(&self, kind: Kind, path: &str) -> bool {
        // Of a checkout, the schema is known.
        let is_there = self.schema(kind).has(path);
        if is_there || self.history != History::built_in() {
            return is_there;
        }
        let until = self.has_changes_until();
        let is_open = until.is_empty() && (self.is_beyond || self.name == "main");
        Ahead::added(kind, path).iter().any(|entry| is_open || entry.day <= until)
    }
}

/// What became of a key after the end of the history.
#[derive(Debug, PartialEq, Eq)]
pub enum AheadChange {
    /// It is new.
    Added {
        /// Its type in the notation of the history, with its default.
        ty: &'static str,
        /// Whether it takes any keys below it.
        is_open: bool,
    },
    /// It takes this value in addition.
    Value(&'static str),
    /// It is gone; what to do instead.
    Removed(&'static str),
    /// Its default changed.
    Default {
        /// The default before, as JSON.
        old: &'static str,
        /// The default since then, as JSON.
        new: &'static str,
    },
}

/// The form of what is written at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A table.
    Table,
    /// A list of tables.
    Tables,
    /// Anything else.
    Other,
    /// It is not known.
    Unknown,
}

/// A change of one key after the end of the history.
#[derive(Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The kind whose configs have the key. Those of the components of an `rl` config are listed under their own kinds.
    pub kind: Kind,
    /// Its dotted path, without items and variants.
    pub path: &'static str,
    /// The change.
    pub change: AheadChange,
    /// The pull request that made it; `None` if no public page names it.
    pub pull_request: Option<u16>,
    /// The day on which the pull request was opened; without one, a day on which a public copy had the change.
    pub day: &'static str,
    /// The first release that has it, if that is known.
    pub release: Option<&'static str>,
}

impl Ahead {
    /// All of them, in the order of `schemas/ahead.toml`.
    pub fn all() -> &'static [Self] {
        rows::ALL
    }

    /// The additions at a key, below it or above it, by its dotted path in a config of `kind`: with items or without.
    pub fn added(kind: Kind, path: &str) -> Vec<&'static Self> {
        let (kind, path) = component(kind, path);
        let is_at = |entry: &&Self| {
            let AheadChange::Added { is_open, .. } = entry.change else { return false };
            entry.path == path || is_below(entry.path, &path) || is_open && is_below(&path, entry.path)
        };
        rows::ALL.iter().filter(|entry| entry.kind == kind).filter(is_at).collect()
    }

    /// Whether an addition that [`added`](Self::added) found can be what is written at a key, by its form: a table that takes any keys is not a list.
    pub fn fits(&self, kind: Kind, key: &str, written: Written) -> bool {
        let AheadChange::Added { ty, is_open } = self.change else { return true };
        let of_component = self.kind != kind && is_below(key, self.kind.name());
        let own = self.path.split('.').count() + usize::from(of_component);
        let steps: Vec<&str> = key.split('.').collect();
        let is_list = ty.starts_with("list");
        match steps.len().cmp(&own) {
            // A table around it.
            Ordering::Less => written != Written::Other,
            Ordering::Equal if is_open => written == if is_list { Written::Tables } else { Written::Table },
            Ordering::Greater if is_open => steps[own - 1].ends_with(']') == is_list,
            _ => true,
        }
    }

    /// The additions of exactly a key whose type is known, each with its number in [`all`](Self::all).
    pub fn typed(kind: Kind, path: &str) -> impl Iterator<Item = (usize, &'static Self)> {
        let (kind, path) = component(kind, path);
        let is_typed = |entry: &Self| matches!(entry.change, AheadChange::Added { is_open: false, .. });
        rows::ALL.iter().enumerate().filter(move |(_, entry)| entry.kind == kind && entry.path == path && is_typed(entry))
    }

    /// The entry by which a key takes a value in addition.
    pub fn value(kind: Kind, path: &str, value: &str) -> Option<&'static Self> {
        let (kind, path) = component(kind, path);
        // The error about a variant is at its table.
        let is_key = |entry: &Self| {
            entry.path == path || entry.path.strip_prefix(&*path).is_some_and(|key| matches!(key, ".type" | ".name"))
        };
        rows::ALL.iter().find(|entry| {
            entry.kind == kind && matches!(entry.change, AheadChange::Value(taken) if taken == value) && is_key(entry)
        })
    }

    /// The entry by which a key is gone, or the table around it.
    pub fn removed(kind: Kind, path: &str) -> Option<&'static Self> {
        let (kind, path) = component(kind, path);
        let is_it = |entry: &&Self| matches!(entry.change, AheadChange::Removed(_)) && entry.kind == kind && entry.path == path;
        rows::ALL.iter().find(is_it)
    }

    /// The changed defaults, each with the path of its key in a config of `kind`: `trainer.loss.type` of an `rl` config.
    pub fn defaults(kind: Kind) -> impl Iterator<Item = (&'static Self, String)> {
        let is_default = |entry: &&Self| matches!(entry.change, AheadChange::Default { .. });
        rows::ALL.iter().filter(is_default).filter_map(move |entry| Some((entry, entry.path_in(kind, entry.path)?)))
    }

    /// The keys of a config of `kind` that are gone because their values are written at another one, each with that and the day of the change.
    pub fn renamed(kind: Kind) -> impl Iterator<Item = (String, String, &'static str)> {
        rows::ALL.iter().filter_map(move |entry| {
            let AheadChange::Removed(instead) = entry.change else { return None };
            let new = instead.strip_prefix("write `")?.strip_suffix('`').filter(|new| !new.contains(['`', ' ', '=']))?;
            Some((entry.path_in(kind, entry.path)?, entry.path_in(kind, new)?, entry.day))
        })
    }

    /// The path in a config of `kind` for one in the entry's own; `None` if it has no such component.
    fn path_in(&self, kind: Kind, path: &str) -> Option<String> {
        match kind {
            _ if self.kind == kind => Some(path.to_owned()),
            Kind::Rl if matches!(self.kind, Kind::Trainer | Kind::Orchestrator | Kind::Inference) => {
                Some(format!("{}.{path}", self.kind.name()))
            }
            Kind::Sft if self.kind == Kind::Inference => Some(format!("inference.{path}")),
            _ => None,
        }
    }

    /// Since when prime-rl has it, as far as that is known: `since 0.9.0 (#3371)`, `after 0.9.0 (#3471 of 2026-09-02)`, `by 2026-11-28 at the latest`.
    pub fn since(&self) -> String {
        if let Some(release) = self.release {
            let number = self.pull_request.map(|number| format!(" (#{number})")).unwrap_or_default();
            return format!("since {release}{number}");
        }
        let Some(number) = self.pull_request else { return format!("by {} at the latest", self.day) };
        let what = format!("#{number} of {}", self.day);
        match AheadRelease::all().iter().rfind(|release| release.day < self.day) {
            Some(release) => format!("after {} ({what})", release.name),
            None => format!("since {what}"),
        }
    }
}

/// The kind and path of a key under which its changes are listed, without items: `trainer.model.ac` of an `rl` config is `model.ac` of a `trainer` config.
fn component(kind: Kind, path: &str) -> (Kind, String) {
    let plain = without_indices(path);
    let parts: &[Kind] = match kind {
        Kind::Rl | Kind::HostedRl => &[Kind::Trainer, Kind::Orchestrator, Kind::Inference],
        Kind::Sft | Kind::HostedSft => &[Kind::Inference],
        _ => &[],
    };
    for part in parts {
        if let Some(rest) = plain.strip_prefix(part.name()).and_then(|rest| rest.strip_prefix('.')) {
            return (*part, rest.to_owned());
        }
    }
    let kind = match kind {
        Kind::HostedRl => Kind::Rl,
        Kind::HostedSft => Kind::Sft,
        kind => kind,
    };
    (kind, plain)
}

/// Whether a path is below another one.
fn is_below(path: &str, table: &str) -> bool {
    path.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::{Ahead, AheadChange, Written};
    use crate::{History, Kind, Target, TypeKind, find_fields, is_day};

    /// Whether a config of the last known commit has the key, in each variant of its table.
    fn is_known(entry: &Ahead) -> bool {
        let history = History::built_in();
        let newest = history.newest();
        let (table, key) = entry.path.rsplit_once('.').unwrap_or(("", entry.path));
        let lacks = |variant: crate::Node| variant.field(key).is_none_or(|field| field.at(newest).is_none());
        let tables = find_fields(history, entry.kind, table);
        !tables.iter().any(|table| table.node.variants(newest).any(lacks))
            && find_fields(history, entry.kind, entry.path).iter().any(|field| field.exists_at(newest))
    }

    #[test]
    fn a_key_is_found_by_its_place_in_an_rl_config() {
        let since = |kind, path: &str| Ahead::added(kind, path).first().map(|entry| entry.since());
        assert_eq!(since(Kind::Rl, "trainer.model.fusions").as_deref(), Some("after 0.9.0 (#3451 of 2026-09-01)"));
        assert_eq!(since(Kind::Rl, "dashboard").as_deref(), Some("since 0.9.0 (#3371)"));
        assert!(since(Kind::Orchestrator, "train.source[2].sampling.top_p").is_some());
        assert!(since(Kind::Rl, "orchestrator.train.source[0].select.include.ids").is_some());
        assert!(since(Kind::Sft, "inference.router.request_timeout_secs").is_some());
        assert_eq!(since(Kind::Trainer, "model.fusion"), None);
        assert_eq!(since(Kind::Trainer, "model.fusions.enable"), None);
    }

    #[test]
    fn what_is_newer_than_the_history_may_have_a_later_key() {
        let history = History::built_in();
        let may_have = |name: &str, key: &str| Target::parse(history, name).expect("a target").may_have(Kind::Rl, key);
        let later = "slurm.launch_modelexpress";
        assert!(may_have("main", later) && may_have("0.9.0", later));
        assert!(!may_have("559b44772", later) && !may_have("0.8.0", later));
        assert!(may_have("559b44772", "slurm.partition") && !may_have("main", "slurm.nonsense"));
        assert!(Target::newer_than(history, "0123456789").may_have(Kind::Rl, later));
    }

    #[test]
    fn values_and_removals_are_found() {
        assert!(Ahead::value(Kind::Rl, "trainer.loss", "cispo").is_some());
        assert!(Ahead::value(Kind::Sft, "renderer.name", "custom").is_some());
        assert_eq!(Ahead::value(Kind::Rl, "trainer.loss", "nonsense"), None);
        assert!(Ahead::removed(Kind::Rl, "trainer.weight_broadcast.quantize_in_weight_transfer").is_some());
        assert!(Ahead::defaults(Kind::Rl).any(|(_, path)| path == "trainer.loss.type"));
        assert!(Ahead::defaults(Kind::Trainer).any(|(_, path)| path == "loss.type"));
        assert!(Ahead::defaults(Kind::Eval).next().is_none());
    }

    #[test]
    fn a_table_that_takes_any_key_is_not_a_list() {
        let fits = |path: &str, written| Ahead::added(Kind::Rl, path).iter().any(|entry| entry.fits(Kind::Rl, path, written));
        assert!(fits("orchestrator.train.env", Written::Table));
        assert!(fits("orchestrator.train.env.timeout", Written::Other));
        for written in [Written::Tables, Written::Other, Written::Unknown] {
            assert!(!fits("orchestrator.train.env", written), "{written:?}");
        }
        assert!(!fits("orchestrator.train.env[0].timeout", Written::Other));
        assert!(!fits("orchestrator.train.select", Written::Other));
        assert!(fits("orchestrator.train.source[0].select", Written::Table));
    }

    /// An addition below a list that is gone would make that list newer than the history.
    #[test]
    fn no_entry_is_below_a_list_that_is_gone() {
        let history = History::built_in();
        let newest = history.newest();
        let is_gone = |entry: &Ahead, table: &str| {
            let fields = find_fields(history, entry.kind, table);
            let is_list =
                fields.iter().flat_map(|field| field.node.intervals()).any(|time| time.field_type().kind() == TypeKind::List);
            let is_again = || Ahead::all().iter().any(|other| other.kind == entry.kind && other.path == table);
            is_list && !fields.iter().any(|field| field.exists_at(newest)) && !is_again()
        };
        let wrong = Ahead::all().iter().filter(|entry| matches!(entry.change, AheadChange::Added { .. }));
        let wrong = wrong.filter(|entry| entry.path.match_indices('.').any(|(end, _)| is_gone(entry, &entry.path[..end])));
        assert_eq!(wrong.map(|entry| (entry.kind, entry.path)).collect::<Vec<_>>(), []);
    }

    #[test]
    fn each_entry_is_news() {
        let history = History::built_in();
        let is_in_history = |entry: &Ahead| !find_fields(history, entry.kind, entry.path).is_empty();
        let is_wrong = |entry: &&Ahead| match entry.change {
            AheadChange::Added { .. } => is_known(entry),
            _ => !is_in_history(entry),
        };
        let wrong: Vec<(Kind, &str)> = Ahead::all().iter().filter(is_wrong).map(|entry| (entry.kind, entry.path)).collect();
        assert_eq!(wrong, []);
        assert!(Ahead::all().iter().all(|entry| is_day(entry.day)));
    }
}
