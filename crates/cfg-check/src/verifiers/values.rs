//! The types of values, which verifiers checks after it has read the whole file.

use std::{fmt::Write as _, sync::LazyLock};

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, LocPart, Location, codes};
use cfg_resolve::Names;
use cfg_schema::{Kind, Point, Schema};
use cfg_syntax::{Document, Entry, Integer, Table, Value, ValueKind};

use super::{
    facts::{Key, facts},
    platform,
    table::At,
    used::{Standing, Used},
};

/// The keys whose type is known, as a schema.
static TYPED: LazyLock<Option<(Schema, Names)>> = LazyLock::new(|| {
    const ALWAYS: &str = "000000000..";
    let mut text = format!("(root)\n  {ALWAYS}  root(ignore)\n");
    for key in facts().keys().iter().filter(|key| &*key.ty != Key::ANY) {
        // Writing to a string does not fail.
        let _ = write!(text, "\n{}\n  {ALWAYS}  {}\n", key.name, key.ty);
    }
    let node = cfg_schema::compiler::compile_class(&cfg_schema::compiler::parse(&text, &|_| Ok(0)).ok()?, &[]).ok()?;
    let schema = Schema { history: node.history(), kind: Kind::ALL[0], point: Point(0) };
    Some((schema, Names::new(schema)))
});

/// The errors in the values of the root, as far as an evaluation uses them, and in those of each evaluation.
pub(super) fn check(used: &Used, root: &At<'_>, evals: &[At<'_>], ablations: &[At<'_>]) -> Vec<Diagnostic> {
    let says = |entry: &At<'_>, key: &str| {
        entry.table.get(key).is_some() || entry.below("sweep").is_some_and(|sweep| sweep.table.get(key).is_some())
    };
    let is_inherited = |entry: &&Entry| evals.iter().chain(ablations).any(|at| !says(at, &entry.key.text));
    let of_root: Vec<&Entry> = root.keys().filter(|entry| has_type(entry)).filter(is_inherited).collect();
    let mut found = of_table(used, root, &of_root);
    for entry in evals.iter().chain(ablations) {
        let sweep = entry.below("sweep");
        // A swept value replaces the fixed one.
        let is_swept = |own: &Entry| sweep.as_ref().is_some_and(|sweep| sweep.table.get(&own.key.text).is_some());
        found.extend(of_table(used, entry, &entry.keys().filter(|own| has_type(own) && !is_swept(own)).collect::<Vec<_>>()));
        found.extend(sweep.iter().flat_map(|sweep| of_lists(used, sweep)));
    }
    found
}

/// Whether the type of a key's values is known.
fn has_type(entry: &Entry) -> bool {
    facts().has_key(&entry.key.text)
}

/// Checks each of the values that an ablation combines.
fn of_lists(used: &Used, sweep: &At<'_>) -> Vec<Diagnostic> {
    let lists = sweep.keys().filter(|entry| !matches!(&*entry.key.text, "args" | "env_args"));
    let one = |entry: &Entry, value: &Value| Entry { key: entry.key.clone(), value: value.clone() };
    let values: Vec<Entry> =
        lists.flat_map(|entry| entry.value.items().iter().map(|value| one(entry, value)).collect::<Vec<_>>()).collect();
    values.iter().flat_map(|entry| of_table(used, sweep, &[entry])).collect()
}

fn of_table(used: &Used, at: &At<'_>, entries: &[&Entry]) -> Vec<Diagnostic> {
    let taken: Vec<&Entry> =
        entries.iter().filter(|entry| has_type(entry) && used.standing(&entry.key.text) == Standing::Taken).copied().collect();
    let mut found = if used.is_hosted {
        taken.iter().filter_map(|entry| platform::check(at, entry)).collect()
    } else {
        typed(used, at, &taken)
    };
    for entry in taken {
        found.extend(match &*entry.key.text {
            "header" | "header_from_state" => header_lines(used, at, entry),
            "headers" | "headers_from_state" => headers(at, entry),
            "resume" => resume(at, entry).into_iter().collect(),
            "name" | "endpoint_id" if entry.value.as_str() == Some("") => {
                vec![at_value(at, entry, &entry.value, "must not be empty")]
            }
            _ => Vec::new(),
        });
    }
    found
}

/// The walker's findings for the values with a type.
fn typed(used: &Used, at: &At<'_>, entries: &[&Entry]) -> Vec<Diagnostic> {
    let Some((schema, names)) = &*TYPED else { return Vec::new() };
    let typed: Vec<Entry> = entries.iter().filter(|entry| !is_taken_anyway(entry)).map(|entry| (*entry).clone()).collect();
    if typed.is_empty() {
        return Vec::new();
    }
    let root = Table { style: at.table.style, span: at.table.span, entries: typed };
    let tree = Tree::from_document(at.file, Document { root, ..Document::default() });
    let (_, found) = cfg_resolve::resolve(*schema, names, tree);
    let is_open = |found: &Diagnostic| found.code == &codes::INVALID_CHOICE && used.may_know_more_names();
    found
        .into_iter()
        .filter(|found| found.native.is_some() && !found.is_echo && !is_open(found))
        .map(|found| of(at, found))
        .collect()
}

