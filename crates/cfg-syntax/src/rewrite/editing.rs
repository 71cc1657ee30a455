//! Changes a text by one change after the other.
//!
//! The effect of a change within one table of an array depends only on the lines of that table and the header after it. So a text with many
//! such tables is read as a whole once. After that, a change within a table reads only the lines of that table; any other change joins the
//! parts and reads the whole text again.

use std::{collections::HashMap, mem, ops::Range};

use cfg_diag::{Edit, FileId, Location, Span};

use super::{
    Change, Effect, KeyPath, Obstacle, TextEdit,
    insert::attached,
    layout::{Layout, Path, first_line_end},
    pieces::Pieces,
    step,
};
use crate::Dialect;

/// A text while it is changed.
#[derive(Debug)]
pub struct Editing<'t> {
    file: FileId,
    original: &'t str,
    dialect: Dialect,
    parts: Vec<Part<'t>>,
    /// By the path of a table of an array: the index of the part with its lines. Only tables whose lines are contiguous have a part.
    tables: HashMap<Path, usize>,
    is_split: bool,
    read: usize,
}

/// The bytes that are read for all changes of a text: each change outside of the tables of arrays reads the whole text.
const MAX_READ: usize = 64 << 20;

/// Some lines of the text.
#[derive(Debug)]
struct Part<'t> {
    pieces: Pieces<'t>,
    text: String,
    /// The line of the header after it.
    next: String,
}

/// The lines of a table of an array, and the line of the header after it.
struct Lines {
    table: Path,
    own: Range<usize>,
    next: Range<usize>,
}

/// Why a change is not made.
enum Trouble {
    /// It can't be made.
    Obstacle(Obstacle),
    /// It affects other lines as well.
    Beyond,
}

impl From<Obstacle> for Trouble {
    fn from(obstacle: Obstacle) -> Self {
        Self::Obstacle(obstacle)
    }
}

impl<'t> Editing<'t> {
    /// Starts with a text. `None` if it is not TOML.
    pub fn new(file: FileId, text: &'t str, dialect: Dialect) -> Option<Self> {
        Layout::new(text, dialect)?;
        let whole = Part { pieces: Pieces::new(text), text: text.to_owned(), next: String::new() };
        Some(Self {
            file,
            original: text,
            dialect,
            parts: vec![whole],
            tables: HashMap::new(),
            is_split: false,
            read: text.len(),
        })
    }

    /// Makes a change.
    ///
    /// # Errors
    /// If the change can't be made. Then the text is unchanged.
    pub fn make(&mut self, change: &Change) -> Result<(), Obstacle> {
        if self.read > MAX_READ {
            return Err(Obstacle::TooLong);
        }
        if !self.is_split && paths(change).0.parts().len() > 2 {
            self.split();
        }
        if let Some((part, length)) = self.part_of(change) {
            match self.make_in(part, &relative(change, length)) {
                Ok(()) => return Ok(()),
                Err(Trouble::Obstacle(obstacle)) => return Err(obstacle),
                Err(Trouble::Beyond) => {}
            }
        }
        self.join();
        self.make_in(0, change).map_err(|trouble| match trouble {
            Trouble::Obstacle(obstacle) => obstacle,
            Trouble::Beyond => Obstacle::NotToml,
        })
    }

