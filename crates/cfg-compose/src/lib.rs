//! Composes documents, the arguments of a launch command and the environment to one [`Tree`] whose nodes have origins.
//!
//! Files are read through the [`System`](cfg_system::System) that is passed to [`compose`]. The differences between prime-rl's loaders are a value, a
//! [`loader::Loader`]; each of the three grammars of command lines is a module.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod again;
mod cli_args;
mod command;
mod compose;
mod environment;
mod forms;
mod includes;
mod json;
mod launchers;
mod launches;
mod lists;
pub mod loader;
mod merge;
mod near_file;
mod origin;
mod python;
mod repeated;
mod script;
mod shell;
mod started;
mod texts;
mod tree;

pub use again::{keys_of, not_read_again, real_path};
pub use cfg_syntax::{Datetime, Integer};
pub use command::{CommandLine, Launch, Starter, Word, may_be_program, program_of};
pub use compose::{Composed, Input, MAX_VALUES, compose, name_exceptions, too_many_values};
pub use environment::Variable;
pub use forms::{Form, FoundLaunches, launches_of_form};
pub use json::read_quoted as read_json;
pub use launches::{WrittenLaunch, launches, launches_in_comments, lines_of_launches, signs};
pub use near_file::near_file;
pub use origin::{Derivation, Origin};
pub use python::{PythonCommands, commands_of_python};
pub use texts::{ReadError, Text, Texts};
pub use tree::{Entry, Node, Table, Tree, Value};
