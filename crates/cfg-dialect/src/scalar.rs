//! The value of a plain YAML scalar in `PyYAML`, the library with which Python programs read their configs. It follows YAML 1.1, in which `no` is
//! false, `010` is eight, and `1e-5` is a string.

use cfg_compose::Value;
use cfg_syntax::Integer;
use saphyr_parser::Tag;

/// The maximum number of digits that Python reads as an integer.
const MAX_DIGITS: usize = 4300;

/// The meaning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// There is no tag.
    None,
    /// The tag is `!`: the value is the same as that of a scalar in quotes.
    NotSpecific,
    Text,
    Int,
    Float,
    Bool,
    Null,
    Sequence,
    Mapping,
    /// Only the program knows the meaning, or `PyYAML` creates an object.
    Program,
}

impl Meaning {
    pub(crate) fn of(tag: Option<&Tag>) -> Self {
        let Some(Tag { handle, suffix }) = tag else { return Self::None };
        let full = format!("{handle}{suffix}");
        match full.strip_prefix("tag:yaml.org,2002:") {
            Some("str") => Self::Text,
            Some("int") => Self::Int,
            Some("float") => Self::Float,
            Some("bool") => Self::Bool,
            Some("null") => Self::Null,
            Some("seq") => Self::Sequence,
            Some("map") => Self::Mapping,
            None if full == "!" => Self::NotSpecific,
            _ => Self::Program,
        }
    }
}

/// The meaning of a scalar.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    Value(Value),
    /// The key `<<`.
    Merge,
    /// `=`, the default value of YAML 1.1.
    Equals,
}

/// The scalar with this text and the meaning of its tag.
pub(crate) fn scalar(text: &str, is_plain: bool, tag: Meaning) -> Scalar {
    Scalar::Value(match (tag, plain(text)) {
        (Meaning::None, _) if !is_plain => Value::Str(text.into()),
        (Meaning::None | Meaning::NotSpecific, _) if text == "<<" => return Scalar::Merge,
        (Meaning::None | Meaning::NotSpecific, _) if text == "=" => return Scalar::Equals,
        (Meaning::Text, _) => Value::Str(text.into()),
        (Meaning::Null, _) => Value::Null,
        (Meaning::None | Meaning::NotSpecific, value)
        | (Meaning::Int, value @ Value::Int(_))
        | (Meaning::Bool, value @ Value::Bool(_))
        | (Meaning::Float, value @ Value::Float(_)) => value,
        // With this tag, `010` is ten.
        (Meaning::Float, Value::Int(_)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().map_or(Value::Unknown, Value::Float)
        }
        _ => Value::Unknown,
    })
}

/// The value of a plain scalar.
pub(crate) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return Value::Bool(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => return Value::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Value::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Value::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Value::Float(f64::NAN),
        _ => {}
    }
    let is_number_like = text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.'));
    let number = || integer(text).or_else(|| float(text)).or_else(|| is_date(text).then_some(Value::Unknown));
    is_number_like.then(number).flatten().unwrap_or_else(|| Value::Str(text.into()))
}

/// Whether a scalar looks like a number, and is one in YAML 1.2, but is a string for `PyYAML`: `1e-5`.
pub(crate) fn looks_like_number(text: &str) -> bool {
    let has_exponent = || text.contains(['e', 'E']) && text.bytes().any(|byte| byte.is_ascii_digit());
    matches!(plain(text), Value::Str(_)) && has_exponent() && text.parse::<f64>().is_ok()
}

/// A text without underscores, if it consists of digits of the radix and has at least one.
fn digits(text: &str, is_digit: fn(&u8) -> bool) -> Option<String> {
    let is_right = text.bytes().all(|byte| byte == b'_' || is_digit(&byte)) && text.bytes().any(|byte| is_digit(&byte));
    is_right.then(|| text.replace('_', ""))
}

fn integer(text: &str) -> Option<Value> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let small = |digits: &str, radix| i64::from_str_radix(&format!("{sign}{digits}"), radix).ok().map(Integer::Small);
    // The value of a number in another radix with more than 64 bits is not computed.
    let of_radix = |digits: String, radix| Some(small(&digits, radix).map_or(Value::Unknown, Value::Int));
    let prefixed = |rest: &str, is_digit: fn(&u8) -> bool, radix| match digits(rest, is_digit) {
        // Python fails for an integer that consists of underscores.
        None if !rest.is_empty() && rest.bytes().all(|byte| byte == b'_') => Some(Value::Unknown),
        digits => of_radix(digits?, radix),
    };
    if let Some(rest) = unsigned.strip_prefix("0b") {
        return prefixed(rest, |byte| matches!(byte, b'0' | b'1'), 2);
    }
    if let Some(rest) = unsigned.strip_prefix("0x") {
        return prefixed(rest, u8::is_ascii_hexdigit, 16);
    }
    if unsigned.contains(':') {
        return sexagesimal(sign, unsigned);
    }
    if unsigned.starts_with('0') && unsigned.len() > 1 && unsigned[1..].bytes().all(|byte| byte == b'_') {
        return Some(Value::Int(Integer::Small(0)));
    }
    if let Some(rest) = unsigned.strip_prefix('0').filter(|rest| !rest.is_empty()) {
        return of_radix(digits(rest, |byte| (b'0'..=b'7').contains(byte))?, 8);
    }
    if unsigned.starts_with('_') {
        return None;
    }
    let digits = digits(unsigned, u8::is_ascii_digit)?;
    if digits.len() > MAX_DIGITS {
        return Some(Value::Unknown);
    }
    Some(Value::Int(small(&digits, 10).unwrap_or_else(|| Integer::Big(format!("{sign}{digits}").into()))))
}

