//! The Model Context Protocol over standard streams, as far as a server of tools needs it.
//!
//! [`serve`] reads a message of JSON-RPC from each line and answers it: what the server is, which tools there are, and what a tool says. A tool
//! is a command of `cfg` that reads: [`tools`] has for each its arguments, and which words of the command line they mean. Who runs these words, and
//! how far they reach, is the caller's matter ([`Runner`]).
//!
//! No message ends the server: one that is no JSON, too long, or asks for what is not there is answered with an error.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod arguments;
mod frames;
mod message;
mod server;
pub mod tools;

pub use frames::MOST_BYTES;
pub use server::{Runner, serve};
pub use tools::{Call, Tool};
