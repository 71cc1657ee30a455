//! `cfg registry`, and the commands that work on what it keeps: one file for each.

mod adopt;
pub(crate) mod bump;
pub(crate) mod claimed;
mod config;
mod gc;
mod init;
mod list;
pub(crate) mod log;
pub(super) mod open;
pub(super) mod place;
pub(super) mod reference;
pub(crate) mod restore;
pub(crate) mod show;
pub(super) mod today;
mod verify;

use std::io;

use crate::{
    Outcome,
    args::{Common, Registry, RegistryCommand},
};

/// The exact text of a version; complains where there is none.
pub(crate) fn text_of(common: &Common, reference: &str) -> io::Result<Option<Vec<u8>>> {
    let found = reference::find(common, reference, cfg_registry::store::Access::Read)?;
    Ok(found.ok().and_then(|(opened, place)| reference::bytes(&opened, place)))
}

pub(crate) fn run(common: &Common, registry: &Registry) -> io::Result<Outcome> {
    match &registry.command {
        RegistryCommand::Init { folder } => init::run(folder),
        RegistryCommand::Verify(verify) => verify::run(common, verify),
        RegistryCommand::List { path } => list::run(common, path),
        RegistryCommand::Adopt { paths, dry_run } => adopt::run(common, paths, *dry_run),
        RegistryCommand::Gc { path, dry_run } => gc::run(common, path, *dry_run),
    }
}
