//! The learning rate of each step, as prime-rl's schedules compute it.

use crate::Plan;

/// How the learning rate changes over the steps of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearningRate {
    /// The learning rate that is reached.
    rate: f64,
    /// The learning rate at the beginning of the warmup and at the end of the decay.
    least: f64,
    warmup: f64,
    decay: Decay,
}

/// How it decays.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decay {
    None,
    /// In a straight line from this step on, for this many steps.
    Linear(f64, f64),
    /// As half a cosine over this many steps after the warmup.
    Cosine(f64),
}

impl LearningRate {
    /// That of a plan; `None` if a setting that it depends on is not known.
    pub fn of(plan: &Plan) -> Option<Self> {
        let trainer = plan.trainer.as_deref()?;
        let optim = &trainer.optim;
        let rate = optim.lr.get()?;
        #[expect(clippy::cast_precision_loss, reason = "steps of a run")]
        let steps = |steps: i64| steps.max(0) as f64;
        let end = || trainer.max_steps.get().or(plan.run.max_steps.get()).map(steps);
        let least = optim.min_lr.get().unwrap_or(0.0);
        let warmup = optim.warmup_steps.get().map_or(0.0, steps);
        let decay = match optim.scheduler.text()? {
            "constant" => return Some(Self { rate, least, warmup: 0.0, decay: Decay::None }),
            "linear" => match optim.decay_steps.get().map_or(0.0, steps) {
                0.0 => Decay::None,
                decay => Decay::Linear(end()? - decay, decay - 1.0),
            },
            "cosine" => Decay::Cosine(end()? - warmup),
            _ => return None,
        };
        Some(Self { rate, least, warmup, decay })
    }

    /// The learning rate after this many steps: that of the first step is `at(0.0)`.
    pub fn at(&self, steps: f64) -> f64 {
        let between = |from: f64, to: f64, share: f64| share.clamp(0.0, 1.0).mul_add(to - from, from);
        if steps < self.warmup {
            return between(self.least, self.rate, steps / self.warmup);
        }
        match self.decay {
            Decay::None => self.rate,
            Decay::Linear(from, length) => {
                between(self.rate, self.least, if length > 0.0 { (steps - from) / length } else { 0.0 })
            }
            Decay::Cosine(length) => {
                let share = if length > 0.0 { ((steps - self.warmup) / length).clamp(0.0, 1.0) } else { 0.0 };
                between(self.least, self.rate, f64::midpoint(1.0, (share * std::f64::consts::PI).cos()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decay, LearningRate};

    fn at(decay: Decay, steps: [f64; 4]) -> [String; 4] {
        let rate = LearningRate { rate: 1.0, least: 0.0, warmup: 10.0, decay };
        steps.map(|step| format!("{:.1}", rate.at(step)))
    }

    #[test]
    fn schedules_rise_and_decay() {
        assert_eq!(at(Decay::None, [0.0, 5.0, 10.0, 500.0]), ["0.0", "0.5", "1.0", "1.0"]);
        assert_eq!(at(Decay::Linear(90.0, 9.0), [90.0, 94.5, 99.0, 120.0]), ["1.0", "0.5", "0.0", "0.0"]);
        assert_eq!(at(Decay::Cosine(90.0), [10.0, 55.0, 100.0, 120.0]), ["1.0", "0.5", "0.0", "0.0"]);
    }
}
