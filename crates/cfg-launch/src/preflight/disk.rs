//! Checks that the disk has space for the checkpoints.

use std::path::Path;

use cfg_diag::{Diagnostic, codes};
use cfg_memory::Bytes;

use super::{Answer, Situation, checkpoint::trainer_folder};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let assessment = match situation.memory {
        Ok(assessment) => assessment,
        Err(why) => return Answer::Unknown(why.clone()),
    };
    let Some(disk) = assessment.disk.as_ref().filter(|disk| disk.peak.rounded() > 0) else {
        return Answer::NotNeeded("the run saves nothing");
    };
    let folder = trainer_folder(situation.run.plan);
    let Some(free) = situation.machine.host().free_disk(Path::new(&folder)) else {
        return Answer::Unknown(format!("the free disk space of {folder} is unknown"));
    };
    let kept = if disk.kept.is_none() { ", as none is deleted" } else { "" };
    let turned_on = situation
        .run
        .with_checkpoints
        .map_or_else(String::new, |(flags, _)| format!(" with `{flags}`, as `cfg run launch` starts it"));
    let (peak, of_one) = (disk.peak, disk.checkpoint + disk.weights);
    #[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 bytes")]
    let free = Bytes::new(free as f64);
    if peak <= free {
        return Answer::Fine(format!("{free} free in {folder}, at most {peak} needed{turned_on}"));
    }
    let message = format!("the run writes up to {peak}{kept}{turned_on}, but {free} are free in {folder}");
    let help = format!("a checkpoint takes {of_one}: set `keep_last`, save less often, or point `output_dir` to a larger disk");
    let ckpt = situation.run.plan.trainer.as_ref().and_then(|trainer| trainer.ckpt.location());
    let finding = Diagnostic::new(&codes::LITTLE_DISK, message).help(help);
    Answer::found(if let Some(at) = ckpt { finding.at(at) } else { finding })
}
