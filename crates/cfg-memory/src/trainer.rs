//! The trainer's peak on one GPU: FSDP2 shards, checkpointed activations, the LM head and the optimizer's step (memory model, section 1).

mod activations;
mod buffers;
mod gradients;
mod lm_head;
mod lora;
mod optimizer;
mod weights;

pub use activations::Checkpointing;
pub use lm_head::LmHead;
pub use lora::{Lora, LoraTarget};
pub use optimizer::Optimizer;
pub use weights::Dtype;

use crate::{
    accuracy::Spread,
    architecture::Architecture,
    prime_rl::{Date, days},
    units::{Bytes, Tokens, real},
};

/// The configuration of a trainer, as far as memory depends on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trainer {
    /// prime-rl's code, by the date of its commit: its training loop changed without a change of the configuration.
    pub prime_rl: Date,
    /// Tokens of a packed micro-batch.
    pub seq_len: Tokens,
    /// Packed sequences of a micro-batch: 1 unless `data.micro_batch_size` is set.
    pub micro_batch: u32,
    /// Full sequences that the orchestrator packs into one of a micro-batch, at most: 1 unless its `micro_batch_size` was set, until October 2025.
    pub packs: u32,
    /// GPUs of the trainer, over all nodes.
    pub gpus: u32,
    /// Replicas of the shard mesh (`dp_replicate`).
    pub replicas: u32,
    /// GPUs that share one sequence (`cp`).
    pub context_parallel: u32,
    /// GPUs that share the experts (`ep`).
    pub expert_parallel: u32,
    /// Adapters; `None` if all weights are trained.
    pub lora: Option<Lora>,
    /// Type of weights, gradients and optimizer states (`optimization_dtype`).
    pub dtype: Dtype,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// The parts in the host's memory.
    pub offload: Offload,
    /// Which activations are kept and which are recomputed.
    pub checkpointing: Checkpointing,
    /// How logits and loss are computed.
    pub lm_head: LmHead,
    /// `torch.compile` of the layers.
    pub compile: bool,
    /// How PyTorch's allocator grows.
    pub allocator: Allocator,
}

/// The parts in the host's memory instead of the GPU's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offload {
    /// Nothing.
    None,
    /// Optimizer states, except during the step (`optim_cpu_offload`).
    Optimizer,
    /// Master weights, gradients and optimizer states; bf16 copies are in flight (`full_offload`).
    Full,
    /// FSDP's own offload of all shards (`fsdp_cpu_offload`).
    Fsdp,
}

/// How PyTorch's caching allocator grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// `expandable_segments:True`, which prime-rl's `rl` and `sft` launchers set in every version.
    Expandable,
    /// PyTorch's default, used by a trainer that is started by hand with `torchrun`.
    Fixed,
}

impl Allocator {
    /// Reserved divided by allocated memory during a layer's work: 1.07 fitted with expandable segments, 1.25 without.
    const fn layer_slack(self) -> f64 {
        match self {
            Self::Expandable => 1.07,
            Self::Fixed => 1.25,
        }
    }
}

/// Reserved divided by allocated memory during the LM head's work (fitted).
const HEAD_SLACK: f64 = 1.16;

/// Workspaces of cuBLAS and small pools (fitted), and the part of them that a trainer always needs.
const POOLS: Bytes = Bytes::gib(0.25);
const POOLS_LEAST: Bytes = Bytes::gib(0.1);

/// The number of parts of the moment with the most.
const MAX_PARTS: usize = 9;

/// The end of the range that a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Bytes that the trainer needs at least.
    Low,
    /// Bytes that it reports as its peak of reserved memory.
    High,
}

/// The trainer's peak on one GPU, without its CUDA context.
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// The memory that the trainer needs at least: if a card has less, it certainly runs out of memory.
    pub low: Bytes,
    /// The peak of reserved memory that the trainer reports if the card is large enough.
    pub high: Bytes,
    /// The predicted value of `high`, which is the sum of the parts: the same, unless the range is that of measured errors.
    pub middle: Bytes,
    /// The moment of the peak.
    pub moment: Moment,
    /// The parts of `middle`.
    pub parts: Vec<Part>,
    /// The peak of each moment, in the order of [`Moment::ALL`].
    pub moments: [Bytes; 3],
    /// The memory on the GPU after the weights are loaded.
    pub loaded: Bytes,
    /// The CUDA context and the libraries in it.
    pub context: Bytes,
}

