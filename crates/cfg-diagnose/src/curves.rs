//! The measures of a run by step.

use std::collections::BTreeMap;

/// A quantity that is measured at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Mean reward.
    Reward,
    /// The trainer's loss.
    Loss,
    /// Entropy, in nats.
    Entropy,
    /// KL divergence between trainer and server, in nats.
    Kl,
    /// Gradient norm.
    GradientNorm,
    /// Share of truncated rollouts.
    Truncated,
    /// Share of groups whose rewards are all equal.
    NoSignal,
    /// Duration of a step in seconds, waiting included.
    StepSeconds,
    /// Seconds of a step in which the trainer computes.
    TrainerSeconds,
    /// Tokens per second of the trainer while it computes; in supervised fine-tuning, of the whole step.
    TokensPerSecond,
    /// Seconds from one batch of the orchestrator to the next.
    OrchestratorSeconds,
    /// Model FLOPS utilization of the trainer, as a share.
    Mfu,
    /// Peak memory of a trainer's GPU, in GiB.
    PeakMemory,
    /// Learning rate.
    LearningRate,
    /// Share of failed rollouts.
    Errors,
    /// Steps by which the oldest policy of a batch is behind.
    OffPolicy,
    /// Loss of a validation in supervised fine-tuning.
    ValidationLoss,
}

impl Measure {
    /// All measures.
    pub const ALL: [Self; 17] = [
        Self::Reward,
        Self::Loss,
        Self::Entropy,
        Self::Kl,
        Self::GradientNorm,
        Self::Truncated,
        Self::NoSignal,
        Self::StepSeconds,
        Self::TrainerSeconds,
        Self::TokensPerSecond,
        Self::OrchestratorSeconds,
        Self::Mfu,
        Self::PeakMemory,
        Self::LearningRate,
        Self::Errors,
        Self::OffPolicy,
        Self::ValidationLoss,
    ];

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reward => "reward",
            Self::Loss => "loss",
            Self::Entropy => "entropy",
            Self::Kl => "kl",
            Self::GradientNorm => "gradient_norm",
            Self::Truncated => "truncated",
            Self::NoSignal => "no_signal",
            Self::StepSeconds => "step_seconds",
            Self::TrainerSeconds => "trainer_seconds",
            Self::TokensPerSecond => "tokens_per_second",
            Self::OrchestratorSeconds => "orchestrator_seconds",
            Self::Mfu => "mfu",
            Self::PeakMemory => "peak_memory",
            Self::LearningRate => "learning_rate",
            Self::Errors => "errors",
            Self::OffPolicy => "off_policy",
            Self::ValidationLoss => "validation_loss",
        }
    }
}

/// The maximum number of points of a curve. A longer curve keeps every second step, then every fourth, and so on. The same steps are kept in all
/// runs, so that runs can be compared.
const MAX_POINTS: usize = 2048;

/// The most environments whose evaluations are kept.
pub(crate) const MAX_ENVIRONMENTS: usize = 16;

/// One measure by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    points: BTreeMap<i64, f64>,
    /// The newest point, even if its step is not kept.
    last: Option<(i64, f64)>,
    /// Every `2^power`-th step is kept.
    power: u32,
    /// The newest step that is kept: most steps of a long run are not.
    kept: Option<i64>,
}

impl Curve {
    /// Adds a step. A step that comes again replaces the old one, and removes all later ones: they belong to an attempt that was abandoned.
    fn take(&mut self, step: i64, value: f64) {
        if !value.is_finite() {
            return;
        }
        if self.last.is_some_and(|(last, _)| step < last) {
            self.points.split_off(&step);
            self.kept = self.points.keys().next_back().copied();
        }
        self.last = Some((step, value));
        let begin = step >> self.power << self.power;
        if self.kept.is_some_and(|kept| kept >= begin && kept < step) {
            return;
        }
        self.points.insert(step, value);
        self.kept = Some(step);
        while self.points.len() > MAX_POINTS && self.power < i64::BITS - 1 {
            self.power += 1;
            let mut before = None;
            let power = self.power;
            self.points.retain(|step, _| before.replace(step >> power) != Some(step >> power));
            self.kept = self.points.keys().next_back().copied();
        }
    }

