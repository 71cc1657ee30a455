//! `cfg registry`, and the other commands that use a registry: one file for each.

mod adopt;
pub(crate) mod bump;
pub(super) mod config;
pub(crate) mod editor;
pub(super) mod findings;
mod gc;
mod init;
mod list;
pub(crate) mod log;
mod merge;
mod mv;
pub(super) mod open;
pub(super) mod reference;
pub(crate) mod registered;
mod restore;
mod show;
pub(super) mod staged;
pub(super) mod today;
mod verify;

pub(super) use registered::registered;

use std::path::Path;

use cfg_diag::{FileId, codes};
use cfg_syntax::Dialect;

use crate::{
    CommandResult,
    args::{Registry, RegistryCommand},
    context::Context,
};

pub(crate) fn run(cx: &Context, registry: &Registry) -> CommandResult {
    match &registry.command {
        RegistryCommand::Init { folder } => init::run(cx, folder),
        RegistryCommand::Verify(verify) => verify::run(cx, verify),
        RegistryCommand::List { path } => list::run(cx, path),
        RegistryCommand::Adopt { paths, dry_run } => adopt::run(cx, paths, *dry_run),
        RegistryCommand::Merge(asked) => merge::run(cx, asked),
        RegistryCommand::Mv { paths } => mv::run(cx, paths),
        RegistryCommand::Show(show) => show::run(cx, show),
        RegistryCommand::Restore(restore) => restore::run(cx, restore),
        RegistryCommand::Gc { path, dry_run } => gc::run(cx, path, *dry_run),
    }
}

/// The message for a config with the marks of a merge, which can't become a version.
fn conflict_in(path: &Path, text: &str) -> Option<String> {
    let (_, diagnostics) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let found = diagnostics.into_iter().find(|found| found.code == &codes::MERGE_CONFLICT)?;
    let start = found.location.map_or(0, |at| at.span.start as usize);
    let line = text[..start].matches('\n').count() + 1;
    Some(format!("{}:{line}:1: error[{}] {}", path.display(), found.code.code, found.message))
}
