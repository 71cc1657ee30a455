//! The transport: each message of the protocol to the core, and its answer back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use cfg_ide::Analysis;
use tokio::runtime::Handle;
use tower_lsp_server::{
    Client, LanguageServer, LspService, Server,
    jsonrpc::{Error, Result},
    ls_types as lsp,
};

use crate::{
    capabilities,
    convert::{self, View},
    publisher::Publisher,
    state::{Change, State},
};

/// Serves one client over the standard streams until it goes away.
///
/// # Errors
///
/// Where the runtime can't be started.
pub fn serve() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let (service, socket) = LspService::new(Backend::new);
        // More than one message at a time would let edits overtake each other.
        Server::new(tokio::io::stdin(), tokio::io::stdout(), socket).concurrency_level(1).serve(service).await;
    });
    // A thread that waits for the client's next byte must not keep the process.
    runtime.shutdown_background();
    Ok(())
}

/// What the loop and the publisher share.
#[derive(Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
}

impl Shared {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Backend {
    client: Client,
    shared: Arc<Shared>,
    capabilities: OnceLock<capabilities::Client>,
    publisher: OnceLock<Publisher>,
}

impl Backend {
    fn new(client: Client) -> Self {
        Self { client, shared: Arc::default(), capabilities: OnceLock::new(), publisher: OnceLock::new() }
    }

    /// An answer about the newest text of a document; nothing for a document that is not open.
    fn answer<T>(&self, uri: &lsp::Uri, ask: impl FnOnce(&View<'_>) -> T) -> Result<Option<T>> {
        let (snapshot, encoding) = {
            let state = self.shared.state();
            (state.snapshot(uri.as_str()), state.encoding)
        };
        let Some(snapshot) = snapshot else { return Ok(None) };
        let answer = || {
            let analysis: &Analysis = snapshot.analysis();
            ask(&View { uri, analysis, encoding })
        };
        catch_unwind(AssertUnwindSafe(answer)).map(Some).map_err(|_| Error::internal_error())
    }

    fn changed(&self, uri: lsp::Uri) {
        if let Some(publisher) = self.publisher.get() {
            publisher.changed(uri);
        }
    }

    /// Settings or projects have changed: what is open is looked at anew.
    async fn refresh(&self) {
        let open = {
            let mut state = self.shared.state();
            state.refresh();
            state.open_documents()
        };
        for uri in open.iter().filter_map(|uri| uri.parse().ok()) {
            self.changed(uri);
        }
        if self.capabilities.get().is_some_and(|client| client.pulls && client.refreshes) {
            // A client that does not answer has lost nothing but this.
            let _ = self.client.workspace_diagnostic_refresh().await;
        }
    }

    async fn watch(&self) {
        let kinds = ["**/cfg.toml", "**/pyproject.toml", "**/uv.lock", "**/.gitmodules"];
        let watchers = kinds
            .map(|pattern| lsp::FileSystemWatcher { glob_pattern: lsp::GlobPattern::String(pattern.to_owned()), kind: None });
        let options = lsp::DidChangeWatchedFilesRegistrationOptions { watchers: watchers.to_vec() };
        let registration = lsp::Registration {
            id: "settings".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(options).ok(),
        };
        // Without it, settings are read once.
        let _ = self.client.register_capability(vec![registration]).await;
    }
}

/// The path that a document stands for. What is no file keeps the last part of its name, which may tell its kind.
fn path(uri: &lsp::Uri) -> PathBuf {
    uri.to_file_path().map_or_else(|| PathBuf::from(uri.path().as_str()), std::borrow::Cow::into_owned)
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: lsp::InitializeParams) -> Result<lsp::InitializeResult> {
        let client = capabilities::Client::of(&params.capabilities);
        self.shared.state().encoding = client.encoding;
        let client = *self.capabilities.get_or_init(|| client);
        if !client.pulls {
            self.publisher.get_or_init(|| Publisher::start(Arc::clone(&self.shared), self.client.clone(), Handle::current()));
        }
        Ok(lsp::InitializeResult {
            capabilities: capabilities::server(client),
            server_info: Some(lsp::ServerInfo { name: "cfg".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) }),
            ..lsp::InitializeResult::default()
        })
    }

