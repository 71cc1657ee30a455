//! A file that makes the launcher delete the run's folder does so at every start, including the restart after a crash.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::{is_long, resume_step, trainer_ckpt};
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CLEAN_DELETES_CHECKPOINTS,
    kinds: &[Kind::Rl, Kind::Sft],
    versions: VersionRange::with(Behaviour::FolderIsGuarded),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let run = &cx.plan.run;
    let clean = run.clean.fact().filter(|clean| clean.value && clean.is_written())?;
    let ckpt = cx.plan.trainer.as_ref()?.ckpt.fact()?;
    trainer_ckpt(cx.plan)?;
    if resume_step(cx.plan).is_some_and(|step| step.value().is_some()) || cx.view.has("resume") || !is_long(cx) {
        return None;
    }
    // A run with a random name has a new folder every time.
    if run.dir.exists() && !run.dir.is_written() && !run.name.is_written() {
        return None;
    }
    let key = clean.written_key();
    let message = format!("`{key}` deletes this run's checkpoints whenever it starts without resuming");
    let help = format!("pass `--{}` only when you mean to start over", key.to_string().replace('_', "-"));
    let repair = Repair::possible(format!("remove `{key}`")).remove(key);
    Some(Finding::new(message).on(clean).with(ckpt, "saves what this deletes").help(help).repair(repair))
}
