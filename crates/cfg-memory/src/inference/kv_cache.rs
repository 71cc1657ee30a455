//! The KV cache: bytes per token, and how many tokens fit (memory model, section 3).
//!
//! vLLM gives all layers blocks of one size and puts layers of the same kind into groups of the same number of layers; layers with a window only
//! keep the blocks of the window, and recurrent layers one block with their state. Its log counts the tokens as if every group kept all of
//! them; what one sequence needs is less.

use super::{Inference, Range};
use crate::{
    architecture::{Architecture, RecurrentKind},
    units::{Bytes, Tokens},
};

/// Tokens of one block of the cache.
const BLOCK: u32 = 16;

/// Bytes of an index's key and its scale, for each channel: 8 bits, and a float32 for each 128 channels.
const INDEX: f64 = 1.0 + 4.0 / 128.0;

/// Memory for keys and values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KvCache {
    /// Bytes of one token on one GPU, as vLLM counts them for the size that it logs: in every group of layers.
    pub per_token: Bytes,
    /// The rest of the budget.
    pub room: Range,
    sizes: Sizes,
}

/// What the layers of a model keep of a sequence on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    /// Bytes of a token in all groups.
    logged: Bytes,
    /// Bytes of a token in the layers that keep all tokens.
    full: Bytes,
    /// Bytes of a token in the layers that keep a window.
    windowed: Bytes,
    /// Tokens that these keep at most: the window and the tokens of one step.
    window: Tokens,
    /// Bytes of a sequence, however long it is: the states of recurrent layers.
    states: Bytes,
}

impl KvCache {
    pub(super) const fn new(sizes: Sizes, room: Range) -> Self {
        Self { per_token: sizes.logged, room, sizes }
    }

    /// Tokens that fit into an amount of memory, in whole blocks, as vLLM logs them.
    pub fn tokens(&self, room: Bytes) -> Tokens {
        blocks(room, self.per_token)
    }

    /// The longest sequence that fits into an amount of memory.
    pub fn longest(&self, room: Bytes) -> Tokens {
        let Sizes { full, windowed, window, states, .. } = self.sizes;
        let rest = room - states;
        let short = blocks(rest, full + windowed);
        if short < window || windowed <= Bytes::ZERO {
            return short;
        }
        if full <= Bytes::ZERO {
            return Tokens(u64::MAX);
        }
        blocks(rest - windowed * window, full).max(short.min(window))
    }

    /// The memory that one sequence of this length needs.
    pub fn needed(&self, tokens: Tokens) -> Bytes {
        let Sizes { full, windowed, window, states, .. } = self.sizes;
        full * tokens + windowed * tokens.min(window) + states
    }

    /// Sequences of this length that fit into an amount of memory at the same time.
    pub fn sequences(&self, room: Bytes, tokens: Tokens) -> u64 {
        let needed = self.needed(tokens).as_f64();
        if needed > 0.0 { Bytes::new((room.as_f64() / needed).floor()).rounded() } else { 0 }
    }

    /// Bytes that a token of a long sequence adds.
    pub const fn growth(&self) -> Bytes {
        self.sizes.full
    }

    /// Whether some layers don't keep all tokens.
    pub fn is_hybrid(&self) -> bool {
        self.sizes.windowed > Bytes::ZERO || self.sizes.states > Bytes::ZERO
    }

    /// Tokens that are likely to fit.
    pub fn expected(&self) -> Tokens {
        self.tokens(self.room.expected)
    }

    /// Tokens that certainly fit.
    pub fn least(&self) -> Tokens {
        self.tokens(self.room.low)
    }

    /// The largest number of tokens that may fit.
    pub fn most(&self) -> Tokens {
        self.tokens(self.room.high)
    }
}

/// Tokens in whole blocks.
fn blocks(room: Bytes, per_token: Bytes) -> Tokens {
    if per_token <= Bytes::ZERO {
        return Tokens(0);
    }
    let block = per_token.as_f64() * f64::from(BLOCK);
    let blocks = Bytes::new((room.as_f64() / block).floor()).rounded();
    Tokens(blocks.saturating_mul(BLOCK.into()))
}

