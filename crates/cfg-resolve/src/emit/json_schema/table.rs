//! Tables, and types that consist of other types.

use cfg_schema::{Behaviour, Discriminator, FieldType, Interval, Node, Policy, Segment, TypeKind};
use serde_json::{Value, json};

use super::{Cut, Object, extras, extras::Class, scalar, scalar::NoneText};
use crate::loc::below;

impl Cut {
    /// The schema of a whole file.
    pub(super) fn root(&mut self, node: Node) -> Object {
        let mut root = self.members(node, "", None);
        // A file that includes others may lack required keys: the others can supply them.
        let includes = node.field("toml_files").is_some_and(|field| field.at(self.point).is_some());
        if let Some(required) = root.remove("required") {
            if includes {
                root.insert("anyOf".to_owned(), json!([{"required": required}, {"required": ["toml_files"]}]));
            } else {
                root.insert("required".to_owned(), required);
            }
        }
        root
    }

    /// A reference to the table of the class at `node`. `tag` is the key and value of its variant, and whether the tag is required.
    pub(super) fn table(&mut self, node: Node, path: &str, tag: Option<(&str, &str, bool)>) -> Object {
        let members = self.members(node, path, tag);
        self.arena.table(members, path)
    }

    /// The members of a table's schema.
    fn members(&mut self, node: Node, path: &str, tag: Option<(&str, &str, bool)>) -> Object {
        let mut object = Object::from_iter([("type".to_owned(), json!("object"))]);
        let Some(interval) = node.at(self.point) else { return object };
        let class = Class::new(interval);
        let plugin = self.plugins.last().filter(|(place, _)| *place == node).map(|(_, is_part)| *is_part);
        let mut properties = Object::new();
        let mut required: Vec<Value> = Vec::new();
        let mut alternatives: Vec<Value> = Vec::new();
        if let Some((key, value, is_needed)) = tag {
            let doc = node.field(key).and_then(|field| field.doc(self.point));
            let mut property = Object::from_iter([("type".to_owned(), json!("string")), ("const".to_owned(), json!(value))]);
            property.extend(doc.map(|doc| ("description".to_owned(), json!(doc))));
            properties.insert(key.to_owned(), Value::Object(property));
            required.extend(is_needed.then(|| json!(key)));
        }
        for (field, interval) in node.fields(self.point) {
            let Some(name) = field.field_name() else { continue };
            if properties.contains_key(name) {
                continue;
            }
            let is_part = plugin.is_some() && name == "task";
            let is_narrowed = is_part || extras::is_narrowed(class, name);
            if is_narrowed {
                self.plugins.push((field.item().unwrap_or(field), is_part));
            }
            let schema = self.field(field, interval, class, &below(path, name));
            if is_narrowed {
                self.plugins.pop();
            }
            let mut keys: Vec<&str> = interval.aliases().collect();
            if keys.is_empty() {
                keys.push(name);
            }
            if interval.is_required() {
                if let [key] = keys[..] {
                    required.push(json!(key));
                } else {
                    let one: Vec<Value> = keys.iter().map(|key| json!({"required": [key]})).collect();
                    alternatives.push(json!({"anyOf": one}));
                }
            }
            for (rank, key) in keys.into_iter().enumerate() {
                properties
                    .insert(key.to_owned(), Value::Object(if rank == 0 { schema.clone() } else { outdated(schema.clone()) }));
            }
        }
        extras::add(self, node, class, &mut properties, path);
        let keys: Vec<Value> = properties.keys().map(|key| json!(key)).collect();
        if !required.is_empty() {
            object.insert("x-taplo".to_owned(), json!({"initKeys": required}));
            object.insert("required".to_owned(), Value::Array(required));
        }
        object.insert("properties".to_owned(), Value::Object(properties));
        let is_open = !matches!(interval.field_type().kind(), TypeKind::Table(Policy::Forbid));
        object.insert("additionalProperties".to_owned(), json!(is_open || plugin.is_some()));
        if plugin == Some(false) && !is_open {
            // An `id` names a package, and only that package knows the keys.
            alternatives.push(json!({"anyOf": [
                {"required": ["id"]},
                {"required": ["taskset"]},
                {"propertyNames": {"enum": keys}},
            ]}));
        }
        if !alternatives.is_empty() {
            object.insert("allOf".to_owned(), Value::Array(alternatives));
        }
        object
    }

    /// The schema of a field of a class.
    fn field(&mut self, field: Node, interval: Interval, class: Class, path: &str) -> Object {
        let ty = interval.field_type();
        let none = match (class.none_is_null, ty.is_nullable()) {
            (false, _) => NoneText::Plain,
            (true, true) => NoneText::Accepted,
            (true, false) => NoneText::Refused,
        };
        let lays_default = self.point.lacks(Behaviour::DefaultsNoLongerMerged);
        let tag = interval.default_variant().filter(|_| lays_default || (class.fills_tags && !interval.has_factory()));
        let inner = self.ty(ty, Some(field), none, tag, path);
        let mut object = Object::new();
        if let Some(doc) = field.doc(self.point) {
            object.insert("description".to_owned(), json!(doc));
        }
        object.extend(inner);
        if let Some(default) = default(interval) {
            object.insert("default".to_owned(), default);
        }
        object
    }

