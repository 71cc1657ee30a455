//! Values without parts, as pydantic's lax mode takes them.
//!
//! Bounds hold for numbers alone: what a text or a boolean stands for is not compared with them.

use cfg_schema::{Bounds, FieldType, TypeKind};
use serde_json::{Number, Value, json};

use super::Object;

/// The text that classes of prime-rl read as null.
pub(super) const NONE: &str = "None";

const INTEGER: &str = r"\s*[+-]?[0-9][0-9_]*(\.0+)?\s*";
const FLOAT: &str = concat!(
    r"\s*[+-]?([0-9][0-9_]*\.?[0-9_]*([eE][+-]?[0-9_]+)?|\.[0-9][0-9_]*([eE][+-]?[0-9_]+)?",
    "|[iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN])",
    r"\s*"
);
const BOOLEAN: &str = "[tT]([rR][uU][eE])?|[fF]([aA][lL][sS][eE])?|[yY]([eE][sS])?|[nN][oO]?|[oO][nN]|[oO][fF][fF]|0|1";

/// What becomes of the text "None".
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NoneText {
    /// It is a text.
    Plain,
    /// It is null, which is accepted.
    Accepted,
    /// It is null, which is not accepted.
    Refused,
}

/// The schema of a value without parts.
pub(super) fn scalar(ty: FieldType, none_text: NoneText) -> Object {
    let none = none_text == NoneText::Accepted;
    let mut object = Object::new();
    let bounds = ty.bounds();
    match ty.kind() {
        TypeKind::Int => {
            // A double without a fraction is an integer; to JSON Schema it is one, to some validators of TOML it isn't.
            object.insert("type".to_owned(), json!(["integer", "number", "string", "boolean"]));
            object.insert("multipleOf".to_owned(), json!(1));
            object.insert("pattern".to_owned(), pattern(INTEGER, none));
            limits(bounds, &mut object);
        }
        TypeKind::Float => {
            let mut types = vec!["number", "integer", "string", "boolean"];
            // JSON has no infinity: to taplo, one in a config is null.
            types.extend((!bounds.finite).then_some("null"));
            object.insert("type".to_owned(), json!(types));
            object.insert("pattern".to_owned(), pattern(FLOAT, none));
            limits(bounds, &mut object);
        }
        TypeKind::Bool => {
            object.insert("type".to_owned(), json!(["boolean", "integer", "number", "string"]));
            object.insert("minimum".to_owned(), json!(0));
            object.insert("maximum".to_owned(), json!(1));
            object.insert("multipleOf".to_owned(), json!(1));
            object.insert("pattern".to_owned(), pattern(BOOLEAN, none));
        }
        TypeKind::Literal => {
            object.insert("type".to_owned(), json!("string"));
            object.insert("enum".to_owned(), ty.literals().chain(none.then_some(NONE)).collect());
        }
        _ => {
            object.insert("type".to_owned(), json!("string"));
            if let Some(least) = bounds.min_length.filter(|&least| least > 0) {
                object.insert("minLength".to_owned(), json!(if none { least.min(NONE.len()) } else { least }));
            }
            if none_text == NoneText::Refused {
                object.insert("not".to_owned(), json!({"const": NONE}));
            }
        }
    }
    object
}

fn pattern(inner: &str, none: bool) -> Value {
    json!(format!("^({inner}{})$", if none { "|None" } else { "" }))
}

fn limits(bounds: Bounds, object: &mut Object) {
    let limits =
        [("minimum", bounds.ge), ("exclusiveMinimum", bounds.gt), ("maximum", bounds.le), ("exclusiveMaximum", bounds.lt)];
    for (name, limit) in limits {
        if let Some(limit) = limit.filter(|limit| limit.is_finite()) {
            object.insert(name.to_owned(), number(limit));
        }
    }
}

/// A number as a person writes it: `1`, not `1.0`.
fn number(limit: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "what does not fit is written as a double")]
    let whole = limit as i64;
    #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "equal only where nothing is lost")]
    let is_whole = whole as f64 == limit;
    if is_whole { json!(whole) } else { Number::from_f64(limit).map_or(Value::Null, Value::Number) }
}
