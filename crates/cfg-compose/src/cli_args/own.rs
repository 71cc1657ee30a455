//! The arguments of pydantic-config: all of them if it reads the line alone, and a part of them if tyro reads the rest.

use cfg_schema::{FieldType, TypeKind};

use super::{
    Reading, Words,
    field::{self, Flag, NamedField, Names},
};
use crate::{Node, Origin, Table, Value, Word};

/// Reads the arguments after the files. The rest is left over.
pub(crate) fn read(reading: &mut Reading<'_>, words: &Words<'_>) -> Table {
    let mut overrides = Table::default();
    let words = optional_tables(reading, words, true, &mut overrides);
    let is_json =
        |ty: FieldType, value: &Word| value.text.starts_with(['{', '[']) && matches!(ty.kind(), TypeKind::List | TypeKind::Dict);
    let words = json_values(reading, &words, &mut overrides, &is_json);
    let mut flags = Table::default();
    let left = leaves(reading, &words, &mut flags);
    overrides.merge_deep(flags);
    reading.left_over(&left, "ConfigFileError");
    overrides
}

/// Whether an argument is a value for an optional table.
fn is_value(word: Option<&&Word>) -> bool {
    word.is_some_and(|word| !word.text.starts_with(['-', '@']))
}

/// Reads the arguments for optional tables and for keys below them. `can_disable`: whether `None` and `--no-` turn them off.
pub(crate) fn optional_tables<'w>(
    reading: &mut Reading<'_>,
    words: &Words<'w>,
    can_disable: bool,
    overrides: &mut Table,
) -> Words<'w> {
    let schema = reading.schema;
    let is_optional = |path: &str| matches!(field::find(schema, path, Names::Own), Some(NamedField { flag: Flag::Optional, .. }));
    let mut left = Vec::new();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let Some(path) = word.text.strip_prefix("--").filter(|path| reading.is_shallow(word, path)) else {
            left.push(word);
            at += 1;
            continue;
        };
        let origin = Origin::CommandLine(word.location);
        let keys = path.replace('-', "_");
        let mut set = |keys: &str, node: Node| overrides.merge_deep(Table::nested(keys, node, origin));
        if let Some(negated) = path.strip_prefix("no-").filter(|_| can_disable) {
            let value = if is_optional(negated) {
                Some(Value::Str("None".into()))
            } else if field::below_optional(schema, negated) {
                Some(Value::Bool(false))
            } else {
                None
            };
            if let Some(value) = value {
                set(&negated.replace('-', "_"), Node { value, origin });
                at += 1;
                continue;
            }
        }
        let next = words.get(at + 1);
        if is_optional(path) {
            if !is_value(next) {
                set(&keys, Node { value: Value::Table(Table::default()), origin });
                at += 1;
                continue;
            }
            if let Some(next) = next.filter(|next| can_disable && &*next.text == "None") {
                set(&keys, text(next));
                at += 2;
                continue;
            }
        }
        if field::below_optional(schema, path) {
            if let Some(next) = next.filter(|next| !next.text.starts_with("--") && !next.text.starts_with('@')) {
                let node =
                    if next.text.starts_with(['{', '[']) { reading.json(next, "JSONDecodeError") } else { Some(text(next)) };
                node.into_iter().for_each(|node| set(&keys, node));
                at += 2;
            } else {
                set(&keys, Node { value: Value::Bool(true), origin });
                at += 1;
            }
            continue;
        }
        left.push(word);
        at += 1;
    }
    left
}

/// Reads the arguments whose value is JSON: those for fields of a type for which `is_json` holds.
pub(super) fn json_values<'w>(
    reading: &mut Reading<'_>,
    words: &Words<'w>,
    overrides: &mut Table,
    is_json: &dyn Fn(FieldType, &Word) -> bool,
) -> Words<'w> {
    let mut left = Vec::new();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        if let Some(path) = word.text.strip_prefix("--")
            && let Some(value) = words.get(at + 1)
            && let Some(NamedField { flag: Flag::Leaf(ty), .. }) = field::find(reading.schema, path, Names::Own)
            && is_json(ty, value)
        {
            if let Some(node) = reading.json(value, "JSONDecodeError") {
                overrides.merge_deep(Table::nested(&path.replace('-', "_"), node, Origin::CommandLine(word.location)));
            }
            at += 2;
            continue;
        }
        left.push(word);
        at += 1;
    }
    left
}

