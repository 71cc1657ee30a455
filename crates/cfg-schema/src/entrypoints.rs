//! The entrypoints of prime-rl: the programs that it installs, the config class that each loads, and from when on until when.

mod rows;

use crate::{History, Kind, Point};

/// A program that prime-rl installed over a range of its main line.
#[derive(Debug, PartialEq, Eq)]
pub struct Entrypoint {
    /// Its name: `rl`, `rl_slurm`.
    pub name: &'static str,
    /// The dotted name of the class that it loads; empty if that is not known.
    pub class: &'static str,
    /// The kind of that class, if its fields are in the history.
    pub kind: Option<Kind>,
    /// The first commit with it.
    pub since: Boundary,
    /// The first commit without it, or with another class for it; `None` if the last known one has it.
    pub until: Option<Boundary>,
}

/// A commit with which an entrypoint begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The first nine digits of its hash.
    pub commit: &'static str,
    /// Its day.
    pub day: &'static str,
    /// The first point at which what it did holds for certain. For a commit that changed no config class, both answers are possible at the point
    /// before.
    pub point: Point,
}

impl Entrypoint {
    /// All of them, by name and then by time.
    pub fn all() -> &'static [Self] {
        rows::ALL
    }

    /// Those with a name: one for each class that it has loaded, the oldest first.
    pub fn named(name: &str) -> impl Iterator<Item = &'static Self> {
        rows::ALL.iter().filter(move |entry| entry.name == name)
    }

    /// Those of a point of the built-in history.
    pub fn at(point: Point) -> impl Iterator<Item = &'static Self> {
        rows::ALL.iter().filter(move |entry| entry.is_at(point))
    }

    /// Whether prime-rl had it at a point of the built-in history, or may have had it.
    pub fn is_at(&self, point: Point) -> bool {
        self.since.point <= point && self.until.is_none_or(|until| point < until.point)
    }

    /// When prime-rl has had an entrypoint of a name: `from 2025-12-01 to 2026-02-08`, `since 2025-09-01`; `None` if it never had one.
    pub fn time_of(name: &str) -> Option<String> {
        let mut spans: Vec<(&str, Option<&str>)> = Vec::new();
        for entry in Self::named(name) {
            let until = entry.until.map(|until| until.day);
            match spans.last_mut() {
                // Another class begins where the one before ends.
                Some((_, end)) if *end == Some(entry.since.day) => *end = until,
                _ => spans.push((entry.since.day, until)),
            }
        }
        let in_words = |(since, until): &(&str, Option<&str>)| match until {
            Some(until) => format!("from {since} to {until}"),
            None => format!("since {since}"),
        };
        (!spans.is_empty()).then(|| spans.iter().map(in_words).collect::<Vec<_>>().join(" and "))
    }

    /// Why a version has no entrypoint of a name that others had: a clause that begins with the name. `None` if it has one, or none ever had.
    pub fn absence(name: &str, point: Point) -> Option<String> {
        let time = Self::time_of(name)?;
        (!Self::named(name).any(|entry| entry.is_at(point))).then(|| {
            let successor = Self::named(name).last().and_then(Self::successor);
            let successor = successor.map(|other| format!(", and then `{}` in its place", other.name)).unwrap_or_default();
            format!("prime-rl had `{name}` {time}{successor}")
        })
    }

    /// The entrypoint of another name after the commit that ended this one, for the same kind or with the same beginning of its name.
    fn successor(&self) -> Option<&'static Self> {
        let until = self.until?;
        let is_alike = |other: &Self| {
            other.name != self.name
                && (other.kind.is_some() && other.kind == self.kind || self.name.split(['_', '-']).next() == Some(other.name))
        };
        rows::ALL.iter().find(|other| other.is_at(until.point) && is_alike(other))
    }
}

impl History {
    /// The names of the entrypoints at a point, in the order of the kinds and then by name; empty for a history other than the built-in one.
    pub fn entrypoints(self, point: Point) -> Vec<&'static str> {
        if self != Self::built_in() {
            return Vec::new();
        }
        let mut entries: Vec<&Entrypoint> = Entrypoint::at(point).collect();
        entries.sort_by_key(|entry| (entry.kind.is_none(), entry.kind, entry.name));
        entries.dedup_by_key(|entry| entry.name);
        entries.into_iter().map(|entry| entry.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Entrypoint;
    use crate::{History, Kind, Target};

    fn names(target: &str) -> Vec<&'static str> {
        let target = Target::parse(History::built_in(), target).expect("a known target");
        target.history.entrypoints(target.point)
    }

    #[test]
    fn each_version_has_its_own() {
        assert_eq!(names("0.2"), ["rl", "trainer", "orchestrator", "inference", "sft", "eval", "synthesize"]);
        assert_eq!(names("0.5.0"), ["rl", "trainer", "orchestrator", "inference", "sft", "env-server"]);
        assert!(names("a77725e5c").contains(&"rl_slurm"));
        assert!(names("15d6c8197").contains(&"evaluator") && names("main").contains(&"evals"));
    }

    #[test]
    fn what_a_version_lacks_is_said_with_the_time_of_the_others() {
        let at = |target: &str| Target::parse(History::built_in(), target).expect("a known target").point;
        let absence = |name: &str, target: &str| Entrypoint::absence(name, at(target));
        assert_eq!(absence("synthesize", "0.6.0").as_deref(), Some("prime-rl had `synthesize` from 2025-12-01 to 2026-02-08"));
        assert_eq!(
            absence("rl_slurm", "0.5.0").as_deref(),
            Some("prime-rl had `rl_slurm` from 2026-02-17 to 2026-02-24, and then `rl` in its place")
        );
        assert_eq!(
            absence("evaluator", "main").as_deref(),
            Some("prime-rl had `evaluator` from 2026-08-17 to 2026-08-19, and then `evals` in its place")
        );
        assert_eq!(absence("evals", "0.8.0").as_deref(), Some("prime-rl had `evals` since 2026-08-19"));
        assert_eq!((absence("rl", "0.2"), absence("nonsense", "0.2")), (None, None));
    }

    /// The classes are those whose fields the history has.
    #[test]
    fn each_kind_of_the_history_is_that_of_an_entrypoint() {
        let history = History::built_in();
        for entry in Entrypoint::all() {
            let Some(kind) = entry.kind else { continue };
            assert!(history.root(kind).at(entry.since.point).is_some(), "{} at {}", entry.name, entry.since.commit);
        }
        // A prime-rl without it starts that of verifiers.
        for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Eval) {
            for commit in history.commits().filter(|commit| history.root(kind).at(commit.point()).is_some()) {
                assert!(Entrypoint::at(commit.point()).any(|entry| entry.kind == Some(kind)), "{kind} at {}", commit.short_sha());
            }
        }
    }
}
