//! Tokens: what must fit into the context and into the training sequences.

use cfg_plan::{Entries, Fact, Inference};
use cfg_schema::Behaviour;

use crate::{Context, models};

pub(crate) mod context_beyond_model;
pub(crate) mod context_overflow;
pub(crate) mod cut_rollouts;
pub(crate) mod dead_max_model_len;
pub(crate) mod growing_prompt;
pub(crate) mod prompt_fills_sequence;

/// Tokens of a prompt if nothing is stated: the most that environments with tools and a system prompt have needed.
const USUAL_PROMPT: i64 = 1500;

/// The tokens of a prompt that the metadata block states.
fn stated_prompt(cx: &Context<'_>) -> Option<i64> {
    i64::try_from(cx.metadata.input_tokens.as_ref()?.value).ok()
}

/// The number of tokens at which a sample is truncated: the orchestrator's, or the trainer's if it is larger and only the trainer truncates.
fn sequence<'a>(cx: &Context<'a>) -> Option<&'a Fact<i64>> {
    let of_orchestrator = cx.plan.orchestrator.as_ref()?.seq_len.fact()?;
    let cuts_in_trainer =
        cx.plan.point.has(Behaviour::EnvironmentsNotToldSeqLen) && cx.plan.point.lacks(Behaviour::OrchestratorPacks);
    if !cuts_in_trainer {
        return Some(of_orchestrator);
    }
    let of_trainer = cx.plan.trainer.as_ref()?.seq_len.fact()?;
    Some(if of_trainer.value > of_orchestrator.value { of_trainer } else { of_orchestrator })
}

/// The number of tokens that a request can have, prompt and answer together.
#[derive(Clone, Copy)]
enum Room<'a> {
    /// Set by the config.
    Set(&'a Fact<i64>),
    /// The model's context length, because the config sets no limit.
    Model { tokens: i64, name: &'a Fact<Box<str>> },
}

impl<'a> Room<'a> {
    fn of(inference: &'a Inference) -> Option<Self> {
        if let Some(fact) = inference.max_model_len.fact() {
            return Some(Self::Set(fact));
        }
        let is_open = inference.max_model_len.is_empty() && !stretches(inference);
        let name = inference.model_name.fact().filter(|_| is_open)?;
        Some(Self::Model { tokens: models::find(&name.value)?.context, name })
    }

    const fn tokens(self) -> i64 {
        match self {
            Self::Set(fact) => fact.value,
            Self::Model { tokens, .. } => tokens,
        }
    }
}

/// Whether the config asks vLLM for more positions than the model supports, or replaces its `config.json`.
fn stretches(inference: &Inference) -> bool {
    const KEYS: [&str; 3] = ["hf_overrides", "rope_parameters", "rope_scaling"];
    let asks = |entries: &Entries| KEYS.iter().any(|key| entries.get(key).is_some());
    inference.rope_scaling.fact().is_some() || inference.vllm_extra.value().is_some_and(asks)
}

/// Tokens of one answer, if the config states them: those of training, and those of environments with their own.
fn answers<'a>(cx: &Context<'a>) -> impl Iterator<Item = &'a Fact<i64>> {
    let of_all = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.sampling.max_tokens.fact());
    let of_each = cx.plan.train_environments().filter_map(|environment| environment.max_tokens.fact());
    of_all.into_iter().chain(of_each.filter(|fact| fact.shared.is_none() && fact.origin.location().is_some()))
}