/// Whether a value is accepted although it does not have the type of its key: Python treats empty values as none, and converts pairs to a table.
fn is_taken_anyway(entry: &Entry) -> bool {
    let is_list = matches!(entry.value.kind, ValueKind::Array(_));
    match &*entry.key.text {
        "provider" => is_nothing(&entry.value),
        "sampling_args" => is_nothing(&entry.value) || is_list,
        "extra_env_kwargs" => is_list || entry.value.as_str() == Some(""),
        _ => false,
    }
}

/// Whether a value is false in Python.
fn is_nothing(value: &Value) -> bool {
    match &value.kind {
        ValueKind::String(text) => text.is_empty(),
        ValueKind::Boolean(is_true) => !is_true,
        ValueKind::Integer(Integer::Small(number)) => *number == 0,
        ValueKind::Float(number) => *number == 0.0,
        ValueKind::Array(items) => items.is_empty(),
        ValueKind::Table(table) => table.entries.is_empty(),
        _ => false,
    }
}

/// A finding of the walker, converted to one of this file.
fn of(at: &At<'_>, mut found: Diagnostic) -> Diagnostic {
    found.code = &codes::REFUSED_EVALUATION;
    found.severity = found.code.severity;
    found.key = found.key.map(|key| at.path(&key));
    if let Some(native) = &mut found.native {
        let is_provider = matches!(native.loc.first(), Some(LocPart::Key(key)) if key == "provider");
        native.kind = if is_provider { "KeyError".into() } else { "ValidationError".into() };
        native.loc = match native.loc.first() {
            Some(LocPart::Key(key)) => at.loc_of(key),
            _ => native.loc.clone(),
        };
    }
    found
}

fn at_value(at: &At<'_>, entry: &Entry, value: &Value, why: &str) -> Diagnostic {
    let mut found = at.refused(entry, format!("`{}` {why}", at.path(&entry.key.text)));
    found.location = Some(Location::new(at.file, value.span));
    found
}

/// Checks `resume`: `true`, or the path of a run. In Python a zero equals `false`; no other number is accepted as a boolean.
fn resume(at: &At<'_>, entry: &Entry) -> Option<Diagnostic> {
    let is_taken = match &entry.value.kind {
        ValueKind::String(_) | ValueKind::Boolean(_) | ValueKind::Missing | ValueKind::Invalid => true,
        ValueKind::Integer(_) | ValueKind::Float(_) => is_nothing(&entry.value),
        _ => false,
    };
    (!is_taken).then(|| at_value(at, entry, &entry.value, "must be true, false, or the path of a run"))
}

/// Checks `header = ["Name: value"]`.
fn header_lines(used: &Used, at: &At<'_>, entry: &Entry) -> Vec<Diagnostic> {
    let is_state = &*entry.key.text == "header_from_state";
    let help = if is_state { "write each as \"Name: key of the state\"" } else { "write each as \"Name: value\"" };
    let ValueKind::Array(items) = &entry.value.kind else {
        let is_read = !matches!(entry.value.kind, ValueKind::Missing | ValueKind::Invalid);
        // At early versions this was the same as no list.
        let is_empty = is_nothing(&entry.value) && !used.is_hosted;
        let found = || at_value(at, entry, &entry.value, "must be a list of strings").help(help);
        return (is_read && !is_empty).then(found).into_iter().collect();
    };
    let is_line = |value: &Value| match &value.kind {
        ValueKind::Missing | ValueKind::Invalid => true,
        ValueKind::String(text) => {
            text.split_once(':').is_some_and(|(name, value)| !(name.trim().is_empty() || is_state && value.trim().is_empty()))
        }
        _ => false,
    };
    let wrong = items.iter().filter(|item| !is_line(item));
    wrong.map(|item| at_value(at, entry, item, "has an item that names no header").help(help)).collect()
}

/// Checks `headers = { Name = "value" }`; the walker checks that it is a table.
fn headers(at: &At<'_>, entry: &Entry) -> Vec<Diagnostic> {
    let Some(table) = entry.value.as_table() else { return Vec::new() };
    let is_text = |value: &Value| matches!(value.kind, ValueKind::String(_) | ValueKind::Missing | ValueKind::Invalid);
    let wrong = table.entries.iter().filter(|header| header.key.text.trim().is_empty() || !is_text(&header.value));
    let why = "must have a name and a text for each header";
    wrong.map(|header| at_value(at, entry, &header.value, why)).collect()
}

#[cfg(test)]
mod tests {
    use super::TYPED;
    use crate::verifiers::facts::{Key, facts};

    #[test]
    fn each_type_can_be_compared() {
        let (schema, _) = TYPED.as_ref().expect("the types are in the notation of the history");
        for key in facts().keys() {
            let field = schema.root().field(&key.name);
            assert_eq!(field.is_some(), &*key.ty != Key::ANY, "{}", key.name);
        }
    }
}
