//! Checks that prime-rl does not make: one file per rule, and the runner.
//!
//! A rule is a [`Rule`]: its entry in the table of codes, which has its name, severity and page; the entrypoints and the range of versions that it
//! applies to; and a function from a [`Context`] to [`Finding`]s. Every rule is a file in the folder of its group, named like its code
//! (`tokens/context_overflow.rs`), and is in [`ALL`]; `tests/tests/repository/rules.rs` ensures that they match.
//!
//! Invariants:
//! - A rule reports nothing about values that are invalid or unknown. Invalid ones have been reported.
//! - A rule is not a check of prime-rl: its findings have no native error, so a verdict does not depend on them.
//! - A rule does not know the text. It proposes changes in terms of keys ([`Repair`]); they become byte edits where the text is available.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

#[cfg_attr(not(feature = "memory"), expect(dead_code, reason = "only the rules about memory use it"))]
mod assessed;
mod batch;
pub mod catalogue;
pub mod checkpoints;
mod curriculum;
pub mod declared;
mod engine;
mod environment;
mod finding;
mod fine_tuning;
mod known_models;
pub mod launch;
mod lora;
#[cfg(feature = "memory")]
mod memory;
mod model_names;
pub mod models;
mod operations;
mod parallel;
mod placeholders;
mod project;
#[cfg(feature = "memory")]
mod remedy;
mod rule;
mod sampling;
pub mod schedule;
pub mod split;
mod texts;
mod tokens;
mod tool_use;
mod tools;
mod training;

use std::sync::LazyLock;

use cfg_diag::{Code, Diagnostic};
use cfg_schema::Kind;

pub use assessed::Memory;
pub use finding::{Finding, Repair};
pub use project::{Machine, MachineSource, Project, shape_of};
pub use rule::{Check, Context, FixKind, Rule, VersionRange};
pub use texts::Texts;

