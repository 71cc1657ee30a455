//! Reads plain texts in one pass, without tokens: those with bare keys, strings of one line, numbers, dates, booleans, arrays and inline tables, and with
//! line feeds alone, as nearly all configs are. A few lines with faults, as in a text that is being written, are left to the parser.

#[cfg(test)]
mod tests;

use cfg_diag::{Diagnostic, FileId, Span};
use memchr::{memchr, memchr2, memchr3};

use crate::faults::BARE;
use crate::lexer::{ENDS_ATOM, TokenKind};
use crate::parser::Parser;
use crate::scalar::{self, Scalar};
use crate::string;
use crate::tree::{TableId, Tree};
use crate::{Dialect, Document, Entry, Header, Key, MAX_DEPTH, MAX_TOKENS, MetadataBlock, Table, TableStyle, Value, ValueKind};

/// The maximum number of lines that are left to the parser, and of their faults: a text with more is not plain.
const MAX_UNREAD_LINES: usize = 64;
const MAX_FAULTS: usize = 256;

/// Why a statement was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// It is not plain, and nothing of it was kept.
    NotPlain,
    /// It contradicts an earlier one.
    Conflict,
}

/// The section of a header.
#[derive(Clone, Copy)]
struct Section {
    /// Its table.
    table: TableId,
    /// The depth of the table in keys.
    depth: usize,
    /// The index of its header.
    header: Option<usize>,
    /// Whether the header has a reported fault.
    repeated: bool,
}

/// What the parser returns for a text of which nearly all statements are plain: the document, its faults, and whether the other dialect may read it
/// differently. `None` for any other text.
pub(crate) fn document(file: FileId, text: &str, dialect: Dialect) -> Option<(Document, Vec<Diagnostic>, bool)> {
    if text.len() >= u32::MAX as usize || has_control(text) {
        return None;
    }
    let mut reader = Reader { text, at: 0, comments: Vec::with_capacity(32) };
    let mut tree = Tree::new(TableStyle::Root, Span::from(0..text.len()));
    let mut headers: Vec<Header> = Vec::new();
    let mut section = Section { table: Tree::outermost(), depth: 0, header: None, repeated: false };
    let mut parser: Option<Parser<'_>> = None;
    let mut left = 0;
    loop {
        reader.skip_lines();
        let (start, comments) = (reader.at, reader.comments.len());
        if reader.peek().is_none() {
            break;
        }
        match reader.statement(&mut tree, &mut headers, &mut section) {
            Ok(()) => {}
            Err(Stop::Conflict) => return None,
            Err(Stop::NotPlain) => {
                left += 1;
                reader.at = start;
                reader.comments.truncate(comments);
                let end = reader.end_of_faulty().filter(|_| left <= MAX_UNREAD_LINES && text.len() <= MAX_TOKENS)?;
                let parser = parser.get_or_insert_with(|| Parser::new(file, text, dialect));
                std::mem::swap(&mut parser.tree, &mut tree);
                std::mem::swap(&mut parser.headers, &mut headers);
                (parser.table, parser.depth) = (section.table, section.depth);
                (parser.section, parser.repeated) = (section.header, section.repeated);
                reader.at = parser.statement_within(start, end, &mut reader.comments);
                section = Section { table: parser.table, depth: parser.depth, header: parser.section, repeated: parser.repeated };
                std::mem::swap(&mut parser.tree, &mut tree);
                std::mem::swap(&mut parser.headers, &mut headers);
                if parser.diagnostics.len() > MAX_FAULTS {
                    return None;
                }
            }
        }
    }
    let (diagnostics, differs) = parser.map_or_else(Default::default, Parser::faults);
    Some((Document { root: tree.finish(), headers, comments: reader.comments, is_unread: false }, diagnostics, differs))
}

/// The root table of a metadata block, if each of its lines is an entry of its own or blank.
pub(crate) fn metadata_table(text: &str, block: &MetadataBlock) -> Option<Table> {
    if has_control(&text[block.span.range()]) {
        return None;
    }
    let mut tree = Tree::new(TableStyle::Root, block.span);
    for line in &block.lines {
        let mut reader = Reader { text: &text[..line.end as usize], at: line.start as usize + 1, comments: Vec::new() };
        reader.skip_blanks();
        if reader.peek().is_some() {
            reader.entry(&mut tree, Tree::outermost(), 0).ok()?;
            reader.skip_blanks();
        }
        if reader.peek().is_some() {
            return None;
        }
    }
    Some(tree.finish())
}

