//! One value of a plan: its value, its key and its origin.

use std::fmt;

use cfg_compose::Origin;
use cfg_diag::Location;

use crate::place::Place;

/// A key, spelled as in the target and for the kind of file that was read: `orchestrator.sampling.max_tokens` in an `rl`
/// config, `sampling.max_tokens` in an orchestrator's own file. `Display` writes the name that diagnostics use.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    owner: Owner,
    path: &'static &'static str,
}

/// The key of the table that a setting is in. A plan has hundreds of settings, so it consists of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// The keys of a component, of a table or array in it, and of a table in that: `orchestrator`, `env`, `args`. The last are empty if there are fewer.
    tables: [&'static &'static str; 3],
    item: Option<Item>,
}

/// An item of the array that is the first or the second of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    is_of_first: bool,
    index: u32,
}

impl Owner {
    /// The root of a file.
    pub(crate) const TOP: Self = Self { tables: [&""; 3], item: None };

    /// The key of a table in this one; that of this one if the path is empty.
    pub(crate) fn below(&self, path: &'static &'static str) -> Self {
        let mut below = *self;
        match below.tables.iter_mut().find(|table| table.is_empty()) {
            Some(free) => *free = path,
            None => debug_assert!(path.is_empty(), "`{path}` is a table of a fourth level"),
        }
        below
    }

    /// The key of an item of an array in this table.
    pub(crate) fn item(&self, path: &'static &'static str, index: usize) -> Self {
        debug_assert!(self.tables[1].is_empty(), "`{path}` is an array of a third level");
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        Self { item: Some(Item { is_of_first: self.tables[0].is_empty(), index }), ..self.below(path) }
    }

    /// Whether it is the key of an item of an array, or of a table in it.
    pub(crate) const fn is_item(&self) -> bool {
        self.item.is_some()
    }

    /// Whether it is this key, or both are those of items.
    pub(crate) fn is_of_class(&self, other: &Self) -> bool {
        let is = |(one, other): (&&'static &'static str, &&'static &'static str)| std::ptr::eq(*one, *other) || one == other;
        if self.is_item() { other.is_item() } else { !other.is_item() && self.tables.iter().zip(&other.tables).all(is) }
    }

    /// The key as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (place, table) in self.tables.iter().enumerate().filter(|(_, table)| !table.is_empty()) {
            text = join(&text, table);
            if let Some(item) = self.item.filter(|item| item.is_of_first == (place == 0) && place < 2) {
                text.extend(["[", &item.index.to_string(), "]"]);
            }
        }
        text
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

    /// The last part: `max_tokens`.
    pub fn name(&self) -> &str {
        let tables = || self.owner.tables.iter().rev().find(|table| !table.is_empty()).map_or("", |table| **table);
        let path = if self.path.is_empty() { tables() } else { self.path };
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
    pub shared: Option<&'static Key>,
}

impl<T> Fact<T> {
    /// Where the user wrote the value: in a file, on the command line or in an environment variable.
    pub fn location(&self) -> Option<Location> {
        if self.shared.is_some() { self.origin.place() } else { self.origin.location() }
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
        self.shared.unwrap_or(&self.key)
    }

    /// The same fact with another value.
    pub fn map<U>(self, value: impl FnOnce(T) -> U) -> Fact<U> {
        Fact { value: value(self.value), key: self.key, origin: self.origin, shared: self.shared }
    }
}

/// One setting in a config.
#[derive(Clone)]
pub struct Setting<T: 'static>(Held<T>);

/// Where the state of a setting is kept: a plan has hundreds of settings, most of which are not given.
#[derive(Clone)]
enum Held<T: 'static> {
    /// What it is in all tables of its class that do not give it.
    NotGiven(&'static Place<T>),
    Own(State<T>),
}

/// The state of a setting.
#[derive(Clone, Debug)]
pub enum State<T> {
    /// The target has no key for it.
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

impl<T> From<State<T>> for Setting<T> {
    fn from(state: State<T>) -> Self {
        Self(Held::Own(state))
    }
}

impl<T> Default for Setting<T> {
    /// A setting for which the target has no key.
    fn default() -> Self {
        State::Absent.into()
    }
}

impl<T: fmt::Debug> fmt::Debug for Setting<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state().fmt(formatter)
    }
}

impl<T> Setting<T> {
    /// A setting that is not given.
    pub(crate) const fn not_given(place: &'static Place<T>) -> Self {
        Self(Held::NotGiven(place))
    }

    /// Sets a setting that is absent, so that no state has to be dropped.
    #[inline]
    pub(crate) fn set(&mut self, setting: Self) {
        debug_assert!(matches!(self.0, Held::Own(State::Absent)), "it is set twice");
        std::mem::forget(std::mem::replace(self, setting));
    }

    /// Its state.
    #[inline]
    pub fn state(&self) -> &State<T> {
        match &self.0 {
            Held::NotGiven(place) => place.state(),
            Held::Own(state) => state,
        }
    }

    /// The fact; `None` if there is no value.
    pub fn fact(&self) -> Option<&Fact<T>> {
        if let State::Is(fact) = self.state() { Some(fact) } else { None }
    }

    /// The value; `None` if there is none.
    pub fn value(&self) -> Option<&T> {
        self.fact().map(|fact| &fact.value)
    }

    /// A copy of the value; `None` if there is none.
    pub fn get(&self) -> Option<T>
    where
        T: Copy,
    {
        self.value().copied()
    }

    /// The key under which it is or would be written; `None` if the target has none.
    pub fn key(&self) -> Option<&Key> {
        match self.state() {
            State::Absent => None,
            State::Empty { key, .. } | State::Faulty { key, .. } | State::Is(Fact { key, .. }) => Some(key),
        }
    }

    /// Its origin; `None` if the target has no key for it.
    pub fn origin(&self) -> Option<Origin> {
        match self.state() {
            State::Absent => None,
            State::Empty { origin, .. } | State::Faulty { origin, .. } | State::Is(Fact { origin, .. }) => Some(*origin),
        }
    }

    /// Where the user wrote it.
    pub fn location(&self) -> Option<Location> {
        match &self.0 {
            Held::NotGiven(_) => None,
            Held::Own(State::Is(fact)) => fact.location(),
            Held::Own(_) => self.origin()?.location(),
        }
    }

    /// Whether the user wrote it.
    pub fn is_written(&self) -> bool {
        self.location().is_some()
    }

    /// Whether the target has a key for it, with or without a value.
    pub fn exists(&self) -> bool {
        !matches!(self.state(), State::Absent)
    }

    /// Whether there is a key and it is null.
    pub fn is_empty(&self) -> bool {
        matches!(self.state(), State::Empty { .. })
    }

    /// Whether the value that prime-rl uses is known: `false` only if it is invalid.
    pub fn is_known(&self) -> bool {
        !matches!(self.state(), State::Faulty { .. })
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
