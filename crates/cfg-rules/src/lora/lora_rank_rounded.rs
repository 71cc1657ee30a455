//! vLLM reserves room only for a few adapter ranks; prime-rl uses the next larger one.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

/// The ranks of vLLM in prime-rl's list, which does not include 1.
const RANKS: [i64; 8] = [8, 16, 32, 64, 128, 256, 320, 512];

pub(crate) static RULE: Rule = Rule {
    code: &codes::LORA_RANK_ROUNDED,
    kinds: &[Kind::Rl],
    versions: VersionRange::with(Behaviour::AdapterIsNamed),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let rank = super::adapters(cx)?.value.rank.fact()?;
    // Nothing is rounded if this server does not serve adapters.
    cx.plan.inference.as_ref().filter(|inference| inference.max_lora_rank.exists())?;
    let served = RANKS.into_iter().find(|&served| served >= rank.value)?;
    if served == rank.value {
        return None;
    }
    let repair = Repair::possible(format!("set the rank to {served}")).set(rank.written_key(), served);
    Some(
        Finding::new(format!("vLLM reserves the memory of rank {served} for an adapter of rank {}", rank.value))
            .on(rank)
            .label(format!("{} here", rank.value))
            .help(format!("rank {served} costs the inference server the same"))
            .repair(repair),
    )
}
