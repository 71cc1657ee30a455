//! `cfg lsp`: the language server.

use std::io;

use crate::Outcome;

pub(crate) fn run() -> io::Result<Outcome> {
    cfg_lsp::serve()?;
    Ok(Outcome::Clean)
}
