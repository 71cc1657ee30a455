//! Numbers that prime-rl does not bound, and with which no step can be trained: a sequence or an answer without tokens, or a beta that PyTorch refuses.

use cfg_diag::codes;
use cfg_plan::Fact;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::IMPOSSIBLE_VALUE,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Sft],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    sequences(cx, &mut found);
    answers(cx, &mut found);
    betas(cx, &mut found);
    found
}

/// The length of sequences. A shared value is reported once.
fn sequences(cx: &Context<'_>, found: &mut Vec<Finding>) {
    let of_trainer = cx.plan.trainer.as_ref().map(|trainer| [trainer.seq_len.fact(), trainer.data.seq_len.fact()]);
    let of_orchestrator = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.seq_len.fact());
    let all = of_trainer.into_iter().flatten().flatten().chain(of_orchestrator);
    let mut keys = Vec::new();
    for fact in all.filter(|fact| fact.value < 1 && fact.is_written()) {
        let key = fact.written_key().to_string();
        if keys.contains(&key) {
            continue;
        }
        let message = format!("`{key}` is {}: a sequence needs at least 1 token", fact.value);
        found.push(
            Finding::new(message)
                .on(fact)
                .help("no rollout fits, so that no batch is ever full: write the tokens of prompt and answers"),
        );
        keys.push(key);
    }
}

/// The tokens of an answer: vLLM refuses each request.
fn answers(cx: &Context<'_>, found: &mut Vec<Finding>) {
    let of_all = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.sampling.max_tokens.fact());
    let of_each = cx.plan.environments.iter().filter_map(|environment| environment.max_tokens.fact());
    let of_each = of_each.filter(|fact| fact.shared.is_none() && fact.origin.location().is_some());
    for fact in of_all.into_iter().filter(|fact| fact.is_written()).chain(of_each).filter(|fact| fact.value < 1) {
        let message = format!("`{}` is {}: vLLM refuses a request for fewer than 1 token", fact.written_key(), fact.value);
        found.push(
            Finding::new(message)
                .on(fact)
                .help("leave it out for the rest of the context, or write the tokens of the longest answer"),
        );
    }
}

/// The betas of AdamW.
fn betas(cx: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(optim) = cx.plan.trainer.as_ref().map(|trainer| &trainer.optim).filter(|optim| optim.kind.is("adamw")) else {
        return;
    };
    let is_wrong = |fact: &&Fact<f64>| fact.is_written() && !(0.0..1.0).contains(&fact.value);
    for fact in [optim.betas1.fact(), optim.betas2.fact()].into_iter().flatten().filter(is_wrong) {
        let message = format!("`{}` is {}: AdamW refuses a beta that is not from 0 to below 1", fact.written_key(), fact.value);
        found.push(Finding::new(message).on(fact).help("it is the weight of what came before; usual are 0.9 and 0.95 to 0.999"));
    }
}