    /// The current text.
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }

    /// The number of bytes that were read to determine the effects of the changes.
    pub const fn bytes_read(&self) -> usize {
        self.read
    }

    /// All changes, as edits of the original text.
    pub fn edits(self) -> Vec<Edit> {
        let file = self.file;
        let located = |edit: TextEdit| Edit { location: Location::new(file, edit.span), new_text: edit.new_text };
        let pieces = Pieces::joined(self.original, self.parts.into_iter().map(|part| part.pieces));
        pieces.edits().into_iter().map(located).collect()
    }

    /// The index of the part with the table that contains a change, and the length of the table's path.
    fn part_of(&self, change: &Change) -> Option<(usize, usize)> {
        let (path, other) = paths(change);
        let path = path.parts();
        let (part, length) = (1..path.len()).find_map(|length| Some((*self.tables.get(&path[..length])?, length)))?;
        let is_within = |other: &KeyPath| other.parts().len() > length && other.parts().starts_with(&path[..length]);
        other.is_none_or(is_within).then_some((part, length))
    }

    /// Makes a change in the lines of a part.
    fn make_in(&mut self, part: usize, change: &Change) -> Result<(), Trouble> {
        let first = self.parts.iter().find(|part| !part.text.is_empty()).map_or("", |part| &part.text);
        let end = first_line_end(first);
        let part = &mut self.parts[part];
        let mut new: Option<(Pieces<'t>, String)> = None;
        let mut is_checked = matches!(change, Change::Relocate { .. } | Change::InsertTables { .. });
        let mut waiting = vec![change.clone()];
        while let Some(change) = waiting.pop() {
            if self.read > MAX_READ {
                return Err(Obstacle::TooLong.into());
            }
            let current = new.as_ref().map_or(&part.text, |(_, text)| text);
            let whole = [current, &*part.next].concat();
            let layout = Layout::with_line_end(&whole, self.dialect, end).ok_or(Obstacle::NotToml)?;
            let effect = step(&layout, &change);
            self.read += layout.cost();
            match effect? {
                Effect::Edits(mut edits) => {
                    edits.sort_by_key(|edit| edit.span);
                    if edits.iter().any(|edit| edit.span.end as usize > current.len()) {
                        return Err(Trouble::Beyond);
                    }
                    if !is_checked && edits.windows(2).any(|two| two[1].span.start < two[0].span.end) {
                        return Err(Obstacle::NotToml.into());
                    }
                    let mut pieces = new.map_or_else(|| part.pieces.clone(), |(pieces, _)| pieces);
                    pieces.apply(&edits);
                    let text = pieces.text();
                    new = Some((pieces, text));
                }
                Effect::Changes(changes) => {
                    // The effect of several changes can be seen only in the whole text.
                    is_checked = true;
                    waiting.extend(changes.into_iter().rev());
                }
            }
        }
        let Some((pieces, text)) = new else { return Ok(()) };
        let has_errors = |text: &str| !crate::parse(self.file, text, self.dialect).1.is_empty();
        if is_checked && has_errors(&text) && !has_errors(&part.text) {
            return Err(Obstacle::NotToml.into());
        }
        (part.pieces, part.text) = (pieces, text);
        Ok(())
    }

    /// Joins the parts.
    fn join(&mut self) {
        if self.parts.len() > 1 {
            let text = self.text();
            let pieces = Pieces::joined(self.original, mem::take(&mut self.parts).into_iter().map(|part| part.pieces));
            self.parts = vec![Part { pieces, text, next: String::new() }];
        }
        self.tables.clear();
        self.is_split = false;
    }

    /// Splits the text into the tables of its outermost arrays and the parts between them.
    fn split(&mut self) {
        self.is_split = true;
        let Some(Part { pieces, text, .. }) = self.parts.pop() else { return };
        self.read += text.len();
        let tables = Layout::new(&text, self.dialect).map(|layout| tables(&layout)).unwrap_or_default();
        let mut parts: Vec<(Range<usize>, String)> = Vec::with_capacity(2 * tables.len() + 1);
        let mut at = 0;
        for Lines { table, own, next } in tables {
            parts.push((at..own.start, String::new()));
            at = own.end;
            self.tables.insert(table, parts.len());
            parts.push((own, text[next].to_owned()));
        }
        parts.push((at..text.len(), String::new()));
        let ends = parts.iter().map(|(range, _)| range.end);
        let pieces = pieces.split(ends);
        self.parts = pieces
            .into_iter()
            .zip(parts)
            .map(|(pieces, (range, next))| Part { pieces, text: text[range].to_owned(), next })
            .collect();
    }
}

/// The tables of the outermost arrays whose lines are contiguous, in the order of the text.
fn tables(layout: &Layout<'_>) -> Vec<Lines> {
    let table_of = |path: &[Box<str>]| (1..path.len()).find(|length| layout.is_array(&path[..*length])).map(|length| length + 1);
    let mut groups: Vec<(Path, Range<usize>)> = Vec::new();
    for (number, section) in layout.sections.iter().enumerate() {
        let path = table_of(&section.path).map_or(&[][..], |length| &section.path[..length]);
        match groups.last_mut() {
            Some((last, sections)) if *last == path => sections.end = number + 1,
            _ => groups.push((path.to_vec(), number..number + 1)),
        }
    }
    let mut counts: HashMap<&[Box<str>], usize> = HashMap::new();
    groups.iter().for_each(|(path, _)| *counts.entry(path).or_default() += 1);
    let head = |section: usize| Some(layout.sections.get(section)?.header.as_ref()?.line.span);
    let begin = |section: usize| head(section).map_or(layout.text.len(), |line| attached(layout, line.start) as usize);
    let lines = |(path, sections): &(Path, Range<usize>)| {
        let is_whole = !path.is_empty()
            && counts.get(&**path) == Some(&1)
            && layout.sections[sections.start].path == *path
            && (1..path.len()).all(|length| layout.statement_of(&path[..length]).is_none());
        is_whole.then(|| Lines {
            table: path.clone(),
            own: begin(sections.start)..begin(sections.end),
            next: head(sections.end).map_or(0..0, Span::range),
        })
    };
    groups.iter().filter_map(lines).collect()
}

/// The path of a change; for a relocation also the new path.
const fn paths(change: &Change) -> (&KeyPath, Option<&KeyPath>) {
    match change {
        Change::Set { path, .. }
        | Change::Insert { path, .. }
        | Change::InsertTables { path, .. }
        | Change::Remove { path, .. } => (path, None),
        Change::Relocate { from, to } => (from, Some(to)),
    }
}

/// Converts a change within a table of an array to a text in which that table is the only one. `length` is the length of the table's path.
fn relative(change: &Change, length: usize) -> Change {
    let mut change = change.clone();
    let first = |path: &mut KeyPath| path.set(length - 1, "0");
    match &mut change {
        Change::Set { path, .. }
        | Change::Insert { path, .. }
        | Change::InsertTables { path, .. }
        | Change::Remove { path, .. } => first(path),
        Change::Relocate { from, to } => {
            first(from);
            first(to);
        }
    }
    change
}
