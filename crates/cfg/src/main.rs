//! The `cfg` command: arguments, files, rendering and exit codes. All knowledge lies in the crates below.

mod args;
mod baseline;
mod commands;
mod control;
mod inputs;
mod launch;
mod preflight;
mod statistics;
mod terminal;
mod write;

use std::{io, process::ExitCode};

use clap::Parser as _;

use args::{Arguments, Command};

/// Checking a config makes hundreds of small values and drops them again, on all threads at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing is wrong.
    Clean,
    /// Errors were found.
    Found,
    /// The command could not do its work.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Clean => 0,
            Outcome::Found => 1,
            Outcome::Failed => 2,
        })
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.command {
        Command::Check(check) => commands::check::run(&arguments.common, check),
        Command::Compile(compile) => commands::compile::run(&arguments.common, compile),
        Command::Curriculum(curriculum) => commands::curriculum::run(&arguments.common, curriculum),
        Command::Diff(diff) => commands::diff::run(&arguments.common, diff),
        Command::Launch(launch) => commands::launch::run(&arguments.common, launch),
        Command::Memory(memory) => commands::memory::run(&arguments.common, memory),
        Command::Bump(bump) => commands::registry::bump::run(&arguments.common, bump),
        Command::Log(log) => commands::registry::log::run(&arguments.common, log),
        Command::Show(show) => commands::registry::show::run(&arguments.common, show),
        Command::Restore(restore) => commands::registry::restore::run(&arguments.common, restore),
        Command::Hook(hook) => commands::hook::run(&arguments.common, &hook.command),
        Command::Registry(registry) => commands::registry::run(&arguments.common, registry),
        Command::Diagnose(diagnose) => commands::diagnose::run(&arguments.common, diagnose),
        Command::Preflight(preflight) => commands::preflight::run(&arguments.common, preflight),
        Command::Migrate(migrate) => commands::migrate::run(&arguments.common, migrate),
        Command::Run(run) => commands::run::run(&arguments.common, &run.command),
        Command::Schema(schema) => commands::schema::run(&arguments.common, schema),
        Command::Lsp => commands::lsp::run(&arguments.common),
        Command::Explain(explain) => commands::explain::run(&arguments.common, explain),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        // The reader of the output has had enough: `cfg check | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Outcome::Clean.into(),
        Err(error) => {
            terminal::complain(&error.to_string());
            Outcome::Failed.into()
        }
    }
}
