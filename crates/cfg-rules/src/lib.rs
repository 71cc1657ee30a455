//! What prime-rl never checks: one file per rule, and the runner.
//!
//! A rule is a [`Rule`]: its entry in the table of codes, which holds its name, severity and page, the entrypoints and the stretch of
//! history that it applies to, and a function from a [`Context`] to [`Finding`]s. Every rule is a file of the folder of its group, named
//! as its code is (`context/context_overflow.rs`), and stands in [`ALL`]; `tests/tests/rules.rs` holds the two together.
//!
//! Invariants:
//! - A rule says nothing of values that are invalid or that it can't know. What is wrong with them has been said.
//! - A rule never speaks for prime-rl: its findings have no native error, so a verdict does not depend on them.
//! - A rule does not know the text. It says what should change in terms of keys ([`Repair`]); what that means in bytes is found where the
//!   text is at hand.

mod context;
mod finding;
mod operations;
mod points;
mod rule;

use cfg_diag::Diagnostic;

pub use finding::{Finding, Repair};
pub use rule::{Check, Context, FixKind, Project, Rule, Targets};

/// Every rule, group by group, in the order of their codes.
pub static ALL: &[&Rule] = &[
    // PRL3xx: failures at run time.
    &context::context_overflow::RULE,
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
];

/// Runs every rule that applies. The second of each pair is the repair, if the rule knows one.
pub fn run(context: &Context<'_>) -> Vec<(Diagnostic, Option<Repair>)> {
    let applying = ALL.iter().filter(|rule| rule.applies(context));
    applying.flat_map(|rule| rule.check.run(context).into_iter().map(|finding| finding.finish(rule.code))).collect()
}