/// Reads the arguments for single values.
fn leaves<'w>(reading: &mut Reading<'_>, words: &Words<'w>, overrides: &mut Table) -> Words<'w> {
    if let Some(help) = words.iter().find(|word| matches!(&*word.text, "-h" | "--help")) {
        reading.help(help);
        return Vec::new();
    }
    let schema = reading.schema;
    let mut left = Vec::new();
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let Some(flag) = word.text.strip_prefix("--").filter(|path| reading.is_shallow(word, path)) else {
            left.push(word);
            at += 1;
            continue;
        };
        let (path, glued) = flag.split_once('=').map_or((flag, None), |(path, value)| (path, Some(value)));
        let origin = Origin::CommandLine(word.location);
        let glued_node = |value: &str| {
            let start = 2 + path.len() + 1;
            let origin = Origin::CommandLine(word.part(start..start + value.len()));
            Node { value: Value::Str(value.into()), origin }
        };
        let next = words.get(at + 1).copied();
        let found = field::find(schema, path, Names::All);
        let negated = path.strip_prefix("no-").and_then(|path| field::find(schema, path, Names::All));
        at += 1;
        match (found, negated) {
            (Some(NamedField { flag: Flag::Optional, .. }), _) => left.push(word),
            _ if field::below_optional(schema, path) => left.push(word),
            (_, Some(NamedField { flag: Flag::Leaf(ty), path, .. })) if ty.kind() == TypeKind::Bool => {
                set(overrides, &path, Node { value: Value::Bool(false), origin }, origin);
            }
            (Some(NamedField { flag: Flag::Table, .. }), _) => {
                reading.table_as_flag(word, path);
                return Vec::new();
            }
            (None, _) => {
                let keys = path.replace('-', "_");
                let node = match (glued, next.filter(|next| !next.text.starts_with("--"))) {
                    (Some(value), _) => glued_node(value),
                    (None, Some(next)) => {
                        at += 1;
                        text(next)
                    }
                    (None, None) => Node { value: Value::Bool(true), origin },
                };
                set(overrides, &keys, node, origin);
            }
            (Some(NamedField { flag: Flag::Leaf(ty), path: keys, .. }), _) => {
                let node = match (ty.kind(), glued, next) {
                    (TypeKind::Bool, Some(value), _) => {
                        let node = glued_node(value);
                        Node { value: boolean(value).map_or(node.value, Value::Bool), ..node }
                    }
                    (TypeKind::Bool, None, next) => match next.and_then(|next| Some((next, boolean(&next.text)?))) {
                        Some((next, boolean)) => {
                            at += 1;
                            Node { value: Value::Bool(boolean), origin: Origin::CommandLine(next.location) }
                        }
                        None => Node { value: Value::Bool(true), origin },
                    },
                    (TypeKind::List, None, _) => {
                        let items: Vec<Node> =
                            words[at..].iter().take_while(|word| !word.text.starts_with("--")).map(|word| text(word)).collect();
                        at += items.len();
                        Node { value: Value::List(items), origin }
                    }
                    (_, Some(value), _) => glued_node(value),
                    (_, None, Some(next)) => {
                        at += 1;
                        text(next)
                    }
                    (_, None, None) => {
                        reading.no_value(word, "ConfigFileError");
                        return Vec::new();
                    }
                };
                set(overrides, &keys, node, origin);
            }
        }
    }
    left
}

/// Sets a value at a path of keys; if a value that is not a table is in the way, it is dropped.
fn set(overrides: &mut Table, path: &str, node: Node, origin: Origin) {
    let mut keys: Vec<&str> = path.split('.').collect();
    let last = keys.pop().unwrap_or_default();
    if let Some(table) = overrides.table_at(&keys, origin) {
        table.insert(crate::merge::wrapped(last, node, origin));
    }
}

/// A word as a string.
pub(crate) fn text(word: &Word) -> Node {
    Node { value: Value::Str(word.text.clone()), origin: Origin::CommandLine(word.location) }
}

fn boolean(word: &str) -> Option<bool> {
    match word {
        "true" | "True" | "1" => Some(true),
        "false" | "False" | "0" => Some(false),
        _ => None,
    }
}
