//! Spans, positions, edits and diagnostics: the vocabulary in which every other crate reports.
//!
//! A [`Diagnostic`] is plain data. It names its entry in the table of [`codes`], contains the message, and points at bytes of files, which are known
//! here only by their [`FileId`]. Other crates decide how it is shown on a screen, in JSON or in an editor.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod codes;
mod diagnostic;
mod edit;
mod line_index;
pub mod markdown;
mod order;
mod span;
mod text;

pub use codes::{Code, CodeInfo};
pub use diagnostic::{Diagnostic, LocPart, Native, Related, Severity, Verdict};
pub use edit::{Applicability, Does, Edit, Fix, KeyChange, Lost, Proposal, is_within};
pub use line_index::{LineColumn, LineIndex, PositionEncoding};
pub use order::Order;
pub use span::{FileId, Location, Span};
pub use text::{
    brackets_of_commands, capitalized, escape, in_a_row, is_command, is_hazard, line_start, lines, one_line, without_commands,
    word,
};
