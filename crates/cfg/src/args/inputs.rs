//! The configs that the user names, around which there may be settings for another version of this program.

use std::path::{Path, PathBuf};

use super::{Arguments, Command, Registry, RegistryCommand, RunCommand};

impl Arguments {
    /// The paths of the configs; empty for a command that uses no settings, or that checks the version itself.
    pub(crate) fn configs(&self) -> Vec<&Path> {
        match &self.command {
            Command::Compile(compile) => all(&compile.paths),
            Command::Memory(memory) => all(&memory.paths),
            Command::Estimate(estimate) => all(&estimate.paths),
            Command::Migrate(migrate) => all(&migrate.paths),
            Command::Fmt(fmt) => all(&fmt.paths),
            Command::Plan(plan) => all(&plan.paths),
            Command::Sweep(sweep) => vec![&sweep.path],
            Command::Bump(bump) => vec![&bump.path],
            Command::Run(run) => match &run.command {
                RunCommand::Preflight(preflight) => all(&preflight.paths),
                RunCommand::Launch(launch) => all(&launch.paths),
                _ => vec![Path::new(".")],
            },
            // A check reads the settings around all of its files first; the servers show the error in the settings.
            Command::Check(_)
            | Command::Hook(_)
            | Command::Lsp(_)
            | Command::Mcp(_)
            | Command::Log(_)
            | Command::Gpu(_)
            | Command::Schema(_)
            | Command::Generate(_)
            | Command::Explain(_)
            | Command::Registry(Registry { command: RegistryCommand::Show(_) }) => Vec::new(),
            Command::Init(_)
            | Command::New(_)
            | Command::Diff(_)
            | Command::Registry(_)
            | Command::Model(_)
            | Command::Env(_) => vec![Path::new(".")],
        }
    }
}

fn all(paths: &[PathBuf]) -> Vec<&Path> {
    if paths.is_empty() { vec![Path::new(".")] } else { paths.iter().map(PathBuf::as_path).collect() }
}
