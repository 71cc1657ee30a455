//! A recovering TOML parser: it turns any text into a [`Document`] and diagnostics, and never fails.
//!
//! The steps: [`decode()`] turns bytes into text; `lexer` and `tokens` cut the text into tokens; `brackets` finds the
//! closing bracket of every bracket, or the line at which an unclosed one ends; `statement`, `value` and `scalar` parse the tokens;
//! `tree` puts the entries into their tables and finds duplicates; `faults` has all messages. Before all that, `plain` tries to read the text in one
//! pass: nearly all configs use little of TOML, and have no fault of syntax.
//!
//! The tokens are those of `toml_parser`'s lexer, which a test compares. Its event parser would not do: it reports neither the text that a fault is
//! about nor what tomli does with it, and this parser must know that a bracket is unclosed before it reads the content.
//!
//! Invariants:
//! - Every text gives a document; that of a valid text with too many tokens is empty, and says so. Every span is within the text and on character boundaries.
//! - A text that the target's loader (tomli) reads gets no error, and a text that it refuses gets at least one, unless it has too many tokens.
//! - A fault affects only its own line. Brackets and strings end early only where the text can't be TOML, so a valid text is never cut.
//! - The time is linear in the length of the text, and no value of a document is nested deeper than [`MAX_DEPTH`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod brackets;
mod conflict;
mod datetime;
mod decode;
mod document;
mod faults;
pub mod json;
mod lexer;
mod meant;
mod metadata;
mod nested;
mod number;
mod parser;
mod plain;
pub mod rewrite;
mod same;
mod scalar;
mod statement;
mod string;
mod suppression;
mod tokens;
mod tree;
mod unquoted;
mod value;

use cfg_diag::{Diagnostic, FileId, Location, Severity, codes};

pub use conflict::conflict;
pub use datetime::{Date, Datetime, Time};
pub use decode::decode;
pub use document::{Document, Entry, Header, Integer, Key, Table, TableStyle, Value, ValueKind};
pub use meant::{quantity, thousand, variable};
pub use metadata::{MetadataBlock, metadata};
pub use number::MAX_DIGITS;
pub use same::has_same_values;
pub use suppression::{Ignored, Scope, Suppression, statements, suppressions};
pub use tokens::MAX_TOKENS;

/// The maximum nesting of keys and brackets in a document. Deeper values are reported and left out, so that walking and dropping a
/// document recursively is safe on small stacks.
pub const MAX_DEPTH: usize = 128;

/// The TOML that the loader of a target reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// TOML 1.0, as tomli before 2.4.0 reads it.
    Toml10,
    /// TOML 1.1, as tomli reads it from 2.4.0 on.
    Toml11,
}

/// Parses `text`. The diagnostics are in the order of their places in the text.
pub fn parse(file: FileId, text: &str, dialect: Dialect) -> (Document, Vec<Diagnostic>) {
    let (document, diagnostics, _) = in_dialect(file, text, dialect);
    (document, diagnostics)
}

/// Parses `text` as TOML 1.0, and returns whether TOML 1.1 may read it differently. If not, [`parse`] returns the same result for both.
pub fn parse_first(file: FileId, text: &str) -> (Document, Vec<Diagnostic>, bool) {
    in_dialect(file, text, Dialect::Toml10)
}

fn in_dialect(file: FileId, text: &str, dialect: Dialect) -> (Document, Vec<Diagnostic>, bool) {
    let (document, mut diagnostics, differs) =
        plain::document(file, text, dialect).unwrap_or_else(|| parser::Parser::new(file, text, dialect).run());
    if diagnostics.iter().any(|found| found.severity == Severity::Error)
        && let Some(mark) = conflict(text)
    {
        diagnostics = vec![unresolved_conflict(Location::new(file, mark))];
    }
    (document, diagnostics, differs)
}

/// The finding for a text with a mark of a merge.
pub fn unresolved_conflict(mark: Location) -> Diagnostic {
    Diagnostic::new(&codes::MERGE_CONFLICT, "unresolved merge conflict").at(mark).help(conflict::HELP)
}
