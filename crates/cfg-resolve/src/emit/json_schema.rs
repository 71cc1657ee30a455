//! JSON Schemas (draft 07) of the configs at a point.
//!
//! Every file that prime-rl loads is valid, in any spelling: numbers in quotes, `"None"`, aliases, and keys of older versions that prime-rl's
//! validators move. Conditions that JSON Schema can't express are left out. Each table is written once: those that occur at several places are in
//! `definitions`.

mod extras;
mod scalar;
mod shared;
mod table;

use cfg_compose::loader;
use cfg_schema::{Node, Point, Schema};
use cfg_syntax::Dialect;
use serde_json::{Map, Value, json};

use shared::Arena;

/// An object of a JSON Schema.
type Object = Map<String, Value>;

/// The schema of a kind at a point; `target` is the user's name for the point.
pub fn json_schema(schema: Schema, target: &str) -> Value {
    let mut cut = Cut { point: schema.point, arena: Arena::default(), plugins: Vec::new() };
    let root = cut.root(schema.root());
    let dialect = match loader::dialect(schema.point) {
        Dialect::Toml10 => "v1.0.0",
        Dialect::Toml11 => "v1.1.0",
    };
    let mut object = Object::new();
    object.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    object.insert("title".to_owned(), json!(format!("{} config of prime-rl {target}", schema.kind.name())));
    object.insert("x-tombi-toml-version".to_owned(), json!(dialect));
    cut.arena.finish(object, &root)
}

/// A schema as text, with a line for each key of the root and for each definition, so that a diff shows what changed.
pub fn to_text(schema: &Value) -> String {
    let mut text = String::from("{");
    let mut is_first = true;
    for (key, value) in schema.as_object().into_iter().flatten() {
        text.push_str(if is_first { "\n" } else { ",\n" });
        is_first = false;
        match value.as_object().filter(|_| matches!(&**key, "properties" | "definitions")) {
            Some(entries) => {
                let lines: Vec<String> = entries.iter().map(|(key, value)| format!("    {}: {value}", json!(key))).collect();
                text.push_str(&format!("  {}: {{\n{}\n  }}", json!(key), lines.join(",\n")));
            }
            None => text.push_str(&format!("  {}: {value}", json!(key))),
        }
    }
    text.push_str("\n}\n");
    text
}

/// One point of the history, and the tables collected so far.
struct Cut {
    point: Point,
    arena: Arena,
    /// The tables around the current one whose class may come from an installed package, and whether the current one belongs to that class.
    plugins: Vec<(Node, bool)>,
}
