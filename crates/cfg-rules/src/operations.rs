//! Operation of a run: checkpoints, resuming, what the launcher removes, the available GPUs, secrets.

pub(crate) mod benchmark_checkpoints_deleted;
pub(crate) mod checkpointing_off;
pub(crate) mod checkpoints_pile_up;
pub(crate) mod clean_deletes_checkpoints;
pub(crate) mod cuda_graphs_on_shared_gpu;
pub(crate) mod keep_interval_between_saves;
pub(crate) mod keep_last_without_effect;
pub(crate) mod last_evaluation_lost;
pub(crate) mod localhost_across_nodes;
pub(crate) mod more_gpus_than_stated;
pub(crate) mod nccl_on_one_gpu;
pub(crate) mod newest_checkpoint_deleted;
pub(crate) mod no_evaluation_of_result;
pub(crate) mod no_inference_server;
pub(crate) mod no_steps;
pub(crate) mod offline_without_effect;
pub(crate) mod only_final_checkpoint;
pub(crate) mod port_collision;
pub(crate) mod port_out_of_range;
pub(crate) mod resume_between_saves;
pub(crate) mod resume_beyond_end;
pub(crate) mod resume_in_new_run;
pub(crate) mod resume_unseen_by_launcher;
pub(crate) mod resume_without_wandb_id;
pub(crate) mod secret_in_config;
pub(crate) mod server_out_of_reach;
pub(crate) mod shared_gpu;
pub(crate) mod stale_outputs;
pub(crate) mod unsupported_by_card;
pub(crate) mod utilization_out_of_range;
pub(crate) mod vllm_variable_without_effect;
pub(crate) mod wandb_name_of_other_version;
pub(crate) mod weights_to_router;

use cfg_plan::{Ckpt, Fact, Plan, Setting};

use crate::Context;

/// The number of RL steps whose loss does little harm: at three to five minutes each, half a working day.
const TRIAL_STEPS: i64 = 100;

/// The same for supervised fine-tuning, whose steps take seconds.
const TRIAL_SFT_STEPS: i64 = 1000;

/// Steps after which a run counts as more than a trial.
pub(crate) fn trial_steps(plan: &Plan) -> i64 {
    if plan.is_sft() { TRIAL_SFT_STEPS } else { TRIAL_STEPS }
}

/// The settings of the trainer's checkpoints. Only these are large, and only these are deleted.
fn trainer_ckpt(plan: &Plan) -> Option<&Ckpt> {
    plan.trainer.as_ref()?.ckpt.value()
}

/// The checkpoint from which a run resumes.
struct Resume<'a> {
    /// The step; `None` for the newest checkpoint.
    step: Option<i64>,
    /// The setting that states the step.
    fact: &'a Fact<i64>,
}

/// The step to resume from, as set in the trainer or, in its own file, the orchestrator.
fn resume<'a>(cx: &Context<'a>) -> Option<Resume<'a>> {
    let fact = resume_step(cx.plan)?.fact()?;
    Some(Resume { step: (fact.value >= 0).then_some(fact.value), fact })
}

fn resume_step(plan: &Plan) -> Option<&Setting<i64>> {
    let of_trainer = plan.trainer.as_ref().map(|trainer| &trainer.resume_step);
    of_trainer.or_else(|| plan.orchestrator.as_ref().map(|orchestrator| &orchestrator.resume_step))
}

/// The steps that remain to be trained; `None` if the run never ends.
fn steps_ahead(cx: &Context<'_>) -> Option<i64> {
    let done = resume(cx).and_then(|resume| resume.step).unwrap_or(0);
    Some(cx.plan.trainer.as_ref()?.max_steps.get()?.saturating_sub(done))
}

/// Whether the run is more than a trial: long, or without an end but logged.
fn is_long(cx: &Context<'_>) -> bool {
    let Some(trainer) = cx.plan.trainer.as_ref().filter(|_| !cx.is_trial()) else { return false };
    match trainer.max_steps.get() {
        Some(steps) => steps > trial_steps(cx.plan),
        None => has_no_end(cx.plan) && trainer.wandb.fact().is_some_and(Fact::is_written),
    }
}

/// Whether the run has no end. Unknown, and so `false`, for an invalid config: its end may be written in the wrong place.
pub(crate) fn has_no_end(plan: &Plan) -> bool {
    plan.is_valid && plan.trainer.as_ref().is_some_and(|trainer| trainer.max_steps.is_empty())
}

/// The least common multiple; `None` on overflow or division by 0.
fn common_multiple(one: i64, other: i64) -> Option<i64> {
    let (mut divisor, mut rest) = (one, other);
    while rest != 0 {
        (divisor, rest) = (rest, divisor.checked_rem(rest)?);
    }
    one.checked_div(divisor)?.checked_mul(other)
}

/// The first multiple of the interval that is at least a hundred steps: steps worth keeping for a benchmark.
fn landmark(interval: i64) -> i64 {
    let interval = interval.max(1);
    interval.saturating_mul(1 + (BENCHMARK_STEPS - 1) / interval)
}

/// Steps between two benchmarks; runs are usually compared at 100, 500 and 1000.
const BENCHMARK_STEPS: i64 = 100;
