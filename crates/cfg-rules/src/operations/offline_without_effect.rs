//! A process with `offline` set, although all processes log to one shared run of Weights & Biases: sharing needs the server, and takes precedence.

use cfg_diag::codes;
use cfg_plan::{Entries, Fact, Setting, Wandb};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::OFFLINE_WITHOUT_EFFECT,
    kinds: &[Kind::Rl, Kind::Sft],
    versions: VersionRange::with(Behaviour::SharedWandb),
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(shared) = sharing(cx) else { return Vec::new() };
    let trainer = cx.plan.trainer.as_deref().map(|trainer| (&trainer.wandb, &trainer.env_vars, "trainer"));
    let orchestrator = cx.plan.orchestrator.as_deref().map(|process| (&process.wandb, &process.env_vars, "orchestrator"));
    let processes = trainer.into_iter().chain(orchestrator);
    processes.filter_map(|(wandb, variables, process)| of_process(cx, shared, wandb, variables, process)).collect()
}

/// How a run shares its run of Weights & Biases, and how to turn that off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// Always.
    Always,
    /// Only if a key of the shared table says so.
    ByKey,
}

fn sharing(cx: &Context<'_>) -> Option<Sharing> {
    match cx.kind {
        Kind::Sft => (cx.plan.point.has(Behaviour::SftEvaluates) && cx.plan.eval().is_some()).then_some(Sharing::Always),
        _ if cx.plan.point.has(Behaviour::WandbAlwaysShared) => Some(Sharing::Always),
        _ => (cx.view.bool("wandb.shared") == Some(true)).then_some(Sharing::ByKey),
    }
}

fn of_process(
    cx: &Context<'_>,
    sharing: Sharing,
    wandb: &Setting<Wandb>,
    variables: &Setting<Entries>,
    process: &str,
) -> Option<Finding> {
    let offline = wandb.value()?.offline.fact().filter(|offline| offline.value && offline.is_written())?;
    // prime-rl itself refuses the value if it is in the shared table.
    if offline.shared.is_some() && cx.kind == Kind::Rl {
        return None;
    }
    let is_away = |entries: &Fact<Entries>| {
        let mode = entries.value.get("WANDB_MODE").and_then(|mode| mode.value.as_str());
        mode.is_some_and(|mode| matches!(mode, "offline" | "disabled"))
    };
    let mode_counts = cx.plan.point.has(Behaviour::WandbModeCounts);
    if mode_counts && [variables.fact(), cx.plan.run.env_vars.fact()].into_iter().flatten().any(is_away) {
        return None;
    }
    let message = format!("`offline` has no effect: the {process} logs to a run that is shared over the network");
    let help = match (sharing, mode_counts) {
        (Sharing::ByKey, _) => "set `wandb.shared = false` to log to separate runs, or remove `offline`",
        (Sharing::Always, _) => "set `WANDB_MODE=offline` in the environment, or remove `offline`",
    };
    Some(Finding::new(message).on(offline).help(help))
}
