//! Each entry of the environments names one environment, of the new kind or of the old one.

use cfg_schema::{Behaviour, Point};

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
        let name = names::filled(cx, "name").filter(|_| cx.point.has(Behaviour::Sources));
        let of_old_kind = name.as_deref().is_some_and(|name| !is_of_new_kind(name));
        let id = name.as_deref().map_or_else(|| UNKNOWN_ID.to_owned(), string);
        let end = if cx.point.has(Behaviour::NestedEnvs) { "env" } else { "taskset" };
        let help = how_to_name(cx.point, &id, of_old_kind);
        return Err(Failure::value("this entry names no environment", &[end]).help(help));
    }
    Ok(())
}

/// An id, as TOML, that the author has to know.
pub(crate) const UNKNOWN_ID: &str = "\"...\"";

/// How an entry names an environment whose id is this TOML string: as one of the new kind, or first as one of the old kind.
pub(crate) fn how_to_name(point: Point, id: &str, of_old_kind: bool) -> String {
    let of_entry = || format!("`env = {{ taskset = {{ id = {id} }} }}`");
    let (new, old) = if point.has(Behaviour::NoLegacy) {
        return format!("write {}", of_entry());
    } else if point.has(Behaviour::Sources) {
        (of_entry(), format!("`legacy = {{ id = {id} }}`"))
    } else if point.has(Behaviour::NestedEnvs) {
        (of_entry(), format!("`id = {id}`"))
    } else {
        (format!("`taskset = {{ id = {id} }}`"), format!("`id = {id}`"))
    };
    if of_old_kind {
        format!("write {old}, or {new} for one of the new kind")
    } else {
        format!("write {new}, or {old} for one of the old kind")
    }
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
