//! Finds the end of each bracket. A bracket that is never closed would contain the rest of the text; it is ended at the first line that can't be
//! inside it.

use cfg_diag::Span;

use crate::lexer::TokenKind;
use crate::tokens::{Token, Tokens};

/// For the opening bracket of every value: sets `link` to the token that ends it, and `closed` to whether that is its closing bracket. Returns
/// the unclosed brackets to report; if several end at the same token, only the outermost is reported.
pub(crate) fn link(text: &str, tokens: &mut Tokens) -> Vec<Span> {
    let list = &mut tokens.list;
    let mut matcher = Matcher { text, tokens: list, open: Vec::new(), braces: 0, broken_string: None, unclosed: Vec::new() };
    // The token up to which brackets have their links, or need none.
    let mut done = 0;
    for &(bracket, first) in &tokens.brackets {
        if bracket as usize >= done {
            done = matcher.outermost(bracket as usize, first as usize);
        }
    }
    matcher.unclosed
}

struct Matcher<'a> {
    text: &'a str,
    tokens: &'a mut [Token],
    open: Vec<Open>,
    /// The number of open brackets that are `{`.
    braces: usize,
    /// The last unclosed string in an open bracket; the brackets in it may have been meant as code outside it.
    broken_string: Option<usize>,
    unclosed: Vec<Span>,
}

struct Open {
    token: usize,
    /// The indentation of its line.
    indent: u32,
}

impl Matcher<'_> {
    /// Handles a bracket that is in no other one, in the line that begins with the token `first`. Returns the token at which to continue.
    fn outermost(&mut self, bracket: usize, first: usize) -> usize {
        use TokenKind::{Comment, Eof, Equals, LeftSquareBracket, Newline};
        if bracket == first && self.tokens[bracket].kind == LeftSquareBracket && !self.continues_a_key(bracket) {
            // The brackets of a header are not those of a value.
            let ends = |token: &Token| matches!(token.kind, Equals | Comment | Newline | Eof);
            return bracket + self.tokens[bracket..].iter().position(ends).unwrap_or(1);
        }
        self.value(bracket, first)
    }

    /// Whether the bracket at the start of a line is the value of the `key =` above it.
    fn continues_a_key(&self, at: usize) -> bool {
        let is_text = |token: &&Token| !matches!(token.kind, TokenKind::Newline | TokenKind::Comment);
        starts_array(self.tokens, at)
            && self.tokens[..at].iter().rev().find(is_text).is_some_and(|token| token.kind == TokenKind::Equals)
    }

    /// Links the bracket `opening` of a value, and all brackets in it. Returns the token at which to continue.
    fn value(&mut self, opening: usize, mut first: usize) -> usize {
        let mut indent = self.indent(first);
        let mut previous = TokenKind::Newline;
        for index in opening..self.tokens.len() {
            let Token { kind, closed, .. } = self.tokens[index];
            match kind {
                TokenKind::Newline => {
                    first = index + 1;
                    continue;
                }
                TokenKind::Comment => continue,
                TokenKind::Eof => {
                    self.give_up(0, index);
                    return index;
                }
                _ => {}
            }
            if index == first {
                indent = self.indent(first);
                if self.open.last().is_some_and(|top| resumes(self.text, self.tokens, index, previous, top, indent)) {
                    self.give_up(0, index);
                    return index;
                }
            }
            match kind {
                TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                    self.braces += usize::from(kind == TokenKind::LeftCurlyBracket);
                    self.open.push(Open { token: index, indent });
                }
                TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                    self.close(index);
                    if self.open.is_empty() {
                        return index + 1;
                    }
                }
                TokenKind::BasicString | TokenKind::LiteralString | TokenKind::MlBasicString | TokenKind::MlLiteralString
                    if !closed =>
                {
                    self.broken_string = Some(index);
                }
                _ => {}
            }
            previous = kind;
        }
        self.tokens.len()
    }

    /// The indentation of the line that begins with the token `first`.
    fn indent(&self, first: usize) -> u32 {
        self.tokens[first].start - first.checked_sub(1).map_or(0, |newline| self.tokens[newline].end)
    }

    /// A closing bracket ends the innermost open bracket of its kind. Brackets opened inside that one are unclosed and end here too. If no
    /// bracket of its kind is open, the closing bracket is a stray one.
    fn close(&mut self, index: usize) {
        let brace = self.tokens[index].kind == TokenKind::RightCurlyBracket;
        let of_kind = if brace { self.braces } else { self.open.len() - self.braces };
        if of_kind == 0 {
            return;
        }
        let opening = if brace { TokenKind::LeftCurlyBracket } else { TokenKind::LeftSquareBracket };
        let Some(at) = self.open.iter().rposition(|open| self.tokens[open.token].kind == opening) else { return };
        self.give_up(at + 1, index);
        if let Some(open) = self.open.pop() {
            self.braces -= usize::from(brace);
            self.tokens[open.token].link = index as u32;
        }
    }

    /// Ends the open brackets with the index `from` and above, as unclosed, at the token `end`.
    fn give_up(&mut self, from: usize, end: usize) {
        if let Some(outermost) = self.open.get(from)
            && self.broken_string.is_none_or(|string| string < outermost.token)
        {
            self.unclosed.push(self.tokens[outermost.token].span());
        }
        for open in self.open.drain(from..) {
            let token = &mut self.tokens[open.token];
            self.braces -= usize::from(token.kind == TokenKind::LeftCurlyBracket);
            token.closed = false;
            token.link = end as u32;
        }
    }
}

