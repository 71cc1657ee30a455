//! The examples on the pages of this crate's findings produce exactly the diagnostics that they state. Later steps may report more.

use cfg_diag::{Code, FileId, LineIndex, PositionEncoding, codes};
use cfg_syntax::{Dialect, parse};

/// Lines, counted from 1, with the names of the expected findings.
fn expected(example: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in example.lines().enumerate() {
        for (marker, offset) in [("# error: [", 1), ("# error-below: [", 2)] {
            if let Some((_, rest)) = line.split_once(marker) {
                let name = rest.trim_end_matches(']');
                if OURS.iter().any(|code| code.name == name) {
                    found.push((index + offset, name));
                }
            }
        }
    }
    found
}

/// The codes of this crate whose pages have this form.
static OURS: [Code; 6] = [
    &codes::INVALID_TOML,
    &codes::DUPLICATE_KEY,
    &codes::KEY_CONFLICT,
    &codes::UNSUPPORTED_TOML,
    &codes::INVALID_ENCODING,
    &codes::NESTED_TOO_DEEP,
];

#[test]
fn examples_are_true() {
    for code in OURS {
        let headings: Vec<&str> = code.page.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(
            headings,
            ["## What it finds", "## Why it matters", "## At run time", "## Example", "## Fix"],
            "{}",
            code.name
        );
        let examples: Vec<&str> =
            code.page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("toml\n")).collect();
        for example in examples {
            let (_, diagnostics) = parse(FileId(0), example, Dialect::Toml10);
            let lines = LineIndex::new(example);
            let found: Vec<(usize, &str)> = diagnostics
                .iter()
                .map(|diagnostic| {
                    let start = diagnostic.location.expect("a place").span.start;
                    (lines.line_column(example, start, PositionEncoding::Utf8).line as usize + 1, diagnostic.code.name)
                })
                .collect();
            assert_eq!(found, expected(example), "{}", code.name);
        }
    }
}
