//! If the prompt alone fills the training sequence, no part of the answer remains to train on: the loss mask is empty.

use cfg_diag::{Severity, codes};
use cfg_plan::{Fact, Role};
use cfg_schema::Kind;

use super::sequence;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::PROMPT_FILLS_SEQUENCE,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let sequence = sequence(cx)?;
    let finding = match &cx.metadata.input_tokens {
        Some(stated) => {
            if i64::try_from(stated.value).is_ok_and(|tokens| tokens < sequence.value) {
                return None;
            }
            let message = format!(
                "a prompt of {} tokens alone fills `{}` of {}: the answers are truncated before training, and there is nothing \
                 to learn",
                stated.value,
                sequence.written_key(),
                sequence.value
            );
            Some(on_sequence(message, sequence).related(stated.location, format!("{} for the prompt", stated.value)))
        }
        None => of_declared(cx, sequence),
    };
    finding.map(|finding| {
        finding.help(format!(
            "raise `{}` to the sum of the prompt and the longest \
            answer",
            sequence.written_key()
        ))
    })
}

/// The finding for declared training environments.
fn of_declared(cx: &Context<'_>, sequence: &Fact<i64>) -> Option<Finding> {
    let prompts = cx.environments.each(cx.plan).filter(|(environment, _)| environment.role == Role::Train);
    let (environment, tokens) = prompts
        .filter_map(|(environment, declared)| Some((environment, declared.input_tokens?)))
        .find(|(_, tokens)| *tokens >= sequence.value)?;
    let id = environment.id.text().unwrap_or("this environment");
    let message = format!(
        "prompts of {id} have {tokens} tokens or more, which alone fills `{}` of {}: the answers are truncated before training",
        sequence.written_key(),
        sequence.value
    );
    let finding = on_sequence(message, sequence).severity(Severity::Warning);
    Some(match environment.location {
        Some(location) => finding.related(location, format!("{tokens} tokens or more for the prompt")),
        None => finding,
    })
}

fn on_sequence(message: String, sequence: &Fact<i64>) -> Finding {
    Finding::new(message).on(sequence).label(format!("{} for prompt and answer", sequence.value))
}
