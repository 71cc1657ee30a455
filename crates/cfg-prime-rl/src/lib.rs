//! Checks configs of prime-rl: the library behind the command `cfg`, for programs in Rust.
//!
//! The input is a config as text, the output is plain data. Nothing is read from the disk, no program is started, and nothing is printed: the files
//! that a config includes are those of a [`Checker`]. So it also works in a browser.
//!
//! ```
//! use cfg_prime_rl::{Severity, Verdict, check};
//!
//! let text = "[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n";
//! let report = check(text, "0.4.0")?;
//! assert_eq!(report.verdict, Verdict::Rejected);
//!
//! let finding = &report.findings[0];
//! assert_eq!((finding.code, finding.name, finding.severity), ("PRL101", "unknown-key", Severity::Error));
//! assert_eq!(finding.range.map(|range| range.start.line), Some(3));
//!
//! let fix = finding.fix.as_ref().expect("a letter is in the wrong place");
//! assert_eq!(fix.apply(text).as_deref(), Some("[trainer]\n[orchestrator]\nrollouts_per_example = 16\n"));
//! # Ok::<(), cfg_prime_rl::Error>(())
//! ```
//!
//! [`compile`] gives each value of the resolved config, with its origin, and `memory` the memory on each GPU:
//!
//! ```
//! use cfg_prime_rl::compile;
//!
//! let text = "max_steps = 20\n[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[orchestrator]\n";
//! let compiled = compile(text, "0.4.0")?;
//! let value = compiled.value("trainer.max_steps").expect("prime-rl shares it");
//! assert_eq!(value.value, 20);
//!
//! # #[cfg(feature = "memory")]
//! # {
//! let memory = cfg_prime_rl::memory(text, "0.4.0", "2x H100")?;
//! assert_eq!(memory.gpus[0].verdict, "out-of-memory");
//! # }
//! # Ok::<(), cfg_prime_rl::Error>(())
//! ```
//!
//! Further statements are in a [`Config`], several files or a command in a [`Launch`], and files beside the config in a [`Checker`]; [`schema`] looks keys up.
//!
//! Two features are on, and can be left out: `memory`, which has the function of that name and the findings about the memory of a stated machine, and
//! `python`, which reads a prime-rl, environments and scripts among the files of a [`Checker`]. Without it, what depends on such a source is unknown.
//!
//! The public items here stay compatible within a major version: members are only added. The crates below are not meant for other programs, and
//! change with each version.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod checker;
mod compiled;
mod config;
mod error;
mod known;
mod launch;
#[cfg(feature = "memory")]
mod memory;
mod read;
mod report;
pub mod schema;

use std::sync::LazyLock;

pub use cfg_diag::{Applicability, Does, Severity, Verdict};
pub use cfg_report::json::{Position, Range};
#[cfg(feature = "memory")]
pub use cfg_report::memory::{
    AccuracyReport, DiskReport, GpuReport, HardwareReport, InferenceReport, LimitsReport, MemoryReport, PartReport, RemedyReport,
    TrainerReport,
};
pub use cfg_schema::Kind;

pub use checker::Checker;
pub use compiled::{Compiled, Value};
pub use config::Config;
pub use error::Error;
pub use known::{cards, explain, releases};
pub use launch::Launch;
#[cfg(feature = "memory")]
pub use memory::memory;
pub use report::{Edit, Finding, Fix, Related, Report};

/// For configs without surroundings. What it computes from the schema is kept for the next one.
static ALONE: LazyLock<Checker> = LazyLock::new(Checker::default);

/// Checks one config for a prime-rl: a release (`0.4.0`), a commit, a date (`2026-01-06`) or `main`.
///
/// # Errors
/// If there is no such prime-rl. Errors of the config are in the report.
pub fn check(text: &str, target: &str) -> Result<Report, Error> {
    ALONE.check(&Config::new(text).target(target))
}

/// The config as a prime-rl resolves it: every value, including defaults.
///
/// # Errors
/// If there is no such prime-rl, or it refuses the config.
pub fn compile(text: &str, target: &str) -> Result<Compiled, Error> {
    ALONE.compile(&Config::new(text).target(target))
}
