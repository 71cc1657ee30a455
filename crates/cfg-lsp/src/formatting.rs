//! Formats documents.

use cfg_diag::Span;
use tower_lsp_server::{jsonrpc::Result, ls_types as lsp};

use crate::backend::Backend;

/// The edits that format a file of cfg, or those that touch a range of it and no other line; `None` if it has a syntax error or belongs to another
/// program.
pub(crate) async fn edits(backend: &Backend, uri: &lsp::Uri, range: Option<lsp::Range>) -> Result<Option<Vec<lsp::TextEdit>>> {
    let found = backend.answer_of_own(uri, move |view| {
        let within = range.map(|range| view.span(range));
        let text = &view.analysis.text;
        let lines = within.map(|within| {
            let start = cfg_diag::line_start(text, within.start as usize);
            let end = text[within.end as usize..].find('\n').map_or(text.len(), |newline| within.end as usize + newline);
            Span::from(start..end)
        });
        let touches = |within: Span, span: Span| within.start <= span.end && span.start <= within.end;
        let is_wanted = |span: Span| {
            within.is_none_or(|within| touches(within, span))
                && lines.is_none_or(|lines| lines.start <= span.start && span.end <= lines.end)
        };
        let edits = cfg_ide::format(&view.analysis.text)?.into_iter().filter(|(span, _)| is_wanted(*span));
        Some(edits.map(|(span, new)| lsp::TextEdit::new(view.range(span), new)).collect())
    });
    Ok(found.await?.flatten())
}
