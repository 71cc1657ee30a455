//! The tokens of a function that affect its result.

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;

/// A token, and its text.
type Word<'t> = (TokenKind, &'t str);

/// The tokens of a module, without comments and blank lines.
#[derive(Debug)]
pub(crate) struct Tokens(Box<[Token]>);

impl Tokens {
    /// Their number.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn new(all: &[Token]) -> Self {
        Self(all.iter().filter(|token| !is_space(token.kind())).copied().collect())
    }

    /// The statements, and the headers of blocks, without the marks of blocks around them.
    fn statements(&self) -> impl Iterator<Item = &[Token]> {
        let lines = self.0.split_inclusive(|token| token.kind() == TokenKind::Newline);
        lines.map(|line| {
            let is_mark = |token: &&Token| matches!(token.kind(), TokenKind::Indent | TokenKind::Dedent);
            &line[line.iter().take_while(is_mark).count()..]
        })
    }

    /// The tokens of a function: `span` is the part of the module's text from its name to its end.
    fn of_function<'t>(&self, text: &'t str, (from, to): (u32, u32)) -> Vec<Word<'t>> {
        let source = text.get(from as usize..to as usize).unwrap_or_default();
        let first = self.0.partition_point(|token| token.start().to_u32() < from);
        let own = self.0[first..].iter().take_while(|token| token.end().to_u32() <= to);
        let mut words: Vec<Word<'t>> = own.map(|token| word(token, text)).collect();
        let header = words.iter().position(|(kind, _)| *kind == TokenKind::Newline);
        let header = self.0[first..].get(header.unwrap_or(words.len()));
        let header = header.and_then(|end| text.get(from as usize..end.start().to_usize())).unwrap_or(source);
        if header.contains('\n') {
            return alone(source);
        }
        // The end of the text ends the last line and all blocks.
        if words.last().is_some_and(|(kind, _)| !matches!(kind, TokenKind::Newline | TokenKind::Dedent)) {
            words.push((TokenKind::Newline, ""));
        }
        let count = |of| words.iter().filter(|(kind, _)| *kind == of).count();
        let open = count(TokenKind::Indent).saturating_sub(count(TokenKind::Dedent));
        words.extend(std::iter::repeat_n((TokenKind::Dedent, ""), open));
        words
    }
}

/// The tokens of a function whose text is read alone: revisions were recorded this way. A text that begins with a name in place of `def` is not
/// valid, and where its parameters take several lines, the parser ends some of these.
fn alone(source: &str) -> Vec<Word<'_>> {
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
    parsed.tokens().iter().filter(|token| !is_space(token.kind())).map(|token| word(token, source)).collect()
}

fn word<'t>(token: &Token, text: &'t str) -> Word<'t> {
    (token.kind(), text.get(token.range().to_std_range()).unwrap_or_default())
}

fn is_space(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Comment | TokenKind::NonLogicalNewline)
}

/// The names of loggers, whose calls have no effect.
const LOGGERS: [&str; 4] = ["logger", "logging", "log", "warnings"];

/// The tokens of a function that affect its result: without comments, its docstring, error messages and log calls. Ends of lines and blocks are
/// tokens as well. `span` is the part of the module's text from its name to its end.
pub(crate) fn deciding_words<'t>(tokens: &Tokens, text: &'t str, span: (u32, u32)) -> Vec<&'t str> {
    deciding(&tokens.of_function(text, span))
}

/// The tokens of the statement on a line of a module: the line counts from 1, and need not be the first of the statement.
pub(crate) fn statement_words<'t>(tokens: &Tokens, text: &'t str, line: u32) -> Vec<&'t str> {
    let before = (line as usize).saturating_sub(2);
    let from = if line < 2 { 0 } else { text.match_indices('\n').nth(before).map_or(text.len(), |(at, _)| at + 1) };
    let ends_before = |statement: &&[Token]| statement.last().is_some_and(|last| last.end().to_usize() <= from);
    let found = tokens.statements().find(|statement| !ends_before(statement));
    deciding(&found.unwrap_or_default().iter().map(|token| word(token, text)).collect::<Vec<_>>())
}

/// The tokens of all statements of a module that mention a name.
pub(crate) fn words_about<'t>(tokens: &Tokens, text: &'t str, name: &str) -> Vec<&'t str> {
    let words = tokens.statements().map(|statement| statement.iter().map(|token| word(token, text)).collect::<Vec<_>>());
    words.filter(|words| words.iter().any(|(_, word)| *word == name)).flat_map(|words| deciding(&words)).collect()
}

