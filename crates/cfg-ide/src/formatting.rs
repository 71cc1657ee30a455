//! Formats a text without changing what it says: only blanks and line breaks between statements and around `=`.
//!
//! The order of tables and keys, comments, arrays and inline tables stay as they are written. A text with a syntax error is left alone.

use cfg_diag::{FileId, Span};
use cfg_syntax::{Dialect, Document, Table, Value, ValueKind, parse, statements};

/// The byte order mark, which some editors write in front of a text.
const MARK: char = '\u{feff}';

/// A line, or the lines of one statement, without the line break at its end.
struct Block {
    start: usize,
    end: usize,
    kind: BlockKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Comment,
    Header,
    KeyValue,
}

/// The edits that format a text, in its order; `None` if it has a syntax error. Formatting twice is the same as once.
pub fn format(text: &str) -> Option<Vec<(Span, String)>> {
    if let Some(rest) = text.strip_prefix(MARK) {
        let mark = MARK.len_utf8() as u32;
        let edits = format(rest)?.into_iter();
        return Some(edits.map(|(span, new)| (Span::new(span.start + mark, span.end + mark), new)).collect());
    }
    let (document, faults) = parse(FileId(0), text, Dialect::Toml11);
    if !faults.is_empty() || document.is_unread {
        return None;
    }
    let edits = edits(text, &document);
    let (new, faults) = parse(FileId(0), &applied(text, &edits), Dialect::Toml11);
    // The rules above allow no other outcome; a text whose meaning would change stays as it is.
    let is_same = faults.is_empty()
        && is_same_table(&document.root, &new.root)
        && document.metadata_block(text).is_some() == new.metadata_block(&applied(text, &edits)).is_some();
    is_same.then_some(edits)
}

/// The text after edits, which are in its order.
pub fn applied(text: &str, edits: &[(Span, String)]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut last = 0;
    for (span, with) in edits {
        new.push_str(&text[last..span.start as usize]);
        new.push_str(with);
        last = span.end as usize;
    }
    new + &text[last..]
}

fn edits(text: &str, document: &Document) -> Vec<(Span, String)> {
    let newline = if text.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r')) { "\r\n" } else { "\n" };
    let blocks = blocks(text, document);
    let mut edits = Vec::new();
    let mut replace = |start: usize, end: usize, with: &str| {
        if text[start..end] != *with {
            let (kept, end_kept) = same_ends(&text[start..end], with);
            edits.push((Span::from(start + kept..end - end_kept), with[kept..with.len() - end_kept].to_owned()));
        }
    };
    let mut last = 0;
    for (index, block) in blocks.iter().enumerate() {
        let has_blank = text[last..block.start].matches('\n').count() > 1;
        let wanted = match index {
            0 => String::new(),
            _ if has_blank || needs_blank(text, &blocks, index) => newline.repeat(2),
            _ => newline.to_owned(),
        };
        let indented = block.start;
        let start = match block.kind {
            BlockKind::Comment => indented,
            _ => indented + text[indented..].find(|c| !matches!(c, ' ' | '\t')).unwrap_or(0),
        };
        replace(last, indented, &wanted);
        replace(indented, start, "");
        if block.kind == BlockKind::KeyValue
            && let Some(equals) = equals(&text[start..block.end]).map(|at| start + at)
        {
            let key_end = text[..equals].trim_end_matches([' ', '\t']).len();
            let value = equals + 1 + text[equals + 1..].find(|c| !matches!(c, ' ' | '\t')).unwrap_or(0);
            replace(key_end, equals, " ");
            replace(equals + 1, value, " ");
        }
        last = block.end;
    }
    replace(last, text.len(), if blocks.is_empty() { "" } else { newline });
    edits
}

/// How many bytes two texts begin and end with in the same way, without a part of a line break: so an edit touches no line that stays as it is.
fn same_ends(one: &str, other: &str) -> (usize, usize) {
    let is_within_break = |text: &str, at: usize| text[..at].ends_with('\r') && text[at..].starts_with('\n');
    let ends_well = |one_at: usize, other_at: usize| !is_within_break(one, one_at) && !is_within_break(other, other_at);
    let most = one.len().min(other.len());
    let begin = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let begin = if ends_well(begin, begin) { begin } else { begin - 1 };
    let end = one.bytes().rev().zip(other.bytes().rev()).take(most - begin).take_while(|(one, other)| one == other).count();
    let end = if ends_well(one.len() - end, other.len() - end) { end } else { end - 1 };
    (begin, end)
}

/// The statements and the comments between them, in the order of the text.
fn blocks(text: &str, document: &Document) -> Vec<Block> {
    let is_comment_at = |end: usize| document.comments.iter().any(|comment| comment.end as usize == end);
    let mut statements = statements(text).into_iter().peekable();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (line_end, is_statement) = match statements.peek() {
            Some(statement) if statement.start as usize <= at => (statement.end as usize, true),
            _ => (text[at..].find('\n').map_or(text.len(), |newline| at + newline), false),
        };
        if is_statement {
            statements.next();
        }
        let line = &text[at..line_end];
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !line.trim().is_empty() {
            let is_header = line.trim_start().starts_with('[');
            let kind = match is_statement {
                false => BlockKind::Comment,
                true if is_header => BlockKind::Header,
                true => BlockKind::KeyValue,
            };
            // What belongs to a comment stays.
            let ends_in_comment = kind == BlockKind::Comment || is_comment_at(at + line.len());
            let end = if ends_in_comment { line.len() } else { line.trim_end_matches([' ', '\t']).len() };
            blocks.push(Block { start: at, end: at + end, kind });
        }
        at = text[line_end..].find('\n').map_or(text.len(), |newline| line_end + newline + 1);
    }
    blocks
}