/// The moments of a training step that can have the peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The backward pass of a decoder layer.
    Layer,
    /// Logits and loss.
    LmHead,
    /// The optimizer's step.
    OptimizerStep,
}

impl Moment {
    /// All moments, in the order of a step.
    pub const ALL: [Self; 3] = [Self::Layer, Self::LmHead, Self::OptimizerStep];
}

/// A part of a peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Its name, in lower-case words joined by hyphens.
    pub name: &'static str,
    /// Its size.
    pub bytes: Bytes,
}

/// What has the same size at all moments.
#[derive(Clone, Copy)]
struct Lasting {
    weights: Bytes,
    gradients: Bytes,
    /// The optimizer's states, in either memory.
    states: Bytes,
    /// The activations that the forward pass keeps.
    kept: Bytes,
}

impl Trainer {
    /// The peak on one GPU for this model.
    pub fn peak(&self, model: &Architecture) -> Peak {
        let (weights, gradients) = (weights::sharded(self, model), gradients::sharded(self, model));
        let of_bound = |bound: Bound| {
            let (states, kept) = (optimizer::states(self, model, bound), activations::kept(self, model, bound));
            let lasting = Lasting { weights, gradients, states, kept };
            Moment::ALL.map(|moment| self.parts(model, moment, bound, lasting))
        };
        let high = of_bound(Bound::High);
        let moments = high.each_ref().map(|parts| parts.iter().map(|part| part.bytes).sum());
        let low = of_bound(Bound::Low).map(|parts| parts.iter().map(|part| part.bytes).sum());
        let mut highest = 0;
        for (index, bytes) in moments.iter().enumerate() {
            if *bytes > moments[highest] {
                highest = index;
            }
        }
        Peak {
            low: low.into_iter().fold(Bytes::ZERO, Bytes::max),
            high: moments[highest],
            middle: moments[highest],
            moment: Moment::ALL[highest],
            parts: high.into_iter().nth(highest).unwrap_or_default(),
            moments,
            loaded: weights,
            context: buffers::context(self),
        }
    }

    /// The memory on the GPU at a moment, in parts; empty if the moment doesn't occur there.
    fn parts(&self, model: &Architecture, moment: Moment, bound: Bound, lasting: Lasting) -> Vec<Part> {
        let pools = if bound == Bound::High { POOLS } else { POOLS_LEAST };
        let Lasting { weights, gradients, states, kept } = lasting;
        let mut parts = Vec::with_capacity(MAX_PARTS);
        let mut add = |name, bytes| parts.push(Part { name, bytes });
        add("weights", weights);
        add("gradients", gradients);
        match moment {
            Moment::Layer => {
                add("optimizer", optimizer::resident(self, states));
                add("gathered-layer", buffers::layer(self, model, bound));
                add("gathered-embedding", buffers::root(self, model));
                add("activations", kept);
                let slack = if bound == Bound::High { self.allocator.layer_slack() } else { 1.0 };
                add("layer-work", activations::work(self, model, bound) * slack);
            }
            Moment::LmHead => {
                add("optimizer", optimizer::resident(self, states));
                add("gathered-layer", buffers::gathered(self, model));
                add("gathered-lm-head", buffers::lm_head(self, model, bound));
                add("activations", kept);
                let slack = if bound == Bound::High { HEAD_SLACK } else { 1.0 };
                add("lm-head", self.lm_head.per_token(model) * self.tokens() * slack);
                if bound == Bound::High {
                    let slack = if self.is_current() { HEAD_SLACK } else { 1.0 };
                    add("lm-head-chunk", self.lm_head.chunk(model, self.tokens()) * slack);
                }
            }
            Moment::OptimizerStep => {
                if !optimizer::steps_on_gpu(self) {
                    return Vec::new();
                }
                add("optimizer", states);
                add("optimizer-step", optimizer::temporary(self, model));
            }
        }
        add("pools", pools);
        parts
    }

