//! Completions at the cursor.

mod files;
mod former;
mod free;
mod headers;
mod keys;
mod known;
mod metadata;
mod next;
mod of_verifiers;
mod spacing;
#[cfg(test)]
mod tests;
mod tried;
mod unfinished;
mod usage;
mod values;
mod written;

use std::{collections::HashSet, ops::Range};

use cfg_diag::Span;

pub use files::{Listed, Listing, MOST_FILES, complete_files};
pub(crate) use metadata::MACHINES;
pub(crate) use next::first_value;
pub(crate) use of_verifiers::hover as hover_of_verifiers;
pub use tried::prefer_accepted;
pub(crate) use values::is_followed;

use crate::{
    Analysis,
    context::{Context, closing, context, is_closed_string},
    place::{self, PathSegment},
};

/// The type of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A key with a value.
    Key,
    /// A table.
    Table,
    /// A value.
    Value,
    /// The tag of a variant.
    Variant,
    /// A whole config to start from.
    Skeleton,
}

/// The completions at the cursor after an item is inserted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// None.
    #[default]
    Nothing,
    /// Some, but other values are possible as well.
    Something,
    /// Only these values are valid; the default comes first.
    OneOf(Vec<String>),
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The label in the list.
    pub label: String,
    /// Its type.
    pub kind: ItemKind,
    /// Type, limits and default, in a line.
    pub detail: String,
    /// The documentation of the key.
    pub documentation: Option<&'static str>,
    /// What the key costs on the GPUs, as a sentence.
    pub cost: Option<String>,
    /// The release that first had the key, if it is known.
    pub since: Option<String>,
    /// The text that an editor compares with what is typed, if it isn't the label.
    pub filter: Option<String>,
    /// The bytes that it replaces.
    pub span: Span,
    /// The inserted text.
    pub insert: String,
    /// The position of the cursor, as an offset into `insert`; `None` for its end.
    pub cursor: Option<usize>,
    /// The ranges of bytes of `insert` that the user will want to replace, in the order of the text; none together with a `cursor`.
    pub stops: Vec<Range<usize>>,
    /// The completions at the cursor, or at the first of these ranges.
    pub next: Next,
    /// The position in the list: required keys come first.
    pub rank: u8,
    /// The number of real configs that have it: the order among items of one rank.
    pub uses: u16,
}

impl Item {
    /// An item that replaces `span` by `insert`, without anything else.
    pub(crate) fn new(kind: ItemKind, label: impl Into<String>, span: Span, insert: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            kind,
            detail: String::new(),
            documentation: None,
            cost: None,
            since: None,
            filter: None,
            span,
            insert: insert.into(),
            cursor: None,
            stops: Vec::new(),
            next: Next::Nothing,
            rank: 1,
            uses: 0,
        }
    }
}

/// All completions at a byte offset. They are not filtered by the existing word: editors do that.
pub fn complete(analysis: &Analysis, offset: u32) -> Vec<Item> {
    let mut items = match context(&analysis.document, &analysis.text, offset) {
        None => return Vec::new(),
        // Only the schema of a dialect says what its keys are for.
        _ if analysis.checked.of_dialect.is_some() => Vec::new(),
        Some(Context::Key { path, span, is_inline, open }) => {
            let mut items = keys_at(analysis, &path, span, is_inline);
            let closing = unfinished::closing_brackets(analysis, span, open.as_ref());
            items.iter_mut().for_each(|item| {
                close(item, &closing);
                spacing::set_off(item, &analysis.text, open.as_ref());
            });
            items
        }
        Some(Context::Value { path, span, open }) => {
            let mut items = values_at(analysis, &path, span);
            let closing = unfinished::closing_brackets(analysis, span, open.as_ref());
            let typed = &analysis.text[span.range()];
            items.iter_mut().for_each(|item| {
                find_by_name(item, typed);
                close(item, &closing);
                spacing::set_off(item, &analysis.text, open.as_ref());
            });
            items.extend(unfinished::closed(analysis, span, &closing));
            items
        }
        Some(Context::Header { path, span, array }) => match &analysis.checked.of_verifiers {
            Some(of) => of_verifiers::headers(analysis, of, &path, span, array),
            None => headers::complete(analysis, &path, span, array),
        },
        Some(Context::Metadata { .. } | Context::Opening { .. }) if analysis.checked.of_verifiers.is_some() => Vec::new(),
        Some(Context::Metadata { member, span, is_bare }) => {
            metadata::complete(analysis, member.as_deref(), whole_word(&analysis.text, span), is_bare)
        }
        Some(Context::Opening { span }) => vec![metadata::block(analysis, span)],
    };
    items.iter_mut().for_each(|item| prefer_beginnings(item, &analysis.text, offset));
    sort(&mut items);
    // The first of several with one label is the most useful one.
    let mut labels = HashSet::new();
    items.retain(|item| labels.insert(item.label.clone()));
    items
}

