//! What client and server agree on.

use cfg_diag::PositionEncoding;
use tower_lsp_server::ls_types as lsp;

use crate::convert::TOKEN_TYPES;

/// What matters of a client.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability of its own")]
pub(crate) struct Client {
    pub(crate) encoding: PositionEncoding,
    /// It asks for diagnostics itself; they are not sent to it then.
    pub(crate) pulls: bool,
    /// It knows snippets.
    pub(crate) snippets: bool,
    /// It tells when files change on disk, if asked to.
    pub(crate) watches: bool,
    /// It can be asked to pull diagnostics again.
    pub(crate) refreshes: bool,
}

impl Client {
    pub(crate) fn of(capabilities: &lsp::ClientCapabilities) -> Self {
        let offered = capabilities.general.as_ref().and_then(|general| general.position_encodings.as_ref());
        let offers = |encoding: &lsp::PositionEncodingKind| offered.is_some_and(|offered| offered.contains(encoding));
        let encoding = if offers(&lsp::PositionEncodingKind::UTF8) {
            PositionEncoding::Utf8
        } else if offers(&lsp::PositionEncodingKind::UTF32) && !offers(&lsp::PositionEncodingKind::UTF16) {
            PositionEncoding::Utf32
        } else {
            PositionEncoding::Utf16
        };
        let document = capabilities.text_document.as_ref();
        let completion =
            document.and_then(|document| document.completion.as_ref()).and_then(|completion| completion.completion_item.as_ref());
        let workspace = capabilities.workspace.as_ref();
        Self {
            encoding,
            pulls: document.is_some_and(|document| document.diagnostic.is_some()),
            snippets: completion.and_then(|item| item.snippet_support).unwrap_or(false),
            watches: workspace
                .and_then(|workspace| workspace.did_change_watched_files.as_ref())
                .and_then(|files| files.dynamic_registration)
                .unwrap_or(false),
            refreshes: workspace
                .and_then(|workspace| workspace.diagnostics.as_ref())
                .and_then(|diagnostics| diagnostics.refresh_support)
                .unwrap_or(false),
        }
    }
}

pub(crate) fn server(client: Client) -> lsp::ServerCapabilities {
    let encoding = match client.encoding {
        PositionEncoding::Utf8 => lsp::PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => lsp::PositionEncodingKind::UTF16,
        PositionEncoding::Utf32 => lsp::PositionEncodingKind::UTF32,
    };
    let words = ["[", ".", "\"", "=", " "].map(str::to_owned).to_vec();
    lsp::ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(lsp::TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
            ..lsp::TextDocumentSyncOptions::default()
        })),
        diagnostic_provider: client.pulls.then(|| {
            lsp::DiagnosticServerCapabilities::Options(lsp::DiagnosticOptions {
                identifier: Some("cfg".to_owned()),
                inter_file_dependencies: false,
                workspace_diagnostics: false,
                ..lsp::DiagnosticOptions::default()
            })
        }),
        hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some(words),
            ..lsp::CompletionOptions::default()
        }),
        definition_provider: Some(lsp::OneOf::Left(true)),
        references_provider: Some(lsp::OneOf::Left(true)),
        document_highlight_provider: Some(lsp::OneOf::Left(true)),
        document_symbol_provider: Some(lsp::OneOf::Left(true)),
        folding_range_provider: Some(lsp::FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(lsp::SelectionRangeProviderCapability::Simple(true)),
        inlay_hint_provider: Some(lsp::OneOf::Left(true)),
        code_lens_provider: Some(lsp::CodeLensOptions { resolve_provider: None }),
        code_action_provider: Some(lsp::CodeActionProviderCapability::Options(lsp::CodeActionOptions {
            code_action_kinds: Some(vec![lsp::CodeActionKind::QUICKFIX, lsp::CodeActionKind::SOURCE_FIX_ALL]),
            ..lsp::CodeActionOptions::default()
        })),
        semantic_tokens_provider: Some(lsp::SemanticTokensServerCapabilities::SemanticTokensOptions(
            lsp::SemanticTokensOptions {
                legend: lsp::SemanticTokensLegend { token_types: TOKEN_TYPES.to_vec(), token_modifiers: Vec::new() },
                range: Some(true),
                full: Some(lsp::SemanticTokensFullOptions::Bool(true)),
                ..lsp::SemanticTokensOptions::default()
            },
        )),
        ..lsp::ServerCapabilities::default()
    }
}
