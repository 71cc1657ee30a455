//! What another user's repository must not do to a user who runs `cfg` in it: one test for each attack, with the built program, in a terminal, a
//! hook, CI and an editor.

#![cfg(unix)]

mod again;
mod around;
mod beyond;
mod bounded;
#[path = "../lsp/client.rs"]
#[allow(dead_code, reason = "not all of the client is needed here")]
mod client;
mod commands;
mod computed;
mod costs;
mod documents;
mod existence;
mod git;
mod journals;
mod limits;
mod multiplied;
mod output;
mod pipelines;
mod programs;
mod quoted;
#[path = "../cli/running.rs"]
mod running;
#[path = "../../../../tests/src/sized.rs"]
mod sized;
mod sources;
mod started;
mod victim;
mod ways;
mod writing;
