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

mod assessed;
mod context;
mod finding;
mod memory;
mod remedy;
mod rule;

use cfg_diag::Diagnostic;

pub use assessed::Memory;
pub use finding::{Finding, Repair};
pub use rule::{Check, Context, FixKind, Project, Rule, Targets};

/// Every rule, group by group, in the order of their codes.
pub static ALL: &[&Rule] = &[
    // PRL3xx: failures at run time.
    &context::context_overflow::RULE,
    // PRL4xx: memory and disk.
    &memory::no_memory_to_load::RULE,
    &memory::no_memory_to_start::RULE,
    &memory::no_kv_cache::RULE,
    &memory::kv_cache_too_small::RULE,
    &memory::out_of_memory::RULE,
    &memory::missing_checkpointing::RULE,
    &memory::tight_memory::RULE,
    &memory::shared_gpu_default::RULE,
    &memory::kv_cache_crowded::RULE,
    &memory::disk_full::RULE,
];

/// Runs every rule that applies. The second of each pair is the repair, if the rule knows one.
pub fn run(context: &Context<'_>) -> Vec<(Diagnostic, Option<Repair>)> {
    let applying = ALL.iter().filter(|rule| rule.applies(context));
    applying.flat_map(|rule| rule.check.run(context).into_iter().map(|finding| finding.finish(rule.code))).collect()
}
