//! `keep_last` counts the trainer's checkpoints. The orchestrator also accepts it but never reads it. The first version with such a key did not
//! count the checkpoints that an earlier process had saved.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::{resume, trainer_ckpt};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::KEEP_LAST_WITHOUT_EFFECT,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let of_trainer = trainer_ckpt(cx.plan)?;
    if let (Some(keep), Some(resumed)) = (of_trainer.keep_last.fact().filter(|keep| keep.is_written()), resume(cx)) {
        if cx.target.point.has(Behaviour::OldCheckpointsCount) {
            return None;
        }
        let message = format!(
            "`{}` counts only what the resumed process saves: checkpoints of the earlier run are never deleted",
            keep.written_key().name()
        );
        let help = "delete old checkpoints by hand; prime-rl counts them since 2026-01-06";
        return Some(Finding::new(message).on(keep).with(resumed.fact, "resumed here").help(help));
    }
    let of_orchestrator = cx.plan.orchestrator.as_ref()?.ckpt.value()?.keep_last.fact()?;
    if !of_trainer.keep_last.is_empty() || of_orchestrator.shared.is_some() || !of_orchestrator.is_written() {
        return None;
    }
    let to = of_trainer.keep_last.key()?;
    let message = "the orchestrator never deletes a checkpoint, and the trainer, whose checkpoints are the large ones, keeps \
        them all";
    let repair = Repair::possible(format!("move it to `{to}`")).relocate(of_orchestrator.written_key(), to);
    Some(
        Finding::new(message)
            .on(of_orchestrator)
            .help(format!(
                "write `ckpt.{}`, which applies to \
        both",
                to.name()
            ))
            .repair(repair),
    )
}
