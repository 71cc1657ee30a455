//! vLLM refuses a request whose prompt and `max_tokens` together exceed `max_model_len`. A prompt has one token at least.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, Targets};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CONTEXT_OVERFLOW,
    kinds: &[Kind::Rl],
    targets: Targets::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let answer = cx.plan.orchestrator.as_ref()?.sampling.max_tokens.fact()?;
    let context = cx.plan.inference.as_ref()?.max_model_len.fact()?;
    if answer.value < context.value {
        return None;
    }
    let half = context.value / 2;
    let name = answer.written_key().name();
    let message = format!(
        "an answer may have {} tokens, but the context holds {} together with the prompt: vLLM refuses every request",
        answer.value, context.value
    );
    let finding = Finding::new(message)
        .on(answer)
        .label(format!("{} here", answer.value))
        .with(context, format!("{} for prompt and answer", context.value))
        .help(format!("lower `{name}` to what the prompt leaves of `{}`, or raise that", context.written_key().name()));
    let repair = Repair::possible(format!("lower `{name}` to {half}, half of the context"));
    Some(if half > 0 { finding.repair(repair.set(answer.written_key(), half)) } else { finding })
}
