//! Comments that suppress findings: `# cfg: ignore[PRL301] reason`.

use cfg_diag::Span;
use memchr::memmem;

use crate::lexer::TokenKind;
use crate::{Document, brackets, tokens::tokenize};

/// A comment that suppresses findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// From its own `#` to the end of the comment. The part of the comment before it is ignored.
    pub span: Span,
    /// The suppressed names, as they are written; empty if the brackets are missing.
    pub ignored: Vec<Ignored>,
    /// The lines in which they are suppressed.
    pub scope: Scope,
}

/// One entry between the brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// A code, a name, or the beginning of codes.
    pub name: Box<str>,
    /// Its span.
    pub span: Span,
}

/// The part of a file in which a suppression applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Findings that begin in these lines: the lines of the statement that the comment follows or precedes; for a comment inside
    /// brackets, its own line.
    Lines(Span),
    /// The whole file: `ignore-file` above the first key and the first header.
    File,
    /// No part: an `ignore` with nothing below it, or an `ignore-file` that is not at the top.
    Nothing,
}

/// The start of our comments, after a `#`.
const MARK: &str = "cfg:";

/// The suppressions of a text, in its order. `document` is the parsed text.
pub fn suppressions(text: &str, document: &Document) -> Vec<Suppression> {
    if memmem::find(text.as_bytes(), MARK.as_bytes()).is_none() {
        return Vec::new();
    }
    let found: Vec<IgnoreComment> = document.comments.iter().filter_map(|&comment| read(text, comment)).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let statements = statements(text);
    let top = statements.first().map_or(u32::MAX, |first| first.start);
    // From the last to the first: consecutive comment lines apply to the same lines.
    let mut below = None;
    let finish = |found: IgnoreComment| {
        let scope = match found.is_for_file {
            true if found.span.start < top => Scope::File,
            true => Scope::Nothing,
            false => lines(text, &statements, found.comment, &mut below),
        };
        Suppression { span: found.span, ignored: found.ignored, scope }
    };
    let mut suppressions: Vec<Suppression> = found.into_iter().rev().map(finish).collect();
    suppressions.reverse();
    suppressions
}

struct IgnoreComment {
    comment: Span,
    span: Span,
    is_for_file: bool,
    ignored: Vec<Ignored>,
}

/// Reads a comment: `# why  # cfg: ignore[PRL301, unknown-key] reason`.
fn read(text: &str, comment: Span) -> Option<IgnoreComment> {
    let words = &text[comment.range()];
    let is_ours = |at: usize| words[at + 1..].trim_start_matches([' ', '\t']).strip_prefix(MARK).map(|rest| (at, rest));
    let (at, rest) = words.match_indices('#').find_map(|(at, _)| is_ours(at))?;
    let rest = rest.trim_start().strip_prefix("ignore")?;
    let (is_for_file, rest) = rest.strip_prefix("-file").map_or((false, rest), |rest| (true, rest));
    if rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '_')) {
        return None;
    }
    let inner = rest.trim_start().strip_prefix('[').and_then(|inner| inner.split_once(']')).map_or("", |(inner, _)| inner);
    let mut ignored = Vec::new();
    // The offset of the first part in the text, computed from the length of the rest of the comment.
    let mut from = comment.end as usize - rest.len() + (rest.len() - rest.trim_start().len()) + 1;
    for part in inner.split(',') {
        let start = from + part.len() - part.trim_start().len();
        let name = part.trim();
        if !name.is_empty() {
            ignored.push(Ignored { name: name.into(), span: Span::from(start..start + name.len()) });
        }
        from += part.len() + 1;
    }
    Some(IgnoreComment { comment, span: Span::new(comment.start + at as u32, comment.end), is_for_file, ignored })
}

/// The scope of a comment on a line of its own or behind a statement. `below` caches the result for the next comment that has a line
/// of its own: the start of that line, and its scope.
fn lines(text: &str, statements: &[Span], comment: Span, below: &mut Option<(usize, Scope)>) -> Scope {
    let start = cfg_diag::line_start(text, comment.start as usize);
    let line = Span::from(start..comment.end as usize);
    let is_behind = !text[start..comment.start as usize].trim().is_empty();
    let around = |offset: u32| {
        let before = statements.partition_point(|statement| statement.start <= offset);
        before.checked_sub(1).map(|at| &statements[at]).filter(|statement| offset <= statement.end)
    };
    if is_behind {
        let whole = around(comment.start).filter(|statement| statement.end <= comment.end);
        return Scope::Lines(whole.map_or(line, |statement| Span::new(statement.start, comment.end)));
    }
    let mut scope = Scope::Nothing;
    // Comments between this one and the statement are skipped.
    let mut at = comment.end as usize;
    while let Some(newline) = text[at..].find('\n') {
        let start = at + newline + 1;
        if let Some((_, known)) = below.filter(|(line, _)| *line == start) {
            scope = known;
            break;
        }
        let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        match text[start..end].trim() {
            "" => break,
            below if below.starts_with('#') => at = end,
            _ => {
                let whole = around(start as u32).filter(|statement| statement.start as usize == start);
                scope = Scope::Lines(whole.copied().unwrap_or(Span::from(start..end)));
                break;
            }
        }
    }
    *below = Some((start, scope));
    scope
}

/// The lines of each header and each `key = value`, from the start of the first to the end of the last, comments included.
pub fn statements(text: &str) -> Vec<Span> {
    let mut tokens = tokenize(text);
    brackets::link(text, &mut tokens);
    let tokens = tokens.list;
    let mut statements = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if matches!(tokens[at].kind, TokenKind::Newline | TokenKind::Comment | TokenKind::Eof) {
            at += 1;
            continue;
        }
        let start = cfg_diag::line_start(text, tokens[at].start as usize);
        while !matches!(tokens[at].kind, TokenKind::Newline | TokenKind::Eof) {
            let token = tokens[at];
            let opens = matches!(token.kind, TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket);
            at = if opens && token.closed && token.link as usize > at { token.link as usize } else { at } + 1;
        }
        statements.push(Span::new(start as u32, tokens[at].start));
    }
    statements
}
