//! The limits of a run's measures, and the progress of a run.

/// The limits beyond which a measure is reported, if it exceeds them for ten steps; the share of failed rollouts, if its mean does. The first four are from row 147 of `docs/incidents.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Entropy, in nats: below this it has collapsed.
    pub entropy: f64,
    /// KL divergence between trainer and server, in nats: above this it is too high.
    pub kl: f64,
    /// Gradient norm: above this it is too high.
    pub norm: f64,
    /// The number of steps after which a reward that has not risen is reported.
    pub flat_steps: u64,
    /// Share of truncated rollouts: above this it is too large.
    pub truncated: f64,
    /// Share of groups whose rewards are all equal: above this it is too large.
    pub no_signal: f64,
    /// Share of failed rollouts: above this it is too large.
    pub errors: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { entropy: 0.05, kl: 0.5, norm: 5.0, flat_steps: 300, truncated: 0.5, no_signal: 0.9, errors: 0.5 }
    }
}

/// The progress of a run, and its newest measures; `None` if unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The trainer's newest step.
    pub trainer_step: Option<i64>,
    /// The orchestrator's newest step.
    pub orchestrator_step: Option<i64>,
    /// The duration of a step in seconds: the median of the last ones.
    pub step_seconds: Option<f64>,
    /// Mean reward.
    pub reward: Option<f64>,
    /// Entropy, in nats.
    pub entropy: Option<f64>,
    /// KL divergence between trainer and server, in nats.
    pub kl: Option<f64>,
    /// Gradient norm.
    pub norm: Option<f64>,
    /// Share of truncated rollouts.
    pub truncated: Option<f64>,
    /// Share of groups whose rewards are all equal.
    pub no_signal: Option<f64>,
    /// The trainer's loss.
    pub loss: Option<f64>,
    /// Model FLOPS utilization of the trainer, as a share.
    pub mfu: Option<f64>,
    /// Peak memory of a trainer's GPU, in GiB.
    pub peak_memory: Option<f64>,
    /// Learning rate.
    pub learning_rate: Option<f64>,
    /// Share of failed rollouts.
    pub errors: Option<f64>,
    /// Steps by which the oldest policy of a batch is behind.
    pub off_policy: Option<f64>,
}

impl Progress {
    /// Merges another log of the run: the later step, and measures that were not known yet.
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
            (&mut self.loss, other.loss),
            (&mut self.mfu, other.mfu),
            (&mut self.peak_memory, other.peak_memory),
            (&mut self.learning_rate, other.learning_rate),
            (&mut self.errors, other.errors),
            (&mut self.off_policy, other.off_policy),
        ];
        for (own, other) in all {
            *own = own.or(other);
        }
    }
}
