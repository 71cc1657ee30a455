//! `before` validators of a project's own prime-rl that differ from the known ones, run from their source.

use std::sync::Arc;

use cfg_compose::{Integer, Node, Origin, Table, Value};
use cfg_diag::{Diagnostic, codes};
use cfg_schema::{Assigned, CheckCode, CheckedTable, Node as Place, Open, Raised, Reason, Ruling, Seen, ValueSegment};

use super::{Class, Refusal, copied, installed_class, made_from};
use crate::walk::narrow;

/// The results of such a validator besides the changed table.
pub(crate) struct LeftOpen {
    /// Its name.
    pub(crate) validator: &'static str,
    /// Why it is unknown whether it refuses the table, or how it changes the table.
    pub(crate) open: Option<Open>,
    /// The paths at which it writes unknown values.
    pub(crate) doubtful: Vec<String>,
    /// The fields whose classes the known validator of this name looks up, and this one does not.
    pub(crate) declared: Vec<&'static str>,
}

/// Runs a validator over a raw table.
pub(super) fn run(
    code: &dyn CheckCode,
    class: Class,
    name: &'static str,
    table: &mut Table,
    refusals: &mut Vec<Refusal>,
) -> LeftOpen {
    let mut raw = Raw::new(table, name);
    raw.class = Some(class);
    let ruling = code.run(class.node, name, &mut raw);
    let Raw { doubtful, looked_up, refused, .. } = raw;
    let mut declared: Vec<&'static str> = Vec::new();
    let open = match ruling {
        Ruling::Accepts => {
            declared.extend(narrow::looked_up_by(name).filter(|field| !looked_up.contains(field)));
            None
        }
        Ruling::Open(open) => Some(open),
        Ruling::Refuses(raised) => {
            let is_of_lookup = |refused: &Refusal| refused.diagnostic.message == raised.message;
            refusals.push(refused.filter(is_of_lookup).unwrap_or_else(|| refusal(name, &raised, table)));
            None
        }
    };
    LeftOpen { validator: name, open, doubtful, declared }
}

/// The result of a validator for a value that is not a table, unless the validator leaves the value unchanged.
pub(crate) enum OnValue {
    Refused(Box<Refusal>),
    Open(Open),
}

/// Runs a validator over a value that is not a table.
pub(crate) fn run_on_value(code: &dyn CheckCode, class: Place, name: &'static str, raw: &Node) -> Result<(), OnValue> {
    let mut value = RawValue { raw, is_changed: false };
    let ruling = code.run(class, name, &mut value);
    match ruling {
        Ruling::Accepts if !value.is_changed => Ok(()),
        Ruling::Accepts => {
            let why = "its result for a value that is not a table".to_owned();
            Err(OnValue::Open(Open { why, place: String::new(), reason: Reason::Code }))
        }
        Ruling::Open(open) => Err(OnValue::Open(open)),
        Ruling::Refuses(raised) => {
            let mut refusal = refusal(name, &raised, &Table::default());
            refusal.diagnostic.location = raw.origin.place();
            Err(OnValue::Refused(Box::new(refusal)))
        }
    }
}

/// A value that is not a table, as the code of a check sees it.
struct RawValue<'n> {
    raw: &'n Node,
    is_changed: bool,
}

impl CheckedTable for RawValue<'_> {
    fn get(&self, path: &[ValueSegment]) -> Seen {
        below(self.raw, path).map_or(Seen::Missing, |node| seen(&node.value))
    }

    fn assign(&mut self, _: &[ValueSegment], _: Assigned, _: Option<&[ValueSegment]>) {
        self.is_changed = true;
    }

    fn remove(&mut self, _: &[ValueSegment]) {
        self.is_changed = true;
    }
}

/// An entry of a raw table that a field check reads.
pub(crate) fn entry(field: &str, node: Node, by: &'static str) -> cfg_compose::Entry {
    let mut entry = made_from(node.origin, field, Value::Null, by);
    entry.node = node;
    entry
}

/// Runs a field check over a raw table with only that field. `others` are the fields before it. Also returns whether the resulting value is known.
pub(crate) fn run_of_field(
    code: &dyn CheckCode,
    class: Place,
    number: usize,
    name: &'static str,
    table: &mut Table,
    others: &mut dyn CheckedTable,
) -> (Ruling, bool) {
    let raw = Raw::new(table, name);
    let mut both = WithOthers { raw, others };
    let ruling = code.run_of_field(class, number, &mut both);
    (ruling, both.raw.doubtful.is_empty())
}

/// A raw value under the key of its field, and the fields of the same table that have been checked before it.
struct WithOthers<'t, 'o> {
    raw: Raw<'t>,
    others: &'o mut dyn CheckedTable,
}

impl WithOthers<'_, '_> {
    fn of(&self, path: &[ValueSegment]) -> &dyn CheckedTable {
        if matches!(path.first(), Some(ValueSegment::Key(_))) { &self.raw } else { self.others }
    }