fn deciding<'t>(tokens: &[Word<'t>]) -> Vec<&'t str> {
    let mut words = Vec::new();
    let (mut at, mut begins) = (0, false);
    while let Some(&(kind, word)) = tokens.get(at) {
        let ends = |(kind, _): &(TokenKind, &str)| *kind == TokenKind::Newline;
        let end = || tokens[at..].iter().position(ends).map_or(tokens.len(), |end| at + end);
        let is_description = begins && kind == TokenKind::String && tokens.get(at + 1).is_some_and(ends);
        let follows = |mark: &str, by: usize| tokens.get(at + by).is_some_and(|(_, word)| *word == mark);
        let is_log_call = begins && LOGGERS.contains(&word) && follows(".", 1) && follows("(", 3);
        if is_description || is_log_call {
            at = end() + 1;
            continue;
        }
        // The width of an indentation has no meaning.
        let mark = match kind {
            TokenKind::Newline => Some("\n"),
            TokenKind::Indent => Some("{"),
            TokenKind::Dedent => Some("}"),
            _ => None,
        };
        begins = mark.is_some();
        words.push(mark.unwrap_or(word));
        if kind == TokenKind::Raise {
            // The type of an exception matters, its message does not.
            words.extend(tokens.get(at + 1).filter(|(kind, _)| *kind == TokenKind::Name).map(|(_, word)| *word));
            at = end();
        } else {
            at += 1;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{alone, deciding};
    use crate::{
        ast::StmtKind,
        parse::{Parsed, module},
    };

    /// The tokens of a function that affect its revision, as one text.
    fn counts(source: &str) -> String {
        deciding(&alone(source)).join(" ")
    }

    #[test]
    fn a_function_has_the_same_tokens_in_its_module_as_alone() {
        let text = "class A:\n    @validator\n    def one(self) -> bool:  # why\n        if self.a:\n            return [\n                \
            1,\n            ]\n\n        # so\n        with b() as c:\n            return c\n\n    def two(self): return 1;\n\n    \
            async def three(\n        self, a: int,\n        b: dict[str, int] | None = None,\n    ) -> int:\n        \"\"\"Says it.\n\n        \
            More.\n        \"\"\"\n        for one in a:\n            if one: return f\"{one}\\n{self.b}\"\n    # After it.\n\n    x = 1\n\ndef \
            four(a: int, *, b=2): \\\n    return a\ndef five():\n\tif a:\n\t\tpass";
        let Parsed { body, tokens } = module(text, usize::MAX).expect("it is valid");
        let class = body.iter().find_map(|stmt| if let StmtKind::Class(class) = &stmt.kind { Some(class) } else { None });
        let all = class.expect("it is there").body.iter().chain(&body);
        let functions = all.filter_map(|stmt| if let StmtKind::Function(function) = &stmt.kind { Some(function) } else { None });
        let mut compared = 0;
        for function in functions {
            let (from, to) = function.span;
            let here = tokens.of_function(text, function.span);
            assert_eq!(here, alone(&text[from as usize..to as usize]), "{}", function.name);
            compared += 1;
        }
        assert_eq!(compared, 5);
    }

    const PLAIN: &str = "check(self):\n        if self.a > 1:\n            raise ValueError(\"too much\")\n        return self\n";

    #[test]
    fn code_without_effect_does_not_change_a_revision() {
        for same in [
            "check(self):\n    if self.a > 1:\n        raise ValueError(f\"{self.a} is too much\")\n    return self\n",
            "check(self):\n        \"\"\"Says what it does.\"\"\"\n        # why\n        if self.a > 1:\n            raise ValueError(\n                \"no\"\n            )\n        return self\n",
            "check(self):\n        if self.a   >  1:\n            logger.info(\"so\")\n            raise ValueError(\"too much\")\n        return self\n",
        ] {
            assert_eq!(counts(same), counts(PLAIN), "{same}");
        }
    }

    #[test]
    fn code_with_effect_changes_a_revision() {
        for other in [
            "check(self):\n        log = self.log\n        log.level = 1\n        if self.a > 1:\n            raise ValueError(\"too much\")\n        return self\n",
            "check(self):\n        if self.a > 2:\n            raise ValueError(\"too much\")\n        return self\n",
            "check(self):\n        if self.b > 1:\n            raise ValueError(\"too much\")\n        return self\n",
            "check(self):\n        if self.a > 1:\n            pass\n        raise ValueError(\"too much\")\n        return self\n",
            "check(self):\n        if self.a > 1 and not self.b:\n            raise ValueError(\"too much\")\n        return self\n",
            "check(self):\n        return self\n        if self.a > 1:\n            raise ValueError(\"too much\")\n        return self\n",
        ] {
            assert_ne!(counts(other), counts(PLAIN), "{other}");
        }
    }
}
