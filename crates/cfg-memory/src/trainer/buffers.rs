//! Buffers: what FSDP2 gathers of a layer and of the root group, and the CUDA context (memory model, sections 1.2 and 1.5). Nothing
//! here is fitted: the buffers follow from FSDP2's code, the contexts were read off runs.

use super::{Bound, LmHead, Offload, Trainer, weights::COMPUTE};
use crate::{architecture::Architecture, units::Bytes};

/// CUDA context of a trainer on one GPU, from an out-of-memory message on an H100: 44.69 GiB in use, 43.38 allocated, 0.10 reserved.
pub(super) const CONTEXT: Bytes = Bytes::gib(1.2);

/// The same with NCCL, on eight B200: 171.05, 168.36, 0.41.
pub(super) const CONTEXT_WITH_NCCL: Bytes = Bytes::gib(2.3);

/// `F`: the weights of the largest layer, whole and in bf16; expert parallel ranks hold only their experts.
pub(super) fn gathered(trainer: &Trainer, model: &Architecture) -> Bytes {
    let adapters = trainer.lora.as_ref().map_or(0.0, |lora| lora.largest_layer_parameters(model));
    let ranks = if model.moe.is_some() { trainer.expert_parallel.max(1) } else { 1 };
    Bytes::new(COMPUTE * (model.largest_layer_parameters() + adapters) / f64::from(ranks))
}

/// `U`: what a layer's backward pass holds unsharded.
pub(super) fn layer(trainer: &Trainer, model: &Architecture, bound: Bound) -> Bytes {
    let whole = gathered(trainer, model);
    let shards = trainer.shards();
    // Alone, a GPU copies straight into the whole weights; else two flat outputs of all-gathers and their inputs live beside them.
    let mut bytes = if shards > 1.0 { whole + whole * 2.0 * (1.0 + 1.0 / shards) } else { whole };
    if trainer.lora.is_none() {
        // bf16 gradients of the layer.
        bytes += whole;
        if bound == Bound::High {
            bytes += scattered(trainer, model);
        }
    }
    bytes
}

/// What reduce-scatters reserve: the float32 gradients of the largest group, and of a layer also the output. Their stream has a pool of its own, so the
/// memory stays reserved between them; if it is short, the allocator gives it back.
fn scattered(trainer: &Trainer, model: &Architecture) -> Bytes {
    let layer = gathered(trainer, model) * 2.0 * (1.0 + 1.0 / trainer.shards());
    let is_measured = trainer.is_current() && matches!(trainer.offload, Offload::None | Offload::Optimizer);
    if is_measured { layer.max(matrix(model) * 2.0) } else { layer }
}

/// `root`: a tied embedding stays gathered through both passes, with its bf16 gradient if it trains.
pub(super) fn root(trainer: &Trainer, model: &Architecture) -> Bytes {
    if !model.tied_embeddings {
        return Bytes::ZERO;
    }
    let embedding = matrix(model);
    let gradient = if trainer.lora.is_some() { Bytes::ZERO } else { embedding };
    let shards = trainer.shards();
    // The pool of all-gathers takes the size of the root group; pools of different streams are not shared.
    let pool =
        if shards > 1.0 { ((embedding - gathered(trainer, model)) * (1.0 + 1.0 / shards)).max(Bytes::ZERO) } else { Bytes::ZERO };
    embedding + gradient + pool
}

/// `2R`: the LM head's weights and their gradient while the loss is made. A head over chunks of tokens makes no gradient of frozen weights; it reserves so
/// little that the reduce-scatters of the step before it count.
pub(super) fn lm_head(trainer: &Trainer, model: &Architecture, bound: Bound) -> Bytes {
    let weights = matrix(model);
    if !trainer.is_current() || !matches!(trainer.lm_head, LmHead::TokenChunks(_)) {
        return weights * 2.0;
    }
    match (&trainer.lora, bound) {
        (Some(_), _) => weights,
        (None, Bound::Low) => weights * 2.0,
        (None, Bound::High) => weights * 2.0 + scattered(trainer, model),
    }
}

/// `R`: embedding or LM head in bf16.
fn matrix(model: &Architecture) -> Bytes {
    Bytes::new(COMPUTE * model.embedding_parameters())
}

/// `X_tr`: what the process holds on the GPU beside PyTorch's memory.
pub(super) fn context(trainer: &Trainer) -> Bytes {
    if trainer.gpus > 1 { CONTEXT_WITH_NCCL } else { CONTEXT }
}
