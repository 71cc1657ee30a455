//! The distribution of the GPUs between trainer and inference: that with the shortest step by the estimate.

use cfg_diag::Order as _;
use cfg_memory::duration::{Estimate, Range};

use crate::{
    choice::{Choice, Layout},
    judge::Judged,
};

/// A distribution of the GPUs that was compared with others.
#[derive(Clone, Debug, PartialEq)]
pub struct Considered {
    /// GPUs of the trainer.
    pub train: u32,
    /// GPUs of the inference server.
    pub infer: u32,
    /// Whether both fit on their GPUs with room, and nothing else is wrong.
    pub fits: bool,
    /// Seconds of the trainer's step; `None` if it doesn't fit, or the speed is unknown.
    pub trainer: Option<f64>,
    /// Seconds in which the rollouts of a step are generated.
    pub rollouts: Option<Range>,
}

/// The choices of a group that are right; they differ in the distribution of the GPUs.
#[derive(Default)]
pub(crate) struct Splits {
    right: Vec<(Choice, Judged)>,
}

/// A step must be shorter by this share for another distribution to be preferred to one before it.
const NOTICEABLE: f64 = 0.03;

impl Splits {
    /// Whether a choice with the same numbers of GPUs is right: with a smaller degree of tensor parallelism, which is preferred.
    pub(crate) fn has(&self, choice: &Choice) -> bool {
        self.right.iter().any(|(other, _)| is_same(other.layout, choice.layout) && !choice.layout.is_shared)
            || (choice.layout.is_shared && !self.right.is_empty())
    }

    pub(crate) fn add(&mut self, choice: Choice, judged: Judged) {
        self.right.push((choice, judged));
    }

    /// The choice with the shortest step, and all distributions of the group; `None` if none is right.
    pub(crate) fn fastest(mut self, group: &[Choice]) -> Option<(Choice, Judged, Vec<Considered>)> {
        let mut best = 0;
        for index in 1..self.right.len() {
            if let (Some(shortest), Some(this)) = (seconds(&self.right[best].1), seconds(&self.right[index].1))
                && this < shortest * (1.0 - NOTICEABLE)
            {
                best = index;
            }
        }
        let chosen = self.right.get(best)?.0.layout;
        let mut considered: Vec<Considered> = Vec::new();
        for layout in group.iter().map(|choice| choice.layout).filter(|layout| layout.train > 0 && layout.infer > 0) {
            let is_listed = |row: &Considered| row.train == layout.train && row.infer == layout.infer;
            if !considered.iter().any(is_listed) {
                considered.push(self.considered(layout));
            }
        }
        // The chosen one first, then the others by the GPUs of inference.
        considered.order_by_key(|row| ((row.train, row.infer) != (chosen.train, chosen.infer), row.infer));
        let (choice, judged) = self.right.swap_remove(best);
        let rows = if considered.len() > 1 { considered } else { Vec::new() };
        Some((choice, judged, rows))
    }

    fn considered(&self, layout: Layout) -> Considered {
        let found = self.right.iter().find(|(choice, _)| is_same(choice.layout, layout)).map(|(_, judged)| judged);
        let estimate = found.and_then(|judged| judged.estimate.as_ref());
        Considered {
            train: layout.train,
            infer: layout.infer,
            fits: found.is_some(),
            trainer: estimate.and_then(|estimate| estimate.step_seconds),
            rollouts: estimate.and_then(|estimate| estimate.made),
        }
    }
}

fn is_same(one: Layout, other: Layout) -> bool {
    (one.train, one.infer) == (other.train, other.infer)
}

/// Seconds of a step: the trainer works on one while the rollouts of the next are generated. The bounds of generation are far apart, so the middle of
/// their orders of magnitude is compared, as an estimate shows it.
fn seconds(judged: &Judged) -> Option<f64> {
    let Estimate { step_seconds, made, .. } = judged.estimate.as_ref()?;
    let made = made.as_ref()?;
    Some(step_seconds.as_ref()?.max(made.middle()))
}
