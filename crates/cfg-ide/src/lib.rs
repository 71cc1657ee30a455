//! The answers to an editor's requests about a config, as plain data: no protocol, no files, no state.
//!
//! An [`Analysis`] is one version of one text with all its results; every answer is a function of it and of a byte offset. The cursor position is
//! resolved in two ways: [`spot`] finds what is written there, in the parsed document; `context` finds what could be written there, only from the
//! text before the cursor, so that it also works in a half-typed line.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod actions;
mod analysis;
mod arguments;
mod brackets;
pub mod completion;
mod context;
mod course;
mod document_links;
mod environments;
mod folding;
mod formatting;
mod hints;
mod hover;
mod intended_path;
mod launched;
mod links;
mod memory;
mod migration;
mod missing_values;
mod past;
mod place;
mod rename;
mod reports;
mod settings;
mod signature;
mod skeletons;
mod spot;
mod symbols;
#[cfg(test)]
mod testing;
mod tokens;

pub use actions::{Action, ActionKind, actions, convert_metadata, fix_all};
pub use analysis::{Analysis, Part, Source};
pub use completion::{Item, ItemKind, Listed, Listing, MOST_FILES, Next, complete, complete_files, prefer_accepted};
pub use course::{course, known_problems};
pub use document_links::{LeadsTo, Link, document_links, path_of};
pub use environments::{NamedEnvironment, Naming, Word, declarations, environment_at, environments, places};
pub use folding::{Fold, FoldKind, folds, selection};
pub use formatting::{applied, format};
pub use hints::{Hint, Lens, Shows, hints, lens, shown_of};
pub use hover::{Hover, hover};
pub use links::{Target, declaration, definition, highlights, occurrences, references};
pub use memory::Memory;
pub use migration::migration;
pub use missing_values::missing_values;
pub use place::{PathSegment, dotted};
pub use rename::{Renaming, renameable};
pub use reports::{compiled, curriculum, curriculum_report};
pub use settings::{complete_settings, hover_settings, settings_table};
pub use signature::{Signature, signature};
pub use skeletons::{Skeletons, skeletons};
pub use spot::{Spot, spot, table_around};
pub use symbols::{Symbol, SymbolKind, search, symbols};
pub use tokens::{Token, TokenKind, tokens};
