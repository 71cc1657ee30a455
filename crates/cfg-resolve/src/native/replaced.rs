//! Values that a user wrote for a component and that a check of `rl` replaced, usually with a shared key.

use std::cell::RefCell;

use cfg_compose::Origin;
use cfg_diag::{Diagnostic, Location, Severity, codes};
use cfg_schema::{Schema, Segment};

use super::words;
use crate::{Field, Resolved, ResolvedTable, ResolvedValue, view};

/// The replaced values, each with its path.
pub(crate) type Replaced = RefCell<Vec<(String, Resolved)>>;

/// Records a value that is replaced, if the user wrote it.
pub(super) fn keep(replaced: &Replaced, path: &str, old: Resolved) {
    if old.origin.location().is_some() {
        replaced.borrow_mut().push((path.to_owned(), old));
    }
}

/// Reports each value that differs in `table`, the config after all checks.
pub(super) fn findings(schema: Schema, table: &ResolvedTable, replaced: Replaced) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (path, old) in replaced.into_inner() {
        compare(schema, table, &path, &old, &mut found);
    }
    found
}

fn compare(schema: Schema, table: &ResolvedTable, path: &str, old: &Resolved, found: &mut Vec<Diagnostic>) {
    let new = view::get(table, path, schema.point);
    if let ResolvedValue::Table(inner) = &old.value {
        let is_variant = matches!(new, Some(Resolved { value: ResolvedValue::Table(new), .. }) if new.node == inner.node);
        // Keys of another variant are removed with it, which is reported once.
        let told = if is_variant { inner.fields.len() } else { 1 };
        let tag = inner.fields.iter().filter(|field| !is_variant && is_tag(field));
        for field in tag.chain(inner.fields.iter().filter(|field| is_variant || !is_tag(field))).take(told) {
            if let Some(name) = field.node.field_name() {
                compare(schema, table, &format!("{path}.{name}"), &field.resolved, found);
            }
        }
        return;
    }
    let Some(place) = old.origin.location() else { return };
    if new.as_ref().is_some_and(|new| is_same(&old.value, &new.value)) {
        return;
    }
    match new.filter(|new| is_left_to_launcher(table, new)) {
        Some(new) => found.push(left_to_launcher(path, old, place, new)),
        None => found.push(finding(schema, table, path, old, place, new)),
    }
}

/// Whether a value depends on the number of GPUs and the config does not set that number: a flag of the launch command
/// (`--deployment.num-infer-gpus 4`, formerly `--inference-gpu-ids`) then decides whether the written value stays.
fn is_left_to_launcher(table: &ResolvedTable, new: &Resolved) -> bool {
    let by = new.origin.made_by().unwrap_or_default();
    matches!(by, "auto_setup_dp" | "validate_device") && table.given("inference_gpu_ids").is_none()
        || by.contains("deployment") && new.origin.place().is_none()
}

/// What is said of such a value.
fn left_to_launcher(path: &str, old: &Resolved, place: Location, new: &Resolved) -> Diagnostic {
    let message = format!(
        "`{path} = {}` depends on the launch command: without more GPUs, prime-rl replaces it by {}",
        shown(&old.value),
        shown(&new.value)
    );
    let by = new.origin.made_by().map(|name| format!(" ({name})")).unwrap_or_default();
    let help = format!("it follows from the number of the server's GPUs{by}: state that number in the config, or in the command");
    Diagnostic { severity: Severity::Info, ..Diagnostic::new(&codes::REPLACED_VALUE, message).at(place).key(path).help(help) }
}

fn is_tag(field: &Field) -> bool {
    matches!(field.node.segment(), Segment::Field("type"))
}

fn finding(
    schema: Schema,
    table: &ResolvedTable,
    path: &str,
    old: &Resolved,
    place: Location,
    new: Option<&Resolved>,
) -> Diagnostic {
    let taken = match new {
        Some(new) => format!("replaces it by {}", shown(&new.value)),
        None => "drops it".to_owned(),
    };
    let written = match &old.value {
        ResolvedValue::Null => format!("`{path}`, null here,"),
        value => format!("`{path} = {}`", shown(value)),
    };
    let message = format!("{written} has no effect: prime-rl {taken}");
    let mut diagnostic = Diagnostic::new(&codes::REPLACED_VALUE, message).at(place).key(path);
    let from = new.and_then(|new| new.origin.place()).filter(|from| *from != place);
    if let Some(from) = from {
        diagnostic = diagnostic.related(from, "this is used instead");
    }
    let by = new.and_then(|new| new.origin.made_by()).map(|name| format!(" ({name})")).unwrap_or_default();
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let help = match from.and_then(|from| key_at(table, from)) {
        Some(key) if last(&key) == last(path) => format!("`{key}` overrides it{by}: remove one of the two"),
        Some(key) => format!("remove it: it follows from `{key}`{by}"),
        None => match shared_key(schema, path) {
            Some(key) => format!("`{key}` overrides it{by}: set that instead"),
            None => format!("remove it: it follows from other values{by}"),
        },
    };
    diagnostic.help(help)
}

fn shown(value: &ResolvedValue) -> String {
    match value {
        ResolvedValue::Table(_) | ResolvedValue::Map(_) => "a table".to_owned(),
        ResolvedValue::Null => "null".to_owned(),
        value => words::value(value),
    }
}

/// Whether prime-rl considers two values equal. Dates, which no shared key can have, count as equal.
fn is_same(one: &ResolvedValue, other: &ResolvedValue) -> bool {
    use ResolvedValue::{Bool, Datetime, Float, Int, Invalid, List, Map, Null, Str, Table};
    match (one, other) {
        (Bool(one), Bool(other)) => one == other,
        (Int(one), Int(other)) => one == other,
        (Float(one), Float(other)) => one.to_bits() == other.to_bits(),
        (Str(one), Str(other)) => one == other,
        (List(one), List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(&one.value, &other.value))
        }
        (Map(one), Map(other)) => {
            let has = |(key, value): &(Box<str>, Resolved)| {
                other.iter().any(|(name, other)| name == key && is_same(&value.value, &other.value))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        (Null, Null) | (Invalid, _) | (_, Invalid) | (Datetime(_), Datetime(_)) | (Table(_), Table(_)) => true,
        _ => false,
    }
}

/// The key of the value that is written at a location.
fn key_at(table: &ResolvedTable, place: Location) -> Option<String> {
    table.fields.iter().find_map(|field| {
        let name = field.node.field_name()?;
        let written = !matches!(field.resolved.origin, Origin::Default) && field.resolved.origin.location() == Some(place);
        match &field.resolved.value {
            _ if written => Some(name.to_owned()),
            ResolvedValue::Table(below) => key_at(below, place).map(|key| format!("{name}.{key}")),
            _ => None,
        }
    })
}

/// The shared key of a component's key: `output_dir` for `trainer.output_dir`.
fn shared_key(schema: Schema, path: &str) -> Option<String> {
    let (_, own) = path.split_once('.')?;
    view::field_below(schema.root(), own, schema.point).map(|_| own.to_owned())
}
