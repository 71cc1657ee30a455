//! Computes the edits of a text from the migrated values.
//!
//! Only what differs between the first and the last form is changed: a key that moved away and back stays untouched. A table moves as a whole if the
//! text allows it, together with its comments; otherwise its keys move one by one.

use cfg_compose::{Tree, Value};
use cfg_diag::{Edit, FileId, Location, Span};
use cfg_resolve::emit::Leaf;
use cfg_syntax::{
    Dialect,
    rewrite::{Change, Comments, Editing, KeyPath, Literal, Obstacle, Rewriter},
};

use crate::{
    draft::{Body, Draft, Id, Node, Path},
    many::same,
    now::Now,
};

/// The new text of a config and the edits that produce it; `None` if the layout does not allow them.
pub(crate) fn rewrite(text: &str, dialect: Dialect, draft: &Draft) -> Option<(String, Vec<Edit>)> {
    let mut remaining = vec![None; draft.sources.len()];
    draft.root.visit(&mut Path::new(), &mut |node, path| {
        if let Some(id) = node.id {
            remaining[id] = Some(path.to_vec());
        }
    });
    let mut writing = Writing {
        editing: Editing::new(FileId(0), text, dialect)?,
        now: Now::new(&draft.sources),
        original: text,
        draft,
        changes: Vec::new(),
    };
    writing.remove(&remaining);
    writing.place(&draft.root, &mut Path::new())?;
    writing.remove_emptied(&remaining);
    let Writing { editing, changes, .. } = writing;
    let new = editing.text();
    let (document, diagnostics) = cfg_syntax::parse(FileId(0), &new, dialect);
    let written = Node::of(&Value::Table(Tree::from_document(FileId(0), document).root));
    if !diagnostics.is_empty() || !same(&written.to_value(), &draft.root.to_value()) {
        return None;
    }
    let edits = match &changes[..] {
        [change] => Rewriter::new(FileId(0), text, dialect)?.edits(std::slice::from_ref(change)).ok(),
        _ => Some(editing.edits()),
    };
    let edits = edits.filter(|edits| cfg_check::apply(text, edits).as_deref() == Some(&new));
    let whole = || vec![Edit { location: Location::new(FileId(0), Span::new(0, text.len() as u32)), new_text: new.clone() }];
    let edits = edits.unwrap_or_else(whole);
    Some((new, edits))
}

struct Writing<'a> {
    /// The text with the edits so far.
    editing: Editing<'a>,
    /// The current place of each original value.
    now: Now,
    original: &'a str,
    draft: &'a Draft,
    /// The changes so far.
    changes: Vec<Change>,
}

