//! The parser: the state that statements and values share, and the order of the steps.

use std::cell::Cell;

use cfg_diag::{Diagnostic, FileId, Location, Severity, Span};

use crate::lexer::TokenKind;
use crate::tokens::{Token, Tokens, tokenize, tokenize_within};
use crate::tree::{TableId, Tree};
use crate::{Dialect, Document, Header, Key, TableStyle, brackets, faults};

pub(crate) struct Parser<'a> {
    pub(crate) file: FileId,
    pub(crate) text: &'a str,
    pub(crate) dialect: Dialect,
    /// Whether the text contains something that the dialects may read differently.
    pub(crate) differs: Cell<bool>,
    pub(crate) tokens: Vec<Token>,
    /// The next token.
    pub(crate) at: usize,
    pub(crate) tree: Tree,
    /// The table of the current section.
    pub(crate) table: TableId,
    /// The position of its header.
    pub(crate) section: Option<usize>,
    /// The depth of that table in keys.
    pub(crate) depth: usize,
    /// The number of brackets that the parser is in.
    pub(crate) brackets: usize,
    /// Whether the header of the section has a fault that is reported: then conflicts of its entries are not reported.
    pub(crate) repeated: bool,
    /// The unclosed brackets that are reported, in the order of the text.
    pub(crate) unclosed: Vec<Span>,
    pub(crate) headers: Vec<Header>,
    /// A buffer for the parts of the next dotted key.
    pub(crate) room: Vec<Key>,
    /// What `k` stands for in a value of the current key.
    pub(crate) thousand: f64,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The number of faults after which the rest of a text is not read: it is not TOML, and each fault takes many times the memory of its text.
const MAX_FAULTS: usize = 10_000;

/// The maximum number of bytes that the key of a statement takes in its faults, each of which names it.
const MAX_KEY_BYTES_IN_FAULTS: usize = 1 << 20;

impl<'a> Parser<'a> {
    pub(crate) fn new(file: FileId, text: &'a str, dialect: Dialect) -> Self {
        let whole = Span::new(0, text.len() as u32);
        Self {
            file,
            text,
            dialect,
            differs: Cell::new(false),
            tokens: Vec::new(),
            at: 0,
            tree: Tree::new(TableStyle::Root, whole),
            table: Tree::outermost(),
            section: None,
            depth: 0,
            brackets: 0,
            repeated: false,
            unclosed: Vec::new(),
            headers: Vec::new(),
            room: Vec::new(),
            thousand: 1000.0,
            diagnostics: Vec::new(),
        }
    }

