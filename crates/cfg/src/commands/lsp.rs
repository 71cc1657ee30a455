//! `cfg lsp`: the language server.

use std::io;

use cfg_lsp::Ended;

use crate::Outcome;

pub(crate) fn run() -> io::Result<Outcome> {
    Ok(match cfg_lsp::serve()? {
        Ended::InOrder => Outcome::Clean,
        Ended::WithoutShutdown => Outcome::Found,
    })
}
