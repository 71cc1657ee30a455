//! `cfg plan`: the size of a step, the totals of the run, and its events by step.

use std::io::{self, Write as _};

use cfg_check::{Verdict, memory::MemoryOptions};
use cfg_report::course::{write_svg, write_text};

use super::{
    Listing, curriculum,
    memory::{Job, failed},
};
use crate::{
    CommandResult, Outcome,
    args::{self, Format},
    context::Context,
    terminal,
};

pub(crate) fn run(cx: &Context, words: &args::Plan) -> CommandResult {
    if words.curriculum {
        return curriculum::run(cx, &words.paths[0]);
    }
    let listing = Listing::of(cx);
    let job = Job::read(cx, &words.paths)?;
    let plan = match Job::plan(&job.checked()).map_err(failed) {
        Ok(plan) => plan,
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    // If the model is unknown, only the sizes of checkpoints are missing.
    let memory = job.memory(&plan, MemoryOptions::default()).ok();
    let disk = memory.and_then(|memory| memory.assessment.disk);
    let report = cfg_ide::course(&plan, job.project(), job.metadata(), disk.as_ref(), job.target());
    job.introduce(None)?;
    let mut out = io::BufWriter::new(cx.out());
    match listing {
        Listing::Text if cx.common.format == Format::Svg => write_svg(&mut out, &report)?,
        Listing::Text => write_text(&mut out, terminal::style(cx), terminal::columns(cx, &io::stdout()), &report)?,
        Listing::Json | Listing::JsonLines => job.write_one(listing, &mut out, &report)?,
    }
    out.flush()?;
    let is_refused = job.checked().iter().any(|checked| checked.verdict == Verdict::Rejected);
    Ok(if is_refused { Outcome::Found } else { Outcome::Clean })
}