    /// Replaces the steps from `first` on by those of a later attempt.
    fn follow(&mut self, first: i64, later: &Self) {
        let before = self.points().into_iter().filter(|(step, _)| *step < first);
        let all: Vec<(i64, f64)> = before.chain(later.points()).collect();
        *self = all.into_iter().collect();
    }

    /// Adds the steps of another curve that this one does not have.
    fn join(&mut self, other: &Self) {
        let mut all: BTreeMap<i64, f64> = other.points().into_iter().collect();
        all.extend(self.points());
        *self = all.into_iter().collect();
    }

    /// The points in the order of their steps, including the newest.
    pub fn points(&self) -> Vec<(i64, f64)> {
        let behind = self.last.filter(|(step, _)| self.points.keys().next_back().is_none_or(|known| known < step));
        self.points.iter().map(|(step, value)| (*step, *value)).chain(behind).collect()
    }

    /// The mean of at most `newest` newest points; `None` if there are no points.
    pub fn mean(&self, newest: usize) -> Option<f64> {
        let points = self.points();
        let some = &points[points.len().saturating_sub(newest)..];
        #[expect(clippy::cast_precision_loss, reason = "there are few")]
        (!some.is_empty()).then(|| some.iter().map(|(_, value)| value).sum::<f64>() / some.len() as f64)
    }

    /// The quartiles and the median of at most `newest` newest points; `None` if there are no points.
    pub fn quartiles(&self, newest: usize) -> Option<(f64, f64, f64)> {
        let points = self.points();
        let mut values: Vec<f64> = points.iter().rev().take(newest).map(|(_, value)| *value).collect();
        values.sort_by(f64::total_cmp);
        let at = |quarter: usize| values.get(values.len() * quarter / 4).copied();
        Some((at(1)?, at(2)?, at(3)?))
    }

    /// The median of at most `newest` newest points; `None` if there are no points.
    pub fn median(&self, newest: usize) -> Option<f64> {
        self.quartiles(newest).map(|(_, median, _)| median)
    }
}

impl FromIterator<(i64, f64)> for Curve {
    fn from_iter<I: IntoIterator<Item = (i64, f64)>>(points: I) -> Self {
        let mut curve = Self::default();
        points.into_iter().for_each(|(step, value)| curve.take(step, value));
        curve
    }
}

/// All measures of a run by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    curves: [Curve; Measure::ALL.len()],
    /// The mean reward of each evaluated environment, by its name in lower case.
    evaluations: BTreeMap<Box<str>, Curve>,
}

impl Curves {
    /// One measure; without points if it is unknown.
    pub const fn of(&self, measure: Measure) -> &Curve {
        &self.curves[measure as usize]
    }

    /// The mean reward in the evaluations of each environment, by its name in lower case.
    pub fn evaluations(&self) -> impl Iterator<Item = (&str, &Curve)> {
        self.evaluations.iter().map(|(environment, curve)| (&**environment, curve))
    }

    pub(crate) fn take_evaluation(&mut self, environment: &str, step: i64, reward: f64) {
        if let Some(curve) = self.evaluations.get_mut(environment) {
            curve.take(step, reward);
        } else if self.evaluations.len() < MAX_ENVIRONMENTS {
            self.evaluations.entry(environment.into()).or_default().take(step, reward);
        }
    }

    pub(crate) fn take(&mut self, measure: Measure, step: i64, value: Option<f64>) {
        if let Some(value) = value {
            self.curves[measure as usize].take(step, value);
        }
    }

    /// Adds the steps of a later attempt of the run. They replace steps that were run again, and those after them.
    pub fn follow(&mut self, later: &Self) {
        let first = later.curves.iter().filter_map(|curve| curve.points.keys().next()).min();
        let evaluated = later.evaluations.values().filter_map(|curve| curve.points.keys().next()).min();
        let Some(&first) = first.or(evaluated) else { return };
        let no_later = Curve::default();
        for (environment, own) in &mut self.evaluations {
            own.follow(first, later.evaluations.get(environment).unwrap_or(&no_later));
        }
        for (environment, curve) in &later.evaluations {
            self.evaluations.entry(environment.clone()).or_insert_with(|| curve.clone());
        }
        for (own, later) in self.curves.iter_mut().zip(&later.curves) {
            own.follow(first, later);
        }
    }

