//! Checks configs of prime-rl: the library behind the command `cfg`, for programs in Rust.
//!
//! A config goes in as text, plain data comes out. Nothing is read from the disk, no program is started, and nothing is printed: files that a config
//! names are those that a [`Checker`] was given. So it works in a browser as well.
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
//! [`compile`] gives each value that prime-rl makes of a config, with where it comes from, and [`memory`] what each GPU has to hold:
//!
//! ```
//! use cfg_prime_rl::{compile, memory};
//!
//! let text = "max_steps = 20\n[model]\nname = \"Qwen/Qwen3-8B\"\n[trainer]\n[orchestrator]\n";
//! let compiled = compile(text, "0.4.0")?;
//! let value = compiled.value("trainer.max_steps").expect("prime-rl shares it");
//! assert_eq!(value.value, 20);
//!
//! let memory = memory(text, "0.4.0", "2x H100")?;
//! assert_eq!(memory.gpus[0].verdict, "out-of-memory");
//! # Ok::<(), cfg_prime_rl::Error>(())
//! ```
//!
//! What is stated besides text and target, and files beside the config, are in a [`Config`] and a [`Checker`].
//!
//! What is public here stays as it is within a major version: members are only added. The crates below are not meant for others, and
//! change with each version.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod checker;
mod compiled;
mod config;
mod error;
mod known;
mod read;
mod report;

use std::sync::LazyLock;

pub use cfg_check::Verdict;
pub use cfg_diag::{Applicability, Severity};
pub use cfg_report::{
    json::{Position, Range},
    memory::{
        AccuracyReport, DiskReport, GpuReport, HardwareReport, InferenceReport, LimitsReport, MemoryReport, PartReport,
        RemedyReport, TrainerReport,
    },
};
pub use cfg_schema::Kind;

pub use checker::Checker;
pub use compiled::{Compiled, Value};
pub use config::Config;
pub use error::Error;
pub use known::{cards, explain, releases};
pub use report::{Edit, Finding, Fix, Report};

/// For configs around which there is nothing. What it computes of the schema is kept, for the next one.
static ALONE: LazyLock<Checker> = LazyLock::new(Checker::default);

/// Checks one config for a prime-rl: a release (`0.4.0`), a commit, a date (`2026-01-06`) or `main`.
///
/// # Errors
/// Where there is no such prime-rl. What is wrong with the config is in the report.
pub fn check(text: &str, target: &str) -> Result<Report, Error> {
    ALONE.check(&Config::new(text).target(target))
}

/// What a prime-rl makes of a config: every value, defaults included.
///
/// # Errors
/// Where there is no such prime-rl, or it refuses the config.
pub fn compile(text: &str, target: &str) -> Result<Compiled, Error> {
    ALONE.compile(&Config::new(text).target(target))
}

/// What each GPU of a machine (`2x H100`), and the disk, have to hold.
///
/// # Errors
/// Where there is no such prime-rl or machine, prime-rl refuses the config, or nothing is known of its model.
pub fn memory(text: &str, target: &str, gpu: &str) -> Result<MemoryReport, Error> {
    ALONE.memory(&Config::new(text).target(target).gpu(gpu))
}
