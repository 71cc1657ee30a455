//! From documents, the words of a launch command and the environment to one [`Tree`] whose every node knows where it comes from.
//!
//! Files are read by way of the [`System`](cfg_system::System) that [`compose`] is given. What differs between prime-rl's loaders is a value, a
//! [`loader::Loader`]; the three grammars of command lines are modules of their own.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod command;
mod compose;
mod environment;
mod includes;
mod json;
mod launches;
pub mod loader;
mod merge;
mod origin;
mod texts;
mod tree;
mod words;

pub use cfg_syntax::{Datetime, Integer};
pub use command::{CommandLine, Launch, Starter, Word, program_of};
pub use compose::{Composed, Input, MOST_VALUES, compose, name_exceptions, too_many_values};
pub use environment::Variable;
pub use json::read_quoted as read_json;
pub use launches::{ToldLaunch, launches};
pub use origin::{Origin, Step};
pub use texts::{ReadError, Text, Texts};
pub use tree::{Entry, Node, Table, Tree, Value};
