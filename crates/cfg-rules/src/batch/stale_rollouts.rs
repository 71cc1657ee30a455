//! A limit of 0 for the age of rollouts: each update of the weights makes all of those in progress too old.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

/// Algorithms, and earlier modes, whose rollouts are sampled from a model that is not trained: they do not age.
const FROZEN: [&str; 3] = ["sft", "sft_distill", "sft_distillation"];

pub(crate) static RULE: Rule = Rule {
    code: &codes::STALE_ROLLOUTS,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::with(Behaviour::RolloutsAgeFirst),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let orchestrator = cx.plan.orchestrator.as_ref()?;
    let limit = orchestrator.max_off_policy_steps.fact().filter(|limit| limit.value == 0 && limit.is_written())?;
    let is_frozen = |way: &&str| FROZEN.contains(way);
    let of_all = || [orchestrator.algorithm.text(), orchestrator.training_mode.text()].iter().flatten().any(is_frozen);
    let of_each = super::algorithms(cx);
    let are_frozen = if of_each.is_empty() { of_all() } else { of_each.iter().all(is_frozen) };
    if are_frozen {
        return None;
    }
    let key = limit.written_key();
    let message =
        format!("`{key}` is 0: every update of the weights cancels all training rollouts in progress, finished turns included");
    let help = "rollouts start while the trainer works, so most of them never finish: 1 keeps those that began one update earlier; the default is 8";
    let repair = Repair::possible(format!("set `{key}` to 1")).set(key, 1_i64);
    Some(Finding::new(message).on(limit).label("no rollout outlives an update").help(help).repair(repair))
}
