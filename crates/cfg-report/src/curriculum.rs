//! The schedules of curricula, for programs and for people: at which training step each phase begins.

mod svg;
mod text;

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub use svg::write_svg;
pub use text::write_text;

/// The JSON Schema of [`CurriculumReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<CurriculumReport>()
}

/// What `cfg curriculum --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CurriculumReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The prime-rl that is meant.
    pub target: String,
    /// The environments with phases, in the order of the config.
    pub environments: Vec<EnvironmentReport>,
}

/// The schedule of one environment.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EnvironmentReport {
    /// Its id, without version; null if none is known.
    pub id: Option<String>,
    /// Its table: `orchestrator.env[0]`.
    pub key: String,
    /// Whether `curriculum_enabled` is on.
    pub enabled: bool,
    /// `samples`: the environment walks the phases, counting samples. `ignored`: it accepts them and does nothing. Null: it is not declared.
    pub effect: Option<&'static str>,
    /// How samples become steps; null where the config does not say.
    pub clock: Option<ClockReport>,
    /// The run's last step; null where it has none.
    pub max_steps: Option<i64>,
    /// The phases.
    pub phases: Vec<PhaseReport>,
}

/// How samples become steps.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ClockReport {
    /// Samples that the environment takes for a step.
    pub samples_per_step: i64,
    /// Samples that a training step starts at least.
    pub started_least: i64,
    /// Samples that a training step starts at most.
    pub started_most: i64,
    /// Samples that are started ahead of those that are used.
    pub ahead: i64,
}

/// One phase.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PhaseReport {
    /// The step at which it is written to begin: where the phase before ends; null where that is not known.
    pub from_step: Option<i64>,
    /// The step at which it is written to end; null where that is not known.
    pub until_step: Option<i64>,
    /// The earliest training step at which it begins; null where the config does not say.
    pub begins_earliest: Option<i64>,
    /// The latest training step at which it begins; null where the config does not say.
    pub begins_latest: Option<i64>,
    /// Whether it begins within the run: `yes`, `maybe`, `no`; null where the config does not say.
    pub begins: Option<&'static str>,
    /// The shares in which it draws, of 1, by name; empty where no weight is positive.
    pub shares: BTreeMap<String, f64>,
}

impl CurriculumReport {
    /// The report of these environments.
    pub const fn new(target: String, environments: Vec<EnvironmentReport>) -> Self {
        Self { schema_version: crate::json::SCHEMA_VERSION, target, environments }
    }
}

impl EnvironmentReport {
    /// The names that the phases weigh, in the order of the alphabet.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.phases.iter().flat_map(|phase| phase.shares.keys().map(String::as_str)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The last step that a picture shows: the run's, or else the last that is known of the phases.
    pub(crate) fn last_step(&self) -> i64 {
        let known = self.phases.iter().flat_map(|phase| [phase.until_step, phase.begins_latest]).flatten().max();
        self.max_steps.filter(|&steps| steps > 0).or(known).unwrap_or(1).max(1)
    }

    /// The steps within which a phase certainly holds, and those within which it may.
    pub(crate) fn extents(&self, number: usize) -> Option<Extents> {
        let last = self.last_step();
        let phase = self.phases.get(number)?;
        let (earliest, latest) = (phase.begins_earliest?, phase.begins_latest?);
        // The last phase goes on until the run ends.
        let (ends_earliest, ends_latest) = match self.phases.get(number + 1) {
            Some(next) => (next.begins_earliest?, next.begins_latest?),
            None => (last, last),
        };
        let clamp = |step: i64| step.clamp(0, last);
        Some(Extents { sure: (clamp(latest), clamp(ends_earliest)), possible: (clamp(earliest), clamp(ends_latest)) })
    }
}

/// Where a phase holds.
#[derive(Clone, Copy)]
pub(crate) struct Extents {
    pub(crate) sure: (i64, i64),
    pub(crate) possible: (i64, i64),
}
