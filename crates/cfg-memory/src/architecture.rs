//! The shape of a decoder-only language model, and its number of parameters.

mod config_json;
mod count;
mod layers;

pub use config_json::{ConfigError, ModelConfig, from_config_json};
pub(crate) use layers::{Layer, Mixer, Mlp};

use crate::units::Tokens;

/// The numbers of a `config.json` that determine memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of a `config.json`")]
pub struct Architecture {
    /// Decoder layers.
    pub layers: u32,
    /// Width of the residual stream.
    pub hidden: u32,
    /// Attention heads.
    pub heads: u32,
    /// Key and value heads (grouped-query attention).
    pub kv_heads: u32,
    /// Width of one head.
    pub head_dim: u32,
    /// Width of the dense gated MLP.
    pub intermediate: u32,
    /// Entries of the vocabulary, as in the embedding.
    pub vocab: u32,
    /// Whether embedding and LM head are one matrix.
    pub tied_embeddings: bool,
    /// The longest sequence of the model.
    pub context: Tokens,
    /// The places of the norms in a layer.
    pub norms: Norms,
    /// How queries and keys are normalised.
    pub qk_norm: QkNorm,
    /// Biases of the query, key and value projections.
    pub qkv_bias: bool,
    /// Bias of the output projection.
    pub output_bias: bool,
    /// Parameters of a layer's attention beyond these fields (sinks, gates); negative if it has fewer.
    pub extra_attention: i64,
    /// Experts, unless the model is dense.
    pub moe: Option<Moe>,
    /// Multi-head latent attention.
    pub mla: Option<Mla>,
    /// Width of a head's value, if it is not `head_dim`.
    pub value_dim: Option<u32>,
    /// Whether keys serve as values too, so that no matrix makes values (Gemma 4's layers without a window).
    pub key_is_value: bool,
    /// Layers whose attention is limited to a window.
    pub window: Option<Window>,
    /// Layers with a recurrent state in place of attention.
    pub recurrent: Option<Recurrent>,
    /// The last attention layers that use the keys and values of an earlier layer (Gemma 3n and 4).
    pub shared_kv_layers: u32,
    /// Layers that consist of an MLP alone, if layers have one part each (Nemotron-H); `None` if every layer has a mixer and an MLP.
    pub mlp_layers: Option<u32>,
    /// Matrices of an MLP or expert: 3 with a gate, 2 without.
    pub mlp_matrices: u32,
    /// Layers behind the decoder that predict further tokens (multi-token prediction). Neither the trainer nor vLLM loads them, unless vLLM is
    /// told to draft with them.
    pub mtp_layers: u32,
    /// Parameters of vision and audio towers, with their projections.
    pub towers: u64,
    /// Parameters outside the layers that the other fields don't describe (embeddings of each layer, for example).
    pub other: u64,
}

/// The places of the norms in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norms {
    /// Before attention and before the MLP.
    Before,
    /// After attention and after the MLP (OLMo 2 and 3).
    After,
    /// Before and after both (Gemma).
    Both,
}

/// How queries and keys are normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QkNorm {
    /// Not at all.
    None,
    /// Each head by itself (Qwen3).
    Head,
    /// All heads together (OLMo).
    Full,
}

/// A mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moe {
    /// Routed experts of a layer.
    pub experts: u32,
    /// Experts that a token goes to.
    pub top_k: u32,
    /// Width of one expert.
    pub intermediate: u32,
    /// Experts that every token goes to.
    pub shared_experts: u32,
    /// Width of one of them, if it is not that of a routed expert.
    pub shared_intermediate: Option<u32>,
    /// Layers with a dense MLP instead, mostly the first ones.
    pub dense_layers: u32,
    /// Width of the input of routed experts, if it is not the residual stream's (latent experts).
    pub latent: Option<u32>,
    /// Parameters of such a layer beyond these fields (biases of the router and of experts).
    pub extra: u64,
}

