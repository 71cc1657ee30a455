//! A sample that is longer than the training sequence is cut at its end, without a word.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::{Room, answer, sequence, stated_prompt};
use crate::{Check, Context, Finding, FixKind, Rule, Targets};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CUT_ROLLOUTS,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    targets: Targets::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (answer, sequence) = (answer(cx)?, sequence(cx)?);
    let prompt = stated_prompt(cx);
    let least = prompt.unwrap_or(1).max(1);
    let is_cut = answer.value.saturating_add(least) > sequence.value && least < sequence.value;
    // What vLLM refuses is never cut.
    let is_refused =
        cx.plan.inference.as_ref().and_then(Room::of).is_some_and(|room| answer.value.saturating_add(least) > room.tokens());
    if !is_cut || is_refused || !(answer.is_written() || sequence.is_written()) {
        return None;
    }
    let (own, other) = (answer.written_key().name(), sequence.written_key());
    let with_prompt = prompt.map_or("the prompt".to_owned(), |tokens| format!("a prompt of {tokens}"));
    let message = format!(
        "an answer may have {} tokens, but `{other}` holds {} together with {with_prompt}: longer rollouts lose their end before training",
        answer.value, sequence.value
    );
    let finding = Finding::new(message)
        .on(answer)
        .label(format!("{} here", answer.value))
        .with(sequence, format!("{} for prompt and answer", sequence.value))
        .help(format!("raise `{other}` if the memory allows it, or lower `{own}` to what the prompt leaves of it"));
    Some(match &cx.metadata.input_tokens {
        Some(stated) => finding.related(stated.location, format!("{} for the prompt", stated.value)),
        None => finding,
    })
}
