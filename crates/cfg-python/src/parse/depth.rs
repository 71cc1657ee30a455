//! How deep a text is nested.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// The limit of nested tokens in one statement: the tree is read recursively, and code that people write is nested far less.
const MAX_NESTED: usize = 500;

/// The limit of indented blocks; Python itself allows a hundred.
const MAX_INDENTED: usize = 60;

/// Whether no statement is nested so deep that reading it would need much of the stack, and there are at most `most` tokens: a tree needs far more
/// memory than its text.
pub(super) fn is_shallow(text: &str, mode: Mode, most: usize) -> Result<(), String> {
    /// The tokens since the last open bracket, or since the last comma in it; and the lambdas among them, which continue after a comma.
    #[derive(Clone, Copy, Default)]
    struct Open {
        words: usize,
        lambdas: usize,
    }
    let mut lexer = lexer::lex(text, mode);
    let mut open = vec![Open::default()];
    let (mut indented, mut nested, mut tokens) = (0_usize, 0_usize, 0_usize);
    loop {
        tokens += 1;
        if tokens > most {
            return Err("it is too long".to_owned());
        }
        let mut innermost = open.pop().unwrap_or_default();
        match lexer.next_token() {
            TokenKind::EndOfFile => return Ok(()),
            TokenKind::Newline => {
                open.clear();
                innermost = Open::default();
                nested = 0;
            }
            TokenKind::Comma | TokenKind::Semi => {
                nested = nested + innermost.lambdas - innermost.words;
                innermost.words = innermost.lambdas;
            }
            TokenKind::Indent => indented += 1,
            TokenKind::Dedent => indented = indented.saturating_sub(1),
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace | TokenKind::FStringStart | TokenKind::TStringStart => {
                open.push(innermost);
                innermost = Open { words: 1, lambdas: 1 };
                nested += 1;
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace | TokenKind::FStringEnd | TokenKind::TStringEnd
                if !open.is_empty() =>
            {
                nested -= innermost.words;
                innermost = open.pop().unwrap_or_default();
                // A closed expression may begin the next one: `f()()()`.
                innermost.words += 1;
                nested += 1;
            }
            kind => {
                innermost.words += 1;
                innermost.lambdas += usize::from(kind == TokenKind::Lambda);
                nested += 1;
            }
        }
        open.push(innermost);
        if nested > MAX_NESTED || indented > MAX_INDENTED {
            return Err("it is nested too deeply".to_owned());
        }
    }
}
