//! In a conversation the prompt of a turn contains all earlier turns. If tool outputs can be long, the first request fits but a later one does not.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::{Room, USUAL_PROMPT, answers, stated_prompt};
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::GROWING_PROMPT,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

/// The argument with which environments limit the output of a tool, in characters.
const LIMIT: &str = "max_output_chars";

/// The most characters of a token in text and code that tools print.
const CHARACTERS: i64 = 4;

fn check(cx: &Context<'_>) -> Vec<Finding> {
    find(cx).unwrap_or_default()
}

fn find(cx: &Context<'_>) -> Option<Vec<Finding>> {
    let answer = answers(cx).next()?;
    let room = Room::of(cx.plan.inference.as_ref()?)?.tokens();
    let prompt = stated_prompt(cx).unwrap_or(USUAL_PROMPT);
    let first = prompt.saturating_add(answer.value);
    if first > room {
        return None;
    }
    let mut findings = Vec::new();
    for environment in cx.plan.train_environments() {
        let Some(limit) = environment.arg(LIMIT) else { continue };
        if environment.max_turns.get().or_else(|| environment.arg_int("max_turns")) == Some(1) {
            continue;
        }
        let Some(characters) = limit.value.value.as_int().filter(|&characters| characters > 0) else { continue };
        let output = characters / CHARACTERS;
        if first.saturating_add(output) <= room {
            continue;
        }
        let message = format!(
            "a tool output of {characters} characters, about {output} tokens, becomes part of the next prompt: with {prompt} \
             tokens before it and {} for the answer, the second request may exceed the context of {room}",
            answer.value
        );
        let finding = Finding::new(message).key(limit.key()).label(format!("about {output} tokens")).at_place(limit.location());
        let finding = finding.with(answer, format!("{} for an answer", answer.value));
        findings.push(finding.help(format!(
            "lower `{LIMIT}`, or leave more room in the context: vLLM refuses the request, and the rollout ends there"
        )));
    }
    Some(findings)
}
