//! Any bytes: no panic, and every span within the text and on character boundaries.
//!
//! `RUSTC_BOOTSTRAP=1 cargo fuzz run parse` from the repository's root, with `cargo install cargo-fuzz`.

#![no_main]

use cfg_diag::{FileId, Span};
use cfg_syntax::{Dialect, Table, Value, ValueKind, decode, metadata, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (text, diagnostics) = decode(FileId(0), bytes.to_vec());
    let check = |span: Span| assert!(text.get(span.range()).is_some(), "{span:?}");
    for dialect in [Dialect::Toml10, Dialect::Toml11] {
        let (document, more) = parse(FileId(0), &text, dialect);
        walk(&document.root, &check);
        document.comments.iter().for_each(|&span| check(span));
        for header in &document.headers {
            check(header.span);
            header.keys.iter().for_each(|key| check(key.span));
        }
        let inner = metadata(FileId(0), &text, &document);
        if let Some((table, _)) = &inner {
            walk(table, &check);
        }
        for diagnostic in diagnostics.iter().chain(&more).chain(inner.iter().flat_map(|(_, diagnostics)| diagnostics)) {
            check(diagnostic.location.expect("a place").span);
            diagnostic.related.iter().for_each(|related| check(related.location.span));
            diagnostic.fix.iter().flat_map(|fix| &fix.edits).for_each(|edit| check(edit.location.span));
        }
    }
});

fn walk(table: &Table, check: &impl Fn(Span)) {
    check(table.span);
    for entry in &table.entries {
        check(entry.key.span);
        value(&entry.value, check);
    }
}

fn value(found: &Value, check: &impl Fn(Span)) {
    check(found.span);
    match &found.kind {
        ValueKind::Table(table) => walk(table, check),
        ValueKind::Array(items) => items.iter().for_each(|item| value(item, check)),
        _ => {}
    }
}
