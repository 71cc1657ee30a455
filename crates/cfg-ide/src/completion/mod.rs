//! What could be written where the cursor is.

mod files;
mod headers;
mod keys;
mod known;
mod metadata;
mod next;
mod of_verifiers;
mod unfinished;
mod values;
mod written;

use cfg_diag::Span;

pub use files::{Listing, complete_files};

use crate::{
    Analysis,
    context::{Context, closing, context, is_closed_string},
    skeletons,
};

/// What an item stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A key with a value.
    Key,
    /// A table.
    Table,
    /// A value.
    Value,
    /// The tag that chooses a variant.
    Variant,
    /// A whole config to begin with.
    Skeleton,
}

/// What is offered where the cursor is once an item is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    #[default]
    Nothing,
    /// Something, but anything else may be written as well.
    Something,
    /// One of these values, and no other fits; the default first.
    OneOf(Vec<String>),
}

/// Something that could be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The words in the list.
    pub label: String,
    /// What it stands for.
    pub kind: ItemKind,
    /// Type, bounds and default, in a line.
    pub detail: String,
    /// What the key means.
    pub documentation: Option<&'static str>,
    /// The bytes that it replaces.
    pub span: Span,
    /// What it writes.
    pub insert: String,
    /// Where the cursor goes, as an offset into `insert`; its end where there is nothing.
    pub cursor: Option<usize>,
    /// What is offered there then.
    pub next: Next,
    /// The place in the list: required keys come first.
    pub rank: u8,
}

/// Everything that could be written at a byte offset. Nothing is filtered by the word that is there: editors do that.
pub fn complete(analysis: &Analysis, offset: u32) -> Vec<Item> {
    let mut items = match context(&analysis.document, &analysis.text, offset) {
        None => return Vec::new(),
        // What the keys of a dialect are for, only its schema says.
        _ if analysis.checked.of_dialect.is_some() => Vec::new(),
        Some(context) if let Some(of) = &analysis.checked.of_verifiers => of_verifiers::complete(analysis, of, context),
        Some(Context::Key { path, span, is_inline }) => {
            let mut items = keys::complete(analysis, &path, span, is_inline);
            next::fill(analysis, &path, &mut items);
            // Whoever begins wants a whole config rather than one key.
            if path.is_empty() && is_blank(&analysis.text) {
                items.iter_mut().for_each(|item| item.rank = item.rank.saturating_add(2));
                items.extend(skeletons::items(analysis, span));
            }
            items
        }
        Some(Context::Value { path, span, open }) => {
            let mut items = values::complete(analysis, &path, whole_word(&analysis.text, span));
            items.extend(unfinished::closed(analysis, span, open));
            items
        }
        Some(Context::Header { path, span, array }) => headers::complete(analysis, &path, span, array),
        Some(Context::Metadata { member, span }) => {
            metadata::complete(analysis, member.as_deref(), whole_word(&analysis.text, span))
        }
    };
    sort(&mut items);
    items.dedup_by(|one, other| one.label == other.label && one.insert == other.insert);
    items
}

/// The order of the list.
fn sort(items: &mut [Item]) {
    items.sort_by(|one, other| (one.rank, &one.label).cmp(&(other.rank, &other.label)));
}

/// Whether a text has nothing but blank lines and comments.
fn is_blank(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#') || !line.contains(['=', '[']))
}

/// A word to be replaced, with what follows the cursor up to the end of the word or of its string.
fn whole_word(text: &str, span: Span) -> Span {
    let word = &text[span.range()];
    let rest = &text[span.end as usize..];
    let line = rest.lines().next().unwrap_or_default();
    // The next quote is the string's own only where a value may end behind it.
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
