//! What a resumed run does not take from its checkpoint, or can't.

use cfg_launch::outputs::RunFolder;
use cfg_plan::{Plan, Setting};
use cfg_report::resume::ProblemReport;
use cfg_schema::{Behaviour, Point};

use super::{error, warning};
use crate::context::Context;

/// The settings by which a resumed trainer leaves something out of its checkpoint.
pub(super) fn begun_anew(plan: &Plan) -> Vec<ProblemReport> {
    let Some(ckpt) = plan.trainer.as_ref().and_then(|trainer| trainer.ckpt.value()) else { return Vec::new() };
    let settings: [(&Setting<bool>, &str); 4] = [
        (&ckpt.skip_progress, "steps, tokens and samples are counted from 0, so that the run trains all its steps once more"),
        (&ckpt.skip_scheduler, "the learning rate schedule starts over, including its warmup"),
        (&ckpt.skip_optimizer, "the optimizer begins without its moments"),
        (&ckpt.skip_dataloader, "the data is read from its first example, so that what was trained on comes again"),
    ];
    let is_on = settings.into_iter().filter(|(setting, _)| setting.is_on());
    is_on.filter_map(|(setting, what)| Some(warning(format!("`{}` is on: {what}", setting.key()?)))).collect()
}

/// A warning if the checkpoint of supervised fine-tuning has the position in the data of another number of ranks. A rank without its own position goes
/// on at that of the first one.
pub(super) fn other_ranks(cx: &Context, plan: &Plan, folder: &RunFolder, step: u64) -> Option<ProblemReport> {
    let trainer = plan.trainer.as_ref().filter(|_| plan.is_sft())?;
    let gpus = usize::try_from(plan.trainer_gpus()?).ok()?;
    if trainer.ckpt.value().is_some_and(|ckpt| ckpt.skip_dataloader.is_on()) {
        return None;
    }
    let checkpoint = folder.checkpoints.iter().find(|checkpoint| checkpoint.step == step)?;
    let part = checkpoint.parts.iter().find(|part| part.component == 0)?;
    let positions = part.path.join("dataloader");
    let names = cx.system.list(&positions, cfg_system::Scope::Anywhere).ok()?;
    let is_position = |name: &str| name.strip_prefix("rank_").is_some_and(|rank| rank.strip_suffix(".pt").is_some());
    let saved = names.iter().filter(|entry| entry.name.to_str().is_some_and(is_position)).count();
    (saved > 0 && saved != gpus).then(|| {
        let end = if saved < gpus {
            "the others continue at the position of the first rank, and train on its examples again"
        } else {
            "examples that the other ranks had not read yet are left out"
        };
        warning(format!(
            "the checkpoint has the position in the data of {saved} ranks, but the config trains on {gpus} GPUs: {end}; resume on as many GPUs as before"
        ))
    })
}

/// An error if this prime-rl can't send the weights of a checkpoint to the inference server.
pub(super) fn weights(plan: &Plan, point: Point) -> Option<ProblemReport> {
    let broadcast = plan.orchestrator.as_ref()?.weight_broadcast.value()?;
    if broadcast.kind.text() != Some("nccl") {
        return None;
    }
    let what = match () {
        () if point.has(Behaviour::NcclResumeHangs) => {
            "the server waits for the weights of the checkpoint, which the trainer only sends after a step that needs the server: the run would hang"
        }
        () if point.has(Behaviour::NcclResumeNeedsFiles) => {
            "the orchestrator looks for the weights of the checkpoint in files that NCCL never writes, and ends with a `FileNotFoundError`"
        }
        () => return None,
    };
    let key = broadcast.kind.key().map_or_else(|| "weight_broadcast.type".to_owned(), ToString::to_string);
    Some(error(format!(
        "with `{key} = \"nccl\"`, {what}; resume with `--{} filesystem`, or with a later prime-rl",
        key.replace('_', "-")
    )))
}
