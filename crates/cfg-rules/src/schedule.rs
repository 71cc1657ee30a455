//! The schedule of a curriculum: at which training step each phase begins.
//!
//! An environment with a curriculum counts the samples that it starts, and divides their number by `samples_per_step` to get the training step.
//! prime-rl passes no step to it. So a phase that ends at `until_step` ends with sample `until_step * samples_per_step`, and its training step
//! depends on how many samples a step uses:
//!
//! - at least `batch_size`, which counts rollouts, not problems; the group size is not a factor;
//! - more if problems are filtered out after their rollouts, because others are started instead;
//! - and from the first step on, the rollouts in progress are ahead of those that are used. Oversampling increases their number, but only once:
//!   whenever one ends, another begins.

use cfg_diag::Location;
use cfg_plan::{Environment, Plan, Role};
use cfg_resolve::{Resolved, ResolvedValue};

use crate::declared::Declared;

/// If filtering is on, the share of problems that remain is unknown; this assumes that at most every second one is filtered out.
const MAX_DRAWN_PER_KEPT: i64 = 2;

/// The written parts of a curriculum.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Its phases, in the order of writing.
    pub phases: Vec<Phase>,
    /// The conversion from samples to steps; `None` if the config does not determine it.
    pub clock: Option<Clock>,
    /// The run's last step; `None` if it has none.
    pub max_steps: Option<i64>,
}

/// One phase.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// The step at which it ends, by the environment's own count; `None` if none is written, or it is not an integer.
    pub until_step: Option<i64>,
    /// Weights by name, as written; values that are not numbers are omitted.
    pub weights: Vec<(Box<str>, f64)>,
    /// Where it is written.
    pub location: Option<Location>,
    /// Where its `until_step` is written.
    pub until_location: Option<Location>,
    /// Where its weights are written.
    pub weights_location: Option<Location>,
    /// The range of training steps in which it begins; `None` if the config does not determine it.
    pub begins: Option<Span>,
}

/// A span of training steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The earliest.
    pub earliest: i64,
    /// The latest.
    pub latest: i64,
}

/// The conversion from samples to steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Samples that the environment counts as a step; positive.
    pub samples_per_step: i64,
    /// The minimum of samples that a training step starts; positive.
    pub least: i64,
    /// The maximum of samples that it starts, as far as the config determines it.
    pub most: i64,
    /// Samples that are started before the first step ends, beyond those that it uses.
    pub ahead: i64,
}

impl Clock {
    /// The range of training steps in which the environment's own count reaches `step`.
    pub fn reaches(self, step: i64) -> Span {
        let samples = step.saturating_mul(self.samples_per_step);
        Span { earliest: ceil(samples.saturating_sub(self.ahead), self.most), latest: ceil(samples, self.least) }
    }

    /// Whether the environment's count is certainly behind the training step, by more than a tenth.
    pub const fn is_slow(self) -> bool {
        self.samples_per_step > self.most.saturating_add(self.most / 10)
    }

    /// Whether the environment's count is certainly ahead of the training step, by more than a tenth.
    pub const fn is_fast(self) -> bool {
        self.samples_per_step < self.least.saturating_sub(self.least / 10)
    }
}

/// Division that rounds up; never below 0.
const fn ceil(samples: i64, per_step: i64) -> i64 {
    if samples <= 0 { 0 } else { (samples - 1) / per_step + 1 }
}

impl Schedule {
    /// The schedule of an environment; `None` if no phases are written.
    pub fn of(plan: &Plan, environment: &Environment, declared: Option<&Declared>) -> Option<Self> {
        let items = environment.arg("curriculum_phases")?.value.value.as_list()?;
        let clock = Clock::of(plan, environment, declared);
        let max_steps = plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.max_steps.get());
        let mut phases: Vec<Phase> = items.iter().map(phase).collect();
        let mut before = Some(0);
        for phase in &mut phases {
            phase.begins = before
                .and_then(|step| if step == 0 { Some(Span { earliest: 0, latest: 0 }) } else { Some(clock?.reaches(step)) });
            before = phase.until_step;
        }
        Some(Self { phases, clock, max_steps })
    }

    /// Whether every phase has an end, each later than the previous one.
    pub fn is_in_order(&self) -> bool {
        let mut before = 0;
        self.phases.iter().all(|phase| {
            let is_later = phase.until_step.is_some_and(|until| until > before);
            before = phase.until_step.unwrap_or(before);
            is_later
        })
    }

    /// The minimum and maximum number of its phases that begin within the run; `None` if the config does not determine them.
    pub fn reached(&self) -> Option<(usize, usize)> {
        let last = self.max_steps?;
        let count = |step: fn(Span) -> i64| {
            let begins = self.phases.iter().map_while(|phase| phase.begins);
            begins.take_while(|span| step(*span) < last).count()
        };
        self.phases.iter().all(|phase| phase.begins.is_some()).then(|| (count(|span| span.latest), count(|span| span.earliest)))
    }
}

