//! A file that states as many resolved values as possible and still means the same.
//!
//! Not every resolved value may be written: prime-rl may refuse a component's value next to the shared key that it was copied from, a random value
//! differs at every start, and some checks depend on whether a key was written at all. So the file begins with what the user wrote, and each further
//! value is added only if the file then resolves to the same values. Values are tried table by table, and one by one only if a whole table can't be
//! added.

use crate::{Nulls, ResolvedTable, written_for_any_class};
use cfg_compose::{Entry, Integer, Node, Origin, Table, Tree, Value};
use cfg_schema::Point;

/// The text in place of a value that is random at each start.
const RANDOM: &str = "????????";

/// A file with the same meaning as the config it was made from.
#[derive(Clone, Debug)]
pub struct Faithful {
    /// Its values.
    pub table: Table,
    /// The dotted keys of values that prime-rl only computes if they are not written.
    pub left_out: Vec<String>,
    /// The dotted keys of values that stay as the user wrote them, although prime-rl replaces them, because other values follow from them.
    pub replaced: Vec<String>,
    /// The dotted keys of values that no file can state: whether or not they are written, prime-rl computes another value.
    pub lost: Vec<String>,
}

/// Makes the file. `input` is the tree that `table` was resolved from. `resolve` resolves a tree as the target does, and returns `None` if the target
/// refuses it.
pub fn faithful(table: &ResolvedTable, point: Point, input: &Table, resolve: &dyn Fn(Tree) -> Option<ResolvedTable>) -> Faithful {
    let goal = written_for_any_class(table, point, Nulls::Kept);
    let all = as_text(&goal);
    let search = Search { goal: &goal, point, resolve };
    let mut left_out = Vec::new();
    random_keys(&goal, "", &mut left_out);
    if search.holds(&all) {
        return Faithful { table: all, left_out, replaced: Vec::new(), lost: Vec::new() };
    }
    // A value that prime-rl replaced may still affect other values; in that case the input is kept as it is.
    let mut so_far = given(&goal);
    if !search.holds(&so_far) {
        so_far = rebuilt(input, &|node| match &node.value {
            Value::Null => Some(Value::Str("None".into())),
            other => Some(other.clone()),
        });
    }
    if !search.holds(&so_far) {
        let lost = search.differences(&so_far);
        return Faithful { table: so_far, left_out, replaced: Vec::new(), lost };
    }
    let mut left = Vec::new();
    search.add(&mut so_far, &all, &mut Vec::new(), &mut left);
    if !left.is_empty() {
        // Beside a value that was added after it, another one may follow from nothing else.
        left.clear();
        search.add(&mut so_far, &all, &mut Vec::new(), &mut left);
    }
    let is_there = |key: &String| {
        let path: Vec<String> = key.split('.').map(str::to_owned).collect();
        path.split_last().is_some_and(|(last, tables)| at(&so_far, tables).is_some_and(|table| table.get(last).is_some()))
    };
    let (replaced, absent): (Vec<String>, Vec<String>) = left.into_iter().partition(is_there);
    left_out.extend(absent);
    Faithful { table: so_far, left_out, replaced, lost: Vec::new() }
}

/// The dotted keys whose resolved values differ between two configs, or exist in only one; empty if both mean the same.
pub fn differing(table: &ResolvedTable, other: &ResolvedTable, point: Point) -> Vec<String> {
    let (own, other) = (written_for_any_class(table, point, Nulls::Kept), written_for_any_class(other, point, Nulls::Kept));
    let mut keys = Vec::new();
    if !same_table(&other, &own) {
        different_keys(&other, &own, "", &mut keys);
        different_keys(&own, &other, "", &mut keys);
        keys.sort_unstable();
        keys.dedup();
    }
    keys
}

struct Search<'a> {
    goal: &'a Table,
    point: Point,
    resolve: &'a dyn Fn(Tree) -> Option<ResolvedTable>,
}

impl Search<'_> {
    /// Whether the candidate resolves to the same values.
    fn holds(&self, candidate: &Table) -> bool {
        let resolved = (self.resolve)(Tree { root: candidate.clone() });
        resolved.is_some_and(|resolved| same_table(&written_for_any_class(&resolved, self.point, Nulls::Kept), self.goal))
    }

    /// Adds the values below a path that can be added, as many at once as possible.
    fn add(&self, so_far: &mut Table, all: &Table, path: &mut Vec<String>, left_out: &mut Vec<String>) {
        let Some(source) = at(all, path) else { return };
        for entry in source.entries() {
            let before = so_far.clone();
            if !put(so_far, path, entry) {
                continue;
            }
            if self.holds(so_far) {
                continue;
            }
            *so_far = before;
            path.push(entry.key.to_string());
            match &entry.node.value {
                Value::Table(below) if !below.is_empty() => self.add(so_far, all, path, left_out),
                _ => left_out.push(path.join(".")),
            }
            path.pop();
        }
    }

    fn differences(&self, candidate: &Table) -> Vec<String> {
        let Some(resolved) = (self.resolve)(Tree { root: candidate.clone() }) else { return vec![String::new()] };
        let mut keys = Vec::new();
        different_keys(&written_for_any_class(&resolved, self.point, Nulls::Kept), self.goal, "", &mut keys);
        keys
    }
}

