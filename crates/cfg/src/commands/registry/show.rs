//! `cfg registry show`: the exact text of a version.

use super::reference;
use crate::{CommandResult, Outcome, args::Show, context::Context};

pub(crate) fn run(cx: &Context, show: &Show) -> CommandResult {
    let (opened, place) = reference::find(cx, &show.reference)?;
    let Some(bytes) = reference::bytes(cx, &opened, place) else { return Ok(Outcome::Failed) };
    cx.print(&bytes)?;
    Ok(Outcome::Clean)
}
