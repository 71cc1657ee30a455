//! vLLM splits the attention heads over the GPUs of a replica, evenly.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, Targets, models};

pub(crate) static RULE: Rule = Rule {
    code: &codes::INDIVISIBLE_HEADS,
    kinds: &[Kind::Rl, Kind::Inference],
    targets: Targets::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let servers = cx.plan.inference.iter().chain(&cx.plan.teacher_inference);
    servers.filter_map(|server| find(server)).collect()
}

fn find(inference: &cfg_plan::Inference) -> Option<Finding> {
    let parts = inference.tp.fact().filter(|parts| parts.value > 1)?;
    let name = inference.model_name.fact()?;
    let heads = models::find(&name.value)?.heads;
    if heads % parts.value == 0 {
        return None;
    }
    // One that also divides the GPUs as they are.
    let fitting = (1..parts.value).rev().find(|&fewer| heads % fewer == 0 && parts.value % fewer == 0).unwrap_or(1);
    let message = format!(
        "{} has {heads} attention heads, which {} GPUs can't share evenly: vLLM refuses to start",
        name.value, parts.value
    );
    let finding = Finding::new(message).on(parts).label(format!("{} GPUs for one replica", parts.value));
    Some(
        finding
            .with(name, format!("{heads} heads"))
            .help(format!("set `{}` to {fitting}, and let replicas share the rest", parts.written_key())),
    )
}
