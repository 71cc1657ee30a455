//! The LM head and the loss (memory model, section 1.4).

use crate::{
    architecture::Architecture,
    units::{Bytes, Tokens, real},
};

/// How logits and loss are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LmHead {
    /// All logits at once.
    Whole,
    /// A fused head over chunks of this many vocabulary entries (`fused_lm_head_chunk_size`, January to March 2026).
    VocabChunks(u32),
    /// A fused head over chunks of this many tokens (`fused_lm_head_token_chunk_size`, from March 2026 on).
    TokenChunks(Tokens),
}

/// Entries of the vocabulary that a fused head takes at most at a time within a chunk of tokens.
const MAX_ENTRIES: f64 = 8192.0;

/// Bytes of one logit in a fused head: the logits, the softmax and the gradients that live together.
const PER_FUSED_LOGIT: f64 = 22.0;

impl LmHead {
    /// `H`: bytes per token.
    pub(super) fn per_token(self, model: &Architecture) -> Bytes {
        let (vocab, hidden) = (f64::from(model.vocab), f64::from(model.hidden));
        Bytes::new(match self {
            // float32 logits in the model's output, the softmax or scaled logits, and two float32 gradients.
            Self::Whole => 16.0 * vocab,
            Self::VocabChunks(chunk) => PER_FUSED_LOGIT * f64::from(chunk).min(vocab) + 10.0 * hidden,
            Self::TokenChunks(_) => 10.0 * hidden,
        })
    }

    /// What one chunk needs of a micro-batch with so many tokens: 0.2 GiB for chunks of 1024 tokens, 1.4 GiB for 8192.
    pub(super) fn chunk(self, model: &Architecture, tokens: f64) -> Bytes {
        match self {
            Self::Whole | Self::VocabChunks(_) => Bytes::ZERO,
            Self::TokenChunks(chunk) => {
                Bytes::new(PER_FUSED_LOGIT * f64::from(model.vocab).min(MAX_ENTRIES) * real(chunk.0).min(tokens))
            }
        }
    }
}
