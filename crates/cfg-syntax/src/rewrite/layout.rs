//! The layout of a text: its sections, and the statements of each.

use std::{cell::OnceCell, collections::HashMap};

use cfg_diag::Span;
use foldhash::fast::RandomState;

use crate::lexer::TokenKind;
use crate::tokens::{Token, tokenize};
use crate::{Dialect, Key, brackets, string};

/// The keys from the root down; the name of an array of tables is followed by the index of a table.
pub(super) type Path = Vec<Box<str>>;

/// A text in lines.
#[derive(Debug)]
pub(super) struct Layout<'t> {
    pub(super) text: &'t str,
    pub(super) dialect: Dialect,
    pub(super) tokens: Vec<Token>,
    /// The content below each header. The first has no header: it is the start of the text.
    pub(super) sections: Vec<Section>,
    /// The arrays written by `[[headers]]`, each with its number of tables.
    arrays: HashMap<Path, usize, RandomState>,
    /// The places in a long text, by their paths; a short one is searched.
    places: OnceCell<Places>,
    /// The line end of a new line that has no neighbour.
    end: &'static str,
}

/// Where the paths of a text are written.
#[derive(Debug, Default)]
struct Places {
    /// The section and the position of the first statement with each full path.
    statements: HashMap<Path, (usize, usize), RandomState>,
    /// The first section of each path.
    sections: HashMap<Path, usize, RandomState>,
    /// The sections with a header, in the order of their paths.
    headers: Vec<(Path, usize)>,
    /// The sections and positions of the statements with a dotted key, in the order of their full paths.
    dotted: Vec<(Path, (usize, usize))>,
}

/// A text with more sections and statements is indexed before the first path is looked up in it.
const SHORT: usize = 256;

/// The bytes of text that are read in the time that one path takes in the index.
const BYTES_OF_PATH: usize = 32;

/// A header and the statements below it.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) path: Path,
    pub(super) header: Option<Head>,
    pub(super) statements: Vec<Statement>,
}

/// A header.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) keys: Vec<Key>,
    /// The length of the section's path after each of the keys.
    pub(super) depths: Vec<usize>,
    pub(super) line: Line,
}

/// A `key = value`.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) keys: Vec<Key>,
    pub(super) value: Span,
    /// The first token of the value.
    pub(super) token: usize,
    pub(super) line: Line,
}

/// The lines of a header or statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// From the first character of the first line to the end of the last, with its line end.
    pub(super) span: Span,
    /// The comment after it.
    pub(super) comment: Option<Span>,
}

impl<'t> Layout<'t> {
    /// `None` if the text is not TOML.
    pub(super) fn new(text: &'t str, dialect: Dialect) -> Option<Self> {
        Self::with_line_end(text, dialect, first_line_end(text))
    }

    /// The layout of some lines of a text; `end` is the line end of the text's first line. `None`
    /// if they are not TOML.
    pub(super) fn with_line_end(text: &'t str, dialect: Dialect, end: &'static str) -> Option<Self> {
        if text.len() >= u32::MAX as usize {
            return None;
        }
        let mut tokens = tokenize(text);
        if tokens.is_cut || !brackets::link(text, &mut tokens).is_empty() {
            return None;
        }
        let root = Section { path: Path::new(), header: None, statements: Vec::new() };
        let (arrays, places) = (HashMap::default(), OnceCell::new());
        let mut layout = Self { text, dialect, tokens: tokens.list, sections: vec![root], arrays, places, end };
        let mut at = 0;
        while layout.kind(at) != TokenKind::Eof {
            at = match layout.kind(at) {
                TokenKind::Newline | TokenKind::Comment => at + 1,
                TokenKind::LeftSquareBracket => layout.header(at)?,
                _ => layout.statement(at)?,
            };
        }
        Some(layout)
    }

