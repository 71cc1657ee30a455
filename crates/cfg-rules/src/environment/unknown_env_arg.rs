//! An environment drops unknown arguments: a typing error leaves the default in effect. prime-rl passes all arguments on without reading them.

use cfg_diag::{Severity, codes};
use cfg_plan::{Arg, Environment};
use cfg_resolve::nearest;
use cfg_schema::Kind;

use super::{at_arg, name};
use crate::{
    Check, Context, Finding, FixKind, Repair, Rule, VersionRange,
    curriculum::KEYS,
    declared::{Declared, Others},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNKNOWN_ENV_ARG,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

/// The length of the names after which no more are listed, in bytes: each finding has them.
const MAX_LISTED: usize = 4096;

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (environment, declared) in cx.environments.each(cx.plan) {
        findings.extend(environment.args.iter().filter_map(|arg| check_arg(environment, declared, arg)));
    }
    findings
}

fn check_arg(environment: &Environment, declared: &Declared, arg: &Arg) -> Option<Finding> {
    if let Some(known) = declared.arg(&arg.name) {
        let reason = known.ignored.as_deref()?;
        let message = format!("`{}` has no effect in {}", arg.name, name(environment));
        return Some(at_arg(Finding::new(message), arg).label("ignored").help(format!("remove it: {reason}")));
    }
    let others = declared.others?;
    let is_curriculum = declared.curriculum.is_some() && KEYS.contains(&&*arg.name);
    if is_curriculum || declared.passed_on.iter().any(|name| **name == *arg.name) {
        return None;
    }
    let what = if others == Others::Ignored { "silently ignores it" } else { "refuses to start with it" };
    let message = format!("{} has no argument `{}` and {what}", name(environment), arg.name);
    let finding = at_arg(Finding::new(message), arg).label("no such argument");
    let finding = if others == Others::Refused { finding.severity(Severity::Error) } else { finding };
    let candidates = declared.args.iter().map(|arg| &*arg.name).chain(declared.passed_on.iter().map(|name| &**name));
    Some(match nearest(&arg.name, candidates) {
        Some(near) => {
            let finding = finding.help(format!("write `{near}`"));
            match arg.key().strip_suffix(&*arg.name).filter(|_| environment.arg(near).is_none()) {
                Some(table) => {
                    let repair = Repair::possible(format!("rename it to `{near}`"));
                    finding.repair(repair.relocate(&arg.key(), &format!("{table}{near}")))
                }
                None => finding,
            }
        }
        None => {
            let takes = taken(declared);
            match &declared.place {
                Some(place) => finding.help(format!("it takes {takes} ({place})")),
                None => finding.help(format!("it takes {takes}")),
            }
        }
    })
}

/// The names of the arguments that an environment takes.
fn taken(declared: &Declared) -> String {
    let mut names = declared.args.iter().filter(|arg| arg.ignored.is_none());
    let mut listed: Vec<String> = Vec::new();
    let mut length = 0;
    while length < MAX_LISTED
        && let Some(arg) = names.next()
    {
        let name = format!("`{}`", arg.name);
        length += name.len();
        listed.push(name);
    }
    match (listed.is_empty(), names.count()) {
        (true, _) => "no arguments".to_owned(),
        (false, 0) => listed.join(", "),
        (false, more) => format!("{} and {more} more", listed.join(", ")),
    }
}
