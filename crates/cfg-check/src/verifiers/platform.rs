//! Values of evaluations that the platform runs: `prime eval run --hosted` checks them itself, and does not convert them.

use cfg_diag::{Diagnostic, Location};
use cfg_syntax::{Entry, Integer, Table, Value, ValueKind};

use super::{facts::facts, table::At};

/// Whether any table of such a file has a key that only hosted evaluations accept, and `vf-eval` refuses.
pub(super) fn is_meant(root: &Table) -> bool {
    let is_own = |table: &Table| table.entries.iter().any(|entry| facts().key(&entry.key.text).is_some_and(|key| key.is_hosted));
    let entries = ["eval", "ablation"].into_iter().filter_map(|key| root.value(key)).flat_map(Value::items);
    let sweep = |table: &Table| table.value("sweep").and_then(Value::as_table).is_some_and(is_own);
    is_own(root) || entries.filter_map(Value::as_table).any(|entry| is_own(entry) || sweep(entry))
}

/// The error in the value of a key that hosted evaluations accept.
pub(super) fn check(at: &At<'_>, entry: &Entry) -> Option<Diagnostic> {
    let platform = facts().key(&entry.key.text)?.platform.as_deref()?;
    let value = &entry.value;
    if matches!(value.kind, ValueKind::Missing | ValueKind::Invalid) {
        return None;
    }
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let (is_taken, wanted) = match platform {
        "int" => (matches!(value.kind, ValueKind::Integer(_)), "must be an integer"),
        "bool" => (matches!(value.kind, ValueKind::Boolean(_)), "must be true or false"),
        "number" => (matches!(value.kind, ValueKind::Integer(_) | ValueKind::Float(_)), "must be a number"),
        "str" => (is_text(value), "must be a non-empty string"),
        "texts" => {
            let is_list = matches!(value.kind, ValueKind::Array(_));
            (is_list && value.items().iter().all(is_text), "must be a list of non-empty strings")
        }
        "table" if value.as_table().is_none() => (false, "must be a table"),
        "table" => {
            let date = date_within(value)?;
            return Some(refused(at, entry, date, "is sent as JSON, which has no dates").help("write the date as a string"));
        }
        _ => return None,
    };
    if !is_taken {
        return Some(refused(at, entry, value, wanted));
    }
    let least = match &*entry.key.text {
        "num_examples" => -1,
        "rollouts_per_example" => 1,
        _ => return None,
    };
    let is_less = matches!(value.kind, ValueKind::Integer(Integer::Small(number)) if number < least);
    is_less.then(|| refused(at, entry, value, &format!("must be {least} or more")))
}

fn refused(at: &At<'_>, entry: &Entry, value: &Value, why: &str) -> Diagnostic {
    let mut found = at.refused(entry, format!("`{}` {why}", at.path(&entry.key.text)));
    found.location = Some(Location::new(at.file, value.span));
    found.help("`prime eval run --hosted` does not convert values")
}

/// The first date or time somewhere in a value.
fn date_within(value: &Value) -> Option<&Value> {
    match &value.kind {
        ValueKind::Datetime(_) => Some(value),
        ValueKind::Array(items) => items.iter().find_map(date_within),
        ValueKind::Table(table) => table.entries.iter().find_map(|entry| date_within(&entry.value)),
        _ => None,
    }
}
