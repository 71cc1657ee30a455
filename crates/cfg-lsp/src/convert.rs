//! Converts the answers of `cfg-ide` to the types of the protocol.

use std::{
    borrow::Cow,
    collections::HashMap,
    path::{Path, PathBuf},
};

use cfg_diag::{
    Code, Diagnostic, Edit, LineColumn, LineIndex, Location, Order, PositionEncoding, Severity, Span, codes, markdown::plain,
};
use cfg_ide::{Action, ActionKind, Analysis, Fold, FoldKind, Hint, Lens, Part, Target, Token, TokenKind};
use tower_lsp_server::ls_types as lsp;

use crate::{
    backend::{is_registry, path},
    commands, files,
    pages::Pages,
};

/// An analysis as the client sees it: with its URI, and the encoding of columns.
pub(crate) struct View<'a> {
    pub(crate) uri: &'a lsp::Uri,
    pub(crate) analysis: &'a Analysis,
    pub(crate) encoding: PositionEncoding,
    pub(crate) pages: &'a Pages,
}

/// The maximum number of findings that are sent for a document. Nobody reads more, and they are sent again at each keystroke.
const MAX_FINDINGS: usize = 1000;

/// The types of semantic tokens, in the order of [`token_type`].
pub(crate) const TOKEN_TYPES: [lsp::SemanticTokenType; 5] = [
    lsp::SemanticTokenType::STRUCT,
    lsp::SemanticTokenType::PROPERTY,
    lsp::SemanticTokenType::VARIABLE,
    lsp::SemanticTokenType::STRING,
    lsp::SemanticTokenType::ENUM_MEMBER,
];

const fn token_type(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Table => 0,
        TokenKind::Key => 1,
        TokenKind::Unknown => 2,
        TokenKind::Free => 3,
        TokenKind::Choice => 4,
    }
}

