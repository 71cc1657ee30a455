//! The KV cache: bytes per token, and how many tokens fit (memory model, section 3).

use super::{Inference, Range};
use crate::{
    architecture::Architecture,
    units::{Bytes, Tokens},
};

/// Tokens of one block of the cache.
const BLOCK: u32 = 16;

/// Memory for keys and values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KvCache {
    /// Bytes of one token on one GPU. Layers with a sliding window need less; they are counted in full.
    pub per_token: Bytes,
    /// The rest of the budget.
    pub room: Range,
}

impl KvCache {
    pub(super) const fn new(per_token: Bytes, room: Range) -> Self {
        Self { per_token, room }
    }

    /// Tokens that fit into an amount of memory, in whole blocks.
    pub fn tokens(&self, room: Bytes) -> Tokens {
        if self.per_token <= Bytes::ZERO {
            return Tokens(0);
        }
        let block = self.per_token.as_f64() * f64::from(BLOCK);
        let blocks = Bytes::new((room.as_f64() / block).floor()).rounded();
        Tokens(blocks.saturating_mul(BLOCK.into()))
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

/// Keys and values of all layers for one token; a latent and the key's positional part with MLA, which tensor parallelism doesn't share.
pub(super) fn per_token(inference: &Inference, model: &Architecture) -> Bytes {
    let dtype = f64::from(inference.kv_bytes);
    let layers = f64::from(model.layers);
    match model.mla {
        Some(mla) => Bytes::new((f64::from(mla.kv_rank) + f64::from(mla.qk_rope)) * dtype * layers),
        None => {
            let heads = (model.kv_heads / inference.tensor_parallel.max(1)).max(1);
            Bytes::new(2.0 * f64::from(heads) * f64::from(model.head_dim) * dtype * layers)
        }
    }
}
