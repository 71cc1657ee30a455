//! The shared `wandb` table turns Weights & Biases on in trainer and orchestrator and replaces their values. Both must log to the same project.

use cfg_schema::Behaviour;

use super::same::same;
use crate::native::{Failure, ValidatorCtx};

/// A component's table, and the keys below it to which shared keys are copied.
struct Component {
    table: &'static str,
    /// The name to which a suffix is added unless all processes log to one run.
    name: &'static str,
    suffix: &'static str,
    /// Each shared key, and the key that it replaces.
    shared: [(&'static str, &'static str); 5],
}

macro_rules! component {
    ($suffix:literal, $table:literal) => {
        Component {
            table: $table,
            name: concat!($table, ".name"),
            suffix: $suffix,
            shared: [
                ("wandb.project", concat!($table, ".project")),
                ("wandb.offline", concat!($table, ".offline")),
                ("wandb.entity", concat!($table, ".entity")),
                ("wandb.group", concat!($table, ".group")),
                ("wandb.tags", concat!($table, ".tags")),
            ],
        }
    };
}

static COMPONENTS: [Component; 2] = [component!("trainer", "trainer.wandb"), component!("orchestrator", "orchestrator.wandb")];
static BELOW_MONITOR: [Component; 2] =
    [component!("trainer", "trainer.monitor.wandb"), component!("orchestrator", "orchestrator.monitor.wandb")];

pub(super) fn check(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    let components = if cx.point.lacks(Behaviour::NoMonitorTable) { &BELOW_MONITOR } else { &COMPONENTS };
    if cx.has("wandb") {
        components.iter().for_each(|component| share(cx, component));
    }
    let [trainer, orchestrator] = components;
    compare(cx, trainer.table, orchestrator.table)?;
    if cx.point.has(Behaviour::PrimeMonitor)
        && cx.has("orchestrator.prime_monitor")
        && !cx.has("orchestrator.prime_monitor.run_name")
        && cx.is_true("wandb.name")
    {
        cx.copy("wandb.name", "orchestrator.prime_monitor.run_name");
    }
    Ok(())
}

fn share(cx: &mut ValidatorCtx<'_>, component: &Component) {
    if !cx.has(component.table) {
        cx.from("wandb").set_table(component.table, None);
    }
    let shared = if cx.point.lacks(Behaviour::EntityGroupTags) { &component.shared[..2] } else { &component.shared[..] };
    for &(from, to) in shared {
        if cx.is_true(from) {
            cx.copy(from, to);
        }
    }
    if let Some(name) = cx.str("wandb.name").filter(|name| !name.is_empty()) {
        let own = if cx.bool("wandb.shared") { name.to_owned() } else { [name, "-", component.suffix].concat() };
        cx.from("wandb.name").set_str(component.name, &own);
    }
}

fn compare(cx: &ValidatorCtx<'_>, trainer: &'static str, orchestrator: &'static str) -> Result<(), Failure> {
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
