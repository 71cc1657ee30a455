//! A table whose class comes from a package is converted to a Python dictionary, and its `id` is looked up, before types are checked.

use cfg_compose::{Entry, Node, Origin, Table, Value};
use cfg_diag::{Applicability, Diagnostic, Edit, codes};
use cfg_schema::{Behaviour, Point};

use super::{Class, Refusal, python};
use crate::{emit::string, native::attached::is_id};

/// The value at `field`, whose class `validator` looks up.
pub(super) fn run(class: Class, table: &mut Table, field: &str, validator: &str) -> Option<Refusal> {
    match (field, validator) {
        ("judges", _) => judges(class, table),
        ("env", _) => table_at(class, table, field, "resolve_env_config"),
        ("harness", "_resolve_plugins") => table_at(class, table, field, "default_harness_id"),
        _ => table_at(class, table, field, "narrow_plugin_field"),
    }
}

/// The table at `field`, of a class whose `id` is looked up by prime-rl's function `check`, if it has one.
fn table_at(class: Class, table: &mut Table, field: &str, check: &'static str) -> Option<Refusal> {
    // A harness with a false `id` gets its default. A taskset without a true `id` is left unchanged.
    let (has_default, is_taskset) = (field == "harness", field == "taskset");
    let entry = table.get_mut(field)?;
    if matches!(entry.node.value, Value::Null) {
        return None;
    }
    let mut made = if python::is_true(&entry.node.value) {
        match dictionary(&entry.node.value) {
            Ok(made) => made,
            Err(fault) => return Some(refusal(entry, fault, check)),
        }
    } else {
        Some(Table::default())
    };
    let inner = match (&mut made, &mut entry.node.value) {
        (Some(made), _) => made,
        (None, Value::Table(inner)) => inner,
        _ => return None,
    };
    let mut fault = None;
    if let Some(id) = inner.get("id") {
        if python::is_true(&id.node.value) {
            fault = looked_up(&id.node.value, class.point, has_default || is_taskset).map(|fault| (fault, id.node.origin));
        } else if has_default {
            inner.remove("id");
        }
    }
    // An environment without an `id` has that of its taskset.
    if field == "env"
        && !inner.get("id").is_some_and(|id| python::is_true(&id.node.value))
        && let Some(Value::Table(taskset)) = inner.get("taskset").map(|entry| &entry.node.value)
        && let Some(id) = taskset.get("id").filter(|id| matches!(&id.node.value, Value::Str(id) if is_malformed(id, class.point)))
    {
        fault = Some((Fault::Value, id.node.origin));
    }
    let is_kept = is_taskset && !inner.get("id").is_some_and(|id| python::is_true(&id.node.value));
    if let Some((fault, origin)) = fault {
        let only = inner.get("id").and_then(|id| match &id.node.value {
            Value::List(items) => <&[Node; 1]>::try_from(items.as_slice()).ok()?[0].value.as_str().map(string),
            _ => None,
        });
        let mut refusal = refused(origin, format!("`{field}.id` must be a package name"), fault, check, entry);
        if let (Some(id), Some(location)) = (only, origin.place()) {
            let edit = Edit { location, new_text: id.clone() };
            refusal.diagnostic =
                refusal.diagnostic.help(format!("write {id}")).fix(format!("write `{id}`"), Applicability::Unsafe, edit);
        }
        return Some(refusal);
    }
    if let Some(made) = made.filter(|_| !is_kept) {
        entry.node.value = Value::Table(made);
    }
    None
}

/// The judges of a task, which are looked up one after the other. After a refusal, the remaining ones are not looked up.
fn judges(class: Class, table: &mut Table) -> Option<Refusal> {
    let check = "resolve_judges";
    let entry = table.get_mut("judges").filter(|entry| python::is_true(&entry.node.value))?;
    let Value::List(judges) = &mut entry.node.value else {
        // Iterating over a string or the keys of a table yields strings, which are not tables.
        let fault = if matches!(entry.node.value, Value::Str(_) | Value::Table(_)) { Fault::Value } else { Fault::Type };
        return Some(refusal(entry, fault, check));
    };
    let mut first = None;
    for (index, judge) in judges.iter_mut().enumerate() {
        let fault = match dictionary(&judge.value) {
            Err(fault) => Some((fault, "expected a table")),
            Ok(made) => {
                if let Some(made) = made {
                    judge.value = Value::Table(made);
                }
                match id_of(judge) {
                    Some(id) => looked_up(id, class.point, false).map(|fault| (fault, "a judge's `id` must be a package name")),
                    None => Some((Fault::Value, "this judge has no `id`")),
                }
            }
        };
        if let Some((fault, message)) = fault {
            first = Some((index, judge.origin, fault, message));
            break;
        }
    }
    let (index, origin, fault, message) = first?;
    let before: Vec<Node> = judges.drain(..index).collect();
    let mut refusal = refused(origin, message.to_owned(), fault, check, entry);
    if !before.is_empty() {
        entry.node.value = Value::List(before);
    }
    refusal.diagnostic.help = Some("set `id` to the name of the judge's package, such as \"reference\" or \"rubric\"".to_owned());
    Some(refusal)
}

