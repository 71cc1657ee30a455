//! Which configs include which, as a call hierarchy: a config calls those that it names in `toml_files`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_diag::{FileId, LineIndex, Order, PositionEncoding, Span};
use cfg_ide::LeadsTo;
use cfg_syntax::{Dialect, Value, ValueKind};
use tower_lsp_server::{jsonrpc::Result, ls_types as lsp};

use crate::{
    backend::{Backend, path},
    convert, files, jobs,
    workspace::for_each,
};

/// The config that the cursor is on: one that it includes by name, or the document itself.
pub(crate) async fn prepare(
    backend: &Backend,
    params: lsp::CallHierarchyPrepareParams,
) -> Result<Option<Vec<lsp::CallHierarchyItem>>> {
    let at = params.text_document_position_params;
    let (system, from) = (Arc::clone(&backend.system), backend.path(&at.text_document.uri));
    let found = backend.answer_at(&at, move |view, offset| {
        let links = cfg_ide::document_links(view.analysis).into_iter().filter(|link| link.span.touches(offset));
        let mut included = links.filter(|link| matches!(link.leads_to, LeadsTo::File(_)));
        let named = included.find_map(|link| files::linked(&*system, &from, &link.leads_to));
        vec![item(named.unwrap_or_else(|| view.uri.clone()))]
    });
    found.await
}

/// The configs that include a config.
pub(crate) async fn incoming(
    backend: &Backend,
    params: lsp::CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<lsp::CallHierarchyIncomingCall>>> {
    let (base, workspace) = (files::normal(&path(&params.item.uri)), jobs::workspace(backend));
    let search = move || {
        let workspace = workspace.get();
        let Some(name) = base.file_name().map(|name| name.to_string_lossy().into_owned()) else { return Vec::new() };
        let encoding = workspace.encoding();
        let of = |config: &PathBuf| {
            // Most files are not parsed.
            let text = workspace.text(config).filter(|text| text.contains("toml_files") && text.contains(&name))?;
            let included = included(&text).into_iter();
            let spans = included.filter(|(_, file)| leads_to(config, file) == base).map(|(span, _)| span).collect();
            let from_ranges = ranges(&text, spans, encoding)?;
            Some(lsp::CallHierarchyIncomingCall { from: item(lsp::Uri::from_file_path(config)?), from_ranges })
        };
        let mut found = Vec::new();
        for_each(&workspace.files(), &of, &mut |at, call, _| found.extend(call.map(|call| (at, call))));
        found.order_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, call)| call).collect()
    };
    jobs::off_the_loop(backend, search).await.map(Some)
}

/// The configs that a config includes.
pub(crate) async fn outgoing(
    backend: &Backend,
    params: lsp::CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<lsp::CallHierarchyOutgoingCall>>> {
    let (config, workspace) = (path(&params.item.uri), jobs::workspace(backend));
    let search = move || {
        let workspace = workspace.get();
        let Some(text) = workspace.text(&config) else { return Vec::new() };
        let call = |(span, file): (Span, String)| {
            let to = leads_to(&config, &file);
            // A file that does not exist is a finding.
            workspace.text(&to)?;
            let from_ranges = ranges(&text, vec![span], workspace.encoding())?;
            Some(lsp::CallHierarchyOutgoingCall { to: item(lsp::Uri::from_file_path(to)?), from_ranges })
        };
        included(&text).into_iter().filter_map(call).collect()
    };
    jobs::off_the_loop(backend, search).await.map(Some)
}

fn item(uri: lsp::Uri) -> lsp::CallHierarchyItem {
    let file = path(&uri);
    let words = |path: &Path| convert::harmless(path.to_string_lossy().into_owned());
    lsp::CallHierarchyItem {
        name: file.file_name().map(|name| words(Path::new(name))).unwrap_or_default(),
        kind: lsp::SymbolKind::FILE,
        tags: None,
        detail: file.parent().map(words),
        uri,
        range: lsp::Range::default(),
        selection_range: lsp::Range::default(),
        data: None,
    }
}

/// The files in `toml_files` of a text, with their places.
fn included(text: &str) -> Vec<(Span, String)> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let named = document.root.value("toml_files").map(Value::items).unwrap_or_default().iter();
    let file = |item: &Value| if let ValueKind::String(file) = &item.kind { Some((item.span, file.to_string())) } else { None };
    named.filter_map(file).collect()
}

fn leads_to(config: &Path, file: &str) -> PathBuf {
    files::normal(&config.parent().unwrap_or(config).join(file))
}

/// Ranges of a text; `None` if there are none.
fn ranges(text: &str, spans: Vec<Span>, encoding: PositionEncoding) -> Option<Vec<lsp::Range>> {
    let lines = LineIndex::new(text);
    let ranges: Vec<_> = spans.into_iter().map(|span| convert::range(text, &lines, span, encoding)).collect();
    (!ranges.is_empty()).then_some(ranges)
}
