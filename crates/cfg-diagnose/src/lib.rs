//! Training logs: the symptoms in them, what they mean, and which lines of a config caused them.
//!
//! - [`Matcher`] knows the symptoms, which are data: `schemas/symptoms/`.
//! - [`Metrics`] reads the file of metrics that prime-rl can write, in the same way.
//! - A [`Log`] takes the bytes of one log piece by piece. Its memory does not grow with the log.
//! - [`conclude`] combines all logs of a run, because no single log shows why a run hangs.
//! - [`blame`] finds the places of a config that contributed to a finding.
//!
//! ```
//! use cfg_diagnose::{RunContext, Log, Matcher, conclude};
//!
//! let matcher = Matcher::new();
//! let mut log = Log::new(&matcher);
//! log.feed(b"12:00:01    INFO Starting inference\nRuntimeError: Attempted to set the storage of a tensor on device \"cpu\"\n");
//! let findings = conclude(&[log.finish()], &RunContext::default());
//! assert_eq!(&*findings[0].symptom.name, "lora-cpu-offload");
//! assert_eq!(findings[0].sightings[0].first.line, 2);
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod blame;
mod boxed;
mod clean;
mod collector;
mod conclude;
mod course;
mod curves;
mod envelope;
mod error_kind;
mod evaluated;
mod event;
mod excerpt;
mod failing;
mod failure;
mod foreign;
mod frame;
mod halts;
mod last_words;
mod last_write;
mod launches;
mod line;
mod lines;
mod log;
mod log_event;
mod matcher;
mod measures;
mod metrics;
mod order;
mod origin;
mod pattern;
mod prefix;
mod process;
mod reason;
mod run;
mod scanned;
mod search;
mod shape;
mod sighting;
mod streak;
mod symptom;
mod table;
mod thresholds;
mod timeline;
mod traceback;
mod wrapped;

pub use blame::{ImplicatedKey, blame};
pub use conclude::{Expected, Finding, RunContext, conclude, processes};
pub use curves::{Curve, Curves, Measure};
pub use envelope::{Unfolded, is_enveloped};
pub use frame::Frame;
pub use last_write::LastWrite;
pub use launches::mark_replaced;
pub use log::Log;
pub use matcher::{Matcher, ScannedLines};
pub use metrics::Metrics;
pub use origin::{Component, Origin, below_run, replaced};
pub use process::{Process, ProcessState};
pub use run::RunEnd;
pub use scanned::{ScannedLog, Sighted};
pub use sighting::Sighting;
pub use symptom::{Symptom, all};
pub use table::{lines as lines_table, table};
pub use thresholds::{Progress, Thresholds};
pub use wrapped::{Unwrapped, wrapped_at};
