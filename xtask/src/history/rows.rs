//! The fields of one kind at one commit, with shared fields written out.

use std::collections::BTreeMap;

use cfg_python::Declarations;
use cfg_schema::compiler::{KINDS, Node, Segment, Type};
use serde_json::Value;

/// The body of an interval by path; the path of the whole file is empty.
pub(crate) type Rows = BTreeMap<String, String>;

/// The rows of all kinds, in the order of [`KINDS`].
pub(crate) fn rows_of(read: &Declarations) -> Result<Vec<Rows>, String> {
    let trees: Vec<Node> = read.kinds.iter().map(|fields| cfg_schema::compiler::build(fields)).collect::<Result<_, _>>()?;
    let each = trees.iter().map(|tree| {
        let mut rows = Rows::new();
        collect(&trees, tree, "", "type", &mut rows)?;
        Ok(rows)
    });
    each.collect()
}

/// The rows of a single class.
pub(crate) fn rows_of_class(fields: &[cfg_schema::compiler::Field]) -> Result<Rows, String> {
    let trees = [cfg_schema::compiler::build(fields)?];
    let mut rows = Rows::new();
    collect(&trees, &trees[0], "", "type", &mut rows)?;
    Ok(rows)
}

/// Collects the fields of a tree, including those that it shares with others; `key` is the key of the tag in a union.
fn collect(trees: &[Node], node: &Node, path: &str, key: &str, rows: &mut Rows) -> Result<(), String> {
    let mut key = key;
    if let Some(interval) = node.intervals.first() {
        rows.insert(path.to_owned(), cfg_schema::compiler::body(&spelled(interval)));
        key = tag_key(&interval.ty).unwrap_or("type");
    }
    let donor = match node.like {
        Some((kind, place)) => {
            let kind = KINDS.iter().position(|name| name == kind).ok_or("no kind")?;
            trees[kind].at(place).ok_or_else(|| format!("{place} is nowhere"))?
        }
        None => node,
    };
    for (segment, child) in &donor.children {
        let below = match segment {
            Segment::Variant(tag) => format!("{path}<{key}={tag}>"),
            other => cfg_schema::compiler::joined(path, *other),
        };
        collect(trees, child, &below, key, rows)?;
    }
    Ok(())
}

/// The key of the tag in a type, or in one that it consists of.
fn tag_key(ty: &Type) -> Option<&str> {
    let own = ty.discriminator.as_deref().map(|key| if key.starts_with("fn:") { "type" } else { key });
    own.or_else(|| ty.members.iter().find_map(tag_key))
}

/// An interval with its default in Python's spelling.
fn spelled(interval: &cfg_schema::compiler::Interval) -> cfg_schema::compiler::Interval {
    let in_python = |json: &String| serde_json::from_str(json).map_or_else(|_| json.clone(), |value| python(&value));
    let mut interval = interval.clone();
    interval.default = interval.default.as_ref().map(in_python);
    interval.variant = interval.variant.as_ref().map(in_python);
    interval
}

/// JSON in Python's spelling.
fn python(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), python(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            match text.split_once("e-") {
                Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
                None => text,
            }
        }
        plain => plain.to_string(),
    }
}

/// Whether two bodies are equal, in any spelling of their defaults.
pub(crate) fn same(one: &str, other: &str) -> bool {
    let meaning = |body: &str| -> Option<String> {
        let text = format!("x\n  ..  {body}\n");
        let fields = cfg_schema::compiler::parse(&text, &|sha| Err(sha.to_owned())).ok()?;
        let interval = fields.into_iter().next()?.intervals.into_iter().next()?;
        Some(cfg_schema::compiler::meaning(&interval))
    };
    one == other || meaning(one).is_some_and(|meant| Some(meant) == meaning(other))
}

/// Whether two commits have the same fields.
pub(crate) fn are_same(some: &[Rows], others: &[Rows]) -> bool {
    let is_same = |(one, other): (&Rows, &Rows)| {
        one.len() == other.len()
            && one.iter().zip(other).all(|((path, body), (other, theirs))| path == other && same(body, theirs))
    };
    some.len() == others.len() && some.iter().zip(others).all(is_same)
}
