//! The checks of the rl config at versions that share keys first, before all checks.
//!
//! Without `auto_setup_slurm_template`, which inserts the path of a file of the installed prime-rl; its value stays unknown.

mod bench;
mod client;
mod deployment;
mod disaggregated;
mod engine;
mod infer_nodes;
mod lora;
mod mooncake;
mod multi_node;
mod nccl_devices;
mod python;
mod quantize;
mod resume;
mod rollout_transport;
mod router;
mod router_replay;
mod run;
mod shared;
mod shared_ckpt;
mod shared_wandb;
mod single_node;
mod teacher;
mod weight_broadcast;

use crate::native::Check;

pub(super) fn find(name: &str) -> Option<Check> {
    Some(match name {
        "auto_setup_infer_nodes" => infer_nodes::run,
        "validate_deployment" => deployment::run,
        "validate_no_teacher_in_multinode" => teacher::not_on_many_nodes,
        "auto_setup_teacher_inference" => teacher::set_up,
        "validate_enough_devices_for_nccl" => nccl_devices::run,
        "validate_quantize_in_weight_transfer" => quantize::run,
        "validate_eplb_requires_quantized_weight_transfer" => quantize::eplb,
        "auto_setup_run_dir" => run::dir,
        "auto_setup_run_identity" => run::identity,
        "auto_setup_resume" => resume::copy,
        "validate_shared_configs" => shared::run,
        "auto_setup_weight_broadcast" => weight_broadcast::run,
        "auto_setup_rollout_transport" => rollout_transport::run,
        "auto_setup_bench" => bench::run,
        "auto_setup_lora" => lora::run,
        "auto_setup_router_replay" => router_replay::set_up,
        "validate_llmd_no_routed_experts" => router_replay::not_through_llm_d,
        "validate_router_replay_without_kv_offload" => router_replay::without_kv_offload,
        "validate_multi_node_requires_router" => router::run,
        "validate_mooncake_offload_requires_slurm" => mooncake::run,
        "auto_setup_deployment" => deployment::set_up,
        "auto_setup_disaggregated_inference" => disaggregated::run,
        "auto_setup_inference_client" => client::run,
        _ => return None,
    })
}
