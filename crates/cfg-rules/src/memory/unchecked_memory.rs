//! A stated machine for which memory can't be checked, because the model is not known.

use cfg_diag::codes;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, MachineSource, Rule, VersionRange, assessed::Assessed};

pub(crate) static RULE: Rule = Rule {
    code: &codes::UNCHECKED_MEMORY,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer, Kind::Inference],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let unknown = Assessed::unknown_model(cx)?;
    let (Ok(hardware), MachineSource::CommandLine | MachineSource::Config(_)) = cx.project.machine(cx.metadata)? else {
        return None;
    };
    let trained = cx.plan.trainer.as_ref().and_then(|trainer| trainer.model.name.fact());
    let served = cx.plan.inference.as_ref().and_then(|inference| inference.model_name.fact());
    let name = [trained, served].into_iter().flatten().find(|name| *name.value == *unknown.id)?;
    let message = format!(
        "memory is not checked for {}x {}: the architecture of the model {} is unknown",
        hardware.count, hardware.gpu.name, unknown.id
    );
    let help = match (unknown.foreign_format(), unknown.unsupported_family()) {
        (Some(format), _) => format!("its files are {format}, which prime-rl does not load: use the model that they were made from"),
        (None, Some(_)) => unknown.advice(),
        (None, None) => {
            "pass the model's `config.json` with `cfg memory --model-config FILE`; cfg finds it next to local weights and in the hub's cache".to_owned()
        }
    };
    Some(Finding::new(message).on(name).label("not in the table of models").help(help))
}
