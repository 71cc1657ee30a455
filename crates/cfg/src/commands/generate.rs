//! `cfg generate`: what other programs read.

use super::{completions, man, skill};
use crate::{CommandResult, args::GenerateCommand, context::Context};

pub(crate) fn run(cx: &Context, command: &GenerateCommand) -> CommandResult {
    match command {
        GenerateCommand::Completions(asked) => completions::run(cx, asked),
        GenerateCommand::Man(asked) => man::run(cx, asked),
        GenerateCommand::Skill(skill) => skill::run(cx, &skill.command),
    }
}
