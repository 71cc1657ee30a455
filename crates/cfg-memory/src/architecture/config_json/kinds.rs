//! The kinds of model, by `model_type`, and what their files leave out because it is the same for all models of a kind.

use crate::architecture::{Norms, QkNorm};

/// The values that a `config.json` leaves out because they are the same for all models of a kind.
#[expect(clippy::struct_excessive_bools, reason = "a row of a table")]
pub(super) struct Kind {
    /// `model_type`.
    pub(super) name: &'static str,
    pub(super) tied_embeddings: bool,
    pub(super) norms: Norms,
    pub(super) qk_norm: QkNorm,
    pub(super) qkv_bias: Bias,
    pub(super) output_bias: Bias,
    /// The key of an expert's width, if the kind has experts.
    pub(super) expert_width: &'static str,
    /// Keys of the width of a dense MLP, before `intermediate_size`.
    pub(super) dense_width: &'static [&'static str],
    /// Parameters of the attention beyond the projections, for each head.
    pub(super) per_head: u32,
    /// Whether attention has a gate as wide as its output.
    pub(super) gates_attention: bool,
    /// Whether each layer is a mixer or an MLP, and not both.
    pub(super) has_single_parts: bool,
    /// Matrices of an MLP.
    pub(super) mlp_matrices: u32,
    /// Parameters of a layer with experts for each routed expert, beside its row of the router: its correction.
    pub(super) corrects_router: bool,
    /// The number of shared experts if no key states it, and whether their output has a gate.
    pub(super) shared: (u32, bool),
    /// How many layers one has full attention among those with a window, if no key states it; 1 if all have.
    pub(super) full_every: u32,
    /// Whether the attention heads are a multiple of the key and value heads.
    pub(super) heads_divide: bool,
    /// Whether the state of recurrent layers has 16 bits if no key states its type.
    pub(super) half_state: bool,
    /// Whether all layers have a recurrence beside their attention.
    pub(super) beside_attention: bool,
    /// Keys that memory depends on and that aren't counted, if their value isn't null, 0, false or empty.
    pub(super) uncounted: &'static [&'static str],
}

/// Whether projections have a bias.
#[derive(Clone, Copy)]
pub(super) enum Bias {
    Never,
    Always,
    /// As given by `attention_bias`.
    Stated,
}

const PLAIN: Kind = Kind {
    name: "",
    tied_embeddings: false,
    norms: Norms::Before,
    qk_norm: QkNorm::None,
    qkv_bias: Bias::Stated,
    output_bias: Bias::Stated,
    expert_width: "moe_intermediate_size",
    dense_width: &[],
    per_head: 0,
    gates_attention: false,
    has_single_parts: false,
    mlp_matrices: 3,
    corrects_router: false,
    shared: (0, false),
    full_every: 1,
    heads_divide: true,
    half_state: false,
    beside_attention: false,
    uncounted: &[],
};

/// Qwen 2 and its towers.
const QWEN2: Kind = Kind { qkv_bias: Bias::Always, output_bias: Bias::Never, ..PLAIN };

/// Qwen 3.
const QWEN3: Kind = Kind { qk_norm: QkNorm::Head, ..PLAIN };

/// Qwen3-Next and Qwen3.5: gated delta layers, and attention with a gate.
const QWEN3_NEXT: Kind = Kind {
    gates_attention: true,
    dense_width: &["intermediate_size", "shared_expert_intermediate_size"],
    shared: (1, true),
    ..QWEN3
};

/// Gemma.
const GEMMA: Kind = Kind { tied_embeddings: true, ..PLAIN };

/// Gemma 2 and later.
const GEMMA2: Kind = Kind { norms: Norms::Both, full_every: 2, ..GEMMA };

/// Gemma 3.
const GEMMA3: Kind = Kind { qk_norm: QkNorm::Head, full_every: 6, ..GEMMA2 };

/// Latent attention of DeepSeek.
const DEEPSEEK: Kind = Kind { corrects_router: true, qkv_bias: Bias::Never, output_bias: Bias::Never, ..PLAIN };

const PER_LAYER: &[&str] = &["hidden_size_per_layer_input", "altup_num_inputs"];

