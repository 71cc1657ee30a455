//! The comment block with the metadata of a config.

use cfg_diag::{Diagnostic, FileId, Location, Severity, Span, codes};

use crate::scalar::{self, Scalar};
use crate::{Dialect, Document, Entry, Key, Table, TableStyle, Value, ValueKind, faults, parse, string};

/// The lines from `# /// config` to `# ///`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataBlock {
    /// From the first `#` to the end of the last line, without its line end.
    pub span: Span,
    /// The comments between the first and the last line.
    pub lines: Vec<Span>,
    /// Whether it has a closing line.
    pub closed: bool,
}

impl Document {
    /// Finds the metadata block: comments before the first header and the first entry. `text` is the text that the document was
    /// parsed from.
    pub fn metadata_block(&self, text: &str) -> Option<MetadataBlock> {
        let first_key = self.root.entries.iter().map(|entry| entry.key.span.start).min();
        let first_header = self.headers.first().map(|header| header.span.start);
        let top = first_key.into_iter().chain(first_header).min().unwrap_or(u32::MAX);
        let mut comments = self.comments.iter().copied().take_while(|comment| comment.end <= top);
        let opening = comments.find(|&comment| content(text, comment).is_some_and(is_opening))?;
        let mut block = MetadataBlock { span: opening, lines: Vec::new(), closed: false };
        for comment in comments {
            // A blank line ends an unclosed block too.
            let between = &text[block.span.end as usize..comment.start as usize];
            if between != "\n" && between.matches('\n').count() > 1 {
                break;
            }
            block.span.end = comment.end;
            if content(text, comment).is_some_and(|words| words.trim_start().starts_with("///") && words.trim() == "///") {
                block.closed = true;
                break;
            }
            block.lines.push(comment);
        }
        Some(block)
    }
}

/// The metadata of a config, with spans in `text`, and its faults; `None` if it has no metadata block.
pub fn metadata(file: FileId, text: &str, document: &Document) -> Option<(Table, Vec<Diagnostic>)> {
    let block = document.metadata_block(text)?;
    if block.closed
        && let Some(entries) = plain_entries(text, &block)
    {
        return Some((Table { style: TableStyle::Root, span: block.span, entries }, Vec::new()));
    }
    let (inner, mut diagnostics) = parse(file, &blanked(text, &block), Dialect::Toml11);
    for diagnostic in &mut diagnostics {
        diagnostic.code = &codes::INVALID_METADATA;
        diagnostic.severity = diagnostic.severity.min(Severity::Warning);
    }
    if !block.closed {
        let opening = Span::new(block.span.start, block.lines.first().map_or(block.span.end, |line| line.start));
        let line = text[opening.range()].trim_end();
        let place = Span::new(opening.start, opening.start + line.len() as u32);
        let diagnostic = Diagnostic::new(&codes::INVALID_METADATA, "the metadata block is not closed")
            .at(Location::new(file, place))
            .help("write `# ///` below its last line");
        diagnostics.insert(0, diagnostic);
    }
    let mut table = inner.root;
    table.span = block.span;
    Some((table, diagnostics))
}

/// The entries of a block that has, as nearly all have, only lines `key = value` with bare keys and values without escapes and brackets; `None` for
/// any other block.
fn plain_entries(text: &str, block: &MetadataBlock) -> Option<Vec<Entry>> {
    const BLANKS: [char; 2] = [' ', '\t'];
    let mut entries: Vec<Entry> = Vec::with_capacity(block.lines.len());
    let mut before = block.span.start;
    for &line in &block.lines {
        // A lone carriage return ends a comment, but not its line.
        if !text[before as usize..line.start as usize].contains('\n') {
            return None;
        }
        before = line.end;
        let end = line.start as usize + text[line.range()].trim_end_matches(BLANKS).len();
        let words = text[line.start as usize + 1..end].trim_start_matches(BLANKS);
        if words.is_empty() {
            continue;
        }
        let (key, value) = words.split_once('=')?;
        let (key, value) = (key.trim_end_matches(BLANKS), value.trim_start_matches(BLANKS));
        if !faults::is_bare(key) || entries.iter().any(|entry| *entry.key.text == *key) {
            return None;
        }
        let kind = match string::plain(value) {
            Some(body) => ValueKind::String(body.into()),
            None => match scalar::read(value, Dialect::Toml11) {
                Scalar::Value(kind) => kind,
                _ => return None,
            },
        };
        let start = end - words.len();
        let key = Key { text: key.into(), span: Span::from(start..start + key.len()) };
        entries.push(Entry { key, value: Value { span: Span::from(end - value.len()..end), kind } });
    }
    Some(entries)
}

/// The text of a comment, without its `#`.
fn content(text: &str, comment: Span) -> Option<&str> {
    text[comment.range()].strip_prefix('#')
}

fn is_opening(words: &str) -> bool {
    words.trim().strip_prefix("///").is_some_and(|kind| kind.starts_with([' ', '\t']) && kind.trim() == "config")
}

/// The text up to the end of the block, with everything blank except the TOML in the block, so that its offsets stay the same.
fn blanked(text: &str, block: &MetadataBlock) -> String {
    let mut out = String::with_capacity(block.span.end as usize);
    let mut at = 0;
    for line in &block.lines {
        let start = line.start as usize + 1;
        out.extend(text[at..start].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        out.push_str(&text[start..line.end as usize]);
        at = line.end as usize;
    }
    out
}

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;
    use proptest::prelude::*;

    use super::{blanked, plain_entries};
    use crate::{Dialect, parse};

    /// Lines of a block, of which most are plain.
    const LINES: &str = r#"(#[ \t]{0,2}[ab]{1,2}[ \t]{0,2}=[ \t]{0,2}("[a-z #=é\t]{0,4}"|1|-2\.5|true|2026-01-05( 10:00:00)?|"\\n"|"x|\[1\]|'x'|[\]"\\.1e]{0,3})[ \t]?(# c)?(\n|\r\n|\r)|#[ \t]?\n){0,5}"#;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn plain_entries_are_those_of_the_parser(lines in LINES) {
            let text = format!("# /// config\n{lines}# ///\n");
            let (document, _) = parse(FileId(0), &text, Dialect::Toml11);
            let block = document.metadata_block(&text).expect("a block");
            if let Some(entries) = plain_entries(&text, &block) {
                let (inner, diagnostics) = parse(FileId(0), &blanked(&text, &block), Dialect::Toml11);
                prop_assert_eq!(entries, inner.root.entries);
                prop_assert_eq!(diagnostics, []);
            }
        }
    }
}
