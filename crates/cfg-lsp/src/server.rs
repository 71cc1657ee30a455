//! Passes each request of the protocol to the core, and returns the answer.

use std::{
    path::PathBuf,
    sync::{Arc, PoisonError},
};

use cfg_ide::{LeadsTo, PathSegment, Renaming, Word};
use cfg_system::Admission;
use tower_lsp_server::{
    LanguageServer,
    jsonrpc::{Error, Result},
    ls_types as lsp,
};

use crate::{
    backend::{Backend, is_registry, is_untitled, path},
    capabilities, code_actions, completion,
    convert::{self, View},
    files, formatting, hierarchy, jobs,
    pages::Pages,
    state::{Change, Touch},
    symbols,
};

impl LanguageServer for Backend {
    async fn initialize(&self, params: lsp::InitializeParams) -> Result<lsp::InitializeResult> {
        let client = capabilities::Client::of(&params);
        {
            let mut state = self.shared.state();
            state.encoding = client.encoding;
            let options = params.initialization_options.as_ref();
            let pattern = options.and_then(|options| options.get("rulePages")?.as_str()).map(str::to_owned);
            let mut pages = Pages::new(client.shows_pages, pattern, Some(Arc::clone(&self.scratch)));
            pages.extras = client.extras;
            state.pages = Arc::new(pages);
        }
        let client = self.capabilities.get_or_init(|| client);
        let named = |uri: &lsp::Uri| (!is_untitled(uri.as_str())).then(|| files::normal(&path(uri)));
        #[expect(deprecated, reason = "older clients name their folder so")]
        let folders = match params.workspace_folders {
            Some(folders) => folders.iter().filter_map(|folder| named(&folder.uri)).collect(),
            None => params.root_uri.iter().filter_map(named).collect::<Vec<_>>(),
        };
        folders.iter().for_each(|folder| self.system.admit(folder, Admission::Named));
        *self.folders.lock().unwrap_or_else(PoisonError::into_inner) = folders;
        self.watch_client(params.process_id);
        if !client.pulls {
            self.start_publisher();
        }
        Ok(lsp::InitializeResult {
            capabilities: capabilities::server(client),
            server_info: Some(lsp::ServerInfo { name: "cfg".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) }),
            ..lsp::InitializeResult::default()
        })
    }

    async fn initialized(&self, _: lsp::InitializedParams) {
        if self.has(|client| client.watches) {
            self.watch().await;
        }
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: lsp::DidOpenTextDocumentParams) {
        let document = params.text_document;
        let Some(path) = self.path_of_file(&document.uri) else { return };
        self.system.admit(&path, Admission::Named);
        // Compared before anything else, so that a change in between is not missed.
        let is_as_on_disk = self.shared.state().surroundings().text(&path).is_some_and(|text| text == document.text);
        self.check_for_changes();
        self.shared.announce_changes();
        self.shared.state().open(document.uri.as_str(), &path, document.version, document.text);
        self.lanes.outdate(document.uri.as_str());
        self.check_again(document.uri);
        if !is_as_on_disk && self.touched(&path, Touch::Presence) {
            self.ask_to_refresh();
        }
    }

    async fn did_change(&self, params: lsp::DidChangeTextDocumentParams) {
        let changes = params.content_changes.into_iter().map(|change| Change {
            range: change.range.map(|range| (convert::line_column(range.start), convert::line_column(range.end))),
            text: change.text,
        });
        let document = params.text_document;
        let Some(path) = self.path_of_file(&document.uri) else { return };
        self.shared.state().change(document.uri.as_str(), document.version, changes.collect());
        self.lanes.outdate(document.uri.as_str());
        self.check_again(document.uri);
        self.shared.announce_edit(&path);
        // Start the check of the new text now. If the client requests diagnostics, its request starts the check.
        if !self.has(|client| client.pulls) {
            self.check_for_changes();
        }
        if self.touched(&path, Touch::Text) {
            self.ask_to_refresh();
        }
    }

    async fn did_close(&self, params: lsp::DidCloseTextDocumentParams) {
        let Some(path) = self.path_of_file(&params.text_document.uri) else { return };
        self.shared.state().close(params.text_document.uri.as_str());
        self.lanes.outdate(params.text_document.uri.as_str());
        self.shared.announce_changes();
        self.check_again(params.text_document.uri);
        // From now on the file on disk is used instead, even if its text is the same.
        if self.touched(&path, Touch::Presence) {
            self.ask_to_refresh();
        }
    }

    /// The text was checked when it was edited. It is checked again, with all open documents, only if the file decides about others: settings and other
    /// files of the project, and configs that include others.
    async fn did_save(&self, params: lsp::DidSaveTextDocumentParams) {
        let Some(path) = self.path_of_file(&params.text_document.uri) else { return };
        self.shared.announce_changes();
        if self.affects_all_configs(&path) || self.names_others(&path).unwrap_or(true) {
            self.refresh();
            self.ask_to_refresh();
        } else {
            self.check_for_changes();
        }
        jobs::renew_shown(self, &params.text_document.uri);
    }

    /// The server has no client settings that can change: its settings are in `cfg.toml`. But a user who changes the client's settings may have
    /// changed those too.
    async fn did_change_configuration(&self, _: lsp::DidChangeConfigurationParams) {
        self.refresh();
        self.ask_to_refresh();
    }

    async fn did_change_workspace_folders(&self, params: lsp::DidChangeWorkspaceFoldersParams) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let removed: Vec<PathBuf> = params.event.removed.iter().map(|folder| files::normal(&path(&folder.uri))).collect();
        folders.retain(|folder| !removed.contains(folder));
        let added: Vec<PathBuf> = params.event.added.iter().map(|folder| files::normal(&path(&folder.uri))).collect();
        added.iter().for_each(|folder| self.system.admit(folder, Admission::Named));
        folders.extend(added);
        self.shared.announce_changes();
    }

    async fn did_change_watched_files(&self, params: lsp::DidChangeWatchedFilesParams) {
        self.shared.announce_changes();
        let open = self.shared.state().open_paths();
        let changed: Vec<PathBuf> = params.changes.iter().map(|change| files::normal(&path(&change.uri))).collect();
        // Other files matter only if they were read.
        let ours = || changed.iter().filter(|path| files::is_toml(path) || is_registry(path));
        let is_of_all =
            |path: &PathBuf| self.affects_all_configs(path) || !open.contains(path) && self.names_others(path).unwrap_or(true);
        if ours().any(is_of_all) {
            self.refresh();
            self.ask_to_refresh();
            return;
        }
        if ours().filter(|path| !open.contains(*path) && self.touched(path, Touch::Presence)).count() > 0 {
            self.ask_to_refresh();
        }
        self.check_for_changes();
    }

    async fn workspace_diagnostic(&self, params: lsp::WorkspaceDiagnosticParams) -> Result<lsp::WorkspaceDiagnosticReportResult> {
        jobs::workspace_diagnostics(self, params).await
    }

    async fn symbol(&self, params: lsp::WorkspaceSymbolParams) -> Result<Option<lsp::WorkspaceSymbolResponse>> {
        let workspace = jobs::workspace(self);
        let symbols = jobs::off_the_loop(self, move || workspace.get().symbols(&params.query)).await?;
        Ok(Some(lsp::WorkspaceSymbolResponse::Flat(symbols)))
    }

    async fn will_rename_files(&self, params: lsp::RenameFilesParams) -> Result<Option<lsp::WorkspaceEdit>> {
        jobs::will_rename_files(self, params).await.map(Some)
    }

    async fn execute_command(&self, params: lsp::ExecuteCommandParams) -> Result<Option<lsp::LSPAny>> {
        jobs::execute(self, params).await
    }

    async fn diagnostic(&self, params: lsp::DocumentDiagnosticParams) -> Result<lsp::DocumentDiagnosticReportResult> {
        let found = |view: &View<'_>| view.diagnostics();
        let items = self.answer(&params.text_document.uri, found).await?.unwrap_or_default();
        let report = lsp::FullDocumentDiagnosticReport { result_id: None, items };
        let report =
            lsp::RelatedFullDocumentDiagnosticReport { related_documents: None, full_document_diagnostic_report: report };
        Ok(lsp::DocumentDiagnosticReportResult::Report(lsp::DocumentDiagnosticReport::Full(report)))
    }

    async fn hover(&self, params: lsp::HoverParams) -> Result<Option<lsp::Hover>> {
        let at = params.text_document_position_params;
        let kind = self.capabilities.get().and_then(|client| client.hover.clone());
        let (position, table) = (at.position, cfg_ide::settings_table(&self.path(&at.text_document.uri)));
        let hover = self.answer(&at.text_document.uri, move |view| {
            let offset = view.offset(position);
            let hover = match table {
                Some(table) => cfg_ide::hover_settings(view.analysis, table, offset)?,
                None if view.is_others(Some(offset)) => return None,
                None => cfg_ide::hover(view.analysis, offset)?,
            };
            Some(lsp::Hover { contents: convert::contents(&hover.markdown, kind), range: Some(view.range(hover.span)) })
        });
        Ok(hover.await?.flatten())
    }

    async fn completion(&self, params: lsp::CompletionParams) -> Result<Option<lsp::CompletionResponse>> {
        let at = params.text_document_position;
        let Some(client) = self.capabilities.get().cloned() else { return Ok(None) };
        let (system, own) = (Arc::clone(&self.system), self.path(&at.text_document.uri));
        let (session, kept) = {
            let state = self.shared.state();
            (state.session(), state.skeletons())
        };
        let table = cfg_ide::settings_table(&own);
        let position = at.position;
        let found = self.answer(&at.text_document.uri, move |view| {
            let offset = view.offset(position);
            let list = |listed, folder: &str| files::listed_in(&*system, &own, listed, folder);
            if let Some(table) = table {
                let items = completion::of_settings(view.analysis, table, offset, &list);
                return Some(completion::response(view, items, offset, &client));
            }
            if view.is_others(Some(offset)) {
                return None;
            }
            let items = completion::of_config(view.analysis, &session, &kept, offset, &list);
            Some(completion::response(view, items, offset, &client))
        });
        Ok(found.await?.flatten())
    }

    async fn signature_help(&self, params: lsp::SignatureHelpParams) -> Result<Option<lsp::SignatureHelp>> {
        let at = params.text_document_position_params;
        let is_active = self.has(|client| client.signature_is_active);
        let shown = move |signature| completion::signature(signature, is_active);
        let found = self.answer_at(&at, move |view, offset| cfg_ide::signature(view.analysis, offset).map(shown));
        Ok(found.await?.flatten())
    }

    async fn goto_definition(&self, params: lsp::GotoDefinitionParams) -> Result<Option<lsp::GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let (system, from, line) = (Arc::clone(&self.system), self.path(&at.text_document.uri), at.position.line);
        let session = self.shared.state().session();
        let found = self.answer_at(&at, move |view, offset| {
            let mut links = cfg_ide::document_links(view.analysis).into_iter().filter(|link| link.span.touches(offset));
            if let Some(file) = links.find_map(|link| files::linked(&*system, &from, &link.leads_to)) {
                return vec![lsp::Location::new(file, lsp::Range::default())];
            }
            let mut found: Vec<lsp::Location> =
                cfg_ide::definition(view.analysis, offset).into_iter().filter_map(|target| view.target(target)).collect();
            // A key is defined by its declaration in prime-rl; what else determines its value comes after that.
            if let Some(declared) = cfg_ide::declaration(&session, view.analysis, offset).and_then(convert::in_source) {
                found.retain(|own| own.uri != *view.uri || own.range.start.line != line);
                found.insert(0, declared);
            }
            found
        });
        Ok(found.await?.filter(|found| !found.is_empty()).map(lsp::GotoDefinitionResponse::Array))
    }

    async fn references(&self, params: lsp::ReferenceParams) -> Result<Option<Vec<lsp::Location>>> {
        let at = params.text_document_position;
        let base = self.path(&at.text_document.uri);
        let found = self.answer_at(&at, |view, offset| {
            if let Some((word, _)) = cfg_ide::environment_at(&view.analysis.document, offset) {
                let spans = cfg_ide::places(&view.analysis.document, &word).into_iter();
                let here = spans.map(|(span, _)| view.location(span)).collect();
                return (here, Elsewhere::Environment(word, view.parts()));
            }
            let targets = cfg_ide::references(view.analysis, offset).into_iter();
            let here: Vec<lsp::Location> = targets.filter_map(|target| view.target(target)).collect();
            let spot = cfg_ide::spot(&view.analysis.document, offset);
            (here, spot.map_or(Elsewhere::Nowhere, |spot| Elsewhere::Key(spot.path().to_vec())))
        });
        let Some((mut found, elsewhere)) = found.await? else { return Ok(None) };
        let workspace = jobs::workspace(self);
        let others = jobs::off_the_loop(self, move || match elsewhere {
            Elsewhere::Nowhere => Vec::new(),
            Elsewhere::Key(key) => workspace.get().overlays(&base, &key),
            Elsewhere::Environment(word, parts) => workspace.get().environment((&base, &parts), &word),
        });
        found.extend(others.await?);
        Ok(Some(found))
    }

    async fn document_link(&self, params: lsp::DocumentLinkParams) -> Result<Option<Vec<lsp::DocumentLink>>> {
        let (system, from) = (Arc::clone(&self.system), self.path(&params.text_document.uri));
        let shows_tooltips = self.has(|client| client.shows_link_tooltips);
        let found = self.answer_of_own(&params.text_document.uri, move |view| {
            let link = |link: cfg_ide::Link| {
                let (target, tooltip) = match &link.leads_to {
                    LeadsTo::Page(address, what) => (address.parse().ok()?, shows_tooltips.then(|| (*what).to_owned())),
                    file => (files::linked(&*system, &from, file)?, None),
                };
                Some(lsp::DocumentLink { range: view.range(link.span), target: Some(target), tooltip, data: None })
            };
            cfg_ide::document_links(view.analysis).into_iter().filter_map(link).collect()
        });
        found.await
    }

    async fn prepare_rename(&self, params: lsp::TextDocumentPositionParams) -> Result<Option<lsp::PrepareRenameResponse>> {
        let found = self.answer_at(&params, |view, offset| {
            let span = cfg_ide::renameable(view.analysis, offset)?;
            let placeholder = view.analysis.text[span.range()].to_owned();
            Some(lsp::PrepareRenameResponse::RangeWithPlaceholder { range: view.range(span), placeholder })
        });
        Ok(found.await?.flatten())
    }

    async fn rename(&self, params: lsp::RenameParams) -> Result<Option<lsp::WorkspaceEdit>> {
        let at = params.text_document_position;
        let base = self.path(&at.text_document.uri);
        let renaming = self.answer_at(&at, move |view, offset| {
            let renaming = Renaming::new(view.analysis, offset, &params.new_name)?;
            let edits = renaming.edits(&view.analysis.document, &view.analysis.text).into_iter();
            let edits: Vec<_> = edits.map(|(span, new)| lsp::TextEdit::new(view.range(span), new)).collect();
            Ok::<_, String>((renaming, edits, view.parts()))
        });
        let refused = |why: String| Error::invalid_params(convert::notified(&why));
        let Some((renaming, edits, parts)) = renaming.await?.transpose().map_err(refused)? else { return Ok(None) };
        let workspace = jobs::workspace(self);
        let others = jobs::off_the_loop(self, move || workspace.get().renamed_environment((&base, &parts), &renaming));
        let mut changes = others.await?.map_err(refused)?;
        changes.insert(at.text_document.uri, edits);
        Ok(Some(lsp::WorkspaceEdit { changes: Some(changes), ..lsp::WorkspaceEdit::default() }))
    }

    async fn document_highlight(&self, params: lsp::DocumentHighlightParams) -> Result<Option<Vec<lsp::DocumentHighlight>>> {
        let at = params.text_document_position_params;
        let found = self.answer_at(&at, move |view, offset| {
            let spans = cfg_ide::highlights(view.analysis, offset);
            spans.into_iter().map(|span| lsp::DocumentHighlight { range: view.range(span), kind: None }).collect()
        });
        found.await
    }

    async fn document_symbol(&self, params: lsp::DocumentSymbolParams) -> Result<Option<lsp::DocumentSymbolResponse>> {
        let Some(client) = self.capabilities.get().cloned() else { return Ok(None) };
        self.answer_of_own(&params.text_document.uri, move |view| symbols::response(view, &client)).await
    }

    async fn folding_range(&self, params: lsp::FoldingRangeParams) -> Result<Option<Vec<lsp::FoldingRange>>> {
        let found = self.answer_of_own(&params.text_document.uri, move |view| {
            cfg_ide::folds(view.analysis).into_iter().map(convert::fold).collect()
        });
        found.await
    }

    async fn formatting(&self, params: lsp::DocumentFormattingParams) -> Result<Option<Vec<lsp::TextEdit>>> {
        formatting::edits(self, &params.text_document.uri, None).await
    }

    async fn range_formatting(&self, params: lsp::DocumentRangeFormattingParams) -> Result<Option<Vec<lsp::TextEdit>>> {
        formatting::edits(self, &params.text_document.uri, Some(params.range)).await
    }

    async fn selection_range(&self, params: lsp::SelectionRangeParams) -> Result<Option<Vec<lsp::SelectionRange>>> {
        let found = self.answer_of_own(&params.text_document.uri, move |view| {
            let of = |position: &lsp::Position| {
                let spans = cfg_ide::selection(view.analysis, view.offset(*position));
                let grown = spans.into_iter().rev().fold(None, |parent: Option<lsp::SelectionRange>, span| {
                    Some(lsp::SelectionRange { range: view.range(span), parent: parent.map(Box::new) })
                });
                let here = lsp::Range::new(*position, *position);
                grown.unwrap_or(lsp::SelectionRange { range: here, parent: None })
            };
            params.positions.iter().map(of).collect()
        });
        found.await
    }

    async fn semantic_tokens_full(&self, params: lsp::SemanticTokensParams) -> Result<Option<lsp::SemanticTokensResult>> {
        let found = self.answer_of_config(&params.text_document.uri, move |view| {
            let data = view.tokens(&cfg_ide::tokens(view.analysis));
            lsp::SemanticTokensResult::Tokens(lsp::SemanticTokens { result_id: None, data })
        });
        found.await
    }

    async fn semantic_tokens_range(
        &self,
        params: lsp::SemanticTokensRangeParams,
    ) -> Result<Option<lsp::SemanticTokensRangeResult>> {
        let found = self.answer_of_config(&params.text_document.uri, move |view| {
            let within = view.span(params.range);
            let mut tokens = cfg_ide::tokens(view.analysis);
            tokens.retain(|token| token.span.start < within.end && within.start < token.span.end);
            lsp::SemanticTokensRangeResult::Tokens(lsp::SemanticTokens { result_id: None, data: view.tokens(&tokens) })
        });
        found.await
    }

    async fn inlay_hint(&self, params: lsp::InlayHintParams) -> Result<Option<Vec<lsp::InlayHint>>> {
        let found = self.answer_of_config(&params.text_document.uri, move |view| {
            let within = view.span(params.range);
            let hints = cfg_ide::hints(view.analysis).into_iter().filter(|hint| within.touches(hint.offset));
            hints.map(|hint| view.hint(hint)).collect()
        });
        found.await
    }

    async fn code_lens(&self, params: lsp::CodeLensParams) -> Result<Option<Vec<lsp::CodeLens>>> {
        let (standings, path) = (self.standings(), self.path(&params.text_document.uri));
        let found = self.answer_of_config(&params.text_document.uri, move |view| {
            let version = standings.of(&path, view.analysis).map(|standing| standing.in_short());
            cfg_ide::lens(view.analysis, version).into_iter().map(|lens| view.lens(lens)).collect()
        });
        found.await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: lsp::CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyItem>>> {
        hierarchy::prepare(self, params).await
    }

    async fn incoming_calls(
        &self,
        params: lsp::CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyIncomingCall>>> {
        hierarchy::incoming(self, params).await
    }

    async fn outgoing_calls(
        &self,
        params: lsp::CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyOutgoingCall>>> {
        hierarchy::outgoing(self, params).await
    }

    async fn code_action(&self, params: lsp::CodeActionParams) -> Result<Option<lsp::CodeActionResponse>> {
        code_actions::of(self, params).await
    }
}

/// What to search for in other files.
enum Elsewhere {
    Nowhere,
    /// The key at this path, in configs that include this one.
    Key(Vec<PathSegment>),
    /// An environment, and the other files of the config, which are searched too.
    Environment(Word, Vec<PathBuf>),
}
