//! Reads plain texts in one pass, without tokens: those with bare keys, strings of one line, numbers, dates, booleans, arrays and inline tables, with
//! line feeds alone, and without a fault, as nearly all configs are.

use cfg_diag::Span;
use memchr::{memchr, memchr2, memchr3};

use crate::faults::BARE;
use crate::lexer::{ENDS_ATOM, TokenKind};
use crate::scalar::{self, Scalar};
use crate::string;
use crate::tree::{TableId, Tree};
use crate::{Dialect, Document, Entry, Header, Key, MAX_DEPTH, MetadataBlock, Table, TableStyle, Value, ValueKind};

/// The document of a plain text, in which every dialect finds the same values and no fault; `None` for any other text.
pub(crate) fn document(text: &str) -> Option<Document> {
    if text.len() >= u32::MAX as usize || has_control(text) {
        return None;
    }
    let mut reader = Reader { text, at: 0, comments: Vec::with_capacity(32) };
    let mut tree = Tree::new(TableStyle::Root, Span::from(0..text.len()));
    let mut headers: Vec<Header> = Vec::new();
    // The table of the current section, and its depth in keys.
    let (mut table, mut depth) = (Tree::outermost(), 0);
    loop {
        reader.skip_lines();
        match reader.peek() {
            None => break,
            Some(b'[') => {
                let header = reader.header()?;
                let (opened, conflict) = tree.header(&header.keys, header.span, header.array);
                if conflict.is_some() {
                    return None;
                }
                (table, depth) = (opened, header.keys.len());
                headers.push(header);
            }
            Some(_) => reader.entry(&mut tree, table, depth)?,
        }
        reader.skip_blanks();
        if !matches!(reader.peek(), None | Some(b'\n' | b'#')) {
            return None;
        }
    }
    Some(Document { root: tree.finish(), headers, comments: reader.comments, is_unread: false })
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
            reader.entry(&mut tree, Tree::outermost(), 0)?;
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
    fn entry(&mut self, tree: &mut Tree, mut table: TableId, mut depth: usize) -> Option<()> {
        let mut key = self.key()?;
        while self.eat(b'.').is_some() {
            table = tree.enter_dotted(table, &key).ok()?;
            key = self.key()?;
            depth += 1;
        }
        self.eat(b'=')?;
        self.skip_blanks();
        if depth >= MAX_DEPTH {
            return None;
        }
        let value = self.value(depth + 1)?;
        if !tree.is_free(table, &key.text) {
            return None;
        }
        tree.push(table, Entry { key, value });
        Some(())
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
            self.entry(&mut tree, Tree::outermost(), depth)?;
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

#[cfg(test)]
mod tests {
    use cfg_diag::FileId;
    use proptest::prelude::*;

    use super::document;
    use crate::{Dialect, parser::Parser};

    /// Compares with the parser; whether the text is plain.
    fn compare(text: &str) -> bool {
        let plain = document(text);
        for dialect in [Dialect::Toml10, Dialect::Toml11] {
            let (parsed, diagnostics, differs) = Parser::new(FileId(0), text, dialect).run();
            if let Some(plain) = &plain {
                assert_eq!(*plain, parsed, "{text:?}");
                assert_eq!((diagnostics, differs), (Vec::new(), false), "{text:?}");
            }
        }
        plain.is_some()
    }

    #[test]
    fn most_texts_of_the_repository_are_plain() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/prime-rl");
        let texts: Vec<String> = std::fs::read_dir(folder)
            .expect("a folder")
            .filter_map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).ok())
            .collect();
        let plain = texts.iter().filter(|text| compare(text)).count();
        assert!(plain * 10 > texts.len() * 9 && plain > 0, "{plain} of {}", texts.len());
    }

    #[test]
    fn the_rarer_forms_of_plain_texts() {
        for text in [
            "",
            "# c",
            " [ a . b ] # c\n\n[[ c ]]\n[[c]]\n[c.d]\nx.y = 1\nx.z = 2",
            "a = [ # c\n 'x', \"é\" # d\n, [], [1,2,],\n]\n",
            "a = {b.c = 1 , d={}, e = [\n1]}\n",
            "a = 2026-01-05\nb = 1_000\nc = -inf # é\nd = ''\ne = \"\"#\n",
            r#"a = "\"\\" # b
c = ["\u00e9\n", '\'] "#,
        ] {
            assert!(compare(text), "{text:?}");
        }
        let deep = |open: &str, close: &str, depth: usize| format!("a = {}1{}\n", open.repeat(depth), close.repeat(depth));
        for text in [deep("[", "]", 200), deep("{a = ", "}", 200), format!("{} = 1\n", vec!["a"; 200].join("."))] {
            assert!(!compare(&text));
        }
        for depth in 60..130 {
            compare(&deep("[", "]", depth));
            compare(&deep("{a = ", "}", depth));
            compare(&format!("[{}]\na.a = [[1]]\n", vec!["a"; depth].join(".")));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn plain_texts_are_read_as_by_the_parser(
            text in r##"(([ab]|[ab]\.[ab]) = ("[a #'é]{0,3}"|'[a"#]{0,3}'|1|-0\.5|true|2026-01-05( 10:00:00)?|\[(1|"a"|\{a = 1\})?(, ?(\n|# c\n)?2)?,?\]|\{[ab] = 1(, [ab] = \[\])?,?\}) ?(# c)?\n|\[{1,2}[ab](\.[ab])?\]{1,2}( # c)?\n|# é\n|\n){0,7}"##,
        ) {
            compare(&text);
        }

        #[test]
        fn nearly_plain_texts_are_read_as_by_the_parser(text in r#"([ab1.=,#\[\]{}"'\\ \n\t\r:é-]|"""|a = |\n\[a\]\n|true|10:00){0,16}"#) {
            compare(&text);
        }
    }
}
