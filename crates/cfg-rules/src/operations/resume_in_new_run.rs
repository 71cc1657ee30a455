//! A run that resumes, but gets a folder with a random name, in which there are no checkpoints.

use cfg_diag::codes;
use cfg_schema::{Behaviour, Kind};

use super::trainer_ckpt;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::RESUME_IN_NEW_RUN,
    kinds: &[Kind::Rl, Kind::Sft],
    versions: VersionRange::with(Behaviour::RunTable),
    fix: FixKind::None,
    check: Check::Once(check),
};

fn check(cx: &Context<'_>) -> Option<Finding> {
    let run = &cx.plan.run;
    let location = cx.view.location("resume").filter(|_| cx.view.has("resume"))?;
    let is_named =
        [&run.name, &run.dir].into_iter().any(|name| !name.is_known() || name.fact().is_some_and(cfg_plan::Fact::is_written));
    let is_elsewhere =
        run.resume_dir.value().is_some() || trainer_ckpt(cx.plan).is_some_and(|ckpt| ckpt.output_dir.value().is_some());
    if is_named || is_elsewhere || ["run.name", "run.dir"].into_iter().any(|flag| cx.usage_passes(flag)) {
        return None;
    }
    let message = match run.resume_step.get().filter(|step| *step > 0) {
        Some(step) => format!("the run has no name, so its folder is a new one, without the checkpoint of step {step}"),
        None => "the run has no name, so its folder is a new one without checkpoints: it begins from scratch".to_owned(),
    };
    let help = "set `run.name` to the name of the folder of the run that it continues, or start it with `--run.name NAME`";
    Some(Finding::new(message).key("resume").at(location).help(help))
}
