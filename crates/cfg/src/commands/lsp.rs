//! `cfg lsp`: the language server.

use std::{path::Path, sync::Arc};

use cfg_check::Project;
use cfg_lsp::{Ended, Overrides};
use cfg_system::Role;

use super::registry::editor::Editor;
use crate::{
    CommandResult, Outcome, args,
    context::Context,
    machine::{LOCAL, RequestedMachine},
};

pub(crate) fn run(cx: &Context, words: &args::Lsp) -> CommandResult {
    let Ok(target) = cx.stated_target() else { return Ok(Outcome::Failed) };
    if let Some(settings) = &cx.common.settings
        && let Err(error) = cx.system.read(settings, Role::Settings)
    {
        cx.complain(&format!("{} can't be read: {error}", settings.display()));
        return Ok(Outcome::Failed);
    }
    let settings = cx.common.settings.as_deref().map(|settings| cx.system.absolute(settings));
    let overrides =
        Overrides { settings, kind: cx.common.kind(), target, gpu: words.gpu.as_deref().and_then(|gpu| machine(cx, gpu)) };
    Ok(match cfg_lsp::serve(&cx.writer, Arc::new(Editor::new(cx)), overrides)? {
        Ended::InOrder => Outcome::Clean,
        Ended::WithoutShutdown => Outcome::Found,
    })
}

/// The machine that `--gpu` names. If it is unknown, this is reported in the editor's log, and the server runs nevertheless: the settings of a
/// folder that is opened later may declare the card, and most findings do not depend on it.
fn machine(cx: &Context, gpu: &str) -> Option<Box<str>> {
    let own = Project::around(cx.session().projects(), Path::new("config.toml")).gpus;
    match RequestedMachine::read(cx, gpu, &own) {
        Ok(requested) => Some(requested.text.into()),
        Err(why) => {
            cx.complain(&format!("--gpu: {why}; configs are checked for the machine that they or their settings state"));
            (gpu != LOCAL).then(|| gpu.into())
        }
    }
}
