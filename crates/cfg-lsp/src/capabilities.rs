//! The capabilities of client and server.

use cfg_diag::PositionEncoding;
use tower_lsp_server::ls_types as lsp;

use crate::{commands, convert::TOKEN_TYPES, pages::Extras};

/// Clients that use their editor's own snippets, which do not support choices and would insert them as text, and one that inserts nothing until the user
/// has chosen. A client that does not state its name may be one of these, too.
const WITHOUT_CHOICES: [&str; 4] = ["Eglot", "emacs", "Sublime Text LSP", "Neovim"];

/// The relevant properties of a client. One that says nothing at all about a feature gets what most clients take; one that describes the feature gets
/// only what it names.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is its own capability")]
pub(crate) struct Client {
    pub(crate) encoding: PositionEncoding,
    /// It requests diagnostics itself, so none are sent to it.
    pub(crate) pulls: bool,
    /// It supports snippets.
    pub(crate) snippets: bool,
    /// It supports snippets with choices.
    pub(crate) choices: bool,
    /// It applies completions by one of two ranges, the user's choice.
    pub(crate) inserts_or_replaces: bool,
    /// It may keep the text after the cursor, whatever range a completion has, and applies edits when a command asks for them.
    pub(crate) keeps_rest: bool,
    /// It shows a text for a link.
    pub(crate) shows_link_tooltips: bool,
    /// It wants texts to be formatted by this server.
    pub(crate) formats: bool,
    /// The client's command that lists completions at the cursor, if completion items can include commands.
    pub(crate) suggests: Option<String>,
    /// The format of a completion's documentation; `None` if it states none, and takes a string.
    pub(crate) documentation: Option<lsp::MarkupKind>,
    /// The kinds of completions that it knows beyond the first ones of the protocol; `None` if it says nothing of completions.
    pub(crate) item_kinds: Option<Vec<lsp::CompletionItemKind>>,
    /// The kinds of symbols that it knows, in the same way.
    pub(crate) symbol_kinds: Option<Vec<lsp::SymbolKind>>,
    /// It shows the symbols of a document as a tree.
    pub(crate) shows_trees: bool,
    /// It asks whether something can be renamed.
    pub(crate) prepares_renames: bool,
    /// It has a place for the preferred ones of code actions.
    pub(crate) prefers: bool,
    /// It takes the active argument from the signature itself.
    pub(crate) signature_is_active: bool,
    /// The format of a hover; `None` if it states none, and takes a string.
    pub(crate) hover: Option<lsp::MarkupKind>,
    /// It takes code actions that are not only commands.
    pub(crate) takes_literals: bool,
    /// It reports changes of files on disk on request.
    pub(crate) watches: bool,
    /// It can be asked to request diagnostics again.
    pub(crate) refreshes: bool,
    /// It can be asked to request hints again.
    pub(crate) refreshes_hints: bool,
    /// It can be asked to request code lenses again.
    pub(crate) refreshes_lenses: bool,
    /// It shows the address of a rule's page with a finding.
    pub(crate) shows_pages: bool,
    /// What else it takes with a finding.
    pub(crate) extras: Extras,
    /// It shows the progress of a long job.
    pub(crate) shows_progress: bool,
    /// It shows the output of commands itself.
    pub(crate) shows_outcomes: bool,
    /// It can be asked to show a file.
    pub(crate) shows_files: bool,
}