pub(super) const KINDS: [Kind; 58] = [
    Kind { name: "llama", ..PLAIN },
    Kind { name: "mistral", qkv_bias: Bias::Never, output_bias: Bias::Never, ..PLAIN },
    Kind { name: "ministral", qkv_bias: Bias::Never, output_bias: Bias::Never, ..PLAIN },
    Kind { name: "ministral3", qkv_bias: Bias::Never, output_bias: Bias::Never, ..PLAIN },
    Kind { name: "mistral4", ..DEEPSEEK },
    Kind { name: "smollm3", tied_embeddings: true, ..PLAIN },
    Kind { name: "qwen2", ..QWEN2 },
    Kind { name: "qwen2_vl", ..QWEN2 },
    Kind { name: "qwen2_vl_text", ..QWEN2 },
    Kind { name: "qwen2_5_vl", ..QWEN2 },
    Kind { name: "qwen2_5_vl_text", ..QWEN2 },
    Kind { name: "qwen2_moe", shared: (1, true), ..QWEN2 },
    Kind { name: "qwen3", ..QWEN3 },
    Kind { name: "qwen3_moe", ..QWEN3 },
    Kind { name: "qwen3_vl_text", ..QWEN3 },
    Kind { name: "qwen3_vl_moe_text", ..QWEN3 },
    Kind { name: "qwen3_next", half_state: true, ..QWEN3_NEXT },
    Kind { name: "qwen3_5", ..QWEN3_NEXT },
    Kind { name: "qwen3_5_text", ..QWEN3_NEXT },
    Kind { name: "qwen3_5_moe", ..QWEN3_NEXT },
    Kind { name: "qwen3_5_moe_text", ..QWEN3_NEXT },
    Kind { name: "olmo2", norms: Norms::After, qk_norm: QkNorm::Full, ..PLAIN },
    Kind { name: "olmo3", norms: Norms::After, qk_norm: QkNorm::Full, full_every: 4, ..PLAIN },
    Kind { name: "olmoe", qk_norm: QkNorm::Full, expert_width: "intermediate_size", ..PLAIN },
    Kind { name: "gemma", ..GEMMA },
    Kind { name: "gemma2", ..GEMMA2 },
    Kind { name: "gemma3", ..GEMMA3 },
    Kind { name: "gemma3_text", ..GEMMA3 },
    Kind { name: "gemma3n_text", uncounted: PER_LAYER, full_every: 5, ..GEMMA3 },
    Kind { name: "gemma4_text", uncounted: PER_LAYER, ..GEMMA3 },
    Kind { name: "mixtral", qkv_bias: Bias::Never, output_bias: Bias::Never, expert_width: "intermediate_size", ..PLAIN },
    Kind { name: "glm", output_bias: Bias::Never, ..PLAIN },
    Kind { name: "glm4", output_bias: Bias::Never, norms: Norms::Both, ..PLAIN },
    Kind { name: "glm4v_text", qkv_bias: Bias::Always, output_bias: Bias::Never, norms: Norms::Both, ..PLAIN },
    Kind { name: "glm4_moe", output_bias: Bias::Never, corrects_router: true, ..PLAIN },
    Kind { name: "glm4v_moe_text", output_bias: Bias::Never, corrects_router: true, ..PLAIN },
    Kind { name: "glm4_moe_lite", ..DEEPSEEK },
    Kind { name: "glm_moe_dsa", ..DEEPSEEK },
    Kind {
        name: "gpt_oss",
        qkv_bias: Bias::Always,
        output_bias: Bias::Always,
        expert_width: "intermediate_size",
        per_head: 1,
        full_every: 2,
        ..PLAIN
    },
    Kind { name: "deepseek_v2", corrects_router: false, ..DEEPSEEK },
    Kind { name: "deepseek_v3", ..DEEPSEEK },
    Kind { name: "deepseek_v32", ..DEEPSEEK },
    Kind { name: "kimi_k2", ..DEEPSEEK },
    Kind { name: "phi3", qkv_bias: Bias::Never, output_bias: Bias::Never, ..PLAIN },
    Kind { name: "granite", tied_embeddings: true, ..PLAIN },
    Kind {
        name: "granitemoehybrid",
        half_state: true,
        tied_embeddings: true,
        expert_width: "intermediate_size",
        dense_width: &["shared_intermediate_size"],
        shared: (1, false),
        ..PLAIN
    },
    Kind { name: "nemotron_h", has_single_parts: true, mlp_matrices: 2, corrects_router: true, ..PLAIN },
    Kind { name: "minimax_m2", qk_norm: QkNorm::Full, expert_width: "intermediate_size", corrects_router: true, ..PLAIN },
    Kind { name: "seed_oss", output_bias: Bias::Never, ..PLAIN },
    Kind {
        name: "llama4_text",
        expert_width: "intermediate_size",
        dense_width: &["intermediate_size_mlp"],
        shared: (1, false),
        full_every: 4,
        ..PLAIN
    },
    Kind {
        name: "afmoe",
        norms: Norms::Both,
        qk_norm: QkNorm::Head,
        gates_attention: true,
        corrects_router: true,
        full_every: 4,
        ..PLAIN
    },
    Kind {
        name: "laguna",
        qk_norm: QkNorm::Head,
        per_head: 0,
        corrects_router: true,
        shared: (1, false),
        full_every: 4,
        heads_divide: false,
        uncounted: &["num_attention_heads_per_layer", "gating"],
        ..PLAIN
    },
    Kind { name: "mimo_v2_flash", corrects_router: true, full_every: 6, ..PLAIN },
    Kind { name: "falcon_h1", beside_attention: true, half_state: true, ..PLAIN },
    Kind { name: "lfm2", tied_embeddings: true, qk_norm: QkNorm::Head, ..PLAIN },
    Kind { name: "lfm2_moe", tied_embeddings: true, qk_norm: QkNorm::Head, corrects_router: true, ..PLAIN },
    Kind { name: "exaone4", norms: Norms::After, qk_norm: QkNorm::Head, full_every: 4, ..PLAIN },
    Kind { name: "apertus", qk_norm: QkNorm::Head, mlp_matrices: 2, ..PLAIN },
];
