//! Values: strings, bare values, arrays, inline tables.

use cfg_diag::Span;

use crate::lexer::TokenKind;
use crate::number::MAX_DIGITS;
use crate::parser::Parser;
use crate::scalar::{self, Scalar};
use crate::tokens::Token;
use crate::tree::Tree;
use crate::{Dialect, MAX_DEPTH, TableStyle, Value, ValueKind, datetime, faults, unquoted};

/// The context of a value. A malformed value ends where its context ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// The line of a `key = value`.
    Line,
    /// An array or inline table, at this depth of keys and brackets.
    Brackets { depth: usize },
}

impl Within {
    /// The depth of the keys here; `section` is the depth of the section's table.
    pub(crate) fn depth(self, section: usize) -> usize {
        match self {
            Self::Line => section,
            Self::Brackets { depth } => depth,
        }
    }
}

impl Parser<'_> {
    /// Reads the value at the parser's position, at a depth of `depth` keys and brackets.
    pub(crate) fn value(&mut self, depth: usize, within: Within) -> Value {
        let token = self.token();
        match token.kind {
            TokenKind::BasicString | TokenKind::LiteralString | TokenKind::MlBasicString | TokenKind::MlLiteralString => {
                self.bump();
                let text = self.string(token);
                let kind = if token.closed { ValueKind::String(text) } else { ValueKind::Invalid };
                Value { span: token.span(), kind }
            }
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket if depth >= MAX_DEPTH => self.too_deep(token),
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                self.brackets += 1;
                let value = if token.kind == TokenKind::LeftSquareBracket {
                    self.array(token, depth + 1)
                } else {
                    self.inline_table(token, depth + 1)
                };
                self.brackets -= 1;
                value
            }
            _ => self.bare(within),
        }
    }

    /// Whether the context has ended, so that no further value can follow.
    pub(crate) fn value_ends(&self, within: Within) -> bool {
        self.at_end_of_line()
            || (within != Within::Line
                && matches!(self.kind(), TokenKind::Comma | TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket))
    }

    fn bare(&mut self, within: Within) -> Value {
        let start = self.at;
        let span = self.bare_span();
        let raw = self.slice(span);
        let kind = match scalar::read(raw, self.dialect) {
            Scalar::Value(kind) => kind,
            Scalar::ShortTime(kind) => {
                self.differs.set(true);
                self.report_at(span, faults::short_time(raw));
                kind
            }
            Scalar::TooLong => {
                self.report_at(span, faults::long_integer(MAX_DIGITS));
                ValueKind::Invalid
            }
            Scalar::Unknown => {
                self.at = start;
                return self.malformed(within);
            }
        };
        Value { span, kind }
    }

    /// Reads a bare value; `None` if the next token is not a well-formed one.
    pub(crate) fn bare_if_valid(&mut self) -> Option<Value> {
        let start = self.at;
        let span = self.bare_span();
        match scalar::read(self.slice(span), self.dialect) {
            Scalar::Value(kind) => return Some(Value { span, kind }),
            Scalar::ShortTime(_) => self.differs.set(true),
            Scalar::TooLong | Scalar::Unknown => {}
        }
        self.at = start;
        None
    }

    /// Consumes the tokens of a bare value: all adjacent tokens, and after a date the time that follows a space.
    fn bare_span(&mut self) -> Span {
        let start = self.token().start;
        let mut end = start;
        let mut may_have_time = true;
        loop {
            let token = self.token();
            let touches = token.start == end && matches!(token.kind, TokenKind::Atom | TokenKind::Dot);
            if !touches {
                let date = Span::new(start, end);
                let is_time = may_have_time
                    && token.kind == TokenKind::Atom
                    && token.start == end + 1
                    && end - start == 10
                    && datetime::starts_like_date(self.slice(date))
                    && datetime::starts_like_time(self.slice(token.span()));
                if !is_time || self.text.as_bytes().get(end as usize) != Some(&b' ') {
                    return date;
                }
                may_have_time = false;
            }
            end = token.end;
            self.bump();
        }
    }

    /// Consumes a malformed value and reports it.
    fn malformed(&mut self, within: Within) -> Value {
        let first = self.token();
        let mut end = first.start;
        while !self.value_ends(within) {
            let token = self.bump();
            end = token.end;
            let opens = matches!(token.kind, TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket);
            if opens && token.closed && token.link as usize >= self.at {
                self.at = token.link as usize + 1;
                end = self.previous_end();
            }
        }
        let span = Span::new(first.start, end);
        let raw = self.slice(span);
        let line = raw.lines().next().unwrap_or(raw).trim_end();
        let place = self.location(Span::new(first.start, first.start + line.len() as u32));
        self.report(unquoted::explain(line, place, self.thousand));
        Value { span, kind: ValueKind::Invalid }
    }

    fn array(&mut self, opening: Token, depth: usize) -> Value {
        self.bump();
        let before = self.diagnostics.len();
        let end = (opening.link as usize).max(self.at);
        let mut items = Vec::new();
        let mut comma_due = false;
        loop {
            while self.at < end && matches!(self.kind(), TokenKind::Newline | TokenKind::Comment) {
                self.bump();
            }
            if self.at >= end || self.is_full() {
                self.at = end;
                break;
            }
            let quiet = !opening.closed || self.diagnostics.len() > before;
            if self.separator(&mut comma_due, quiet) {
                continue;
            }
            let start = self.at;
            let first = self.token();
            items.push(self.value(depth, Within::Brackets { depth }));
            if self.at == start {
                self.bump();
            }
            // An unclosed string or bracket contains the comma.
            comma_due = first.closed;
        }
        let span = self.close(opening, end);
        self.drop_consequences(opening, span.end, before);
        Value { span, kind: ValueKind::Array(items) }
    }

    fn inline_table(&mut self, opening: Token, depth: usize) -> Value {
        self.bump();
        let before = self.diagnostics.len();
        let end = (opening.link as usize).max(self.at);
        let mut tree = Tree::new(TableStyle::Inline, Span::default());
        let mut comma_due = false;
        let mut broken_line = None;
        while self.at < end {
            if self.is_full() {
                self.at = end;
                break;
            }
            if matches!(self.kind(), TokenKind::Newline | TokenKind::Comment) {
                if !opening.closed {
                    // An unclosed bracket ends with its line.
                    break;
                }
                broken_line = broken_line.or(Some(opening.span()));
                self.bump();
                continue;
            }
            let quiet = !opening.closed || self.diagnostics.len() > before;
            if self.separator(&mut comma_due, quiet) {
                continue;
            }
            self.inline_entry(&mut tree, Within::Brackets { depth });
            comma_due = true;
        }
        let trailing = Some(self.tokens[self.at - 1]).filter(|token| token.kind == TokenKind::Comma && !comma_due);
        if broken_line.is_some() || trailing.is_some() {
            self.differs.set(true);
        }
        let has_new_syntax = opening.closed && self.dialect == Dialect::Toml10;
        if let Some(place) = broken_line.filter(|_| has_new_syntax) {
            self.report_at(place, faults::broken_inline_table());
        } else if let Some(comma) = trailing.filter(|_| has_new_syntax && self.diagnostics.len() == before) {
            let place = self.location(comma.span());
            self.report(faults::trailing_comma(place));
        }
        let span = if opening.closed { self.close(opening, end) } else { Span::new(opening.start, self.previous_end()) };
        self.drop_consequences(opening, span.end, before);
        let mut table = tree.finish();
        table.span = span;
        Value { span, kind: ValueKind::Table(table) }
    }

    fn inline_entry(&mut self, tree: &mut Tree, within: Within) {
        let start = self.at;
        let key = self.dotted_key();
        let value = self.after_key(&key, within);
        if self.at == start {
            self.bump();
        }
        let mut keys = key.keys;
        if within.depth(0) + keys.len() > MAX_DEPTH {
            let place = self.location(key.span);
            self.differs.set(true);
            self.report(faults::deep_key(keys.len(), self.dialect).at(place));
            return;
        }
        let is_missing = value.kind == ValueKind::Missing;
        if let Some(conflict) = tree.insert(Tree::outermost(), &mut keys, value)
            && !is_missing
        {
            self.report_conflict(&keys, &conflict, None);
        }
    }

    /// Consumes a comma or a stray closing bracket; otherwise records that a comma is missing. `true` if something was
    /// consumed.
    fn separator(&mut self, comma_due: &mut bool, quiet: bool) -> bool {
        let token = self.token();
        match token.kind {
            TokenKind::Comma => {
                if !*comma_due && !quiet {
                    self.report_at(token.span(), faults::extra_comma());
                }
                *comma_due = false;
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                if !quiet {
                    self.report_at(token.span(), faults::stray(self.slice(token.span())));
                }
            }
            _ => {
                if *comma_due && !quiet {
                    let last = self.last_text();
                    let end = self.location(Span::empty(last.end));
                    self.report_at(last, faults::missing_comma(end));
                }
                return false;
            }
        }
        self.bump();
        true
    }

    /// If the bracket is reported as unclosed, the faults of a half-typed last item follow from that: removes the diagnostics
    /// at its `end` that were added since `before`.
    fn drop_consequences(&mut self, opening: Token, end: u32, before: usize) {
        if opening.closed || self.diagnostics.len() == before || self.unclosed.binary_search(&opening.span()).is_err() {
            return;
        }
        let mut later = self.diagnostics.split_off(before);
        later.retain(|diagnostic| diagnostic.location.is_none_or(|location| location.span.end < end));
        self.diagnostics.append(&mut later);
    }

    /// The last token before the current one that is neither a comment nor a line end.
    fn last_text(&self) -> Span {
        let mut before = self.tokens[..self.at].iter().rev();
        before
            .find(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::Comment))
            .map_or(Span::default(), |token| token.span())
    }

    /// Continues after a bracket: after its closing bracket, or at the start of the line at which it ends early.
    fn close(&mut self, opening: Token, end: usize) -> Span {
        self.at = end;
        if opening.closed && opening.link as usize == end {
            self.bump();
        } else if end > 0 && self.tokens[end - 1].kind == TokenKind::Newline {
            self.at = end - 1;
        }
        Span::new(opening.start, self.last_text().end.max(opening.end))
    }

    /// Skips a bracket that is nested beyond the limit.
    fn too_deep(&mut self, opening: Token) -> Value {
        let end = (opening.link as usize).max(self.at + 1);
        let mut depth = self.brackets;
        let mut deepest = 0;
        for token in &self.tokens[self.at..end] {
            match token.kind {
                TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => depth = depth.saturating_sub(1),
                TokenKind::Newline | TokenKind::Comment => {}
                kind => {
                    deepest = deepest.max(depth);
                    depth += usize::from(matches!(kind, TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket));
                }
            }
        }
        self.report_at(opening.span(), faults::deep_value(deepest));
        let span = self.close(opening, end);
        Value { span, kind: ValueKind::Invalid }
    }
}
