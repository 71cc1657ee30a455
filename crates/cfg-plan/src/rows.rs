//! A plan as rows, for people and for tests.

use std::fmt;

use cfg_compose::Origin;

use crate::{Key, Setting, State, facts::Part, value::Value};

/// One setting of a plan.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its path in the plan: `trainer.model.lora.rank`.
    pub field: String,
    /// Its key; `None` if the target has none.
    pub key: Option<Key>,
    /// Its value as text; `None` if it is null.
    pub value: Option<String>,
    /// Its origin; `None` if the target has no key for it.
    pub origin: Option<Origin>,
    /// The shared key from which prime-rl copied it.
    pub shared: Option<Key>,
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(key) = &self.key else { return write!(formatter, "{}: no key", self.field) };
        let value = self.value.as_deref().unwrap_or("null");
        write!(formatter, "{}: {value} ({key}", self.field)?;
        match (&self.shared, self.origin) {
            (Some(shared), _) => write!(formatter, ", from {shared})"),
            (None, Some(Origin::Check(derivation) | Origin::Loader(derivation))) => {
                write!(formatter, ", by {})", derivation.name)
            }
            (None, Some(Origin::Default)) => write!(formatter, ", default)"),
            _ => write!(formatter, ", written)"),
        }
    }
}

/// Adds the rows of a setting: its own row, and those of the part if it is a part.
pub(crate) fn of_setting<T: Value + fmt::Debug>(setting: &Setting<T>, field: &str, rows: &mut Vec<Row>) {
    let row = |value: Option<String>| Row {
        field: field.to_owned(),
        key: setting.key().cloned(),
        value,
        origin: setting.origin(),
        shared: setting.fact().and_then(|fact| fact.shared).cloned(),
    };
    match setting.state() {
        State::Is(fact) => {
            rows.push(row(Some(fact.value.text())));
            fact.value.rows(field, rows);
        }
        State::Faulty { .. } => rows.push(row(Some("faulty".to_owned()))),
        _ => rows.push(row(None)),
    }
}

/// Adds the rows of an optional part.
pub(crate) fn of_part<P: Part>(part: Option<&P>, field: &str, rows: &mut Vec<Row>) {
    if let Some(part) = part {
        part.rows(field, rows);
    }
}