/// Every rule, group by group, in the order of their codes.
pub static ALL: &[&Rule] = &[
    // PRL3xx: failures at run time.
    &tokens::context_overflow::RULE,
    &tokens::cut_rollouts::RULE,
    &tokens::prompt_fills_sequence::RULE,
    &tokens::growing_prompt::RULE,
    &tokens::context_beyond_model::RULE,
    &tokens::dead_max_model_len::RULE,
    &sampling::biased_sampling::RULE,
    &sampling::zero_temperature::RULE,
    &batch::single_rollout_groups::RULE,
    &batch::one_problem_per_step::RULE,
    &batch::split_groups::RULE,
    &batch::idle_ranks::RULE,
    &batch::no_spare_groups::RULE,
    &batch::evicting_thresholds::RULE,
    &training::learning_rate::RULE,
    &training::indivisible_heads::RULE,
    &placeholders::placeholder::RULE,
    &training::unchecked_contradiction::RULE,
    &training::cpu_offload_with_nccl::RULE,
    &lora::lora_cpu_offload::RULE,
    &lora::adapter_name::RULE,
    &lora::lora_rank_rounded::RULE,
    &lora::lora_scale::RULE,
    &lora::lora_dropout::RULE,
    &lora::lora_in_memory_broadcast::RULE,
    &lora::lora_targets::RULE,
    &lora::modules_to_save::RULE,
    &lora::elastic_without_adapter::RULE,
    &batch::stale_rollouts::RULE,
    &tools::tool_choice_off::RULE,
    &tools::tool_parser::RULE,
    &tools::tool_call_budget::RULE,
    &training::impossible_value::RULE,
    &training::import_path::RULE,
    &tools::unknown_engine_value::RULE,
    &model_names::template_not_found::RULE,
    &split::model_mismatch::RULE,
    &split::steps_mismatch::RULE,
    &split::shorter_training_sequence::RULE,
    &split::adapter_not_served::RULE,
    &split::broadcast_mismatch::RULE,
    &split::address_mismatch::RULE,
    &split::folder_mismatch::RULE,
    &split::served_name::RULE,
    &parallel::no_gpus::RULE,
    &parallel::invalid_degree::RULE,
    &parallel::indivisible_gpus::RULE,
    &parallel::uneven_expert_parallelism::RULE,
    &parallel::indivisible_experts::RULE,
    &parallel::indivisible_sequence::RULE,
    &parallel::indivisible_batch::RULE,
    &parallel::uneven_context_heads::RULE,
    &parallel::unsupported_context_parallelism::RULE,
    &parallel::fake_batch_below_ranks::RULE,
    &parallel::fused_kernel_with_expert_parallelism::RULE,
    &parallel::served_without_experts::RULE,
    &parallel::engine_beyond_gpus::RULE,
    &parallel::server_beyond_node::RULE,
    &fine_tuning::no_trained_role::RULE,
    &fine_tuning::dataset_probabilities::RULE,
    &fine_tuning::validation_never_runs::RULE,
    // PRL4xx: memory of GPUs and disk.
    #[cfg(feature = "memory")]
    &memory::no_memory_to_load::RULE,
    #[cfg(feature = "memory")]
    &memory::no_memory_to_start::RULE,
    #[cfg(feature = "memory")]
    &memory::no_kv_cache::RULE,
    #[cfg(feature = "memory")]
    &memory::kv_cache_too_small::RULE,
    #[cfg(feature = "memory")]
    &memory::out_of_memory::RULE,
    #[cfg(feature = "memory")]
    &memory::missing_checkpointing::RULE,
    #[cfg(feature = "memory")]
    &memory::tight_memory::RULE,
    #[cfg(feature = "memory")]
    &memory::shared_gpu_default::RULE,
    #[cfg(feature = "memory")]
    &memory::kv_cache_crowded::RULE,
    #[cfg(feature = "memory")]
    &memory::disk_full::RULE,
    &operations::utilization_out_of_range::RULE,
    &operations::unsupported_by_card::RULE,
    #[cfg(feature = "memory")]
    &memory::offload_exceeds_host::RULE,
    #[cfg(feature = "memory")]
    &memory::unchecked_memory::RULE,
    // PRL5xx: environments and their curricula.
    &environment::unknown_env_arg::RULE,
    &environment::invalid_env_arg::RULE,
    &environment::wrong_split::RULE,
    &environment::env_args_conflict::RULE,
    &environment::slow_executor::RULE,
    &environment::broken_env_version::RULE,
    &environment::few_examples::RULE,
    &environment::env_limit_mismatch::RULE,
    &environment::invalid_env_declaration::RULE,
    &environment::missing_env_arg::RULE,
    &curriculum::curriculum_without_effect::RULE,
    &curriculum::curriculum_incomplete::RULE,
    &curriculum::curriculum_order::RULE,
    &curriculum::curriculum_weights::RULE,
    &curriculum::curriculum_length::RULE,
    &curriculum::curriculum_constant::RULE,
    &curriculum::curriculum_clock::RULE,
    &curriculum::curriculum_restarts::RULE,
    &curriculum::curriculum_overridden::RULE,
    &environment::no_training_environment::RULE,
    &environment::invalid_env_id::RULE,
    &environment::reserved_env_name::RULE,
    &environment::env_name_with_slash::RULE,
    &curriculum::groups_all_rejected::RULE,
    // PRL6xx: models.
    &model_names::hosted_model::RULE,
    &model_names::api_slug::RULE,
    &model_names::vision_language_model::RULE,
    &model_names::blocked_model::RULE,
    &model_names::chat_template::RULE,
    &model_names::custom_implementation::RULE,
    &model_names::remote_code::RULE,
    &model_names::poor_tool_caller::RULE,
    &model_names::misspelt_model::RULE,
    &model_names::foreign_renderer::RULE,
    &model_names::foreign_tokenizer::RULE,
    &model_names::unsupported_attention::RULE,
    &model_names::no_experts::RULE,
    &model_names::checkpoint_targets::RULE,
    &model_names::teacher_not_served::RULE,
    &model_names::foreign_teacher::RULE,
    &model_names::text_model_as_vision::RULE,
    &model_names::fp8_without_support::RULE,
    &model_names::quantised_weights::RULE,
    &model_names::no_chat_template::RULE,
    // PRL8xx: operations.
    &operations::checkpointing_off::RULE,
    &operations::only_final_checkpoint::RULE,
    &operations::checkpoints_pile_up::RULE,
    &operations::benchmark_checkpoints_deleted::RULE,
    &operations::newest_checkpoint_deleted::RULE,
    &operations::keep_interval_between_saves::RULE,
    &operations::keep_last_without_effect::RULE,
    &operations::resume_beyond_end::RULE,
    &operations::resume_between_saves::RULE,
    &operations::resume_without_wandb_id::RULE,
    &operations::resume_unseen_by_launcher::RULE,
    &operations::clean_deletes_checkpoints::RULE,
    &operations::stale_outputs::RULE,
    &operations::shared_gpu::RULE,
    &operations::cuda_graphs_on_shared_gpu::RULE,
    &operations::more_gpus_than_stated::RULE,
    &operations::nccl_on_one_gpu::RULE,
    &operations::vllm_variable_without_effect::RULE,
    &operations::secret_in_config::RULE,
    &operations::wandb_name_of_other_version::RULE,
    &operations::no_evaluation_of_result::RULE,
    &operations::offline_without_effect::RULE,
    &operations::last_evaluation_lost::RULE,
    &operations::no_inference_server::RULE,
    &operations::no_steps::RULE,
    &operations::port_collision::RULE,
    &operations::localhost_across_nodes::RULE,
    &operations::port_out_of_range::RULE,
    &operations::server_out_of_reach::RULE,
    &operations::resume_in_new_run::RULE,
    &operations::weights_to_router::RULE,
];

