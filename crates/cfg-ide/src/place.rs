//! Resolves a path of the document in the schema.

use cfg_schema::{FieldType, Interval, Node, Point, Schema, TypeKind};
use cfg_syntax::{Table, Value, ValueKind};

/// One step from the root of a document to a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathSegment {
    /// A key.
    Key(Box<str>),
    /// An item of an array.
    Index(usize),
}

/// The dotted key of a path, without indices: `orchestrator.env.id`.
pub fn dotted(path: &[PathSegment]) -> String {
    let keys = path.iter().filter_map(|step| if let PathSegment::Key(key) = step { Some(&**key) } else { None });
    keys.collect::<Vec<_>>().join(".")
}

/// A field of the schema that a path may name, with its attributes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) node: Node,
    pub(crate) interval: Interval,
}

/// The possible value at a place: its type, and the node of its contents.
#[derive(Clone, Copy)]
struct Slot {
    ty: FieldType,
    node: Option<Node>,
    default_variant: Option<&'static str>,
}

/// A tagged union at a place.
#[derive(Clone, Copy)]
pub(crate) struct Tagged {
    pub(crate) ty: FieldType,
    pub(crate) node: Node,
    pub(crate) default_variant: Option<&'static str>,
}

/// The fields that the last key of a path may name: several if the variant of a table around it is unknown.
pub(crate) fn fields(schema: Schema, root: &Table, path: &[PathSegment]) -> Vec<Field> {
    let Some((PathSegment::Key(key), above)) = path.split_last() else { return Vec::new() };
    let mut found = Vec::new();
    for table in tables(schema, root, above) {
        if let Some((node, interval)) = table.field_for_key(key, schema.point) {
            found.push(Field { node, interval });
        }
    }
    found
}

/// The tables of the schema that have the keys below a path: several if the variant is unknown, none if keys are free or unknown.
pub(crate) fn tables(schema: Schema, root: &Table, path: &[PathSegment]) -> Vec<Node> {
    walk(schema, root, path).1
}

/// What a path leads to: the values that may be there, and the tables that these can be.
fn walk(schema: Schema, root: &Table, path: &[PathSegment]) -> (Vec<Slot>, Vec<Node>) {
    let mut tables = vec![schema.root()];
    let mut slots: Vec<Slot> = Vec::new();
    let mut value: Option<&Value> = None;
    let mut table: Option<&Table> = Some(root);
    for step in path {
        match step {
            PathSegment::Key(key) => {
                value = table.and_then(|table| table.get(key)).map(|entry| &entry.value);
                let named = tables.iter().filter_map(|owner| owner.field_for_key(key, schema.point));
                let named = named.map(|(node, interval)| slot(node, interval));
                slots = named.chain(slots.iter().filter_map(|slot| of_map(*slot))).collect();
            }
            PathSegment::Index(index) => {
                value = match value.map(|value| &value.kind) {
                    Some(ValueKind::Array(items)) => items.get(*index),
                    _ => None,
                };
                slots = slots.iter().filter_map(|slot| item(*slot)).collect();
            }
        }
        table = match value.map(|value| &value.kind) {
            Some(ValueKind::Table(table)) => Some(table),
            _ => None,
        };
        tables = slots.iter().flat_map(|slot| insides(*slot, table, schema.point)).collect();
    }
    (slots, tables)
}

/// The types of the value at a path.
pub(crate) fn types(schema: Schema, root: &Table, path: &[PathSegment]) -> Vec<FieldType> {
    slots(schema, root, path).into_iter().map(|slot| slot.ty).collect()
}

/// The tagged unions that the table at a path can be.
pub(crate) fn unions(schema: Schema, root: &Table, path: &[PathSegment]) -> Vec<Tagged> {
    let tagged = |slot: Slot| {
        slot.ty.discriminator()?;
        Some(Tagged { ty: slot.ty, node: slot.node?, default_variant: slot.default_variant })
    };
    slots(schema, root, path).into_iter().filter_map(tagged).collect()
}

fn slots(schema: Schema, root: &Table, path: &[PathSegment]) -> Vec<Slot> {
    walk(schema, root, path).0
}

fn slot(node: Node, interval: Interval) -> Slot {
    Slot { ty: interval.field_type(), node: Some(node), default_variant: interval.default_variant() }
}

fn item(slot: Slot) -> Option<Slot> {
    if slot.ty.kind() != TypeKind::List {
        return None;
    }
    Some(Slot { ty: slot.ty.members().next()?, node: slot.node.and_then(Node::item), default_variant: None })
}

/// The value of any name in a map.
fn of_map(slot: Slot) -> Option<Slot> {
    if slot.ty.kind() != TypeKind::Dict {
        return None;
    }
    Some(Slot { ty: slot.ty.members().nth(1)?, node: slot.node.and_then(Node::map_value), default_variant: None })
}

/// The tables that the value of a field can be; `written` is the table in the document.
pub(crate) fn inside(node: Node, interval: Interval, written: Option<&Table>, point: Point) -> Vec<Node> {
    insides(slot(node, interval), written, point)
}

/// The tables that an item of a list can be; `written` is the item in the document.
pub(crate) fn inside_item(node: Node, interval: Interval, written: &Table, point: Point) -> Vec<Node> {
    item(slot(node, interval)).map(|item| insides(item, Some(written), point)).unwrap_or_default()
}

/// The possible tables at a slot; `written` is the table in the document.
fn insides(slot: Slot, written: Option<&Table>, point: Point) -> Vec<Node> {
    let Some(node) = slot.node else { return Vec::new() };
    match slot.ty.kind() {
        TypeKind::Table(_) => vec![node],
        TypeKind::Union => match slot.ty.discriminator() {
            Some(discriminator) => {
                let key = if let cfg_schema::Discriminator::Key(key) = discriminator { key } else { "type" };
                let tag = written.and_then(|table| table.get(key)).and_then(|entry| match &entry.value.kind {
                    ValueKind::String(tag) => Some(&**tag),
                    _ => None,
                });
                let chosen = tag.and_then(|tag| node.variant(tag)).filter(|variant| variant.at(point).is_some());
                let default = || slot.default_variant.filter(|_| tag.is_none()).and_then(|tag| node.variant(tag));
                match chosen.or_else(default) {
                    Some(variant) => vec![variant],
                    None => node.variants(point).collect(),
                }
            }
            None => {
                let classes: Vec<Node> = node.classes().collect();
                let has_table = slot.ty.members().any(|member| matches!(member.kind(), TypeKind::Table(_)));
                if classes.is_empty() && has_table { vec![node] } else { classes }
            }
        },
        // The names in a map are free.
        _ => Vec::new(),
    }
}

/// The value of the document at a path.
pub(crate) fn value<'d>(root: &'d Table, path: &[PathSegment]) -> Option<&'d Value> {
    let (first, rest) = path.split_first()?;
    let PathSegment::Key(key) = first else { return None };
    let mut value = &root.get(key)?.value;
    for step in rest {
        value = match (step, &value.kind) {
            (PathSegment::Key(key), ValueKind::Table(table)) => &table.get(key)?.value,
            (PathSegment::Index(index), ValueKind::Array(items)) => items.get(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

/// The table of the document at a path; the root for none.
pub(crate) fn table<'d>(root: &'d Table, path: &[PathSegment]) -> Option<&'d Table> {
    if path.is_empty() {
        return Some(root);
    }
    match &value(root, path)?.kind {
        ValueKind::Table(table) => Some(table),
        _ => None,
    }
}
