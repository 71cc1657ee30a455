//! How a run is started: the commands for a given prime-rl ([`Launch`]), and checks of the machine on which the run is about to start
//! ([`preflight`]),
//! and what a run leaves in its folder ([`outputs`]). Nothing here starts a program of the run or changes the machine.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod launch;
pub mod outputs;
pub mod preflight;

pub use launch::{Launch, LaunchStep, OPEN_FILES, Part, checkpoint_flags};