impl View<'_> {
    /// Whether the document belongs to another program, or is not TOML. The line at the offset `at` is unfinished, and is
    /// ignored.
    pub(crate) fn is_others(&self, at: Option<u32>) -> bool {
        is_registry(&path(self.uri)) || self.analysis.is_others(at)
    }

    pub(crate) fn offset(&self, position: lsp::Position) -> u32 {
        self.analysis.lines.offset(&self.analysis.text, line_column(position), self.encoding)
    }

    pub(crate) fn position(&self, offset: u32) -> lsp::Position {
        let LineColumn { line, column } = self.analysis.lines.line_column(&self.analysis.text, offset, self.encoding);
        lsp::Position::new(line, column)
    }

    pub(crate) fn range(&self, span: Span) -> lsp::Range {
        lsp::Range::new(self.position(span.start), self.position(span.end))
    }

    pub(crate) fn span(&self, range: lsp::Range) -> Span {
        Span::new(self.offset(range.start), self.offset(range.end))
    }

    pub(crate) fn location(&self, span: Span) -> lsp::Location {
        lsp::Location::new(self.uri.clone(), self.range(span))
    }

    /// Converts a place in this text or in another text of the config.
    pub(crate) fn target(&self, target: Target) -> Option<lsp::Location> {
        match target.part {
            None => Some(self.location(target.span)),
            Some(part) => self.in_part(self.analysis.parts.get(part)?, target.span),
        }
    }

    /// The paths of the other files of the config.
    pub(crate) fn parts(&self) -> Vec<PathBuf> {
        self.analysis.parts.iter().map(|part| PathBuf::from(&part.path)).collect()
    }

    fn in_part(&self, part: &Part, span: Span) -> Option<lsp::Location> {
        let uri = lsp::Uri::from_file_path(files::normal(Path::new(&part.path)))?;
        Some(lsp::Location::new(uri, range(&part.text, &part.lines, span, self.encoding)))
    }

    /// Converts a location in any text of the config.
    fn anywhere(&self, location: Location) -> Option<lsp::Location> {
        match self.analysis.own(location) {
            Some(span) => Some(self.location(span)),
            None => self.in_part(self.analysis.part(location)?, location.span),
        }
    }

    /// The place in this text at which a finding in another file is shown: the entry of `toml_files` that includes the file. The
    /// first entry if none matches.
    fn entry_of(&self, location: Location) -> Span {
        let links = cfg_ide::document_links(self.analysis);
        let files = links.iter().filter(|link| matches!(link.leads_to, cfg_ide::LeadsTo::File(_)));
        let path = self.analysis.part(location).map(|part| part.path.as_str()).unwrap_or_default();
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let mut named = files.clone().filter(|link| self.analysis.text[link.span.range()].ends_with(name));
        named.next().or_else(|| files.clone().next()).map_or(Span::default(), |link| link.span)
    }

    /// The findings without duplicates, in the order of the file. If there are very many, only the most severe ones, and a
    /// message with the number of the others.
    pub(crate) fn diagnostics(&self) -> Vec<lsp::Diagnostic> {
        let mut findings: Vec<&Diagnostic> = self.analysis.checked.diagnostics.iter().filter(|found| !found.is_echo).collect();
        let left_out = findings.len().saturating_sub(MAX_FINDINGS);
        if left_out > 0 {
            findings.order_by_key(|found| std::cmp::Reverse(found.severity));
            findings.truncate(MAX_FINDINGS);
            findings.order_by_key(|found| found.location);
        }
        let others = (left_out > 0).then(|| self.left_out(left_out));
        findings.into_iter().map(|found| self.diagnostic(found)).chain(others).collect()
    }

    /// A message at the end of the text that `count` findings are not shown.
    fn left_out(&self, count: usize) -> lsp::Diagnostic {
        let end = self.position(u32::try_from(self.analysis.text.len()).unwrap_or(u32::MAX));
        lsp::Diagnostic {
            range: lsp::Range::new(end, end),
            severity: Some(lsp::DiagnosticSeverity::INFORMATION),
            source: Some("cfg".to_owned()),
            message: format!("{count} more findings are not shown here; `cfg check` lists all"),
            ..lsp::Diagnostic::default()
        }
    }

    pub(crate) fn diagnostic(&self, found: &Diagnostic) -> lsp::Diagnostic {
        // A finding about the whole file is shown at its first line.
        let own = found.location.map(|location| self.analysis.own(location).ok_or(location));
        let span = match own {
            None => Span::default(),
            Some(Ok(span)) => span,
            Some(Err(elsewhere)) => self.entry_of(elsewhere),
        };
        let related = found.related.iter().filter_map(|related| {
            let location = self.anywhere(related.location)?;
            Some(lsp::DiagnosticRelatedInformation { location, message: harmless(related.message.clone()) })
        });
        let elsewhere = own.and_then(Result::err).and_then(|location| {
            let location = self.anywhere(location)?;
            Some(lsp::DiagnosticRelatedInformation { location, message: "written here".to_owned() })
        });
        let related: Vec<lsp::DiagnosticRelatedInformation> = elsewhere.into_iter().chain(related).collect();
        let mut message = found.message.clone();
        if let Some(Err(location)) = own
            && let Some(part) = self.analysis.part(location)
        {
            let name = part.path.rsplit(['/', '\\']).next().unwrap_or_default();
            message = format!("in {name}: {message}");
        }
        if let Some(help) = &found.help {
            message.push('\n');
            message.push_str(help);
        }
        if !found.folded.is_empty() {
            message.push_str(&format!("\n({} more findings follow from it)", found.folded.len()));
        }
        lsp::Diagnostic {
            range: self.range(span),
            severity: Some(match found.severity {
                Severity::Error => lsp::DiagnosticSeverity::ERROR,
                Severity::Warning => lsp::DiagnosticSeverity::WARNING,
                Severity::Info => lsp::DiagnosticSeverity::HINT,
            }),
            code: Some(lsp::NumberOrString::String(found.code.code.to_owned())),
            code_description: self.pages.address(found.code).map(|href| lsp::CodeDescription { href }),
            source: Some("cfg".to_owned()),
            message: harmless(message),
            related_information: (self.pages.extras.related && !related.is_empty()).then_some(related),
            tags: tags(found).filter(|_| self.pages.extras.tags),
            data: None,
        }
    }

    /// Converts semantic tokens to the encoding of the protocol, in which each is relative to the previous one.
    pub(crate) fn tokens(&self, tokens: &[Token]) -> Vec<lsp::SemanticToken> {
        let mut last = lsp::Position::new(0, 0);
        let mut relative = Vec::with_capacity(tokens.len());
        for token in tokens {
            let range = self.range(token.span);
            if range.start.line != range.end.line {
                continue;
            }
            let same_line = range.start.line == last.line;
            relative.push(lsp::SemanticToken {
                delta_line: range.start.line - last.line,
                delta_start: if same_line { range.start.character - last.character } else { range.start.character },
                length: range.end.character - range.start.character,
                token_type: token_type(token.kind),
                token_modifiers_bitset: 0,
            });
            last = range.start;
        }
        relative
    }

    pub(crate) fn action(&self, action: Action, can_be_preferred: bool) -> lsp::CodeActionOrCommand {
        let kind = match action.kind {
            ActionKind::Repair | ActionKind::Suppress => lsp::CodeActionKind::QUICKFIX,
            ActionKind::RepairAll => lsp::CodeActionKind::SOURCE_FIX_ALL,
            ActionKind::Rewrite => lsp::CodeActionKind::REFACTOR_REWRITE,
        };
        let diagnostic = action.diagnostic.and_then(|index| self.analysis.checked.diagnostics.get(index));
        lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
            title: harmless(action.title),
            kind: Some(kind),
            diagnostics: diagnostic.map(|found| vec![self.diagnostic(found)]),
            edit: Some(self.workspace_edit(&action.edits)),
            is_preferred: can_be_preferred.then_some(action.is_preferred),
            ..lsp::CodeAction::default()
        })
    }

    /// The findings of a code in this text that touch a range.
    pub(crate) fn found(&self, code: Code, range: lsp::Range) -> Vec<lsp::Diagnostic> {
        let span = self.span(range);
        let touches = |found: &&Diagnostic| {
            let own = found.location.map_or(Some(Span::default()), |location| self.analysis.own(location));
            found.code == code && own.is_some_and(|own| own.touches(span.start) || span.touches(own.start))
        };
        self.analysis.checked.diagnostics.iter().filter(touches).map(|found| self.diagnostic(found)).collect()
    }

    /// A code action that runs a command; `of` are the findings that it fixes.
    pub(crate) fn command(
        &self,
        title: String,
        command: &str,
        kind: lsp::CodeActionKind,
        of: Vec<lsp::Diagnostic>,
    ) -> lsp::CodeActionOrCommand {
        let arguments = Some(vec![self.uri.as_str().into()]);
        let title = harmless(title);
        let command = lsp::Command { title: title.clone(), command: command.to_owned(), arguments };
        lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
            title,
            kind: Some(kind),
            diagnostics: (!of.is_empty()).then_some(of),
            command: Some(command),
            ..lsp::CodeAction::default()
        })
    }

    /// Converts edits of this text and of the other texts of the config.
    pub(crate) fn workspace_edit(&self, edits: &[Edit]) -> lsp::WorkspaceEdit {
        let mut changes: HashMap<lsp::Uri, Vec<lsp::TextEdit>> = HashMap::new();
        for edit in edits {
            if let Some(place) = self.anywhere(edit.location) {
                changes.entry(place.uri).or_default().push(lsp::TextEdit::new(place.range, edit.new_text.clone()));
            }
        }
        lsp::WorkspaceEdit { changes: Some(changes), ..lsp::WorkspaceEdit::default() }
    }

    pub(crate) fn hint(&self, hint: Hint) -> lsp::InlayHint {
        lsp::InlayHint {
            position: self.position(hint.offset),
            label: lsp::InlayHintLabel::String(harmless(hint.label)),
            kind: None,
            text_edits: None,
            tooltip: Some(lsp::InlayHintTooltip::String(harmless(plain(&hint.tooltip)))),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        }
    }

    pub(crate) fn lens(&self, lens: Lens) -> lsp::CodeLens {
        let command = lsp::Command {
            title: harmless(lens.title),
            command: lens.shows.map_or("", commands::of_lens).to_owned(),
            arguments: lens.shows.map(|_| vec![self.uri.as_str().into()]),
        };
        lsp::CodeLens {
            range: self.range(Span::empty(self.line_without_finding(lens.offset))),
            command: Some(command),
            data: None,
        }
    }

    /// The beginning of the first line from an offset on that has no finding: some editors show both in one line, which then is too long.
    fn line_without_finding(&self, offset: u32) -> u32 {
        let text = &self.analysis.text;
        let line = |at: u32| self.position(at).line;
        // A finding about the whole file is shown at its beginning.
        let start = |location: Option<_>| location.map_or(Some(0), |location| self.analysis.own(location).map(|span| span.start));
        let shown = self.analysis.checked.diagnostics.iter().filter(|found| !found.is_echo);
        let taken: Vec<u32> = shown.filter_map(|found| start(found.location)).map(line).collect();
        let mut at = offset;
        while taken.contains(&line(at)) {
            match text[at as usize..].find('\n') {
                Some(newline) if at as usize + newline + 1 < text.len() => at += newline as u32 + 1,
                _ => return offset,
            }
        }
        at
    }
}

