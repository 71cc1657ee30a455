//! The Model Context Protocol over standard streams, as far as a server with tools needs it.
//!
//! [`serve`] reads one JSON-RPC message per line and answers it: with a description of the server, the list of its tools, or the output of a tool. A
//! tool is a read-only command of `cfg`: [`tools`] has its arguments, and how they become a command line. The caller runs the command line and
//! restricts what it can access ([`Runner`]).
//!
//! No message ends the server: a message that is not JSON, is too long or requests something unknown is answered with an error.

mod arguments;
mod frames;
mod message;
mod server;
pub(crate) mod tools;

pub(crate) use server::{Resource, Runner, serve};
pub(crate) use tools::Call;
