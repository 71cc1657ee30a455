//! `cfg registry`, and the commands that work on what it keeps: one file for each.

mod adopt;
pub(crate) mod around;
pub(crate) mod bump;
mod config;
pub(crate) mod editor;
pub(super) mod findings;
mod gc;
mod init;
mod list;
pub(crate) mod log;
pub(super) mod open;
pub(super) mod place;
pub(super) mod reference;
pub(crate) mod restore;
pub(crate) mod show;
pub(super) mod staged;
pub(super) mod today;
mod verify;

use std::io;

pub(super) use around::registered;

use crate::{
    Outcome,
    args::{Common, Registry, RegistryCommand},
};

pub(crate) fn run(common: &Common, registry: &Registry) -> io::Result<Outcome> {
    match &registry.command {
        RegistryCommand::Init { folder } => init::run(folder),
        RegistryCommand::Verify(verify) => verify::run(common, verify),
        RegistryCommand::List { path } => list::run(common, path),
        RegistryCommand::Adopt { paths, dry_run } => adopt::run(common, paths, *dry_run),
        RegistryCommand::Gc { path, dry_run } => gc::run(common, path, *dry_run),
    }
}
