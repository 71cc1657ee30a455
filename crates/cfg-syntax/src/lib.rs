//! A recovering TOML parser: text in, a [`Document`] and diagnostics out, never an error.
//!
//! The way through: [`decode()`] turns bytes into text; `tokens` cuts the text into the tokens of `toml_parser`'s lexer; `brackets`
//! finds for every bracket its other end, or the line at which an unclosed one must give up; `statement`, `value` and `scalar` read the
//! grammar off the tokens; `tree` puts the entries in their tables and notices duplicates; `faults` holds every sentence that is said.
//!
//! Of `toml_parser` only the lexer is used: its event parser tells neither what a fault is about nor what tomli makes of it, and a
//! bracket must be known to be unclosed before the grammar enters it.
//!
//! Invariants:
//! - Whatever the text, there is a document, and every span is within the text and on character boundaries.
//! - A text that the target's loader (tomli) reads gets no error, one that it refuses gets at least one.
//! - A fault costs its own line. Brackets and strings give up only where the text can't be TOML, so a valid text is never cut.
//! - The time is linear in the length of the text, and no value of a document is deeper than [`MAX_DEPTH`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod brackets;
mod datetime;
mod decode;
mod document;
mod faults;
mod metadata;
mod number;
mod parser;
pub mod rewrite;
mod scalar;
mod statement;
mod string;
mod suppression;
mod tokens;
mod tree;
mod unquoted;
mod value;

use cfg_diag::{Diagnostic, FileId};

pub use datetime::{Date, Datetime, Time};
pub use decode::decode;
pub use document::{Document, Entry, Header, Integer, Key, Table, TableStyle, Value, ValueKind};
pub use metadata::{MetadataBlock, metadata};
pub use number::MAX_DIGITS;
pub use suppression::{Ignored, Scope, Suppression, statements, suppressions};

/// How many keys and brackets deep a document is kept. What is deeper is reported and left out, so that walking and dropping a
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

/// Parses `text`. The diagnostics are in the order of the text.
pub fn parse(file: FileId, text: &str, dialect: Dialect) -> (Document, Vec<Diagnostic>) {
    let (document, diagnostics, _) = parser::Parser::new(file, text, dialect).run();
    (document, diagnostics)
}

/// Parses `text` as TOML 1.0, and says whether TOML 1.1 may read it differently; if not, [`parse`] would give the same.
pub fn parse_first(file: FileId, text: &str) -> (Document, Vec<Diagnostic>, bool) {
    parser::Parser::new(file, text, Dialect::Toml10).run()
}