impl Moe {
    /// The width of all shared experts together.
    pub fn shared_width(&self) -> f64 {
        f64::from(self.shared_experts) * f64::from(self.shared_intermediate.unwrap_or(self.intermediate))
    }
}

/// Multi-head latent attention (DeepSeek).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mla {
    /// Rank of the shared latent of keys and values.
    pub kv_rank: u32,
    /// Rank of the latent of queries; `None` if queries are made directly.
    pub q_rank: Option<u32>,
    /// Width of a head's part without position.
    pub qk_nope: u32,
    /// Width of a head's part with position.
    pub qk_rope: u32,
    /// Width of a head's value.
    pub value: u32,
    /// The index that selects the tokens which attention reads (DeepSeek sparse attention).
    pub index: Option<Index>,
    /// How keys and values of several tokens are kept as one (DeepSeek-V4).
    pub compressed: Option<Compressed>,
}

/// Keys and values that are compressed along the sequence: each layer keeps those of the last tokens, and of the others one entry for several of them.
/// Layers that are not among these keep the last tokens alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compressed {
    /// Layers with an entry, and one of the index, for each 4 tokens.
    pub quarter: u32,
    /// Layers with an entry for each 128 tokens.
    pub sparse: u32,
    /// The last tokens that each layer keeps.
    pub window: u32,
}

/// The index of sparse attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its heads.
    pub heads: u32,
    /// Width of a head.
    pub dim: u32,
}

/// Layers whose attention is limited to the last tokens, or to the current chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Tokens of the window or chunk.
    pub size: Tokens,
    /// Layers that have it.
    pub layers: u32,
    /// Attention heads of these layers, if the others have a different number.
    pub heads: Option<u32>,
    /// Their key and value heads.
    pub kv_heads: Option<u32>,
    /// Width of their heads.
    pub head_dim: Option<u32>,
}

/// Layers with a recurrent state in place of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrent {
    /// The number of these layers.
    pub layers: u32,
    /// What they compute.
    pub kind: RecurrentKind,
    /// Kernel of the convolution before the recurrence.
    pub conv: u32,
    /// Parameters of such a layer beyond these fields; negative if it has fewer.
    pub extra: i64,
    /// Bytes of one number of the state that a server keeps.
    pub state_bytes: u8,
    /// Whether these layers have attention, too, side by side with the recurrence (Falcon-H1).
    pub beside_attention: bool,
}

/// The recurrences that occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecurrentKind {
    /// A gated delta rule (Qwen3-Next, Qwen3.5, Kimi Linear).
    Delta {
        /// Heads of queries and keys.
        key_heads: u32,
        /// Heads of values.
        value_heads: u32,
        /// Width of a key.
        key_dim: u32,
        /// Width of a value.
        value_dim: u32,
    },
    /// Mamba 2 (Nemotron-H, Granite 4).
    Mamba {
        /// Heads.
        heads: u32,
        /// Width of a head.
        head_dim: u32,
        /// Groups that share their B and C.
        groups: u32,
        /// Elements of the state for each channel.
        state: u32,
    },
    /// A gated convolution without further state (LFM2).
    Convolution,
}

impl Architecture {
    /// A dense model without any of the parts that only some models have, as a base for others.
    pub const PLAIN: Self = Self {
        layers: 0,
        hidden: 0,
        heads: 0,
        kv_heads: 0,
        head_dim: 0,
        intermediate: 0,
        vocab: 0,
        tied_embeddings: false,
        context: Tokens(0),
        norms: Norms::Before,
        qk_norm: QkNorm::None,
        qkv_bias: false,
        output_bias: false,
        extra_attention: 0,
        moe: None,
        mla: None,
        value_dim: None,
        key_is_value: false,
        window: None,
        recurrent: None,
        shared_kv_layers: 0,
        mlp_layers: None,
        mlp_matrices: 3,
        mtp_layers: 0,
        towers: 0,
        other: 0,
    };
}
