//! How Python treats a raw value: its truth value, its integer and its text.

use cfg_compose::{Datetime, Integer, Value};

/// `bool(value)`: false for null, false, zero and empty values.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Int(Integer::Small(0)) => false,
        Value::Float(float) => *float != 0.0,
        Value::Str(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Table(inner) => !inner.is_empty(),
        Value::Bool(true) | Value::Int(_) | Value::Datetime(_) | Value::Unknown => true,
    }
}

/// `int(value)`, or the name of the exception; pydantic reports only the first one. Integers beyond 128 bits become the largest one.
pub(super) fn int(value: &Value) -> Result<i128, &'static str> {
    match value {
        Value::Int(integer) => Ok(crate::coerce::wide(integer)),
        Value::Bool(boolean) => Ok(i128::from(*boolean)),
        Value::Float(float) if float.is_nan() => Err("value_error"),
        Value::Float(float) if float.is_infinite() => Err("OverflowError"),
        Value::Float(float) => Ok(float.trunc() as i128),
        Value::Str(text) if !text.contains('.') => match crate::coerce::int(value) {
            Ok((integer, _)) => Ok(crate::coerce::wide(&integer)),
            Err(_) => Err("value_error"),
        },
        Value::Str(_) => Err("value_error"),
        Value::Null | Value::Datetime(_) | Value::List(_) | Value::Table(_) | Value::Unknown => Err("TypeError"),
    }
}

/// `str(value)`.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        Value::Datetime(datetime) => datetime.to_string().replace('T', " ").replace('Z', "+00:00"),
        _ => repr(value),
    }
}

fn repr(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(Integer::Small(small)) => small.to_string(),
        Value::Int(Integer::Big(digits)) => digits.to_string(),
        Value::Float(float) => crate::coerce::float_repr(*float),
        Value::Str(text) => quoted(text),
        Value::List(items) => format!("[{}]", joined(items.iter().map(|item| repr(&item.value)))),
        Value::Table(table) => {
            let pair = |entry: &cfg_compose::Entry| format!("{}: {}", quoted(&entry.key), repr(&entry.node.value));
            format!("{{{}}}", joined(table.entries().iter().map(pair)))
        }
        Value::Datetime(datetime) => datetime_repr(*datetime),
        Value::Unknown => String::new(),
    }
}

fn datetime_repr(Datetime { date, time, offset }: Datetime) -> String {
    let mut arguments = Vec::new();
    if let Some(date) = date {
        arguments.extend([u32::from(date.year), u32::from(date.month), u32::from(date.day)]);
    }
    if let Some(time) = time {
        arguments.extend([u32::from(time.hour), u32::from(time.minute)]);
        let finer = [u32::from(time.second), time.microsecond];
        // Trailing zeros are omitted.
        arguments.extend(&finer[..finer.iter().rposition(|part| *part > 0).map_or(0, |last| last + 1)]);
    }
    let class = match (date, time) {
        (Some(_), Some(_)) => "datetime",
        (Some(_), None) => "date",
        _ => "time",
    };
    let zone = match offset.map(|minutes| i32::from(minutes) * 60) {
        None => String::new(),
        Some(0) => ", tzinfo=datetime.timezone.utc".to_owned(),
        Some(seconds @ 1..) => format!(", tzinfo=datetime.timezone(datetime.timedelta(seconds={seconds}))"),
        Some(seconds) => format!(", tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds={}))", 86_400 + seconds),
    };
    format!("datetime.{class}({}{zone})", joined(arguments.iter().map(u32::to_string)))
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// A string in single quotes, or in double quotes if it contains only single ones, as in Python.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\\' => quoted.push_str("\\\\"),
            _ if letter == quote => quoted.extend(['\\', quote]),
            _ if letter.is_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(letter))),
            _ => quoted.push(letter),
        }
    }
    quoted.push(quote);
    quoted
}

#[cfg(test)]
mod tests {
    use cfg_compose::{Integer, Node, Origin, Table, Value};

    use super::{is_true, text};
    use crate::before::made;

    fn node(value: Value) -> Node {
        Node { value, origin: Origin::Default }
    }

    #[test]
    fn empty_and_zero_are_false() {
        let zero = || Value::Int(Integer::Small(0));
        for value in [Value::Null, Value::Bool(false), zero(), Value::Float(-0.0), Value::Str("".into()), Value::List(vec![])] {
            assert!(!is_true(&value), "{value:?}");
        }
        assert!(!is_true(&Value::Table(Table::default())));
        for value in [Value::Float(f64::NAN), Value::Str("False".into()), Value::List(vec![node(zero())])] {
            assert!(is_true(&value), "{value:?}");
        }
    }

    #[test]
    fn texts_are_those_of_python() {
        let mut table = Table::default();
        table.insert(made("a", Value::Str("it's".into()), "test"));
        table.insert(made("b", Value::List(vec![node(Value::Bool(true)), node(Value::Null)]), "test"));
        assert_eq!(text(&Value::Table(table)), r#"{'a': "it's", 'b': [True, None]}"#);
        assert_eq!(text(&Value::Table(Table::default())), "{}");
        assert_eq!(text(&Value::Float(1e16)), "1e+16");
        assert_eq!(text(&Value::Str("a\n".into())), "a\n");
        assert_eq!(text(&Value::List(vec![node(Value::Str("a\n\\".into()))])), r"['a\n\\']");
    }
}