impl Writing<'_> {
    fn make(&mut self, change: Change) -> Result<(), Obstacle> {
        self.editing.make(&change)?;
        self.changes.push(change);
        Ok(())
    }

    /// Removes values of which nothing remains.
    fn remove(&mut self, remaining: &[Option<Path>]) {
        let mut gone: Vec<Path> = Vec::new();
        for id in 0..self.draft.sources.len() {
            let path = &self.draft.sources[id].path;
            let is_below = gone.last().is_some_and(|above| path.starts_with(above));
            // The values in a table directly follow it.
            let within = self.draft.sources[id..].iter().take_while(|source| source.path.starts_with(path)).count();
            if !is_below && remaining[id..id + within].iter().all(Option::is_none) {
                let path = path.clone();
                if self.make(Change::Remove { path: key_path(&path), comments: Comments::Keep }).is_ok() {
                    self.now.detach(id);
                }
                gone.push(path);
            }
        }
    }

    /// Removes tables whose content has moved.
    fn remove_emptied(&mut self, remaining: &[Option<Path>]) {
        for id in (0..self.draft.sources.len()).rev() {
            if remaining[id].is_none()
                && let Some(path) = self.now.path(id)
                && self.make(Change::Remove { path: key_path(&path), comments: Comments::Keep }).is_ok()
            {
                self.now.forget(id);
            }
        }
    }

    /// Moves a value and everything below it to its new place; `None` if the text does not allow it.
    fn place(&mut self, node: &Node, path: &mut Path) -> Option<()> {
        if path.is_empty() {
            return self.parts(node, path);
        }
        match node.id {
            None => {
                let has_parts = matches!(&node.body, Body::Table(entries) if !entries.is_empty());
                if !has_parts && !has_source(node) {
                    if self.insert_tables(node, path) {
                        return Some(());
                    }
                    return self
                        .make(Change::Insert { path: key_path(path), value: literal(&node.to_value()), comment: None })
                        .ok();
                }
                self.parts(node, path)
            }
            Some(id) => {
                let here = self.now.path(id)?;
                if here != *path && self.relocate(&here, path).is_err() {
                    return if matches!(node.body, Body::Table(_)) && !node.is_changed {
                        self.parts(node, path)
                    } else {
                        self.write_anew(id, node, path)
                    };
                }
                if node.is_changed {
                    let set = Change::Set { path: key_path(path), value: literal(&node.to_value()) };
                    return self.make(set).ok().or_else(|| self.write_anew(id, node, path));
                }
                self.parts(node, path)
            }
        }
    }

    /// Writes a new array of tables with headers, as authors do; returns whether the text allows it.
    fn insert_tables(&mut self, node: &Node, path: &Path) -> bool {
        let Body::List(items) = &node.body else { return false };
        let lines = |item: &Node| item.entries().iter().map(|(key, below)| (key.clone(), literal(&below.to_value()))).collect();
        let tables = items.iter().map(lines).collect();
        self.make(Change::InsertTables { path: key_path(path), tables }).is_ok()
    }

    fn parts(&mut self, node: &Node, path: &mut Path) -> Option<()> {
        let mut one = |part: Box<str>, below: &Node| {
            path.push(part);
            let placed = self.place(below, path);
            path.pop();
            placed
        };
        match &node.body {
            Body::Table(entries) => entries.iter().try_for_each(|(key, below)| one(key.clone(), below)),
            Body::List(items) => items.iter().enumerate().try_for_each(|(index, below)| one(index.to_string().into(), below)),
            Body::Leaf(_) => Some(()),
        }
    }

    fn relocate(&mut self, from: &Path, to: &Path) -> Result<(), Obstacle> {
        self.make(Change::Relocate { from: key_path(from), to: key_path(to) })?;
        self.now.relocate(from, to);
        Ok(())
    }

    /// Removes a value and writes it at its new place.
    fn write_anew(&mut self, id: Id, node: &Node, path: &Path) -> Option<()> {
        let here = self.now.path(id)?;
        self.now.forget(id);
        let written = self.draft.sources[id].value.filter(|_| !node.is_changed && node.leaf().is_some());
        let slice = written.and_then(|place| self.original.get(place.span.range()));
        let value = slice.map_or_else(|| literal(&node.to_value()), Literal::raw);
        self.make(Change::Remove { path: key_path(&here), comments: Comments::Keep }).ok()?;
        self.now.detach_at(&here);
        self.make(Change::Insert { path: key_path(path), value, comment: None }).ok()
    }
}

fn has_source(node: &Node) -> bool {
    let mut has = false;
    node.visit(&mut Path::new(), &mut |node, _| has |= node.id.is_some());
    has
}

fn key_path(path: &[Box<str>]) -> KeyPath {
    KeyPath::new(path.iter().cloned())
}

/// A value as a TOML literal; null in the spelling of prime-rl's files.
pub(crate) fn literal(value: &Value) -> Literal {
    Literal::raw(written(value))
}

pub(crate) fn written(value: &Value) -> String {
    match value {
        Value::Null => "\"None\"".to_owned(),
        value => Leaf { key: String::new(), value, origin: cfg_compose::Origin::Default }.text(),
    }
}