/// Whether a code is that of a rule about what a run needs whatever its memory: the number of GPUs and how it is distributed over them, `PRL35x` and
/// `PRL36x` and two others, and weights that the trainer can load.
pub fn is_layout(code: Code) -> bool {
    let beside =
        [&training::indivisible_heads::RULE, &operations::more_gpus_than_stated::RULE, &model_names::quantised_weights::RULE];
    code.code.starts_with("PRL35") || code.code.starts_with("PRL36") || beside.iter().any(|rule| rule.code == code)
}

/// Whether a rule needs only the written value, so that it applies whichever other configs this one is combined with.
pub fn needs_only_its_value(code: Code) -> bool {
    let rules = [
        &placeholders::placeholder::RULE,
        &operations::utilization_out_of_range::RULE,
        &parallel::invalid_degree::RULE,
        &curriculum::curriculum_order::RULE,
        &curriculum::curriculum_weights::RULE,
        &operations::secret_in_config::RULE,
        &operations::vllm_variable_without_effect::RULE,
    ];
    rules.iter().any(|rule| rule.code == code)
}

/// The frequently read parts of a rule, stored together: the rules themselves are far apart in memory.
struct Applying {
    versions: VersionRange,
    check: Check,
    code: Code,
}

/// The rules that apply to configs of each kind, in the order of the kinds.
static OF_KINDS: LazyLock<[Vec<Applying>; Kind::ALL.len()]> = LazyLock::new(|| {
    let applying = |rule: &&Rule| Applying { versions: rule.versions, check: rule.check, code: rule.code };
    Kind::ALL.map(|kind| ALL.iter().filter(|rule| rule.kinds.contains(&kind)).map(applying).collect())
});

/// Runs every rule that applies. The second of each pair is the repair, if the rule has one.
pub fn run(context: &Context<'_>) -> Vec<(Diagnostic, Option<Repair>)> {
    let mut found = Vec::new();
    let of_kind = Kind::ALL.iter().position(|kind| *kind == context.kind).map_or(&[][..], |index| &OF_KINDS[index]);
    for rule in of_kind.iter().filter(|rule| rule.versions.contains(context.target.point)) {
        match rule.check {
            Check::Once(check) => {
                if let Some(finding) = check(context) {
                    found.push(finding.finish(rule.code));
                }
            }
            Check::Each(check) => {
                let findings = check(context);
                // Nearly all rules find nothing.
                if !findings.is_empty() {
                    found.extend(findings.into_iter().map(|finding| finding.finish(rule.code)));
                }
            }
        }
    }
    found
}