/// The keys of the table at a path, and the headers that can follow it.
fn keys_at(analysis: &Analysis, path: &[PathSegment], span: Span, is_inline: bool) -> Vec<Item> {
    let span = whole_key(&analysis.text, span);
    let behind = Behind::of(&analysis.text, span.end);
    if behind == Behind::Other {
        return Vec::new();
    }
    if let Some(of) = &analysis.checked.of_verifiers {
        return of_verifiers::keys(analysis, of, path, span, behind);
    }
    let mut items = keys::complete(analysis, path, span, behind, is_inline);
    next::fill(analysis, path, &mut items);
    items.extend(former::keys(analysis, path, span, &items));
    if !is_inline && behind == Behind::Nothing {
        items.extend(headers::openings(analysis, path, span));
    }
    // In an empty text, a whole config is more useful than a single key.
    if path.is_empty() && is_blank(&analysis.text) {
        items.iter_mut().for_each(|item| item.rank = item.rank.saturating_add(2));
    }
    items
}

/// The values at a path that differ from the one that is written there.
fn values_at(analysis: &Analysis, path: &[PathSegment], span: Span) -> Vec<Item> {
    let Some(whole) = whole_value(analysis, path, span) else { return Vec::new() };
    let mut items = match &analysis.checked.of_verifiers {
        Some(of) => of_verifiers::values(analysis, of, path, whole),
        None => values::complete(analysis, path, whole),
    };
    items.retain(|item| {
        let written = &analysis.text[item.span.range()];
        // An empty table is no replacement for one with keys.
        !is_same_number(&item.insert, written) && (item.cursor.is_none() || !written.starts_with(['{', '[']))
    });
    items
}

/// Closes the brackets around an item in the same step; the cursor stays inside them.
fn close(item: &mut Item, brackets: &str) {
    if brackets.is_empty() {
        return;
    }
    if item.cursor.is_none() && item.stops.is_empty() {
        item.cursor = Some(item.insert.len());
    }
    item.insert.push_str(brackets);
}

/// Whether a value is another spelling of the written number.
fn is_same_number(value: &str, written: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    value != written && number(value).is_some_and(|value| number(written.trim()) == Some(value))
}

/// Many editors offer only what begins with the typed word: a string is found without its quote, and a model by its name without its organisation, too.
pub(crate) fn find_by_name(item: &mut Item, typed: &str) {
    let quote = if typed.starts_with(['"', '\'']) { &typed[..1] } else { "" };
    let (word, Some(bare)) = (&typed[quote.len()..], item.label.strip_prefix('"')) else { return };
    if word.is_empty() {
        return;
    }
    match bare.split_once('/') {
        Some((_, name)) if name.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word)) => {
            item.filter = Some(format!("{quote}{name} {}", item.label));
        }
        _ if quote != "\"" => item.filter = Some(format!("{quote}{bare}")),
        _ => {}
    }
}

/// The number of ranks that items for one place have at most.
const RANKS: u8 = 16;

/// An editor that also offers what has the typed letters somewhere gets what begins with them first, then what is found by a part of its name.
pub(crate) fn prefer_beginnings(item: &mut Item, text: &str, offset: u32) {
    let quotes = ['"', '\''];
    let typed = text.get(item.span.start as usize..offset as usize).unwrap_or_default().trim_start_matches('[');
    let (is_string, typed) = (typed.starts_with(quotes), typed.trim_start_matches(quotes));
    let is_other = is_string && matches!(item.kind, ItemKind::Value | ItemKind::Variant) && !item.label.starts_with('"');
    let begins = |name: &str| {
        let beginning = name.trim_start_matches(['[', '"', '\'']).get(..typed.len());
        !is_other && beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(typed))
    };
    let later = match &item.filter {
        _ if begins(&item.label) => 0,
        Some(filter) if begins(filter) => RANKS / 2,
        _ => RANKS,
    };
    item.rank = item.rank.saturating_add(later);
}

