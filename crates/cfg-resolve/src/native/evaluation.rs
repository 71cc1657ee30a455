//! The checks for evaluations and environment servers: `eval`, `evals`, `synthesize` and `env-server`.

mod broadcasts;
mod dashboard;
mod resume;
mod workers;

use super::{Check, Failure, ValidatorCtx, model, orchestrator};

/// The check of this name.
pub(super) fn find(name: &str) -> Option<Check> {
    Some(match name {
        "auto_setup_broadcasts_dir" => broadcasts::folder,
        "auto_setup_weights_dir" => broadcasts::weights,
        "reject_rich_with_server" => dashboard::in_process,
        "_refuse_mixed_run" => orchestrator::sources::names_one,
        // A generated name can't be known here, and checkpoints are on another machine.
        "auto_setup_run_name" | "validate_steps" => model::left_open,
        "validate_env" => orchestrator::sources::is_named,
        "validate_eval_base" => eval_base,
        "validate_num_workers" => workers::number,
        "validate_resume_multiple_checkpoints" => resume::one_checkpoint,
        "validate_resume_multiple_environments" => resume::one_environment,
        "validate_resume_stream" => resume::streamed,
        "validate_skip_first_step_is_online_only" => skip_first_step,
        // An orchestrator's settings for evaluation are at the root of these configs.
        other => return orchestrator::find(other),
    })
}

/// At least one environment must be evaluated.
fn eval_base(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("weights_dir") || cx.get("eval_base").is_none() || cx.bool("eval_base") {
        return Ok(());
    }
    Err(Failure::value("neither the base model nor checkpoints are evaluated", &["eval_base", "weights_dir"])
        .help("set `weights_dir`, or remove `eval_base`"))
}

/// Without `[online]` the first evaluation is the only one.
fn skip_first_step(cx: &mut ValidatorCtx<'_>) -> Result<(), Failure> {
    if cx.has("online") || !cx.bool("eval.skip_first_step") {
        return Ok(());
    }
    Err(Failure::value(
        "without `[online]` there is only one evaluation, which `eval.skip_first_step` skips",
        &["eval.skip_first_step"],
    )
    .help("remove it, or add `[online]`"))
}
