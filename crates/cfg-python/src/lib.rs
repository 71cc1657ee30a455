//! prime-rl's config classes, read from their Python sources. No Python is run: declarations are evaluated if they are simple. Anything that is not
//! modelled is [`Unknown`], with the place and the reason; the part of a config that it declares is *open*, which means that any value is accepted
//! there. What the sources do not contain is taken from the *base point*, a point of the built-in history; checks that the base point does not have
//! with the same revision are run from their source.
//!
//! ```text
//! file ──parse──▶ ast ──module, names──▶ bound names ──evaluate──▶ values ──class, field──▶ classes ──shape, rows──▶ fields of the schema history
//! ```

#![cfg_attr(not(feature = "parser"), allow(dead_code, reason = "no source is parsed"))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod absent;
mod assigns;
mod ast;
mod call;
mod checks;
mod class;
mod defaults;
mod entrypoint;
mod evaluate;
mod evaluation;
mod field;
mod function;
mod hash;
mod homes;
mod module;
mod names;
mod of_field;
mod package;
#[cfg(feature = "parser")]
mod parse;
#[cfg(not(feature = "parser"))]
#[path = "without_parser.rs"]
mod parse;
mod parsed;
mod parts;
mod pattern;
mod plugin;
mod program;
mod reads;
mod revision;
mod rows;
mod shape;
mod signature;
mod sources;
mod union;
mod unmodelled;
mod value;

pub use absent::Beside;
pub use checks::Code;
pub use entrypoint::Script;
pub use evaluation::{EvaluationKeys, read_evaluation_keys};
pub use package::{OwnField, PackageDeclarations, Packaged, read_environment, read_package};
pub use plugin::{module_name, package_name};
pub use program::{
    Loader, NO_LOADER, Program, ProgramClass, ProgramConfig, kind_of_class, read_evaluation, read_program, read_program_classes,
};
pub use revision::Revision;
pub use rows::{Declarations, Reading, read, read_with_revisions};
pub use signature::{environment_module, read_arguments};
pub use value::Unknown;