    /// Adds the steps from another log of the run that are not known yet.
    pub fn join(&mut self, other: &Self) {
        for (environment, other) in &other.evaluations {
            self.evaluations.entry(environment.clone()).or_default().join(other);
        }
        for (own, other) in self.curves.iter_mut().zip(&other.curves).filter(|(_, other)| !other.points.is_empty()) {
            own.join(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, Curves, MAX_POINTS, Measure};

    fn curve(steps: impl IntoIterator<Item = i64>) -> Curve {
        let mut curve = Curve::default();
        #[expect(clippy::cast_precision_loss, reason = "small")]
        steps.into_iter().for_each(|step| curve.take(step, step as f64));
        curve
    }

    #[test]
    fn long_and_short_runs_keep_common_steps() {
        let long = curve(0..100_000).points();
        assert!(long.len() <= MAX_POINTS + 1, "{}", long.len());
        assert_eq!((long[1].0, long.last()), (64, Some(&(99_999, 99_999.0))));
        let shorter = curve(0..5_000).points();
        assert!(shorter.len() <= MAX_POINTS + 1 && shorter.iter().any(|(step, _)| *step == 64), "{}", shorter.len());
        // A measure of every tenth step is kept.
        assert_eq!(curve((5..200_000).step_by(10)).points().len(), 1564);
    }

    #[test]
    fn a_resumed_run_replaces_the_steps_after_its_checkpoint() {
        let points = curve((0..50).chain(20..30)).points();
        assert_eq!((points.len(), points.last()), (30, Some(&(29, 29.0))));
        assert_eq!(curve([i64::MIN, -1, 0, i64::MAX]).points().len(), 4);
        assert_eq!(curve([]).points(), []);
        let mut curve = curve(0..3);
        curve.take(3, f64::NAN);
        assert_eq!((curve.points().len(), curve.median(2), Curve::default().median(5)), (3, Some(2.0), None));
    }

    #[test]
    fn a_later_attempt_replaces_the_steps_that_it_ran_again() {
        let (mut one, mut other) = (Curves::default(), Curves::default());
        (1..=14).for_each(|step| one.take(Measure::Reward, step, Some(0.1)));
        one.follow(&other);
        assert_eq!(one.of(Measure::Reward).points().len(), 14);
        (11..=30).for_each(|step| other.take(Measure::Reward, step, Some(0.5)));
        one.follow(&other);
        let points = one.of(Measure::Reward).points();
        assert_eq!((points.len(), points[9], points[10]), (30, (10, 0.1), (11, 0.5)));
    }

    #[test]
    fn evaluations_are_kept_by_environment() {
        let (mut one, mut other) = (Curves::default(), Curves::default());
        (1..=40).for_each(|step| one.take(Measure::Reward, step, Some(0.1)));
        [0, 20, 40].into_iter().for_each(|step| one.take_evaluation("gsm8k", step, 0.5));
        one.take_evaluation("math", 40, 0.2);
        (21..=50).for_each(|step| other.take(Measure::Reward, step, Some(0.5)));
        [20, 50].into_iter().for_each(|step| other.take_evaluation("gsm8k", step, 0.7));
        other.take_evaluation("aime", 50, 0.1);
        one.follow(&other);
        let points: Vec<_> = one.evaluations().map(|(environment, curve)| (environment, curve.points())).collect();
        assert_eq!(
            points,
            [("aime", vec![(50, 0.1)]), ("gsm8k", vec![(0, 0.5), (20, 0.7), (50, 0.7)]), ("math", vec![])],
            "steps that were run again count once"
        );
        let mut joined = Curves::default();
        joined.join(&one);
        assert_eq!(joined, one);
        (0..100).for_each(|index| joined.take_evaluation(&format!("env-{index}"), 1, 0.1));
        assert_eq!(joined.evaluations().count(), super::MAX_ENVIRONMENTS);
    }

    #[test]
    fn joining_curves_keeps_existing_points() {
        let (mut one, mut other) = (Curves::default(), Curves::default());
        one.take(Measure::Reward, 1, Some(0.5));
        other.take(Measure::Reward, 1, Some(0.7));
        other.take(Measure::Reward, 0, Some(0.1));
        other.take(Measure::Loss, 4, Some(1.0));
        one.join(&other);
        assert_eq!(one.of(Measure::Reward).points(), [(0, 0.1), (1, 0.5)]);
        assert_eq!(one.of(Measure::Loss).points(), [(4, 1.0)]);
        assert_eq!(one.of(Measure::Kl).points(), []);
    }
}
