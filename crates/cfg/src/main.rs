//! The program `cfg`.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

use std::process::ExitCode;

/// Checks allocate and free hundreds of small values on all threads at once, for which this allocator is faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cfg_command::run()
}
