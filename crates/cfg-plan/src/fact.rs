//! One value of a plan: its value, its key and its origin.

use std::{fmt, sync::Arc};

use cfg_compose::Origin;
use cfg_diag::Location;

use crate::value::Value;

/// A key, spelled as in the target and for the kind of file that was read: `orchestrator.sampling.max_tokens` in an `rl`
/// config, `sampling.max_tokens` in an orchestrator's own file. `Display` writes the name that diagnostics use.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    owner: Owner,
    path: &'static &'static str,
}

/// The key of the table that a setting is in. A plan has hundreds of settings, so it consists of constants, except in arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A table of a component: `orchestrator` and `sampling`. The first is empty for the root of a file, the second for the table itself.
    Table {
        /// The key of the component.
        component: &'static &'static str,
        /// The key of the table in it.
        table: &'static &'static str,
    },
    /// An item of an array, or a table in it: `orchestrator.env[0]`.
    Item(Arc<str>),
}

impl Owner {
    /// The root of a file.
    pub(crate) const TOP: Self = Self::Table { component: &"", table: &"" };

    /// The keys of the component and of the table in it; the first is empty if there is only one.
    fn parts(&self) -> (&str, &str) {
        match self {
            Self::Table { component, table } if !table.is_empty() => (component, table),
            Self::Table { component, .. } => ("", component),
            Self::Item(text) => ("", text),
        }
    }

    /// The key of a table in this one; that of this one if the path is empty.
    pub(crate) fn below(&self, path: &'static &'static str) -> Self {
        match (self, self.parts()) {
            _ if path.is_empty() => self.clone(),
            (Self::Table { .. }, ("", "")) => Self::Table { component: path, table: &"" },
            (Self::Table { component, .. }, ("", _)) => Self::Table { component, table: path },
            _ => Self::Item(join(&self.text(), path).into()),
        }
    }

    /// The key as text.
    pub(crate) fn text(&self) -> String {
        let (component, table) = self.parts();
        join(component, table)
    }
}

impl Key {
    pub(crate) const fn new(owner: Owner, path: &'static &'static str) -> Self {
        Self { owner, path }
    }

    /// The key of an entry of this table. Only for tables that allow any key.
    pub fn below(&self, entry: &str) -> String {
        join(&self.text(), entry)
    }

    /// The key as text, as `Display` writes it.
    pub(crate) fn text(&self) -> String {
        if self.path.is_empty() { self.owner.text() } else { join(&self.owner.text(), self.path) }
    }

    /// The path below its table.
    pub(crate) const fn path(&self) -> &'static str {
        self.path
    }

    /// The table with this key, as the owner of keys.
    pub(crate) fn as_owner(&self) -> Owner {
        self.owner.below(self.path)
    }

    /// The same key of a table with another key.
    pub(crate) fn in_table(&self, owner: &Owner) -> Self {
        Self { owner: owner.clone(), path: self.path }
    }

    /// The last part: `max_tokens`.
    pub fn name(&self) -> &str {
        let path = if self.path.is_empty() { self.owner.parts().1 } else { self.path };
        path.rsplit_once('.').map_or(path, |(_, name)| name)
    }

    /// The key of the table that contains it: `orchestrator.sampling`; empty for the root.
    pub fn table(&self) -> String {
        let own = self.text();
        own.rsplit_once('.').map_or(String::new(), |(table, _)| table.to_owned())
    }
}

