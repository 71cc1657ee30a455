//! What a class accepts beyond its fields because of its `before` validators.

use cfg_schema::{Interval, Node, Point, Segment};
use serde_json::{Value, json};

use super::{
    Cut, Object,
    scalar::NoneText,
    table::{any_of, outdated},
};
use crate::loc::below;

/// prime-rl's function that accepts a boolean in place of this table.
pub(super) const SWITCH: &str = "BeforeValidator:_normalize_optimizer_in_backward_offload";

/// The effects of a class's validators on all of its fields.
#[derive(Clone, Copy)]
pub(super) struct Class {
    interval: Interval,
    /// The text "None" is read as null.
    pub(super) none_is_null: bool,
    /// A table without a tag gets the tag of the default.
    pub(super) fills_tags: bool,
}

impl Class {
    pub(super) fn new(interval: Interval) -> Self {
        let has = |names: &[&str]| interval.validators().any(|(_, name)| names.contains(&name));
        Self {
            interval,
            none_is_null: has(&["_none_str_to_none", "empty_str_to_none(*)"]),
            fills_tags: has(&["_default_discriminator_types"]),
        }
    }
}

/// Adds to the properties of the class at `node` the keys that its validators read.
pub(super) fn add(cut: &mut Cut, node: Node, class: Class, properties: &mut Object, path: &str) {
    for (_, validator) in class.interval.validators() {
        match validator {
            "_env_to_train" => {
                moved(cut, node, "env", "train", properties, path);
                moved(cut, node, "sampling", "train", properties, path);
            }
            "_sampling_to_train" => moved(cut, node, "sampling", "train", properties, path),
            "fold_student_shortcuts" => student(cut, node, properties, path),
            "_normalize_attn_alias" => attention(properties),
            "normalize_deployment" => deployment(cut, node, properties, path),
            "_migrate_num_workers" => {
                properties.insert("num_workers".to_owned(), Value::Object(outdated(Object::new())));
            }
            "deprecate_shared_field" => {
                properties.insert("shared".to_owned(), Value::Object(outdated(Object::new())));
            }
            _ => {}
        }
    }
}

/// Adds a key that prime-rl moves into the table `into`.
fn moved(cut: &mut Cut, node: Node, key: &str, into: &str, properties: &mut Object, path: &str) {
    let place = node.field(into).and_then(|into| into.field(key));
    let Some((field, interval)) = place.and_then(|field| Some((field, field.at(cut.point)?))) else { return };
    let schema = cut.ty(interval.field_type(), Some(field), NoneText::Accepted, None, &below(&below(path, into), key));
    properties.insert(key.to_owned(), Value::Object(outdated(schema)));
}

/// The model of a `student` may be in `model` or directly in `student`; its client is in `client`.
fn student(cut: &mut Cut, node: Node, properties: &mut Object, path: &str) {
    let Some(student) = node.field("student") else { return };
    let place = below(path, "student");
    let mut own = Object::new();
    let fields_of = |node: Node, point: Point| {
        node.fields(point).filter_map(|(field, interval)| match field.segment() {
            Segment::Field(name) => Some((name, field, interval)),
            _ => None,
        })
    };
    let model = student.field("model").filter(|model| model.at(cut.point).is_some());
    let fields: Vec<_> =
        fields_of(student, cut.point).chain(model.into_iter().flat_map(|model| fields_of(model, cut.point))).collect();
    for (name, field, interval) in fields {
        if !own.contains_key(name) {
            let schema =
                cut.ty(interval.field_type(), Some(field), NoneText::Accepted, interval.default_variant(), &below(&place, name));
            own.insert(name.to_owned(), Value::Object(schema));
        }
    }
    let client = own.get("client").cloned();
    let whole = json!({"type": "object", "properties": own, "additionalProperties": false});
    if let Value::Object(whole) = whole {
        let student = cut.arena.table(whole, &place);
        for key in ["student", "model"] {
            let Some(Value::Object(known)) = properties.get(key) else {
                properties.insert(key.to_owned(), Value::Object(outdated(student.clone())));
                continue;
            };
            let mut schema = student.clone();
            schema.extend(known.get("description").map(|text| ("description".to_owned(), text.clone())));
            properties.insert(key.to_owned(), Value::Object(if key == "model" { outdated(schema) } else { schema }));
        }
    }
    if let Some(client) = client {
        // prime-rl drops a client that is not a table.
        let either = any_of(vec![client, json!({"not": {"type": "object"}})]);
        properties.insert("client".to_owned(), Value::Object(outdated(either)));
    }
}

/// `flash_attention_4` is another spelling of `fa4`.
fn attention(properties: &mut Object) {
    let names = properties.get_mut("attn").and_then(|attn| attn.get_mut("enum")).and_then(Value::as_array_mut);
    if let Some(names) = names
        && !names.iter().any(|name| name == "flash_attention_4")
    {
        names.push(json!("flash_attention_4"));
    }
}

/// A deployment of several nodes drops the counts of a single node.
fn deployment(cut: &mut Cut, node: Node, properties: &mut Object, path: &str) {
    const COUNTS: [&str; 4] = ["num_gpus", "num_train_gpus", "num_infer_gpus", "num_teacher_gpus"];
    let variants = properties.get_mut("deployment").and_then(|field| field.get_mut("anyOf")).and_then(Value::as_array_mut);
    let Some(field) = node.field("deployment") else { return };
    let known = |tag: &str, key: &str| {
        field.variant(tag).and_then(|variant| variant.field(key)).is_some_and(|key| key.at(cut.point).is_some())
    };
    let dropped: Vec<&str> = COUNTS.into_iter().filter(|key| known("single_node", key) && !known("multi_node", key)).collect();
    for variant in variants.into_iter().flatten() {
        let Some(table) = variant.as_object().and_then(|variant| cut.arena.behind(variant)) else { continue };
        if table["properties"]["type"]["const"] != "multi_node" {
            continue;
        }
        let mut table = table.clone();
        if let Some(Value::Object(keys)) = table.get_mut("properties") {
            keys.extend(dropped.iter().map(|key| ((*key).to_owned(), Value::Object(outdated(Object::new())))));
        }
        *variant = Value::Object(cut.arena.table(table, &below(path, "deployment.multi_node")));
    }
}

/// The tables whose class prime-rl gets from an installed package, each with its validator and field.
const NARROWED: [(&str, &str); 6] = [
    ("_resolve_plugins", "taskset"),
    ("_resolve_plugins", "harness"),
    ("_resolve_env", "env"),
    ("_resolve_taskset", "taskset"),
    ("_resolve_harness", "harness"),
    ("_resolve_judges", "judges"),
];

/// Whether the class of a field, and with it the keys, may come from an installed package.
pub(super) fn is_narrowed(class: Class, field: &str) -> bool {
    NARROWED.iter().any(|(by, narrowed)| *narrowed == field && class.interval.validators().any(|(_, validator)| validator == *by))
}
