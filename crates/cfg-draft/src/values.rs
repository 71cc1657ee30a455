//! The values of a setting that are tried one after another: `1024..16384`, `0.3..0.6:0.02`, `8,16,32`.

use std::fmt;

/// More values than this are not tried.
pub const MAX_VALUES: usize = 64;

/// One of the values.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// Another number.
    Float(f64),
    /// In TOML syntax.
    Raw(String),
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => write!(formatter, "{int}"),
            Self::Float(float) => write!(formatter, "{float:?}"),
            Self::Raw(text) => formatter.write_str(text),
        }
    }
}

/// Reads `1024..16384`, `0.3..0.6:0.02` or `8,16,32`. Whole numbers are doubled unless a step is given; the default step of a share is 0.05.
///
/// # Errors
/// If it gives no values, or more than [`MAX_VALUES`].
pub fn parse(text: &str) -> Result<Vec<Value>, String> {
    let wrong = || format!("`{text}` is not a list of values: write 1024..16384, 0.3..0.6:0.02 or 8,16,32");
    let Some((first, rest)) = text.split_once("..") else {
        let values: Vec<Value> = items(text).into_iter().map(one).collect();
        return if values.is_empty() || values.len() > MAX_VALUES { Err(wrong()) } else { Ok(values) };
    };
    let (last, step) = rest.split_once(':').map_or((rest, None), |(last, step)| (last, Some(step)));
    let values = match (one(first.trim()), one(last.trim()), step.map(|step| one(step.trim()))) {
        (Value::Int(first), Value::Int(last), None) if first >= 0 && first <= last => doubling(first, last),
        (Value::Int(first), Value::Int(last), Some(Value::Int(step))) if first <= last && step > 0 => {
            let values = std::iter::successors(Some(first), |value| value.checked_add(step)).take_while(|value| *value <= last);
            values.take(MAX_VALUES + 1).map(Value::Int).collect()
        }
        (first, last, step) => {
            let step = step.as_ref().map_or(Some(0.05), real);
            let (Some(first), Some(last), Some(step)) = (real(&first), real(&last), step) else { return Err(wrong()) };
            shares(first, last, step).ok_or_else(wrong)?
        }
    };
    if values.is_empty() || values.len() > MAX_VALUES {
        Err(format!("`{text}` gives too many values, or none"))
    } else {
        Ok(values)
    }
}

/// The parts between commas, except commas in brackets and quotes.
fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut begin, mut items) = (0_usize, None, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match (character, quote) {
            ('"' | '\'', None) => quote = Some(character),
            (_, Some(open)) if character == open => quote = None,
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                items.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    items.push(&text[begin..]);
    items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect()
}

/// A number, or the word in TOML syntax.
fn one(word: &str) -> Value {
    if let Ok(int) = word.parse() {
        return Value::Int(int);
    }
    match word.parse::<f64>() {
        Ok(float) if float.is_finite() => Value::Float(float),
        _ if matches!(word, "true" | "false") || word.starts_with(['"', '\'', '[', '{']) => Value::Raw(word.to_owned()),
        _ => Value::Raw(format!("{word:?}")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "bounds of a range are small")]
const fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        Value::Raw(_) => None,
    }
}

/// Each value is twice the one before; then the last value.
pub fn doubling(first: i64, last: i64) -> Vec<Value> {
    let next = |value: &i64| value.checked_mul(2).map(|value| value.max(1));
    let mut values: Vec<i64> = std::iter::successors(Some(first), next).take_while(|value| *value < last).collect();
    values.push(last);
    values.into_iter().map(Value::Int).collect()
}

/// From the first to the last by steps, without rounding errors of binary fractions.
fn shares(first: f64, last: f64, step: f64) -> Option<Vec<Value>> {
    let clean = |value: f64| (value * 1e6).round() / 1e6;
    let values = (0..=MAX_VALUES).map(|index| {
        #[expect(clippy::cast_precision_loss, reason = "there are few")]
        let index = index as f64;
        clean(index.mul_add(step, first))
    });
    (step > 0.0 && first <= last).then(|| values.take_while(|value| *value <= last + 1e-9).map(Value::Float).collect())
}

#[cfg(test)]
mod tests {
    use super::{Value, parse};

    fn shown(text: &str) -> String {
        match parse(text) {
            Ok(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
            Err(_) => "no".to_owned(),
        }
    }

    #[test]
    fn values_are_read_in_every_form() {
        let forms = [
            ("1024..16384", "1024 2048 4096 8192 16384"),
            ("1000..5000", "1000 2000 4000 5000"),
            ("0..3", "0 1 2 3"),
            ("7..7", "7"),
            ("1000..3000:1000", "1000 2000 3000"),
            ("0.5..0.6", "0.5 0.55 0.6"),
            ("0.3..0.34:0.02", "0.3 0.32 0.34"),
            ("8, 16,32", "8 16 32"),
            ("true,false", "true false"),
            ("adamw,\"muon\"", "\"adamw\" \"muon\""),
            ("[1, 2],[3]", "[1, 2] [3]"),
            ("\"a,b\",c", "\"a,b\" \"c\""),
        ];
        for (text, values) in forms {
            assert_eq!(shown(text), values, "{text}");
        }
        for text in ["", "5..1", "a..b", "1..2:0", "0.1..0.9:-1", "1..100000:1", "0.0..1.0:0.000001", "-4..8", ".."] {
            assert_eq!(shown(text), "no", "{text}");
        }
        assert_eq!(shown("1..9223372036854775807").split(' ').count(), 64);
    }
}
