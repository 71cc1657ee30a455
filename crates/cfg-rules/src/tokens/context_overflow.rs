//! vLLM refuses a request whose prompt and `max_tokens` together exceed its context: `max_model_len`, or the model's context length. A prompt has at
//! least one token; the metadata block may state its length, or the declaration of an environment.

use cfg_diag::{Severity, codes};
use cfg_plan::{Environment, Fact, Role};
use cfg_schema::Kind;

use super::{Room, USUAL_PROMPT, answers, stated_prompt};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CONTEXT_OVERFLOW,
    kinds: &[Kind::Rl],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(room) = cx.plan.inference.as_deref().and_then(Room::of) else { return Vec::new() };
    answers(cx).filter_map(|answer| find(cx, answer, room)).collect()
}

fn find(cx: &Context<'_>, answer: &Fact<i64>, room: Room<'_>) -> Option<Finding> {
    let stated = stated_prompt(cx);
    let declared = stated.is_none().then(|| declared_prompt(cx)).flatten();
    let prompt = stated.or(declared.map(|(_, tokens)| tokens));
    let tokens = room.tokens();
    let left = tokens.saturating_sub(answer.value);
    let is_certain = left < prompt.unwrap_or(1).max(1);
    if !is_certain && (stated.is_some() || left >= USUAL_PROMPT) {
        return None;
    }
    let (own, allowed) = (answer.written_key().name(), answer.value);
    let context = match room {
        Room::Set(_) => "the context".to_owned(),
        Room::Model { name, .. } => format!("the context of {}", name.value),
    };
    let finding = if is_certain {
        let with_prompt = prompt.map_or("the prompt".to_owned(), |tokens| format!("a prompt of {tokens}"));
        Finding::new(format!(
            "an answer may have {allowed} tokens, but {context} holds {tokens} including {with_prompt}: vLLM refuses such \
             requests"
        ))
    } else {
        let message = format!(
            "an answer may have {allowed} of the {tokens} tokens of {context}, which leaves {left} for the prompt: vLLM refuses requests \
             with a longer one"
        );
        Finding::new(message).severity(Severity::Warning)
    };
    let finding = finding.on(answer).label(format!("{allowed} here"));
    let (mut finding, raise) = match room {
        Room::Set(fact) => {
            let raise = format!(", or raise `{}`", fact.written_key().name());
            (finding.with(fact, format!("{tokens} for prompt and answer")), raise)
        }
        Room::Model { name, .. } => (finding.with(name, format!("supports {tokens} tokens")), String::new()),
    };
    if let Some(stated) = &cx.metadata.input_tokens {
        finding = finding.related(stated.location, format!("{} for the prompt", stated.value));
    }
    if let Some((environment, tokens)) = declared.filter(|_| is_certain)
        && let Some(location) = environment.location
    {
        finding = finding.related(location, format!("its prompts have at least {tokens} tokens"));
    }
    finding = finding.help(if is_certain {
        format!("lower `{own}` to what the context leaves after the prompt{raise}")
    } else {
        format!("lower `{own}`{raise}; or set `input_tokens` in the metadata if your prompts are shorter")
    });
    // Without a stated prompt half of the context is an estimate that usually works; a declared prompt is the minimum.
    let beside = |prompt: i64| tokens.saturating_sub(prompt);
    let fitting =
        stated.map_or_else(|| prompt.map_or(tokens / 2, |least| beside(least.max(USUAL_PROMPT)).min(tokens / 2)), beside);
    let repair = Repair::possible(format!("lower `{own}` to {fitting}"));
    let fits = fitting > 0 && fitting < allowed;
    Some(if fits { finding.repair(repair.set(answer.written_key(), fitting)) } else { finding })
}

/// The environment with the longest declared minimum of its prompts, and that minimum in tokens.
fn declared_prompt<'a>(cx: &Context<'a>) -> Option<(&'a Environment, i64)> {
    let declared = cx.environments.each(cx.plan).filter(|(environment, _)| environment.role == Role::Train);
    declared.filter_map(|(environment, declared)| Some((environment, declared.input_tokens?))).max_by_key(|(_, tokens)| *tokens)
}
