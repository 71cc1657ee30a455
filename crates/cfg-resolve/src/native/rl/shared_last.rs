//! The checks of the rl config at versions that share keys last: validators that run after all fields copy shared keys into the components,
//! replacing their values, and then compare the components.

mod async_level;
mod bench;
mod checkpoints;
mod client;
mod deployment;
mod devices;
mod disaggregated;
mod eplb;
mod external_rollout;
mod logs;
mod lora;
mod max_model_len;
mod max_steps;
mod model;
mod multi_node;
mod output_dir;
mod quantize;
mod router_replay;
mod same;
mod seq_len;
mod teacher;
mod teacher_inference;
mod tokenizer;
mod train_workers;
mod wandb;
mod weight_broadcast;

use cfg_schema::{Behaviour, Point};

use crate::native::{Check, ValidatorCtx};

/// The check of this name. `warn_wandb_resume_id_missing` only warns, and `auto_setup_slurm_template` depends on where prime-rl is installed.
pub(super) fn find(name: &str) -> Option<Check> {
    Some(match name {
        "validate_device" => devices::visible,
        "auto_setup_dp" => devices::fill_dp,
        "validate_enough_devices_for_nccl" => devices::enough_for_nccl,
        "auto_setup_num_train_workers" => train_workers::check,
        "auto_setup_logs" => logs::check,
        "auto_setup_ckpt" => checkpoints::check,
        "auto_setup_wandb" => wandb::check,
        "auto_setup_bench" => bench::check,
        "auto_setup_model" => model::check,
        "auto_setup_tokenizer" => tokenizer::check,
        "auto_setup_max_steps" => max_steps::check,
        "auto_setup_max_model_len" => max_model_len::check,
        "auto_setup_async_level" => async_level::check,
        "auto_setup_output_dir" => output_dir::check,
        "auto_setup_seq_len" => seq_len::check,
        "auto_setup_weight_broadcast" => weight_broadcast::check,
        "auto_setup_lora" => lora::check,
        "auto_setup_router_replay" => router_replay::check,
        "auto_setup_session_headers" => client::session_header,
        "auto_setup_dp_rank_count" => client::rank_count,
        "auto_setup_inference_client" => client::inference,
        "auto_setup_deployment" => deployment::check,
        "auto_setup_disaggregated_inference" => disaggregated::check,
        "auto_setup_teacher_inference" => teacher_inference::check,
        "validate_teacher_model" => teacher::model,
        "validate_no_teacher_in_multinode" => teacher::not_on_several_nodes,
        "validate_deployment" => multi_node::check,
        "validate_quantize_in_weight_transfer" => quantize::check,
        "validate_eplb_requires_quantized_weight_transfer" => eplb::check,
        "validate_external_rollout_mode" | "validate_external_rollout_inference" => external_rollout::check,
        _ => return None,
    })
}

/// Whether a shared key is copied.
fn is_shared(cx: &ValidatorCtx<'_>, path: &'static str) -> bool {
    if cx.point.lacks(Behaviour::ZeroIsShared) { cx.is_true(path) } else { cx.has(path) }
}

/// Copies a shared key to each of these places, if the key is copied at all.
fn share(cx: &mut ValidatorCtx<'_>, from: &'static str, to: &[&'static str]) {
    if is_shared(cx, from) {
        for place in to {
            cx.copy(from, *place);
        }
    }
}

/// The path of the trained model's name in the orchestrator.
fn orchestrator_model(point: Point) -> &'static str {
    if point.lacks(Behaviour::Student) { "orchestrator.model.name" } else { "orchestrator.student.model.name" }
}