/// A text for display, without control characters and look-alikes.
pub(crate) fn harmless(text: String) -> String {
    match cfg_diag::lines(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(harmless) => harmless,
    }
}

/// A text for a notification, in which an editor would make links of some forms.
pub(crate) fn notified(text: &str) -> String {
    cfg_diag::markdown::inert(&cfg_diag::lines(text)).into_owned()
}

/// Converts a span of any text.
pub(crate) fn range(text: &str, lines: &LineIndex, span: Span, encoding: PositionEncoding) -> lsp::Range {
    let position = |offset| {
        let LineColumn { line, column } = lines.line_column(text, offset, encoding);
        lsp::Position::new(line, column)
    };
    lsp::Range::new(position(span.start), position(span.end))
}

pub(crate) fn line_column(position: lsp::Position) -> LineColumn {
    LineColumn { line: position.line, column: position.character }
}

pub(crate) fn fold(fold: Fold) -> lsp::FoldingRange {
    let kind = match fold.kind {
        FoldKind::Region => lsp::FoldingRangeKind::Region,
        FoldKind::Comment => lsp::FoldingRangeKind::Comment,
    };
    lsp::FoldingRange {
        start_line: fold.first,
        start_character: None,
        end_line: fold.last,
        end_character: None,
        kind: Some(kind),
        collapsed_text: None,
    }
}

