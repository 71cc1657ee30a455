//! The content of a string token.

use crate::Dialect;
use crate::lexer::TokenKind;

/// A fault in a string; the range is within the token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StringFault {
    pub(crate) kind: StringFaultKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StringFaultKind {
    /// `\d`: not a TOML escape.
    UnknownEscape,
    /// `\u12`, or a number that is not a character.
    BadUnicode,
    /// A control character that must be escaped.
    Control(char),
    /// An escape of TOML 1.1.
    NewEscape,
}

/// Decodes the closed string token `raw`. Returns its text, its first fault, and whether it contains an escape of TOML 1.1. Such an escape
/// is decoded even if the dialect does not allow it, which is then a fault.
pub(crate) fn decode(raw: &str, kind: TokenKind, dialect: Dialect) -> (Box<str>, Option<StringFault>, bool) {
    let multiline = matches!(kind, TokenKind::MlBasicString | TokenKind::MlLiteralString);
    let escapes = matches!(kind, TokenKind::MlBasicString | TokenKind::BasicString);
    let delimiter = if multiline { 3 } else { 1 };
    let end = raw.len() - delimiter;
    let mut body = &raw[delimiter..end];
    if multiline {
        body = body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n')).unwrap_or(body);
    }
    let is_plain = |byte: u8| (byte >= b' ' && byte != b'\\' && byte != 0x7f) || byte == b'\t' || (byte == b'\n' && multiline);
    if body.bytes().all(|byte| is_plain(byte) || (byte == b'\\' && !escapes)) {
        return (body.into(), None, false);
    }
    let mut decoder =
        Decoder { body, offset: end - body.len(), out: String::with_capacity(body.len()), fault: None, has_new: false, dialect };
    decoder.run(escapes, multiline);
    (decoder.out.into(), decoder.fault, decoder.has_new)
}

struct Decoder<'a> {
    body: &'a str,
    /// The start of the body within the token.
    offset: usize,
    out: String,
    fault: Option<StringFault>,
    has_new: bool,
    dialect: Dialect,
}

impl Decoder<'_> {
    fn run(&mut self, escapes: bool, multiline: bool) {
        let mut at = 0;
        while let Some(character) = self.body[at..].chars().next() {
            let next = at + character.len_utf8();
            match character {
                '\\' if escapes => {
                    at = self.escape(at, multiline);
                    continue;
                }
                '\r' if multiline && self.body[next..].starts_with('\n') => {}
                '\n' if multiline => self.out.push('\n'),
                '\t' => self.out.push('\t'),
                '\0'..' ' | '\x7f' => {
                    self.fail(StringFaultKind::Control(character), at, next);
                    self.out.push(character);
                }
                _ => self.out.push(character),
            }
            at = next;
        }
    }

    /// Reads the escape at `at`; returns its end.
    fn escape(&mut self, at: usize, multiline: bool) -> usize {
        let after = at + 1;
        let Some(character) = self.body[after..].chars().next() else {
            self.fail(StringFaultKind::UnknownEscape, at, after);
            return after;
        };
        if multiline && let Some(end) = self.line_continuation(after) {
            return end;
        }
        let next = after + character.len_utf8();
        let plain = match character {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            '"' => '"',
            '\\' => '\\',
            'e' => {
                self.require_new(at, next);
                '\u{1b}'
            }
            'x' => return self.unicode(at, next, 2),
            'u' => return self.unicode(at, next, 4),
            'U' => return self.unicode(at, next, 8),
            _ => {
                self.fail(StringFaultKind::UnknownEscape, at, next);
                self.out.push_str(&self.body[at..next]);
                return next;
            }
        };
        self.out.push(plain);
        next
    }

    /// The end of a line continuation: a backslash at the end of a line removes all white space up to the next text. `None` if the
    /// backslash is not one.
    fn line_continuation(&self, after: usize) -> Option<usize> {
        let rest = self.body[after..].trim_start_matches([' ', '\t']);
        let newline = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
        let mut text = newline;
        loop {
            let next = text.trim_start_matches([' ', '\t', '\n']);
            let next = next.strip_prefix("\r\n").unwrap_or(next);
            if next.len() == text.len() {
                return Some(self.body.len() - text.len());
            }
            text = next;
        }
    }

    fn unicode(&mut self, at: usize, digits_at: usize, count: usize) -> usize {
        let digits = self.body[digits_at..].bytes().take(count).take_while(u8::is_ascii_hexdigit).count();
        let end = digits_at + digits;
        let number = u32::from_str_radix(&self.body[digits_at..end], 16).ok();
        match number.filter(|_| digits == count).and_then(char::from_u32) {
            Some(character) => {
                if count == 2 {
                    self.require_new(at, end);
                }
                self.out.push(character);
            }
            None => self.fail(StringFaultKind::BadUnicode, at, end),
        }
        end
    }

    fn require_new(&mut self, start: usize, end: usize) {
        self.has_new = true;
        if self.dialect == Dialect::Toml10 {
            self.fail(StringFaultKind::NewEscape, start, end);
        }
    }

    fn fail(&mut self, kind: StringFaultKind, start: usize, end: usize) {
        let milder = self
            .fault
            .as_ref()
            .is_none_or(|fault| fault.kind == StringFaultKind::NewEscape && kind != StringFaultKind::NewEscape);
        if milder {
            self.fault = Some(StringFault { kind, start: self.offset + start, end: self.offset + end });
        }
    }
}
