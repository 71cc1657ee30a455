//! Checks one config, from text to diagnostics: its kind, its target, and its errors.
//!
//! [`check`] is the complete check: the command line and the editor both call it. [`check_command`] does the same for several files and the arguments
//! of a launch command. What is around a config is found through the projects and registries of the [`Session`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod add_ignore;
mod ahead;
mod apply;
mod check;
mod checked;
mod claim;
mod command;
mod dialect;
mod entrypoint;
mod finish;
mod fragment;
mod half_typed;
mod hosted;
mod identity;
mod launched;
mod launched_kind;
mod lm_eval;
mod meaning;
#[cfg(feature = "memory")]
pub mod memory;
mod no_launch;
mod open;
mod order;
mod overlay;
mod own_kind;
mod own_program;
mod replaced;
mod request;
mod rules;
mod session;
mod several;
mod shape;
mod split;
mod stage;
mod suppress;
mod unchecked;
mod values;
mod verifiers;
mod yaml;

pub use add_ignore::{Ignoring, add_ignores};
pub use ahead::LaterNames;
pub use apply::apply;
pub use cfg_compose::{ReadError, Text, Texts, WrittenLaunch};
pub use cfg_diag::Verdict;
pub use cfg_project::{BaselineTexts, FileSet, LaunchIndex, Nearby, PlacedLaunch, SplitFile, SplitRun};
pub use cfg_registry::around::{Other, Registries, Seen};
pub use cfg_rules::Project;
pub use check::{check, check_document};
pub use checked::{Checked, Doubt};
pub use command::{COMMAND_LINE, CheckedCommand, Command, CommandRequest, ENVIRONMENT, Written, check_command, files_of_command};
pub use dialect::is_yaml_text;
pub use fragment::{Completed, Fragment, complete, completed_by, states_kind};
pub use identity::{Certainty, Family, Inference, best_target, guess_kind, name_of_range};
pub use launched::{LaunchCheck, LaunchRequest, LaunchUse, Launches, Own, check_launch, use_of};
pub use meaning::{meaning, meaning_of_command, meaning_of_text};
pub use own_program::OfScript;
pub use request::{Held, Request};
pub use session::Session;
pub use split::SplitText;
pub use stage::{reread, second_stage};
pub use verifiers::{OfVerifiers, VerifiersFile};
