//! CUDA graphs use memory beyond the server's share, which does no harm on a GPU that the server has to itself.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::shared_gpu::{self, Shared};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CUDA_GRAPHS_ON_SHARED_GPU,
    kinds: &[Kind::Rl],
    versions: VersionRange::without(Behaviour::Deployments),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let Shared { trainer, inference, id } = shared_gpu::shared(cx.plan)?;
    let eager = cx.plan.inference.as_ref()?.enforce_eager.fact().filter(|eager| !eager.value && !eager.is_written())?;
    let message = format!(
        "vLLM captures CUDA graphs on GPU {id}, which it shares with the trainer; they take memory on \
        top of its share"
    );
    let help = format!("if memory is tight, set `{}` to true: generation gets slower, and up to 1.1 GiB are saved", eager.key);
    let repair = Repair::possible("disable CUDA graphs").set(&eager.key, true);
    Some(Finding::new(message).on(inference).with(trainer, "the trainer's").help(help).repair(repair))
}
