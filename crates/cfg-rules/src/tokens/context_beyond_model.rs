//! vLLM does not start with a `max_model_len` beyond the model's context length, unless positions are scaled.

use cfg_diag::codes;
use cfg_resolve::ResolvedValue;
use cfg_schema::Kind;

use super::stretches;
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, models};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CONTEXT_BEYOND_MODEL,
    kinds: &[Kind::Rl, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

/// The environment variable with which vLLM starts anyway.
const ALLOWS: &str = "VLLM_ALLOW_LONG_MAX_MODEL_LEN";

fn check(cx: &Context<'_>) -> Option<Finding> {
    let inference = cx.plan.inference.as_ref()?;
    let (length, name) = (inference.max_model_len.fact()?, inference.model_name.fact()?);
    let context = models::find(&name.value)?.context;
    let overrides = if cx.kind == Kind::Rl { "inference.vllm.hf_overrides" } else { "vllm.hf_overrides" };
    let is_overridden = || cx.view.free(overrides).is_some_and(|value| !matches!(value.value, ResolvedValue::Null));
    let is_allowed = || {
        let own = inference.env_vars.value().is_some_and(|variables| variables.get(ALLOWS).is_some());
        own || cx.plan.run.env_vars.value().is_some_and(|variables| variables.get(ALLOWS).is_some())
    };
    if length.value <= context || stretches(inference) || is_overridden() || is_allowed() {
        return None;
    }
    let own = length.written_key().name();
    let message = format!("`{own}` is {}, but {} supports {context} tokens: vLLM refuses to start", length.value, name.value);
    let finding = Finding::new(message)
        .on(length)
        .label(format!("{} here", length.value))
        .with(name, format!("supports {context} tokens"))
        .help(format!("lower `{own}` to {context}, or extend the positions with `rope_scaling`"));
    Some(finding.repair(Repair::possible(format!("lower `{own}` to {context}")).set(length.written_key(), context)))
}
