//! How the value of a key carries over, as stated in `schemas/moves.toml`.

use cfg_compose::{Entry, Integer, Node as RawNode, Origin, Table, Value};
use serde_json::{Map, Value as Json};

use crate::draft::{Body, Node};

/// The ways in which values carry over; the head of `schemas/moves.toml` explains each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Conversion {
    Copy,
    None,
    Invert,
    FirstElement,
    WrapList,
    Count,
    Spread,
    SpreadNew,
    SpreadById,
    Each,
    Merge,
    TableWith(&'static str),
    Map(Map<String, Json>),
    With(Map<String, Json>),
    Set(Json),
    Pin(Json),
    DivideBy(&'static str),
    DropUnknown,
    SharedWins(Vec<&'static str>),
    ComponentWins(Vec<&'static str>),
    ByHand,
}

impl Conversion {
    /// Reads the `value` of a move. An unknown conversion leaves the value to the user.
    pub(crate) fn parse(text: &'static str) -> Self {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let json = || serde_json::from_str::<Json>(rest).unwrap_or(Json::Null);
        let object = || match json() {
            Json::Object(object) => object,
            _ => Map::new(),
        };
        let paths = || rest.split(',').map(str::trim).filter(|path| !path.is_empty()).collect();
        match name {
            "copy" => Self::Copy,
            "none" => Self::None,
            "invert" => Self::Invert,
            "first-element" => Self::FirstElement,
            "wrap-list" => Self::WrapList,
            "count" => Self::Count,
            "spread" => Self::Spread,
            "spread-new" => Self::SpreadNew,
            "spread-by-id" => Self::SpreadById,
            "each" => Self::Each,
            "merge" => Self::Merge,
            "table-with" => Self::TableWith(rest),
            "map" => Self::Map(object()),
            "with" => Self::With(object()),
            "set" => Self::Set(json()),
            "pin" => Self::Pin(json()),
            "divide-by" => Self::DivideBy(rest),
            "drop-unknown" => Self::DropUnknown,
            "shared-wins" => Self::SharedWins(paths()),
            "component-wins" => Self::ComponentWins(paths()),
            _ => Self::ByHand,
        }
    }

    /// The new value for a single old one; `Ok(None)` if the key is removed, `Err` if the conversion does not cover this value.
    pub(crate) fn value_of(&self, node: &Node) -> Result<Option<Body>, Unfit> {
        let leaf = node.leaf();
        match self {
            Self::Copy => Ok(Some(node.body.clone())),
            Self::None => Ok(None),
            Self::Invert => match leaf {
                Some(Value::Bool(boolean)) => Ok(Some(Body::Leaf(Value::Bool(!boolean)))),
                _ => Err(Unfit),
            },
            Self::FirstElement => match leaf {
                Some(Value::List(items)) => items.first().map(|item| Some(Body::Leaf(item.value.clone()))).ok_or(Unfit),
                // It is already a single value.
                Some(_) | None => Err(Unfit),
            },
            Self::WrapList => match &node.body {
                Body::Leaf(Value::List(_) | Value::Null) | Body::List(_) => Err(Unfit),
                body => Ok(Some(match body {
                    Body::Table(_) => Body::List(vec![Node::made(body.clone())]),
                    _ => Body::Leaf(Value::List(vec![plain(node.to_value())])),
                })),
            },
            Self::Count => match leaf {
                Some(Value::List(items)) => {
                    let count = i64::try_from(items.len()).map_err(|_| Unfit)?;
                    Ok(Some(Body::Leaf(Value::Int(Integer::Small(count)))))
                }
                _ => Err(Unfit),
            },
            Self::Map(map) => {
                let name = leaf.and_then(name_of);
                let new = name.as_deref().and_then(|name| map.get(name)).or_else(|| map.get("*").filter(|_| leaf.is_some()));
                match new {
                    None => Err(Unfit),
                    Some(Json::Null) => Ok(None),
                    Some(json) => Ok(Some(body_of(json, leaf))),
                }
            }
            Self::Set(json) => Ok(Some(body_of(json, None))),
            Self::TableWith(key) => match &node.body {
                Body::Table(_) => Err(Unfit),
                _ => Ok(Some(Body::Table(vec![((*key).into(), node.clone())].into()))),
            },
            _ => Err(Unfit),
        }
    }
}

/// The conversion does not cover this value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfit;

/// The key of a value in a conversion's map: JSON, or the string itself. Null has the spelling of prime-rl's files.
pub(crate) fn name_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "None".to_owned(),
        Value::Bool(boolean) => boolean.to_string(),
        Value::Int(Integer::Small(small)) => small.to_string(),
        Value::Float(float) if float.fract() == 0.0 => format!("{float:.0}"),
        Value::Float(float) => float.to_string(),
        Value::Str(text) => text.to_string(),
        _ => return None,
    })
}

/// The value that JSON in a move stands for; `"*"` is the old value.
pub(crate) fn body_of(json: &Json, old: Option<&Value>) -> Body {
    Node::of(&value_of(json, old)).body
}

