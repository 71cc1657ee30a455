//! `cfg plan --curriculum`: the training step at which each phase of a curriculum begins.

use std::{
    io::{self, Write as _},
    path::Path,
};

use cfg_check::Project;
use cfg_plan::Plan;
use cfg_report::curriculum::{write_svg, write_text};

use super::{
    Listing,
    read::{is_of_own_program, read},
};
use crate::{CommandResult, Outcome, args::Format, context::Context, terminal};

pub(crate) fn run(cx: &Context, path: &Path) -> CommandResult {
    let is_picture = cx.common.format == Format::Svg;
    let listing = Listing::of(cx);
    let session = cx.session();
    let (checked, _) = read(cx, &session, path)?;
    if is_of_own_program(cx, &path.to_string_lossy(), &checked) {
        return Ok(Outcome::Failed);
    }
    let (Some(kind), Some(resolved)) = (checked.kind, &checked.resolved) else { return Ok(Outcome::Failed) };
    let plan = Plan::new(checked.target.schema(kind), resolved);
    let project = Project::around(session.projects(), path);
    let report = cfg_ide::curriculum_report(&plan, &project, checked.target.name.clone());
    cx.introduce(&path.to_string_lossy(), None, &checked)?;
    let mut out = io::BufWriter::new(cx.out());
    match listing {
        _ if is_picture => write_svg(&mut out, &report)?,
        Listing::Text => write_text(&mut out, terminal::style(cx), &report)?,
        Listing::Json | Listing::JsonLines => listing.write_one(&mut out, &cx.identified(&checked, &report))?,
    }
    out.flush()?;
    Ok(Outcome::Clean)
}
