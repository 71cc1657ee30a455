//! Measures over consecutive steps.

use std::collections::VecDeque;

use crate::Sighted;

/// Returns a quote of the current line.
pub(crate) type Quote<'q> = &'q mut dyn FnMut() -> Sighted;

/// A measure that is out of bounds for consecutive steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streak {
    /// The number of consecutive steps so far.
    pub(crate) steps: u64,
    /// The line of the first of these steps.
    pub(crate) first: Option<Sighted>,
    /// The longest streak that was long enough to report, with its first line.
    pub(crate) longest: Option<(u64, Sighted)>,
}

impl Streak {
    pub(crate) fn step(&mut self, is_out: bool, enough: u64, quote: Quote<'_>) {
        if !is_out {
            (self.steps, self.first) = (0, None);
            return;
        }
        self.steps += 1;
        let first = self.first.get_or_insert_with(quote);
        if self.steps < enough {
            return;
        }
        match &mut self.longest {
            // The longest streak continues.
            Some((steps, known)) if known.line == first.line => *steps = self.steps,
            Some((steps, _)) if *steps >= self.steps => {}
            longest => *longest = Some((self.steps, first.clone())),
        }
    }
}

/// The rewards of many steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewards {
    recent: VecDeque<f64>,
    /// The best mean of [`SMOOTHED`] steps, with the number and the line of the last of them.
    best: Option<(f64, u64, Sighted)>,
    /// The first step from which on the mean stayed far below the best, with its line.
    fallen: Option<(u64, Sighted)>,
    pub(crate) steps: u64,
}

/// Rewards are compared as means of this many steps.
const SMOOTHED: usize = 20;

/// A reward has collapsed at less than this share of the best mean, and if that is this much less.
const COLLAPSED: (f64, f64) = (0.25, 0.1);

/// The smallest rise that counts.
const RISE: f64 = 0.005;

impl Rewards {
    /// The number of steps in which the reward has not risen, and the line from which they count.
    pub(crate) fn flat(&self) -> Option<(u64, &Sighted)> {
        let (_, step, line) = self.best.as_ref()?;
        Some((self.steps - step, line))
    }

    /// The number of steps since the reward collapsed, and the first of them.
    pub(crate) fn collapsed(&self) -> Option<(u64, &Sighted)> {
        let (step, line) = self.fallen.as_ref()?;
        Some((self.steps - step, line))
    }

    /// Adds the reward of a step.
    pub(crate) fn take(&mut self, reward: f64, quote: Quote<'_>) {
        self.steps += 1;
        if !reward.is_finite() {
            return;
        }
        self.recent.push_back(reward);
        if self.recent.len() > SMOOTHED {
            self.recent.pop_front();
        }
        if self.recent.len() == SMOOTHED {
            #[expect(clippy::cast_precision_loss, reason = "twenty")]
            let mean = self.recent.iter().sum::<f64>() / SMOOTHED as f64;
            if self.best.as_ref().is_none_or(|(best, ..)| mean > best + RISE) {
                self.best = Some((mean, self.steps, quote()));
            }
            let (share, least) = COLLAPSED;
            let has_fallen = |(best, ..): &(f64, u64, Sighted)| *best > 0.0 && mean < best * share && best - mean >= least;
            match self.best.as_ref().is_some_and(has_fallen) {
                true if self.fallen.is_none() => self.fallen = Some((self.steps, quote())),
                true => {}
                false => self.fallen = None,
            }
        }
    }
}
