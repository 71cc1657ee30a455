//! The checks of the trainer config; most of them apply to fine-tuning too.

mod adapter;
mod bench;
mod experts;
mod full_offload;
mod fused_lm_head;
mod muon;
mod scheduler;
mod scheduler_steps;
mod single_run;
mod tokenizer;
mod trace;
mod vision;
mod wandb_samples;
mod weight_broadcast;
mod weights_every_step;

use super::Check;

/// The check of this name.
pub(super) fn find(name: &str) -> Option<Check> {
    let check: Check = match name {
        "validate_weight_broadcast_type" => weight_broadcast::one_step_behind,
        "validate_lora_broadcast" => weight_broadcast::lora,
        "ensure_saving_weights_every_step_for_filesystem" => weights_every_step::run,
        "auto_setup_fused_lm_head_chunk_size" => fused_lm_head::chunk,
        "auto_setup_fused_lm_head_token_chunk_size" => fused_lm_head::token_chunk,
        "validate_optim_cpu_offload_single_run" => single_run::run,
        "router_replay_only_with_custom_impl" => experts::router_replay,
        "vlms_require_bfloat16" => vision::bfloat16,
        _ => return shared(name),
    };
    Some(check)
}

/// The check that the phases of a schedule fit into the run.
pub(super) fn scheduler_steps(cx: &mut super::ValidatorCtx<'_>) -> Result<(), super::Failure> {
    scheduler_steps::run(cx)
}

/// The checks that the trainer and fine-tuning share.
pub(super) fn shared(name: &str) -> Option<Check> {
    let check: Check = match name {
        "auto_setup_bench" => bench::run,
        "validate_scheduler" => scheduler::run,
        "validate_scheduler_steps" => scheduler_steps::run,
        "disable_logging_wandb_samples" => wandb_samples::run,
        "dont_do_massive_traces" => trace::run,
        "validate_lora_adapter_saving" => adapter::run,
        "validate_opt_and_fsdp_offload" => muon::run,
        "auto_setup_tokenizer" => tokenizer::run,
        "ep_only_with_custom_impl" => experts::own_code,
        "deepep_disables_grad_clipping" => experts::deepep,
        "vlm_freeze_incompatible_with_lora" => vision::frozen,
        "full_optimizer_offload_requires_adamw" => full_offload::adamw,
        "full_optimizer_offload_requires_supported_optimizer" => full_offload::adamw_or_sign_sgd,
        "full_optimizer_offload_disables_grad_clipping" => full_offload::no_clipping,
        _ => return None,
    };
    Some(check)
}

/// The path of the Weights & Biases table: at first below `monitor`, then at the root, now below `monitors`.
pub(super) fn wandb(cx: &super::ValidatorCtx<'_>) -> &'static str {
    ["monitor.wandb", "wandb"].into_iter().find(|path| cx.exists(*path)).unwrap_or("monitors.wandb")
}
