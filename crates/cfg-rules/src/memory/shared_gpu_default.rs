//! vLLM takes nine tenths of a GPU that the trainer uses too, and the card is not known.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, assessed::Assessed};

pub(crate) static RULE: Rule = Rule {
    code: &codes::SHARED_GPU_DEFAULT,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

/// From this share on, the trainer gets a tenth at most.
const LARGE_SHARE: f64 = 0.9;

/// A share that leaves about half to the trainer.
const HALF: f64 = 0.45;

fn check(cx: &Context<'_>) -> Option<Finding> {
    let utilization = cx.plan.inference.as_ref()?.gpu_memory_utilization.fact()?;
    if utilization.value < LARGE_SHARE
        || cx.plan.shared_gpus().is_empty()
        || Assessed::of(cx).is_some_and(|assessed| assessed.run.gpu.is_some())
    {
        return None;
    }
    let (key, share) = (utilization.key.to_string(), utilization.value);
    let name = utilization.key.name();
    let is_default = if utilization.is_default() { ", the default," } else { "" };
    let message = format!("trainer and vLLM share a GPU, but `{name}` {share}{is_default} gives vLLM all but a tenth of it");
    let mut finding = Finding::new(message).on(utilization);
    if let Some(ids) = cx.plan.run.gpus.inference_ids.fact() {
        finding = finding.with(ids, "vLLM here");
    }
    if let Some(ids) = cx.plan.run.gpus.trainer_ids.fact() {
        finding = finding.with(ids, "the trainer here");
    }
    let title = format!("set `{key}` to {HALF}");
    Some(
        finding
            .help(
                "the trainer loads first, and vLLM fails with `Free memory on device .. on startup is less than desired GPU \
                 memory utilization`; set `hardware` to have the share computed, or start with 0.45",
            )
            .repair(Repair::possible(title).set(&key, HALF)),
    )
}
