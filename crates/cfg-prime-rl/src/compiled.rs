//! The config as prime-rl resolves it.

use cfg_compose::Origin;
use cfg_resolve::{
    Nulls,
    emit::{Places, leaves, origin_in_words},
    written,
};

use crate::{Kind, read::Read};

/// The config as prime-rl resolves it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compiled {
    /// Its entrypoint.
    pub kind: Kind,
    /// The version of prime-rl.
    pub target: String,
    /// Every value, in the order of prime-rl's own fields.
    pub values: Vec<Value>,
    /// One object with the members and values of prime-rl's own `model_dump_json()`.
    pub json: String,
}

/// One value of a resolved config.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Value {
    /// Its dotted key, from the root of the config.
    pub key: String,
    /// The value.
    pub value: serde_json::Value,
    /// Its origin, in words: a line of the file, a default, a rule of prime-rl.
    pub origin: String,
    /// Whether it is not written in a file.
    pub is_default: bool,
}

impl Compiled {
    /// The value of a dotted key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.values.iter().find(|value| value.key == key)
    }

    /// `None` if the kind is unknown, or prime-rl refuses it.
    pub(crate) fn new(read: &Read<'_>) -> Option<Self> {
        let checked = &read.checked;
        let (kind, resolved) = checked.kind.zip(checked.resolved.as_ref()).filter(|_| checked.is_accepted())?;
        let point = checked.target.point;
        let sources = read.sources();
        let place = |location| {
            let place = sources.place(location);
            place.map_or_else(String::new, |(path, at)| format!("{path}:{}:{}", at.line, at.column))
        };
        let text = |location| sources.text(location);
        let places = Places { place: &place, text: &text, target: &checked.target.name };
        let table = written(resolved, point, Nulls::Kept);
        let values = leaves(&table).into_iter().map(|leaf| Value {
            value: leaf.json(),
            origin: origin_in_words(leaf.origin, places),
            is_default: matches!(leaf.origin, Origin::Default),
            key: leaf.key,
        });
        let values = values.collect();
        let json = serde_json::to_string(&cfg_resolve::Dump { table: resolved, point }).ok()?;
        Some(Self { kind, target: checked.target.name.clone(), values, json })
    }
}
