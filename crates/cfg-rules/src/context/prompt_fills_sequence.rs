//! Where the prompt alone fills the training sequence, nothing of the answer is left to train on: the loss mask is empty.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::sequence;
use crate::{Check, Context, Finding, FixKind, Rule, Targets};

pub(crate) static RULE: Rule = Rule {
    code: &codes::PROMPT_FILLS_SEQUENCE,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    targets: Targets::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (sequence, prompt) = (sequence(cx)?, cx.metadata.input_tokens.as_ref()?);
    if i64::try_from(prompt.value).is_ok_and(|tokens| tokens < sequence.value) {
        return None;
    }
    let key = sequence.written_key();
    let message = format!(
        "a prompt of {} tokens fills `{key}` of {} by itself: the answers are cut off before training, and there is nothing to learn",
        prompt.value, sequence.value
    );
    let finding = Finding::new(message)
        .on(sequence)
        .label(format!("{} for prompt and answer", sequence.value))
        .related(prompt.location, format!("{} for the prompt", prompt.value));
    Some(finding.help(format!("raise `{key}` to the prompt and the longest answer together")))
}
