//! Weights, gradients or optimizer states in the main memory that no known machine with these cards has room for.

use cfg_diag::codes;
use cfg_memory::{catalogue, trainer::Offload};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange, assessed::Assessed};

pub(crate) static RULE: Rule = Rule {
    code: &codes::OFFLOAD_EXCEEDS_HOST,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let assessed = Assessed::of(cx)?;
    let trainer = assessed.run.trainer.as_ref()?;
    let (hardware, _) = cx.project.machine(cx.metadata)?;
    let hardware = hardware.ok()?;
    let (machine, each) = catalogue::most_main_memory(&hardware.gpu.name)?;
    // Each GPU of the trainer has an equal part, in the memory of its own machine.
    let here = hardware.count.min(trainer.gpus).max(1);
    let needed = assessed.assessment.host_memory * (f64::from(here) / f64::from(trainer.gpus.max(1)));
    let most = each * f64::from(hardware.count.max(1));
    if needed <= most {
        return None;
    }
    let model = &cx.plan.trainer.as_ref()?.model;
    let (what, fact) = match trainer.offload {
        Offload::None => return None,
        Offload::Optimizer => ("optimizer states", &model.optim_cpu_offload),
        Offload::Full => ("weights, gradients and optimizer states", &model.full_offload),
        Offload::Fsdp => ("weights, gradients and optimizer states", &model.fsdp_cpu_offload),
    };
    let card = &hardware.gpu.name;
    let message = format!(
        "the {what} take {needed} of each machine's main memory, but no known machine with {}x {card} has more than {most}",
        hardware.count
    );
    let finding = Finding::new(message).label(format!("{} has the most: {each} for each {card}", machine.name));
    let finding = match fact.fact() {
        Some(fact) => finding.on(fact),
        None => finding,
    };
    Some(finding.help(
        "the system ends the trainer without an error of Python; use more machines, or train adapters, whose optimizer states \
         are small",
    ))
}