fn id_of(judge: &Node) -> Option<&Value> {
    let Value::Table(table) = &judge.value else { return None };
    table.get("id").map(|id| &id.node.value).filter(|id| python::is_true(id))
}

/// The Python exception of a refusal: pydantic catches one of them, and the others end prime-rl.
#[derive(Clone, Copy)]
enum Fault {
    Value,
    Type,
    Attribute,
    Module,
}

/// Why an `id` that is true in Python can't be looked up. Later versions first check that some of the ids are strings: those with `is_asked`.
fn looked_up(id: &Value, point: Point, is_asked: bool) -> Option<Fault> {
    match id {
        // The string becomes null only after the lookup, and null would not be a valid name either.
        Value::Str(id) if &**id == "None" => Some(Fault::Module),
        Value::Str(id) if is_malformed(id, point) => Some(Fault::Value),
        Value::Str(_) | Value::Unknown => None,
        _ if is_asked && point.has(Behaviour::NestedEnvs) => Some(Fault::Value),
        Value::Table(_) | Value::List(_) => Some(Fault::Attribute),
        _ if point.has(Behaviour::Concurrency) => Some(Fault::Attribute),
        _ => Some(Fault::Type),
    }
}

/// Whether an `id` contains a slash but is not of the form `organisation/name`.
fn is_malformed(id: &str, point: Point) -> bool {
    point.lacks(Behaviour::Concurrency) && !is_id(id)
}

/// Python's `dict(value)`; `None` if the result is the value itself.
fn dictionary(value: &Value) -> Result<Option<Table>, Fault> {
    match value {
        Value::Table(_) | Value::Unknown => Ok(None),
        Value::Str(text) if text.is_empty() => Ok(Some(Table::default())),
        Value::List(items) => pairs(items).map(Some),
        Value::Str(_) => Err(Fault::Value),
        _ => Err(Fault::Type),
    }
}

/// Makes a table of an array of pairs.
fn pairs(items: &[Node]) -> Result<Table, Fault> {
    let mut table = Table::default();
    for item in items {
        let text = |text: String| Node { value: Value::Str(text.into()), origin: item.origin };
        let (key, node) = match &item.value {
            Value::List(pair) => match &pair[..] {
                [key, value] => (key.clone(), value.clone()),
                _ => return Err(Fault::Value),
            },
            Value::Table(pair) => match pair.entries() {
                [key, value] => (text(key.key.to_string()), text(value.key.to_string())),
                _ => return Err(Fault::Value),
            },
            Value::Str(pair) => match &pair.chars().collect::<Vec<_>>()[..] {
                [key, value] => (text(key.to_string()), text(value.to_string())),
                _ => return Err(Fault::Value),
            },
            _ => return Err(Fault::Type),
        };
        let Value::Str(key) = key.value else { return Err(Fault::Type) };
        table.insert(Entry { key, written: None, key_origin: item.origin, node });
    }
    Ok(table)
}

fn refusal(entry: &mut Entry, fault: Fault, check: &'static str) -> Refusal {
    let message = format!("`{}` is not a table", entry.key);
    let origin = entry.node.origin;
    // A bare text is what the table is about.
    let meant = entry.node.value.as_str().map(string).map(|text| match &*entry.key {
        "env" => format!("{{ taskset = {{ id = {text} }} }}"),
        _ => format!("{{ id = {text} }}"),
    });
    let mut refusal = refused(origin, message, fault, check, entry);
    if let (Some(new_text), Some(location)) = (meant, origin.place()) {
        let diagnostic = refusal.diagnostic.help(format!("write {new_text}"));
        let title = format!("write `{new_text}`");
        refusal.diagnostic = diagnostic.fix(title, Applicability::Unsafe, Edit { location, new_text });
    }
    refusal
}

/// The refusal of a value at `origin`. Marks the value of `entry`, which has the field, as unknown, so that it is not checked again.
fn refused(origin: Origin, message: String, fault: Fault, check: &'static str, entry: &mut Entry) -> Refusal {
    let (code, kind) = match fault {
        Fault::Value => (&codes::WRONG_TYPE, "value_error"),
        Fault::Type => (&codes::LOADING_CRASHES, "TypeError"),
        Fault::Attribute => (&codes::LOADING_CRASHES, "AttributeError"),
        Fault::Module => (&codes::LOADING_CRASHES, "ModuleNotFoundError"),
    };
    let mut diagnostic = Diagnostic::new(code, message);
    diagnostic.location = origin.place();
    entry.node.value = Value::Unknown;
    Refusal { diagnostic, kind, check, doubtful: Vec::new(), validator: "" }
}
