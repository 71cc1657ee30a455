//! The outline of a document: a tree, or a list for a client that shows no tree.

use cfg_ide::{Symbol, SymbolKind};
use tower_lsp_server::ls_types as lsp;

use crate::{
    capabilities::Client,
    convert::{View, harmless},
};

/// The outline of a document.
pub(crate) fn response(view: &View<'_>, client: &Client) -> lsp::DocumentSymbolResponse {
    let symbols = cfg_ide::symbols(view.analysis).into_iter().map(|symbol| self::symbol(view, symbol, client)).collect();
    if client.shows_trees {
        return lsp::DocumentSymbolResponse::Nested(symbols);
    }
    let mut list = Vec::new();
    flatten(view, symbols, None, &mut list);
    lsp::DocumentSymbolResponse::Flat(list)
}

fn symbol(view: &View<'_>, symbol: Symbol, client: &Client) -> lsp::DocumentSymbol {
    #[expect(deprecated, reason = "the protocol's type has no other way to be made")]
    lsp::DocumentSymbol {
        name: harmless(symbol.name),
        detail: symbol.detail.map(harmless),
        kind: client.symbol_kind(match symbol.kind {
            SymbolKind::Table => lsp::SymbolKind::STRUCT,
            SymbolKind::String => lsp::SymbolKind::STRING,
            SymbolKind::Number => lsp::SymbolKind::NUMBER,
            SymbolKind::Boolean => lsp::SymbolKind::BOOLEAN,
            SymbolKind::Array => lsp::SymbolKind::ARRAY,
            SymbolKind::Item | SymbolKind::Object => lsp::SymbolKind::OBJECT,
        }),
        tags: None,
        deprecated: None,
        range: view.range(symbol.span),
        selection_range: view.range(symbol.selection),
        children: Some(symbol.children.into_iter().map(|child| self::symbol(view, child, client)).collect()),
    }
}

/// Adds symbols and what is below them to a list; `above` is the one around them.
fn flatten(view: &View<'_>, symbols: Vec<lsp::DocumentSymbol>, above: Option<&str>, list: &mut Vec<lsp::SymbolInformation>) {
    for symbol in symbols {
        #[expect(deprecated, reason = "the protocol's type has no other way to be made")]
        list.push(lsp::SymbolInformation {
            name: symbol.name.clone(),
            kind: symbol.kind,
            tags: None,
            deprecated: None,
            location: lsp::Location::new(view.uri.clone(), symbol.range),
            container_name: above.map(str::to_owned),
        });
        flatten(view, symbol.children.unwrap_or_default(), Some(&symbol.name), list);
    }
}