    pub(super) fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::Eof, |token| token.kind)
    }

    pub(super) fn slice(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    fn header(&mut self, opening: usize) -> Option<usize> {
        let is_array = self.kind(opening + 1) == TokenKind::LeftSquareBracket;
        let (keys, mut at) = self.keys(opening + 1 + usize::from(is_array))?;
        for _ in 0..=usize::from(is_array) {
            at = (self.kind(at) == TokenKind::RightSquareBracket).then_some(at + 1)?;
        }
        let line = self.line(opening, at)?;
        let (mut path, mut depths) = (Path::new(), Vec::new());
        for (position, key) in keys.iter().enumerate() {
            path.push(key.text.clone());
            depths.push(path.len());
            let is_last = position + 1 == keys.len();
            if is_array && is_last {
                *self.arrays.entry(path.clone()).or_insert(0) += 1;
            }
            if !self.arrays.is_empty()
                && let Some(count) = self.arrays.get(&path)
            {
                path.push((count - 1).to_string().into());
            }
        }
        self.sections.push(Section { path, header: Some(Head { keys, depths, line }), statements: Vec::new() });
        self.next_line(at)
    }

    fn statement(&mut self, first: usize) -> Option<usize> {
        let (keys, equals) = self.keys(first)?;
        let token = (self.kind(equals) == TokenKind::Equals).then_some(equals + 1)?;
        let end = self.value_end(token)?;
        let value = Span::new(self.tokens[token].start, self.tokens[end - 1].end);
        let line = self.line(first, end)?;
        self.sections.last_mut()?.statements.push(Statement { keys, value, token, line });
        self.next_line(end)
    }

    /// The parts of a dotted key, and the token after it.
    pub(super) fn keys(&self, first: usize) -> Option<(Vec<Key>, usize)> {
        let (mut keys, mut at) = (Vec::with_capacity(1), first);
        loop {
            let token = *self.tokens.get(at)?;
            let raw = self.slice(token.span());
            let text = match token.kind {
                TokenKind::Atom => raw.into(),
                TokenKind::BasicString | TokenKind::LiteralString if token.closed => {
                    string::decode(raw, token.kind, self.dialect).0
                }
                _ => return None,
            };
            keys.push(Key { text, span: token.span() });
            if self.kind(at + 1) != TokenKind::Dot {
                return Some((keys, at + 1));
            }
            at += 2;
        }
    }

    /// The token after the value that begins at a token.
    pub(super) fn value_end(&self, first: usize) -> Option<usize> {
        let token = *self.tokens.get(first)?;
        match token.kind {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => token.closed.then_some(token.link as usize + 1),
            TokenKind::Atom => {
                // Numbers and dates: everything up to the next punctuation.
                let more = self.tokens[first..].iter().take_while(|token| matches!(token.kind, TokenKind::Atom | TokenKind::Dot));
                Some(first + more.count())
            }
            TokenKind::BasicString | TokenKind::LiteralString | TokenKind::MlBasicString | TokenKind::MlLiteralString => {
                token.closed.then_some(first + 1)
            }
            _ => None,
        }
    }

    /// The lines from the token `first` to the token before `behind`.
    fn line(&self, first: usize, behind: usize) -> Option<Line> {
        let has_comment = self.kind(behind) == TokenKind::Comment;
        let comment = has_comment.then(|| self.tokens[behind].span());
        let end = self.tokens.get(behind + usize::from(has_comment))?;
        let end = match end.kind {
            TokenKind::Newline | TokenKind::Eof => end.end,
            _ => return None,
        };
        let start = self.line_start(self.tokens[first].start);
        Some(Line { span: Span::new(start, end), comment })
    }

    fn next_line(&self, behind: usize) -> Option<usize> {
        let at = behind + usize::from(self.kind(behind) == TokenKind::Comment);
        matches!(self.kind(at), TokenKind::Newline | TokenKind::Eof).then_some(at)
    }

    /// The start of the line of an offset; a byte order mark is not part of the first line.
    pub(super) fn line_start(&self, offset: u32) -> u32 {
        let before = &self.text[..offset as usize];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1) as u32;
        start.max(self.begin().min(offset))
    }

    /// The start of the text, after a byte order mark.
    pub(super) fn begin(&self) -> u32 {
        if self.text.starts_with('\u{feff}') { 3 } else { 0 }
    }

    pub(super) fn statement_of(&self, path: &[Box<str>]) -> Option<(usize, usize)> {
        if let Some(places) = self.places() {
            return places.statements.get(path).copied();
        }
        self.sections.iter().enumerate().find_map(|(number, section)| {
            let rest = path.strip_prefix(&section.path[..])?;
            let is_it = |statement: &Statement| statement.keys.iter().map(|key| &key.text).eq(rest);
            Some((number, section.statements.iter().position(is_it)?))
        })
    }

    /// The section whose header writes a table; for the root, the section at the start of the text.
    pub(super) fn section_of(&self, path: &[Box<str>]) -> Option<usize> {
        match self.places() {
            Some(places) => places.sections.get(path).copied(),
            None => self.sections.iter().position(|section| section.path == path),
        }
    }

    /// The places by their paths, if the text is long.
    fn places(&self) -> Option<&Places> {
        let is_short = || {
            let count = |section: &Section| 1 + section.statements.len();
            self.sections.iter().map(count).sum::<usize>() <= SHORT
        };
        if self.places.get().is_none() && is_short() {
            return None;
        }
        Some(self.places.get_or_init(|| {
            let mut places = Places::default();
            for (number, section) in self.sections.iter().enumerate() {
                places.sections.entry(section.path.clone()).or_insert(number);
                places.headers.extend(section.header.is_some().then(|| (section.path.clone(), number)));
                for (position, statement) in section.statements.iter().enumerate() {
                    let keys = statement.keys.iter().map(|key| &key.text);
                    let path: Path = section.path.iter().chain(keys).cloned().collect();
                    if statement.keys.len() > 1 {
                        places.dotted.push((path.clone(), (number, position)));
                    }
                    places.statements.entry(path).or_insert((number, position));
                }
            }
            places.headers.sort_unstable();
            places.dotted.sort_unstable();
            places
        }))
    }

    /// The bytes that were read, and those that could have been read while it was indexed.
    pub(super) fn cost(&self) -> usize {
        let paths = self.places.get().map_or(0, |places| places.statements.len() + places.headers.len());
        self.text.len() + BYTES_OF_PATH * paths
    }

    /// Whether the array at a path is written by `[[headers]]`.
    pub(super) fn is_array(&self, path: &[Box<str>]) -> bool {
        self.arrays.contains_key(path)
    }

    /// The statements whose dotted keys lead through `path`, and the sections at or below it.
    pub(super) fn below(&self, path: &[Box<str>]) -> Below {
        if let Some(places) = self.places() {
            let mut statements: Vec<(usize, usize)> = self.through(places, path).collect();
            let mut sections: Vec<usize> = beginning_with(&places.headers, path).iter().map(|(_, section)| *section).collect();
            statements.sort_unstable();
            sections.sort_unstable();
            return Below { statements, sections };
        }
        self.searched_below(path)
    }

    /// As [`below`](Self::below), without the index of a long text.
    fn searched_below(&self, path: &[Box<str>]) -> Below {
        let (mut statements, mut sections) = (Vec::new(), Vec::new());
        for (number, section) in self.sections.iter().enumerate() {
            if section.header.is_some() && section.path.starts_with(path) {
                sections.push(number);
                continue;
            }
            let Some(rest) = path.strip_prefix(&section.path[..]).filter(|rest| !rest.is_empty()) else { continue };
            let goes_through = |statement: &Statement| {
                statement.keys.len() > rest.len() && rest.iter().zip(&statement.keys).all(|(part, key)| *part == key.text)
            };
            let through = section.statements.iter().enumerate().filter(|(_, statement)| goes_through(statement));
            statements.extend(through.map(|(position, _)| (number, position)));
        }
        Below { statements, sections }
    }

    /// How many statements and sections [`below`](Self::below) finds.
    pub(super) fn counts_below(&self, path: &[Box<str>]) -> (usize, usize) {
        if let Some(places) = self.places() {
            return (self.through(places, path).count(), beginning_with(&places.headers, path).len());
        }
        let below = self.searched_below(path);
        (below.statements.len(), below.sections.len())
    }

    /// The statements in sections above a path whose dotted keys lead through it.
    fn through(&self, places: &Places, path: &[Box<str>]) -> impl Iterator<Item = (usize, usize)> {
        let longer = beginning_with(&places.dotted, path).iter().filter(|(full, _)| full.len() > path.len());
        longer.map(|(_, place)| *place).filter(|(section, _)| self.sections[*section].path.len() < path.len())
    }

    /// The keys of a path without the indices of arrays of tables, as a header writes them.
    pub(super) fn written<'p>(&self, path: &'p [Box<str>]) -> Vec<&'p str> {
        let is_index = |at: usize| at > 0 && self.arrays.contains_key(&path[..at]);
        (0..path.len()).filter(|&at| !is_index(at)).map(|at| &*path[at]).collect()
    }

    /// The lines of the last statement of a section, or of its header if it has none.
    pub(super) fn last_line(&self, section: usize) -> Option<Line> {
        let section = &self.sections[section];
        let statement = section.statements.last().map(|statement| statement.line);
        statement.or(section.header.as_ref().map(|header| header.line))
    }

    /// The text before the first visible character of a line.
    pub(super) fn indentation(&self, line: Line) -> &'t str {
        let text = self.slice(line.span);
        &text[..text.len() - text.trim_start_matches([' ', '\t']).len()]
    }

    /// The line end of a line, or that of the text's first line if it has none.
    pub(super) fn line_end(&self, line: Option<Line>) -> &'static str {
        let own = line.map(|line| self.slice(line.span)).filter(|text| text.ends_with('\n'));
        own.map_or(self.end, |text| if text.ends_with("\r\n") { "\r\n" } else { "\n" })
    }

    /// The comments that begin within a span.
    pub(super) fn comments_in(&self, span: Span) -> impl Iterator<Item = Span> {
        let from = self.tokens.partition_point(|token| token.start < span.start);
        let within = self.tokens[from..].iter().take_while(move |token| token.start < span.end);
        within.filter(|token| token.kind == TokenKind::Comment).map(|token| token.span())
    }
}