    async fn initialized(&self, _: lsp::InitializedParams) {
        if self.capabilities.get().is_some_and(|client| client.watches) {
            self.watch().await;
        }
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: lsp::DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.shared.state().open(document.uri.as_str(), &path(&document.uri), document.version, document.text);
        self.changed(document.uri);
    }

    async fn did_change(&self, params: lsp::DidChangeTextDocumentParams) {
        let changes = params.content_changes.into_iter().map(|change| Change {
            range: change.range.map(|range| (convert::line_column(range.start), convert::line_column(range.end))),
            text: change.text,
        });
        let document = params.text_document;
        self.shared.state().change(document.uri.as_str(), document.version, changes.collect());
        self.changed(document.uri);
    }

    async fn did_close(&self, params: lsp::DidCloseTextDocumentParams) {
        self.shared.state().close(params.text_document.uri.as_str());
        self.changed(params.text_document.uri);
    }

    async fn did_save(&self, _: lsp::DidSaveTextDocumentParams) {}

    async fn did_change_configuration(&self, _: lsp::DidChangeConfigurationParams) {}

    async fn did_change_watched_files(&self, _: lsp::DidChangeWatchedFilesParams) {
        self.refresh().await;
    }

    async fn diagnostic(&self, params: lsp::DocumentDiagnosticParams) -> Result<lsp::DocumentDiagnosticReportResult> {
        let found = |view: &View<'_>| view.diagnostics();
        let items = self.answer(&params.text_document.uri, found)?.unwrap_or_default();
        let report = lsp::FullDocumentDiagnosticReport { result_id: None, items };
        let report =
            lsp::RelatedFullDocumentDiagnosticReport { related_documents: None, full_document_diagnostic_report: report };
        Ok(lsp::DocumentDiagnosticReportResult::Report(lsp::DocumentDiagnosticReport::Full(report)))
    }

