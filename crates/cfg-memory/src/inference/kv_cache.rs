//! The KV cache: bytes per token, and how many tokens fit (memory model, section 3).
//!
//! vLLM puts layers of the same kind into groups of the same number of layers, and gives all layers pages of one size. A block is one page in each
//! layer of a group: all groups take their blocks from one pool. A group with attention to all tokens needs a block for each piece of a sequence,
//! one with a window those of the window and of the steps in flight, and one with recurrent layers one block with the states, however long
//! the sequence is.

use super::{Inference, Range};
use crate::{
    architecture::{Architecture, Compressed, Mla, RecurrentKind},
    prime_rl::Vllm,
    units::{Bytes, Tokens},
};

/// Tokens of one block of the cache; those of layers with smaller pages, or beside larger states, are multiples.
const BLOCK: u64 = 16;

/// Bytes of an index's key and its scale, for each channel: 8 bits, and a float32 for each 128 channels.
const INDEX: f64 = 1.0 + 4.0 / 128.0;

/// Bytes of an entry of compressed keys and values in each channel without position, in fp8; the part with position is in bf16, and scales have 8 bytes.
/// vLLM has no other format for them, whatever `kv_cache_dtype` says.
const COMPRESSED_SCALES: f64 = 8.0;

/// Bytes of a key of their index: 128 channels in fp8, with a scale.
const COMPRESSED_INDEX: f64 = 128.0 * INDEX;

/// Tokens of one block of the cache of compressed keys and values.
const COMPRESSED_BLOCK: u64 = 256;

/// From this version on, vLLM logs how many tokens all sequences of `max_model_len` have that fit at the same time; before, the tokens that fit if
/// every group kept all of them.
const LOGS_SEQUENCES: Vllm = Vllm::new(0, 21);

/// From this version on, the tokens of two steps may be in flight, for which layers with a window keep blocks (vLLM's #47728).
const TWO_STEPS: Vllm = Vllm::new(0, 26);

/// From this version on, kinds of layer whose numbers differ by less than half form one group each, before by less than a quarter.
const WIDE_GROUPS: Vllm = Vllm::new(0, 20);

/// Memory for keys and values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KvCache {
    /// Bytes of one token on one GPU, in every group of layers.
    pub per_token: Bytes,
    /// The rest of the budget.
    pub room: Range,
    sizes: Sizes,
}

/// The blocks of a model on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    /// Bytes of a block: a page in each layer of a group.
    block: f64,
    /// Groups of layers that keep all tokens, and tokens of one of their blocks.
    full: (u64, u64),
    /// Groups of layers with a window, and tokens of one of their blocks.
    windowed: (u64, u64),
    /// Tokens that these keep at most: the window and the tokens in flight.
    window: u64,
    /// Blocks of a sequence for the states of recurrent layers.
    states: u64,
    /// Groups of recurrent layers.
    recurrent: u64,
    /// Bytes that a token adds to a long sequence, without padding.
    growth: Bytes,
    /// The length for which the number of tokens is logged; `None` if it doesn't depend on one.
    logged_for: Option<u64>,
}

impl KvCache {
    pub(super) fn new(sizes: Sizes, room: Range) -> Self {
        let (groups, tokens) = (sizes.groups(), sizes.smallest());
        Self { per_token: Bytes::new(sizes.block * whole(groups) / whole(tokens)), room, sizes }
    }

    /// Tokens that fit into an amount of memory, as vLLM logs them.
    pub fn tokens(&self, room: Bytes) -> Tokens {
        let (blocks, sizes) = (self.sizes.blocks(room), &self.sizes);
        let Some(length) = sizes.logged_for else {
            return Tokens((blocks / sizes.groups().max(1)).saturating_mul(sizes.smallest()));
        };
        let needed = u128::from(sizes.needed(length).max(1));
        Tokens(u64::try_from(u128::from(blocks) * u128::from(length) / needed).unwrap_or(u64::MAX))
    }