    /// The number of GPUs that share the shards: context parallel ranks are part of the mesh, replicas are not.
    fn shards(&self) -> f64 {
        (f64::from(self.gpus.max(1)) / f64::from(self.replicas.max(1))).max(1.0)
    }

    /// Tokens of a micro-batch for one GPU.
    fn tokens(&self) -> f64 {
        let sequences = f64::from(self.micro_batch.max(1)) * f64::from(self.packs.max(1));
        real(self.seq_len.0) * sequences / f64::from(self.context_parallel.max(1))
    }

    /// Memory of the hosts of all nodes together that an offload needs; nothing without one. A full offload and that of FSDP keep weights, gradients and
    /// optimizer states there, 16 bytes for each parameter in float32 with AdamW; an offloaded optimizer its states.
    pub fn host_memory(&self, model: &Architecture) -> Bytes {
        let states = self.optimizer.states(Bound::High) * self.trained_parameters(model);
        let kept = match self.offload {
            Offload::None => 0.0,
            Offload::Optimizer => states,
            Offload::Full | Offload::Fsdp => self.all_parameters(model) + self.trained_parameters(model) + states,
        };
        Bytes::new(self.dtype.bytes() * kept * f64::from(self.replicas.max(1)))
    }

    /// Whether the formulas are those that single steps with torch 2.11 were compared with. What prime-rl did before was measured in runs only.
    fn is_current(&self) -> bool {
        self.prime_rl >= days::AFTER_SPRING
    }

    /// Parameters of the adapters; 0 if all weights are trained.
    fn adapter_parameters(&self, model: &Architecture) -> f64 {
        self.lora.as_ref().map_or(0.0, |lora| lora.parameters(model))
    }

    pub(crate) fn trained_parameters(&self, model: &Architecture) -> f64 {
        if self.lora.is_some() { self.adapter_parameters(model) } else { model.parameters() }
    }

    /// Parameters of model and adapters.
    pub(crate) fn all_parameters(&self, model: &Architecture) -> f64 {
        model.parameters() + self.adapter_parameters(model)
    }
}

impl Peak {
    /// The peak with the range of measured errors: never narrower than that of the formula, and never below what is loaded.
    #[must_use]
    pub fn within(mut self, spread: &Spread) -> Self {
        self.low = self.low.min((self.middle * spread.low).max(self.loaded));
        self.high = self.high.max(self.middle * spread.high);
        self
    }

    /// The value that the trainer reports on a card of this size: if memory is short, the allocator gives cached blocks back, so it never exceeds
    /// the card.
    pub fn reserved_on(&self, total: Bytes) -> Bytes {
        self.high.min(total - self.context).max(self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::{Allocator, HEAD_SLACK, POOLS, POOLS_LEAST, buffers::CONTEXT, buffers::CONTEXT_WITH_NCCL};

    #[test]
    fn the_constants_are_those_of_the_page() {
        let page = include_str!("../../../docs/memory-model.md").replace('\n', " ");
        let (expandable, fixed) = (Allocator::Expandable.layer_slack(), Allocator::Fixed.layer_slack());
        let (pools, least) = (POOLS.as_gib(), POOLS_LEAST.as_gib());
        for stated in [
            format!("{expandable} x `W T` + {pools} GiB |"),
            format!("{HEAD_SLACK} x head + {pools} GiB |"),
            format!("has no factors and {least} GiB instead of {pools} GiB"),
            format!("{expandable} ({fixed} without expandable segments"),
            format!(
                "{HEAD_SLACK} and {pools} GiB. The CUDA context is added: {} GiB, with NCCL {} GiB",
                CONTEXT.as_gib(),
                CONTEXT_WITH_NCCL.as_gib()
            ),
        ] {
            assert!(page.contains(&stated), "docs/memory-model.md, section 1.5, must say `{stated}`");
        }
    }
}
