//! Trainer and inference server share some GPUs. If they share all of them, only the memory rules apply.

use cfg_diag::codes;
use cfg_plan::{Fact, Plan};
use cfg_schema::{Behaviour, Kind};

use super::nccl_on_one_gpu;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::SHARED_GPU,
    kinds: &[Kind::Rl],
    versions: VersionRange::without(Behaviour::Deployments),
    fix: FixKind::None,
    check: Check::Once(check),
};

/// The lists of the trainer's and the server's GPUs, and the first id that is in both.
pub(super) struct Shared<'a> {
    pub(super) trainer: &'a Fact<Vec<i64>>,
    pub(super) inference: &'a Fact<Vec<i64>>,
    pub(super) id: i64,
}

/// The GPUs of both, if they share one and the weights are not sent by NCCL, which would refuse that.
pub(super) fn shared(plan: &Plan) -> Option<Shared<'_>> {
    plan.trainer.as_ref()?;
    plan.inference.as_ref()?;
    let (trainer, inference) = (plan.run.gpus.trainer_ids.fact()?, plan.run.gpus.inference_ids.fact()?);
    let id = trainer.value.iter().copied().find(|id| inference.value.contains(id))?;
    nccl_on_one_gpu::meeting(plan).is_none().then_some(Shared { trainer, inference, id })
}

fn check(cx: &Context<'_>) -> Option<Finding> {
    let Shared { trainer, inference, id } = shared(cx.plan)?;
    let has_all = |of: &[i64], all: &[i64]| all.iter().all(|id| of.contains(id));
    let is_partial = !has_all(&trainer.value, &inference.value) || !has_all(&inference.value, &trainer.value);
    let message = format!("GPU {id} is shared by the trainer and the inference server, others are not: is this intended?");
    let finding = Finding::new(message).on(trainer).with(inference, "also used by the inference server");
    is_partial.then(|| finding.help("both must fit on the shared GPU; a list of ids that is off by one looks like this"))
}
