//! Turns text into tokens, and ends strings early that are never closed.

use cfg_diag::Span;

use crate::lexer::{self, TokenKind};

/// A token. Whitespace is not a token; offsets show which tokens touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// For a string or a bracket: whether it is closed.
    pub(crate) closed: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// For an opening bracket: the token that ends it, which is its closing bracket if it is closed.
    pub(crate) link: u32,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// The tokens of `text`; the last one is the end of the text.
pub(crate) fn tokenize(text: &str) -> Vec<Token> {
    // Configs have a token every three to five bytes.
    let mut tokens = Vec::with_capacity(text.len() / 3 + 2);
    let mut realigned = false;
    let mut from = lexer::start(text);
    while let Some(cut) = tokenize_from(text, from, &mut tokens) {
        let mut cut = cut;
        if !cut.certain && !realigned {
            // After one missing delimiter, strings and the text between them are swapped, so that only the last string appears unclosed. The
            // string that really is unclosed is the first one that ends where a string should begin.
            realigned = true;
            if let Some(index) = tokens.iter().position(|token| token.kind == cut.kind && ends_like_a_start(text, *token)) {
                tokens.truncate(index + 1);
                if let Some(open) = tokens.pop() {
                    cut.start = open.start as usize;
                }
            }
        }
        let (end, next) = give_up(text, cut.start);
        tokens.push(Token { kind: cut.kind, closed: false, start: cut.start as u32, end: end as u32, link: 0 });
        from = next;
    }
    tokens
}

/// A multi-line string that is not closed.
struct Cut {
    kind: TokenKind,
    start: usize,
    /// Whether this string is certainly the unclosed one, rather than one before it.
    certain: bool,
}

fn tokenize_from(text: &str, from: usize, tokens: &mut Vec<Token>) -> Option<Cut> {
    let mut at = from;
    loop {
        let (start, lexeme) = lexer::next(text.as_bytes(), at);
        at = lexeme.end;
        let mut token = Token { kind: lexeme.kind, closed: lexeme.closed, start: start as u32, end: at as u32, link: 0 };
        let is_multiline = matches!(token.kind, TokenKind::MlBasicString | TokenKind::MlLiteralString);
        if is_multiline && !token.closed {
            return Some(Cut { kind: token.kind, start, certain: false });
        }
        if is_multiline && text[start..at].contains('\n') && !ends_a_value(&text[at..]) && ends_like_a_start(text, token) {
            return Some(Cut { kind: token.kind, start, certain: true });
        }
        if !token.closed && text[..at].ends_with('\r') {
            token.end -= 1;
        }
        tokens.push(token);
        if token.kind == TokenKind::Eof {
            return None;
        }
    }
}

/// Whether a value may end before this text.
fn ends_a_value(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t']);
    rest.is_empty() || rest.starts_with(['\n', '\r', '#', ',', ']', '}'])
}

/// Whether the closing delimiter of a multi-line string follows something like `key =`, as an opening delimiter does.
fn ends_like_a_start(text: &str, token: Token) -> bool {
    let raw = &text[token.span().range()];
    let body = raw.trim_end_matches(['"', '\'']);
    let Some(newline) = body.rfind('\n') else { return false };
    let line = &body[newline + 1..];
    line.contains('=') && line.trim_end().ends_with(['=', '[', '{', ','])
}

/// Ends an unclosed multi-line string that starts at `start`. Returns the end of the string, which is the end of its first line, and the
/// offset at which to continue: the first following line that looks like TOML. The lines in between are ignored as text of the string.
fn give_up(text: &str, start: usize) -> (usize, usize) {
    let mut line = start;
    let mut end = None;
    loop {
        let Some(newline) = text[line..].find('\n') else { return (end.unwrap_or(text.len()), text.len()) };
        let newline = line + newline;
        if end.is_none() {
            end = Some(if text[..newline].ends_with('\r') { newline - 1 } else { newline });
        }
        line = newline + 1;
        let next = text[line..].find('\n').map_or(text.len(), |newline| line + newline);
        if looks_like_statement(&text[line..next]) {
            return (end.unwrap_or(newline), newline);
        }
    }
}

/// Whether a line looks like `[header]` or `key = ...`.
fn looks_like_statement(line: &str) -> bool {
    let is_key = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | '"' | '\'');
    let line = line.trim();
    if let Some(inner) = line.strip_prefix('[') {
        let inner = inner.trim_start_matches('[');
        let after = inner.trim_start_matches(is_key);
        let rest = after.trim_start_matches(']').trim_start();
        return after.len() < inner.len() && after.starts_with(']') && (rest.is_empty() || rest.starts_with('#'));
    }
    let after = line.trim_start_matches(is_key);
    after.len() < line.len() && after.trim_start().starts_with('=')
}