    fn of_mut(&mut self, path: &[ValueSegment]) -> &mut dyn CheckedTable {
        if matches!(path.first(), Some(ValueSegment::Key(_))) { &mut self.raw } else { self.others }
    }
}

impl CheckedTable for WithOthers<'_, '_> {
    fn get(&self, path: &[ValueSegment]) -> Seen {
        self.of(path).get(path)
    }

    fn given(&self, path: &[ValueSegment]) -> Vec<&'static str> {
        self.of(path).given(path)
    }

    fn extras(&self, path: &[ValueSegment]) -> Option<Vec<(Arc<str>, Assigned)>> {
        self.of(path).extras(path)
    }

    fn holds(&self, name: &str, key: &str) -> Option<bool> {
        self.others.holds(name, key)
    }

    fn is_of(&self, path: &[ValueSegment], class: &str) -> Option<bool> {
        self.of(path).is_of(path, class)
    }

    fn base_class(&self, path: &[ValueSegment]) -> Option<Place> {
        self.of(path).base_class(path)
    }

    fn classes(&self, path: &[ValueSegment]) -> Vec<Place> {
        self.of(path).classes(path)
    }

    fn accepts(&self, class: Place, field: &str, value: &Assigned) -> Option<Result<(), String>> {
        self.others.accepts(class, field, value)
    }

    fn look_up(&mut self, path: &[ValueSegment]) -> Option<Result<(), (String, String)>> {
        self.of_mut(path).look_up(path)
    }

    fn assign(&mut self, path: &[ValueSegment], value: Assigned, made_of: Option<&[ValueSegment]>) {
        self.of_mut(path).assign(path, value, made_of);
    }

    fn remove(&mut self, path: &[ValueSegment]) {
        self.of_mut(path).remove(path);
    }
}

/// The refusal for a raised exception, with prime-rl's names.
fn refusal(name: &'static str, raised: &Raised, table: &Table) -> Refusal {
    let kind = match raised.exception.as_str() {
        "ValueError" => "value_error",
        "AssertionError" => "assertion_error",
        "KeyError" => "KeyError",
        "AttributeError" => "AttributeError",
        "TypeError" => "TypeError",
        _ => "Exception",
    };
    let code = if kind.ends_with("_error") { &codes::CONTRADICTION } else { &codes::LOADING_CRASHES };
    let said = raised.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = if said.is_empty() { format!("prime-rl's own check refuses this with {kind}") } else { said };
    let mut diagnostic = Diagnostic::new(code, message.trim_end_matches('.').to_owned());
    for path in &raised.reads {
        let Some(place) = find(table, path).and_then(|node| node.origin.place()) else { continue };
        let key = ValueSegment::dotted(path);
        diagnostic = if diagnostic.location.is_none() {
            diagnostic.at(place).label(format!("`{key}`")).key(key)
        } else {
            diagnostic.related(place, format!("`{key}`"))
        };
    }
    let diagnostic = diagnostic.help(format!("the project's own check refuses it: {}", raised.place));
    Refusal { diagnostic, kind, check: name, validator: name, doubtful: Vec::new() }
}

/// A raw table, as the code of a check reads and changes it.
struct Raw<'t> {
    table: &'t mut Table,
    /// The validator that runs.
    name: &'static str,
    /// The values that were removed from it, with their paths.
    taken: Vec<(Vec<ValueSegment>, Node)>,
    doubtful: Vec<String>,
    /// The class of the table, for a validator of the whole table.
    class: Option<Class>,
    /// The fields whose classes it looked up.
    looked_up: Vec<&'static str>,
    /// The refusal of a lookup.
    refused: Option<Refusal>,
}

/// The value at a path below the table.
fn find<'t>(table: &'t Table, path: &[ValueSegment]) -> Option<&'t Node> {
    let (ValueSegment::Key(first), rest) = path.split_first()? else { return None };
    below(&table.get(first)?.node, rest)
}

fn below<'n>(node: &'n Node, path: &[ValueSegment]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, step| match (step, &node.value) {
        (ValueSegment::Key(key), Value::Table(table)) => Some(&table.get(key)?.node),
        (ValueSegment::Item(index), Value::List(items)) => items.get(*index),
        _ => None,
    })
}

fn below_mut<'n>(node: &'n mut Node, path: &[ValueSegment]) -> Option<&'n mut Node> {
    path.iter().try_fold(node, |node, step| match (step, &mut node.value) {
        (ValueSegment::Key(key), Value::Table(table)) => Some(&mut table.get_mut(key)?.node),
        (ValueSegment::Item(index), Value::List(items)) => items.get_mut(*index),
        _ => None,
    })
}

impl<'t> Raw<'t> {
    fn new(table: &'t mut Table, name: &'static str) -> Self {
        let (taken, doubtful, looked_up) = (Vec::new(), Vec::new(), Vec::new());
        Self { table, name, taken, doubtful, class: None, looked_up, refused: None }
    }

