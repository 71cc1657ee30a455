//! vLLM refuses a request whose prompt and `max_tokens` together exceed its context: `max_model_len`, or what the model was made for. A
//! prompt has one token at least; the block of metadata may say how many.

use cfg_diag::{Severity, codes};
use cfg_schema::Kind;

use super::{Room, USUAL_PROMPT, answer, stated_prompt};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, Targets};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CONTEXT_OVERFLOW,
    kinds: &[Kind::Rl],
    targets: Targets::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let answer = answer(cx)?;
    let room = Room::of(cx.plan.inference.as_ref()?)?;
    let prompt = stated_prompt(cx);
    let left = room.tokens().saturating_sub(answer.value);
    let is_certain = left < prompt.unwrap_or(1).max(1);
    if !is_certain && (prompt.is_some() || left >= USUAL_PROMPT) {
        return None;
    }
    let own = answer.written_key().name();
    let (tokens, of) = match room {
        Room::Set(fact) => (fact.value, "the context".to_owned()),
        Room::Model { tokens, name } => (tokens, format!("the context of {}", name.value)),
    };
    let mut finding = if is_certain {
        let with_prompt = prompt.map_or("the prompt".to_owned(), |tokens| format!("a prompt of {tokens}"));
        let message = format!(
            "an answer may have {} tokens, but {of} holds {tokens} together with {with_prompt}: vLLM refuses such requests",
            answer.value
        );
        Finding::new(message)
    } else {
        let message = format!(
            "an answer may have {} of the {tokens} tokens of {of}, which leaves {left} for the prompt: vLLM refuses requests with a longer \
             one",
            answer.value
        );
        Finding::new(message).severity(Severity::Warning)
    };
    finding = finding.on(answer).label(format!("{} here", answer.value));
    let other = match room {
        Room::Set(fact) => {
            finding = finding.with(fact, format!("{tokens} for prompt and answer"));
            fact.written_key().name()
        }
        Room::Model { name, .. } => {
            finding = finding.with(name, format!("made for {tokens} tokens"));
            "the context"
        }
    };
    if let Some(stated) = &cx.metadata.input_tokens {
        finding = finding.related(stated.location, format!("{} for the prompt", stated.value));
    }
    let can_raise = if matches!(room, Room::Set(_)) { ", or raise that" } else { "" };
    finding = finding.help(if is_certain {
        format!("lower `{own}` to what the prompt leaves of `{other}`{can_raise}").replace("`the context`", "the context")
    } else {
        format!(
            "lower `{own}`{}, or state `input_tokens` in the metadata if your prompts are shorter",
            can_raise.replace("that", "`max_model_len`")
        )
    });
    // Without a stated prompt half of the context is a guess that mostly works.
    let room = prompt.map_or(tokens / 2, |prompt| tokens.saturating_sub(prompt));
    let repair = Repair::possible(format!("lower `{own}` to {room}"));
    Some(if room > 0 && room < answer.value { finding.repair(repair.set(answer.written_key(), room)) } else { finding })
}
