//! Names of environments that are paths: the launcher writes the config of an environment's server to a file of that name.

use std::{cell::OnceCell, collections::HashMap};

use cfg_diag::codes;
use cfg_plan::{Environment, Role, last_part};
use cfg_schema::{Behaviour, Kind};

use super::at_environment;
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, placeholders::placeholder};

pub(crate) static RULE: Rule = Rule {
    code: &codes::ENV_NAME_WITH_SLASH,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Evals],
    versions: VersionRange::with(Behaviour::EnvServers),
    fix: FixKind::Mixed,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    // A server that runs elsewhere gets no file.
    let started = cx.plan.environments.iter().filter(|environment| environment.address.fact().is_none());
    let uses = OnceCell::new();
    started.filter_map(|environment| finding(cx, &uses, environment)).collect()
}

/// `uses` are counted for the first finding.
fn finding<'a>(cx: &Context<'a>, uses: &OnceCell<Uses<'a>>, environment: &Environment) -> Option<Finding> {
    let named = environment.name.fact();
    let (name, is_written) = match named {
        Some(name) if !name.value.is_empty() => (&*name.value, true),
        _ => (environment.id.text().filter(|_| environment.id.is_written())?, false),
    };
    if !is_in_folder(name) || placeholder::is_placeholder(name, false) {
        return None;
    }
    let what =
        if is_written { format!("name `{name}` has a slash") } else { format!("id `{name}` has a slash, and it has no `name`") };
    let folder = match environment.role {
        Role::Train => "envs/train",
        Role::Eval => "envs/eval",
    };
    let message = format!("the environment's {what}: the launcher can't write its server's config into `{folder}`");
    let key = format!("{}.name", environment.key);
    let short = if is_written { name.replace('/', "-") } else { last_part(name).to_owned() };
    let title = format!("set `{key}` to \"{short}\"");
    let finding = match (named.filter(|_| is_written), environment.id.fact()) {
        (Some(named), _) => Finding::new(message).on(named),
        (None, Some(id)) => Finding::new(message).on(id),
        (None, None) => at_environment(Finding::new(message), environment),
    };
    // Another environment of the same purpose has the name, or would get it too.
    let own = usize::from(last_part(name) == short);
    let is_taken = || counted(cx, uses).get(&(environment.role, &*short)).is_some_and(|count| *count > own);
    if short.is_empty() || short == "agg" || is_taken() {
        return Some(finding.help(format!("set `{key}` to a name without a slash")));
    }
    let repair = if is_written { Repair::possible(title.clone()) } else { Repair::safe(title.clone()) };
    Some(finding.help(title).repair(repair.set(&key, short.as_str())))
}

/// Whether a file of this name is in a folder that nothing makes: not beside the others, above them, or at the root.
fn is_in_folder(name: &str) -> bool {
    let (folders, _) = name.rsplit_once('/').unwrap_or_default();
    let first = folders.split('/').find(|part| *part != ".");
    first.is_some_and(|first| !matches!(first, "" | ".."))
}

/// How often each name is that of an environment of a purpose, or would be if its id were shortened.
type Uses<'a> = HashMap<(Role, &'a str), usize>;

fn counted<'u, 'a>(cx: &Context<'a>, uses: &'u OnceCell<Uses<'a>>) -> &'u Uses<'a> {
    uses.get_or_init(|| {
        let mut found = Uses::new();
        for environment in &cx.plan.environments {
            let named = environment.name.text().filter(|name| !name.is_empty());
            let Some(name) = named.or_else(|| environment.id.text()) else { continue };
            let short = last_part(name);
            *found.entry((environment.role, short)).or_default() += 1;
            if name != short {
                *found.entry((environment.role, name)).or_default() += 1;
            }
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::is_in_folder;

    #[test]
    fn only_a_folder_that_nothing_makes_counts() {
        for name in ["owner/name", "owner/name@0.1", "./a/b", "a/../b", "gsm8k+owner/name"] {
            assert!(is_in_folder(name), "{name}");
        }
        for name in ["name", "", "./name", "/tmp/name", "../name"] {
            assert!(!is_in_folder(name), "{name}");
        }
    }
}
