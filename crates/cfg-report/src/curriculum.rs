//! The schedules of curricula, for programs and for people: the training step at which each phase begins.

mod svg;
mod text;

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub use svg::write_svg;
pub use text::write_text;

/// The JSON Schema of [`CurriculumReport`].
pub fn schema() -> Schema {
    crate::json::schema_of_identified::<CurriculumReport>()
}

/// What `cfg plan --curriculum --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CurriculumReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The target.
    pub target: String,
    /// The environments with phases, in the order of the config.
    pub environments: Vec<EnvironmentReport>,
}

/// The schedule of one environment.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EnvironmentReport {
    /// Its id, without version; null if it is not known.
    pub id: Option<String>,
    /// Its table: `orchestrator.env[0]`.
    pub key: String,
    /// Whether `curriculum_enabled` is on.
    pub enabled: bool,
    /// `samples`: the environment goes through the phases, counting samples. `ignored`: it accepts them and does nothing. Null: it is not declared.
    pub effect: Option<&'static str>,
    /// How samples are converted to steps; null if the config does not give it.
    pub clock: Option<ClockReport>,
    /// The run's last step; null if it has none.
    pub max_steps: Option<i64>,
    /// The phases.
    pub phases: Vec<PhaseReport>,
}

/// How samples are converted to steps.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ClockReport {
    /// Samples that the environment counts as one step.
    pub samples_per_step: i64,
    /// The fewest samples that a training step starts.
    pub started_least: i64,
    /// The most samples that a training step starts.
    pub started_most: i64,
    /// Samples that are started before they are used.
    pub ahead: i64,
}

/// One phase.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PhaseReport {
    /// Its written first step, which is the end of the phase before; null if it is not known.
    pub from_step: Option<i64>,
    /// Its written end; null if it is not known.
    pub until_step: Option<i64>,
    /// The earliest training step at which it begins; null if the config does not give it.
    pub begins_earliest: Option<i64>,
    /// The latest training step at which it begins; null if the config does not give it.
    pub begins_latest: Option<i64>,
    /// Whether it begins within the run: `yes`, `maybe`, `no`; null if the config does not give it.
    pub begins: Option<&'static str>,
    /// The shares of its samples, as parts of 1, by name; empty if no weight is positive.
    pub shares: BTreeMap<String, f64>,
}

impl CurriculumReport {
    /// The report of these environments.
    pub const fn new(target: String, environments: Vec<EnvironmentReport>) -> Self {
        Self { schema_version: crate::json::SCHEMA_VERSION, target, environments }
    }
}

impl EnvironmentReport {
    /// The names that the phases have weights for, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.phases.iter().flat_map(|phase| phase.shares.keys().map(String::as_str)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The last step of a picture: the run's last step, or otherwise the last known step of the phases.
    pub(crate) fn last_step(&self) -> i64 {
        let known = self.phases.iter().flat_map(|phase| [phase.until_step, phase.begins_latest]).flatten().max();
        self.max_steps.filter(|&steps| steps > 0).or(known).unwrap_or(1).max(1)
    }

    /// The steps at which a phase is certainly active, and those at which it may be.
    pub(crate) fn extents(&self, number: usize) -> Option<Extents> {
        let last = self.last_step();
        let phase = self.phases.get(number)?;
        let (earliest, latest) = (phase.begins_earliest?, phase.begins_latest?);
        // The last phase continues until the run ends.
        let (ends_earliest, ends_latest) = match self.phases.get(number + 1) {
            Some(next) => (next.begins_earliest?, next.begins_latest?),
            None => (last, last),
        };
        let clamp = |step: i64| step.clamp(0, last);
        Some(Extents { sure: (clamp(latest), clamp(ends_earliest)), possible: (clamp(earliest), clamp(ends_latest)) })
    }
}

/// The steps of a phase.
#[derive(Clone, Copy)]
pub(crate) struct Extents {
    pub(crate) sure: (i64, i64),
    pub(crate) possible: (i64, i64),
}
