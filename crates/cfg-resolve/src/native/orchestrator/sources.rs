//! Each entry of the environments names one environment, of the new kind or of the old one.

use cfg_schema::Behaviour;

use super::{env_names, names};
use crate::{
    emit::string,
    native::{Failure, ValidatorCtx},
    report::is_of_new_kind,
};

/// The longest lifetime of a sandbox, in seconds.
const SANDBOX_LIFE: f64 = 24.0 * 60.0 * 60.0;

/// An environment must be named exactly once, and not by a name that prime-rl uses itself.
pub(super) fn identity(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    is_named(cx)?;
    env_names::refuse(cx, if cx.point.has(Behaviour::Agg) { "agg" } else { "all" })
}

/// An environment must be named exactly once.
pub(in crate::native) fn is_named(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    names_one(cx)?;
    if names::id(cx).is_none_or(|id| id.is_empty()) {
        // A name without an id is that of what is meant.
        if let Some(name) = names::filled(cx, "name").filter(|_| cx.point.has(Behaviour::Sources)) {
            let id = string(&name);
            let (new, old) = (format!("`env = {{ taskset = {{ id = {id} }} }}`"), format!("`legacy = {{ id = {id} }}`"));
            let help = match (cx.point.has(Behaviour::NoLegacy), is_of_new_kind(&name)) {
                (true, _) => format!("write {new}"),
                (_, true) => format!("write {new}, or {old} for one of the old kind"),
                (_, false) => format!("write {old}, or {new} for one of the new kind"),
            };
            return Err(Failure::value("this entry names no environment", &["env"]).help(help));
        }
        let (end, help) = if cx.point.has(Behaviour::NoLegacy) {
            ("env", "write `env = { taskset = { id = \"...\" } }`")
        } else if cx.point.has(Behaviour::Sources) {
            ("env", "write `env = { taskset = { id = \"...\" } }`, or `legacy = { id = \"...\" }` for one of the old kind")
        } else if cx.point.has(Behaviour::NestedEnvs) {
            ("env", "write `env = { taskset = { id = \"...\" } }`, or `id = \"...\"` for one of the old kind")
        } else {
            ("taskset", "write `taskset = { id = \"...\" }`, or `id = \"...\"` for one of the old kind")
        };
        return Err(Failure::value("this entry names no environment", &[end]).help(help));
    }
    Ok(())
}

/// An environment of the old kind and one of the new kind must not both be named.
pub(in crate::native) fn names_one(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.point.has(Behaviour::Sources)
        && cx.point.lacks(Behaviour::NoLegacy)
        && cx.has("legacy.id")
        && names::new_id(cx).is_some()
    {
        let end = if names::filled(cx, "env.taskset.id").is_some() { "env.taskset.id" } else { "env.id" };
        return Err(Failure::value(
            format!("`legacy.id` and `{end}` name two environments, of the old kind and of the new"),
            &["legacy.id", end],
        )
        .help("remove one of the two"));
    }
    Ok(())
}

/// An id of the old kind must not be given beside a taskset (verifiers at cb74ae2be).
pub(super) fn one_identity(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if names::filled(cx, "id").is_some() && names::filled(cx, "env.taskset.id").is_some() {
        return Err(Failure::value(
            "`id` names an environment of the old kind, `env.taskset.id` one of the new kind",
            &["id", "env.taskset.id"],
        )
        .help("remove one of the two"));
    }
    Ok(())
}

/// Evaluation requires at least one environment.
pub(super) fn not_empty(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let path = names::group_path(cx);
    if cx.len(path) != Some(0) {
        return Ok(());
    }
    Err(Failure::value("evaluation has no environment", &[path])
        .help(format!("add `[[eval.{path}]]`, or remove `[eval]` to run without evaluation")))
}

/// A sandbox must not be allowed to idle longer than it lives.
pub(super) fn idle_timeout(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    match cx.float("idle_timeout") {
        Some(seconds) if seconds > SANDBOX_LIFE => {
            Err(Failure::value(format!("`idle_timeout` {seconds} s exceeds the lifetime of a sandbox"), &["idle_timeout"])
                .help(format!("write {SANDBOX_LIFE} or less")))
        }
        _ => Ok(()),
    }
}
