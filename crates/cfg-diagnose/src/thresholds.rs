//! From where on a measure of a run is out of bounds, and how far a run is.

/// From where on a measure is out of bounds, if it is so for ten steps. The first four are those of the field notes (`docs/incidents.md`, row 147).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Entropy below this has collapsed, in nats.
    pub entropy: f64,
    /// A KL divergence of trainer and server above this is too high, in nats.
    pub kl: f64,
    /// A norm of the gradients above this is too high.
    pub norm: f64,
    /// A reward that has not risen for so many steps rises no more.
    pub flat_steps: u64,
    /// A larger share of rollouts that are cut off is too large.
    pub truncated: f64,
    /// A larger share of groups with equal rewards is too large.
    pub no_signal: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { entropy: 0.05, kl: 0.5, norm: 5.0, flat_steps: 300, truncated: 0.5, no_signal: 0.9 }
    }
}

/// The progress of a run, and its newest metrics; `None` if unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The trainer's last step.
    pub trainer_step: Option<i64>,
    /// The orchestrator's last step.
    pub orchestrator_step: Option<i64>,
    /// Seconds of a step: the median of the last ones.
    pub step_seconds: Option<f64>,
    /// Mean reward.
    pub reward: Option<f64>,
    /// Entropy, in nats.
    pub entropy: Option<f64>,
    /// KL divergence of trainer and server, in nats.
    pub kl: Option<f64>,
    /// Norm of the gradients.
    pub norm: Option<f64>,
    /// Share of rollouts that were cut off.
    pub truncated: Option<f64>,
    /// Share of groups with equal rewards.
    pub no_signal: Option<f64>,
}

impl Progress {
    /// Adds the contents of another log of the run: the later step, and metrics that were not known yet.
    pub fn join(&mut self, other: &Self) {
        self.trainer_step = self.trainer_step.max(other.trainer_step);
        self.orchestrator_step = self.orchestrator_step.max(other.orchestrator_step);
        let all = [
            (&mut self.step_seconds, other.step_seconds),
            (&mut self.reward, other.reward),
            (&mut self.entropy, other.entropy),
            (&mut self.kl, other.kl),
            (&mut self.norm, other.norm),
            (&mut self.truncated, other.truncated),
            (&mut self.no_signal, other.no_signal),
        ];
        for (own, other) in all {
            *own = own.or(other);
        }
    }
}
