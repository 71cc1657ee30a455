//! vLLM takes a share of the whole card and refuses to start if less is free, as on a card on which the trainer has already loaded.

use cfg_diag::codes;
use cfg_memory::verdict::Reason;
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    assessed::{Assessed, TroubleKind},
    remedy::advise,
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_MEMORY_TO_START,
    kinds: &[Kind::Rl, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (assessed, trouble) = Assessed::trouble(cx, TroubleKind::NotFree)?;
    let Reason::NotFree { free, requested } = trouble.reason else { return None };
    let utilization = cx.plan.inference.as_ref()?.gpu_memory_utilization.fact()?;
    let share = utilization.value;
    let key = utilization.key.name();
    let who = if trouble.gpu.trains { "once the trainer is loaded" } else { "next to its own CUDA context" };
    let is_default = if utilization.is_default() { ", the default" } else { "" };
    let message = format!(
        "vLLM requests {requested} of the {} (`{key}` {share}{is_default}), but {free} are free {who}: it refuses to start",
        assessed.card
    );
    let mut finding = Finding::new(message).on(utilization).label(format!("{requested} here"));
    if let Some(ids) = cx.plan.run.gpus.inference_ids.fact().filter(|_| trouble.gpu.trains) {
        finding = finding.with(ids, "on the trainer's GPU");
    }
    if let Some(peak) = assessed.assessment.peak.as_ref().filter(|_| trouble.gpu.trains)
        && let Some(model) = cx.plan.trainer.as_ref().and_then(|trainer| trainer.model.name.fact())
    {
        finding = finding.with(model, format!("{} of weights and {} of CUDA context in the trainer", peak.loaded, peak.context));
    }
    if let Some(stated) = assessed.stated {
        finding = finding.related(stated, "the hardware");
    }
    let symptom = "its log ends with `Free memory on device .. on startup is less than desired GPU memory utilization`";
    Some(advise(finding, cx, assessed, trouble, symptom, None))
}
