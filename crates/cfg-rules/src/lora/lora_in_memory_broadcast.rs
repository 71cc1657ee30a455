//! The inference server receives adapters as files. prime-rl checks that in the trainer since 2aa47ae6b, but not before, and not in the separate
//! configs of other processes.

use cfg_diag::codes;
use cfg_plan::{Fact, WeightBroadcast};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::LORA_IN_MEMORY_BROADCAST,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Orchestrator, Kind::Inference],
    versions: VersionRange::with(Behaviour::Adapters),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    match cx.kind {
        Kind::Rl | Kind::Trainer => of_trainer(cx),
        Kind::Orchestrator => of_orchestrator(cx),
        _ => of_inference(cx),
    }
}

/// Checks versions in which prime-rl does not: the inference server does not know the names of an adapted model's weights.
fn of_trainer(cx: &Context<'_>) -> Option<Finding> {
    if cx.target.point.has(Behaviour::AdaptersAreServed) {
        return None;
    }
    let adapters = super::adapters(cx)?;
    let kind = in_memory(cx.plan.trainer.as_ref()?.weight_broadcast.fact()?)?;
    Some(
        finding(kind, "the inference server does not know the weights of an adapted model by their names")
            .with(adapters, "adapters here"),
    )
}

fn of_orchestrator(cx: &Context<'_>) -> Option<Finding> {
    let orchestrator = cx.plan.orchestrator.as_ref()?;
    let name = orchestrator.model.lora_name.fact()?;
    let kind = in_memory(orchestrator.weight_broadcast.fact()?)?;
    Some(finding(kind, "the trainer can't send adapters this way, and refuses to start").with(name, "an adapter here"))
}

fn of_inference(cx: &Context<'_>) -> Option<Finding> {
    let inference = cx.plan.inference.as_ref()?;
    let enabled = inference.enable_lora.fact().filter(|enabled| enabled.value)?;
    let kind = inference.weight_broadcast.fact().filter(|kind| &*kind.value != "filesystem")?;
    Some(finding(kind, "the trainer can't send adapters this way, and refuses to start").with(enabled, "adapters are served"))
}

/// The type of broadcast, unless weights are sent as files.
fn in_memory(broadcast: &Fact<WeightBroadcast>) -> Option<&Fact<Box<str>>> {
    broadcast.value.kind.fact().filter(|kind| &*kind.value != "filesystem")
}

fn finding(kind: &Fact<Box<str>>, what: &str) -> Finding {
    let repair = Repair::possible("send it as files").set(kind.written_key(), "filesystem");
    Finding::new(format!("adapters can't be sent over {}: {what}", kind.value))
        .on(kind)
        .label(format!("{} here", kind.value))
        .help(format!("set `{}` to \"filesystem\"", kind.written_key()))
        .repair(repair)
}
