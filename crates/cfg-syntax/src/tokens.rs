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

/// The tokens of a text, and where those are that later steps look for.
pub(crate) struct Tokens {
    /// All tokens; the last one is the end of the text.
    pub(crate) list: Vec<Token>,
    /// The comments.
    pub(crate) comments: Vec<Span>,
    /// The opening brackets: the index of each, and that of the first token of its line.
    pub(crate) brackets: Vec<(u32, u32)>,
    /// The index of the first token of the current line.
    first: u32,
    /// Whether there were more than [`MAX_TOKENS`]: the others are missing.
    pub(crate) is_cut: bool,
}

/// The maximum number of tokens of a text. The largest config that is checked has fewer; each takes many times the memory of its text.
pub const MAX_TOKENS: usize = 1 << 20;

impl Tokens {
    /// Removes the token at `index` and all after it.
    fn truncate(&mut self, index: usize) {
        let start = self.list.get(index).map_or(u32::MAX, |token| token.start);
        self.list.truncate(index);
        self.comments.retain(|comment| comment.start < start);
        self.brackets.retain(|(bracket, _)| (*bracket as usize) < index);
        let newline = self.list.iter().rposition(|token| token.kind == TokenKind::Newline);
        self.first = newline.map_or(0, |newline| newline as u32 + 1);
    }
}

/// The tokens of `text`.
pub(crate) fn tokenize(text: &str) -> Tokens {
    // Configs have a token every three to five bytes.
    let list = Vec::with_capacity((text.len() / 3 + 2).min(MAX_TOKENS));
    let mut tokens = Tokens { list, comments: Vec::with_capacity(32), brackets: Vec::with_capacity(32), first: 0, is_cut: false };
    let mut realigned = false;
    let mut from = lexer::start(text);
    while let Some(cut) = tokenize_from(text, from, &mut tokens) {
        let mut cut = cut;
        if !cut.certain && !realigned {
            // After one missing delimiter, strings and the text between them are swapped, so that only the last string appears unclosed. The
            // string that really is unclosed is the first one that ends where a string should begin.
            realigned = true;
            let is_open = |token: &Token| token.kind == cut.kind && ends_like_a_start(text, *token);
            if let Some(index) = tokens.list.iter().position(is_open) {
                cut.start = tokens.list[index].start as usize;
                tokens.truncate(index);
            }
        }
        let (end, next) = give_up(text, cut.start);
        tokens.list.push(Token { kind: cut.kind, closed: false, start: cut.start as u32, end: end as u32, link: 0 });
        from = next;
    }
    if tokens.is_cut {
        let end = tokens.list.last().map_or(0, |token| token.end);
        tokens.list.push(Token { kind: TokenKind::Eof, closed: true, start: end, end, link: 0 });
    }
    tokens
}

/// The tokens of the lines of a text from `start` to `end`, which have no string of several lines.
pub(crate) fn tokenize_within(text: &str, start: usize, end: usize) -> Tokens {
    let mut tokens = Tokens { list: Vec::with_capacity(16), comments: Vec::new(), brackets: Vec::new(), first: 0, is_cut: false };
    let _ = tokenize_from(&text[..end], start, &mut tokens);
    tokens
}

/// A multi-line string that is not closed.
struct Cut {
    kind: TokenKind,
    start: usize,
    /// Whether this string is certainly the unclosed one, rather than one before it.
    certain: bool,
}

fn tokenize_from(text: &str, from: usize, tokens: &mut Tokens) -> Option<Cut> {
    let mut at = from;
    loop {
        let (start, lexeme) = lexer::next(text.as_bytes(), at);
        at = lexeme.end;
        let mut token = Token { kind: lexeme.kind, closed: lexeme.closed, start: start as u32, end: at as u32, link: 0 };
        let index = tokens.list.len() as u32;
        match token.kind {
            TokenKind::MlBasicString | TokenKind::MlLiteralString => {
                let is_swapped =
                    || text[start..at].contains('\n') && !ends_a_value(&text[at..]) && ends_like_a_start(text, token);
                if !token.closed || is_swapped() {
                    return Some(Cut { kind: token.kind, start, certain: token.closed });
                }
            }
            TokenKind::BasicString | TokenKind::LiteralString if !token.closed => {
                token.end -= u32::from(text[..at].ends_with('\r'));
            }
            TokenKind::Comment => tokens.comments.push(token.span()),
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => tokens.brackets.push((index, tokens.first)),
            TokenKind::Newline => tokens.first = index + 1,
            _ => {}
        }
        tokens.list.push(token);
        tokens.is_cut = tokens.list.len() > MAX_TOKENS;
        if token.kind == TokenKind::Eof || tokens.is_cut {
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
