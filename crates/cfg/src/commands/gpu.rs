//! `cfg gpu`: the names of cards and machines.

use std::{
    io::{self, Write as _},
    path::Path,
};

use cfg_check::Project;
use cfg_memory::{
    catalogue::{self, Gpu, Machine},
    duration::table,
};
use cfg_report::gpus::{GpusReport, write_tables};

use super::{Listing, memory::cards};
use crate::{CommandResult, Outcome, args, context::Context, machine::RequestedMachine, terminal};

/// The value of `--gpu` that requests this list.
pub(super) const LIST: &str = "list";

/// The word for all known cards in place of a machine.
pub(super) const ALL: &str = "all";

pub(crate) fn run(cx: &Context, gpu: &args::Gpu) -> CommandResult {
    let Some(name) = &gpu.name else { return list(cx) };
    let own = own(cx);
    let gpu = match RequestedMachine::read(cx, name, &own) {
        Ok(machine) => machine.hardware.gpu,
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    let machines: Vec<Machine> = catalogue::machines().iter().filter(|machine| machine.gpu == gpu.name).copied().collect();
    print(cx, &[gpu], &machines)
}

/// Prints the cards that the settings of the current folder declare, and the built-in ones.
pub(super) fn list(cx: &Context) -> CommandResult {
    print(cx, &cards(&own(cx)), catalogue::machines())
}

/// The cards that the settings of the current folder declare.
fn own(cx: &Context) -> Vec<Gpu> {
    Project::around(cx.session().projects(), Path::new("config.toml")).gpus
}

fn print(cx: &Context, cards: &[Gpu], machines: &[Machine]) -> CommandResult {
    let listing = Listing::of(cx);
    let report = GpusReport::new(cards, machines, |name| table::card(name).is_some());
    let mut out = io::BufWriter::new(cx.out());
    match listing {
        Listing::Text => write_tables(&mut out, terminal::style(cx), &report)?,
        Listing::Json | Listing::JsonLines => listing.write_one(&mut out, &report)?,
    }
    out.flush()?;
    Ok(Outcome::Clean)
}