/// A number in base 60: `1:30` is ninety.
fn sexagesimal(sign: &str, text: &str) -> Option<Value> {
    let mut parts = text.split(':');
    let first = digits(parts.next()?, u8::is_ascii_digit)?;
    if first.starts_with('0') {
        return None;
    }
    let mut sum: i64 = first.parse().ok()?;
    for part in parts {
        let is_part = matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
        let part: i64 = part.parse().ok().filter(|part| is_part && *part < 60)?;
        sum = sum.checked_mul(60)?.checked_add(part)?;
    }
    Some(Value::Int(Integer::Small(if sign.is_empty() { sum } else { -sum })))
}

/// A float has a decimal point, and its exponent has a sign: `1.0e-5`, `.5`, `1.`.
fn float(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some((whole, last)) = unsigned.rsplit_once(':') {
        return sexagesimal_float(whole, last, text.starts_with('-'));
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.')?;
    let are_digits = |text: &str| text.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit());
    let is_mantissa = are_digits(whole) && are_digits(fraction) && !whole.starts_with('_');
    // Without a digit before the point, a sign is not allowed, and a digit after the point is required.
    let is_bare = || fraction.starts_with(|first: char| first.is_ascii_digit()) && unsigned.len() == text.len();
    let has_digits = !whole.is_empty() || is_bare();
    let is_exponent = exponent.is_none_or(|exponent| {
        exponent
            .strip_prefix(['+', '-'])
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let is_float = is_mantissa && has_digits && is_exponent;
    is_float.then(|| text.replace('_', "").parse().ok().map(Value::Float)).flatten()
}

/// A float in base 60: `1:30.5` is ninety and a half.
fn sexagesimal_float(whole: &str, last: &str, is_negative: bool) -> Option<Value> {
    let (seconds, fraction) = last.split_once('.')?;
    let is_part = |part: &str| {
        matches!(part.len(), 1 | 2)
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse().is_ok_and(|part: u8| part < 60)
    };
    let mut parts = whole.split(':');
    let first = parts.next().filter(|first| first.starts_with(|first: char| first.is_ascii_digit()))?;
    let mut sum: f64 = digits(first, u8::is_ascii_digit)?.parse().ok()?;
    for part in parts.chain([seconds]) {
        sum = sum * 60.0 + f64::from(part.parse::<u8>().ok().filter(|_| is_part(part))?);
    }
    let is_fraction = fraction.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit());
    let fraction: f64 = format!("0.{}", fraction.replace('_', "")).parse().ok().filter(|_| is_fraction)?;
    Some(Value::Float(if is_negative { -(sum + fraction) } else { sum + fraction }))
}

/// Whether a scalar is a date. Python makes an object of it, which is not checked.
fn is_date(text: &str) -> bool {
    let is_digits = |part: Option<&str>, most: usize| {
        part.is_some_and(|part| (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let day = text.split([' ', 'T', 't']).next().unwrap_or_default();
    let mut parts = day.split('-');
    is_digits(parts.next(), 4) && is_digits(parts.next(), 2) && is_digits(parts.next(), 2) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use cfg_compose::Value;
    use cfg_syntax::Integer;

    use super::{looks_like_number, plain};

    fn shown(text: &str) -> String {
        match plain(text) {
            Value::Int(Integer::Small(number)) => format!("int {number}"),
            Value::Int(Integer::Big(digits)) => format!("int {digits}"),
            Value::Float(number) => format!("float {number}"),
            Value::Bool(value) => format!("bool {value}"),
            Value::Str(text) => format!("str {text}"),
            Value::Null => "null".to_owned(),
            _ => "date".to_owned(),
        }
    }

    /// As `yaml.safe_load` of `PyYAML` 6 reads them.
    #[test]
    fn plain_scalars_have_the_values_of_pyyaml() {
        for (text, read) in [
            ("12", "int 12"),
            ("-1_000", "int -1000"),
            ("010", "int 8"),
            ("08", "str 08"),
            ("0x1F", "int 31"),
            ("0b101", "int 5"),
            ("1:30", "int 90"),
            ("1:75", "str 1:75"),
            ("1.5", "float 1.5"),
            ("1.", "float 1"),
            (".5", "float 0.5"),
            ("-.5", "str -.5"),
            ("1.0e-5", "float 0.00001"),
            ("1e-5", "str 1e-5"),
            ("1.0e5", "str 1.0e5"),
            ("no", "bool false"),
            ("On", "bool true"),
            ("nO", "str nO"),
            ("~", "null"),
            ("None", "str None"),
            ("2026-01-16", "date"),
            ("2026-01-16T01:18:00", "date"),
            ("s3://bucket/a.txt", "str s3://bucket/a.txt"),
            ("-", "str -"),
            (".", "str ."),
            ("._", "str ._"),
            ("0x", "str 0x"),
            ("_1", "str _1"),
            ("99999999999999999999", "int 99999999999999999999"),
        ] {
            assert_eq!(shown(text), read, "{text}");
        }
    }

    #[test]
    fn numbers_that_yaml_reads_as_strings_are_reported() {
        for text in ["1e-5", "1E5", "1.0e5", "-2e3"] {
            assert!(looks_like_number(text), "{text}");
        }
        for text in ["1.0e-5", "e5", "one", "", "1e", "0x1e5", "infe1"] {
            assert!(!looks_like_number(text), "{text}");
        }
    }
}
