//! The shared `wandb` table turns Weights & Biases on in trainer and orchestrator and replaces their values. Both must log to the same project.

use cfg_schema::Behaviour;

use super::same::same;
use crate::{
    native::{Failure, ValidatorCtx},
    view,
};

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let below_monitor = cx.point.lacks(Behaviour::NoMonitorTable);
    let tables = if below_monitor {
        ["trainer.monitor.wandb", "orchestrator.monitor.wandb"]
    } else {
        ["trainer.wandb", "orchestrator.wandb"]
    };
    if cx.has("wandb") {
        share(cx, tables);
    }
    compare(cx, tables)?;
    if cx.point.has(Behaviour::PrimeMonitor)
        && cx.has("orchestrator.prime_monitor")
        && !cx.has("orchestrator.prime_monitor.run_name")
        && cx.is_true("wandb.name")
    {
        cx.copy("wandb.name", "orchestrator.prime_monitor.run_name");
    }
    Ok(())
}

/// The keys that replace those of the components; the name is not one of them.
const SHARED: [&str; 5] = ["wandb.project", "wandb.offline", "wandb.entity", "wandb.group", "wandb.tags"];

fn share(cx: &mut ValidatorCtx<'_>, tables: [&'static str; 2]) {
    for (table, suffix) in tables.into_iter().zip(["trainer", "orchestrator"]) {
        if !cx.has(table) {
            cx.from("wandb").set_table(table, None);
        }
        let keys = if cx.point.lacks(Behaviour::EntityGroupTags) { &SHARED[..2] } else { &SHARED[..] };
        for from in keys {
            if cx.is_true(from) {
                let (_, key) = view::last_key(from);
                cx.copy(*from, &[table, ".", key].concat());
            }
        }
        if let Some(name) = cx.str("wandb.name").map(str::to_owned).filter(|name| !name.is_empty()) {
            let own = if cx.bool("wandb.shared") { name } else { format!("{name}-{suffix}") };
            cx.from("wandb.name").set_str(&[table, ".name"].concat(), &own);
        }
    }
}

fn compare(cx: &ValidatorCtx<'_>, [trainer, orchestrator]: [&'static str; 2]) -> Result<(), Failure> {
    match (cx.has(trainer), cx.has(orchestrator)) {
        (true, true) if cx.point.lacks(Behaviour::NoMonitorTable) => {
            same(cx, "trainer.monitor.wandb.project", "orchestrator.monitor.wandb.project", "wandb.project")
        }
        (true, true) => same(cx, "trainer.wandb.project", "orchestrator.wandb.project", "wandb.project"),
        (true, false) if cx.point.has(Behaviour::BothLog) => Err(one_sided(trainer, orchestrator)),
        (false, true) if cx.point.has(Behaviour::BothLog) => Err(one_sided(orchestrator, trainer)),
        _ => Ok(()),
    }
}

fn one_sided(present: &'static str, absent: &'static str) -> Failure {
    let message = format!("`[{present}]` is present, `[{absent}]` is not: only half of the run's metrics would be logged");
    Failure::value(message, &[present, absent]).help(format!("add `[{absent}]`, or use `[wandb]` for both"))
}