/// The dotted path of a key in the table with this path, which is empty for the root.
pub(crate) fn join(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { [table, ".", key].concat() }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A value with its key and its origin.
#[derive(Clone, Debug)]
pub struct Fact<T> {
    /// The value, in the unit that the field of the plan documents.
    pub value: T,
    /// Its key at this target.
    pub key: Key,
    /// The origin of the value.
    pub origin: Origin,
    /// The shared key from which prime-rl copied the value, if the user wrote that key: `seq_len` for `trainer.model.seq_len`.
    pub shared: Option<Box<(Key, Location)>>,
}

impl<T> Fact<T> {
    /// Where the user wrote the value: in a file, on the command line or in an environment variable.
    pub fn location(&self) -> Option<Location> {
        self.shared.as_deref().map_or_else(|| self.origin.location(), |(_, location)| Some(*location))
    }

    /// Whether the user wrote the value, under its own key or a shared one.
    pub fn is_written(&self) -> bool {
        self.location().is_some()
    }

    /// Whether neither the user nor prime-rl set it.
    pub const fn is_default(&self) -> bool {
        matches!(self.origin, Origin::Default)
    }

    /// The key under which the user wrote it; its own key if the user did not.
    pub fn written_key(&self) -> &Key {
        self.shared.as_deref().map_or(&self.key, |(key, _)| key)
    }

    /// The same fact with another value.
    pub fn map<U>(self, value: impl FnOnce(T) -> U) -> Fact<U> {
        Fact { value: value(self.value), key: self.key, origin: self.origin, shared: self.shared }
    }
}

/// The state of one setting in a config.
#[derive(Clone, Debug, Default)]
pub enum Setting<T> {
    /// The target has no key for it.
    #[default]
    Absent,
    /// Null: the target has a key for it, but the key, or the table that would contain it, is not set.
    Empty {
        /// The key under which the user could set it.
        key: Key,
        /// The origin of the null: a default, `"None"` in a file, or a check of prime-rl.
        origin: Origin,
    },
    /// Invalid: the value, or one of a table around it, has an error that has been reported. The effective value is unknown.
    Faulty {
        /// The key.
        key: Key,
        /// Where it is written.
        origin: Origin,
    },
    /// A value.
    Is(Fact<T>),
}

impl<T> Setting<T> {
    /// The fact; `None` if there is no value.
    pub const fn fact(&self) -> Option<&Fact<T>> {
        if let Self::Is(fact) = self { Some(fact) } else { None }
    }

    /// The value; `None` if there is none.
    pub const fn value(&self) -> Option<&T> {
        if let Self::Is(fact) = self { Some(&fact.value) } else { None }
    }

    /// A copy of the value; `None` if there is none.
    pub fn get(&self) -> Option<T>
    where
        T: Copy,
    {
        self.value().copied()
    }

    /// The key under which it is or would be written; `None` if the target has none.
    pub const fn key(&self) -> Option<&Key> {
        match self {
            Self::Absent => None,
            Self::Empty { key, .. } | Self::Faulty { key, .. } | Self::Is(Fact { key, .. }) => Some(key),
        }
    }

    /// Its origin; `None` if the target has no key for it.
    pub const fn origin(&self) -> Option<Origin> {
        match self {
            Self::Absent => None,
            Self::Empty { origin, .. } | Self::Faulty { origin, .. } | Self::Is(Fact { origin, .. }) => Some(*origin),
        }
    }

    /// Where the user wrote it.
    pub fn location(&self) -> Option<Location> {
        match self {
            Self::Is(fact) => fact.location(),
            other => other.origin()?.location(),
        }
    }

    /// Whether the user wrote it.
    pub fn is_written(&self) -> bool {
        self.location().is_some()
    }

    /// Whether the target has a key for it, with or without a value.
    pub const fn exists(&self) -> bool {
        !matches!(self, Self::Absent)
    }

    /// Whether there is a key and it is null.
    pub const fn is_empty(&self) -> bool {
        matches!(self, Self::Empty { .. })
    }

    /// Whether the value that prime-rl uses is known: `false` only if it is invalid.
    pub const fn is_known(&self) -> bool {
        !matches!(self, Self::Faulty { .. })
    }
}

impl Setting<Box<str>> {
    /// The text; `None` if there is no value.
    pub fn text(&self) -> Option<&str> {
        self.value().map(|text| &**text)
    }

    /// Whether it is this text.
    pub fn is(&self, text: &str) -> bool {
        self.text() == Some(text)
    }
}

impl Setting<bool> {
    /// Whether it is known to be on.
    pub fn is_on(&self) -> bool {
        self.get() == Some(true)
    }

    /// Whether it is known to be off.
    pub fn is_off(&self) -> bool {
        self.get() == Some(false)
    }
}

/// The same setting of a table with another key. It must not be a copy of a shared key.
pub(crate) fn in_table<T: Value>(setting: &Setting<T>, owner: &Owner) -> Setting<T> {
    match setting {
        Setting::Absent => Setting::Absent,
        Setting::Empty { key, origin } => Setting::Empty { key: key.in_table(owner), origin: *origin },
        Setting::Faulty { key, origin } => Setting::Faulty { key: key.in_table(owner), origin: *origin },
        Setting::Is(fact) => {
            let key = fact.key.in_table(owner);
            Setting::Is(Fact { value: fact.value.in_table(&key), key, origin: fact.origin, shared: None })
        }
    }
}
