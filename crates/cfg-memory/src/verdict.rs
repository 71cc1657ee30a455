//! Whether a GPU has enough memory for its processes. It is an error only if even the lower bound exceeds the card (memory model, sections
//! 1.5 and 3).

use std::fmt;

use crate::{
    inference::Budget,
    trainer::Peak,
    units::{Bytes, Tokens, between},
};

/// The verdict on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The card is large enough for the upper bound.
    Fits,
    /// The card is large enough for the lower bound, but not for the upper one.
    Tight,
    /// Even the lower bound exceeds the card.
    OutOfMemory,
    /// vLLM refuses to start.
    StartUpFailure,
    /// The card, or the memory of its processes, is not known.
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

    /// Whether a run can't work.
    pub const fn is_error(self) -> bool {
        matches!(self, Self::OutOfMemory | Self::StartUpFailure)
    }
}

/// Why a GPU doesn't simply fit. The variants are in the order of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// The trainer's weights alone exceed the card.
    Load {
        /// Weights and context.
        needed: Bytes,
        /// The card.
        total: Bytes,
    },
    /// vLLM finds less free memory than it requests: `Free memory on device .. on startup is less than desired GPU memory utilization`.
    NotFree {
        /// The free memory after the trainer has loaded.
        free: Bytes,
        /// The memory that vLLM requests.
        requested: Bytes,
    },
    /// Nothing is left for the KV cache: `No available memory for the cache blocks`.
    NoKvCache {
        /// The memory that vLLM requests.
        requested: Bytes,
        /// Weights, adapters and overhead; the lower bound if `certain`.
        needed: Bytes,
        /// Whether it is also true at the favourable end of the range.
        certain: bool,
    },
    /// The KV cache is smaller than one sequence: `.. KV cache is needed, which is larger than the available ..`.
    SmallKvCache {
        /// Tokens that certainly fit.
        least: Tokens,
        /// The largest number of tokens that may fit.
        most: Tokens,
        /// Tokens of the longest sequence.
        max_model_len: Tokens,
        /// Whether even the largest number is too small.
        certain: bool,
    },
    /// The trainer's peak, together with everything else on the card.
    Peak {
        /// The lower bound.
        low: Bytes,
        /// The upper bound.
        high: Bytes,
        /// The card.
        total: Bytes,
        /// Whether the lower bound exceeds the card.
        certain: bool,
    },
}

impl Reason {
    /// Its verdict on the GPU.
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
                let have = if certain { "has" } else { "have" };
                write!(
                    formatter,
                    "vLLM {may}{have} no room for its KV cache: it takes {requested}, and everything else needs {needed}"
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

/// The judgement of one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The reasons, in the order of a run; empty if it fits.
    pub reasons: Vec<Reason>,
    /// Everything on the card at the peak: the lower and the upper bound.
    pub held: (Bytes, Bytes),
    /// The memory on the card before the first step.
    pub idle: Bytes,
    /// The free memory at the peak: the lower and the upper bound; negative if the card is too small.
    pub margin: (Bytes, Bytes),
}

/// Judges a card with this much memory (as the driver reports it) by its processes.
pub fn judge(total: Bytes, trainer: Option<&Peak>, inference: Option<&Budget>) -> Judgement {
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
    let peak = trainer.map_or((Bytes::ZERO, Bytes::ZERO), |peak| (peak.low + peak.context, peak.high + peak.context));
    let held = (peak.0 + served.0, peak.1 + served.1);
    if held.1 > total {
        reasons.push(Reason::Peak { low: held.0, high: held.1, total, certain: held.0 > total });
    }
    // A run ends at its first error; without an error, the worst verdict is tight.
    let error = reasons.iter().map(|reason| reason.verdict()).find(|verdict| verdict.is_error());
    let verdict = match (error, reasons.first()) {
        (Some(error), _) => error,
        (None, Some(_)) => Verdict::Tight,
        (None, None) => Verdict::Fits,
    };
    Judgement { verdict, reasons, held, idle: loaded + served.0, margin: (total - held.1, total - held.0) }
}

/// vLLM's error about its KV cache.
fn kv_cache(budget: &Budget) -> Option<Reason> {
    let room = budget.kv.room;
    if room.low <= Bytes::ZERO {
        let certain = room.high <= Bytes::ZERO;
        let left = if certain { room.high } else { room.low };
        return Some(Reason::NoKvCache { requested: budget.requested, needed: budget.requested - left, certain });
    }
    let (least, most) = (budget.kv.longest(room.low), budget.kv.longest(room.high));
    let max_model_len = budget.max_model_len;
    (least < max_model_len).then_some(Reason::SmallKvCache { least, most, max_model_len, certain: most < max_model_len })
}