/// Whether a text has a character that TOML forbids or reads in its own way: other control characters than tabs and line feeds.
fn has_control(text: &str) -> bool {
    let is_control = |byte: u8| (byte < b' ' && byte != b'\n' && byte != b'\t') || byte == 0x7f;
    // Checking all bytes is faster than stopping at the first one.
    text.bytes().fold(false, |found, byte| found | is_control(byte))
}

/// Whether a line is no part of a bracket or string that goes on in other lines: it has neither, or is a header.
fn stands_alone(line: &str) -> bool {
    if line.contains("\"\"\"") || line.contains("'''") {
        return false;
    }
    let inside = line.trim_start_matches([' ', '\t']);
    let name = inside.strip_prefix("[[").or_else(|| inside.strip_prefix('['));
    match name {
        Some(name) => name.bytes().next().is_some_and(|byte| BARE[usize::from(byte)]) && !name.contains(['[', '{', '}', '=']),
        None => !line.contains(['[', ']', '{', '}']),
    }
}

/// An entry that is not in its table yet.
struct Unplaced {
    /// The parts of its dotted key before the last one.
    tables: Vec<Key>,
    entry: Entry,
}

impl Unplaced {
    fn put(self, tree: &mut Tree, mut table: TableId) -> Result<(), Stop> {
        for key in &self.tables {
            table = tree.enter_dotted(table, key).map_err(|_| Stop::Conflict)?;
        }
        if !tree.is_free(table, &self.entry.key.text) {
            return Err(Stop::Conflict);
        }
        tree.push(table, self.entry);
        Ok(())
    }
}