/// Whether a blank line belongs before a block: a header, or the comments directly above one.
fn needs_blank(text: &str, blocks: &[Block], index: usize) -> bool {
    let is_comment = |index: usize| blocks[index].kind == BlockKind::Comment;
    let is_joined = |index: usize| text[blocks[index].end..blocks[index + 1].start].matches('\n').count() == 1;
    if is_comment(index - 1) {
        return false;
    }
    let mut last = index;
    while is_comment(last) {
        if last + 1 == blocks.len() || !is_joined(last) {
            return false;
        }
        last += 1;
    }
    blocks[last].kind == BlockKind::Header
}

/// The `=` behind the key of a statement.
fn equals(statement: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    statement.bytes().position(|byte| {
        let is_end = quote.is_none() && byte == b'=';
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte && !escaped => quote = None,
            _ => {}
        }
        escaped = quote == Some(b'"') && byte == b'\\' && !escaped;
        is_end
    })
}

/// Whether two tables have the same keys and values in the same order.
fn is_same_table(one: &Table, other: &Table) -> bool {
    let is_same = |(one, other): (&cfg_syntax::Entry, &cfg_syntax::Entry)| {
        one.key.text == other.key.text && is_same_value(&one.value, &other.value)
    };
    one.entries.len() == other.entries.len() && one.entries.iter().zip(&other.entries).all(is_same)
}

fn is_same_value(one: &Value, other: &Value) -> bool {
    match (&one.kind, &other.kind) {
        (ValueKind::Table(one), ValueKind::Table(other)) => is_same_table(one, other),
        (ValueKind::Array(one), ValueKind::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same_value(one, other))
        }
        (ValueKind::Float(one), ValueKind::Float(other)) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{applied, format};

    fn formatted(text: &str) -> String {
        applied(text, &format(text).expect("it has no syntax error"))
    }

    #[test]
    fn blanks_and_lines_are_regular() {
        let cases = [
            ("a=1\n", "a = 1\n"),
            ("  a  =\t1  \n", "a = 1\n"),
            ("a = 1", "a = 1\n"),
            ("\n\na = 1\n\n\n\nb = 2\n\n\n", "a = 1\n\nb = 2\n"),
            ("a = 1\n[x]\nb=2\n[y]\n", "a = 1\n\n[x]\nb = 2\n\n[y]\n"),
            ("a = 1\n# of x\n# more\n[x]\n", "a = 1\n\n# of x\n# more\n[x]\n"),
            ("a = 1\n# of a\n\n[x]\n", "a = 1\n# of a\n\n[x]\n"),
            ("a = 1\n   \n\n[x]\n", "a = 1\n\n[x]\n"),
            ("# /// config\n# notes = \"x\"\n# ///\n[x]\n", "# /// config\n# notes = \"x\"\n# ///\n[x]\n"),
            ("[x]\n  [x.y]\n    a=1 # why  \n", "[x]\n\n[x.y]\na = 1 # why  \n"),
            ("\"a=b\".'c = d'=1\n", "\"a=b\".'c = d' = 1\n"),
            ("a=[\n  1,\n    2 ,\n]\nb={c=1}\n", "a = [\n  1,\n    2 ,\n]\nb = {c=1}\n"),
            ("a=\"\"\"\n  x = 1  \n\n\n[no]\n\"\"\"\nb=2\n", "a = \"\"\"\n  x = 1  \n\n\n[no]\n\"\"\"\nb = 2\n"),
            ("a=1\r\n[x]\r\nb=2\r\n", "a = 1\r\n\r\n[x]\r\nb = 2\r\n"),
            ("\u{feff}a=1\n", "\u{feff}a = 1\n"),
            ("", ""),
            ("\n \n", ""),
            ("  # indented\na = 1\n", "  # indented\na = 1\n"),
        ];
        for (text, wanted) in cases {
            assert_eq!(formatted(text), wanted, "{text:?}");
            assert_eq!(formatted(wanted), wanted, "{wanted:?}");
        }
    }

    #[test]
    fn a_text_with_a_syntax_error_is_left_alone() {
        for text in ["a = \n", "[x\n", "a = 1\na = 2\n", "a = \"x\n", "a == 1\n"] {
            assert_eq!(format(text), None, "{text:?}");
        }
    }

    #[test]
    fn configs_keep_their_lines_and_are_formatted_once() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cfg-plan/tests/configs");
        for entry in fs::read_dir(folder).expect("a folder") {
            let text = fs::read_to_string(entry.expect("an entry").path()).expect("text");
            let cramped = text.replace(" = ", "=").replace("\n\n", "\n");
            for text in [&text, &cramped, &text.replace('\n', "\r\n"), &text.replace('\n', "\n\n \n")] {
                let Some(edits) = format(text) else { continue };
                let new = applied(text, &edits);
                assert_eq!(formatted(&new), new);
                let lines = |text: &str| -> Vec<String> {
                    text.lines().map(|line| line.replace([' ', '\t'], "")).filter(|line| !line.is_empty()).collect()
                };
                assert_eq!(lines(&new), lines(text));
            }
        }
    }
}
