//! Arguments that an environment accepts one by one but that conflict. The declaration lists them.

use std::borrow::Cow;

use cfg_diag::{Order, codes};
use cfg_plan::Environment;
use cfg_schema::Kind;

use super::{at_arg, at_environment, name};
use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    declared::{Conflict, Declared},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::ENV_ARGS_CONFLICT,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (environment, declared) in cx.environments.each(cx.plan) {
        let holds = |conflict: &&Conflict| {
            conflict.unset.iter().all(|name| environment.arg(name).is_none())
                && conflict.when.iter().all(|(name, values)| {
                    declared.effective(environment, name).is_some_and(|value| values.iter().any(|wanted| *wanted == value))
                })
        };
        findings.extend(declared.conflicts.iter().filter(holds).map(|conflict| finding(environment, declared, conflict)));
    }
    findings
}

fn finding(environment: &Environment, declared: &Declared, conflict: &Conflict) -> Finding {
    let shown = |(name, _): &(String, Vec<String>)| {
        let value = declared.effective(environment, name).unwrap_or(Cow::Borrowed(""));
        let by_default = if environment.arg(name).is_some() { "" } else { " (the default)" };
        format!("{name} = {value}{by_default}")
    };
    let ends: Vec<String> = conflict.when.iter().map(shown).collect();
    let unset = conflict.unset.iter().map(|name| format!("no {name}"));
    let ends: Vec<String> = ends.into_iter().chain(unset).collect();
    let message = format!("{}: {} ({})", name(environment), conflict.says, ends.join(", "));
    let mut finding = Finding::new(message).severity(conflict.severity).help(conflict.instead.clone());
    let mut written = conflict.when.iter().filter_map(|(name, _)| environment.arg(name)).collect::<Vec<_>>();
    // The last written one was probably added last.
    written.order_by_key(|arg| arg.location().map(|location| location.span.start));
    let Some(last) = written.pop() else { return at_environment(finding.key(environment.key.clone()), environment) };
    for other in written {
        if let Some(location) = other.location() {
            finding = finding.related(location, format!("together with this `{}`", other.name));
        }
    }
    at_arg(finding, last)
}
