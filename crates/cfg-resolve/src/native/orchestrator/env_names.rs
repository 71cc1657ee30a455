//! Metrics are stored by the environment's name, which must therefore be unique and not a name that prime-rl uses itself.

use std::collections::HashSet;

use super::{env_kwargs, names};
use crate::native::{Failure, ValidatorCtx};

/// No two environments of a group may have the same name.
pub(super) fn unique(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let path = names::group_path(cx);
    let mut all = Vec::new();
    for mut env in cx.each(path) {
        env_kwargs::built(&mut env);
        all.push(names::resolved(&env));
    }
    let mut seen = HashSet::with_capacity(all.len());
    match all.iter().find(|name| !seen.insert(*name)) {
        Some(name) => {
            Err(Failure::value(format!("two environments are named \"{name}\""), &[path])
                .help("give one of them a different `name`"))
        }
        None => Ok(()),
    }
}

/// "all" is the name of the metrics over all environments.
pub(super) fn not_reserved(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    refuse(cx, "all")
}

/// Refuses a name that prime-rl uses itself.
pub(super) fn refuse(cx: &ValidatorCtx<'_>, reserved: &str) -> Result<(), Failure> {
    if names::resolved(cx) != reserved {
        return Ok(());
    }
    let end = if names::filled(cx, "name").is_some() { "name" } else { "id" };
    Err(Failure::value(
        format!("an environment can't be named \"{reserved}\": prime-rl uses that name for the metrics over all of them"),
        &[end],
    )
    .help("choose another `name`"))
}
