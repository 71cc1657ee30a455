//! The time that the trainer needs for an optimizer step.

use crate::prime_rl::Date;

use crate::duration::{
    table::{Card, EXCEPTIONS, Exception, Fit, Kernel},
    work::Work,
};

/// The chunked LM head of RL recomputes its logits in the backward pass: 8 operations for each weight instead of 6, or 6 instead of 4.
const CHUNKED_FULL: f64 = 8.0 / 6.0;
const CHUNKED_LORA: f64 = 6.0 / 4.0;

/// Seconds of an optimizer step: the computation of a GPU, or the communication between the GPUs if that takes longer.
pub fn seconds(work: &Work, card: &Card, kernel: Kernel, fit: &Fit) -> f64 {
    let kernel = kernel.on(card.generation);
    let mut seconds = work.dense / (card.bf16 * fit.dense)
        + work.experts / (card.bf16 * fit.experts)
        + work.attention / (card.bf16 * fit.attention(kernel, card.generation))
        + fit.channels * work.channels / card.memory
        + fit.dispatch * work.dispatched / card.memory;
    if work.is_sft {
        seconds += work.head / (card.bf16 * fit.dense);
    } else {
        let again = if work.is_lora { CHUNKED_LORA } else { CHUNKED_FULL };
        seconds += work.head * again / (card.fp32 * fit.head);
    }
    seconds += fit.logits * work.logits / card.memory;
    if work.is_lora {
        seconds += fit.adapters * work.channels / card.memory + fit.adapter_launch * work.layers;
    }
    seconds.max(work.exchanged / card.link)
}

/// The known exception for runs like this one that the formula does not cover.
pub fn exception(work: &Work, card: &Card, prime_rl: Date) -> Option<&'static Exception> {
    let is_one = |exception: &&Exception| exception.generation == card.generation && prime_rl < exception.until;
    EXCEPTIONS.iter().find(is_one).filter(|_| work.expert_layers > 0.0)
}
