//! The range of the peak of a run: that of the measured errors of its regime and class of model.

use super::{Regime, Spread, growth};
use crate::{
    architecture::Architecture,
    trainer::{Checkpointing, Offload, Trainer},
};

/// What a model's memory depends on most: experts, and what is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A dense model, all weights.
    DenseFull,
    /// A dense model, adapters.
    DenseLora,
    /// A mixture of experts, all weights.
    ExpertsFull,
    /// A mixture of experts, adapters.
    ExpertsLora,
}

/// Measured runs, and their errors as shares of the measured value: the prediction was at least so far below, and at most so far above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Runs.
    pub runs: u32,
    /// The smallest error; negative if a run needed more than predicted.
    pub below: f64,
    /// The largest error.
    pub above: f64,
}

/// Below this number of runs, the range of a class is not taken to be known.
const ENOUGH: u32 = 5;

/// The least half width of a range, as a share.
const LEAST: f64 = 0.03;

/// Factors for parts of models whose training was never measured, and for settings that were never measured.
const NEW_FAMILY: (f64, f64) = (0.75, 1.35);
const NEW_SETTING: (f64, f64) = (0.85, 1.2);

/// prime-rl's kernels for sparse attention keep the keys and values of all heads nowhere, which the formulas count.
const SPARSE: (f64, f64) = (0.4, 1.35);

impl Class {
    /// All classes.
    pub const ALL: [Self; 4] = [Self::DenseFull, Self::DenseLora, Self::ExpertsFull, Self::ExpertsLora];

    /// Words for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DenseFull => "dense, all weights",
            Self::DenseLora => "dense, adapters",
            Self::ExpertsFull => "experts, all weights",
            Self::ExpertsLora => "experts, adapters",
        }
    }

    /// The class of a run.
    pub const fn of(trainer: &Trainer, model: &Architecture) -> Self {
        match (model.moe.is_some(), trainer.lora.is_some()) {
            (false, false) => Self::DenseFull,
            (false, true) => Self::DenseLora,
            (true, false) => Self::ExpertsFull,
            (true, true) => Self::ExpertsLora,
        }
    }
}

impl Regime {
    /// The measured runs of a class, without models with norms after the block; `None` if there are none.
    pub const fn measured(self, class: Class) -> Option<Measured> {
        let (runs, below, above) = match (self, class) {
            (Self::Launcher, Class::DenseFull) => (9, -0.026, 0.026),
            (Self::Launcher, Class::DenseLora) => (8, -0.020, 0.048),
            (Self::Launcher, Class::ExpertsFull) => (3, -0.009, 0.009),
            (Self::Launcher, Class::ExpertsLora) => (8, -0.027, 0.015),
            (Self::ByHand, Class::DenseFull) => (2, -0.005, 0.051),
            (Self::ByHand, Class::DenseLora) => (25, -0.129, 0.093),
            (Self::ByHand, Class::ExpertsFull) => (4, -0.057, 0.107),
            (Self::ByHand, Class::ExpertsLora) => (5, -0.006, 0.057),
            (Self::Current, Class::DenseFull) => (65, -0.060, 0.108),
            (Self::Current, Class::DenseLora) => (55, -0.044, 0.094),
            (Self::Current, Class::ExpertsFull) => (12, -0.011, 0.027),
            (Self::Current, Class::ExpertsLora) => (8, -0.011, 0.041),
            (Self::FullOffload, Class::ExpertsFull) => (4, 0.026, 0.099),
            // These runs are not in the table of points.
            (Self::Spring, Class::DenseFull) => (6, -0.268, -0.09),
            _ => return None,
        };
        Some(Measured { runs, below, above })
    }

    /// The measured runs of all classes together.
    fn all(self) -> Measured {
        let none = Measured { runs: 0, below: 0.0, above: 0.0 };
        Class::ALL.into_iter().filter_map(|class| self.measured(class)).fold(none, |all, of| Measured {
            runs: all.runs + of.runs,
            below: all.below.min(of.below),
            above: all.above.max(of.above),
        })
    }
}

/// The range of the peak of a run.
pub(super) fn spread(regime: Regime, trainer: &Trainer, model: &Architecture) -> Spread {
    let measured = regime.measured(Class::of(trainer, model));
    let runs = measured.map_or(0, |measured| measured.runs);
    let Measured { below, above, .. } = match measured {
        Some(measured) if measured.runs >= ENOUGH => measured,
        // Few runs of a class say little: the range of the whole regime holds, and twice that if there are none.
        Some(_) => regime.all(),
        None => {
            let all = regime.all();
            Measured { below: 2.0 * all.below.max(-0.2), above: 2.0 * all.above, ..all }
        }
    };
    // With this offload, predictions were below the measured values, too, in runs with other models.
    let below = if regime == Regime::FullOffload { below.min(-regime.figures().worst) } else { below };
    let (mut low, mut high) = (1.0 / (1.0 + above.max(LEAST)), 1.0 / (1.0 + below.min(-LEAST)));
    high = high.max(growth(trainer, model));
    let is_new_family = model.recurrent.is_some()
        || model.mla.is_some()
        || model.mlp_layers.is_some()
        || model.towers > 0
        || model.moe.is_some_and(|moe| moe.latent.is_some());
    let is_new_setting = trainer.context_parallel > 1
        || trainer.replicas > 1
        || trainer.offload == Offload::Fsdp
        || trainer.checkpointing == Checkpointing::Selective;
    let is_sparse = model.mla.is_some_and(|mla| mla.index.is_some());
    for (applies, (least, most)) in [(is_new_family, NEW_FAMILY), (is_new_setting, NEW_SETTING), (is_sparse, SPARSE)] {
        if applies {
            low = low.min(least);
            high = high.max(most);
        }
    }
    Spread { low, high, runs: if is_new_family || is_new_setting { 0 } else { runs } }
}
