//! Activations: those that the forward pass keeps, and those that the backward pass of one layer creates (memory model, section 1.3).

use super::{Bound, Trainer};
use crate::{
    architecture::{Architecture, Layer, Mlp, Norms, QkNorm},
    prime_rl::days,
    units::Bytes,
};

/// Which activations are kept, which are made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpointing {
    /// All are kept.
    None,
    /// Whole layers are made again.
    Full {
        /// Every how many layers one is (`ac.freq`).
        every: u32,
        /// Whether the inputs of these layers wait in the host's memory (`ac_offloading`).
        offloaded: bool,
    },
    /// Only named parts of a layer are made again (`ac.mode = "selective"`). How much that keeps was never measured: the bounds are
    /// those of whole layers and of no checkpointing.
    Selective,
}

/// The activations that the forward pass keeps for the backward pass, over all layers.
pub(super) fn kept(trainer: &Trainer, model: &Architecture, bound: Bound) -> Bytes {
    let layers = f64::from(model.layers);
    let of_layers: f64 = model.layer_kinds().into_iter().map(|(layer, count)| count * saved(trainer, model, layer, bound)).sum();
    let input = 2.0 * f64::from(model.hidden);
    let per_token = match checkpointing(trainer, bound) {
        Checkpointing::Full { every, offloaded } => {
            let checkpointed = f64::from(model.layers.div_ceil(every.max(1)));
            let whole = if layers > 0.0 { of_layers * (layers - checkpointed) / layers } else { 0.0 };
            input * if offloaded { 1.0 } else { checkpointed } + whole
        }
        Checkpointing::None | Checkpointing::Selective => of_layers,
    };
    Bytes::new(per_token * trainer.tokens())
}

/// What one layer makes at its worst instant: recomputed activations and their gradients, or only the gradients where the activations
/// were kept.
pub(super) fn work(trainer: &Trainer, model: &Architecture, bound: Bound) -> Bytes {
    let recomputes = matches!(checkpointing(trainer, bound), Checkpointing::Full { .. });
    let per_token = model
        .layer_kinds()
        .into_iter()
        .map(|(layer, _)| {
            let saved = saved(trainer, model, layer, bound);
            let all = worst_instant(trainer, model, layer, saved, bound);
            if recomputes { all } else { (all - saved).max(0.0) }
        })
        .fold(0.0, f64::max);
    Bytes::new(per_token * trainer.tokens())
}

/// The memory of selective checkpointing at this end of the range.
fn checkpointing(trainer: &Trainer, bound: Bound) -> Checkpointing {
    match (trainer.checkpointing, bound) {
        (Checkpointing::Selective, Bound::Low) => Checkpointing::Full { every: 1, offloaded: false },
        (Checkpointing::Selective, Bound::High) => Checkpointing::None,
        (other, _) => other,
    }
}

/// `keep`: bytes per token that a layer saves in its forward pass.
fn saved(trainer: &Trainer, model: &Architecture, layer: Layer, bound: Bound) -> f64 {
    let hidden = f64::from(model.hidden);
    let is_frozen = trainer.lora.is_some();
    let is_compiled = is_compiled(trainer) && layer.mlp == Mlp::Dense;
    // `torch.compile` and kernels for the norms, which some installations have, keep no float32 copies. Compiled adapters need more than compiled
    // layers without: PyTorch gives up on some of them.
    let is_fused = trainer.is_current() && model.norms != Norms::After && (bound == Bound::Low || (is_compiled && !is_frozen));
    // A float32 copy (4), the bf16 output (2), and the bf16 input of the norm's weight (2) if that trains.
    let norm = hidden
        * match (model.norms, is_frozen) {
            _ if is_fused => 4.0,
            (Norms::Before | Norms::Both, true) => 6.0,
            (Norms::Before | Norms::Both, false) => 8.0,
            (Norms::After, true) => 5.0,
            (Norms::After, false) => 7.0,
        };
    let norms = if model.norms == Norms::Both { 4.0 } else { 2.0 } * if model.mlp_layers.is_some() { 0.5 } else { 1.0 };
    let channel = match (model.qk_norm, is_frozen) {
        (QkNorm::None, _) => 4.0,
        (QkNorm::Head | QkNorm::Full, _) if is_fused => 6.0,
        (QkNorm::Head | QkNorm::Full, true) => 8.0,
        (QkNorm::Head | QkNorm::Full, false) => 10.0,
    };
    let mlp = match layer.mlp {
        Mlp::None => 0.0,
        Mlp::Dense if is_fused && is_compiled => 6.0 * f64::from(model.intermediate),
        Mlp::Dense => 8.0 * f64::from(model.intermediate),
        Mlp::Moe(moe) => {
            let (top_k, width) = (f64::from(moe.top_k), f64::from(moe.intermediate));
            top_k * (6.0 * hidden + 8.0 * width) + 8.0 * moe.shared_width() + 12.0 * f64::from(moe.experts)
        }
    };
    norms * norm + channel * attention_channels(model, layer) + mlp
}

/// Whether layers are compiled to code that needs less memory.
fn is_compiled(trainer: &Trainer) -> bool {
    trainer.compile && trainer.prime_rl >= days::COMPILED_LAYERS
}

/// `W`: bytes per token at the worst instant of one layer's recomputation and backward pass.
fn worst_instant(trainer: &Trainer, model: &Architecture, layer: Layer, saved: f64, bound: Bound) -> f64 {
    let hidden = f64::from(model.hidden);
    let intermediate = f64::from(model.intermediate);
    match layer.mlp {
        Mlp::None => saved + 4.0 * hidden,
        Mlp::Dense => {
            let eager = saved + 4.0 * hidden + 4.0 * intermediate;
            // One trace and one measured configuration: good enough for the lower end, not for the upper.
            let compiled = 9.0 * hidden + 6.0 * attention_channels(model, layer) + 10.0 * intermediate;
            if is_compiled(trainer) && bound == Bound::Low { eager.min(compiled) } else { eager }
        }
        Mlp::Moe(moe) => {
            // Fitted to what is reserved; less is allocated at once.
            let copies = match (moe.latent, trainer.is_current() && bound == Bound::Low) {
                (None, true) => 12.0,
                (None, false) => 14.0,
                // The residual stream is copied for each chosen expert before it is projected to the latent, and so is what comes back. Fitted to
                // two lengths of one configuration.
                (Some(_), true) => 30.0,
                (Some(_), false) => 35.0,
            };
            saved + 4.0 * hidden + copies * f64::from(moe.top_k) * hidden
        }
    }
}

/// `q + kv`: half the channels of queries, keys, values and attention outputs together.
fn attention_channels(model: &Architecture, layer: Layer) -> f64 {
    let widths = model.widths_of(layer.mixer);
    (widths.query + widths.output + widths.key + widths.value) / 2.0
}