impl Client {
    /// The kind of a completion, or a similar one of the protocol's first kinds.
    pub(crate) fn item_kind(&self, kind: lsp::CompletionItemKind) -> lsp::CompletionItemKind {
        let is_known = self.item_kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind));
        match kind {
            lsp::CompletionItemKind::STRUCT if !is_known => lsp::CompletionItemKind::MODULE,
            lsp::CompletionItemKind::ENUM_MEMBER if !is_known => lsp::CompletionItemKind::VALUE,
            kind => kind,
        }
    }

    /// The kind of a symbol, or a similar one of the protocol's first kinds.
    pub(crate) fn symbol_kind(&self, kind: lsp::SymbolKind) -> lsp::SymbolKind {
        let is_known = self.symbol_kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind));
        match kind {
            lsp::SymbolKind::STRUCT | lsp::SymbolKind::OBJECT if !is_known => lsp::SymbolKind::NAMESPACE,
            kind => kind,
        }
    }

    /// The properties that a client states. Of its own options, `virtualDocuments` says that it shows the output of commands itself,
    /// `suggestCommand` names its command that lists completions, and `format` says whether this server formats texts.
    pub(crate) fn of(params: &lsp::InitializeParams) -> Self {
        let (capabilities, options) = (&params.capabilities, params.initialization_options.as_ref());
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
        let symbols = document.and_then(|document| document.document_symbol.as_ref());
        let published = document.and_then(|document| document.publish_diagnostics.as_ref());
        let workspace = capabilities.workspace.as_ref();
        let window = capabilities.window.as_ref();
        let option = |name: &str| options.and_then(|options| options.get(name));
        let shows_itself = option("virtualDocuments").and_then(serde_json::Value::as_bool);
        let snippets = completion.and_then(|item| item.snippet_support).unwrap_or(false);
        let inserts_or_replaces = completion.and_then(|item| item.insert_replace_support).unwrap_or(false);
        let is_plain_neovim = |client: &lsp::ClientInfo| client.name == "Neovim" && !inserts_or_replaces;
        let has_choices = |client: &lsp::ClientInfo| !WITHOUT_CHOICES.contains(&&*client.name);
        Self {
            encoding,
            pulls: document.is_some_and(|document| document.diagnostic.is_some()),
            snippets,
            choices: snippets && params.client_info.as_ref().is_some_and(has_choices),
            inserts_or_replaces,
            formats: option("format").and_then(serde_json::Value::as_bool).unwrap_or(true),
            keeps_rest: params.client_info.as_ref().is_some_and(is_plain_neovim)
                && workspace.is_some_and(|workspace| workspace.apply_edit == Some(true)),
            shows_link_tooltips: document
                .and_then(|document| document.document_link.as_ref())
                .and_then(|link| link.tooltip_support)
                .unwrap_or(false),
            suggests: option("suggestCommand").and_then(serde_json::Value::as_str).map(str::to_owned),
            documentation: match document.and_then(|document| document.completion.as_ref()) {
                Some(_) => completion.and_then(|item| markup(item.documentation_format.as_deref()?)),
                None => Some(lsp::MarkupKind::PlainText),
            },
            item_kinds: document
                .and_then(|document| document.completion.as_ref())
                .map(|completion| completion.completion_item_kind.clone().and_then(|kinds| kinds.value_set).unwrap_or_default()),
            symbol_kinds: symbols
                .map(|symbols| symbols.symbol_kind.clone().and_then(|kinds| kinds.value_set).unwrap_or_default()),
            shows_trees: symbols.is_none_or(|symbols| symbols.hierarchical_document_symbol_support.unwrap_or(false)),
            prepares_renames: document
                .and_then(|document| document.rename.as_ref())
                .is_none_or(|rename| rename.prepare_support.unwrap_or(false)),
            prefers: document
                .and_then(|document| document.code_action.as_ref())
                .is_none_or(|actions| actions.is_preferred_support.unwrap_or(false)),
            signature_is_active: document.and_then(|document| document.signature_help.as_ref()).is_none_or(|help| {
                let information = help.signature_information.as_ref();
                information.and_then(|information| information.active_parameter_support).unwrap_or(false)
            }),
            hover: match document.and_then(|document| document.hover.as_ref()) {
                Some(hover) => hover.content_format.as_deref().and_then(markup),
                None => Some(lsp::MarkupKind::Markdown),
            },
            takes_literals: document
                .and_then(|document| document.code_action.as_ref())
                .is_none_or(|actions| actions.code_action_literal_support.is_some()),
            watches: workspace
                .and_then(|workspace| workspace.did_change_watched_files.as_ref())
                .and_then(|files| files.dynamic_registration)
                .unwrap_or(false),
            refreshes: workspace
                .and_then(|workspace| workspace.diagnostics.as_ref())
                .and_then(|diagnostics| diagnostics.refresh_support)
                .unwrap_or(false),
            refreshes_hints: workspace
                .and_then(|workspace| workspace.inlay_hint.as_ref())
                .and_then(|hints| hints.refresh_support)
                .unwrap_or(false),
            refreshes_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref())
                .and_then(|lenses| lenses.refresh_support)
                .unwrap_or(false),
            shows_pages: published.and_then(|published| published.code_description_support).unwrap_or(false),
            extras: Extras {
                tags: published.is_none_or(|published| published.tag_support.is_some()),
                related: published.is_none_or(|published| published.related_information.unwrap_or(false)),
                versions: published.is_none_or(|published| published.version_support.unwrap_or(false)),
            },
            shows_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            shows_outcomes: shows_itself == Some(true),
            shows_files: window.and_then(|window| window.show_document.as_ref()).is_some_and(|show| show.support),
        }
    }
}

/// Markdown, if a client supports it, or else plain text.
fn markup(formats: &[lsp::MarkupKind]) -> Option<lsp::MarkupKind> {
    [lsp::MarkupKind::Markdown, lsp::MarkupKind::PlainText].into_iter().find(|kind| formats.contains(kind))
}