/// The order of the list.
fn sort(items: &mut [Item]) {
    items.sort_by(|one, other| (one.rank, other.uses, &one.label).cmp(&(other.rank, one.uses, &other.label)));
}

/// What follows the word that is completed, in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// The end of the line, of the table or of the item, or a comment.
    Nothing,
    /// The rest of a statement that needs only this word: its value, or the rest of its dotted key.
    Value,
    /// Another statement.
    Other,
}

impl Behind {
    pub(crate) fn of(text: &str, offset: u32) -> Self {
        match rest_of_line(text, offset).bytes().next() {
            None | Some(b'#' | b',' | b'}' | b']') => Self::Nothing,
            Some(b'=' | b'.') => Self::Value,
            Some(_) => Self::Other,
        }
    }
}

/// The text from an offset to the end of its line, without leading blanks.
fn rest_of_line(text: &str, offset: u32) -> &str {
    text[offset as usize..].lines().next().unwrap_or_default().trim_start_matches([' ', '\t'])
}

/// A part of a key, with the text after the cursor up to its end.
pub(crate) fn whole_key(text: &str, span: Span) -> Span {
    let rest = text[span.end as usize..].lines().next().unwrap_or_default();
    let more = match text[span.range()].bytes().next().or_else(|| rest.bytes().next()) {
        Some(quote @ (b'"' | b'\'')) if span.is_empty() => closing(&rest.as_bytes()[1..], quote).map_or(0, |at| at + 2),
        Some(b'"' | b'\'') if is_closed_string(&text[span.range()]) => 0,
        Some(quote @ (b'"' | b'\'')) => closing(rest.as_bytes(), quote).map_or(0, |at| at + 1),
        _ => rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(rest.len()),
    };
    Span::new(span.start, span.end + more as u32)
}

/// The value at the cursor with its text after the cursor; `None` if it has several lines, or if something else follows the cursor.
pub(crate) fn whole_value(analysis: &Analysis, path: &[PathSegment], span: Span) -> Option<Span> {
    let text = &analysis.text;
    // A blank ends a value that is no open string.
    let word = &text[span.range()];
    if word.ends_with([' ', '\t']) && (!word.starts_with(['"', '\'']) || is_closed_string(word)) {
        return None;
    }
    let mut whole = whole_word(text, span);
    let written = place::value(&analysis.document.root, path).map(|value| value.span);
    // Behind a closed bracket there is nothing to complete.
    let is_behind = |written: Span| !written.is_empty() && written.start < span.start && written.end <= span.end;
    if span.is_empty() && written.is_some_and(is_behind) {
        return None;
    }
    if let Some(written) = written.filter(|written| written.start >= span.start && written.start <= span.end) {
        whole = Span::new(span.start, whole.end.max(written.end));
    }
    // Between two items of an array there is a place for another one.
    let is_between =
        || whole.is_empty() && matches!(path.last(), Some(PathSegment::Index(_))) && is_followed(rest_of_line(text, whole.end));
    let is_free = Behind::of(text, whole.end) == Behind::Nothing || is_between();
    (is_free && !text[whole.range()].contains('\n')).then_some(whole)
}

/// The word at a byte offset of a text without keys.
pub(crate) fn blank_at(analysis: &Analysis, offset: u32) -> Option<Span> {
    match context(&analysis.document, &analysis.text, offset)? {
        Context::Key { path, span, .. } if path.is_empty() && is_blank(&analysis.text) => Some(span),
        _ => None,
    }
}

/// Whether a text contains only blank lines and comments.
fn is_blank(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#') || !line.contains(['=', '[']))
}

/// A word to be replaced, with the text after the cursor up to the end of the word or of its string.
pub(crate) fn whole_word(text: &str, span: Span) -> Span {
    let word = &text[span.range()];
    let rest = &text[span.end as usize..];
    let line = rest.lines().next().unwrap_or_default();
    // The next quote belongs to the string only if a value may end after it.
    let ends_there = |at: &usize| {
        let behind = line[at + 1..].trim_start();
        behind.is_empty() || behind.starts_with([',', ']', '}', '#'])
    };
    let more = match word.bytes().next() {
        Some(b'"' | b'\'') if is_closed_string(word) => 0,
        Some(quote @ (b'"' | b'\'')) => closing(line.as_bytes(), quote).filter(ends_there).map_or(0, |at| at + 1),
        _ => line.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.')).unwrap_or(line.len()),
    };
    Span::new(span.start, span.end + more as u32)
}