/// Those of some places in the order of their paths whose paths begin with `path`.
fn beginning_with<'p, P>(places: &'p [(Path, P)], path: &[Box<str>]) -> &'p [(Path, P)] {
    let from = &places[places.partition_point(|(own, _)| own.as_slice() < path)..];
    &from[..from.partition_point(|(own, _)| own.starts_with(path))]
}

/// The line end of a text's first line.
pub(super) fn first_line_end(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// The content below a path.
pub(super) struct Below {
    /// The section and the position of each statement.
    pub(super) statements: Vec<(usize, usize)>,
    pub(super) sections: Vec<usize>,
}

impl Below {
    pub(super) fn is_empty(&self) -> bool {
        self.statements.is_empty() && self.sections.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::{Layout, SHORT};
    use crate::Dialect;

    #[test]
    fn the_index_of_a_long_text_finds_what_a_search_finds() {
        let mut text = "a.b.c = 1\na.d = 1\nx = 1\n".to_owned();
        for number in 0..SHORT / 4 {
            let _ = write!(
                text,
                "[t.s{number}]\nk = 1\no.p = 1\no.q.r = 1\n[[e.l]]\ni.j = 1\n[e.l.m]\nn.o = 1\n[v.w.s{number}.x]\ny = 1\n"
            );
        }
        text += "[v.w]\ns1.z = 1\nu.t = 1\n[a.f]\n";
        let layout = Layout::new(&text, Dialect::Toml11).expect("it is TOML");
        assert!(layout.places().is_some());
        for section in &layout.sections {
            for statement in &section.statements {
                let path: Vec<_> = section.path.iter().chain(statement.keys.iter().map(|key| &key.text)).cloned().collect();
                for length in 0..=path.len() {
                    let (found, searched) = (layout.below(&path[..length]), layout.searched_below(&path[..length]));
                    assert_eq!((&found.statements, &found.sections), (&searched.statements, &searched.sections), "{path:?}");
                    let counts = (searched.statements.len(), searched.sections.len());
                    assert_eq!(layout.counts_below(&path[..length]), counts, "{path:?}");
                }
            }
        }
    }
}
