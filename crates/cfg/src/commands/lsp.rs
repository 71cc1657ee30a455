//! `cfg lsp`: the language server.

use std::{io, sync::Arc};

use cfg_lsp::{Ended, Stated};
use cfg_system::Role;

use super::registry::editor::Editor;
use crate::{Outcome, context::Context};

pub(crate) fn run(cx: &Context) -> io::Result<Outcome> {
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    if let Some(settings) = &cx.common.config
        && let Err(error) = cx.system.read(settings, Role::Settings)
    {
        cx.complain(&format!("{} can't be read: {error}", settings.display()));
        return Ok(Outcome::Failed);
    }
    let settings = cx.common.config.as_deref().map(|settings| cx.system.absolute(settings));
    let stated = Stated { settings, kind: cx.common.kind, target };
    Ok(match cfg_lsp::serve(&cx.writer, Arc::new(Editor::new(cx)), stated)? {
        Ended::InOrder => Outcome::Clean,
        Ended::WithoutShutdown => Outcome::Found,
    })
}