    /// The schema of a type. `node` is its place in the history, if it has one; `none_text` says how the text "None" is read; `tag` is the variant of
    /// a table without a tag.
    pub(super) fn ty(&mut self, ty: FieldType, node: Option<Node>, none_text: NoneText, tag: Option<&str>, path: &str) -> Object {
        let or_null = none_text == NoneText::Accepted;
        let object = match ty.kind() {
            TypeKind::Any => return Object::new(),
            TypeKind::Table(_) => match node {
                Some(node) => self.table(node, path, None),
                None => Object::from_iter([("type".to_owned(), json!("object"))]),
            },
            TypeKind::List => self.list(ty, node, path),
            TypeKind::Dict => self.dict(ty, node, path),
            TypeKind::Union => match ty.discriminator() {
                Some(discriminator) => return self.tagged(discriminator, node, or_null, tag, path),
                None => return self.untagged(ty, node, or_null, path),
            },
            _ => return scalar::scalar(ty, none_text),
        };
        let with_switch = ty.functions().any(|name| name == extras::SWITCH);
        if or_null || with_switch {
            let mut several = vec![Value::Object(object)];
            several.extend(with_switch.then(|| json!({"type": "boolean"})));
            several.extend(or_null.then(null_text));
            return any_of(several);
        }
        object
    }

    fn list(&mut self, ty: FieldType, node: Option<Node>, path: &str) -> Object {
        let mut object = Object::from_iter([("type".to_owned(), json!("array"))]);
        if let Some(item) = ty.members().next() {
            let items = self.ty(item, node.and_then(Node::item), NoneText::Plain, None, path);
            object.insert("items".to_owned(), Value::Object(items));
        }
        if let Some(least) = ty.bounds().min_length.filter(|&least| least > 0) {
            object.insert("minItems".to_owned(), json!(least));
        }
        object
    }

    fn dict(&mut self, ty: FieldType, node: Option<Node>, path: &str) -> Object {
        let mut object = Object::from_iter([("type".to_owned(), json!("object"))]);
        let values = ty.members().nth(1).map(|value| self.ty(value, node.and_then(Node::map_value), NoneText::Plain, None, path));
        let values = values.filter(|values| !values.is_empty()).map_or(json!(true), Value::Object);
        object.insert("additionalProperties".to_owned(), values);
        object
    }

    fn tagged(&mut self, by: Discriminator, node: Option<Node>, or_null: bool, default: Option<&str>, path: &str) -> Object {
        let (key, default) = match by {
            Discriminator::Key(key) => (key, default),
            Discriminator::TypeOrDefault => ("type", Some("default")),
        };
        let mut several = Vec::new();
        let variants: Vec<Node> = node.into_iter().flat_map(|node| node.variants(self.point)).collect();
        for variant in variants {
            let Segment::Variant(tag) = variant.segment() else { continue };
            several.push(Value::Object(self.table(variant, &below(path, tag), Some((key, tag, default != Some(tag))))));
        }
        several.extend(or_null.then(null_text));
        any_of(several)
    }

    fn untagged(&mut self, ty: FieldType, node: Option<Node>, or_null: bool, path: &str) -> Object {
        let mut several = Vec::new();
        for member in ty.members() {
            let class = node.and_then(|node| node.classes().find(|class| class.at(self.point).is_some()));
            let place = if matches!(member.kind(), TypeKind::Table(_)) { class } else { node };
            several.push(Value::Object(self.ty(member, place, NoneText::Plain, None, path)));
        }
        several.extend(or_null.then(null_text));
        any_of(several)
    }
}

/// Marks a spelling as deprecated: prime-rl still reads it. taplo could hide it from completion, but tombi refuses keys that are hidden.
pub(super) fn outdated(mut schema: Object) -> Object {
    schema.insert("deprecated".to_owned(), json!(true));
    schema
}

pub(super) fn any_of(mut several: Vec<Value>) -> Object {
    match several.as_mut_slice() {
        [Value::Object(only)] => std::mem::take(only),
        _ => Object::from_iter([("anyOf".to_owned(), Value::Array(several))]),
    }
}

fn null_text() -> Value {
    json!({"type": "string", "const": scalar::NONE})
}

/// The default as TOML can write it. Defaults of tables are left out, since their fields have their own.
fn default(interval: Interval) -> Option<Value> {
    let value: Value = serde_json::from_str(interval.default_json()?).ok()?;
    let is_plain = |value: &Value| !matches!(value, Value::Null | Value::Object(_) | Value::Array(_));
    let is_shown = match &value {
        Value::Array(items) => items.iter().all(is_plain),
        value => is_plain(value),
    };
    is_shown.then_some(value)
}
