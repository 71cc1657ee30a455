//! What a resumed run does not take from its checkpoint.

use cfg_outputs::RunFolder;
use cfg_plan::{Plan, Setting};
use cfg_report::resume::ProblemReport;

use super::warning;
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
