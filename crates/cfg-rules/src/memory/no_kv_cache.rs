//! vLLM's share is used up before the KV cache gets any: `No available memory for the cache blocks`.

use cfg_diag::{Severity, codes};
use cfg_memory::verdict::Reason;
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    assessed::{Assessed, TroubleKind},
    remedy::advise,
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NO_KV_CACHE,
    kinds: &[Kind::Rl, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (assessed, trouble) = Assessed::trouble(cx, TroubleKind::NoKvCache)?;
    let Reason::NoKvCache { requested, needed, .. } = trouble.reason else { return None };
    let utilization = cx.plan.inference.as_ref()?.gpu_memory_utilization.fact()?;
    let verb = if trouble.is_certain { "needs" } else { "may need" };
    let message = format!(
        "vLLM takes {requested} of the {} but {verb} {needed} before its KV cache, so none is left for it",
        assessed.card
    );
    let mut finding = Finding::new(message).on(utilization).label(format!("{requested} here"));
    let model = cx.plan.inference.as_ref().and_then(|inference| inference.model_name.fact());
    if let (Some(model), Some(parts)) = (model, assessed.parts_of_server()) {
        finding = finding.with(model, parts);
    }
    if let Some(stated) = assessed.stated {
        finding = finding.related(stated, "the hardware");
    }
    let finding = if trouble.is_certain { finding } else { finding.severity(Severity::Warning) };
    Some(advise(finding, cx, assessed, trouble, "vLLM fails with `No available memory for the cache blocks`", None))
}
