//! `cfg show`: the exact text of a version.

use std::io;

use super::reference;
use crate::{Outcome, args::Show, context::Context};

pub(crate) fn run(cx: &Context, show: &Show) -> io::Result<Outcome> {
    let (opened, place) = match reference::find(cx, &show.reference)? {
        Ok(found) => found,
        Err(outcome) => return Ok(outcome),
    };
    let Some(bytes) = reference::bytes(cx, &opened, place) else { return Ok(Outcome::Failed) };
    cx.print(&bytes).map(|()| Outcome::Clean)
}
