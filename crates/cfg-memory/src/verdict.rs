//! Whether a GPU has the memory for what runs on it. An error only where even the lower bound exceeds the card (memory model, sections
//! 1.5 and 3).

use std::fmt;

use crate::{
    inference::Budget,
    trainer::Peak,
    units::{Bytes, Tokens, between},
};

/// What becomes of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is room for the upper bound.
    Fits,
    /// The lower bound fits, the upper one doesn't.
    Tight,
    /// Even the lower bound is more than the card has.
    OutOfMemory,
    /// vLLM refuses to start.
    StartUpFailure,
    /// The card, or what it has to hold, is not known.
    Unknown,
}

impl Verdict {
    /// The word of the JSON report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Tight => "tight",
            Self::OutOfMemory => "out-of-memory",
            Self::StartUpFailure => "start-up-failure",
            Self::Unknown => "unknown",
        }
    }

    /// Whether a run cannot work.
    pub const fn is_error(self) -> bool {
        matches!(self, Self::OutOfMemory | Self::StartUpFailure)
    }
}

/// Why a GPU doesn't simply fit. The order of the variants is that of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// The trainer's weights alone are more than the card has.
    Load {
        /// Weights and context.
        needed: Bytes,
        /// The card.
        total: Bytes,
    },
    /// vLLM finds less free memory than it is to take: `Free memory on device .. on startup is less than desired GPU memory utilization`.
    NotFree {
        /// What is free once the trainer has loaded.
        free: Bytes,
        /// What vLLM is to take.
        requested: Bytes,
    },
    /// Nothing is left for the KV cache: `No available memory for the cache blocks`.
    NoKvCache {
        /// What vLLM is to take.
        requested: Bytes,
        /// Weights, adapters and overhead, at the least if certain.
        needed: Bytes,
        /// Whether this holds at the favourable end of the range as well.
        certain: bool,
    },
    /// The KV cache is smaller than one sequence: `.. KV cache is needed, which is larger than the available ..`.
    SmallKvCache {
        /// Tokens that fit for certain.
        least: Tokens,
        /// Tokens that fit at best.
        most: Tokens,
        /// Tokens of the longest sequence.
        max_model_len: Tokens,
        /// Whether even the most is too little.
        certain: bool,
    },
    /// The trainer's peak, together with all else on the card.
    Peak {
        /// At the least.
        low: Bytes,
        /// At the most.
        high: Bytes,
        /// The card.
        total: Bytes,
        /// Whether the least exceeds the card.
        certain: bool,
    },
}

impl Reason {
    /// What this makes of the GPU.
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Load { .. } | Self::Peak { certain: true, .. } => Verdict::OutOfMemory,
            Self::NotFree { .. } | Self::NoKvCache { certain: true, .. } | Self::SmallKvCache { certain: true, .. } => {
                Verdict::StartUpFailure
            }
            Self::NoKvCache { .. } | Self::SmallKvCache { .. } | Self::Peak { .. } => Verdict::Tight,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Load { needed, total } => {
                write!(formatter, "loading the trainer's weights needs {needed} of {total}")
            }
            Self::NotFree { free, requested } => write!(formatter, "vLLM requests {requested} at startup, but {free} are free"),
            Self::NoKvCache { requested, needed, certain } => {
                let may = if certain { "" } else { "may " };
                let leave = if certain { "leaves" } else { "leave" };
                write!(
                    formatter,
                    "vLLM {may}{leave} nothing for its KV cache: it takes {requested} and needs {needed} for the rest"
                )
            }
            Self::SmallKvCache { least, most, max_model_len, .. } => {
                write!(formatter, "the KV cache holds {least} to {most} tokens, but one sequence may have {max_model_len}")
            }
            Self::Peak { low, high, total, certain: true } => {
                write!(formatter, "the peak is {}, but the card has {total}", between(low, high))
            }
            Self::Peak { low, high, total, certain: false } => {
                write!(formatter, "the peak is {}, and the card has {total}", between(low, high))
            }
        }
    }
}

/// What is known of one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What becomes of it.
    pub verdict: Verdict,
    /// Why, in the order of a run; empty if it fits.
    pub reasons: Vec<Reason>,
    /// Everything on the card at the peak, at the least and at the most.
    pub held: (Bytes, Bytes),
    /// What is on the card before the first step.
    pub idle: Bytes,
    /// What is left at the peak: at the least and at the most; below zero if the card is too small.
    pub margin: (Bytes, Bytes),
}

/// Judges a card of so much memory (as the driver reports it) by what runs on it. `growth` is a factor on the upper bound of the trainer's
/// peak for versions of prime-rl whose measured peaks exceed the model's; 1 elsewhere.
pub fn judge(total: Bytes, trainer: Option<&Peak>, inference: Option<&Budget>, growth: f64) -> Judgement {
    let mut reasons = Vec::new();
    let loaded = trainer.map_or(Bytes::ZERO, |peak| peak.loaded + peak.context);
    if loaded > total {
        reasons.push(Reason::Load { needed: loaded, total });
    }
    if let Some(budget) = inference {
        let free = total - loaded - budget.context;
        if free < budget.requested {
            reasons.push(Reason::NotFree { free: free.max(Bytes::ZERO), requested: budget.requested });
        }
        reasons.extend(kv_cache(budget));
    }
    let served = inference.map_or((Bytes::ZERO, Bytes::ZERO), Budget::held);
    let peak = trainer.map_or((Bytes::ZERO, Bytes::ZERO), |peak| (peak.low + peak.context, peak.high * growth + peak.context));
    let held = (peak.0 + served.0, peak.1 + served.1);
    if held.1 > total {
        reasons.push(Reason::Peak { low: held.0, high: held.1, total, certain: held.0 > total });
    }
    // A run ends at its first error; before one, the worst that may happen is that it is tight.
    let error = reasons.iter().map(|reason| reason.verdict()).find(|verdict| verdict.is_error());
    let verdict = match (error, reasons.first()) {
        (Some(error), _) => error,
        (None, Some(_)) => Verdict::Tight,
        (None, None) => Verdict::Fits,
    };
    Judgement { verdict, reasons, held, idle: loaded + served.0, margin: (total - held.1, total - held.0) }
}

/// What vLLM says of its KV cache.
fn kv_cache(budget: &Budget) -> Option<Reason> {
    let room = budget.kv.room;
    if room.low <= Bytes::ZERO {
        let certain = room.high <= Bytes::ZERO;
        let left = if certain { room.high } else { room.low };
        return Some(Reason::NoKvCache { requested: budget.requested, needed: budget.requested - left, certain });
    }
    let (least, most, max_model_len) = (budget.kv.least(), budget.kv.most(), budget.max_model_len);
    (least < max_model_len).then_some(Reason::SmallKvCache { least, most, max_model_len, certain: most < max_model_len })
}