/// The contents of a hover in the client's format. A string without a stated format is Markdown, as the protocol has it for hovers.
pub(crate) fn contents(markdown: &str, kind: Option<lsp::MarkupKind>) -> lsp::HoverContents {
    let value = harmless(if kind == Some(lsp::MarkupKind::PlainText) { plain(markdown) } else { markdown.to_owned() });
    match kind {
        Some(kind) => lsp::HoverContents::Markup(lsp::MarkupContent { kind, value }),
        None => lsp::HoverContents::Scalar(lsp::MarkedString::String(value)),
    }
}

/// The tags of a finding: keys without effect are shown faded, removed keys are struck through.
fn tags(found: &Diagnostic) -> Option<Vec<lsp::DiagnosticTag>> {
    if found.code == &codes::IGNORED_KEY {
        Some(vec![lsp::DiagnosticTag::UNNECESSARY])
    } else if found.code == &codes::REMOVED_KEY {
        Some(vec![lsp::DiagnosticTag::DEPRECATED])
    } else {
        None
    }
}

/// Converts a line of a file of prime-rl.
pub(crate) fn in_source((path, line): (PathBuf, u32)) -> Option<lsp::Location> {
    let start = lsp::Position::new(line.saturating_sub(1), 0);
    Some(lsp::Location::new(lsp::Uri::from_file_path(path)?, lsp::Range::new(start, start)))
}
