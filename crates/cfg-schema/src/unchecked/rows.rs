//! What configs that a later check refuses did before it existed. Generated from `schemas/unchecked.toml` by `cargo xtask generate`.

use super::{Effect, Part, Unchecked};
use crate::Kind;

#[rustfmt::skip]
pub(super) static ALL: &[Unchecked] = &[
    // src/prime_rl/trainer/scheduler.py, setup_linear_scheduler and setup_cosine_scheduler; #3318
    Unchecked { check: "scheduler_asserts", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 13, until: 453, effect: Effect::Fails, says: "the trainer ends with an AssertionError when it makes the schedule", validators: &["validate_scheduler", "validate_scheduler_steps"] },
    // src/prime_rl/trainer/scheduler.py, setup_cosine_scheduler; PyTorch's SequentialLR.step and CosineAnnealingLR._get_closed_form_lr
    Unchecked { check: "cosine_without_steps", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 13, until: 453, effect: Effect::Fails, says: "the trainer ends with a ZeroDivisionError in its last step, before it saves (`CosineAnnealingLR` with `T_max = 0`)", validators: &["validate_scheduler", "validate_scheduler_steps"] },
    // src/prime_rl/trainer/scheduler.py, setup_cosine_scheduler
    Unchecked { check: "cosine_after_end", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 13, until: 453, effect: Effect::Spoils, says: "the run ends during the warmup, and the learning rate never reaches its value", validators: &["validate_scheduler", "validate_scheduler_steps"] },
    // src/prime_rl/trainer/scheduler.py, setup_linear_scheduler; PyTorch's LinearLR._get_closed_form_lr with `total_iters = 0`
    Unchecked { check: "one_step_of_decay", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 13, until: u16::MAX, effect: Effect::Fails, says: "the trainer ends with a ZeroDivisionError at the step where the decay begins", validators: &[] },
    // src/prime_rl/templates/multi_node_rl.sbatch.j2, src/prime_rl/utils/client.py, setup_clients; #2696, #3105
    Unchecked { check: "data_parallel_ranks_behind_router", of: &[Part { kind: Kind::Rl, path: "" }], since: 345, until: 419, effect: Effect::Spoils, says: "the servers refuse the requests for every rank but 0 (`X-data-parallel-rank` out of range)", validators: &[] },
    // src/prime_rl/utils/validation.py, validate_shared_wandb_config; #1629
    Unchecked { check: "wandb_on_one_side", of: &[Part { kind: Kind::Rl, path: "" }], since: 0, until: 144, effect: Effect::Spoils, says: "only half of the run's metrics are logged", validators: &[] },
    // src/prime_rl/trainer/runs.py, scaling_factors, and src/prime_rl/trainer/lora.py, save_lora_config; #1555, #1729
    Unchecked { check: "adapter_scales", of: &[Part { kind: Kind::Rl, path: "" }], since: 129, until: 169, effect: Effect::Spoils, says: "rollouts come from a policy that differs from the trained one", validators: &[] },
    // src/prime_rl/trainer/runs.py, validate_lora_rank; #1555, #1729
    Unchecked { check: "adapter_above_trainer", of: &[Part { kind: Kind::Rl, path: "" }], since: 129, until: 169, effect: Effect::Fails, says: "the trainer refuses the run and waits forever for another one", validators: &[] },
    // src/prime_rl/utils/validation.py, validate_shared_weight_broadcast, and the classes in src/prime_rl/inference/vllm/worker; #1149, #2922
    Unchecked { check: "broadcast_of_server", of: &[Part { kind: Kind::Rl, path: "" }], since: 0, until: 373, effect: Effect::Fails, says: "the server fails at the first message about weights, and the others wait for it", validators: &[] },
    // src/prime_rl/trainer/model.py, which has no expert parallelism before #1595
    Unchecked { check: "ep_only_with_custom_impl", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 0, until: 141, effect: Effect::Spoils, says: "the experts stay on every GPU: the degree changes nothing", validators: &["ep_only_with_custom_impl"] },
    // src/prime_rl/orchestrator/buffer.py: `assert len(self.example_buffer) == len(self.env_names)`; #1451, #1989
    Unchecked { check: "validate_unique_env_names", of: &[Part { kind: Kind::Orchestrator, path: "" }], since: 112, until: 217, effect: Effect::Fails, says: "the orchestrator ends with an AssertionError when it fills its buffer", validators: &["validate_unique_env_names"] },
    // src/prime_rl/orchestrator/orchestrator.py, eval_env_names; #1989
    Unchecked { check: "validate_unique_env_names", of: &[Part { kind: Kind::Orchestrator, path: "eval" }], since: 0, until: 217, effect: Effect::Spoils, says: "both log under one name, and one of the results is lost", validators: &["validate_unique_env_names"] },
    // src/prime_rl/orchestrator/buffer.py, which compares with the easy threshold first; #1451
    Unchecked { check: "validate_thresholds", of: &[Part { kind: Kind::Orchestrator, path: "buffer" }], since: 80, until: 112, effect: Effect::Spoils, says: "a problem that is too hard counts as easy", validators: &["validate_thresholds"] },
    // src/prime_rl/trainer/rl/loss.py, is_masked_low and is_masked_high; #1404
    Unchecked { check: "everything_is_masked", of: &[Part { kind: Kind::Trainer, path: "loss" }], since: 40, until: 111, effect: Effect::Spoils, says: "every token is masked, and nothing is learned", validators: &["validate_mask_bounds"] },
    // renderers.base.create_renderer, which falls back to DefaultRenderer; #2540
    Unchecked { check: "validate_renderer_auto_resolves", of: &[Part { kind: Kind::Orchestrator, path: "" }], since: 292, until: 312, effect: Effect::Spoils, says: "prompts are rendered by the tokenizer's own chat template, whose tokens may differ between turns, and environments with tools fail", validators: &["validate_renderer_auto_resolves"] },
    // src/prime_rl/trainer/model.py, get_model: "VLM models must use optimization_dtype='bfloat16'"; #2080, #3075
    Unchecked { check: "vision_precision_of_sft", of: &[Part { kind: Kind::Sft, path: "" }], since: 234, until: 408, effect: Effect::Fails, says: "the trainer ends with a ValueError when it loads the model", validators: &["validate_vlm_constraints"] },
    // src/prime_rl/trainer/rl/train.py: "Context parallelism is not supported with VLM/multimodal training"; #1680, #3103. Fine-tuning had a check of its own
    Unchecked { check: "vision_with_context_parallelism", of: &[Part { kind: Kind::Trainer, path: "model" }], since: 152, until: 414, effect: Effect::Fails, says: "the trainer ends with a NotImplementedError at the first batch with an image", validators: &["vlm_cp_requires_ulysses"] },
    // src/prime_rl/trainer/sft/data.py, get_dataset_state, which unpacks the state of one worker; #3299, #3332
    Unchecked { check: "several_workers_of_data", of: &[Part { kind: Kind::Sft, path: "" }], since: 451, until: 459, effect: Effect::Fails, says: "the trainer ends with a ValueError before its first step, where it logs the position in the data", validators: &[] },
    // src/prime_rl/trainer/sft/train.py, which makes the iterator before it loads the checkpoint; #3332
    Unchecked { check: "resumed_data_of_workers", of: &[Part { kind: Kind::Sft, path: "" }], since: 451, until: 459, effect: Effect::Spoils, says: "the run reads its data from the beginning again, and saves the old position in its checkpoints", validators: &[] },
    // src/prime_rl/trainer/sft/data.py, StackDataset; #962
    Unchecked { check: "stack_area", of: &[Part { kind: Kind::Sft, path: "" }], since: 0, until: 19, effect: Effect::Fails, says: "the trainer ends with an AssertionError when it sets up the data (\"max_area must be a power of 2\")", validators: &["validate_seq_len"] },
    // src/prime_rl/trainer/model.py, get_model: "requires model.impl='custom' or 'auto'"; #3076
    Unchecked { check: "flash_attention_3_with_hf", of: &[Part { kind: Kind::Trainer, path: "" }, Part { kind: Kind::Sft, path: "" }], since: 405, until: u16::MAX, effect: Effect::Fails, says: "the trainer ends with a ValueError when it loads the model", validators: &[] },
    // ring_flash_attn.substitute_hf_flash_attn 0.1.8, which sets `ALL_ATTENTION_FUNCTIONS["flash_attention_2"]`; #1305, #1727
    Unchecked { check: "ring_of_flash_attention_3_with_hf", of: &[Part { kind: Kind::Trainer, path: "model" }, Part { kind: Kind::Sft, path: "model" }], since: 104, until: 160, effect: Effect::Spoils, says: "each GPU attends to its own part of a sequence alone", validators: &[] },
    // src/prime_rl/inference/config.py, which passes it on as it is; #1408
    Unchecked { check: "lora_rank_of_vllm", of: &[Part { kind: Kind::Inference, path: "" }], since: 99, until: 100, effect: Effect::Fails, says: "vLLM refuses to start with it", validators: &["round_up_max_lora_rank"] },
    // src/prime_rl/transport; #3149
    Unchecked { check: "auto_setup_rollout_transport", of: &[Part { kind: Kind::Rl, path: "" }], since: 102, until: 418, effect: Effect::Fails, says: "the trainer waits forever for rollouts that are sent elsewhere", validators: &["auto_setup_rollout_transport"] },
    // src/prime_rl/trainer/batch.py, prepare_sample; #1455
    Unchecked { check: "training_sequence_below_rollouts", of: &[Part { kind: Kind::Rl, path: "" }], since: 102, until: 114, effect: Effect::Spoils, says: "the trainer cuts longer rollouts, and their end is not trained", validators: &["auto_setup_seq_len"] },
];
