//! A sample that is longer than the training sequence is cut at its end, silently.

use cfg_diag::{Severity, codes};
use cfg_plan::Fact;
use cfg_schema::Kind;

use super::{Room, answers, sequence, stated_prompt};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CUT_ROLLOUTS,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(sequence) = sequence(cx) else { return Vec::new() };
    answers(cx).filter_map(|answer| find(cx, answer, sequence)).collect()
}

fn find(cx: &Context<'_>, answer: &Fact<i64>, sequence: &Fact<i64>) -> Option<Finding> {
    let prompt = stated_prompt(cx);
    let least = prompt.unwrap_or(1).max(1);
    let with_prompt = answer.value.saturating_add(least);
    let is_cut = with_prompt > sequence.value && least < sequence.value;
    // A request that vLLM refuses is never cut.
    let is_refused = || cx.plan.inference.as_deref().and_then(Room::of).is_some_and(|room| with_prompt > room.tokens());
    if !is_cut || !(answer.is_written() || sequence.is_written()) || is_refused() {
        return None;
    }
    let (own, other) = (answer.written_key().name(), sequence.written_key());
    let beside = prompt.map_or("the prompt".to_owned(), |tokens| format!("a prompt of {tokens}"));
    let message = format!(
        "an answer may have {} tokens, but `{other}` allows {} including {beside}: longer rollouts are truncated before training",
        answer.value, sequence.value
    );
    let mut finding = Finding::new(message)
        .on(answer)
        .label(format!("{} here", answer.value))
        .with(sequence, format!("{} for prompt and answer", sequence.value))
        .help(format!("raise `{other}` if memory allows, or lower `{own}` to what it leaves after the prompt"));
    if let Some(stated) = &cx.metadata.input_tokens {
        finding = finding.related(stated.location, format!("{} for the prompt", stated.value));
    }
    // The same number in both places usually means the limit; then the longest answers lose as many tokens as the prompt has.
    let is_mild = prompt.is_none() && answer.value == sequence.value;
    Some(if is_mild { finding.severity(Severity::Info) } else { finding })
}
