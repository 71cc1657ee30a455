//! Algorithms: each training environment has one, and each is suitable only for some sources of rollouts.

use cfg_schema::Behaviour;

use super::names;
use crate::native::{Failure, ValidatorCtx};

/// An environment without its own algorithm uses that of the whole run.
pub(super) fn inherit(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(algorithm) = cx.value("algo") else { return Ok(()) };
    for mut env in cx.each(names::train_path(cx)) {
        if !env.has("algo") {
            env.set("algo", algorithm.clone());
        }
    }
    Ok(())
}

/// One algorithm works only with environments of one package; the algorithm itself checks that.
pub(super) fn fits_environment(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let is_hierarchical = |env: &ValidatorCtx<'_>| env.tag("algo") == Some("hierarchical_grpo");
    if !cx.each(names::train_path(cx)).iter().any(is_hierarchical) {
        return Ok(());
    }
    let message = "the package proposer-solver-v1 decides whether `hierarchical_grpo` fits the environment: prime-rl refuses the \
        config if it is not installed, and environments of other classes";
    Err(Failure::left_open(message, &["algo"]).help("\"grpo\" accepts any environment"))
}

/// Only the algorithm that copies a teacher's rollouts can learn from what another model sampled.
pub(super) fn sampling_source(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let kind = cx.str("type").map(String::from).unwrap_or_default();
    if kind == "sft" || cx.is("sampling.source", "policy") {
        return Ok(());
    }
    Err(Failure::value(
        format!("the algorithm \"{kind}\" learns from the trained model's own rollouts, but `sampling.source` is another model"),
        &["sampling.source", "type"],
    )
    .help("remove `sampling.source`, or write `type = \"sft\"` to learn from that model's rollouts"))
}

/// That algorithm can't learn from the model's own rollouts.
pub(super) fn frozen_source(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if !cx.is("sampling.source", "policy") {
        return Ok(());
    }
    Err(Failure::value(
        "the algorithm \"sft\" learns from another model's rollouts, but `sampling.source` names none",
        &["sampling.source", "type"],
    )
    .help("write `source = { name = \"...\", base_url = [\"...\"] }` below `sampling`"))
}

/// For another model, an address must be given: prime-rl can't derive it.
pub(super) fn endpoint(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.is_set("base_url") || (cx.point.lacks(Behaviour::OneAddress) && cx.has("elastic")) {
        return Ok(());
    }
    Err(Failure::value("a model that is not trained needs `base_url`: prime-rl serves only the trained one", &["base_url"])
        .help("set `base_url` to the address of the server that runs it"))
}

/// The tokens of at least one role must be trained.
pub(super) fn a_role(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let roles = ["system", "user", "assistant", "tool"];
    if roles.into_iter().any(|role| cx.has(role)) {
        return Ok(());
    }
    Err(Failure::value("no role is set, so nothing is learned from the environment's messages", &roles)
        .help("set at least one of `system`, `user`, `assistant` and `tool`"))
}
