//! `before` validators of a project's own prime-rl that differ from the known ones, run from their source.

use std::sync::Arc;

use cfg_compose::{Integer, Node, Origin, Table, Value};
use cfg_diag::{Diagnostic, codes};
use cfg_schema::{Assigned, CheckCode, CheckedTable, Node as Place, Open, Raised, Ruling, Seen, Step};

use super::{Refusal, copied, made_from};

/// The results of such a validator besides the table.
pub(crate) struct LeftOpen {
    /// Its name.
    pub(crate) validator: &'static str,
    /// Why it is unknown whether it refuses the table, or how it changes the table.
    pub(crate) open: Option<Open>,
    /// The paths at which it writes unknown values.
    pub(crate) doubtful: Vec<String>,
}

/// Runs a validator over a raw table.
pub(super) fn run(
    code: &dyn CheckCode,
    (class, name): (Place, &'static str),
    table: &mut Table,
    refusals: &mut Vec<Refusal>,
) -> LeftOpen {
    let mut raw = Raw { table, name, taken: Vec::new(), doubtful: Vec::new() };
    let ruling = code.run(class, name, &mut raw);
    let doubtful = raw.doubtful;
    let open = match ruling {
        Ruling::Accepts => None,
        Ruling::Open(open) => Some(open),
        Ruling::Refuses(raised) => {
            refusals.push(refusal(name, &raised, table));
            None
        }
    };
    LeftOpen { validator: name, open, doubtful }
}

/// An entry of a raw table that a field check reads.
pub(crate) fn entry(field: &str, node: Node, by: &'static str) -> cfg_compose::Entry {
    let mut entry = made_from(node.origin, field, Value::Null, by);
    entry.node = node;
    entry
}

/// Runs a field check over a raw table with only that field. Also returns whether the resulting value is known.
pub(crate) fn run_of_field(
    code: &dyn CheckCode,
    (class, number): (Place, usize),
    name: &'static str,
    table: &mut Table,
) -> (Ruling, bool) {
    let mut raw = Raw { table, name, taken: Vec::new(), doubtful: Vec::new() };
    let ruling = code.run_of_field(class, number, &mut raw);
    (ruling, raw.doubtful.is_empty())
}

/// The refusal that it raises, in prime-rl's words.
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
        let key = Step::dotted(path);
        diagnostic = if diagnostic.location.is_none() {
            diagnostic.at(place).label(format!("`{key}`")).key(key)
        } else {
            diagnostic.related(place, format!("`{key}`"))
        };
    }
    let diagnostic = diagnostic.help(format!("the project's own check says so: {}", raised.place));
    Refusal { diagnostic, kind, check: name, validator: name, doubtful: Vec::new() }
}

/// A raw table as a check reads and changes it.
struct Raw<'t> {
    table: &'t mut Table,
    /// The validator that runs.
    name: &'static str,
    /// The values that were removed from it, with their paths.
    taken: Vec<(Vec<Step>, Node)>,
    doubtful: Vec<String>,
}

/// The value at a path below the table.
fn find<'t>(table: &'t Table, path: &[Step]) -> Option<&'t Node> {
    let (Step::Key(first), rest) = path.split_first()? else { return None };
    below(&table.get(first)?.node, rest)
}

fn below<'n>(node: &'n Node, path: &[Step]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, step| match (step, &node.value) {
        (Step::Key(key), Value::Table(table)) => Some(&table.get(key)?.node),
        (Step::Item(index), Value::List(items)) => items.get(*index),
        _ => None,
    })
}

fn below_mut<'n>(node: &'n mut Node, path: &[Step]) -> Option<&'n mut Node> {
    path.iter().try_fold(node, |node, step| match (step, &mut node.value) {
        (Step::Key(key), Value::Table(table)) => Some(&mut table.get_mut(key)?.node),
        (Step::Item(index), Value::List(items)) => items.get_mut(*index),
        _ => None,
    })
}

impl Raw<'_> {
    /// The value at a path, or the one that was removed from there.
    fn find(&self, path: &[Step]) -> Option<&Node> {
        find(self.table, path)
            .or_else(|| self.taken.iter().rev().find_map(|(from, node)| below(node, path.strip_prefix(from.as_slice())?)))
    }

    /// The table at a path, mutable.
    fn table_at(&mut self, path: &[Step]) -> Option<&mut Table> {
        let Some((first, rest)) = path.split_first() else { return Some(self.table) };
        if find(self.table, path).is_some() {
            let Step::Key(first) = first else { return None };
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
    fn get(&self, path: &[Step]) -> Seen {
        if path.is_empty() {
            return Seen::Map(keys(self.table));
        }
        match find(self.table, path).map(|node| &node.value) {
            None => Seen::Missing,
            Some(Value::Null) => Seen::Null,
            Some(Value::Bool(value)) => Seen::Bool(*value),
            Some(Value::Int(Integer::Small(value))) => Seen::Int(*value),
            Some(Value::Int(Integer::Big(_))) => Seen::Strange("an integer that does not fit in 64 bits"),
            Some(Value::Float(value)) => Seen::Float(*value),
            Some(Value::Str(text)) => Seen::Str(text.as_ref().into()),
            Some(Value::Datetime(_)) => Seen::Strange("a date"),
            Some(Value::List(items)) => Seen::List(items.len()),
            Some(Value::Table(table)) => Seen::Map(keys(table)),
            Some(Value::Unknown) => Seen::Faulty,
        }
    }

    fn given(&self, _: &[Step]) -> Vec<&'static str> {
        Vec::new()
    }

    fn extras(&self, _: &[Step]) -> Option<Vec<(Arc<str>, Assigned)>> {
        None
    }

    fn holds(&self, _: &str, _: &str) -> Option<bool> {
        None
    }

    fn is_of(&self, _: &[Step], _: &str) -> Option<bool> {
        None
    }

    fn classes(&self, _: &[Step]) -> Vec<Place> {
        Vec::new()
    }

    fn assign(&mut self, path: &[Step], value: Assigned, made_of: Option<&[Step]>) {
        let source = made_of.and_then(|path| self.find(path)).map_or(Origin::Default, |node| node.origin);
        let node = self.raw(value, source);
        if node.is_none() {
            self.doubtful.push(Step::dotted(path));
        }
        let Some((Step::Key(key), above)) = path.split_last() else { return };
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

    fn remove(&mut self, path: &[Step]) {
        if let Some((Step::Key(key), above)) = path.split_last()
            && let Some(table) = self.table_at(above)
            && let Some(entry) = table.remove(key)
        {
            self.taken.push((path.to_vec(), entry.node));
        }
    }
}

fn keys(table: &Table) -> Vec<Arc<str>> {
    table.entries().iter().map(|entry| entry.key.as_ref().into()).collect()
}
