//! An argument of vLLM that names the served model otherwise than the orchestrator, which asks for it by its own name.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, engine};

pub(crate) static RULE: Rule = Rule {
    code: &codes::SERVED_NAME,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let policy = &cx.plan.orchestrator.as_ref()?.model;
    // Nothing compares the names then.
    let asked = policy.name.fact().filter(|_| !policy.skip_model_check.is_on())?;
    // A name replaces the model's own.
    let served = engine::argument(cx, "served_model_name").or_else(|| engine::argument(cx, "model"))?;
    let value = &served.value.value;
    let names: Vec<&str> = match value.as_list() {
        Some(items) => items.iter().map(|item| item.value.as_str()).collect::<Option<_>>()?,
        None => vec![value.as_str()?],
    };
    if names.is_empty() || names.contains(&&*asked.value) {
        return None;
    }
    let message = format!(
        "vLLM serves the model as \"{}\", because of `{}`, but the orchestrator requests {}",
        names.join("\", \""),
        served.key,
        asked.value
    );
    let help = format!(
        "the orchestrator ends as soon as the server answers, as its model is not there: remove `{}`, and set the model with `model.name`",
        served.key
    );
    Some(served.place(Finding::new(message)).label("served under this name").with(asked, "requested here").help(help))
}
