//! The walker's position: prime-rl's location with its tags and labels, and the key as the user wrote it.

use std::borrow::Cow;

use cfg_compose::Entry;
use cfg_diag::LocPart;

/// The path of a key of the table at a path, which is empty at the root.
pub(crate) fn below(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

/// The path of the table that a key is in, which is empty at the root.
pub(crate) fn above(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(table, _)| table)
}

/// One step from the root.
#[derive(Clone, Debug)]
pub(crate) enum LocSegment {
    /// A key of the file; `written` is the file's spelling, if a loader has renamed it.
    Key { key: Cow<'static, str>, written: Option<Box<str>> },
    /// An item of an array.
    Index(usize),
    /// A variant's tag or a union member's label: prime-rl's location contains it, but the file has no such key.
    Label(Cow<'static, str>),
}

impl LocSegment {
    pub(crate) fn key(entry: &Entry) -> Self {
        Self::given(entry.key.clone(), entry.written.clone())
    }

    /// A key of the file.
    pub(crate) fn given(key: Box<str>, written: Option<Box<str>>) -> Self {
        Self::Key { key: Cow::Owned(key.into_string()), written }
    }

    /// The key of a field, as prime-rl names it.
    pub(crate) const fn of_field(name: &'static str) -> Self {
        Self::Key { key: Cow::Borrowed(name), written: None }
    }
}

/// The steps from the root to the walker's position.
#[derive(Debug, Default)]
pub(crate) struct Path(Vec<LocSegment>);

impl Path {
    pub(crate) fn push(&mut self, step: LocSegment) {
        self.0.push(step);
    }

    pub(crate) fn pop(&mut self) -> Option<LocSegment> {
        self.0.pop()
    }

    /// Goes these steps further.
    pub(crate) fn extend(&mut self, steps: impl IntoIterator<Item = LocSegment>) {
        self.0.extend(steps);
    }

    /// Whether it is the root.
    pub(crate) const fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The location as prime-rl reports it.
    pub(crate) fn loc(&self) -> Vec<LocPart> {
        let part = |step: &LocSegment| match step {
            LocSegment::Key { key: text, .. } | LocSegment::Label(text) => LocPart::Key(text.clone().into_owned()),
            LocSegment::Index(index) => LocPart::Index(*index),
        };
        self.0.iter().map(part).collect()
    }

    /// The dotted key in the file, `env[0].args`, quoted if TOML requires it; empty at the root.
    pub(crate) fn key(&self) -> String {
        self.dotted(
            |path, key, written| path.push_str(&quoted(written.unwrap_or(key))),
            |path, index| path.push_str(&format!("[{index}]")),
        )
    }

    /// The path in the notation of the schema history, without variants: `env[].args`.
    pub(crate) fn schema_path(&self) -> String {
        self.dotted(|path, key, _| path.push_str(key), |path, _| path.push_str("[]"))
    }

    /// The first key of the walker's path, empty at the root. `None` if the path is deeper.
    pub(crate) fn first_level(&self) -> Option<&str> {
        let mut steps = self.0.iter().filter(|step| !matches!(step, LocSegment::Label(_)));
        match (steps.next(), steps.next()) {
            (None, _) => Some(""),
            (Some(LocSegment::Key { key, .. }), None) => Some(key),
            _ => None,
        }
    }

    /// The number of tables around the walker's position, of which lists and tags are none.
    pub(crate) fn depth(&self) -> usize {
        self.0.iter().filter(|step| matches!(step, LocSegment::Key { .. })).count()
    }

    fn dotted(&self, push_key: impl Fn(&mut String, &str, Option<&str>), push_index: impl Fn(&mut String, usize)) -> String {
        let mut path = String::new();
        for step in &self.0 {
            match step {
                LocSegment::Key { key, written } => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    push_key(&mut path, key, written.as_deref());
                }
                LocSegment::Index(index) => push_index(&mut path, *index),
                LocSegment::Label(_) => {}
            }
        }
        path
    }

    /// The last key of the path that is in the file, for messages.
    pub(crate) fn last_key(&self) -> Cow<'_, str> {
        let mut index = String::new();
        for step in self.0.iter().rev() {
            match step {
                LocSegment::Key { key, written } => {
                    let key = written.as_deref().unwrap_or(key);
                    return if index.is_empty() { key.into() } else { format!("{key}{index}").into() };
                }
                LocSegment::Index(number) => index.insert_str(0, &format!("[{number}]")),
                LocSegment::Label(_) => {}
            }
        }
        "the config".into()
    }
}

/// A key in TOML notation.
fn quoted(key: &str) -> String {
    let bare = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if bare { key.to_owned() } else { format!("{key:?}") }
}
