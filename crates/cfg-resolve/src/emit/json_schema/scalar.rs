//! Scalar values, as pydantic's lax mode accepts them.
//!
//! Bounds are exact for numbers. For a number in a text they only decide its sign and whether it may be zero; a boolean counts as 0 or 1.

use cfg_schema::{Bounds, FieldType, TypeKind};
use serde_json::{Number, Value, json};

use super::Object;

/// The text that prime-rl's classes read as null.
pub(super) const NONE: &str = "None";

const BEHIND_INTEGER: &str = r"[0-9_]*(\.0+)?\s*";
const BEHIND_FLOAT: &str = concat!(
    r"([0-9][0-9_]*\.?[0-9_]*([eE][+-]?[0-9_]+)?|\.[0-9][0-9_]*([eE][+-]?[0-9_]+)?",
    "|[iI][nN][fF]([iI][nN][iI][tT][yY])?",
);
const BOOLEAN: &str = "[tT]([rR][uU][eE])?|[fF]([aA][lL][sS][eE])?|[yY]([eE][sS])?|[nN][oO]?|[oO][nN]|[oO][fF][fF]|0|1";

/// How the text "None" is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NoneText {
    /// As a text.
    Plain,
    /// As null, which is accepted.
    Accepted,
    /// As null, which is refused.
    Refused,
}

/// The schema of a scalar type.
pub(super) fn scalar(ty: FieldType, none_text: NoneText) -> Object {
    let none = none_text == NoneText::Accepted;
    let mut object = Object::new();
    let bounds = ty.bounds();
    match ty.kind() {
        TypeKind::Int => {
            // A float without a fraction is an integer in JSON Schema; some validators of TOML disagree.
            object.insert("type".to_owned(), number_types(&["integer", "number", "string"], bounds));
            object.insert("multipleOf".to_owned(), json!(1));
            let first = if is_above(bounds, 0.0) { "[0_]*[1-9]" } else { "[0-9]" };
            object.insert("pattern".to_owned(), pattern(&format!("{}{first}{BEHIND_INTEGER}", sign(bounds)), none));
            limits(bounds, &mut object);
        }
        TypeKind::Float => {
            let has_end = bounds.le.or(bounds.lt).is_some();
            // JSON has no infinity: taplo reads one in a config as null.
            let types = ["number", "integer", "string", "null"];
            object.insert("type".to_owned(), number_types(&types[..if bounds.finite || has_end { 3 } else { 4 }], bounds));
            let not_a_number = if bounds == Bounds::default() { "|[nN][aA][nN]" } else { "" };
            let text = format!(r"{}{BEHIND_FLOAT}{not_a_number})\s*", sign(bounds));
            object.insert("pattern".to_owned(), pattern(&text, none));
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

/// Whether the bounds refuse `number` and everything below it.
fn is_above(bounds: Bounds, number: f64) -> bool {
    bounds.ge.is_some_and(|least| least > number) || bounds.gt.is_some_and(|limit| limit >= number)
}

fn is_below(bounds: Bounds, number: f64) -> bool {
    bounds.le.is_some_and(|most| most < number) || bounds.lt.is_some_and(|limit| limit <= number)
}

/// A pattern of what may precede the digits in a text.
fn sign(bounds: Bounds) -> &'static str {
    // Minus zero is zero, which `ge 0` accepts.
    if is_above(bounds, 0.0) { r"\s*\+?" } else { r"\s*[+-]?" }
}

/// The JSON types in which a number may be written; boolean is among them unless the bounds refuse both 0 and 1.
fn number_types(types: &[&str], bounds: Bounds) -> Value {
    let is_refused = |number| is_above(bounds, number) || is_below(bounds, number);
    let boolean = (!is_refused(0.0) || !is_refused(1.0)).then_some("boolean");
    types.iter().copied().chain(boolean).collect()
}

fn limits(bounds: Bounds, object: &mut Object) {
    let limits =
        [("minimum", bounds.ge), ("exclusiveMinimum", bounds.gt), ("maximum", bounds.le), ("exclusiveMaximum", bounds.lt)];
    for (name, limit) in limits {
        if let Some(limit) = limit.filter(|limit| limit.is_finite()) {
            object.insert(name.to_owned(), number(limit));
        }
    }
    let is_refused = |number| is_above(bounds, number) || is_below(bounds, number);
    match (is_refused(0.0), is_refused(1.0)) {
        (true, false) => object.insert("not".to_owned(), json!({"const": false})),
        (false, true) => object.insert("not".to_owned(), json!({"const": true})),
        _ => None,
    };
}

/// A number without a needless fraction: `1`, not `1.0`.
fn number(limit: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "what does not fit is written as a double")]
    let whole = limit as i64;
    #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "equal only where nothing is lost")]
    let is_whole = whole as f64 == limit;
    if is_whole { json!(whole) } else { Number::from_f64(limit).map_or(Value::Null, Value::Number) }
}
