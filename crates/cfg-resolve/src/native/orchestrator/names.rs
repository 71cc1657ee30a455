//! The names and paths of environments at each point of the history.

use cfg_schema::Behaviour;

use crate::native::ValidatorCtx;

/// The path of the training environments.
pub(super) fn train_path(cx: &ValidatorCtx<'_>) -> &'static str {
    if cx.point.has(Behaviour::Sources) { "train.source" } else { "train.env" }
}

/// The path of the environments within their group.
pub(super) fn group_path(cx: &ValidatorCtx<'_>) -> &'static str {
    if cx.point.has(Behaviour::Sources) { "source" } else { "env" }
}

/// A string, if it is given and not empty.
pub(super) fn filled(cx: &ValidatorCtx<'_>, path: &'static str) -> Option<String> {
    cx.str(path).filter(|text| !text.is_empty()).map(String::from)
}

/// The path of a taskset's id.
pub(super) fn taskset_path(cx: &ValidatorCtx<'_>) -> &'static str {
    if cx.point.has(Behaviour::NestedEnvs) { "env.taskset.id" } else { "taskset.id" }
}

/// The path of an old environment's id.
pub(super) fn legacy_path(cx: &ValidatorCtx<'_>) -> &'static str {
    if cx.point.has(Behaviour::Sources) { "legacy.id" } else { "id" }
}

/// The id of a new environment: its taskset's, or else that of the environment itself.
pub(super) fn new_id(cx: &ValidatorCtx<'_>) -> Option<String> {
    let taskset = filled(cx, taskset_path(cx));
    let env = if cx.point.has(Behaviour::Sources) { filled(cx, "env.id") } else { None };
    match (env, taskset) {
        (Some(env), Some(taskset)) => Some(format!("{env}+{taskset}")),
        (env, taskset) => taskset.or(env),
    }
}

/// The id of an environment.
pub(super) fn id(cx: &ValidatorCtx<'_>) -> Option<String> {
    if cx.point.lacks(Behaviour::Verifiers) {
        let id = cx.str("id")?;
        return Some(id.split('@').next().unwrap_or_default().to_owned());
    }
    new_id(cx).or_else(|| filled(cx, legacy_path(cx)))
}

/// The name of an environment in logs and metrics.
pub(super) fn resolved(cx: &ValidatorCtx<'_>) -> String {
    filled(cx, "name").or_else(|| id(cx)).unwrap_or_default()
}

/// Whether it is of the old kind, which gets its settings as keyword arguments.
pub(super) fn is_legacy(cx: &ValidatorCtx<'_>) -> bool {
    let has_taskset = filled(cx, taskset_path(cx)).is_some();
    if cx.point.has(Behaviour::NoLegacy) {
        false
    } else if cx.point.has(Behaviour::Sources) {
        cx.has("legacy.id") && !has_taskset
    } else {
        !has_taskset
    }
}
