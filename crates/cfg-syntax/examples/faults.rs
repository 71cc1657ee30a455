//! Prints the document and the diagnostics of a TOML file: `cargo run -p cfg-syntax --example faults FILE`.
#![allow(clippy::print_stdout, missing_docs)]

use cfg_diag::{FileId, LineIndex, PositionEncoding};
use cfg_syntax::{Dialect, decode, metadata, parse};

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let (text, mut diagnostics) = decode(FileId(0), std::fs::read(&path)?);
        let (document, more) = parse(FileId(0), &text, Dialect::Toml10);
        diagnostics.extend(more);
        if let Some((table, more)) = metadata(FileId(0), &text, &document) {
            println!("metadata: {:#?}", table.entries);
            diagnostics.extend(more);
        }
        let lines = LineIndex::new(&text);
        for diagnostic in diagnostics {
            let span = diagnostic.location.map_or_else(Default::default, |location| location.span);
            let place = lines.line_column(&text, span.start, PositionEncoding::Utf32);
            println!(
                "{path}:{}:{}: {} {} [{:?}]\n    help: {}{}",
                place.line + 1,
                place.column + 1,
                diagnostic.code.code,
                diagnostic.message,
                &text[span.range()],
                diagnostic.help.unwrap_or_default(),
                diagnostic.fix.map_or_else(String::new, |fix| format!("\n    fix: {} {:?}", fix.title, fix.applicability)),
            );
        }
    }
    Ok(())
}
