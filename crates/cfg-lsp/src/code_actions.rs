//! The code actions of a range: repairs of its findings, changes of the whole file, and documents about it.

use cfg_diag::codes;
use cfg_ide::Shows;
use tower_lsp_server::{jsonrpc::Result, ls_types as lsp};

use crate::{backend::Backend, commands, versions::Standing};

/// The code actions of the kinds that the client asks for.
pub(crate) async fn of(backend: &Backend, params: lsp::CodeActionParams) -> Result<Option<lsp::CodeActionResponse>> {
    let only = params.context.only.unwrap_or_default();
    let is_of_source = only.iter().any(|wanted| wanted.as_str().starts_with("source"));
    let is_wanted = move |kind: Option<&lsp::CodeActionKind>| {
        let kind = kind.map_or("", lsp::CodeActionKind::as_str);
        let within = |wanted: &str| kind.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        only.is_empty() || only.iter().any(|wanted| wanted.as_str().is_empty() || within(wanted.as_str()))
    };
    let prefers = backend.has(|client| client.prefers);
    let takes_literals = backend.has(|client| client.takes_literals);
    let session = backend.shared.state().session();
    let (standings, path) = (backend.standings(), backend.path(&params.text_document.uri));
    let found = backend.answer_of_config(&params.text_document.uri, move |view| {
        let bump = |kind, of| {
            let title = standings.of(&path, view.analysis)?.bump()?;
            Some(view.command(title, commands::BUMP, kind, of))
        };
        let unbumped = view.found(&codes::UNBUMPED_CHANGE, params.range);
        let quick = cfg_ide::actions(&session, view.analysis, view.span(params.range)).into_iter();
        let migration = cfg_ide::migration(&session, view.analysis, view.span(params.range));
        let quick = quick.chain(cfg_ide::missing_values(view.analysis, view.span(params.range)));
        let of_file = [cfg_ide::convert_metadata(view.analysis), migration, cfg_ide::fix_all(&session, view.analysis)]
            .into_iter()
            .flatten();
        let mut actions: lsp::CodeActionResponse = quick.chain(of_file).map(|action| view.action(action, prefers)).collect();
        if is_wanted(Some(&lsp::CodeActionKind::QUICKFIX)) && !unbumped.is_empty() {
            actions.extend(bump(lsp::CodeActionKind::QUICKFIX, unbumped));
        } else if is_wanted(Some(&commands::KIND_OF_BUMP)) {
            actions.extend(bump(commands::KIND_OF_BUMP, Vec::new()));
        }
        // Actions that change nothing are listed only for a client that asks for their kind.
        if is_of_source {
            let has_versions = standings.of(&path, view.analysis).is_some_and(|standing| standing != Standing::Unregistered);
            let shows = cfg_ide::shown_of(view.analysis).into_iter().chain(has_versions.then_some(Shows::Lineage));
            actions.extend(shows.map(|shows| {
                view.command(commands::title(shows).to_owned(), commands::of_lens(shows), commands::KIND_OF_SHOW, Vec::new())
            }));
        }
        actions.retain(|action| match action {
            lsp::CodeActionOrCommand::CodeAction(action) => is_wanted(action.kind.as_ref()),
            lsp::CodeActionOrCommand::Command(_) => true,
        });
        if !takes_literals {
            actions = actions.into_iter().filter_map(command_of).collect();
        }
        actions
    });
    found.await
}

/// The command of a code action that does nothing else, for clients that take only commands.
fn command_of(action: lsp::CodeActionOrCommand) -> Option<lsp::CodeActionOrCommand> {
    match action {
        lsp::CodeActionOrCommand::CodeAction(action) if action.edit.is_none() => action.command.map(Into::into),
        lsp::CodeActionOrCommand::CodeAction(_) => None,
        command @ lsp::CodeActionOrCommand::Command(_) => Some(command),
    }
}
