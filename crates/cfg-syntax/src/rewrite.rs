//! Edits that change the content of a text and leave the rest as the author wrote it: comments, order, spelling, line ends.
//!
//! A [`Rewriter`] turns [`Change`]s, which name keys, into replacements of bytes. A new line is written like its neighbours: with their
//! indentation and line end, as a dotted key if they are dotted, inside the braces of an inline table. A new table gets a header after the
//! last table that belongs to the same parent, after a blank line.
//!
//! Invariants:
//! - The result is valid TOML. A change whose result would not be gives an [`Obstacle`] instead of edits.
//! - Only the value that the change names is changed. A table that loses its last key stays, as an empty table.
//! - Every comment stays, unless the change drops it.

mod change;
mod cut;
mod editing;
mod insert;
mod items;
mod layout;
mod pieces;
mod relocate;

use std::cell::Cell;

use cfg_diag::{Edit, FileId, Location, Span};

pub use change::{Change, Comments, KeyPath, Literal, Obstacle};
pub use editing::Editing;
use layout::Layout;
use pieces::Pieces;

use crate::Dialect;

/// Finds the edits for changes of one text.
#[derive(Debug)]
pub struct Rewriter<'t> {
    file: FileId,
    text: &'t str,
    dialect: Dialect,
    layout: Layout<'t>,
    read: Cell<usize>,
}

/// The bytes that one [`Rewriter`] reads for changes that are made one after the other, each of which reads the whole text.
const MAX_READ: usize = 16 << 20;

/// A replacement within the text of a [`Layout`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct TextEdit {
    span: Span,
    new_text: String,
}

/// The effect of a change.
enum Effect {
    Edits(Vec<TextEdit>),
    /// Other changes with the same result, to be made one after the other.
    Changes(Vec<Change>),
}

impl<'t> Rewriter<'t> {
    /// Reads a text. `None` if it is not valid TOML, because the effect of a change would be unknown.
    pub fn new(file: FileId, text: &'t str, dialect: Dialect) -> Option<Self> {
        Some(Self { file, text, dialect, layout: Layout::new(text, dialect)?, read: Cell::new(0) })
    }

    /// The edits for the changes, which are made one after the other. The edits are in the order of the text and do not overlap.
    ///
    /// # Errors
    /// If one of the changes can't be made. Then none of them is made.
    pub fn edits(&self, changes: &[Change]) -> Result<Vec<Edit>, Obstacle> {
        let edits = match changes {
            // Whether a moved table conflicts with others can be checked only on the whole text.
            [change] if !matches!(change, Change::Relocate { .. } | Change::InsertTables { .. }) => {
                match step(&self.layout, change)? {
                    Effect::Edits(edits) => edits,
                    Effect::Changes(changes) => self.one_by_one(&changes)?,
                }
            }
            _ => self.one_by_one(changes)?,
        };
        let located = |edit: TextEdit| Edit { location: Location::new(self.file, edit.span), new_text: edit.new_text };
        let mut edits: Vec<Edit> = edits.into_iter().map(located).collect();
        edits.sort_by_key(|edit| edit.location.span);
        Ok(edits)
    }

    fn one_by_one(&self, changes: &[Change]) -> Result<Vec<TextEdit>, Obstacle> {
        let mut pieces = Pieces::new(self.text);
        let mut waiting: Vec<Change> = changes.iter().rev().cloned().collect();
        let mut is_changed = false;
        while let Some(change) = waiting.pop() {
            if self.read.get() > MAX_READ {
                return Err(Obstacle::TooLong);
            }
            let current = if is_changed { pieces.text() } else { String::new() };
            let own = if is_changed { Some(Layout::new(&current, self.dialect).ok_or(Obstacle::NotToml)?) } else { None };
            let effect = step(own.as_ref().unwrap_or(&self.layout), &change);
            self.read.update(|read| read + own.as_ref().map_or(0, Layout::cost));
            match effect? {
                Effect::Edits(edits) => {
                    is_changed |= !edits.is_empty();
                    pieces.apply(&edits);
                }
                Effect::Changes(changes) => waiting.extend(changes.into_iter().rev()),
            }
        }
        let has_errors = |text: &str| !crate::parse(self.file, text, self.dialect).1.is_empty();
        if has_errors(&pieces.text()) && !has_errors(self.text) {
            return Err(Obstacle::NotToml);
        }
        Ok(pieces.edits())
    }
}

fn step(layout: &Layout<'_>, change: &Change) -> Result<Effect, Obstacle> {
    match change {
        Change::Set { path, value } => insert::set(layout, path.parts(), value.as_str()).map(Effect::Edits),
        Change::Insert { path, value, comment } => {
            insert::insert(layout, path.parts(), value.as_str(), comment.as_deref()).map(Effect::Edits)
        }
        Change::InsertTables { path, tables } => insert::tables(layout, path.parts(), tables).map(Effect::Edits),
        Change::Remove { path, comments } => cut::remove(layout, path.parts(), *comments),
        Change::Relocate { from, to } => relocate::relocate(layout, from, to),
    }
}
