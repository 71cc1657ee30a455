//! `cfg gpu list`: the names of cards and machines.

use std::{
    io::{self, Write as _},
    path::Path,
};

use cfg_check::Project;
use cfg_estimate::table;
use cfg_memory::catalogue;
use cfg_report::gpus::{GpusReport, write_tables};

use super::{Listing, memory::cards};
use crate::{CommandResult, Outcome, args::GpuCommand, context::Context, terminal};

/// The value of `--gpu` that requests this list.
pub(super) const LIST: &str = "list";

/// The word for all known cards in place of a machine.
pub(super) const ALL: &str = "all";

pub(crate) fn run(cx: &Context, command: &GpuCommand) -> CommandResult {
    match command {
        GpuCommand::List => list(cx),
    }
}

/// Prints the cards that the settings of the current folder declare, and the built-in ones.
pub(super) fn list(cx: &Context) -> CommandResult {
    let listing = Listing::of(cx);
    let own = Project::around(cx.session().projects(), Path::new("config.toml")).gpus;
    let report = GpusReport::new(&cards(&own), catalogue::machines(), |name| table::card(name).is_some());
    let mut out = io::BufWriter::new(cx.out());
    match listing {
        Listing::Text => write_tables(&mut out, terminal::style(cx), &report)?,
        Listing::Json | Listing::JsonLines => listing.write_one(&mut out, &report)?,
    }
    out.flush()?;
    Ok(Outcome::Clean)
}
