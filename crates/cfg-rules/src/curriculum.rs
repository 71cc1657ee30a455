//! Curricula that an environment implements itself: phases of weights, and the clock that switches between them.

pub(crate) mod curriculum_clock;
pub(crate) mod curriculum_constant;
pub(crate) mod curriculum_incomplete;
pub(crate) mod curriculum_length;
pub(crate) mod curriculum_order;
pub(crate) mod curriculum_overridden;
pub(crate) mod curriculum_restarts;
pub(crate) mod curriculum_weights;
pub(crate) mod curriculum_without_effect;
pub(crate) mod groups_all_rejected;

use cfg_diag::Location;
use cfg_plan::{Arg, Environment};

use crate::{
    Context, Finding,
    declared::{Curriculum, Declared},
    schedule::Schedule,
};

/// The arguments of a curriculum.
pub(crate) const KEYS: [&str; 3] = ["curriculum_enabled", "curriculum_phases", "samples_per_step"];

/// An environment with a schedule, and its declaration.
pub(crate) struct Written<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) declared: Option<&'a Declared>,
    pub(crate) schedule: &'a Schedule,
}

/// The environments whose curriculum is on and has phases.
pub(crate) fn written<'a>(cx: &'a Context<'_>) -> impl Iterator<Item = Written<'a>> {
    let scheduled = cx.environments.scheduled(cx.plan);
    scheduled.map(|(environment, declared, schedule)| Written { environment, declared, schedule })
}

impl Written<'_> {
    /// The key of the phases.
    pub(crate) fn key(&self) -> String {
        self.environment.arg("curriculum_phases").map_or(String::new(), Arg::key)
    }

    /// Places a finding at one of the phases, or at the phases in general.
    pub(crate) fn at(&self, finding: Finding, phase: Option<usize>, location: Option<Location>) -> Finding {
        let key = phase.map_or_else(|| self.key(), |number| format!("{}[{number}]", self.key()));
        let of_phase = phase.and_then(|number| self.schedule.phases.get(number)?.location);
        let of_all = || self.environment.arg("curriculum_phases")?.location();
        finding.key(key).at_place(location.or(of_phase).or_else(of_all))
    }
}

/// Whether the environment is known to ignore a curriculum.
pub(crate) fn is_ignored(declared: Option<&Declared>) -> bool {
    declared.is_some_and(|declared| declared.curriculum == Some(Curriculum::Ignored))
}
