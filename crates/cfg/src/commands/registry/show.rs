//! `cfg show`: the exact text of a version.

use std::io::{self, Write as _};

use cfg_registry::store::Access;

use super::reference;
use crate::{
    Outcome,
    args::{Common, Show},
};

pub(crate) fn run(common: &Common, show: &Show) -> io::Result<Outcome> {
    let (opened, place) = match reference::find(common, &show.reference, Access::Read)? {
        Ok(found) => found,
        Err(outcome) => return Ok(outcome),
    };
    let Some(bytes) = reference::bytes(&opened, place) else { return Ok(Outcome::Failed) };
    io::stdout().lock().write_all(&bytes)?;
    Ok(Outcome::Clean)
}
