//! `cfg curriculum`: at which training step each phase of a curriculum begins.

use std::{
    io::{self, Write as _},
    sync::Arc,
};

use cfg_plan::Plan;
use cfg_project::Projects;
use cfg_report::curriculum::{write_svg, write_text};

use super::{Listing, read::read};
use crate::{
    Outcome,
    args::{Common, Curriculum, Format},
    terminal,
};

pub(crate) fn run(common: &Common, curriculum: &Curriculum) -> io::Result<Outcome> {
    let is_picture = common.format == Format::Svg;
    let listing = if is_picture { Some(Listing::Text) } else { Listing::of(common, "curriculum") };
    let Some(listing) = listing else { return Ok(Outcome::Failed) };
    let session = super::session();
    let projects = Arc::new(Projects::new(common.config.clone()));
    let (checked, _) = match read(common, &session, &projects, &curriculum.path)? {
        Ok(read) => read,
        Err(outcome) => return Ok(outcome),
    };
    let (Some(kind), Some(resolved)) = (checked.kind, &checked.resolved) else { return Ok(Outcome::Failed) };
    let plan = Plan::new(checked.target.schema(kind), resolved);
    let project = cfg_lsp::project_around(&projects, &curriculum.path);
    let report = cfg_ide::curriculum_report(&plan, &project, checked.target.name.clone());
    let mut out = io::BufWriter::new(io::stdout().lock());
    match listing {
        _ if is_picture => write_svg(&mut out, &report)?,
        Listing::Text => write_text(&mut out, terminal::style(common.color), &report)?,
        Listing::Json | Listing::JsonLines => listing.write_one(&mut out, &report)?,
    }
    out.flush()?;
    Ok(Outcome::Clean)
}