    /// The longest sequence that fits into an amount of memory.
    pub fn longest(&self, room: Bytes) -> Tokens {
        let blocks = self.sizes.blocks(room);
        let fits = |pieces: u64| self.sizes.needed(pieces.saturating_mul(BLOCK)) <= blocks;
        if blocks == 0 || !fits(1) {
            return Tokens(0);
        }
        // Without layers that keep all tokens, a sequence needs no more from some length on.
        let most = (u64::MAX / BLOCK).min(blocks.saturating_mul(self.sizes.full.1.max(self.sizes.windowed.1)));
        if self.sizes.full.0 == 0 && fits(u64::MAX / BLOCK) {
            return Tokens(u64::MAX);
        }
        let (mut good, mut bad) = (1, most.max(1).saturating_add(1));
        while good + 1 < bad {
            let middle = good + (bad - good) / 2;
            if fits(middle) { good = middle } else { bad = middle }
        }
        Tokens(good.saturating_mul(BLOCK))
    }

    /// The memory that one sequence of this length needs.
    pub fn needed(&self, tokens: Tokens) -> Bytes {
        Bytes::new(self.sizes.block * whole(self.sizes.needed(tokens.0)))
    }

    /// Sequences of this length that fit into an amount of memory at the same time.
    pub fn sequences(&self, room: Bytes, tokens: Tokens) -> u64 {
        self.sizes.blocks(room).checked_div(self.sizes.needed(tokens.0)).unwrap_or(0)
    }

    /// Bytes that a token of a long sequence adds.
    pub const fn growth(&self) -> Bytes {
        self.sizes.growth
    }

