//! `cfg lsp`: the language server.

use std::{fs, io, path, sync::Arc};

use cfg_lsp::{Ended, Stated};

use super::registry::editor::Editor;
use crate::{Outcome, args::Common, terminal};

pub(crate) fn run(common: &Common) -> io::Result<Outcome> {
    let Ok(target) = super::stated_target(common) else { return Ok(Outcome::Failed) };
    if let Some(settings) = &common.config
        && let Err(error) = fs::File::open(settings)
    {
        terminal::complain(&format!("{} can't be read: {error}", settings.display()));
        return Ok(Outcome::Failed);
    }
    let settings = common.config.as_deref().map(path::absolute).transpose()?;
    let stated = Stated { settings, kind: common.kind, target };
    Ok(match cfg_lsp::serve(Arc::new(Editor::new(common.clone())), stated)? {
        Ended::InOrder => Outcome::Clean,
        Ended::WithoutShutdown => Outcome::Found,
    })
}
