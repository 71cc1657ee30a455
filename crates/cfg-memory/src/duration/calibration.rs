//! Compares a measured run with its estimate: the error on that machine, and the correction for other estimates.

use crate::duration::{Estimate, Range};

/// The measured times of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Seconds of computation of the trainer in a step; `None` if they are not recorded separately from waiting.
    pub trainer: Option<f64>,
    /// Tokens of the trainer in a second, while it computes.
    pub tokens_per_second: Option<f64>,
    /// Seconds of a step, waiting included: the quartiles, and the median between them.
    pub step: Option<(f64, f64, f64)>,
}

/// The factors for the parts of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// The trainer's seconds in a step: measured divided by estimated. It also corrects a wrong assumption about the length of steps.
    pub trainer: f64,
    /// The trainer's tokens in a second: measured divided by estimated.
    pub tokens: f64,
    /// The seconds in which a step's rollouts are generated, divided by the mean of the estimated range; `None` if unknown, then the range stays.
    pub made: Option<f64>,
    /// How much steps differ: half the distance of the quartiles, as a share of the median.
    pub spread: f64,
}

/// Two runs of one config never differ by more than this factor: a different config was used.
const MAX_FACTOR: f64 = 20.0;

impl Calibration {
    /// The factors from a run and its estimate; `None` if nothing can be compared. `is_overlapped` is whether rollouts are generated during the
    /// training of the previous step.
    pub fn new(measured: &Measured, estimate: &Estimate, is_overlapped: bool) -> Option<Self> {
        let (tokens, step) = estimate.by_formula.unzip();
        let by_seconds = measured.trainer.zip(step).map(|(own, estimated)| own / estimated);
        let by_tokens = measured.tokens_per_second.zip(tokens).map(|(own, estimated)| estimated / own);
        let trainer = by_seconds.or(by_tokens).filter(|factor| is_plausible(*factor));
        // These do not depend on the length of the rollouts.
        let tokens = by_tokens.or(by_seconds).filter(|factor| is_plausible(*factor)).map(f64::recip);
        let spread = measured.step.map_or(0.0, |(low, median, high)| (high - low) / 2.0 / median);
        let made = measured.step.zip(estimate.made).and_then(|((_, median, _), made)| {
            let computing = measured.trainer.or_else(|| Some(step? * trainer.unwrap_or(1.0))).unwrap_or(0.0);
            // A step that is not longer than the trainer's own work shows only that rollouts were not slower.
            let seconds = if is_overlapped { (median > computing * 1.1).then_some(median) } else { Some(median - computing) };
            let factor = seconds? / made.middle();
            is_plausible(factor).then_some(factor)
        });
        (trainer.is_some() || made.is_some()).then_some(Self {
            trainer: trainer.unwrap_or(1.0),
            tokens: tokens.unwrap_or(1.0),
            made,
            spread,
        })
    }

    /// The estimated range of seconds for the rollouts of a step, corrected for this machine.
    pub(crate) fn made(&self, estimated: Range) -> Range {
        match self.made {
            None => estimated,
            Some(factor) => self.around(estimated.middle() * factor),
        }
    }

    /// A measured quantity, with the differences between steps as its range.
    pub(crate) fn around(&self, value: f64) -> Range {
        Range { low: value * (1.0 - self.spread).max(0.0), high: value * (1.0 + self.spread) }
    }
}

fn is_plausible(factor: f64) -> bool {
    factor.is_finite() && (1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&factor)
}

#[cfg(test)]
mod tests {
    use super::{Calibration, Measured};
    use crate::duration::{Estimate, Range};

    fn estimate() -> Estimate {
        Estimate { by_formula: Some((10_000.0, 50.0)), made: Some(Range { low: 50.0, high: 200.0 }), ..Estimate::default() }
    }

    #[test]
    fn a_run_gives_the_error_of_the_estimate() {
        let measured = Measured { trainer: Some(60.0), tokens_per_second: Some(8_000.0), step: Some((145.0, 150.0, 155.0)) };
        let found = Calibration::new(&measured, &estimate(), true).expect("all is known");
        assert_eq!((found.trainer, found.tokens, found.made), (1.2, 0.8, Some(1.5)));
        let range = found.made(Range { low: 50.0, high: 200.0 });
        assert!((range.low - 145.0).abs() < 1e-9 && (range.high - 155.0).abs() < 1e-9, "{range:?}");
        // Without overlap, the trainer's part is not part of the rollouts' time.
        assert_eq!(Calibration::new(&measured, &estimate(), false).and_then(|found| found.made), Some(0.9));
    }

    #[test]
    fn estimates_without_a_measurement_are_unchanged() {
        let none = Measured::default();
        assert_eq!(Calibration::new(&none, &estimate(), true), None);
        // The trainer needs the most time, so the rollouts may have any speed.
        let measured = Measured { trainer: Some(60.0), tokens_per_second: None, step: Some((60.0, 61.0, 62.0)) };
        assert_eq!(Calibration::new(&measured, &estimate(), true).map(|found| (found.trainer, found.made)), Some((1.2, None)));
        let other = Measured { tokens_per_second: Some(1.0), ..none };
        assert_eq!(Calibration::new(&other, &estimate(), true), None, "that was another config");
    }
}