/// The state of reading. What it reads is `None` at anything that is not plain.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    comments: Vec<Span>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes the next byte if it is this one.
    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Skips blanks, line ends and comments.
    fn skip_lines(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            match bytes.get(at) {
                Some(b' ' | b'\t' | b'\n') => at += 1,
                Some(b'#') => {
                    let start = at;
                    at += memchr(b'\n', &bytes[start..]).unwrap_or(bytes.len() - start);
                    self.comments.push(Span::from(start..at));
                }
                _ => break,
            }
        }
        self.at = at;
    }

    /// Reads a header, or a key and its value, up to the end of its line.
    fn statement(&mut self, tree: &mut Tree, headers: &mut Vec<Header>, section: &mut Section) -> Result<(), Stop> {
        if self.peek() == Some(b'[') {
            let header = self.header().filter(|_| self.is_at_end()).ok_or(Stop::NotPlain)?;
            let (table, conflict) = tree.header(&header.keys, header.span, header.array);
            if conflict.is_some() {
                return Err(Stop::Conflict);
            }
            *section = Section { table, depth: header.keys.len(), header: Some(headers.len()), repeated: false };
            headers.push(header);
            return Ok(());
        }
        let entry = self.unplaced(section.depth).filter(|_| self.is_at_end()).ok_or(Stop::NotPlain)?;
        entry.put(tree, section.table)
    }

    /// Whether nothing but a comment follows in the line.
    fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        matches!(self.peek(), None | Some(b'\n' | b'#'))
    }

    /// The end of the lines that decide what the parser makes of the faulty statement here: its own line, and the next one if a value may be there. `None`
    /// if other lines may decide, too: those of a bracket, of a string of several lines, or below a key of YAML.
    fn end_of_faulty(&self) -> Option<usize> {
        let line_from = |at: usize| {
            let bytes = self.text.as_bytes().get(at..).unwrap_or_default();
            let end = memchr(b'\n', bytes).map_or(self.text.len(), |length| at + length + 1);
            &self.text[at..end]
        };
        let line = line_from(self.at);
        if !stands_alone(line) || self.at == 0 && line.starts_with('\u{feff}') {
            return None;
        }
        if line.split('#').next().is_some_and(|content| content.trim_end().ends_with(':')) {
            return None;
        }
        // A comment may have this sign, too.
        if !line.contains('=') || line.trim_start().starts_with('[') {
            return Some(self.at + line.len());
        }
        let next = line_from(self.at + line.len());
        stands_alone(next).then_some(self.at + line.len() + next.len())
    }

    fn header(&mut self) -> Option<Header> {
        let start = self.at;
        self.at += 1;
        let array = self.eat(b'[').is_some();
        let mut keys = Vec::with_capacity(4);
        keys.push(self.key()?);
        while self.eat(b'.').is_some() {
            keys.push(self.key()?);
        }
        self.eat(b']')?;
        if array {
            self.eat(b']')?;
        }
        (keys.len() <= MAX_DEPTH).then(|| Header { span: Span::from(start..self.at), keys, array })
    }

    /// Reads a key and its value into a table at a depth of `depth` keys and brackets.
    fn entry(&mut self, tree: &mut Tree, table: TableId, depth: usize) -> Result<(), Stop> {
        self.unplaced(depth).ok_or(Stop::NotPlain)?.put(tree, table)
    }

    /// Reads a key and its value at a depth of `depth` keys and brackets.
    fn unplaced(&mut self, mut depth: usize) -> Option<Unplaced> {
        let mut tables = Vec::new();
        let mut key = self.key()?;
        while self.eat(b'.').is_some() {
            tables.push(key);
            key = self.key()?;
            depth += 1;
        }
        self.eat(b'=')?;
        self.skip_blanks();
        if depth >= MAX_DEPTH {
            return None;
        }
        let value = self.value(depth + 1)?;
        Some(Unplaced { tables, entry: Entry { key, value } })
    }

    /// Reads one part of a dotted key, and the blanks around it.
    fn key(&mut self) -> Option<Key> {
        self.skip_blanks();
        let start = self.at;
        self.at += self.rest().iter().position(|&byte| !BARE[usize::from(byte)]).filter(|&length| length > 0)?;
        let key = Key { text: self.text[start..self.at].into(), span: Span::from(start..self.at) };
        self.skip_blanks();
        Some(key)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        let start = self.at;
        let kind = match self.peek()? {
            quote @ (b'"' | b'\'') => self.string(quote)?,
            b'[' | b'{' if depth >= MAX_DEPTH => return None,
            b'[' => self.array(depth + 1)?,
            b'{' => self.inline_table(depth + 1)?,
            _ => self.bare()?,
        };
        Some(Value { span: Span::from(start..self.at), kind })
    }

    fn string(&mut self, quote: u8) -> Option<ValueKind> {
        let (opening, start) = (self.at, self.at + 1);
        let bytes = self.text.as_bytes();
        let (mut end, mut has_escape) = (start, false);
        loop {
            let rest = bytes.get(end..)?;
            end += if quote == b'"' { memchr3(b'"', b'\\', b'\n', rest) } else { memchr2(b'\'', b'\n', rest) }?;
            match bytes[end] {
                b'\\' => (end, has_escape) = (end + 2, true),
                b'\n' => return None,
                _ => break,
            }
        }
        self.at = end + 1;
        if has_escape {
            let (text, fault, has_new) = string::decode(&self.text[opening..self.at], TokenKind::BasicString, Dialect::Toml10);
            return (fault.is_none() && !has_new).then_some(ValueKind::String(text));
        }
        // Three quotes begin a string of several lines.
        let is_of_one_line = start < end || self.peek() != Some(quote);
        is_of_one_line.then(|| ValueKind::String(self.text[start..end].into()))
    }

    fn bare(&mut self) -> Option<ValueKind> {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| ENDS_ATOM[usize::from(byte)] && byte != b'.').unwrap_or(rest.len());
        match scalar::read(&self.text[self.at..self.at + length], Dialect::Toml10) {
            Scalar::Value(kind) => {
                self.at += length;
                Some(kind)
            }
            _ => None,
        }
    }

    fn array(&mut self, depth: usize) -> Option<ValueKind> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            if self.eat(b']').is_some() {
                return Some(ValueKind::Array(items));
            }
            items.push(self.value(depth)?);
            self.skip_lines();
            if self.eat(b',').is_none() && self.peek() != Some(b']') {
                return None;
            }
        }
    }

    fn inline_table(&mut self, depth: usize) -> Option<ValueKind> {
        let start = self.at;
        self.at += 1;
        let mut tree = Tree::new(TableStyle::Inline, Span::default());
        self.skip_blanks();
        let mut is_over = self.eat(b'}').is_some();
        while !is_over {
            self.entry(&mut tree, Tree::outermost(), depth).ok()?;
            self.skip_blanks();
            is_over = self.eat(b'}').is_some();
            if !is_over {
                self.eat(b',')?;
            }
        }
        let mut table = tree.finish();
        table.span = Span::from(start..self.at);
        Some(ValueKind::Table(table))
    }
}
