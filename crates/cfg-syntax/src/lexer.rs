//! Cuts a text into the tokens of TOML, whether it is TOML or not.

use memchr::{memchr, memchr2, memchr3};

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Dot,
    Equals,
    Comma,
    LeftSquareBracket,
    RightSquareBracket,
    LeftCurlyBracket,
    RightCurlyBracket,
    /// From its `#` to the end of its line, without it.
    Comment,
    /// `\n`, `\r\n` or a lone `\r`.
    Newline,
    /// `'...'` with its quotes; ends before `\n` if it is not closed.
    LiteralString,
    /// `"..."` with its quotes; ends before `\n` if it is not closed.
    BasicString,
    /// `'''...'''`
    MlLiteralString,
    /// `"""..."""`
    MlBasicString,
    /// Everything else: a bare key, a number, or what is neither.
    Atom,
    /// The end of the text.
    Eof,
}

/// A token as the lexer finds it.
pub(crate) struct Lexeme {
    pub(crate) kind: TokenKind,
    /// The offset of its end.
    pub(crate) end: usize,
    /// For a string: whether it is closed.
    pub(crate) closed: bool,
}

/// The bytes that end an atom. A quote is not one of them: in `a"`, the opening quote may be missing.
pub(crate) static ENDS_ATOM: [bool; 256] = {
    let mut ends = [false; 256];
    let bytes = b".=,[]{} \t#\r\n";
    let mut at = 0;
    while at < bytes.len() {
        ends[bytes[at] as usize] = true;
        at += 1;
    }
    ends
};

/// The offset of the first token: a byte order mark is not part of one.
pub(crate) fn start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// The first token at or after `at` in the bytes of a text, with its start. `at` is the start of the text or the end of a token.
#[inline]
pub(crate) fn next(bytes: &[u8], mut at: usize) -> (usize, Lexeme) {
    while let Some(b' ' | b'\t') = bytes.get(at) {
        at += 1;
    }
    let Some(&first) = bytes.get(at) else { return (at, Lexeme { kind: TokenKind::Eof, end: at, closed: true }) };
    let one = |kind| (kind, at + 1, true);
    let (kind, end, closed) = match first {
        b'.' => one(TokenKind::Dot),
        b'=' => one(TokenKind::Equals),
        b',' => one(TokenKind::Comma),
        b'[' => one(TokenKind::LeftSquareBracket),
        b']' => one(TokenKind::RightSquareBracket),
        b'{' => one(TokenKind::LeftCurlyBracket),
        b'}' => one(TokenKind::RightCurlyBracket),
        b'\n' => one(TokenKind::Newline),
        b'\r' => (TokenKind::Newline, at + 1 + usize::from(bytes.get(at + 1) == Some(&b'\n')), true),
        b'#' => (TokenKind::Comment, memchr2(b'\r', b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length), true),
        b'"' if bytes[at..].starts_with(b"\"\"\"") => multiline(bytes, at, TokenKind::MlBasicString),
        b'\'' if bytes[at..].starts_with(b"'''") => multiline(bytes, at, TokenKind::MlLiteralString),
        b'"' => basic(bytes, at),
        b'\'' => literal(bytes, at),
        _ => {
            let length = bytes[at..].iter().position(|&byte| ENDS_ATOM[usize::from(byte)]);
            (TokenKind::Atom, length.map_or(bytes.len(), |length| at + length), true)
        }
    };
    (at, Lexeme { kind, end, closed })
}

fn literal(bytes: &[u8], start: usize) -> (TokenKind, usize, bool) {
    let (end, closed) = match memchr2(b'\'', b'\n', &bytes[start + 1..]).map(|length| start + 1 + length) {
        Some(quote) if bytes[quote] == b'\'' => (quote + 1, true),
        newline => (newline.unwrap_or(bytes.len()), false),
    };
    (TokenKind::LiteralString, end, closed)
}

fn basic(bytes: &[u8], start: usize) -> (TokenKind, usize, bool) {
    let mut at = start + 1;
    while let Some(length) = memchr3(b'"', b'\\', b'\n', &bytes[at..]) {
        at += length;
        match bytes[at] {
            b'"' => return (TokenKind::BasicString, at + 1, true),
            b'\n' => return (TokenKind::BasicString, at, false),
            _ => at = after_backslash(bytes, at),
        }
    }
    (TokenKind::BasicString, bytes.len(), false)
}