fn value_of(json: &Json, old: Option<&Value>) -> Value {
    match json {
        Json::Null => Value::Str("None".into()),
        Json::Bool(boolean) => Value::Bool(*boolean),
        Json::Number(number) => number
            .as_i64()
            .map(|small| Value::Int(Integer::Small(small)))
            .or_else(|| number.as_f64().map(Value::Float))
            .unwrap_or(Value::Null),
        Json::String(text) if text == "*" => old.cloned().unwrap_or(Value::Null),
        Json::String(text) => Value::Str(text.as_str().into()),
        Json::Array(items) => Value::List(items.iter().map(|item| plain(value_of(item, old))).collect()),
        Json::Object(object) => {
            let mut table = Table::default();
            for (key, item) in object {
                let node = plain(value_of(item, old));
                table.insert(Entry { key: key.as_str().into(), written: None, key_origin: Origin::Default, node });
            }
            Value::Table(table)
        }
    }
}

const fn plain(value: Value) -> RawNode {
    RawNode { value, origin: Origin::Default }
}

/// A condition under which a move is safe.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// The array has one item.
    OneElement,
    /// The value at a path (or the value itself) is this one.
    Is(Option<&'static str>, Json),
    /// The value at a path (or the value itself) is another one.
    IsNot(Option<&'static str>, Json),
    /// The array holds consecutive integers from zero that continue those of the arrays at these paths.
    CountsOn(Vec<&'static str>),
    /// The key exists and is not null.
    Present(&'static str),
    /// The key is absent or null.
    Absent(&'static str),
    /// All of these hold.
    All(Vec<Condition>),
    /// At least one of these holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// Reads the `when` of a move; `None` if it can't be read.
    pub(crate) fn parse(text: &'static str) -> Option<Self> {
        if text.contains(" or ") {
            return text.split(" or ").map(Self::parse).collect::<Option<_>>().map(Self::Any);
        }
        if text.contains(" and ") {
            return text.split(" and ").map(Self::parse).collect::<Option<_>>().map(Self::All);
        }
        if text == "one element" {
            return Some(Self::OneElement);
        }
        if let Some(paths) = text.strip_prefix("counts on") {
            return Some(Self::CountsOn(paths.split(',').map(str::trim).filter(|path| !path.is_empty()).collect()));
        }
        if let Some(path) = text.strip_suffix(" present") {
            return Some(Self::Present(path));
        }
        if let Some(path) = text.strip_suffix(" absent") {
            return Some(Self::Absent(path));
        }
        let path = |text: &'static str| Some(text.trim()).filter(|text| *text != "value");
        if let Some((left, right)) = text.split_once("!=") {
            return Some(Self::IsNot(path(left), serde_json::from_str(right.trim()).ok()?));
        }
        let (left, right) = text.split_once('=')?;
        Some(Self::Is(path(left), serde_json::from_str(right.trim()).ok()?))
    }
}

/// Whether a value equals JSON in a move: numbers by amount, null in the spelling of prime-rl's files.
pub(crate) fn is(value: &Value, json: &Json) -> bool {
    match (value, json) {
        (Value::Null, Json::Null) => true,
        (Value::Null, Json::String(text)) => text == "None",
        (Value::Bool(one), Json::Bool(other)) => one == other,
        (Value::Int(Integer::Small(one)), Json::Number(other)) => other.as_f64().is_some_and(|other| equal(amount(*one), other)),
        (Value::Float(one), Json::Number(other)) => other.as_f64().is_some_and(|other| equal(other, *one)),
        (Value::Str(one), Json::String(other)) => **one == **other,
        (Value::List(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is(&one.value, other))
        }
        (Value::Table(one), Json::Object(other)) => {
            let has = |(key, json): (&String, &Json)| one.get(key).is_some_and(|entry| is(&entry.node.value, json));
            one.entries().len() == other.len() && other.iter().all(has)
        }
        _ => false,
    }
}

/// An integer as a float.
#[expect(clippy::cast_precision_loss, reason = "so does Python where it compares a whole number with a double of its size")]
pub(crate) const fn amount(int: i64) -> f64 {
    int as f64
}

/// Whether two floats are the same number.
#[expect(clippy::float_cmp, reason = "a written value is the same, or it is another")]
pub(crate) const fn equal(one: f64, other: f64) -> bool {
    one == other
}

#[cfg(test)]
mod tests {
    use cfg_schema::History;

    use super::{Condition, Conversion};

    #[test]
    fn every_conversion_and_condition_of_the_history_is_understood() {
        for entry in History::built_in().moves() {
            let is_known = Conversion::parse(entry.value()) != Conversion::ByHand || entry.value() == "by-hand";
            assert!(is_known, "{}: `{}`", entry.pattern(), entry.value());
            if let Conversion::Map(map) | Conversion::With(map) = Conversion::parse(entry.value()) {
                assert!(!map.is_empty(), "{}: `{}`", entry.pattern(), entry.value());
            }
            assert!(entry.when().is_none_or(|when| Condition::parse(when).is_some()), "{}: {:?}", entry.pattern(), entry.when());
        }
    }
}