fn at<'t>(table: &'t Table, path: &[String]) -> Option<&'t Table> {
    path.iter().try_fold(table, |table, key| table.get(key)?.node.value.as_table())
}

/// Merges an entry into the table at a path; returns whether this changes anything.
fn put(table: &mut Table, path: &[String], entry: &Entry) -> bool {
    let Some(place) = table.table_at(path, Origin::Default) else { return false };
    if place.get(&entry.key).is_some_and(|there| same(&there.node.value, &entry.node.value)) {
        return false;
    }
    place.insert(entry.clone());
    true
}

/// All values that a file could state: all but random ones and nulls that the user did not write.
fn as_text(table: &Table) -> Table {
    rebuilt(table, &|node| match &node.value {
        Value::Str(text) if !is_written(node.origin) && text.contains(RANDOM) => None,
        Value::Null => is_written(node.origin).then(|| Value::Str("None".into())),
        other => Some(other.clone()),
    })
}

/// The keys of random values.
fn random_keys(table: &Table, prefix: &str, keys: &mut Vec<String>) {
    for entry in table.entries() {
        let key = if prefix.is_empty() { entry.key.to_string() } else { format!("{prefix}.{}", entry.key) };
        match &entry.node.value {
            Value::Table(below) => random_keys(below, &key, keys),
            Value::Str(text) if !is_written(entry.node.origin) && text.contains(RANDOM) => keys.push(key),
            _ => {}
        }
    }
}

/// Only what the user wrote: in files, arguments or variables.
fn given(table: &Table) -> Table {
    let mut out = Table::default();
    for entry in table.entries() {
        let node = &entry.node;
        let value = match &node.value {
            // What is in a table that prime-rl made was copied there, and will be copied again.
            _ if !is_written(node.origin) => continue,
            Value::Table(below) => Value::Table(with_tag(given(below), node)),
            Value::List(items) => Value::List(items.iter().map(given_item).collect()),
            Value::Null => Value::Str("None".into()),
            other => other.clone(),
        };
        out.insert(Entry { node: Node { value, origin: node.origin }, ..entry.clone() });
    }
    out
}

/// An item of an array that the user wrote.
fn given_item(item: &Node) -> Node {
    let value = match &item.value {
        Value::Table(below) => Value::Table(with_tag(given(below), item)),
        Value::List(items) => Value::List(items.iter().map(given_item).collect()),
        other => other.clone(),
    };
    Node { value, origin: item.origin }
}

/// Adds the tag of its variant to a table: the variant may depend on what else is written.
fn with_tag(mut table: Table, whole: &Node) -> Table {
    if let Value::Table(all) = &whole.value
        && let Some(tag) = all.get("type").filter(|tag| !matches!(tag.node.value, Value::Null))
        && table.get("type").is_none()
    {
        table.insert(tag.clone());
    }
    table
}

/// Whether a value was written by the user: in a file, on the command line, in the environment.
fn is_written(origin: Origin) -> bool {
    origin.location().is_some()
}

fn rebuilt(table: &Table, change: &dyn Fn(&Node) -> Option<Value>) -> Table {
    let mut out = Table::default();
    for entry in table.entries() {
        let value = match &entry.node.value {
            Value::Table(below) => Some(Value::Table(rebuilt(below, change))),
            Value::List(items) => Some(Value::List(items.iter().map(|item| rebuilt_item(item, change)).collect())),
            _ => change(&entry.node),
        };
        if let Some(value) = value {
            out.insert(Entry { node: Node { value, origin: entry.node.origin }, ..entry.clone() });
        }
    }
    out
}

fn rebuilt_item(item: &Node, change: &dyn Fn(&Node) -> Option<Value>) -> Node {
    let value = match &item.value {
        Value::Table(below) => Value::Table(rebuilt(below, change)),
        Value::List(items) => Value::List(items.iter().map(|item| rebuilt_item(item, change)).collect()),
        other => other.clone(),
    };
    Node { value, origin: item.origin }
}

/// Whether two tables hold the same values, in any order.
pub(crate) fn same_table(one: &Table, other: &Table) -> bool {
    one.entries().len() == other.entries().len()
        && one.entries().iter().all(|entry| other.get(&entry.key).is_some_and(|there| same(&entry.node.value, &there.node.value)))
}

pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Null, Value::Null) | (Value::Unknown, Value::Unknown) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Int(one), Value::Int(other)) => same_integer(one, other),
        (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan(),
        (Value::Str(one), Value::Str(other)) => one == other,
        (Value::Datetime(one), Value::Datetime(other)) => one == other,
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(&one.value, &other.value))
        }
        (Value::Table(one), Value::Table(other)) => same_table(one, other),
        _ => false,
    }
}

fn same_integer(one: &Integer, other: &Integer) -> bool {
    one == other
}

fn different_keys(one: &Table, other: &Table, prefix: &str, keys: &mut Vec<String>) {
    for entry in other.entries() {
        let key = if prefix.is_empty() { entry.key.to_string() } else { format!("{prefix}.{}", entry.key) };
        match (one.get(&entry.key).map(|there| &there.node.value), &entry.node.value) {
            (Some(Value::Table(one)), Value::Table(other)) => different_keys(one, other, &key, keys),
            (Some(one), other) if same(one, other) => {}
            _ => keys.push(key),
        }
    }
}
