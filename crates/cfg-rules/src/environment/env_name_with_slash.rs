//! Names of environments that are paths: the launcher writes the config of an environment's server to a file of that name.

use cfg_diag::codes;
use cfg_plan::{Environment, Role};
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
    started.filter_map(|environment| finding(cx, environment)).collect()
}

fn finding(cx: &Context<'_>, environment: &Environment) -> Option<Finding> {
    let named = environment.name.fact();
    let (name, is_written) = match named {
        Some(name) if !name.value.is_empty() => (&*name.value, true),
        _ => (environment.id.text().filter(|_| environment.id.is_written())?, false),
    };
    if !is_in_folder(name) || placeholder::is_placeholder(name, false) {
        return None;
    }
    let what = if is_written { "the environment's name" } else { "without a `name` it is called by its id" };
    let folder = match environment.role {
        Role::Train => "envs/train",
        Role::Eval => "envs/eval",
    };
    let message =
        format!("{what} `{name}`, which has a slash: the launcher can't write the config of its server into `{folder}`");
    let key = format!("{}.name", environment.key);
    let short = short(name, is_written);
    let title = format!("set `{key}` to \"{short}\"");
    let finding = match (named.filter(|_| is_written), environment.id.fact()) {
        (Some(named), _) => Finding::new(message).on(named),
        (None, Some(id)) => Finding::new(message).on(id),
        (None, None) => at_environment(Finding::new(message), environment),
    };
    if short.is_empty() || is_taken(cx, environment, &short) {
        return Some(finding.help(format!("give it a `name` without a slash: `{key}`")));
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

/// A name without a slash: the last part of an id, without version; of a written name, all of its parts.
fn short(name: &str, is_written: bool) -> String {
    if is_written {
        return name.replace('/', "-");
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    last.split('@').next().unwrap_or(last).to_owned()
}

/// Whether another environment of the same purpose has the name already, or would get it too.
fn is_taken(cx: &Context<'_>, environment: &Environment, short: &str) -> bool {
    let others = cx.plan.environments.iter().filter(|other| other.role == environment.role && other.key != environment.key);
    let mut names = others.filter_map(|other| other.name.text().or_else(|| other.id.text()));
    short == "agg" || names.any(|name| name == short || self::short(name, false) == short)
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
