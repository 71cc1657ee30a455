//! Environments of the old kind get limits as keyword arguments. prime-rl overwrites those in the file with its own.

use super::names;
use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};
use cfg_compose::Integer;
use cfg_schema::Behaviour;

const KWARGS: &str = "extra_env_kwargs";

/// Sets those of training environments before 1a1a39619.
pub(super) fn old_train(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(seq_len) = cx.value("seq_len") else { return Ok(()) };
    let scored = if cx.point.has(Behaviour::VerificationTable) {
        cx.bool("verification.enabled")
    } else {
        !cx.bool("buffer.skip_verification")
    };
    let length = if cx.point.has(Behaviour::MaxSeqLen) { "max_seq_len" } else { "seq_len" };
    for mut env in cx.each("env") {
        env.set_key(KWARGS, length, seq_len.clone());
        if env.point.lacks(Behaviour::NotInterleaved) {
            env.set_key(KWARGS, "interleaved_rollouts", ResolvedValue::Bool(true));
        }
        env.set_key(KWARGS, "score_rollouts", ResolvedValue::Bool(scored));
    }
    Ok(())
}

/// Sets those of training environments since then: the context length, and what is requested from the trained model's server.
pub(super) fn train(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(seq_len) = cx.value("seq_len") else { return Ok(()) };
    let is_vllm =
        if cx.point.has(Behaviour::Student) { !cx.is("training_mode", "sft") } else { !cx.has("teacher_rollout_model") };
    if cx.point.has(Behaviour::Verifiers) && cx.point.lacks(Behaviour::Algorithms) && !is_vllm {
        return Ok(());
    }
    for mut env in cx.each(names::train_path(cx)) {
        built(&mut env);
        let from_policy = if env.point.has(Behaviour::Algorithms) { env.is("algo.sampling.source", "policy") } else { is_vllm };
        if from_policy {
            let body = "sampling.extra_body";
            env.default_key(body, "top_k", ResolvedValue::Int(Integer::Small(-1)));
            env.default_key(body, "min_p", ResolvedValue::Float(0.0));
            env.default_key(body, "return_token_ids", ResolvedValue::Bool(true));
        }
        if env.point.lacks(Behaviour::Verifiers) || names::is_legacy(&env) {
            let path = kwargs_path(&env);
            env.set_key(path, "max_seq_len", seq_len.clone());
        }
    }
    Ok(())
}

/// Sets those of a default environment, as its own checks would.
pub(super) fn built(env: &mut ValidatorCtx<'_>) {
    if let Some(tokens) = env.value("max_total_completion_tokens") {
        env.default_key(KWARGS, "max_total_completion_tokens", tokens);
    }
}

/// Sets the limit of tokens over all turns of an environment.
pub(super) fn completion_tokens(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if let Some(tokens) = cx.value("max_total_completion_tokens") {
        cx.set_key(KWARGS, "max_total_completion_tokens", tokens);
    }
    Ok(())
}

/// Sets an environment's time limit.
pub(super) fn timeout(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if let Some(timeout) = cx.value("timeout").filter(|_| cx.has("timeout")) {
        cx.set_key(KWARGS, "timeout_seconds", timeout);
    }
    Ok(())
}

/// Sets both limits of an environment of the old kind from the names that the new kind has.
pub(super) fn legacy(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !names::is_legacy(cx) {
        return Ok(());
    }
    let (timeout, tokens) = if cx.point.has(Behaviour::NestedEnvs) {
        ("env.agent.timeout.rollout", "env.agent.max_output_tokens")
    } else {
        ("timeout.rollout", "max_output_tokens")
    };
    let path = kwargs_path(cx);
    for (from, key) in [(timeout, "timeout_seconds"), (tokens, "max_total_completion_tokens")] {
        if let Some(value) = cx.value(from).filter(|_| cx.has(from)) {
            cx.set_key(path, key, value);
        }
    }
    Ok(())
}

fn kwargs_path(cx: &ValidatorCtx<'_>) -> &'static str {
    if cx.point.has(Behaviour::Sources) { "legacy.extra_env_kwargs" } else { KWARGS }
}