    /// The value at a path, or the one that was removed from there.
    fn find(&self, path: &[ValueSegment]) -> Option<&Node> {
        find(self.table, path)
            .or_else(|| self.taken.iter().rev().find_map(|(from, node)| below(node, path.strip_prefix(from.as_slice())?)))
    }

    /// The table at a path, mutable.
    fn table_at(&mut self, path: &[ValueSegment]) -> Option<&mut Table> {
        let Some((first, rest)) = path.split_first() else { return Some(self.table) };
        if find(self.table, path).is_some() {
            let ValueSegment::Key(first) = first else { return None };
            return below_mut(&mut self.table.get_mut(first)?.node, rest)?.value.as_table_mut();
        }
        let mut taken = self.taken.iter_mut().rev();
        taken.find_map(|(from, node)| below_mut(node, path.strip_prefix(from.as_slice())?)?.value.as_table_mut())
    }

    /// An assigned value; `None` if it is unknown.
    fn raw(&self, value: Assigned, source: Origin) -> Option<Node> {
        let value = match value {
            Assigned::Unknown | Assigned::Table(..) => return None,
            Assigned::Copy(path) if path.is_empty() => return None,
            Assigned::Copy(path) => return self.find(&path).map(|node| copied(node, self.name)),
            Assigned::Null => Value::Null,
            Assigned::Bool(value) => Value::Bool(value),
            Assigned::Int(value) => Value::Int(Integer::Small(value)),
            Assigned::Float(value) => Value::Float(value),
            Assigned::Str(text) => Value::Str(text.as_ref().into()),
            Assigned::List(items) => Value::List(items.into_iter().map(|item| self.raw(item, source)).collect::<Option<_>>()?),
            Assigned::Map(entries) => {
                let mut table = Table::default();
                for (key, value) in entries {
                    let node = self.raw(value, source)?;
                    table.insert(made_from(node.origin, &key, node.value, self.name));
                }
                Value::Table(table)
            }
        };
        Some(Node { value, origin: source.through_loader(self.name) })
    }
}

impl CheckedTable for Raw<'_> {
    fn get(&self, path: &[ValueSegment]) -> Seen {
        if path.is_empty() {
            return Seen::Map(keys(self.table));
        }
        find(self.table, path).map_or(Seen::Missing, |node| seen(&node.value))
    }

    fn look_up(&mut self, path: &[ValueSegment]) -> Option<Result<(), (String, String)>> {
        let [ValueSegment::Key(key)] = path else { return None };
        let field = narrow::looked_up_by(self.name).find(|field| **field == **key)?;
        self.looked_up.push(field);
        self.refused = installed_class::run(self.class?, self.table, field, self.name);
        Some(self.refused.as_ref().map_or(Ok(()), |refused| {
            let exception = if refused.kind == "value_error" { "ValueError" } else { refused.kind };
            Err((exception.to_owned(), refused.diagnostic.message.clone()))
        }))
    }

    fn assign(&mut self, path: &[ValueSegment], value: Assigned, made_of: Option<&[ValueSegment]>) {
        if matches!(&value, Assigned::Copy(from) if from == path) {
            return;
        }
        let source = made_of.and_then(|path| self.find(path)).map_or(Origin::Default, |node| node.origin);
        let node = self.raw(value, source);
        if node.is_none() {
            self.doubtful.push(ValueSegment::dotted(path));
        }
        let Some((ValueSegment::Key(key), above)) = path.split_last() else { return };
        let name = self.name;
        let Some(table) = self.table_at(above) else { return };
        match (node, table.get_mut(key)) {
            (Some(node), Some(entry)) => entry.node = node,
            (Some(Node { value, origin }), None) => {
                let mut entry = made_from(source, key, value, name);
                entry.node.origin = origin;
                table.insert(entry);
            }
            (None, _) => {
                table.remove(key);
            }
        }
    }

    fn remove(&mut self, path: &[ValueSegment]) {
        if let Some((ValueSegment::Key(key), above)) = path.split_last()
            && let Some(table) = self.table_at(above)
            && let Some(entry) = table.remove(key)
        {
            self.taken.push((path.to_vec(), entry.node));
        }
    }
}

fn seen(value: &Value) -> Seen {
    match value {
        Value::Null => Seen::Null,
        Value::Bool(value) => Seen::Bool(*value),
        Value::Int(Integer::Small(value)) => Seen::Int(*value),
        Value::Int(Integer::Big(_)) => Seen::Strange("an integer that does not fit in 64 bits"),
        Value::Float(value) => Seen::Float(*value),
        Value::Str(text) => Seen::Str(text.as_ref().into()),
        Value::Datetime(_) => Seen::Strange("a date"),
        Value::List(items) => Seen::List(items.len()),
        Value::Table(table) => Seen::Map(keys(table)),
        Value::Unknown => Seen::Faulty,
    }
}

fn keys(table: &Table) -> Vec<Arc<str>> {
    table.entries().iter().map(|entry| entry.key.as_ref().into()).collect()
}
