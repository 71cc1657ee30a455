//! The launcher reads in the shared table whether a run resumes. If only the components say so, it treats the run as a new one, and removes or
//! refuses what the resume needs.

use cfg_diag::{Severity, codes};
use cfg_plan::Fact;
use cfg_schema::{Behaviour, Kind};

use super::resume;
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::RESUME_UNSEEN_BY_LAUNCHER,
    kinds: &[Kind::Rl],
    versions: VersionRange::with(Behaviour::CleanRemovesBroadcasts),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let resumed = resume(cx)?.fact;
    let run = &cx.plan.run;
    if run.resume_step.value().is_some()
        || !run.resume_step.is_known()
        || run.resume_dir.value().is_some()
        || cx.view.has("resume")
    {
        return None;
    }
    let finding = if cx.target.point.has(Behaviour::FolderIsGuarded) { guarded(cx, resumed)? } else { cleaned(cx, resumed)? };
    let key = resumed.key.to_string();
    let shared = key.strip_prefix("trainer.")?;
    let finding = finding.help(format!("write `{shared}`, which prime-rl passes to both components"));
    let mut repair = Repair::possible(format!("move it to `{shared}`")).relocate(&key, &shared);
    if let Some(other) = cx.plan.orchestrator.as_ref()?.resume_step.fact().filter(|other| other.is_written()) {
        repair = repair.remove(&other.key);
    }
    Some(finding.repair(repair))
}

/// Since 2026-02-24: if there are checkpoints, a new run is refused, or deletes them.
fn guarded(cx: &Context<'_>, resumed: &Fact<i64>) -> Option<Finding> {
    let clean = cx.plan.run.clean.fact().filter(|clean| clean.value);
    if let Some(clean) = clean {
        let message = format!(
            "the launcher treats this as a new run and deletes the folder with the checkpoints: `{}` is on, and only the \
             components resume",
            clean.written_key()
        );
        return Some(Finding::new(message).on(resumed).with(clean, "deletes the folder of a new run").severity(Severity::Error));
    }
    // The launcher does not look in other folders.
    if checkpoints_lie_elsewhere(cx) {
        return None;
    }
    let message = "the launcher treats this as a new run and refuses the folder because it has checkpoints: only the components \
        resume";
    // "The newest" checkpoint starts a new run if there is none yet.
    let severity = if resumed.value >= 0 { Severity::Error } else { Severity::Warning };
    Some(Finding::new(message).on(resumed).severity(severity))
}

fn checkpoints_lie_elsewhere(cx: &Context<'_>) -> bool {
    super::trainer_ckpt(cx.plan).is_some_and(|ckpt| ckpt.output_dir.value().is_some())
}

/// Before 2026-02-24: the weights of the resumed step are removed, and the orchestrator fails unless the trainer writes them again in time.
fn cleaned(cx: &Context<'_>, resumed: &Fact<i64>) -> Option<Finding> {
    let is_on_disk = cx.plan.trainer.as_ref()?.weight_broadcast.value()?.kind.is("filesystem");
    if cx.target.point.has(Behaviour::Deployments) || !cx.plan.run.clean.is_on() || !is_on_disk {
        return None;
    }
    let message = "the launcher treats this as a new run and removes the weights to resume from: only the components resume";
    Some(Finding::new(message).on(resumed))
}
