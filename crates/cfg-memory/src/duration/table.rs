//! The content of `schemas/speed.toml`: cards, the constants of the fit, and its errors.

mod constants;

use crate::prime_rl::Date;

use crate::duration::Range;

/// The peak speeds of a card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// Its name in the table of cards.
    pub name: &'static str,
    /// Its generation, which decides about attention kernels.
    pub generation: Generation,
    /// Multiplications of bfloat16 matrices, without sparsity, in FLOP/s.
    pub bf16: f64,
    /// float32, in FLOP/s.
    pub fp32: f64,
    /// Its memory, in bytes a second.
    pub memory: f64,
    /// The link to the next card, in bytes a second.
    pub link: f64,
    /// The speed at which full weights reach the inference server through files, in bytes a second.
    pub handover: f64,
    /// Whether runs on it were measured.
    pub measured: bool,
}

/// Generations of cards, as far as attention kernels differ between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// A100, A30, RTX A6000, RTX 3090.
    Ampere,
    /// L4, L40, L40S, RTX 4090, RTX 6000 Ada.
    Ada,
    /// H100, H200.
    Hopper,
    /// B200.
    Blackwell,
    /// RTX 5090, RTX PRO 6000: without the instructions that FlashAttention 4 needs.
    BlackwellRtx,
}

/// An attention kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// FlashAttention 2, and PyTorch's own.
    Flash2,
    /// FlashAttention 3.
    Flash3,
    /// FlashAttention 4.
    Flash4,
}

/// The fitted constants; `schemas/speed.toml` explains each.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "schemas/speed.toml has the words")]
pub struct Fit {
    pub dense: f64,
    pub experts: f64,
    pub flash2_ampere: f64,
    pub flash2_hopper: f64,
    pub flash2_blackwell: f64,
    pub flash3: f64,
    pub flash4: f64,
    pub head: f64,
    pub channels: f64,
    pub adapters: f64,
    pub dispatch: f64,
    pub logits: f64,
    pub adapter_launch: f64,
}

/// Errors compared with measured runs, as shares of the measured values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    /// The mean of the absolute errors.
    pub mean: f64,
    /// The largest.
    pub worst: f64,
}

/// The errors of the fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Measured runs.
    pub runs: u32,
    /// The errors for the runs that it was fitted to.
    pub fitted: Error,
    /// The errors for unseen runs, with each model in turn left out.
    pub unseen_model: Error,
    /// The error on each card if it is left out of the fit.
    pub unseen_card: Error,
    /// The error on each configuration if it is left out of the fit.
    pub unseen_configuration: Error,
    /// The error on random halves that are left out of the fit.
    pub unseen_half: Error,
    /// The first day of the measured runs' prime-rl.
    pub since: Date,
    /// The first day after them.
    pub until: Date,
}

/// Runs that were much slower than the formulas predict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exception {
    /// The generation of the card.
    pub generation: Generation,
    /// Only for a prime-rl before this day.
    pub until: Date,
    /// The time that each expert of each layer adds to a micro-batch, in seconds.
    pub seconds_per_expert: f64,
    /// The text for the user.
    pub says: &'static str,
}

/// The assumptions about vLLM; the `low` of a range is the worse end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Generating {
    /// Shares of the memory's bandwidth.
    pub bandwidth: Range,
    /// Shares of the bfloat16 peak.
    pub compute: Range,
    /// Seconds that a layer is delayed in each step, with CUDA graphs.
    pub wait: Range,
    /// The same without CUDA graphs.
    pub wait_eager: Range,
    /// The share of the rollouts in progress that is decoded at a time.
    pub under_way: Range,
    /// Sequences of one step if the config does not set it.
    pub max_num_seqs: f64,
    /// The length of answers as a share of the longest possible answer.
    pub answers: Range,
}

/// Layers that attend only to a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Prefixes of the names of the models.
    pub models: &'static [&'static str],
    /// Tokens of the window.
    pub tokens: f64,
    /// One layer in this many attends to everything.
    pub full_every: u32,
}

pub use constants::{ACCURACY, CARDS, EXCEPTIONS, FIT, GENERATING, WINDOWS};

/// The card of this name in the table of cards.
pub fn card(name: &str) -> Option<&'static Card> {
    CARDS.iter().find(|card| card.name.eq_ignore_ascii_case(name))
}

/// The window of a model's layers, if it has one.
pub fn window(model: &str) -> Option<&'static Window> {
    let starts = |name: &&'static str| model.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    WINDOWS.iter().find(|window| window.models.iter().any(starts))
}

impl Generation {
    /// The fastest kernel that runs on it.
    pub const fn best(self) -> Kernel {
        match self {
            Self::Ampere | Self::Ada | Self::BlackwellRtx => Kernel::Flash2,
            Self::Hopper => Kernel::Flash3,
            Self::Blackwell => Kernel::Flash4,
        }
    }
}

impl Kernel {
    /// The kernel that a config names; `None` for `auto`, which selects the fastest, and for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "flash_attention_2" | "sdpa" | "eager" => Some(Self::Flash2),
            "flash_attention_3" => Some(Self::Flash3),
            "flash_attention_4" | "fa4" => Some(Self::Flash4),
            _ => None,
        }
    }

    /// The kernel that runs instead on a card that this one does not support.
    #[must_use]
    pub const fn on(self, generation: Generation) -> Self {
        match (self, generation) {
            (Self::Flash3, Generation::Hopper) | (Self::Flash4, Generation::Blackwell | Generation::Hopper) => self,
            _ => Self::Flash2,
        }
    }
}

impl Fit {
    /// The share of the bfloat16 peak that attention reaches. Kernels on Ada and on RTX cards of Blackwell were not measured: they are assumed to be
    /// as fast as on Ampere. FlashAttention 4 on Hopper is assumed to be as fast as 3.
    pub const fn attention(&self, kernel: Kernel, generation: Generation) -> f64 {
        match (kernel, generation) {
            (Kernel::Flash3, _) | (Kernel::Flash4, Generation::Hopper) => self.flash3,
            (Kernel::Flash4, _) => self.flash4,
            (Kernel::Flash2, Generation::Hopper) => self.flash2_hopper,
            (Kernel::Flash2, Generation::Blackwell) => self.flash2_blackwell,
            (Kernel::Flash2, Generation::Ampere | Generation::Ada | Generation::BlackwellRtx) => self.flash2_ampere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CARDS, card, window};

    #[test]
    fn every_card_on_which_runs_were_measured_has_a_speed() {
        let cards = crate::catalogue::gpus();
        assert!(cards.iter().filter(|gpu| gpu.measured).all(|gpu| card(&gpu.name).is_some()));
        let known = |name: &str| cards.iter().any(|gpu| gpu.name == name && gpu.lacks.is_none());
        assert!(CARDS.iter().all(|card| known(card.name)));
    }

    #[test]
    fn windows_are_found_by_a_prefix_of_a_name() {
        assert_eq!(window("allenai/OLMo-3-7B-Instruct").map(|window| window.full_every), Some(4));
        assert_eq!(window("Qwen/Qwen3-8B"), None);
    }
}
