//! What can be written at the cursor, determined only from the text before it.
//!
//! A separate scanner reads the statement up to the cursor. The parser recovers from a half-typed line too, but its result shows what the line is,
//! not what its author is about to write.

use cfg_diag::Span;
use cfg_syntax::{Document, MetadataBlock, Table, TableStyle, Value, ValueKind};

use crate::{
    brackets::{Open, closing_of},
    place::{self, PathSegment},
    spot::{path_around, path_below},
};

/// What the author is about to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// A key of the table at `path`.
    Key {
        /// The table.
        path: Vec<PathSegment>,
        /// The existing part of the key, to be replaced.
        span: Span,
        /// Whether the table is written inline, or the key is dotted: a header is not possible there.
        is_inline: bool,
        /// The open brackets around it.
        open: Option<Open>,
    },
    /// The value at `path`.
    Value {
        /// The value's path.
        path: Vec<PathSegment>,
        /// The existing part of the value, to be replaced, with its quotes.
        span: Span,
        /// The open brackets around it.
        open: Option<Open>,
    },
    /// A part of a header below `path`.
    Header {
        /// The table of the parts before it.
        path: Vec<PathSegment>,
        /// The existing part, to be replaced.
        span: Span,
        /// Whether the header has double brackets.
        array: bool,
    },
    /// A line of the metadata block.
    Metadata {
        /// The member, if its value is about to be written.
        member: Option<String>,
        /// The existing text, to be replaced.
        span: Span,
        /// Whether the line is no comment yet.
        is_bare: bool,
    },
    /// A comment that can become the first line of the metadata block.
    Opening {
        /// The comment.
        span: Span,
    },
}

/// What the author is about to write at `offset`; `None` in a comment or in a string of several lines.
pub(crate) fn context(document: &Document, text: &str, offset: u32) -> Option<Context> {
    let offset = (offset as usize).max(text_start(text));
    let line_start = line_start(text, offset);
    if let Some(comment) = document.comments.iter().find(|comment| comment.start < offset as u32 && offset as u32 <= comment.end)
    {
        return metadata(document, text, *comment, offset);
    }
    let start = statement_start(document, text, line_start, offset);
    if interrupts_block(document, text, line_start) {
        let word = text[line_start..offset].trim_start();
        return Some(Context::Metadata { member: None, span: Span::from(offset - word.len()..offset), is_bare: true });
    }
    let words = &text[start..offset];
    let header = words.trim_start_matches([' ', '\t']);
    if start == line_start && header.starts_with('[') {
        return header_context(document, text, offset - header.len(), offset);
    }
    let around = path_around(document, start as u32);
    let mut scanner = Scanner { text, at: start, end: offset, frames: vec![Frame::table(around, start)] };
    scanner.run()?;
    scanner.finish(text)
}

/// Where a text begins, behind its byte order mark.
pub(crate) fn text_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// Where the line begins that has this offset, behind the byte order mark of the text.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    cfg_diag::line_start(text, offset).max(text_start(text).min(offset))
}

/// The beginning of the statement at the cursor: that of an open bracket further up, of a value that ends in this line, or its own line.
fn statement_start(document: &Document, text: &str, line_start: usize, offset: usize) -> usize {
    let is_around = |value: &Value| (value.span.start as usize) < offset && offset < value.span.end as usize;
    let is_closed = |value: &Value| text[value.span.range()].ends_with([']', '}', '"', '\'']);
    let ends_here = |value: &Value| {
        let is_begun_above = (value.span.start as usize) < line_start && line_start < value.span.end as usize;
        is_begun_above && value.span.end as usize <= offset && is_closed(value)
    };
    let mut best = None;
    outermost(&document.root, &|value| is_around(value) || ends_here(value), &mut best);
    let best = best.or_else(|| continued(document, text, line_start));
    // The keys before it in its line are a part of it.
    let line_of = |start: u32| self::line_start(text, start as usize);
    best.map_or(line_start, |start| line_of(start).min(line_start))
}

/// The beginning of the last key whose own value, which no header has opened, is wanted.
fn outermost(table: &Table, is_wanted: &dyn Fn(&Value) -> bool, best: &mut Option<u32>) {
    for entry in &table.entries {
        match &entry.value.kind {
            ValueKind::Table(inner) if inner.style != TableStyle::Inline => outermost(inner, is_wanted, best),
            ValueKind::Array(items) if entry.value.is_array_of_tables() => {
                items.iter().filter_map(Value::as_table).for_each(|inner| outermost(inner, is_wanted, best));
            }
            ValueKind::Array(_) | ValueKind::Table(_) | ValueKind::String(_) if is_wanted(&entry.value) => {
                *best = Some(entry.key.span.start);
            }
            _ => {}
        }
    }
}

