//! NCCL refuses two ranks on one GPU. prime-rl checks only the total number of GPUs, and so does not notice it.

use cfg_diag::codes;
use cfg_plan::{Fact, Plan};
use cfg_schema::{Behaviour, Kind};

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::NCCL_ON_ONE_GPU,
    kinds: &[Kind::Rl],
    versions: VersionRange::without(Behaviour::Deployments),
    fix: FixKind::None,
    check: Check::Once(check),
};

/// The type of broadcast, if it is written, and the GPU that both sends and receives.
pub(super) fn meeting(plan: &Plan) -> Option<(&Fact<Box<str>>, i64)> {
    let kind = plan.trainer.as_ref()?.weight_broadcast.value()?.kind.fact().filter(|kind| &*kind.value == "nccl")?;
    plan.inference.as_ref()?;
    let (trainer, inference) = (plan.run.gpus.trainer_ids.value()?, plan.run.gpus.inference_ids.value()?);
    // The first process of the trainer sends, every worker of the server receives. prime-rl itself refuses a total of one GPU.
    let sender = *trainer.first()?;
    let is_counted = trainer.iter().chain(inference).any(|id| *id != sender);
    let shared = plan.run.weight_broadcast.value().and_then(|shared| shared.kind.fact()).filter(|kind| kind.is_written());
    (inference.contains(&sender) && is_counted).then_some((shared.unwrap_or(kind), sender))
}

fn check(cx: &Context<'_>) -> Option<Finding> {
    let (kind, gpu) = meeting(cx.plan)?;
    let gpus = &cx.plan.run.gpus;
    let message = format!("the weights are sent by NCCL from GPU {gpu} to GPU {gpu}: NCCL can use a GPU only once");
    let finding = Finding::new(message)
        .on(kind)
        .with(gpus.trainer_ids.fact()?, "the first one sends")
        .with(gpus.inference_ids.fact()?, "these receive");
    Some(finding.help("use different GPUs for trainer and server, or send the weights by \"filesystem\""))
}