pub(crate) fn server(client: &Client) -> lsp::ServerCapabilities {
    let encoding = match client.encoding {
        PositionEncoding::Utf8 => lsp::PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => lsp::PositionEncodingKind::UTF16,
        PositionEncoding::Utf32 => lsp::PositionEncodingKind::UTF32,
    };
    let words = ["[", ".", "\"", "=", " ", "/"].map(str::to_owned).to_vec();
    lsp::ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(lsp::TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
            save: Some(lsp::TextDocumentSyncSaveOptions::Supported(true)),
            ..lsp::TextDocumentSyncOptions::default()
        })),
        diagnostic_provider: client.pulls.then(|| {
            lsp::DiagnosticServerCapabilities::Options(lsp::DiagnosticOptions {
                identifier: Some("cfg".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..lsp::DiagnosticOptions::default()
            })
        }),
        hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some(words),
            ..lsp::CompletionOptions::default()
        }),
        signature_help_provider: Some(lsp::SignatureHelpOptions {
            trigger_characters: Some(vec!["=".to_owned()]),
            ..lsp::SignatureHelpOptions::default()
        }),
        definition_provider: Some(lsp::OneOf::Left(true)),
        references_provider: Some(lsp::OneOf::Left(true)),
        document_highlight_provider: Some(lsp::OneOf::Left(true)),
        document_symbol_provider: Some(lsp::OneOf::Left(true)),
        document_formatting_provider: client.formats.then_some(lsp::OneOf::Left(true)),
        document_range_formatting_provider: client.formats.then_some(lsp::OneOf::Left(true)),
        folding_range_provider: Some(lsp::FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(lsp::SelectionRangeProviderCapability::Simple(true)),
        inlay_hint_provider: Some(lsp::OneOf::Left(true)),
        code_lens_provider: Some(lsp::CodeLensOptions { resolve_provider: None }),
        code_action_provider: Some(if client.takes_literals {
            lsp::CodeActionProviderCapability::Options(lsp::CodeActionOptions {
                code_action_kinds: Some(vec![
                    lsp::CodeActionKind::QUICKFIX,
                    lsp::CodeActionKind::SOURCE_FIX_ALL,
                    lsp::CodeActionKind::REFACTOR_REWRITE,
                    commands::KIND_OF_BUMP,
                    commands::KIND_OF_SHOW,
                ]),
                ..lsp::CodeActionOptions::default()
            })
        } else {
            lsp::CodeActionProviderCapability::Simple(true)
        }),
        semantic_tokens_provider: Some(lsp::SemanticTokensServerCapabilities::SemanticTokensOptions(
            lsp::SemanticTokensOptions {
                legend: lsp::SemanticTokensLegend { token_types: TOKEN_TYPES.to_vec(), token_modifiers: Vec::new() },
                range: Some(true),
                full: Some(lsp::SemanticTokensFullOptions::Bool(true)),
                ..lsp::SemanticTokensOptions::default()
            },
        )),
        call_hierarchy_provider: Some(lsp::CallHierarchyServerCapability::Simple(true)),
        workspace_symbol_provider: Some(lsp::OneOf::Left(true)),
        document_link_provider: Some(lsp::DocumentLinkOptions {
            resolve_provider: None,
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        }),
        rename_provider: Some(if client.prepares_renames {
            lsp::OneOf::Right(lsp::RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
            })
        } else {
            lsp::OneOf::Left(true)
        }),
        execute_command_provider: Some(lsp::ExecuteCommandOptions {
            commands: commands::names(client.keeps_rest),
            ..lsp::ExecuteCommandOptions::default()
        }),
        workspace: Some(lsp::WorkspaceServerCapabilities {
            workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(lsp::OneOf::Left(true)),
            }),
            file_operations: Some(lsp::WorkspaceFileOperationsServerCapabilities {
                will_rename: Some(renamed_files()),
                ..lsp::WorkspaceFileOperationsServerCapabilities::default()
            }),
        }),
        ..lsp::ServerCapabilities::default()
    }
}

/// The files and folders that matter if they are renamed: configs, and the folders that contain them.
fn renamed_files() -> lsp::FileOperationRegistrationOptions {
    let filter = |glob: &str, kind| lsp::FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: lsp::FileOperationPattern { glob: glob.to_owned(), matches: Some(kind), options: None },
    };
    lsp::FileOperationRegistrationOptions {
        filters: vec![
            filter("**/*.toml", lsp::FileOperationPatternKind::File),
            filter("**", lsp::FileOperationPatternKind::Folder),
        ],
    }
}
