//! The configs that the user names, around which there may be settings for another version of this program.

use std::path::{Path, PathBuf};

use super::{Arguments, Command};

impl Arguments {
    /// The paths of the configs; empty for a command that uses no settings, or that checks the version itself.
    pub(crate) fn configs(&self) -> Vec<&Path> {
        match &self.command {
            Command::Compile(compile) => all(&compile.paths),
            Command::Memory(memory) => all(&memory.paths),
            Command::Estimate(estimate) => all(&estimate.paths),
            Command::Preflight(preflight) => all(&preflight.paths),
            Command::Migrate(migrate) => all(&migrate.paths),
            Command::Fmt(fmt) => all(&fmt.paths),
            Command::Plan(plan) => all(&plan.paths),
            Command::Launch(launch) => all(&launch.paths),
            Command::Sweep(sweep) => vec![&sweep.path],
            Command::Curriculum(curriculum) => vec![&curriculum.path],
            Command::Bump(bump) => vec![&bump.path],
            Command::Init(_)
            | Command::New(_)
            | Command::Diff(_)
            | Command::Report(_)
            | Command::Watch(_)
            | Command::Resume(_)
            | Command::Diagnose(_)
            | Command::Restore(_)
            | Command::Registry(_)
            | Command::Run(_)
            | Command::Models(_)
            | Command::Env(_) => vec![Path::new(".")],
            // A check reads the settings around all of its files first; the servers show the error in the settings.
            Command::Check(_)
            | Command::Hook(_)
            | Command::Lsp(_)
            | Command::Mcp(_)
            | Command::Log(_)
            | Command::Show(_)
            | Command::Gpu(_)
            | Command::Schema(_)
            | Command::Skill(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Explain(_) => Vec::new(),
        }
    }
}

fn all(paths: &[PathBuf]) -> Vec<&Path> {
    if paths.is_empty() { vec![Path::new(".")] } else { paths.iter().map(PathBuf::as_path).collect() }
}
