//! `cfg hook`: the git hook that checks a commit.

pub(super) mod driver;
pub(super) mod install;
mod staged;

use crate::{CommandResult, args::HookCommand, context::Context};

pub(crate) fn run(cx: &Context, command: &HookCommand) -> CommandResult {
    match command {
        HookCommand::Install(asked) => install::install(cx, asked),
        HookCommand::Uninstall => install::uninstall(cx),
        HookCommand::Run(asked) => staged::run(cx, asked),
    }
}
