//! The llm-d router weighs servers by its own scorers; prime-rl refuses names that llm-d does not have.

use crate::native::{Failure, ValidatorCtx};

const KNOWN: [&str; 11] = [
    "active-request-scorer",
    "kv-cache-utilization-scorer",
    "latency-scorer",
    "load-aware-scorer",
    "lora-affinity-scorer",
    "precise-prefix-cache-scorer",
    "prefix-cache-scorer",
    "queue-scorer",
    "running-requests-size-scorer",
    "session-affinity-scorer",
    "token-load-scorer",
];

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    for place in ["scorers", "prefill_scorer_overrides", "decode_scorer_overrides"] {
        let unknown: Vec<String> = cx.keys(place).into_iter().filter(|name| !KNOWN.contains(&name.as_str())).collect();
        if !unknown.is_empty() {
            let message = format!("`{place}` has {}, which llm-d does not support", unknown.join(", "));
            return Err(Failure::value(message, &[place]).help(format!("llm-d supports {}", KNOWN.join(", "))));
        }
    }
    Ok(())
}