impl Sizes {
    /// The sizes for a server whose steps have this number of tokens.
    pub(super) fn of(inference: &Inference, model: &Architecture, step: Tokens) -> Self {
        let shared = f64::from(model.shared_kv_layers.min(model.layers));
        let all = f64::from(model.attention_layers() + model.window_layers()).max(1.0);
        // Layers that share keys and values are of both kinds alike.
        let own = |layers: u32| (f64::from(layers) * (1.0 - shared / all)).round();
        let (full, windowed) = (own(model.attention_layers()), own(model.window_layers()));
        let recurrent = f64::from(model.recurrent_layers());
        let (of_full, of_window) = (full_layer(inference, model), window_layer(inference, model));
        let page = if windowed > 0.0 && full > 0.0 { of_full.max(of_window) } else { of_full.max(of_window * windowed.min(1.0)) };
        // A state takes whole blocks of an attention layer.
        let state = state(inference, model);
        let states = if page > 0.0 && recurrent > 0.0 { (state / page).ceil() * page * recurrent } else { state * recurrent };
        Self {
            logged: Bytes::new(page * grouped([full, windowed, recurrent])),
            full: Bytes::new(of_full * full),
            windowed: Bytes::new(of_window * windowed),
            window: Tokens(
                model.window.map_or(0, |window| window.size.0.saturating_sub(1).saturating_add(step.0 + u64::from(BLOCK))),
            ),
            states: Bytes::new(states),
        }
    }
}

/// Layers of all groups together: the groups have the size of the smallest kind, and the last group of a kind is filled up; kinds of almost the
/// same size form one group each.
fn grouped(kinds: [f64; 3]) -> f64 {
    let kinds: Vec<f64> = kinds.into_iter().filter(|layers| *layers > 0.0).collect();
    let least = kinds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = kinds.iter().copied().fold(0.0, f64::max);
    let size = if most < least * 1.25 { most } else { least };
    if size > 0.0 && size.is_finite() { kinds.into_iter().map(|layers| (layers / size).ceil() * size).sum() } else { 0.0 }
}

/// Bytes of a token in a layer with attention to all tokens: keys and values; a latent and the key's positional part with MLA, which tensor
/// parallelism doesn't share.
fn full_layer(inference: &Inference, model: &Architecture) -> f64 {
    let dtype = f64::from(inference.kv_bytes);
    match model.mla {
        Some(mla) => {
            let index = mla.index.map_or(0.0, |index| f64::from(index.dim) * INDEX);
            (f64::from(mla.kv_rank) + f64::from(mla.qk_rope)) * dtype + index
        }
        None => {
            heads(inference, model.kv_heads)
                * (f64::from(model.head_dim) + f64::from(model.value_dim.unwrap_or(model.head_dim)))
                * dtype
        }
    }
}

/// Bytes of a token in a layer with a window.
fn window_layer(inference: &Inference, model: &Architecture) -> f64 {
    let Some(window) = model.window else { return 0.0 };
    if model.mla.is_some() {
        return full_layer(inference, model);
    }
    let head_dim = window.head_dim.unwrap_or(model.head_dim);
    let channels = f64::from(head_dim) + f64::from(model.value_dim.unwrap_or(head_dim));
    heads(inference, window.kv_heads.unwrap_or(model.kv_heads)) * channels * f64::from(inference.kv_bytes)
}

/// Key and value heads on one GPU: each has at least one, so that heads are copied if there are more GPUs.
fn heads(inference: &Inference, kv_heads: u32) -> f64 {
    f64::from((kv_heads / inference.tensor_parallel.max(1)).max(1))
}

/// Bytes of the state of a recurrent layer: the last inputs of the convolution in bf16, and the state in float32 for Mamba, else in bf16.
fn state(inference: &Inference, model: &Architecture) -> f64 {
    let Some(recurrent) = model.recurrent else { return 0.0 };
    let kept = f64::from(recurrent.conv.saturating_sub(1)) * 2.0;
    let real = f64::from;
    let bytes = match recurrent.kind {
        RecurrentKind::Delta { key_heads, value_heads, key_dim, value_dim } => {
            let channels = 2.0 * real(key_heads) * real(key_dim) + real(value_heads) * real(value_dim);
            channels * kept + 2.0 * real(value_heads) * real(key_dim) * real(value_dim)
        }
        RecurrentKind::Mamba { heads, head_dim, groups, state } => {
            let inner = real(heads) * real(head_dim);
            (inner + 2.0 * real(groups) * real(state)) * kept + 4.0 * inner * real(state)
        }
        RecurrentKind::Convolution => real(model.hidden) * kept,
    };
    bytes / real(inference.tensor_parallel.max(1))
}
