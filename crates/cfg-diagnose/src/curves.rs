//! The measures of a run, step by step.

use std::collections::BTreeMap;

/// What is measured at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Mean reward.
    Reward,
    /// The trainer's loss.
    Loss,
    /// Entropy, in nats.
    Entropy,
    /// KL divergence of trainer and server, in nats.
    Kl,
    /// Norm of the gradients.
    GradientNorm,
    /// Share of rollouts that were cut off.
    Truncated,
    /// Share of groups with equal rewards.
    NoSignal,
    /// Seconds of a step, waiting included.
    StepSeconds,
    /// Seconds in which the trainer computes.
    TrainerSeconds,
    /// Tokens a second of the trainer while it computes; in supervised fine-tuning of the whole step.
    TokensPerSecond,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 10] = [
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
        }
    }
}

/// The most points that a curve keeps. One that gets more keeps the first of every two steps, then of every four, and so on: steps that are left stay
/// the same in all runs, so that these can be compared.
const MOST: usize = 2048;

/// One measure, step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    points: BTreeMap<i64, f64>,
    /// The newest point, which may not be among the others.
    last: Option<(i64, f64)>,
    /// Of so many steps, the first is kept: two to the power of this.
    power: u32,
}

impl Curve {
    /// Takes a step. One that was known before is made anew, and what came behind it then belongs to a run that was given up.
    fn take(&mut self, step: i64, value: f64) {
        if !value.is_finite() {
            return;
        }
        if self.last.is_some_and(|(last, _)| step < last) {
            self.points.split_off(&step);
        }
        self.last = Some((step, value));
        let begin = step >> self.power << self.power;
        if self.points.range(begin..step).next().is_none() {
            self.points.insert(step, value);
        }
        while self.points.len() > MOST && self.power < i64::BITS - 1 {
            self.power += 1;
            let mut before = None;
            let power = self.power;
            self.points.retain(|step, _| before.replace(step >> power) != Some(step >> power));
        }
    }

    /// The points, in the order of their steps; the newest among them.
    pub fn points(&self) -> Vec<(i64, f64)> {
        let behind = self.last.filter(|(step, _)| self.points.keys().next_back().is_none_or(|known| known < step));
        self.points.iter().map(|(step, value)| (*step, *value)).chain(behind).collect()
    }

    /// The mean of the newest points, at most so many; `None` without any.
    pub fn mean(&self, newest: usize) -> Option<f64> {
        let points = self.points();
        let some = &points[points.len().saturating_sub(newest)..];
        #[expect(clippy::cast_precision_loss, reason = "there are few")]
        (!some.is_empty()).then(|| some.iter().map(|(_, value)| value).sum::<f64>() / some.len() as f64)
    }

    /// The quartiles of the newest points, at most so many, and the median between them; `None` without any.
    pub fn quartiles(&self, newest: usize) -> Option<(f64, f64, f64)> {
        let points = self.points();
        let mut values: Vec<f64> = points.iter().rev().take(newest).map(|(_, value)| *value).collect();
        values.sort_by(f64::total_cmp);
        let at = |quarter: usize| values.get(values.len() * quarter / 4).copied();
        Some((at(1)?, at(2)?, at(3)?))
    }

    /// The median of the newest points, at most so many; `None` without any.
    pub fn median(&self, newest: usize) -> Option<f64> {
        self.quartiles(newest).map(|(_, median, _)| median)
    }
}

/// The measures of a run, step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    curves: [Curve; Measure::ALL.len()],
}

impl Curves {
    /// One metric; without points if unknown.
    pub const fn of(&self, measure: Measure) -> &Curve {
        &self.curves[measure as usize]
    }

    pub(crate) fn take(&mut self, measure: Measure, step: i64, value: Option<f64>) {
        if let Some(value) = value {
            self.curves[measure as usize].take(step, value);
        }
    }

    /// Adds the steps of another log of the run that aren't known yet.
    pub fn join(&mut self, other: &Self) {
        for (own, other) in self.curves.iter_mut().zip(&other.curves) {
            let mut all: BTreeMap<i64, f64> = other.points().into_iter().collect();
            all.extend(own.points());
            *own = Curve::default();
            all.into_iter().for_each(|(step, value)| own.take(step, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, Curves, MOST, Measure};

    fn curve(steps: impl IntoIterator<Item = i64>) -> Curve {
        let mut curve = Curve::default();
        #[expect(clippy::cast_precision_loss, reason = "small")]
        steps.into_iter().for_each(|step| curve.take(step, step as f64));
        curve
    }

    #[test]
    fn a_long_run_keeps_steps_that_all_runs_keep() {
        let long = curve(0..100_000).points();
        assert!(long.len() <= MOST + 1, "{}", long.len());
        assert_eq!((long[1].0, long.last()), (64, Some(&(99_999, 99_999.0))));
        let shorter = curve(0..5_000).points();
        assert!(shorter.len() <= MOST + 1 && shorter.iter().any(|(step, _)| *step == 64), "{}", shorter.len());
        // A measure of every tenth step stays.
        assert_eq!(curve((5..200_000).step_by(10)).points().len(), 1564);
    }

    #[test]
    fn a_run_that_goes_on_from_a_checkpoint_replaces_what_came_behind_it() {
        let points = curve((0..50).chain(20..30)).points();
        assert_eq!((points.len(), points.last()), (30, Some(&(29, 29.0))));
        assert_eq!(curve([i64::MIN, -1, 0, i64::MAX]).points().len(), 4);
        assert_eq!(curve([]).points(), []);
        let mut curve = curve(0..3);
        curve.take(3, f64::NAN);
        assert_eq!((curve.points().len(), curve.median(2), Curve::default().median(5)), (3, Some(2.0), None));
    }

    #[test]
    fn what_is_known_is_kept() {
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
