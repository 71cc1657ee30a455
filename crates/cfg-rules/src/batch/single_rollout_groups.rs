//! An advantage relative to the group is 0 if the group is one rollout.

use cfg_diag::{Severity, codes};
use cfg_plan::{Environment, Fact, Orchestrator};
use cfg_resolve::View;
use cfg_schema::{Behaviour, Kind};

use super::own_group_sizes;
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::SINGLE_ROLLOUT_GROUPS,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(orchestrator) = cx.plan.orchestrator.as_ref().filter(|_| !cx.is_trial()) else { return Vec::new() };
    let single = |size: &&Fact<i64>| size.value == 1;
    let of_all = orchestrator.batch.group_size.fact().filter(single);
    let mut own = own_group_sizes(cx.plan).filter(single).peekable();
    if of_all.is_none() && own.peek().is_none() || !is_relative(cx, orchestrator) {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = own.map(|size| finding(cx, size, None)).collect();
    let has_none = cx.plan.train_environments().next().is_none();
    let takes_it = |environment: &Environment| environment.group_size.origin().is_none_or(|origin| origin.location().is_none());
    if let Some(size) = of_all.filter(|_| has_none || cx.plan.train_environments().any(takes_it)) {
        // A default is not reported for a config that is only a trial, nor if the key is misspelt.
        let batch = orchestrator.batch.batch_size.fact().filter(|batch| batch.is_written());
        if size.is_written() || batch.is_some() && cx.plan.is_valid {
            findings.push(finding(cx, size, batch));
        }
    }
    findings
}

fn finding(cx: &Context<'_>, size: &Fact<i64>, batch: Option<&Fact<i64>>) -> Finding {
    let key = size.written_key();
    let message = "one rollout per problem, but advantages are relative to the other rollouts of the same problem: all are 0, \
        and nothing is learned";
    // Most configs have 8 or 16; a batch has whole groups.
    let example = [8, 4, 2].into_iter().find(|group| batch.is_none_or(|batch| batch.value % group == 0));
    let help = match example {
        Some(group) => format!("set `{key}` to {group}, for example; `batch_size` counts rollouts and can stay the same"),
        None => format!("set `{key}` to a divisor of `batch_size` that is at least 2"),
    };
    let finding = Finding::new(message).on(size).help(help);
    let finding = match batch {
        Some(batch) if !size.is_written() => finding.with(batch, format!("`{}` defaults to 1", key.name())),
        _ => finding.label("1 rollout of each problem"),
    };
    // The trainer's own file may set another kind of training signal.
    let is_certain = size.is_written() && cx.plan.point.lacks(Behaviour::SeveralAgents) && !cx.plan.is_split();
    let finding = if is_certain { finding } else { finding.severity(Severity::Warning) };
    match example {
        Some(group) => finding.repair(Repair::possible(format!("set `{}` to {group}", key.name())).set(key, group)),
        None => finding,
    }
}

/// Whether rewards compared within a group are the only training signal.
fn is_relative(cx: &Context<'_>, orchestrator: &Orchestrator) -> bool {
    let algorithm = orchestrator.algorithm.text();
    let is_known = orchestrator.algorithm.is_known() && orchestrator.advantage.is_known();
    let is_relative = algorithm.is_none_or(|algorithm| matches!(algorithm, "default" | "grpo" | "max_rl"));
    let is_taught = orchestrator.teacher.name.fact().is_some();
    let has_other_loss = cx.plan.trainer.as_ref().is_some_and(|trainer| {
        trainer.teacher_tau.get().is_some_and(|tau| tau > 0.0) || trainer.loss.is("custom") || trainer.fake_data.fact().is_some()
    });
    let is_distilled = orchestrator.training_mode.text().is_some_and(|mode| mode != "rl");
    is_known
        && is_relative
        && !orchestrator.advantage.is_off()
        && !is_taught
        && !has_other_loss
        && !is_distilled
        && !an_environment_has_its_own(cx)
}

/// Whether an environment sets its own algorithm or advantages.
fn an_environment_has_its_own(cx: &Context<'_>) -> bool {
    let is_written = |view: &View<'_>, key| view.origin(key).is_some_and(|origin| origin.location().is_some());
    let own = |view: &View<'_>| is_written(view, "algo") || is_written(view, "advantage");
    let prefix = if cx.kind == Kind::Rl { "orchestrator." } else { "" };
    ["train.source", "train.env"].iter().any(|path| cx.view.each(&format!("{prefix}{path}")).iter().any(|(_, view)| own(view)))
}
