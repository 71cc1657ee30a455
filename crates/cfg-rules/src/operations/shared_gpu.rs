//! Trainer and inference server on one GPU: right where each is given its part of the memory, and nowhere else.

use cfg_diag::codes;
use cfg_plan::{Fact, Plan};
use cfg_schema::Kind;

use super::nccl_on_one_gpu;
use crate::{Check, Context, Finding, FixKind, Rule, Targets, points};

/// Beyond this share of the memory the rest is too small for the weights, gradients and optimizer of anything but toy models.
const MOST: f64 = 0.8;

pub(crate) static RULE: Rule = Rule {
    code: &codes::SHARED_GPU,
    kinds: &[Kind::Rl],
    targets: Targets::until(points::DEPLOYMENTS),
    fix: FixKind::None,
    check: Check::Once(check),
};

/// The GPUs of both, and the first that is among the trainer's and the server's.
pub(super) struct Shared<'a> {
    pub(super) trainer: &'a Fact<Vec<i64>>,
    pub(super) inference: &'a Fact<Vec<i64>>,
    pub(super) id: i64,
}

/// The GPUs of both, where they have one in common that can be used so.
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
    let share = cx.plan.inference.as_ref()?.gpu_memory_utilization.fact()?;
    let ends = |finding: Finding| finding.on(trainer).with(inference, format!("GPU {id} is the inference server's too"));
    if is_partial {
        let message = format!("GPU {id} is shared by the trainer and the inference server, others are not: is that meant?");
        let help = "on the shared GPU both have to fit; a list that was shifted by one looks like this";
        return Some(ends(Finding::new(message)).help(help));
    }
    if share.value <= MOST {
        return None;
    }
    let by_default = if share.is_written() { "" } else { " by default" };
    let message = format!(
        "the trainer shares GPU {id} with the inference server, which{by_default} takes {:.0} % of its memory",
        share.value * 100.0
    );
    let help = format!("lower `{}` to what the trainer leaves, 0.5 for instance; `cfg memory` reckons it", share.written_key());
    Some(ends(Finding::new(message)).with(share, format!("{} here", share.value)).help(help))
}
