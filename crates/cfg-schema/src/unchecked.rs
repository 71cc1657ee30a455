//! Contradictions of configs between commits at which prime-rl does not check them: what a run did before a check refused its config.

mod rows;

use crate::{Kind, Point};

/// A contradiction that prime-rl accepts over a range of its history, and what it does to a run.
#[derive(Debug)]
pub struct Unchecked {
    /// The name of the check that decides: that of the later validator, unless the failure has a condition of its own.
    pub check: &'static str,
    /// The tables of configs that it looks at.
    pub of: &'static [Part],
    since: u16,
    /// The first point at which it no longer holds; the largest number if it still does.
    until: u16,
    /// How bad it is.
    pub effect: Effect,
    /// What the run does, as a clause: "the trainer ends with an error".
    pub says: &'static str,
    /// The validators that refuse it later. Where the table has one of them, nothing is reported.
    pub validators: &'static [&'static str],
}

/// A table of the configs of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The entrypoint whose config has it.
    pub kind: Kind,
    /// Its dotted path there; empty for the whole config.
    pub path: &'static str,
}

/// What a contradiction does to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The run ends, or waits forever.
    Fails,
    /// The run goes on with a wrong result, or without what was asked for.
    Spoils,
}

impl Unchecked {
    /// All of them, in the order of `schemas/unchecked.toml`.
    pub fn all() -> &'static [Self] {
        rows::ALL
    }

    /// Those that hold at a point.
    pub fn at(point: Point) -> impl Iterator<Item = &'static Self> {
        rows::ALL.iter().filter(move |row| row.holds_at(point))
    }

    /// Whether it holds at a point.
    pub const fn holds_at(&self, point: Point) -> bool {
        self.since <= point.0 && point.0 < self.until
    }

    /// The first point at which it no longer holds; `None` if it still does.
    pub fn end(&self) -> Option<Point> {
        (self.until < u16::MAX).then_some(Point(self.until))
    }
}

impl Part {
    /// Its dotted path in the config of another kind, which may contain the config of its own: `trainer.model` in that of `rl`.
    pub fn path_in(self, kind: Kind) -> Option<String> {
        let table = match (kind.entrypoint(), self.kind) {
            (kind, own) if kind == own => "",
            (Kind::Rl, Kind::Trainer) => "trainer",
            (Kind::Rl, Kind::Orchestrator) => "orchestrator",
            (Kind::Rl | Kind::Sft, Kind::Inference) => "inference",
            _ => return None,
        };
        Some(match (table, self.path) {
            ("", path) | (path, "") => path.to_owned(),
            (table, path) => format!("{table}.{path}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Part;
    use crate::Kind;

    #[test]
    fn parts_of_components_are_found_in_the_config_of_a_run() {
        let model = Part { kind: Kind::Trainer, path: "model" };
        assert_eq!(model.path_in(Kind::Trainer).as_deref(), Some("model"));
        assert_eq!(model.path_in(Kind::Rl).as_deref(), Some("trainer.model"));
        assert_eq!(model.path_in(Kind::Sft), None);
        assert_eq!(Part { kind: Kind::Inference, path: "" }.path_in(Kind::Sft).as_deref(), Some("inference"));
    }
}
