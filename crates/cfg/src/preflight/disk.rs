//! Whether the disk has room for the checkpoints.

use std::path::Path;

use cfg_diag::{Diagnostic, codes};

use super::{Answer, Situation, checkpoint::trainer_folder};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let assessment = match situation.memory {
        Ok(assessment) => assessment,
        Err(why) => return Answer::Unknown(why.clone()),
    };
    let Some(disk) = assessment.disk.as_ref().filter(|disk| disk.peak.whole() > 0) else {
        return Answer::NotNeeded("it saves nothing");
    };
    let folder = trainer_folder(situation.plan);
    let Some(free) = situation.machine.host().free_disk(Path::new(&folder)) else {
        return Answer::Unknown(format!("the free disk below {folder} can't be told"));
    };
    let kept = if disk.kept.is_none() { ", as none is deleted" } else { "" };
    let (peak, of_one) = (disk.peak.whole(), (disk.checkpoint + disk.weights).whole());
    if peak <= free {
        return Answer::Fine(format!("{} free below {folder}, {} at most needed", gb(free), gb(peak)));
    }
    let message = format!("the run writes up to {}{kept}, and {} are free below {folder}", gb(peak), gb(free));
    let help =
        format!("a checkpoint has {}: set `keep_last`, save less often, or point `output_dir` to a larger disk", gb(of_one));
    let ckpt = situation.plan.trainer.as_ref().and_then(|trainer| trainer.ckpt.location());
    let finding = Diagnostic::new(&codes::LITTLE_DISK, message).help(help);
    Answer::found(if let Some(at) = ckpt { finding.at(at) } else { finding })
}

fn gb(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a size of disk")]
    let gb = bytes as f64 / 1e9;
    format!("{gb:.1} GB")
}