impl Clock {
    /// The clock of the only training environment. With several, the config does not determine the number of samples of each.
    pub fn of(plan: &Plan, environment: &Environment, declared: Option<&Declared>) -> Option<Self> {
        let default = || declared?.arg("samples_per_step")?.default.as_deref()?.parse().ok();
        let written = environment.arg("samples_per_step").map(|arg| arg.value.value.as_int());
        let samples_per_step = written.unwrap_or_else(default).filter(|&samples| samples > 0)?;
        let orchestrator = plan.orchestrator.as_ref()?;
        let least = orchestrator.batch.batch_size.get().filter(|&size| size > 0)?;
        if environment.role != Role::Train || plan.train_environments().count() != 1 {
            return None;
        }
        let is_filtered = orchestrator.filter_zero_advantages.is_on()
            || orchestrator.buffer.value().is_some_and(|buffer| buffer.kind.text().is_some_and(|kind| kind != "simple"));
        let most = if is_filtered { least.saturating_mul(MAX_DRAWN_PER_KEPT) } else { least };
        let ahead = orchestrator.batch.in_flight().unwrap_or(least).max(0);
        Some(Self { samples_per_step, least, most, ahead })
    }
}

fn phase(item: &Resolved) -> Phase {
    let entries = item.value.as_map().unwrap_or_default();
    let get = |name: &str| entries.iter().find(|(key, _)| **key == *name).map(|(_, value)| value);
    let (until, weights) = (get("until_step"), get("weights"));
    let number = |(name, weight): &(Box<str>, Resolved)| Some((name.clone(), weight.value.as_float()?));
    Phase {
        until_step: until.filter(|until| matches!(until.value, ResolvedValue::Int(_))).and_then(|until| until.value.as_int()),
        weights: weights.and_then(|weights| weights.value.as_map()).unwrap_or_default().iter().filter_map(number).collect(),
        location: item.origin.location(),
        until_location: until.and_then(|until| until.origin.location()),
        weights_location: weights.and_then(|weights| weights.origin.location()),
        begins: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Phase, Schedule, Span};

    fn schedule(clock: Clock, max_steps: i64, untils: &[i64]) -> Schedule {
        let mut before = 0;
        let phases = untils.iter().map(|&until| {
            let begins = Some(if before == 0 { Span { earliest: 0, latest: 0 } } else { clock.reaches(before) });
            before = until;
            Phase { until_step: Some(until), begins, ..Phase::default() }
        });
        Schedule { phases: phases.collect(), clock: Some(clock), max_steps: Some(max_steps) }
    }

    #[test]
    fn batch_size_is_the_right_clock() {
        let clock = Clock { samples_per_step: 64, least: 64, most: 64, ahead: 0 };
        assert_eq!(clock.reaches(150), Span { earliest: 150, latest: 150 });
        assert!(!clock.is_slow() && !clock.is_fast());
        let ahead = Clock { ahead: 128, ..clock };
        assert_eq!(ahead.reaches(150), Span { earliest: 148, latest: 150 });
        assert_eq!(ahead.reaches(1), Span { earliest: 0, latest: 1 });
    }

    #[test]
    fn rollouts_counted_twice_make_late_phases_unreachable() {
        let clock = Clock { samples_per_step: 256, least: 64, most: 64, ahead: 64 };
        let schedule = schedule(clock, 1000, &[150, 400, 750, 1000]);
        let begins: Vec<i64> = schedule.phases.iter().filter_map(|phase| phase.begins).map(|span| span.latest).collect();
        assert_eq!(begins, [0, 600, 1600, 3000]);
        assert_eq!(schedule.reached(), Some((2, 2)));
        assert!(clock.is_slow() && !clock.is_fast());
    }

    #[test]
    fn filtering_gives_a_range_of_steps() {
        let clock = Clock { samples_per_step: 64, least: 64, most: 128, ahead: 128 };
        assert_eq!(clock.reaches(400), Span { earliest: 199, latest: 400 });
        assert!(!clock.is_slow() && !clock.is_fast());
        assert!(Clock { samples_per_step: 32, ..clock }.is_fast());
        assert_eq!(schedule(clock, 250, &[100, 400, 600]).reached(), Some((2, 3)));
    }

    #[test]
    fn phases_have_to_ascend() {
        let clock = Clock { samples_per_step: 1, least: 1, most: 1, ahead: 0 };
        for (untils, expected) in [(&[1, 2, 3][..], true), (&[], true), (&[2, 2], false), (&[3, 1], false), (&[0, 1], false)] {
            assert_eq!(schedule(clock, 10, untils).is_in_order(), expected, "{untils:?}");
        }
        assert_eq!(Clock { samples_per_step: i64::MAX, ..clock }.reaches(i64::MAX).latest, i64::MAX);
    }
}
