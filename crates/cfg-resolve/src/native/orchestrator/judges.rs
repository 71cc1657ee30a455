//! Judges of a task: each needs an id, and a unique name under which its reward is stored.

use std::collections::HashSet;

use crate::native::{Failure, ValidatorCtx};

/// Each judge must have an id, and no two may have the same name.
pub(super) fn unique(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let judges = cx.each("judges");
    let mut seen: HashSet<String> = HashSet::with_capacity(judges.len());
    if judges.iter().any(|judge| super::names::filled(judge, "id").is_none()) {
        return Err(Failure::value("this judge has no `id`", &["judges"])
            .help("set `id` to the name of the judge's package, such as \"reference\" or \"rubric\""));
    }
    for judge in judges {
        let id = judge.str("id").unwrap_or_default();
        let name = super::names::filled(&judge, "name").unwrap_or_else(|| package(id).to_owned());
        if seen.contains(&name) {
            return Err(Failure::value(format!("two judges are named \"{name}\""), &["judges"])
                .help("give one of them a different `name`"));
        }
        seen.insert(name);
    }
    Ok(())
}

/// The package of an id: the id without organisation and version.
fn package(id: &str) -> &str {
    if id.starts_with("./") || id.starts_with('/') {
        return id;
    }
    id.split_once('/').map_or(id, |(_, rest)| rest.split('@').next().unwrap_or(rest))
}

/// A judge with Prime's own key gets Prime's own address, as if it had been given.
pub(super) fn endpoint(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.is("api_key_var", "PRIME_API_KEY") && !cx.is_set("base_url") {
        cx.copy("base_url", "base_url");
    }
    Ok(())
}

/// The prompt must be in the config or in a file, not both.
pub(super) fn one_prompt(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("prompt") && cx.has("prompt_file") {
        return Err(Failure::value("a judge has both a `prompt` and a `prompt_file`", &["prompt_file", "prompt"])
            .help("remove one of the two"));
    }
    Ok(())
}
