//! How reliable a prediction is: the measurements under the same circumstances, and the properties of a configuration that were never measured
//! (memory model, sections 2 and 7). `docs/memory-accuracy.md` shows the measurements behind each figure.

pub mod counts;
pub mod incidents;
pub mod points;
pub mod spread;
pub mod starts;
pub mod steps;
mod table;

use crate::{
    architecture::{Architecture, Norms},
    prime_rl::days,
    trainer::{Allocator, Checkpointing, Dtype, Offload, Optimizer, Trainer},
};

/// Circumstances that measured runs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Regime {
    /// Started by prime-rl's launchers, until 12 February 2026.
    Launcher,
    /// Started by hand, without expandable segments.
    ByHand,
    /// From 13 February to the end of May 2026: runs used more memory than predicted, for an unknown reason.
    Spring,
    /// From June 2026 on: runs, and single steps of random models on one GPU.
    Current,
    /// With `full_offload`.
    FullOffload,
}

/// Errors of the predicted peak compared with measured peaks, as shares of the measured values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Measured runs and steps.
    pub points: u32,
    /// Those of them that are single steps.
    pub steps: u32,
    /// The mean of the absolute errors.
    pub mean: f64,
    /// The largest absolute error.
    pub worst: f64,
}

/// The range in which the peak of a run lies, as factors on the prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The smallest factor.
    pub low: f64,
    /// The largest factor.
    pub high: f64,
    /// Measured runs of the same regime and class of model that stand behind it.
    pub runs: u32,
}

/// How reliable a prediction is.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// The circumstances.
    pub regime: Regime,
    /// The measured errors under these circumstances.
    pub figures: Figures,
    /// The range around the predicted peak.
    pub spread: Spread,
    /// Whether runs like this one were measured, and the model agreed with them.
    pub validated: bool,
    /// The properties of this run that were never measured.
    pub unvalidated: Vec<&'static str>,
}

impl Regime {
    /// All regimes.
    pub const ALL: [Self; 5] = [Self::Launcher, Self::ByHand, Self::Spring, Self::Current, Self::FullOffload];

    /// The circumstances of a trainer: by the date first, because it decides what prime-rl itself does.
    pub fn of(trainer: &Trainer) -> Self {
        if trainer.offload == Offload::Full {
            Self::FullOffload
        } else if (days::TRANSFORMERS_5..days::AFTER_SPRING).contains(&trainer.prime_rl) {
            Self::Spring
        } else if trainer.allocator == Allocator::Fixed {
            Self::ByHand
        } else if trainer.prime_rl < days::TRANSFORMERS_5 {
            Self::Launcher
        } else {
            Self::Current
        }
    }

    /// A word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Launcher => "launcher",
            Self::ByHand => "by-hand",
            Self::Spring => "spring-2026",
            Self::Current => "current",
            Self::FullOffload => "full-offload",
        }
    }

    /// The measured errors. Those of `Spring` are from six runs of Qwen3-0.6B, all underestimated.
    pub const fn figures(self) -> Figures {
        match self {
            Self::Launcher => Figures { points: 28, steps: 0, mean: 0.015, worst: 0.048 },
            Self::ByHand => Figures { points: 40, steps: 0, mean: 0.049, worst: 0.165 },
            Self::Spring => Figures { points: 6, steps: 0, mean: 0.171, worst: 0.268 },
            Self::Current => Figures { points: 140, steps: 136, mean: 0.014, worst: 0.108 },
            Self::FullOffload => Figures { points: 4, steps: 0, mean: 0.065, worst: 0.099 },
        }
    }

    /// Whether the model agreed with the measurements.
    pub const fn agrees(self) -> bool {
        match self {
            Self::Launcher | Self::ByHand | Self::Current => true,
            // The term for gradients was chosen after these four runs were known.
            Self::Spring | Self::FullOffload => false,
        }
    }

    /// A factor on the upper bound of the peak: the excess of the worst measured run over the prediction, if the cause is not known.
    const fn growth(self) -> f64 {
        match self {
            Self::Spring => 1.0 / (1.0 - self.figures().worst),
            Self::Launcher | Self::ByHand | Self::Current | Self::FullOffload => 1.0,
        }
    }
}

impl Accuracy {
    /// How reliable the predicted peak of this trainer is. `confirmed` is whether the shape comes from the model's own files.
    pub fn of(trainer: &Trainer, model: &Architecture, confirmed: bool) -> Self {
        let regime = Regime::of(trainer);
        let unvalidated = unvalidated(trainer, model, confirmed);
        let validated = regime.agrees() && unvalidated.is_empty();
        Self { regime, figures: regime.figures(), spread: spread::spread(regime, trainer, model), validated, unvalidated }
    }
}

/// For models with norms after the block: the largest excess over the prediction in four measured runs, as a factor.
const NORMS_BEHIND: f64 = 1.0 / (1.0 - 0.165);

/// A factor on the upper bound of a trainer's peak, for runs that exceeded it in measurements for an unknown reason; 1 for all others.
pub fn growth(trainer: &Trainer, model: &Architecture) -> f64 {
    let of_model = if model.norms == Norms::After { NORMS_BEHIND } else { 1.0 };
    Regime::of(trainer).growth().max(of_model)
}

/// The properties of this run that were never measured, or that differed in measurements.
fn unvalidated(trainer: &Trainer, model: &Architecture, confirmed: bool) -> Vec<&'static str> {
    // Single steps were measured with the operations of this code.
    let has_steps = trainer.prime_rl >= days::AFTER_SPRING;
    let is_compiled = trainer.compile && trainer.prime_rl >= days::COMPILED_LAYERS;
    let checks = [
        (!confirmed, "the shape of the model, which is not from its own config.json"),
        (trainer.checkpointing == Checkpointing::None && !has_steps, "no activation checkpointing"),
        (trainer.checkpointing == Checkpointing::Selective, "selective activation checkpointing"),
        (matches!(trainer.checkpointing, Checkpointing::Full { every: 2.., .. }), "checkpointing of some layers only"),
        (trainer.context_parallel > 1, "context parallelism"),
        (trainer.replicas > 1, "replicas of the shard mesh"),
        (trainer.offload == Offload::Fsdp, "FSDP's CPU offload"),
        (trainer.dtype == Dtype::Bfloat16 && !has_steps, "bfloat16 master weights"),
        (matches!(trainer.optimizer, Optimizer::Muon | Optimizer::Sgd | Optimizer::SignSgd), "optimizers other than AdamW"),
        (trainer.packs > 1 || (trainer.micro_batch > 1 && !has_steps), "micro-batches of several packed sequences"),
        (model.norms == Norms::After, "layers with norms after the block, which needed up to 17 % more than the model says"),
        (model.mla.is_some(), "multi-head latent attention"),
        (model.recurrent.is_some(), "layers with a recurrent state"),
        (model.mlp_layers.is_some(), "layers of a single part"),
        (model.towers > 0, "vision or audio towers"),
        (model.moe.is_some_and(|moe| moe.latent.is_some()), "latent experts"),
        (
            trainer.allocator == Allocator::Fixed && trainer.prime_rl >= days::AFTER_SPRING,
            "a trainer that is started by hand with this prime-rl",
        ),
        (model.norms == Norms::Both, "layers with four norms"),
        (is_compiled && model.moe.is_none() && !has_steps, "compiled layers: measured in only one configuration"),
    ];
    checks.into_iter().filter_map(|(applies, what)| applies.then_some(what)).collect()
}
