//! With `clean` off, early launchers keep the rollouts and weights of an earlier run, and the new run uses them as its own.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::resume_step;
use crate::{Check, Context, Finding, FixKind, Repair, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::STALE_OUTPUTS,
    kinds: &[Kind::Rl],
    versions: VersionRange::without(Behaviour::Deployments),
    fix: FixKind::Unsafe,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let run = &cx.plan.run;
    let clean = run.clean.fact().filter(|clean| !clean.value && clean.is_written())?;
    // A written folder is probably new.
    if run.output_dir.is_written() || resume_step(cx.plan).is_some_and(|step| step.value().is_some()) {
        return None;
    }
    let message = format!(
        "nothing is removed from \"{}\": a new run trains on rollouts left there by an earlier one",
        run.output_dir.text().unwrap_or("outputs")
    );
    let help = "leave `clean` on, which keeps checkpoints, or give every run its own `output_dir`";
    let repair = Repair::possible("remove `clean`, which is on by default").remove(clean.written_key());
    Some(Finding::new(message).on(clean).help(help).repair(repair))
}