    /// Whether some layers don't keep all tokens.
    pub const fn is_hybrid(&self) -> bool {
        self.sizes.windowed.0 > 0 || self.sizes.recurrent > 0
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

impl Sizes {
    /// The sizes for a server whose steps have this number of tokens, and whose longest sequence is this one.
    pub(super) fn of(inference: &Inference, model: &Architecture, step: Tokens, longest: Tokens) -> Self {
        if let Some((mla, compressed)) = model.mla.and_then(|mla| Some((mla, mla.compressed?))) {
            return Self::compressed(inference, model.layers, (mla, compressed), step, longest);
        }
        let shared = f64::from(model.shared_kv_layers.min(model.layers));
        let all = f64::from(model.attention_layers() + model.window_layers()).max(1.0);
        // Layers that share keys and values are of both kinds alike.
        let own = |layers: u32| Bytes::new((f64::from(layers) * (1.0 - shared / all)).round()).rounded();
        let drafting = u64::from(inference.draft_layers(model));
        let (full, windowed) = (own(model.attention_layers()) + drafting, own(model.window_layers()));
        let of_window = if windowed > 0 { window_layer(inference, model) } else { 0.0 };
        let of_full = if full > 0 { full_layer(inference, model) } else { 0.0 };
        let (full, windowed, of_full, of_window) = if inference.frees_windows {
            (full, windowed, of_full, of_window)
        } else {
            (full + windowed, 0, of_full.max(of_window), 0.0)
        };
        let recurrent = u64::from(model.recurrent_layers());
        let state = if recurrent > 0 { state(inference, model) } else { 0.0 };
        let largest = of_full.max(of_window);
        // A page holds the state of a recurrent layer, or 16 tokens of the layer with the largest ones.
        let pieces = if largest > 0.0 { Bytes::new((state / (largest * whole(BLOCK))).ceil()).rounded().max(1) } else { 1 };
        let page = if largest > 0.0 { largest * whole(BLOCK * pieces) } else { state };
        let tokens = |bytes: f64| {
            if bytes > 0.0 { Bytes::new((page / bytes / whole(BLOCK)).floor()).rounded().max(1) * BLOCK } else { BLOCK }
        };
        let size = group(inference.vllm, [full, windowed, recurrent]);
        let groups = |layers: u64| layers.div_ceil(size.max(1));
        let steps = if inference.vllm >= TWO_STEPS { 2 } else { 1 };
        // With cached prompts, the states at the last boundary of a block are kept, too, and those behind each drafted token.
        let kept =
            if inference.prefix_caching { 2 } else { 1 } + if drafting > 0 { u64::from(inference.draft_tokens) } else { 0 };
        let is_hybrid = windowed > 0 || recurrent > 0;
        Self {
            block: page * whole(size),
            full: (groups(full), tokens(of_full)),
            windowed: (groups(windowed), tokens(of_window)),
            window: model.window.map_or(0, |window| window.size.0.saturating_sub(1).saturating_add(step.0.saturating_mul(steps))),
            states: groups(recurrent) * kept,
            recurrent: groups(recurrent),
            growth: Bytes::new(of_full * whole(full)),
            logged_for: (is_hybrid && inference.vllm >= LOGS_SEQUENCES).then_some(longest.0.max(1)),
        }
    }

    /// The sizes for compressed keys and values: entries for several tokens of the whole sequence, and those of the last tokens in each layer. vLLM rounds the
    /// pages of both to a few sizes, which isn't counted.
    fn compressed(
        inference: &Inference,
        layers: u32,
        (mla, compressed): (Mla, Compressed),
        step: Tokens,
        longest: Tokens,
    ) -> Self {
        let entry = f64::from(mla.kv_rank) + 2.0 * f64::from(mla.qk_rope) + COMPRESSED_SCALES;
        let token =
            f64::from(compressed.quarter) * (entry + COMPRESSED_INDEX) / 4.0 + f64::from(compressed.sparse) * entry / 128.0;
        let block = token * whole(COMPRESSED_BLOCK);
        let of_window = f64::from(layers) * entry;
        let steps = if inference.vllm >= TWO_STEPS { 2 } else { 1 };
        Self {
            block,
            full: (1, COMPRESSED_BLOCK),
            windowed: (1, Bytes::new((block / of_window.max(1.0)).floor()).rounded().max(1)),
            window: u64::from(compressed.window).saturating_add(step.0.saturating_mul(steps)),
            states: 0,
            recurrent: 0,
            growth: Bytes::new(token),
            logged_for: Some(longest.0.max(1)),
        }
    }

    /// Whole blocks in an amount of memory.
    fn blocks(&self, room: Bytes) -> u64 {
        if self.block > 0.0 { Bytes::new((room.as_f64() / self.block).floor()).rounded() } else { 0 }
    }

    /// Blocks that a sequence of this length needs.
    fn needed(&self, tokens: u64) -> u64 {
        // A window may begin within a block.
        let windowed = if tokens > 0 { tokens.min(self.window).div_ceil(self.windowed.1) + 1 } else { 0 };
        let full = tokens.div_ceil(self.full.1).saturating_mul(self.full.0);
        full.saturating_add(windowed.saturating_mul(self.windowed.0)).saturating_add(self.states)
    }

    /// All groups.
    const fn groups(&self) -> u64 {
        self.full.0 + self.windowed.0 + self.recurrent
    }

    /// Tokens of the smallest block.
    fn smallest(&self) -> u64 {
        let of = |(groups, tokens): (u64, u64)| if groups > 0 { tokens } else { u64::MAX };
        match of(self.full).min(of(self.windowed)) {
            u64::MAX => BLOCK,
            tokens => tokens,
        }
    }
}

/// The layers of a group: the smallest number of layers of a kind, or the largest if they are almost the same.
fn group(vllm: Vllm, kinds: [u64; 3]) -> u64 {
    let present = || kinds.into_iter().filter(|layers| *layers > 0);
    let (least, most) = (present().min().unwrap_or(0), present().max().unwrap_or(0));
    let almost = if vllm >= WIDE_GROUPS { 1.5 } else { 1.25 };
    if whole(most) < whole(least) * almost { most } else { least }
}

/// A count, which is far below 2^53, or so large that its last digits don't matter.
#[expect(clippy::cast_precision_loss, reason = "see above")]
const fn whole(count: u64) -> f64 {
    count as f64
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

/// Bytes of the state of a recurrent layer: the last inputs of the convolution in bf16, and the state itself, mostly in float32.
fn state(inference: &Inference, model: &Architecture) -> f64 {
    let Some(recurrent) = model.recurrent else { return 0.0 };
    let drafted = if inference.draft_layers(model) > 0 { inference.draft_tokens } else { 0 };
    let kept = f64::from(recurrent.conv.saturating_sub(1).saturating_add(drafted)) * 2.0;
    let real = f64::from;
    let width = f64::from(recurrent.state_bytes);
    let bytes = match recurrent.kind {
        RecurrentKind::Delta { key_heads, value_heads, key_dim, value_dim } => {
            let channels = 2.0 * real(key_heads) * real(key_dim) + real(value_heads) * real(value_dim);
            channels * kept + width * real(value_heads) * real(key_dim) * real(value_dim)
        }
        RecurrentKind::Mamba { heads, head_dim, groups, state } => {
            let inner = real(heads) * real(head_dim);
            (inner + 2.0 * real(groups) * real(state)) * kept + width * inner * real(state)
        }
        RecurrentKind::Convolution => real(model.hidden) * kept,
    };
    bytes / real(inference.tensor_parallel.max(1))
}
