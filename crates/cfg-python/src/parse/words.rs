//! The tokens of a function that affect its result.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;

/// Calls that only log have no effect.
const LOGGERS: [&str; 4] = ["logger", "logging", "log", "warnings"];

/// The tokens of a function, from its name on, that affect its result: without comments, its docstring, error messages and log calls. Ends of lines
/// and blocks are tokens as well.
pub(crate) fn deciding_words(source: &str) -> Vec<&str> {
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
    let is_space = |kind: TokenKind| matches!(kind, TokenKind::Comment | TokenKind::NonLogicalNewline);
    let tokens: Vec<(TokenKind, &str)> = parsed
        .tokens()
        .iter()
        .filter(|token| !is_space(token.kind()))
        .map(|token| (token.kind(), source.get(token.range().to_std_range()).unwrap_or_default()))
        .collect();
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
    use super::deciding_words;

    /// The tokens of a function that affect its revision, as one text.
    fn counts(source: &str) -> String {
        deciding_words(source).join(" ")
    }

    const PLAIN: &str = "check(self):\n        if self.a > 1:\n            raise ValueError(\"too much\")\n        return self\n";

    #[test]
    fn what_decides_nothing_does_not_count() {
        for same in [
            "check(self):\n    if self.a > 1:\n        raise ValueError(f\"{self.a} is too much\")\n    return self\n",
            "check(self):\n        \"\"\"Says what it does.\"\"\"\n        # why\n        if self.a > 1:\n            raise ValueError(\n                \"no\"\n            )\n        return self\n",
            "check(self):\n        if self.a   >  1:\n            logger.info(\"so\")\n            raise ValueError(\"too much\")\n        return self\n",
        ] {
            assert_eq!(counts(same), counts(PLAIN), "{same}");
        }
    }

    #[test]
    fn what_decides_counts() {
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
