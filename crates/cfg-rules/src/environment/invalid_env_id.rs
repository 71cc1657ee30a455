//! Ids of environments that no package can have: verifiers imports the module of that name.

use std::collections::BTreeSet;

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::at_environment;
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, placeholders::placeholder};

pub(crate) static RULE: Rule = Rule {
    code: &codes::INVALID_ENV_ID,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let environments = cx.plan.environments.iter().filter(|environment| environment.id.is_written());
    // Where a slash in a name is a fault, `owner/name` needs one without.
    let named = if cx.target.point.has(Behaviour::EnvServers) { " and a `name` without a slash" } else { "" };
    let invalid = environments.filter_map(|environment| {
        let id = environment.id.text().filter(|id| !placeholder::is_placeholder(id, false))?;
        let why = why_not(id).filter(|_| seen.insert(id))?;
        let key = environment.id.key().map(ToString::to_string).unwrap_or_default();
        let finding = Finding::new(format!("`{id}` is not the id of an environment: {why}")).key(key);
        Some(at_environment(finding, environment).help(help(id, named)))
    });
    invalid.chain(unnamed(cx)).collect()
}

/// Environments with a name and without an id: where prime-rl has a default for it, they are another one than their name says.
fn unnamed<'a>(cx: &'a Context<'_>) -> impl Iterator<Item = Finding> + 'a {
    let unwritten = cx.plan.environments.iter().filter(|environment| !environment.id.is_written());
    unwritten.filter_map(|environment| {
        let (id, name) = (environment.id.text().filter(|id| !id.is_empty())?, environment.name.fact()?);
        let is_id = why_not(&name.value).is_none() && !placeholder::is_placeholder(&name.value, false) && *name.value != *id;
        if !is_id || !name.is_written() {
            return None;
        }
        let key = format!("{}.id", environment.key);
        let message = format!("`{}` is a name only: without an `id` this environment is prime-rl's default, `{id}`", name.value);
        let title = format!("set `{key}` to \"{}\"", name.value);
        Some(Finding::new(message).on(name).help(&*title).repair(Repair::possible(&*title).set(&key, &*name.value)))
    })
}

/// Why no module has the name that verifiers makes of an id; `None` if one may have it.
fn why_not(id: &str) -> Option<&'static str> {
    let name = id.rsplit('/').next().unwrap_or(id);
    let module = name.split('@').next().unwrap_or(name);
    if module.is_empty() {
        return Some("it has no name");
    }
    if module.contains(':') {
        return Some("verifiers imports a package, and calls its `load_environment` itself");
    }
    if module.rsplit_once('.').is_some_and(|(_, end)| end == "py") {
        return Some("verifiers imports a package by its name, not a file by its path");
    }
    let is_of_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.');
    (!module.chars().all(is_of_name) || module.split('.').any(str::is_empty)).then_some("no package has such a name")
}

/// What to write instead: the last part of the id that can be a name.
fn help(id: &str, named: &str) -> String {
    let module = id.split(['@', ':']).next().unwrap_or(id).trim_end_matches(".py");
    let name = module.rsplit('/').next().unwrap_or(module);
    match why_not(name) {
        None if !name.is_empty() => {
            format!(
                "write the name of its package, such as `{}`, or `owner/name` of the hub{named}",
                name.split('.').next().unwrap_or(name)
            )
        }
        _ => format!("write the name of its package, or `owner/name` of the hub{named}"),
    }
}

#[cfg(test)]
mod tests {
    use super::why_not;

    #[test]
    fn ids_of_packages_are_distinguished_from_others() {
        for id in [
            "reverse-text",
            "primeintellect/reverse-text",
            "primeintellect/reverse-text@0.1.4",
            "owner/name@latest",
            "mypkg.envs.search",
            "2048",
            "envs/search",
            "gsm8k_v1.1",
        ] {
            assert_eq!(why_not(id), None, "{id}");
        }
        for id in
            ["mypkg.envs.search:load_environment", "./envs/x.py", "envs/", "my env", "a\\b", "x..y", "a+b", "git+https://x/y#z"]
        {
            assert!(why_not(id).is_some(), "{id}");
        }
    }
}
