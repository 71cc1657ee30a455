//! vLLM requires room for one sequence of `max_model_len` in its KV cache, and otherwise refuses to start.

use cfg_diag::{Severity, codes};
use cfg_memory::verdict::Reason;
use cfg_schema::Kind;

use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    assessed::{Assessed, TroubleKind},
    remedy::advise,
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::KV_CACHE_TOO_SMALL,
    kinds: &[Kind::Rl, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (assessed, trouble) = Assessed::trouble(cx, TroubleKind::SmallKvCache)?;
    let Reason::SmallKvCache { least, most, max_model_len, .. } = trouble.reason else { return None };
    let inference = cx.plan.inference.as_ref()?;
    let budget = assessed.assessment.budget.as_ref()?;
    let whose = if inference.max_model_len.fact().is_some() { "" } else { ", the model's own limit" };
    let message = format!(
        "one sequence may have {max_model_len} tokens{whose}, but the KV cache on the {} holds {least} to {most}",
        assessed.card
    );
    let finding = Finding::new(message);
    let finding = match inference.max_model_len.fact() {
        Some(length) => finding.on(length).label(format!("{} of keys and values", budget.kv.needed(max_model_len))),
        // The length is not written: it comes from the model.
        None => match inference.max_model_len.key() {
            Some(key) => finding.key(key.to_string()),
            None => finding,
        },
    };
    let mut finding = match inference.gpu_memory_utilization.fact() {
        Some(share) => finding.with(share, format!("{} for vLLM in total", budget.requested)),
        None => finding,
    };
    if let (Some(model), Some(parts)) = (inference.model_name.fact(), assessed.parts_of_server()) {
        finding = finding.with(model, format!("before the KV cache: {parts}"));
    }
    if let Some(stated) = assessed.stated {
        finding = finding.related(stated, "the hardware");
    }
    let finding = if trouble.is_certain { finding } else { finding.severity(Severity::Warning) };
    let symptom = "vLLM refuses to start: one request needs more KV cache than is available";
    Some(advise(finding, cx, assessed, trouble, symptom, None))
}