/// Whether the line that starts with the token `at` can't be inside the bracket `top` and looks like a statement of its own. `previous` is the
/// token before the line. No line of valid TOML meets the conditions, so a valid text is never cut.
fn resumes(text: &str, tokens: &[Token], at: usize, previous: TokenKind, top: &Open, indent: u32) -> bool {
    let in_array = tokens[top.token].kind == TokenKind::LeftSquareBracket;
    if tokens[at].kind != TokenKind::LeftSquareBracket {
        let Some(after) = dotted_key(tokens, at) else { return false };
        if tokens[after].kind != TokenKind::Equals {
            return false;
        }
        // An indented `key =` that no comma precedes is an entry of the bracket, with a missing comma.
        let is_entry = matches!(previous, TokenKind::Comma | TokenKind::LeftCurlyBracket) || indent > top.indent;
        return in_array || !is_entry;
    }
    let double = tokens[at + 1].kind == TokenKind::LeftSquareBracket;
    let first = at + 1 + usize::from(double);
    let Some(after) = dotted_key(tokens, first) else { return false };
    let brackets = tokens[after..].iter().take_while(|token| token.kind == TokenKind::RightSquareBracket).count();
    let ends = matches!(tokens[after + brackets].kind, TokenKind::Newline | TokenKind::Comment | TokenKind::Eof);
    if !ends || (brackets != 0 && brackets != 1 + usize::from(double)) {
        return false;
    }
    let word = &text[tokens[first].span().range()];
    let is_word = tokens[first].kind == TokenKind::Atom
        && word.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_')
        && !matches!(word, "true" | "false" | "inf" | "nan");
    let item_expected = in_array && matches!(previous, TokenKind::Comma | TokenKind::LeftSquareBracket);
    if brackets == 0 || item_expected { is_word } else { true }
}

/// Whether the bracket at the start of a line, below a `key =` without a value, opens an array and not a header.
pub(crate) fn starts_array(tokens: &[Token], at: usize) -> bool {
    use TokenKind::{BasicString, Comment, LeftCurlyBracket, LiteralString, Newline};
    tokens[at].kind == TokenKind::LeftSquareBracket
        && matches!(tokens[at + 1].kind, Newline | Comment | BasicString | LiteralString | LeftCurlyBracket)
}

/// The token after the dotted key that starts at `at`; `None` if there is no key.
fn dotted_key(tokens: &[Token], mut at: usize) -> Option<usize> {
    loop {
        if !matches!(tokens[at].kind, TokenKind::Atom | TokenKind::BasicString | TokenKind::LiteralString) {
            return None;
        }
        at += 1;
        if tokens[at].kind != TokenKind::Dot {
            return Some(at);
        }
        at += 1;
    }
}
