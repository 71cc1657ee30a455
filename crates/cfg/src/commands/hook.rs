//! `cfg hook`: git asks before it commits.

mod install;
mod staged;

use std::io;

use crate::{
    Outcome,
    args::{Common, HookCommand},
};

pub(crate) fn run(common: &Common, command: &HookCommand) -> io::Result<Outcome> {
    match command {
        HookCommand::Install(asked) => install::install(asked),
        HookCommand::Uninstall => install::uninstall(),
        HookCommand::Run(asked) => staged::run(common, asked),
    }
}
