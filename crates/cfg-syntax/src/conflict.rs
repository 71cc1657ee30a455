//! Finds the marks that git leaves in a text where it could not merge.

use cfg_diag::Span;
use memchr::memmem;

use crate::{
    lexer::TokenKind,
    tokens::{Token, tokenize},
};

/// The marks around the sides of a conflict. A line of `=======` alone may also be something else.
const SIDES: [&str; 3] = ["<<<<<<<", "|||||||", ">>>>>>>"];

/// The first mark of a conflict that is not resolved, in a text that can't be parsed. In a valid text such lines can only be in a string.
pub fn conflict(text: &str) -> Option<Span> {
    if !SIDES.iter().any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some()) {
        return None;
    }
    let is_string = |kind: TokenKind| matches!(kind, TokenKind::MlLiteralString | TokenKind::MlBasicString);
    let tokens = tokenize(text).list.into_iter();
    let strings: Vec<Span> = tokens.filter(|token| token.closed && is_string(token.kind)).map(Token::span).collect();
    // They are in the order of the text.
    let is_outside = |at: usize| {
        let before = strings.partition_point(|string| string.start as usize <= at);
        before.checked_sub(1).is_none_or(|last| strings[last].end as usize <= at)
    };
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        (at - line.len(), line.trim_end_matches(['\r', '\n']))
    });
    let marks: Vec<(usize, &str)> = lines.filter(|(at, line)| is_mark(line) && is_outside(*at)).collect();
    let &(start, line) = marks.first().filter(|_| marks.iter().any(|(_, line)| is_side(line)))?;
    Some((start..start + line.len()).into())
}

/// The help for the finding about it.
pub(crate) const HELP: &str =
    "keep what is right of both sides, and delete the lines that begin with `<<<<<<<`, `|||||||`, `=======` and `>>>>>>>`";

fn is_mark(line: &str) -> bool {
    line == "=======" || is_side(line)
}

fn is_side(line: &str) -> bool {
    SIDES.iter().any(|mark| line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

#[cfg(test)]
mod tests {
    use cfg_diag::{FileId, codes};

    use crate::{Dialect, parse};

    fn found(text: &str) -> Vec<(&'static str, usize)> {
        let (_, diagnostics) = parse(FileId(0), text, Dialect::Toml10);
        let line = |found: &cfg_diag::Diagnostic| {
            found.location.map_or(0, |at| text[..at.span.start as usize].matches('\n').count() + 1)
        };
        diagnostics.iter().map(|found| (found.code.code, line(found))).collect()
    }

    #[test]
    fn a_conflict_is_one_error_at_its_first_mark() {
        let conflict = codes::MERGE_CONFLICT.code;
        for (text, line) in [
            ("a = 1\n<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> branch\nc = 1\n", 2),
            ("a = 1\r\n<<<<<<< HEAD\r\nb = 2\r\n=======\r\nb = 3\r\n>>>>>>> branch\r\n", 2),
            ("<<<<<<< HEAD\nb = 2\n||||||| 1234567\nb = 1\n=======\nb = 3\n>>>>>>> branch", 1),
            ("a = [\n<<<<<<< HEAD\n1,\n=======\n2,\n>>>>>>> branch\n]\n", 2),
            ("# /// config\n<<<<<<< HEAD\n# a = 1\n=======\n# a = 2\n>>>>>>> x\n# ///\nb = 1\n", 2),
            ("a = 1\n=======\nb = 2\n>>>>>>> branch\n", 2),
            ("a = 1\n>>>>>>> branch\nb = = 2\n", 2),
            ("t = \"\"\"\n<<<<<<< a\n\"\"\"\n<<<<<<< HEAD\nb = 2\n=======\n>>>>>>> branch\n", 4),
        ] {
            assert_eq!(found(text), [(conflict, line)], "{text}");
        }
    }

    #[test]
    fn other_lines_are_no_conflict() {
        for text in [
            "t = \"\"\"\n<<<<<<< HEAD\n=======\n>>>>>>> branch\n\"\"\"\n",
            "t = '''\n<<<<<<< HEAD\n=======\n>>>>>>> branch\n'''\nb = = 2\n",
            "# <<<<<<< HEAD\nb = = 1\n",
            "a = 1\n=======\nb = 2\n",
            "<<<<<<<< a\n",
            " <<<<<<< a\n",
        ] {
            assert!(found(text).iter().all(|(code, _)| *code != codes::MERGE_CONFLICT.code), "{text}");
        }
    }
}