/// A multi-line string of either kind. Up to two quotes may precede the closing delimiter.
fn multiline(bytes: &[u8], start: usize, kind: TokenKind) -> (TokenKind, usize, bool) {
    let quote = bytes[start];
    let mut at = start + 3;
    loop {
        let rest = &bytes[at..];
        let found = if kind == TokenKind::MlBasicString { memchr2(quote, b'\\', rest) } else { memchr(quote, rest) };
        let Some(length) = found else { return (kind, bytes.len(), false) };
        at += length;
        if bytes[at] != quote {
            at = after_backslash(bytes, at);
            continue;
        }
        let quotes = bytes[at..].iter().take(5).take_while(|&&byte| byte == quote).count();
        at += quotes;
        if quotes >= 3 {
            return (kind, at, true);
        }
    }
}

/// The offset after a backslash, and after the quote or backslash that it escapes. Whatever else it escapes ends no string.
fn after_backslash(bytes: &[u8], at: usize) -> usize {
    at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'"' | b'\\')))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use proptest::prelude::*;

    use super::{TokenKind, next, start};

    /// The tokens of `toml_parser`'s lexer, without whitespace: the kind, start and end of each.
    fn of_library(text: &str) -> Vec<(String, usize, usize)> {
        let tokens = toml_parser::Source::new(text).lex();
        let tokens = tokens.map(|token| (format!("{:?}", token.kind()), token.span().start(), token.span().end()));
        tokens.filter(|(kind, ..)| kind != "Whitespace").collect()
    }

    /// Compares the lexers, and finds out from the text of each string whether it is closed.
    fn compare(text: &str) {
        let mut tokens = Vec::new();
        let mut at = start(text);
        loop {
            let (start, token) = next(text.as_bytes(), at);
            let raw = &text[start..token.end];
            assert_eq!(token.closed, is_closed(raw, token.kind), "{raw:?} in {text:?}");
            tokens.push((format!("{:?}", token.kind), start, token.end));
            at = token.end;
            if token.kind == TokenKind::Eof {
                break;
            }
        }
        assert_eq!(tokens, of_library(text), "{text:?}");
    }

    /// Whether a string ends with its delimiter, of which no quote is escaped.
    fn is_closed(raw: &str, kind: TokenKind) -> bool {
        let (delimiter, escapes) = match kind {
            TokenKind::BasicString => ("\"", true),
            TokenKind::LiteralString => ("'", false),
            TokenKind::MlBasicString => ("\"\"\"", true),
            TokenKind::MlLiteralString => ("'''", false),
            _ => return true,
        };
        let mut body = &raw[delimiter.len()..];
        while !body.is_empty() {
            if body.starts_with(delimiter) {
                return true;
            }
            let length = if escapes && body.starts_with('\\') { 2 } else { 1 };
            body = body.char_indices().nth(length).map_or("", |(at, _)| &body[at..]);
        }
        false
    }

    #[test]
    fn files_of_the_repository_have_the_same_tokens_as_with_toml_parser() {
        fn read(folder: &Path, count: &mut usize) {
            for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
                let path = entry.path();
                if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                    read(&path, count);
                } else if let Ok(text) = fs::read_to_string(&path) {
                    *count += 1;
                    compare(&text);
                }
            }
        }
        let mut count = 0;
        for folder in ["configs", "examples", "crates/cfg-syntax"] {
            read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder), &mut count);
        }
        assert!(count > 50, "{count}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_has_the_same_tokens_as_with_toml_parser(text in any::<String>()) {
            compare(&text);
        }

        #[test]
        fn toml_like_text_has_the_same_tokens_as_with_toml_parser(
            text in r#"\u{feff}?([\[\]{}=,.#"'\\\n\r \tabT:0-9_é-]|"""|'''|\\"|\r\n|"a"|'a'){0,60}"#,
        ) {
            compare(&text);
        }

        #[test]
        fn strings_have_the_same_tokens_as_with_toml_parser(text in r#"("{1,6}|'{1,6}|\\|\n|a){0,40}"#) {
            compare(&text);
        }
    }
}
