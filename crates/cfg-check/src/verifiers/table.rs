//! Tables of a file with their paths, and findings at their keys.

use cfg_diag::{Code, Diagnostic, FileId, LocPart, Location, codes};
use cfg_syntax::{Entry, Table, Value, ValueKind};

/// A table, and its path.
#[derive(Clone, Debug)]
pub(super) struct At<'t> {
    pub(super) file: FileId,
    pub(super) table: &'t Table,
    /// The dotted key of the table: `eval[0]`; empty for the root.
    pub(super) key: String,
    /// The keys and indices of its path from the root.
    loc: Vec<LocPart>,
}

impl<'t> At<'t> {
    pub(super) const fn root(file: FileId, table: &'t Table) -> Self {
        Self { file, table, key: String::new(), loc: Vec::new() }
    }

    /// The table at one of its keys.
    pub(super) fn below(&self, key: &str) -> Option<Self> {
        self.within(self.table.value(key)?.as_table()?, self.path(key), [LocPart::Key(key.to_owned())])
    }

    /// The tables that are the items of an array, each with its index.
    pub(super) fn items(&self, key: &str) -> Vec<Self> {
        let items = self.table.value(key).map_or(&[][..], Value::items).iter().enumerate();
        let item = |(index, item): (usize, &'t Value)| {
            let steps = [LocPart::Key(key.to_owned()), LocPart::Index(index)];
            self.within(item.as_table()?, format!("{}[{index}]", self.path(key)), steps)
        };
        items.filter_map(item).collect()
    }

    fn within(&self, table: &'t Table, key: String, steps: impl IntoIterator<Item = LocPart>) -> Option<Self> {
        let loc = self.loc.iter().cloned().chain(steps).collect();
        Some(Self { file: self.file, table, key, loc })
    }

    /// The dotted key of one of its keys.
    pub(super) fn path(&self, key: &str) -> String {
        if self.key.is_empty() { key.to_owned() } else { format!("{}.{key}", self.key) }
    }

    /// Its name in messages: "this file", `[[eval]]`.
    pub(super) fn name(&self) -> String {
        match self.loc.as_slice() {
            [] => "the root of the file".to_owned(),
            [LocPart::Key(key), LocPart::Index(_)] => format!("`[[{key}]]`"),
            [.., LocPart::Key(key)] => format!("`{key}`"),
            [.., LocPart::Index(_)] => format!("`{}`", self.key),
        }
    }

    /// The entry of a key, unless the value is still being typed.
    pub(super) fn given(&self, key: &str) -> Option<&'t Entry> {
        self.table.get(key).filter(|entry| !matches!(entry.value.kind, ValueKind::Missing | ValueKind::Invalid))
    }

    /// Whether the value of a key is still being typed and can't be read yet.
    pub(super) fn is_half_typed(&self, key: &str) -> bool {
        self.table.get(key).is_some() && self.given(key).is_none()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'t Entry> + use<'t> {
        self.table.entries.iter()
    }

    /// A finding at one of its keys.
    pub(super) fn finding(&self, code: Code, entry: &Entry, message: String) -> Diagnostic {
        Diagnostic::new(code, message).key(self.path(&entry.key.text)).at(Location::new(self.file, entry.key.span))
    }

    /// A refusal by the loader at one of its keys.
    pub(super) fn refused(&self, entry: &Entry, message: String) -> Diagnostic {
        let loc = self.loc.iter().cloned().chain([LocPart::Key(entry.key.text.to_string())]).collect();
        self.finding(&codes::REFUSED_EVALUATION, entry, message).native("ValueError", loc)
    }

    /// A refusal by the loader at the table itself.
    pub(super) fn refused_itself(&self, message: String) -> Diagnostic {
        let found = Diagnostic::new(&codes::REFUSED_EVALUATION, message).native("ValueError", self.loc.clone());
        if self.key.is_empty() { found } else { found.key(self.key.clone()).at(Location::new(self.file, self.table.span)) }
    }

    /// The keys and indices of the path to one of its keys.
    pub(super) fn loc_of(&self, key: &str) -> Vec<LocPart> {
        self.loc.iter().cloned().chain([LocPart::Key(key.to_owned())]).collect()
    }
}

/// The location of a key.
pub(super) fn place(file: FileId, entry: &Entry) -> Location {
    Location::new(file, entry.key.span)
}