/// The beginning of an array before a line that is not closed and goes on in that line, since its last item ends in a comma.
fn continued(document: &Document, text: &str, line_start: usize) -> Option<u32> {
    let around = path_around(document, line_start as u32);
    let mut table = place::table(&document.root, &around)?;
    let last = loop {
        let before = table.entries.iter().filter(|entry| (entry.key.span.start as usize) < line_start);
        let last = before.max_by_key(|entry| entry.key.span.start)?;
        match &last.value.kind {
            ValueKind::Table(inner) if inner.style == TableStyle::Dotted => table = inner,
            _ => break last,
        }
    };
    let ValueKind::Array(_) = last.value.kind else { return None };
    let start = last.value.span.start as usize;
    if last.value.is_array_of_tables() {
        return None;
    }
    let mut scanner = Scanner { text, at: start, end: line_start, frames: vec![Frame::array(Vec::new(), start)] };
    scanner.run()?;
    let code = text[start..line_start].lines().map(|line| line.split('#').next().unwrap_or_default()).collect::<String>();
    let is_open = scanner.frames.len() > 1 && code.trim_end().ends_with([',', '[']);
    is_open.then_some(last.key.span.start)
}

fn header_context(document: &Document, text: &str, start: usize, offset: usize) -> Option<Context> {
    let words = &text[start..offset];
    let array = words.starts_with("[[");
    let inner = words.trim_start_matches('[');
    if inner.contains(']') {
        return None;
    }
    let (above, last) = inner.rsplit_once('.').unwrap_or(("", inner));
    let last = last.trim_start();
    let keys = above.split('.').map(|key| key.trim().trim_matches(['"', '\'']));
    let keys: Vec<&str> = keys.filter(|key| !key.is_empty()).collect();
    let before = document.headers.partition_point(|header| (header.span.start as usize) < start);
    let path = path_below(&document.headers[..before], &keys);
    Some(Context::Header { path, span: Span::from(offset - last.len()..offset), array })
}

fn metadata(document: &Document, text: &str, comment: Span, offset: usize) -> Option<Context> {
    let block = document.metadata_block(text);
    let is_opening = |block: &MetadataBlock| !block.closed && block.lines.is_empty() && block.span.start == comment.start;
    if block.as_ref().is_none_or(is_opening) {
        return opening(document, text, comment, offset);
    }
    if !block.is_some_and(|block| block.lines.contains(&comment)) {
        return None;
    }
    let words = text[comment.start as usize..offset].strip_prefix('#')?.trim_start();
    let start = offset - words.len();
    match words.split_once('=') {
        None => Some(Context::Metadata { member: None, span: Span::from(start..offset), is_bare: false }),
        Some((member, value)) => {
            let value = value.trim_start();
            let span = Span::from(offset - value.len()..offset);
            Some(Context::Metadata { member: Some(member.trim().to_owned()), span, is_bare: false })
        }
    }
}

/// The first line of a metadata block, if a comment at the top of the text is its beginning.
fn opening(document: &Document, text: &str, comment: Span, offset: usize) -> Option<Context> {
    let keys = document.root.entries.iter().map(|entry| entry.key.span.start);
    let is_top = keys.chain(document.headers.iter().map(|header| header.span.start)).all(|start| comment.end <= start);
    let typed = text[comment.start as usize..offset].strip_prefix('#')?.trim_start();
    let is_begun = is_top && offset == comment.end as usize && "/// config".starts_with(typed);
    is_begun.then_some(Context::Opening { span: comment })
}

/// Whether a line that is no comment interrupts a metadata block: the end mark of the block is further down.
fn interrupts_block(document: &Document, text: &str, line_start: usize) -> bool {
    let Some(block) = document.metadata_block(text).filter(|block| !block.closed) else { return false };
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let Some(between) = text.get(block.span.end as usize..line_start) else { return false };
    let mut below = text[line_start..].lines().skip(1).take_while(|line| is_comment(line));
    between.lines().all(is_comment) && below.any(|line| line.trim().trim_start_matches('#').trim() == "///")
}

/// A table or an array that is open before the cursor.
struct Frame {
    /// The table in which keys are written, or the array.
    path: Vec<PathSegment>,
    /// Where it begins.
    start: usize,
    is_array: bool,
    /// Whether a `=` has been passed since the last comma.
    in_value: bool,
    /// Path of the key before the `=`.
    key: Vec<PathSegment>,
    /// Where the current word begins.
    word: usize,
    items: usize,
}

