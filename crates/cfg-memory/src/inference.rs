//! vLLM's budget on one GPU: what it reserves, and how much of it remains for the KV cache (memory model, section 3).

mod kv_cache;
mod overhead;
mod weights;

pub use kv_cache::KvCache;

use crate::{
    architecture::Architecture,
    catalogue::Gpu,
    precision::Precision,
    prime_rl::Vllm,
    trainer::Part,
    units::{Bytes, Tokens},
};

/// The configuration of a served model, as far as memory depends on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The version of vLLM.
    pub vllm: Vllm,
    /// GPUs that share one copy of the model (`tp`).
    pub tensor_parallel: u32,
    /// GPUs that share the experts (`enable_expert_parallel`): at least `tensor_parallel` where it matters, 1 if experts are not spread further.
    pub expert_parallel: u32,
    /// The share of the card's memory that vLLM uses; 0.9 is prime-rl's default in every version.
    pub gpu_memory_utilization: f64,
    /// The longest sequence; the model's context if it isn't set.
    pub max_model_len: Option<Tokens>,
    /// Sequences of one step, unless vLLM chooses.
    pub max_num_seqs: Option<u32>,
    /// Tokens of one step, unless vLLM chooses.
    pub max_num_batched_tokens: Option<Tokens>,
    /// Whether CUDA graphs are turned off.
    pub enforce_eager: bool,
    /// Adapters that are served.
    pub lora: Option<LoraSlots>,
    /// Bytes of one number of the KV cache: 2 for bf16, 1 for fp8.
    pub kv_bytes: u8,
    /// Whether prompts are cached in any case (`enable_prefix_caching`); by default not beside recurrent layers.
    pub prefix_caching: bool,
    /// Whether layers with a window give back what lies outside of it; otherwise they keep all tokens like the others
    /// (`disable_hybrid_kv_cache_manager`).
    pub frees_windows: bool,
    /// How its weights are stored.
    pub precision: Precision,
    /// Tokens that it drafts with the model's own layers for multi-token prediction (`speculative_config`); 0 if it drafts none.
    pub draft_tokens: u32,
}

/// Memory that vLLM reserves for adapters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoraSlots {
    /// Adapters that are served at the same time (`max_loras`).
    pub count: u32,
    /// The largest rank (`max_lora_rank`).
    pub max_rank: u32,
}

/// A quantity that is only known to be within a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest possible value.
    pub low: Bytes,
    /// The likely value.
    pub expected: Bytes,
    /// The largest possible value.
    pub high: Bytes,
}

/// vLLM's budget on one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// `gpu_memory_utilization` times the card: the memory that must be free at start-up.
    pub requested: Bytes,
    /// The weights, in shards of `tp`.
    pub weights: Bytes,
    /// Slots for adapters.
    pub adapters: Bytes,
    /// The peak of vLLM's profiling run.
    pub activations: Range,
    /// vLLM's memory outside PyTorch.
    pub non_torch: Range,
    /// CUDA graphs: 0.1 to 3.5 GiB in public logs.
    pub graphs: Range,
    /// Whether the graphs are within the budget (from vLLM 0.21 on) or in addition to it.
    pub graphs_within: bool,
    /// The rest for the KV cache; negative if nothing is left.
    pub kv: KvCache,
    /// The longest sequence that must fit into the KV cache.
    pub max_model_len: Tokens,
    /// vLLM's own CUDA context, created before it measures the free memory.
    pub context: Bytes,
}

/// vLLM's CUDA context.
const CONTEXT: Bytes = Bytes::gib(0.5);

impl Inference {
    /// The layers for multi-token prediction that are loaded.
    pub(crate) fn draft_layers(&self, model: &Architecture) -> u32 {
        if self.draft_tokens > 0 { model.mtp_layers } else { 0 }
    }

    /// The budget on one GPU of this kind.
    pub fn budget(&self, model: &Architecture, gpu: &Gpu) -> Budget {
        let requested = gpu.total * self.gpu_memory_utilization;
        let max_model_len = self.max_model_len.unwrap_or(model.context);
        let weights = weights::served(self, model);
        let adapters = weights::adapters(self, model);
        let activations = overhead::activations(self, model, gpu);
        let non_torch = overhead::non_torch(self);
        let graphs = overhead::graphs(self, model);
        let graphs_within = self.vllm >= overhead::GRAPHS_WITHIN_BUDGET;
        let fixed = requested - weights - adapters;
        let counted = |graphs| if graphs_within { graphs } else { Bytes::ZERO };
        let kv = KvCache::new(
            kv_cache::Sizes::of(self, model, overhead::tokens_of_step(self, gpu), max_model_len),
            Range {
                low: fixed - weights * self.precision.excess() - activations.high - non_torch.high - counted(graphs.high),
                expected: fixed - activations.expected - non_torch.expected - counted(graphs.expected),
                high: fixed - activations.low - non_torch.low - counted(graphs.low),
            },
        );
        Budget {
            requested,
            weights,
            adapters,
            activations,
            non_torch,
            graphs,
            graphs_within,
            kv,
            max_model_len,
            context: CONTEXT,
        }
    }
}

impl Budget {
    /// The parts of the expected value; the KV cache uses the rest of the requested memory.
    pub fn parts(&self) -> Vec<Part> {
        vec![
            Part { name: "weights", bytes: self.weights },
            Part { name: "adapters", bytes: self.adapters },
            Part { name: "activations", bytes: self.activations.expected },
            Part { name: "non-torch", bytes: self.non_torch.expected },
            Part { name: "cuda-graphs", bytes: self.graphs.expected },
            Part { name: "kv-cache", bytes: self.kv.room.expected.max(Bytes::ZERO) },
        ]
    }

    /// The smallest and the largest memory of vLLM while it serves, including its context.
    pub fn held(&self) -> (Bytes, Bytes) {
        let fixed = self.requested + self.context;
        if self.graphs_within { (fixed, fixed) } else { (fixed + self.graphs.low, fixed + self.graphs.high) }
    }

    /// The memory that vLLM needs to serve one sequence of `max_model_len`, by the expected values.
    pub fn needed(&self) -> Bytes {
        let graphs = if self.graphs_within { self.graphs.expected } else { Bytes::ZERO };
        let kv = self.kv.needed(self.max_model_len);
        self.weights + self.adapters + self.activations.expected + self.non_torch.expected + graphs + kv
    }
}
