//! The comment block with the metadata of a config.

use cfg_diag::{Diagnostic, FileId, Location, Severity, Span, codes};

use crate::{Dialect, Document, Table, parse};

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
            if text[block.span.end as usize..comment.start as usize].matches('\n').count() > 1 {
                break;
            }
            block.span.end = comment.end;
            if content(text, comment).is_some_and(|words| words.trim() == "///") {
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
