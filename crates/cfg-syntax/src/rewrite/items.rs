//! The content of the brackets of an array or inline table.

use cfg_diag::Span;

use super::layout::{Layout, Path, Statement};
use crate::Key;
use crate::lexer::TokenKind;

/// An array's item, or an inline table's `key = value`.
#[derive(Debug)]
pub(super) struct Item {
    /// Empty in an array.
    pub(super) keys: Vec<Key>,
    /// The start of its first key, or of its value.
    pub(super) start: u32,
    pub(super) value: Span,
    /// The first token of the value.
    pub(super) token: usize,
    /// The comma after it.
    pub(super) comma: Option<Span>,
}

/// An array or inline table.
#[derive(Debug)]
pub(super) struct Brackets {
    pub(super) opening: Span,
    pub(super) closing: Span,
    pub(super) is_table: bool,
    pub(super) items: Vec<Item>,
}

/// What a path leads to.
pub(super) enum PathTarget<'l> {
    /// The value of a statement.
    Statement(&'l Statement),
    /// An item within the value of a statement.
    Item(&'l Statement, Brackets, usize),
    /// A table within the value of a statement, written by dotted keys: their paths.
    Dotted(Vec<Path>),
    /// An array or inline table that does not have the rest of the path; the number is the length of the existing part.
    Missing(Brackets, usize),
    /// A value before the end of the path that is neither a table nor an array.
    Blocked,
}

impl Layout<'_> {
    /// Reads the brackets that open at a token.
    pub(super) fn brackets(&self, opening: usize) -> Option<Brackets> {
        let token = *self.tokens.get(opening)?;
        let is_table = token.kind == TokenKind::LeftCurlyBracket;
        if !is_table && token.kind != TokenKind::LeftSquareBracket || !token.closed {
            return None;
        }
        let end = token.link as usize;
        let mut items: Vec<Item> = Vec::new();
        let mut at = opening + 1;
        while at < end {
            match self.kind(at) {
                TokenKind::Newline | TokenKind::Comment => at += 1,
                TokenKind::Comma => {
                    items.last_mut()?.comma = Some(self.tokens[at].span());
                    at += 1;
                }
                _ => {
                    let start = self.tokens[at].start;
                    let (keys, first) = if is_table {
                        let (keys, equals) = self.keys(at)?;
                        (keys, (self.kind(equals) == TokenKind::Equals).then_some(equals + 1)?)
                    } else {
                        (Vec::new(), at)
                    };
                    let behind = self.value_end(first)?;
                    let value = Span::new(self.tokens[first].start, self.tokens[behind - 1].end);
                    items.push(Item { keys, start, value, token: first, comma: None });
                    at = behind;
                }
            }
        }
        Some(Brackets { opening: token.span(), closing: self.tokens[end].span(), is_table, items })
    }

    /// Follows a path from the statements into the brackets of values. `None` if no statement is at the path or at the
    /// beginning of it.
    pub(super) fn place(&self, path: &[Box<str>]) -> Option<PathTarget<'_>> {
        let (length, (section, position)) =
            (1..=path.len()).find_map(|length| Some((length, self.statement_of(&path[..length])?)))?;
        let statement = &self.sections[section].statements[position];
        let (mut length, mut token) = (length, statement.token);
        if length == path.len() {
            return Some(PathTarget::Statement(statement));
        }
        loop {
            let Some(brackets) = self.brackets(token) else { return Some(PathTarget::Blocked) };
            let rest = &path[length..];
            match brackets.find(rest) {
                ItemMatch::Item(item, used) => {
                    token = brackets.items[item].token;
                    length += used;
                    if length == path.len() {
                        return Some(PathTarget::Item(statement, brackets, item));
                    }
                }
                ItemMatch::Dotted => return Some(PathTarget::Dotted(brackets.through(&path[..length], rest))),
                ItemMatch::Nothing => return Some(PathTarget::Missing(brackets, length)),
            }
        }
    }
}

/// What the beginning of a path leads to in brackets.
enum ItemMatch {
    /// The item, and the number of parts of the path that lead to it.
    Item(usize, usize),
    Dotted,
    Nothing,
}

impl Brackets {
    /// The full paths of the items whose keys begin with `rest`. `before` is the path of the brackets.
    fn through(&self, before: &[Box<str>], rest: &[Box<str>]) -> Vec<Path> {
        let keys = |item: &Item| item.keys.iter().map(|key| key.text.clone()).collect::<Path>();
        let through = self.items.iter().map(keys).filter(|keys| keys.starts_with(rest));
        through.map(|keys| before.iter().cloned().chain(keys).collect()).collect()
    }

    fn find(&self, rest: &[Box<str>]) -> ItemMatch {
        if !self.is_table {
            let index = rest[0].parse().ok().filter(|&index: &usize| index < self.items.len());
            return index.map_or(ItemMatch::Nothing, |index| ItemMatch::Item(index, 1));
        }
        let same = |item: &Item| item.keys.iter().zip(rest).take_while(|(key, part)| key.text == **part).count();
        for (position, item) in self.items.iter().enumerate() {
            let same = same(item);
            if same == item.keys.len() {
                return ItemMatch::Item(position, same);
            }
            if same == rest.len() {
                return ItemMatch::Dotted;
            }
        }
        ItemMatch::Nothing
    }
}
