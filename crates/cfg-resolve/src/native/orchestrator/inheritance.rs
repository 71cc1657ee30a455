//! The settings of a group of environments apply to each environment that does not set them itself.

use cfg_compose::Integer;
use cfg_schema::Behaviour;

use super::{batching::workers_for, names};
use crate::{
    ResolvedValue,
    native::{Failure, ValidatorCtx},
};

/// Copies settings of sampling, key by key.
pub(super) fn sampling(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let Some(group) = cx.with_defaults("sampling") else { return Ok(()) };
    for mut env in cx.each(names::group_path(cx)) {
        env.set_over("sampling", group.clone());
    }
    Ok(())
}

/// Copies the remaining settings, if an environment has these keys.
pub(super) fn env_defaults(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let mut keys = vec!["num_examples", "rollouts_per_example"];
    if cx.point.has(Behaviour::InheritedTogether) {
        sampling(cx)?;
        keys.extend(["group_size", "interval", "num_workers", "max_retries"]);
    }
    // The group of training environments has only some of these keys.
    let values: Vec<_> = keys.into_iter().filter_map(|key| Some((key, cx.value(key)?))).collect();
    let is_eval = cx.exists("num_examples");
    for mut env in cx.each(names::group_path(cx)) {
        for (key, value) in &values {
            if !env.is_set(*key) {
                env.set(*key, value.clone());
            }
        }
        if is_eval && env.is("num_workers", "auto") {
            let count = eval_workers(&env);
            env.set("num_workers", count);
        }
    }
    Ok(())
}

fn eval_workers(env: &ValidatorCtx<'_>) -> ResolvedValue {
    let group = env.float("group_size").or_else(|| env.float("rollouts_per_example")).unwrap_or(1.0);
    match env.float("num_examples").filter(|_| env.int("num_examples") != Some(-1)) {
        None => ResolvedValue::Int(Integer::Small(4)),
        Some(examples) => workers_for(examples * group),
    }
}
