//! `cfg generate completions`: the completion script for a shell.

use std::io::Write as _;

use crate::{
    CommandResult, Outcome,
    args::{Arguments, Completions},
    context::Context,
};

pub(crate) fn run(cx: &Context, asked: &Completions) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut Arguments::words(), "cfg", &mut script);
    cx.out_of_lines().write_all(&script)?;
    Ok(Outcome::Clean)
}
