//! If each tool call of a training rollout goes over the network, a step waits for tools, and the GPUs wait too.

use cfg_diag::codes;
use cfg_plan::{Arg, Environment, Role};
use cfg_schema::Kind;

use super::{at_arg, name};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, declared::Declared};

/// A choice is reported if it takes at least this many times as long as the fastest one.
const TIMES: f64 = 5.0;

pub(crate) static RULE: Rule = Rule {
    code: &codes::SLOW_EXECUTOR,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (environment, declared) in cx.environments.each(cx.plan).filter(|(environment, _)| environment.role == Role::Train) {
        for known in declared.args.iter().filter(|known| !known.seconds.is_empty()) {
            let (Some(arg), Some(value)) = (environment.arg(&known.name), declared.effective(environment, &known.name)) else {
                continue;
            };
            let Some((_, slow)) = known.seconds.iter().find(|(name, _)| *name == value) else { continue };
            let fastest = known.seconds.iter().min_by(|one, other| one.1.total_cmp(&other.1));
            let Some((fast, seconds)) = fastest.filter(|(_, seconds)| *slow >= seconds * TIMES) else { continue };
            let message = format!(
                "with `{} = \"{value}\"` each tool call of {} takes about {slow} s, compared to {seconds} s with \"{fast}\": \
                 steps wait for tools",
                known.name,
                name(environment)
            );
            let finding = at_arg(Finding::new(message), arg).label(format!("{slow} s a call"));
            let repair = repair(environment, declared, arg, fast);
            let help = format!("use {fast:?} on your own machine; if the model's code must be sandboxed, accept the delay");
            findings.push(finding.help(help).repair(repair));
        }
    }
    findings
}

/// Sets the fast choice, and removes what does not work with it.
fn repair(environment: &Environment, declared: &Declared, slow: &Arg, fast: &str) -> Repair {
    let mut astray: Vec<&Arg> = Vec::new();
    for conflict in &declared.conflicts {
        let would_hold = conflict.when.iter().all(|(name, values)| {
            let value = if **name == *slow.name { Some(fast.into()) } else { declared.effective(environment, name) };
            value.is_some_and(|value| values.iter().any(|wanted| *wanted == value))
        });
        let others = conflict.when.iter().filter(|(name, _)| **name != *slow.name).filter_map(|(name, _)| environment.arg(name));
        astray.extend(others.filter(|_| would_hold && conflict.unset.is_empty()));
    }
    let names = astray.iter().map(|arg| format!(", and remove `{}`", arg.name)).collect::<Vec<_>>().concat();
    let repair = Repair::possible(format!("set `{}` to {fast:?}{names}", slow.name)).set(&slow.key(), fast);
    astray.into_iter().fold(repair, |repair, arg| repair.remove(&arg.key()))
}