impl Frame {
    fn table(path: Vec<PathSegment>, at: usize) -> Self {
        Self { key: path.clone(), path, start: at, is_array: false, in_value: false, word: at, items: 0 }
    }

    fn array(path: Vec<PathSegment>, at: usize) -> Self {
        Self { key: path.clone(), path, start: at, is_array: true, in_value: true, word: at, items: 0 }
    }

    /// The path of the value that is being written.
    fn value_path(&self) -> Vec<PathSegment> {
        let mut path = self.key.clone();
        if self.is_array {
            path.push(PathSegment::Index(self.items));
        }
        path
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    frames: Vec<Frame>,
}

impl Scanner<'_> {
    /// Reads up to the cursor. `None` if the cursor is in a string of several lines.
    fn run(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        while self.at < self.end {
            let depth = self.frames.len();
            let frame = self.frames.last_mut()?;
            match bytes[self.at] {
                quote @ (b'"' | b'\'') => {
                    let triple = [quote; 3];
                    if bytes[self.at..self.end].starts_with(&triple) {
                        return None;
                    }
                    let closes = closing(&bytes[self.at + 1..self.end], quote);
                    match closes {
                        Some(length) => self.at += length + 2,
                        None => self.at = self.end,
                    }
                    continue;
                }
                b'#' => {
                    let rest = &self.text[self.at..self.end];
                    let length = rest.find('\n')?;
                    if self.text[frame.word..self.at].trim().is_empty() {
                        frame.word = self.at + length;
                    }
                    self.at += length;
                    continue;
                }
                b'.' if !frame.in_value => {
                    let key = self.text[frame.word..self.at].trim();
                    frame.key.push(PathSegment::Key(key.trim_matches(['"', '\'']).into()));
                    frame.word = self.at + 1;
                }
                b'=' if !frame.in_value => {
                    let key = self.text[frame.word..self.at].trim();
                    frame.key.push(PathSegment::Key(key.trim_matches(['"', '\'']).into()));
                    frame.in_value = true;
                    frame.word = self.at + 1;
                }
                b'{' if frame.in_value => {
                    let path = frame.value_path();
                    self.frames.push(Frame::table(path, self.at + 1));
                }
                b'[' if frame.in_value => {
                    let path = frame.value_path();
                    self.frames.push(Frame::array(path, self.at + 1));
                }
                b'}' | b']' if depth > 1 => {
                    self.frames.pop();
                    // Behind a closed bracket there is no word to complete.
                    if let Some(outer) = self.frames.last_mut() {
                        outer.word = self.at + 1;
                    }
                }
                b',' => {
                    frame.word = self.at + 1;
                    frame.items += 1;
                    if !frame.is_array {
                        frame.key.clone_from(&frame.path);
                        frame.in_value = false;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
        Some(())
    }

    fn finish(self, text: &str) -> Option<Context> {
        let depth = self.frames.len();
        let frame = self.frames.last()?;
        let word = text[frame.word..self.end].trim_start();
        let span = Span::from(self.end - word.len()..self.end);
        let brackets = &self.frames[1..];
        let open = brackets.first().zip(brackets.last()).map(|(outermost, innermost)| Open {
            closing: brackets.iter().rev().map(|frame| closing_of(text, frame.start, frame.is_array)).collect(),
            outermost: outermost.start as u32 - 1,
            inside: innermost.start as u32,
        });
        if frame.in_value {
            return Some(Context::Value { path: frame.value_path(), span, open });
        }
        let is_dotted = frame.key.len() > frame.path.len();
        // Two words without a `=` between them are not a key.
        (!word.contains(char::is_whitespace)).then(|| Context::Key {
            path: frame.key.clone(),
            span,
            is_inline: depth > 1 || is_dotted,
            open,
        })
    }
}

/// The length of a string up to its closing quote.
pub(crate) fn closing(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    bytes.iter().position(|&byte| {
        let closes = byte == quote && !escaped;
        escaped = quote == b'"' && byte == b'\\' && !escaped;
        closes
    })
}

/// Whether a word is a string with both of its quotes.
pub(crate) fn is_closed_string(word: &str) -> bool {
    matches!(word.as_bytes(), [quote @ (b'"' | b'\''), inner @ ..] if closing(inner, *quote).is_some())
}

/// Whether nothing but blank lines and comments follows `offset` in its table's body.
pub(crate) fn is_end_of_body(document: &Document, path: &[PathSegment], offset: u32) -> bool {
    let Some(table) = place::table(&document.root, path) else { return true };
    let next_header = document.headers.iter().map(|header| header.span.start).find(|&start| start >= offset).unwrap_or(u32::MAX);
    let follows = |entry: &cfg_syntax::Entry| entry.key.span.start > offset && entry.key.span.start < next_header;
    !table.entries.iter().any(follows)
}

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;
    use cfg_syntax::Dialect;

    use super::{Context, context};
    use crate::dotted;

    fn at(text: &str) -> String {
        let offset = text.find('^').expect("a cursor");
        let text = text.replace('^', "");
        let (document, _) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml11);
        let word = |span: cfg_diag::Span| text[span.range()].to_owned();
        match context(&document, &text, offset as u32) {
            None => "nothing".to_owned(),
            Some(Context::Key { path, span, is_inline, .. }) => {
                format!("key of {}: {}{}", dotted(&path), word(span), if is_inline { " inline" } else { "" })
            }
            Some(Context::Value { path, span, .. }) => format!("value of {}: {}", dotted(&path), word(span)),
            Some(Context::Header { path, span, array }) => {
                format!("header below {}: {}{}", dotted(&path), word(span), if array { " [[]]" } else { "" })
            }
            Some(Context::Metadata { member, span, .. }) => format!("metadata {}: {}", member.unwrap_or_default(), word(span)),
            Some(Context::Opening { span }) => format!("opening: {}", word(span)),
        }
    }

    #[test]
    fn a_half_typed_line_has_a_completion_context() {
        assert_eq!(at("^"), "key of : ");
        assert_eq!(at("\u{feff}te^"), "key of : te");
        assert_eq!(at("\u{feff}[x^"), "header below : x");
        assert_eq!(at("[x.y]\nte^"), "key of x.y: te");
        assert_eq!(at("[x]\na = 1\n^\nb = 2"), "key of x: ");
        assert_eq!(at("[x]\nlora.ra^"), "key of x.lora: ra inline");
        assert_eq!(at("[x]\na = ^"), "value of x.a: ");
        assert_eq!(at("[x]\na = tr^"), "value of x.a: tr");
        assert_eq!(at("[x]\na = \"sd^\""), "value of x.a: \"sd");
        assert_eq!(at("[x]\na = \"sd^"), "value of x.a: \"sd");
        assert_eq!(at("a = { b = 1, c^ }"), "key of a: c inline");
        assert_eq!(at("a = { b = ^"), "value of a.b: ");
        assert_eq!(at("[x]\na = [\n  1\n]^\nb = 2"), "value of x.a: ");
        assert_eq!(at("[x]\n[[\n^"), "key of : ");
        assert_eq!(at("a = [\n  \"x\",\n  ^\n]"), "value of a: ");
        assert_eq!(at("a = [ { id = 1 }, { i^"), "key of a: i inline");
        assert_eq!(at("a = { b = { c = 1 }, d^"), "key of a: d inline");
    }

    #[test]
    fn an_array_goes_on_in_the_lines_below() {
        assert_eq!(at("[x]\na = [\n  1, # one\n  ^\n]\n"), "value of x.a: ");
        assert_eq!(at("[x]\na = [\n  1, # one\n  ^\n[y]\n"), "value of x.a: ");
        assert_eq!(at("[x]\nb.a = [\n  1,\n  ^\n"), "value of x.b.a: ");
        assert_eq!(at("[x]\na = [1\nb^\n"), "key of x: b", "no comma says that another item follows");
        assert_eq!(at("[x]\na = [1,\n]\nb^\n"), "key of x: b");
    }

    #[test]
    fn a_header_has_the_tables_of_its_path() {
        assert_eq!(at("[^"), "header below : ");
        assert_eq!(at("[trainer.mo^"), "header below trainer: mo");
        assert_eq!(at("[[orchestrator.^"), "header below orchestrator:  [[]]");
        assert_eq!(at("[a]\nb = 1\n[a.^\n[c]\nd = 1"), "header below a: ");
    }

    #[test]
    fn comments_hold_only_metadata() {
        assert_eq!(at("# hell^o"), "nothing");
        assert_eq!(at("# /// config\n# pri^\n# ///\n"), "metadata : pri");
        assert_eq!(at("# /// config\n# prime_rl = \"0.^\n# ///\n"), "metadata prime_rl: \"0.");
        assert_eq!(at("# /// config\n^\n# ///\n"), "metadata : ");
        assert_eq!(at("# /// config\npri^\n# ///\nb = 1\n"), "metadata : pri");
        assert_eq!(at("# /^"), "opening: # /");
        assert_eq!(at("# /// config^\na = 1\n"), "opening: # /// config");
        assert_eq!(at("a = 1\n# /^"), "nothing");
        assert_eq!(at("a = 1 # no^te"), "nothing");
        assert_eq!(at("a = \"\"\"\nx^\n\"\"\""), "nothing");
    }
}
