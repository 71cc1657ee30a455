//! vLLM refuses a request whose prompt and `max_tokens` together exceed `max_model_len`. A prompt has one token at least; the block of
//! metadata may say how many.

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
    let prompt = cx.metadata.input_tokens.as_ref().and_then(|prompt| Some((i64::try_from(prompt.value).ok()?, prompt.location)));
    let least = prompt.map_or(1, |(tokens, _)| tokens.max(1));
    if answer.value.saturating_add(least) <= context.value {
        return None;
    }
    let (own, other) = (answer.written_key().name(), context.written_key().name());
    let with_prompt = prompt.map_or("the prompt".to_owned(), |(tokens, _)| format!("a prompt of {tokens}"));
    let message = format!(
        "an answer may have {} tokens, but the context holds {} together with {with_prompt}: vLLM refuses such requests",
        answer.value, context.value
    );
    let mut finding = Finding::new(message)
        .on(answer)
        .label(format!("{} here", answer.value))
        .with(context, format!("{} for prompt and answer", context.value))
        .help(format!("lower `{own}` to what the prompt leaves of `{other}`, or raise that"));
    if let Some((tokens, location)) = prompt {
        finding = finding.related(location, format!("{tokens} for the prompt"));
    }
    // Without a stated prompt half of the context is a guess that mostly works.
    let room = prompt.map_or(context.value / 2, |(tokens, _)| context.value - tokens);
    let repair = Repair::possible(format!("lower `{own}` to {room}"));
    Some(if room > 0 { finding.repair(repair.set(answer.written_key(), room)) } else { finding })
}
