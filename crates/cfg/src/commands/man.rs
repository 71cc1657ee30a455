//! `cfg generate man`: the manual page of `cfg`, or of one of its commands.

use std::io::Write as _;

use clap_mangen::Man;

use crate::{
    CommandResult, Outcome,
    args::{self, Arguments},
    context::Context,
};

pub(crate) fn run(cx: &Context, asked: &args::Man) -> CommandResult {
    let mut command = Arguments::words();
    command.build();
    for word in &asked.command {
        let Some(below) = command.find_subcommand(word) else {
            cx.complain(&format!("unknown command `{}`", asked.command.join(" ")));
            return Ok(Outcome::Failed);
        };
        command = below.clone();
    }
    let mut page = Vec::new();
    Man::new(command).source(concat!("cfg ", env!("CARGO_PKG_VERSION"))).render(&mut page)?;
    cx.out_of_lines().write_all(&page)?;
    Ok(Outcome::Clean)
}
