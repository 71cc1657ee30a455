//! The orchestrator requests an adapter from the inference server by its name; without one it always requests the base model. Since 91182b7d6 `rl`
//! fills the name in. Files of single components have to state it.

use cfg_diag::{Severity, codes};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::ADAPTER_NAME,
    kinds: &[Kind::Rl, Kind::Trainer, Kind::Orchestrator],
    versions: VersionRange::with(Behaviour::AdaptersAreServed),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    match cx.kind {
        Kind::Rl => of_run(cx),
        Kind::Trainer => of_trainer(cx),
        _ => of_orchestrator(cx),
    }
}

/// Checks an `rl` config at a version that does not set the name itself.
fn of_run(cx: &Context<'_>) -> Option<Finding> {
    if cx.target.point.has(Behaviour::AdapterIsNamed) {
        return None;
    }
    let adapters = super::adapters(cx)?;
    let name = &cx.plan.orchestrator.as_ref()?.model.lora_name;
    let key = name.key().filter(|_| name.is_empty())?;
    let repair = Repair::possible(format!("set `{key}`")).set(key, "adapter");
    if !super::sends_no_adapter(cx) {
        return Some(
            Finding::new(UNUSED)
                .on(adapters)
                .label("an adapter here")
                .help(format!("set `{key}`, to any name; later versions of rl do that themselves"))
                .repair(repair),
        );
    }
    // Modules that are trained in full are sent with the weights of the base model.
    let message = match adapters.value.modules_to_save.fact().filter(|modules| !modules.value.is_empty()) {
        Some(modules) => format!(
            "the adapter has no name and is not sent: rollouts come from the base model with the modules in `{}`, and the adapter has no effect on \
             them",
            modules.key.name()
        ),
        None => UNUSED.to_owned(),
    };
    let only = "trainer.weight_broadcast.adapter_only";
    let help = format!("set `{key}`, to any name, and `{only} = true`; later versions of rl do that themselves");
    Some(Finding::new(message).on(adapters).label("an adapter here").help(help).repair(repair.set(&only, true)))
}

/// What an adapter without a name does.
const UNUSED: &str = "the adapter has no name: rollouts come from the base model, and training has no effect on them";

/// Checks the trainer's own file, which can't contain the name, so this is an info.
fn of_trainer(cx: &Context<'_>) -> Option<Finding> {
    let adapters = super::adapters(cx).filter(|_| cx.plan.orchestrator.is_none())?;
    // With several runs at once, the orchestrator of each names its adapter.
    if cx.plan.trainer.as_ref()?.max_concurrent_runs.get().is_some_and(|runs| runs > 1) {
        return None;
    }
    let key = if cx.target.point.lacks(Behaviour::AdapterInModel) { "lora_name" } else { "model.lora.name" };
    Some(
        Finding::new("no other process knows this adapter's name: only rl passes it on, and this is the trainer's own config")
            .severity(Severity::Info)
            .on(adapters)
            .label("an adapter here")
            .help(format!("set `{key}` in the orchestrator's config and `enable_lora` in the inference server's")),
    )
}

/// Checks an orchestrator's config for a table of the adapter without a name.
fn of_orchestrator(cx: &Context<'_>) -> Option<Finding> {
    let model = &cx.plan.orchestrator.as_ref()?.model;
    let key = model.lora_name.key().filter(|_| model.lora_name.is_empty())?;
    let finding = Finding::new(UNUSED);
    let finding = match (model.lora_rank.fact(), model.lora_alpha.fact()) {
        (Some(rank), _) if rank.is_written() => finding.on(rank),
        (_, Some(alpha)) if alpha.is_written() => finding.on(alpha),
        _ => return None,
    };
    let repair = Repair::possible(format!("set `{key}`")).set(key, "adapter");
    Some(finding.label("of an adapter").help(format!("set `{key}`, to any name")).repair(repair))
}
