//! Numbers that prime-rl does not bound, and with which no step can be trained: a sequence or an answer without tokens, or a beta that PyTorch refuses.
//! So are chunks without a token, gradients that are clipped to nothing, and a server that admits no request.

use cfg_diag::codes;
use cfg_plan::Fact;
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::IMPOSSIBLE_VALUE,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Sft, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    sequences(cx, &mut found);
    answers(cx, &mut found);
    optimizer(cx, &mut found);
    chunks(cx, &mut found);
    requests(cx, &mut found);
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
                .help("no rollout fits, so no batch is ever full: write how many tokens a prompt and its answers may have"),
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
                .help("remove it to allow the rest of the context, or write how many tokens the longest answer may have"),
        );
    }
}

/// What the optimizer's class refuses, and a norm to which every gradient is clipped.
fn optimizer(cx: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(optim) = cx.plan.trainer.as_ref().map(|trainer| &trainer.optim) else { return };
    let is_wrong = |fact: &&Fact<f64>| fact.is_written() && !(0.0..1.0).contains(&fact.value);
    let betas = [optim.betas1.fact(), optim.betas2.fact()].into_iter().flatten().filter(|_| optim.kind.is("adamw"));
    for fact in betas.filter(is_wrong) {
        let message = format!("`{}` is {}: AdamW refuses a beta that is not from 0 to below 1", fact.written_key(), fact.value);
        found.push(Finding::new(message).on(fact).help("it weighs the past; 0.9 and 0.95 to 0.999 are usual"));
    }
    let momentum = optim.momentum.fact().filter(|momentum| optim.kind.is("sgd") && momentum.is_written());
    let key = if cx.kind == Kind::Rl { "trainer.optim.nesterov" } else { "optim.nesterov" };
    let is_nesterov = || cx.view.bool(key) == Some(true);
    if let Some(fact) = momentum.filter(|fact| fact.value < 0.0 || fact.value == 0.0 && is_nesterov()) {
        let why = if fact.value < 0.0 { "SGD refuses a negative momentum" } else { "SGD refuses `nesterov` without a momentum" };
        found.push(Finding::new(format!("`{}` is {}: {why}", fact.written_key(), fact.value)).on(fact).help("usual is 0.9"));
    }
    if let Some(fact) = optim.max_norm.fact().filter(|fact| fact.is_written() && fact.value == 0.0) {
        let message = format!("`{}` is 0: every gradient is clipped to 0, and no weight learns", fact.written_key());
        let help = "0 does not turn clipping off, as it does in some other trainers: use a large norm for that; the default is 1";
        found.push(Finding::new(message).on(fact).help(help));
    }
}

/// The chunks in which the output head is computed. Supervised fine-tuning has not always used them.
fn chunks(cx: &Context<'_>, found: &mut Vec<Finding>) {
    if cx.kind == Kind::Sft && cx.target.point.lacks(Behaviour::SftHead) {
        return;
    }
    let chunk = cx.plan.trainer.as_ref().and_then(|trainer| trainer.model.lm_head_token_chunk.fact());
    if let Some((fact, size)) = chunk.and_then(|fact| Some((fact, fact.value.int().filter(|size| *size < 1)?))) {
        let message = format!("`{}` is {size}: the first step ends with an AssertionError, `chunk_size > 0`", fact.written_key());
        found.push(Finding::new(message).on(fact).help("write how many tokens a chunk has, such as 1024, or \"disabled\""));
    }
}

/// How much vLLM may compute at once.
fn requests(cx: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(inference) = cx.plan.inference.as_ref() else { return };
    let counts = [(&inference.max_num_seqs, "request"), (&inference.max_num_batched_tokens, "token")];
    for (setting, what) in counts {
        if let Some(fact) = setting.fact().filter(|fact| fact.value < 1) {
            let message = format!("`{}` is {}: vLLM needs room for at least 1 {what} in a batch", fact.written_key(), fact.value);
            found.push(Finding::new(message).on(fact).help("leave it out for vLLM's own default"));
        }
    }
}
