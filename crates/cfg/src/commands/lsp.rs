//! `cfg lsp`: the language server.

use std::{io, sync::Arc};

use cfg_lsp::Ended;

use super::registry::editor::Editor;
use crate::{Outcome, args::Common};

pub(crate) fn run(common: &Common) -> io::Result<Outcome> {
    Ok(match cfg_lsp::serve(Arc::new(Editor::new(common.clone())))? {
        Ended::InOrder => Outcome::Clean,
        Ended::WithoutShutdown => Outcome::Found,
    })
}