    /// The document, its faults, and whether the other dialect may read it differently.
    pub(crate) fn run(mut self) -> (Document, Vec<Diagnostic>, bool) {
        if self.text.len() >= u32::MAX as usize {
            self.report(faults::too_large());
            self.text = "";
        }
        let mut tokens = tokenize(self.text);
        self.unclosed = brackets::link(self.text, &mut tokens);
        let Tokens { list, comments, is_cut, .. } = tokens;
        self.tokens = list;
        if is_cut {
            // They may be closed in the rest of the text.
            self.unclosed.clear();
        }
        self.unclosed.sort_unstable();
        for opening in self.unclosed.iter().copied().take(MAX_FAULTS).collect::<Vec<_>>() {
            self.report_at(opening, faults::unclosed_bracket(self.slice(opening)));
        }
        self.check_characters(&comments);
        let mut last = 0;
        while self.kind() != TokenKind::Eof && !self.is_full() {
            last = self.token().start;
            self.statement();
        }
        if is_cut && self.is_valid_before(last) {
            let document = Document { is_unread: true, ..Document::default() };
            return (document, Vec::new(), self.differs.get());
        }
        // Stable, so that diagnostics with the same location keep the order in which they were found.
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.location);
        // The tokens of a long text need as much memory as the document.
        drop(self.tokens);
        let document = Document { root: self.tree.finish(), headers: self.headers, comments, is_unread: false };
        (document, self.diagnostics, self.differs.get())
    }

    /// Reads the statement at `start`, which no other lines decide than those up to `end`, and adds its comments. Returns the offset at which to continue.
    pub(crate) fn statement_within(&mut self, start: usize, end: usize, comments: &mut Vec<Span>) -> usize {
        let Tokens { list, comments: found, .. } = tokenize_within(self.text, start, end);
        (self.tokens, self.at) = (list, 0);
        self.statement();
        let next = if self.kind() == TokenKind::Eof { end } else { self.token().start as usize };
        comments.extend(found.into_iter().filter(|comment| (comment.start as usize) < next));
        next
    }

    /// The faults so far, in the order of the text, and whether the other dialect may read it differently.
    pub(crate) fn faults(mut self) -> (Vec<Diagnostic>, bool) {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.location);
        (self.diagnostics, self.differs.get())
    }

    /// Forgets the faults of the last statement, which begins at `last` and of which the rest is missing. Returns whether there are no others.
    fn is_valid_before(&mut self, last: u32) -> bool {
        self.diagnostics.retain(|fault| fault.location.is_none_or(|location| location.span.start < last));
        self.diagnostics.iter().all(|fault| fault.severity < Severity::Error)
    }

    /// Whether there are so many faults that the rest is not read.
    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() >= MAX_FAULTS
    }

    /// Names a key in the faults since `before`.
    pub(crate) fn name_faults(&mut self, before: usize, keys: &[Key]) {
        let name = self.dotted(keys);
        let faults = &mut self.diagnostics[before..];
        if name.len().saturating_mul(faults.len()) <= MAX_KEY_BYTES_IN_FAULTS {
            faults.iter_mut().for_each(|fault| fault.key = Some(name.clone()));
        }
    }

    pub(crate) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    pub(crate) fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// Consumes the next token. The token for the end of the text is never consumed.
    pub(crate) fn bump(&mut self) -> Token {
        let token = self.token();
        self.at += usize::from(token.kind != TokenKind::Eof);
        token
    }

    /// Consumes the next token if it is of this kind.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        (self.kind() == kind).then(|| self.bump())
    }

    /// The end of the last consumed token.
    pub(crate) fn previous_end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |at| self.tokens[at].end)
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    pub(crate) fn location(&self, span: Span) -> Location {
        Location::new(self.file, span)
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn report_at(&mut self, span: Span, diagnostic: Diagnostic) {
        let location = self.location(span);
        self.report(diagnostic.at(location));
    }

    /// The full dotted key of `keys` in the current section.
    pub(crate) fn dotted(&self, keys: &[Key]) -> String {
        let section = self.section.map_or(&[][..], |section| &self.headers[section].keys);
        dotted(section.iter().chain(keys))
    }

    /// Skips to the end of the line; a closed bracket that spans several lines is skipped as a whole.
    pub(crate) fn skip_line(&mut self) {
        while !matches!(self.kind(), TokenKind::Newline | TokenKind::Eof) {
            let token = self.bump();
            let opens = matches!(token.kind, TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket);
            if opens && token.closed && token.link as usize >= self.at {
                self.at = token.link as usize + 1;
            }
        }
    }

    /// Reports characters that are not allowed anywhere: a byte order mark, control characters in comments, and lone carriage
    /// returns. Each kind is reported once.
    fn check_characters(&mut self, comments: &[Span]) {
        if self.text.starts_with('\u{feff}') {
            let mark = Span::new(0, 3);
            let location = self.location(mark);
            self.report(faults::byte_order_mark(location));
        }
        for &comment in comments {
            if self.is_full() {
                return;
            }
            // Nearly all comments contain no such character, and checking all bytes is faster than stopping at the first one.
            if !self.slice(comment).bytes().fold(false, |found, byte| found | is_control(byte.into())) {
                continue;
            }
            let bad = self.slice(comment).char_indices().find(|(_, character)| is_control(*character));
            if let Some((at, character)) = bad {
                let start = comment.start + at as u32;
                self.report_at(Span::new(start, start + 1), faults::control_in_comment(character));
            }
        }
        if memchr::memchr(b'\r', self.text.as_bytes()).is_none() {
            return;
        }
        let lone = |token: &&Token| token.kind == TokenKind::Newline && self.slice(token.span()) == "\r";
        let count = self.tokens.iter().filter(lone).count();
        if let Some(first) = self.tokens.iter().find(lone).copied() {
            self.report_at(first.span(), faults::carriage_return(count));
        }
    }
}

/// The parts of a dotted key, with quotes where needed.
pub(crate) fn dotted<'k>(keys: impl Iterator<Item = &'k Key>) -> String {
    let parts: Vec<String> = keys.map(|key| faults::key_text(&key.text)).collect();
    parts.join(".")
}

/// A character that TOML forbids in comments and strings.
fn is_control(character: char) -> bool {
    matches!(character, '\0'..=' ' | '\x7f') && !matches!(character, '\t' | ' ')
}
