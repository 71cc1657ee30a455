//! Training on evaluation tasks, or evaluating on training tasks. Defaults of the environment count as well.

use cfg_diag::{Severity, codes};
use cfg_plan::Role;
use cfg_schema::Kind;

use super::{at_arg, at_environment, name};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::WRONG_SPLIT,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (environment, declared) in cx.environments.each(cx.plan) {
        let Some(table) = environment.args_key() else { continue };
        for known in &declared.args {
            let fitting = if environment.role == Role::Train { &known.train } else { &known.eval };
            let Some(first) = fitting.first() else { continue };
            let arg = environment.arg(&known.name);
            // A value that is not one of the choices is reported by another rule.
            if arg.is_some_and(|arg| known.fault(arg).is_some()) {
                continue;
            }
            let Some(value) =
                declared.effective(environment, &known.name).filter(|value| !fitting.iter().any(|fit| fit == value))
            else {
                continue;
            };
            let (what, instead) = match environment.role {
                Role::Train => ("trained on", "any evaluation on it afterwards is meaningless"),
                Role::Eval => ("evaluated on", "it is the split used for training"),
            };
            let missing = if arg.is_some() { "" } else { ", which is its default" };
            let message = format!("{} is {what} with `{} = \"{value}\"`{missing}: {instead}", name(environment), known.name);
            let finding = Finding::new(message);
            let finding = match arg {
                Some(arg) => at_arg(finding, arg).label(format!("{what} here")),
                None => at_environment(finding.key(table.below(&known.name)), environment).label(format!("no `{}`", known.name)),
            };
            // Without a declaration, only the names of the choices show their purpose.
            let is_read = declared.place.is_some();
            let finding = if environment.role == Role::Eval || is_read { finding.severity(Severity::Warning) } else { finding };
            let repair = Repair::possible(format!("set `{}` to {first:?}", known.name)).set(&table.below(&known.name), &**first);
            findings.push(finding.help(format!("write `{} = {first:?}`", known.name)).repair(repair));
        }
    }
    findings
}