    async fn hover(&self, params: lsp::HoverParams) -> Result<Option<lsp::Hover>> {
        let at = params.text_document_position_params;
        let hover = self.answer(&at.text_document.uri, |view| {
            let hover = cfg_ide::hover(view.analysis, view.offset(at.position))?;
            let contents = lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: hover.markdown };
            Some(lsp::Hover { contents: lsp::HoverContents::Markup(contents), range: Some(view.range(hover.span)) })
        });
        Ok(hover?.flatten())
    }

    async fn completion(&self, params: lsp::CompletionParams) -> Result<Option<lsp::CompletionResponse>> {
        let at = params.text_document_position;
        let snippets = self.capabilities.get().is_some_and(|client| client.snippets);
        self.answer(&at.text_document.uri, |view| {
            let items = cfg_ide::complete(view.analysis, view.offset(at.position));
            lsp::CompletionResponse::Array(items.into_iter().map(|item| view.completion(item, snippets)).collect())
        })
    }

    async fn goto_definition(&self, params: lsp::GotoDefinitionParams) -> Result<Option<lsp::GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let found = self.answer(&at.text_document.uri, |view| {
            let span = cfg_ide::definition(view.analysis, view.offset(at.position))?;
            Some(lsp::GotoDefinitionResponse::Scalar(view.location(span)))
        });
        Ok(found?.flatten())
    }

    async fn references(&self, params: lsp::ReferenceParams) -> Result<Option<Vec<lsp::Location>>> {
        let at = params.text_document_position;
        self.answer(&at.text_document.uri, |view| {
            let spans = cfg_ide::references(view.analysis, view.offset(at.position));
            spans.into_iter().map(|span| view.location(span)).collect()
        })
    }

    async fn document_highlight(&self, params: lsp::DocumentHighlightParams) -> Result<Option<Vec<lsp::DocumentHighlight>>> {
        let at = params.text_document_position_params;
        self.answer(&at.text_document.uri, |view| {
            let spans = cfg_ide::highlights(view.analysis, view.offset(at.position));
            spans.into_iter().map(|span| lsp::DocumentHighlight { range: view.range(span), kind: None }).collect()
        })
    }

    async fn document_symbol(&self, params: lsp::DocumentSymbolParams) -> Result<Option<lsp::DocumentSymbolResponse>> {
        self.answer(&params.text_document.uri, |view| {
            let symbols = cfg_ide::symbols(view.analysis);
            lsp::DocumentSymbolResponse::Nested(symbols.into_iter().map(|symbol| view.symbol(symbol)).collect())
        })
    }

    async fn folding_range(&self, params: lsp::FoldingRangeParams) -> Result<Option<Vec<lsp::FoldingRange>>> {
        self.answer(&params.text_document.uri, |view| cfg_ide::folds(view.analysis).into_iter().map(convert::fold).collect())
    }

    async fn selection_range(&self, params: lsp::SelectionRangeParams) -> Result<Option<Vec<lsp::SelectionRange>>> {
        self.answer(&params.text_document.uri, |view| {
            let of = |position: &lsp::Position| {
                let spans = cfg_ide::selection(view.analysis, view.offset(*position));
                let grown = spans.into_iter().rev().fold(None, |parent: Option<lsp::SelectionRange>, span| {
                    Some(lsp::SelectionRange { range: view.range(span), parent: parent.map(Box::new) })
                });
                let here = lsp::Range::new(*position, *position);
                grown.unwrap_or(lsp::SelectionRange { range: here, parent: None })
            };
            params.positions.iter().map(of).collect()
        })
    }

    async fn semantic_tokens_full(&self, params: lsp::SemanticTokensParams) -> Result<Option<lsp::SemanticTokensResult>> {
        self.answer(&params.text_document.uri, |view| {
            let data = view.tokens(&cfg_ide::tokens(view.analysis));
            lsp::SemanticTokensResult::Tokens(lsp::SemanticTokens { result_id: None, data })
        })
    }

    async fn semantic_tokens_range(
        &self,
        params: lsp::SemanticTokensRangeParams,
    ) -> Result<Option<lsp::SemanticTokensRangeResult>> {
        self.answer(&params.text_document.uri, |view| {
            let within = view.span(params.range);
            let mut tokens = cfg_ide::tokens(view.analysis);
            tokens.retain(|token| token.span.start < within.end && within.start < token.span.end);
            lsp::SemanticTokensRangeResult::Tokens(lsp::SemanticTokens { result_id: None, data: view.tokens(&tokens) })
        })
    }

    async fn inlay_hint(&self, params: lsp::InlayHintParams) -> Result<Option<Vec<lsp::InlayHint>>> {
        self.answer(&params.text_document.uri, |view| {
            let within = view.span(params.range);
            let hints = cfg_ide::hints(view.analysis).into_iter().filter(|hint| within.touches(hint.offset));
            hints.map(|hint| view.hint(hint)).collect()
        })
    }

    async fn code_lens(&self, params: lsp::CodeLensParams) -> Result<Option<Vec<lsp::CodeLens>>> {
        self.answer(&params.text_document.uri, |view| {
            cfg_ide::lenses(view.analysis).into_iter().map(|lens| view.lens(lens)).collect()
        })
    }

    async fn code_action(&self, params: lsp::CodeActionParams) -> Result<Option<lsp::CodeActionResponse>> {
        self.answer(&params.text_document.uri, |view| {
            let quick = cfg_ide::actions(view.analysis, view.span(params.range)).into_iter();
            let mut actions: lsp::CodeActionResponse =
                quick.map(|action| view.action(action, lsp::CodeActionKind::QUICKFIX)).collect();
            if let Some(all) = cfg_ide::fix_all(view.analysis) {
                actions.push(view.action(all, lsp::CodeActionKind::SOURCE_FIX_ALL));
            }
            actions
        })
    }
}
