//! Checkpoints and broadcast weights that need more disk space than the config states.

use cfg_diag::{Severity, codes};
use cfg_memory::{
    Bytes,
    disk::{Writes, disk},
};
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange, assessed::Assessed};

pub(crate) static RULE: Rule = Rule {
    code: &codes::DISK_FULL,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let stated = cx.metadata.disk.as_ref();
    #[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 bytes")]
    let free = stated.map(|stated| Bytes::new(stated.value as f64)).or(cx.project.disk)?;
    let assessed = Assessed::of(cx)?;
    let (trainer, writes) = (assessed.run.trainer.as_ref()?, assessed.run.writes.as_ref()?);
    let checkpoints = writes.checkpoints?;
    let needs = |writes: &Writes| disk(trainer, &assessed.run.model, writes);
    let needed = needs(writes);
    let each = needed.checkpoint + needed.weights;
    let is_endless = needed.kept.is_none();
    if !is_endless && needed.peak <= free {
        return None;
    }
    let ckpt = cx.plan.trainer.as_ref()?.ckpt.fact()?;
    // The number of the last checkpoint for which there is room, and the step at which the next one does not fit.
    let fitting = fitting(free - needed.broadcast, each);
    let full_at = checkpoints.interval.map(|interval| (fitting + 1).saturating_mul(interval));
    let kept = match (checkpoints.keep_last, needed.kept) {
        (Some(last), _) => format!("the last {last} are kept, and one more while it is written"),
        (None, Some(kept)) => format!("{kept} are kept, since `keep_last` is not set"),
        (None, None) => "all are kept, and the run has no end".to_owned(),
    };
    let when = match full_at.filter(|_| checkpoints.keep_last.is_none()) {
        Some(step) => format!(", full at step {step}"),
        None => String::new(),
    };
    let message = if is_endless {
        format!("checkpoints of {each} fill the {free} of free disk{when}: {kept}")
    } else {
        format!("the run writes up to {}, but {free} of disk are free{when}: {kept}", needed.peak)
    };
    let parts = format!(
        "each {} of trainer state and {} of weights, {} passed to vLLM",
        needed.checkpoint, needed.weights, needed.broadcast
    );
    let interval = ckpt.value.interval.fact().filter(|fact| fact.is_written());
    let finding = match interval {
        Some(interval) => Finding::new(message).on(interval).label(parts),
        None => Finding::new(message).on(ckpt).label(parts),
    };
    let finding = match stated {
        Some(stated) => finding.related(stated.location, "the disk"),
        None => finding,
    };
    let finding = if is_endless { finding.severity(Severity::Warning) } else { finding };
    let symptom = "the trainer fails with `No space left on device` while it saves, and that checkpoint is lost";
    // The largest number of checkpoints for which there is room, including the one that is being written.
    let keep = |last: &u64| {
        let checkpoints = cfg_memory::disk::Checkpoints { keep_last: Some(*last), ..checkpoints };
        needs(&Writes { checkpoints: Some(checkpoints), ..*writes }).peak <= free
    };
    let most = (1..=fitting).rev().find(keep).filter(|_| checkpoints.interval.is_some());
    let run = &cx.plan.run.ckpt;
    let key = run.value().and_then(|shared| shared.keep_last.key()).or_else(|| ckpt.value.keep_last.key());
    Some(match (most, key) {
        (Some(most), Some(key)) => {
            let title = format!("set `{key}` to {most}");
            finding.help(format!("{symptom}; {title}")).repair(Repair::possible(title).set(key, most))
        }
        _ => finding.help(format!("{symptom}; one checkpoint needs {each}, and two while the second is written")),
    })
}

/// The number of checkpoints of a size for which there is room, limited so that counting down from it is fast.
fn fitting(room: Bytes, each: Bytes) -> u64 {
    const MAX_CHECKPOINTS: f64 = 10_000.0;
    let count = (room.as_f64() / each.as_f64()).floor();
    if count.is_finite() { Bytes::new(count.min(MAX_CHECKPOINTS)).rounded() } else { 0 }
}
