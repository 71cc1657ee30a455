//! The comment block with the metadata of a config.

use cfg_diag::{Diagnostic, FileId, Location, Severity, Span, codes};

use crate::{Dialect, Document, Table, parse, plain};

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
        let mut block = MetadataBlock { span: opening, lines: Vec::with_capacity(16), closed: false };
        for comment in comments {
            // A blank line ends an unclosed block too.
            let between = &text[block.span.end as usize..comment.start as usize];
            if between != "\n" && between.matches('\n').count() > 1 {
                break;
            }
            block.span.end = comment.end;
            if content(text, comment).is_some_and(|words| may_be_mark(words) && words.trim() == "///") {
                block.closed = true;
                break;
            }
            block.lines.push(comment);
        }
        Some(block)
    }
}

/// The maximum number of lines in the block.
const MAX_LINES: usize = 2_000;

/// The metadata of a config, with spans in `text`, and its faults; `None` if it has no metadata block.
pub fn metadata(file: FileId, text: &str, document: &Document) -> Option<(Table, Vec<Diagnostic>)> {
    let block = document.metadata_block(text)?;
    if block.lines.len() > MAX_LINES {
        let message = format!("the metadata block has more than {MAX_LINES} lines: it is not read");
        let place = Span::new(block.span.start, block.lines[0].start);
        let found = Diagnostic::new(&codes::INVALID_METADATA, message).at(Location::new(file, place));
        return Some((Table { span: block.span, ..Table::default() }, vec![found]));
    }
    if block.closed
        && let Some(table) = plain::metadata_table(text, &block)
    {
        return Some((table, Vec::new()));
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

/// The text of a comment, without its `#`.
fn content(text: &str, comment: Span) -> Option<&str> {
    text[comment.range()].strip_prefix('#')
}

/// Whether words may begin with the slashes of the first and the last line: few do, and spaces of all kinds may come before these.
fn may_be_mark(words: &str) -> bool {
    words.bytes().find(|byte| *byte != b' ').is_some_and(|first| !first.is_ascii_alphanumeric())
}

fn is_opening(words: &str) -> bool {
    may_be_mark(words)
        && words.trim().strip_prefix("///").is_some_and(|kind| kind.starts_with([' ', '\t']) && kind.trim() == "config")
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

    use super::blanked;
    use crate::{Dialect, parse, plain};

    /// Lines of a block, of which most are plain.
    const LINES: &str = r#"(#[ \t]{0,2}[ab]{1,2}(\.[ab])?[ \t]{0,2}=[ \t]{0,2}("[a-z #=é\t]{0,4}"|1|-2\.5|true|2026-01-05( 10:00:00)?|"\\n"|"x|\[1\]|'x'|[\]"\\.1e]{0,3})[ \t]?(# c)?(\n|\r\n|\r)|#[ \t]?\n){0,5}"#;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn plain_entries_are_those_of_the_parser(lines in LINES) {
            let text = format!("# /// config\n{lines}# ///\n");
            let (document, _) = parse(FileId(0), &text, Dialect::Toml11);
            let block = document.metadata_block(&text).expect("a block");
            if let Some(table) = plain::metadata_table(&text, &block) {
                let (inner, diagnostics) = parse(FileId(0), &blanked(&text, &block), Dialect::Toml11);
                prop_assert_eq!(table.entries, inner.root.entries);
                prop_assert_eq!(diagnostics, []);
            }
        }
    }
}
