//! Statements: headers and `key = value`.

use cfg_diag::{Applicability, Diagnostic, Edit, Location, Span};

use crate::lexer::TokenKind;
use crate::parser::{Parser, dotted};
use crate::scalar::{self, Scalar};
use crate::string::{self, StringFaultKind};
use crate::tokens::Token;
use crate::tree::Conflict;
use crate::value::Within;
use crate::{Header, Key, MAX_DEPTH, Value, ValueKind, brackets, faults, meant, nested, unquoted};

/// The number of parts of a dotted key that are kept.
const MAX_PARTS: usize = 8 * MAX_DEPTH;

/// A parsed dotted key.
pub(crate) struct DottedKey {
    pub(crate) keys: Vec<Key>,
    /// From its first to its last part.
    pub(crate) span: Span,
    /// The end of the colon that follows, as in YAML.
    colon: Option<u32>,
    /// Whether it has a fault, which has been reported.
    faulty: bool,
}

impl Parser<'_> {
    /// Reads one line, or a `key = value` of several.
    pub(crate) fn statement(&mut self) {
        match self.kind() {
            TokenKind::Newline | TokenKind::Comment | TokenKind::Eof => {}
            TokenKind::LeftSquareBracket => self.header(),
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket | TokenKind::LeftCurlyBracket | TokenKind::Comma => {
                self.stray();
            }
            _ => self.key_value(),
        }
        self.eat(TokenKind::Comment);
        self.eat(TokenKind::Newline);
    }

    /// A line that starts with a stray bracket or comma.
    fn stray(&mut self) {
        let token = self.token();
        self.report_at(token.span(), faults::stray(self.slice(token.span())));
        self.skip_line();
    }

    fn header(&mut self) {
        let before = self.diagnostics.len();
        let opening = self.bump();
        let second = self.token();
        let array = second.kind == TokenKind::LeftSquareBracket && second.start == opening.end;
        if array {
            self.bump();
        }
        let keys = self.header_keys();
        let closing = self.eat(TokenKind::RightSquareBracket);
        let closing_end = closing.map_or(0, |token| token.end);
        let closed = closing.is_some()
            && (!array || (self.token().start == closing_end && self.eat(TokenKind::RightSquareBracket).is_some()));
        let span = Span::new(opening.start, self.previous_end());
        if !closed && self.diagnostics.len() == before {
            let last = keys.last().map_or(span, |key| key.span);
            let missing = match (array, closing.is_some()) {
                (true, false) => "]]",
                _ => "]",
            };
            let end = self.location(Span::empty(span.end));
            self.report_at(last, faults::unclosed_header(self.slice(span), missing, end));
        }
        self.end_line(before, faults::after_header);
        let is_faulty = self.diagnostics.len() > before;
        self.open_section(Header { span, keys, array }, is_faulty);
    }

    fn header_keys(&mut self) -> Vec<Key> {
        if self.kind() == TokenKind::RightSquareBracket {
            let span = Span::new(self.tokens[self.at - 1].start, self.token().end);
            self.report_at(span, faults::empty_header());
            return Vec::new();
        }
        let mut key = self.dotted_key();
        if let Some(end) = key.colon {
            let place = self.location(Span::new(key.span.end, end));
            self.report(faults::colon_in_header(place));
        }
        let mut keys = Vec::with_capacity(key.keys.len());
        keys.append(&mut key.keys);
        self.room = key.keys;
        keys
    }

    /// Starts the section of a header. Conflicts of a half-typed header are not reported.
    fn open_section(&mut self, header: Header, is_faulty: bool) {
        if header.keys.is_empty() {
            // The following entries may belong to the previous table or to the one that is being typed: they are kept, and their
            // conflicts are not reported.
            self.repeated = true;
            self.headers.push(header);
            return;
        }
        self.section = Some(self.headers.len());
        self.depth = header.keys.len();
        if self.depth > MAX_DEPTH {
            self.table = self.tree.detached(header.span);
            self.repeated = true;
            let location = self.location(header.keys[MAX_DEPTH].span);
            self.differs.set(true);
            self.report(faults::deep_key(self.depth, self.dialect).at(location));
        } else {
            let (table, conflict) = self.tree.header(&header.keys, header.span, header.array);
            self.table = table;
            self.repeated = conflict.is_some();
            if let Some(conflict) = conflict.filter(|_| !is_faulty) {
                let key = dotted(header.keys[..=conflict.part].iter());
                self.report_conflict(&header.keys, &conflict, Some(key));
            }
        }
        self.headers.push(header);
    }

    fn key_value(&mut self) {
        let before = self.diagnostics.len();
        let key = self.dotted_key();
        let value = self.after_key(&key, Within::Line);
        self.end_line(before, faults::after_value);
        self.meant_by_line(before, value.span);
        if self.diagnostics.len() > before && key.keys.len() <= MAX_DEPTH {
            self.name_faults(before, &key.keys);
        }
        self.define(key.keys, value);
    }

    /// Adds what a line was meant to say whose only fault since `before` is the text after its value: `4 * 1024` is a number.
    fn meant_by_line(&mut self, before: usize, value: Span) {
        let [found] = &self.diagnostics[before..] else { return };
        let Some(rest) = found.location.filter(|_| found.fix.is_none()) else { return };
        let whole = Span::new(value.start, rest.span.end);
        if value.is_empty() || rest.span.start < value.end {
            return;
        }
        let written = self.slice(whole);
        let Some(number) = unquoted::quantity_text(written, self.thousand)
            .or_else(|| meant::grouped(written))
            .or_else(|| meant::with_point(written))
        else {
            return;
        };
        let edit = Edit { location: self.location(whole), new_text: number.clone() };
        let found = self.diagnostics.remove(before).help(format!("write the number: {number}"));
        self.diagnostics.push(found.fix(format!("write `{number}`"), Applicability::Unsafe, edit));
    }

    /// Reads the part after a key: normally `=` and a value.
    pub(crate) fn after_key(&mut self, key: &DottedKey, within: Within) -> Value {
        let depth = within.depth(self.depth) + key.keys.len();
        let name = || dotted(key.keys.iter());
        self.thousand = key.keys.last().map_or(1000.0, |key| meant::thousand(&key.text));
        if let Some(equals) = self.eat(TokenKind::Equals) {
            if !self.value_ends(within) {
                return self.value(depth, within);
            }
            if within == Within::Line && self.value_on_next_line() {
                self.report_at(Span::new(key.span.start, equals.end), faults::late_value(&name()));
                self.eat(TokenKind::Comment);
                self.eat(TokenKind::Newline);
                return self.value(depth, within);
            }
            if !key.faulty {
                self.report_at(Span::new(key.span.start, equals.end), faults::no_value(&name()));
            }
            return Value { span: Span::empty(equals.end), kind: ValueKind::Missing };
        }
        let missing = Value { span: Span::empty(key.span.end), kind: ValueKind::Missing };
        if let Some(end) = key.colon {
            return if self.colon(key, end, within) { missing } else { self.value(depth, within) };
        }
        if !key.faulty {
            let end = self.location(Span::empty(key.span.end));
            let diagnostic = match self.key_of_words(key.span) {
                Some((span, joined)) if within == Within::Line => faults::key_of_words(&joined, self.location(span)),
                _ if self.value_ends(within) => faults::bare_key(&name()),
                _ => faults::no_equals(&name(), end),
            };
            self.report_at(key.span, diagnostic);
        }
        // Without `=`, the next token is taken as the value only if it is clearly one.
        match self.kind() {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket | TokenKind::BasicString | TokenKind::LiteralString => {
                self.value(depth, within)
            }
            TokenKind::Atom => self.bare_if_valid().unwrap_or(missing),
            _ => missing,
        }
    }

    /// The key of several words that begins at a place, `learning rate = 1e-6`, and how it is written.
    fn key_of_words(&self, first: Span) -> Option<(Span, String)> {
        const LONGEST: usize = 64;
        let start = first.start as usize;
        let line = self.text.get(start..)?.lines().next()?;
        let name = line.get(..line.find('=')?)?.trim_end();
        let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        let words: Vec<&str> = name.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        let is_name = name.len() <= LONGEST && words.len() > 1 && words.iter().all(|word| is_word(word));
        is_name.then(|| (Span::from(start..start + name.len()), words.join("_")))
    }

    /// Reports the colon behind a key, which ends at `end`, and skips what is written below the key as YAML. Returns whether the key has no value.
    fn colon(&mut self, key: &DottedKey, end: u32, within: Within) -> bool {
        let name = dotted(key.keys.iter());
        let is_alone = self.value_ends(within);
        let is_line = is_alone && within == Within::Line;
        if let Some(block) = nested::block(self.text, key.span).filter(|_| is_line) {
            self.report_at(block, faults::yaml_block(&name));
            while self.token().start < block.end && self.kind() != TokenKind::Eof {
                self.bump();
            }
            return true;
        }
        let below = if is_line { nested::as_dotted(self.text, key.span) } else { None };
        let found = faults::colon(&name, self.location(Span::new(key.span.end, end)));
        self.report(match below {
            Some(edits) => {
                let edit = |(span, new_text)| Edit { location: self.location(span), new_text };
                faults::nested(found, &name, edits.into_iter().map(edit).collect())
            }
            None => found,
        });
        is_alone
    }

    /// Whether the line below a `key =` without a value contains only a value.
    fn value_on_next_line(&self) -> bool {
        let newline = self.at + usize::from(self.kind() == TokenKind::Comment);
        if self.tokens[newline].kind != TokenKind::Newline {
            return false;
        }
        let first = newline + 1;
        let ends_after = |at: usize| matches!(self.tokens[at].kind, TokenKind::Newline | TokenKind::Comment | TokenKind::Eof);
        match self.tokens[first].kind {
            TokenKind::BasicString | TokenKind::LiteralString => self.tokens[first].closed && ends_after(first + 1),
            TokenKind::LeftCurlyBracket => self.tokens[first].closed,
            TokenKind::LeftSquareBracket => self.tokens[first].closed && brackets::starts_array(&self.tokens, first),
            TokenKind::Atom => {
                let text = self.slice(self.tokens[first].span());
                let scalar = scalar::read(text, self.dialect);
                self.differs.set(self.differs.get() || matches!(scalar, Scalar::ShortTime(_)));
                ends_after(first + 1) && matches!(scalar, Scalar::Value(_))
            }
            _ => false,
        }
    }

    fn define(&mut self, mut keys: Vec<Key>, value: Value) {
        let depth = self.depth + keys.len();
        if depth > MAX_DEPTH {
            if !self.repeated {
                let place = self.location(keys.last().map_or(value.span, |key| key.span));
                self.differs.set(true);
                self.report(faults::deep_key(keys.len(), self.dialect).at(place));
            }
            return;
        }
        let is_missing = value.kind == ValueKind::Missing;
        let Some(conflict) = self.tree.insert(self.table, &mut keys, value) else {
            keys.clear();
            self.room = keys;
            return;
        };
        if !is_missing && !self.repeated {
            let key = self.dotted(&keys[..=conflict.part]);
            self.report_conflict(&keys, &conflict, Some(key));
        }
    }

    /// Reports that a dotted key is not allowed here.
    pub(crate) fn report_conflict(&mut self, keys: &[Key], conflict: &Conflict, dotted: Option<String>) {
        let first = self.location(conflict.first);
        let place = self.location(keys[conflict.part].span);
        let mut diagnostic = faults::conflict(&keys[conflict.part].text, conflict.kind, first).at(place);
        diagnostic.key = dotted;
        self.report(diagnostic);
    }

    /// Reads a dotted key.
    pub(crate) fn dotted_key(&mut self) -> DottedKey {
        let before = self.diagnostics.len();
        let mut keys = std::mem::take(&mut self.room);
        let start = self.token().start;
        loop {
            let colon = self.key_part(&mut keys);
            // A key of many more parts than are allowed takes much more memory than its text.
            keys.truncate(MAX_PARTS);
            // Report only the first fault of a key.
            if self.diagnostics.len() > before + 1 {
                self.diagnostics.truncate(before + 1);
            }
            if colon.is_some() || self.eat(TokenKind::Dot).is_none() {
                let end = keys.last().map_or(start, |key| key.span.end);
                let faulty = self.diagnostics.len() > before;
                return DottedKey { keys, span: Span::new(start.min(end), end), colon, faulty };
            }
        }
    }

    /// Reads one part of a dotted key. Returns the end of the colon that follows it.
    fn key_part(&mut self, keys: &mut Vec<Key>) -> Option<u32> {
        let token = self.token();
        let span = token.span();
        let raw = self.slice(span);
        match token.kind {
            TokenKind::Atom => {
                self.bump();
                if faults::is_bare(raw) {
                    keys.push(Key { text: raw.into(), span });
                    return self.colon_behind(span.end);
                }
                if let Some(name) = raw.strip_suffix(':')
                    && faults::is_bare(name)
                    && self.kind() != TokenKind::Equals
                {
                    // The colon is not part of the key.
                    let span = Span::new(span.start, span.end - 1);
                    keys.push(Key { text: name.into(), span });
                    return Some(span.end + 1);
                }
                let location = self.location(span);
                self.report(faults::bad_key(raw, location));
                keys.push(Key { text: raw.into(), span });
            }
            TokenKind::BasicString | TokenKind::LiteralString => {
                self.bump();
                keys.push(Key { text: self.string(token), span });
                return self.colon_behind(span.end);
            }
            TokenKind::MlBasicString | TokenKind::MlLiteralString => {
                self.bump();
                let opening = Span::new(token.start, token.start + 3);
                self.report_at(opening, faults::multiline_key());
            }
            _ => {
                let start = self.previous_end().min(token.start);
                let place = if self.at_end_of_line() { Span::new(start.saturating_sub(1), start) } else { span };
                let place = if self.text.is_char_boundary(place.start as usize) { place } else { Span::empty(start) };
                self.report_at(place, faults::missing_key_part(self.slice(span)));
            }
        }
        None
    }

    /// The end of a colon by itself behind a key, as in JSON.
    fn colon_behind(&mut self, end: u32) -> Option<u32> {
        let next = self.token();
        let is_colon = next.kind == TokenKind::Atom && self.slice(next.span()) == ":";
        let is_blank = || self.text[end as usize..next.start as usize].bytes().all(|byte| matches!(byte, b' ' | b'\t'));
        (is_colon && is_blank()).then(|| self.bump().end)
    }

    /// The text of a string token. Reports its faults.
    pub(crate) fn string(&mut self, token: Token) -> Box<str> {
        let raw = self.slice(token.span());
        if !token.closed {
            let multiline = matches!(token.kind, TokenKind::MlBasicString | TokenKind::MlLiteralString);
            let place = if multiline { Span::new(token.start, token.start + 3) } else { token.span() };
            let end = self.location(Span::empty(token.end));
            self.report_at(place, faults::unclosed_string(raw, multiline, end));
            return raw.trim_start_matches(['"', '\'']).into();
        }
        let (text, fault, has_new) = string::decode(raw, token.kind, self.dialect);
        self.differs.set(self.differs.get() || has_new);
        if let Some(fault) = fault {
            let place = Span::new(token.start + fault.start as u32, token.start + fault.end as u32);
            let part = self.slice(place);
            let diagnostic = match fault.kind {
                StringFaultKind::UnknownEscape => faults::unknown_escape(part, raw, self.location(token.span())),
                StringFaultKind::BadUnicode => faults::bad_unicode(part),
                StringFaultKind::Control(character) => faults::control_in_string(character),
                StringFaultKind::NewEscape => faults::new_escape(part),
            };
            self.report_at(place, diagnostic);
        }
        text
    }

    pub(crate) fn at_end_of_line(&self) -> bool {
        matches!(self.kind(), TokenKind::Newline | TokenKind::Comment | TokenKind::Eof)
    }

    /// Reports anything but a comment on the rest of the line, unless the statement has had a fault since `before`.
    fn end_line(&mut self, before: usize, fault: fn(&str, Location) -> Diagnostic) {
        if self.at_end_of_line() {
            return;
        }
        let start = self.at;
        self.skip_line();
        if self.diagnostics.len() > before {
            return;
        }
        let first = self.tokens[start].start;
        let last = self.tokens[start..self.at].iter().rev().find(|token| token.kind != TokenKind::Comment);
        let end = last.map_or(first, |token| token.end);
        // Of brackets that span several lines, only the first line is shown.
        let rest = &self.text[first as usize..end as usize];
        let line = rest.lines().next().unwrap_or(rest);
        let place = self.location(Span::new(first, first + line.len() as u32));
        self.report(fault(line, place));
    }
}
