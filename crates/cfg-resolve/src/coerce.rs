//! pydantic's lax mode: converts a raw value to an integer, a float, a boolean, a string or a path.

use cfg_compose::{Integer, Value};

/// How much conversion a value needed. If several members of a union accept a value, the one with the least conversion is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exactness {
    /// Converted from another type.
    Lax,
    /// Of another type that strict mode accepts too: an integer for a float.
    Strict,
    /// Of exactly the required type.
    Exact,
}

/// A converted value, or pydantic's error type.
pub(crate) type Coerced<T> = Result<(T, Exactness), &'static str>;

/// The largest number of digits that Python reads as an integer.
const MAX_DIGITS: usize = 4300;
/// 2^63: floats from here on do not fit a 64-bit integer.
pub(crate) const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// The integer in 128 bits; a larger one becomes the nearest value.
pub(crate) fn wide(integer: &Integer) -> i128 {
    match integer {
        Integer::Small(small) => i128::from(*small),
        Integer::Big(digits) => digits.parse().unwrap_or(if digits.starts_with('-') { i128::MIN } else { i128::MAX }),
    }
}

/// An `Integer` with this value.
pub(crate) fn integer(number: i128) -> Integer {
    i64::try_from(number).map_or_else(|_| Integer::Big(number.to_string().into()), Integer::Small)
}

/// Reads an integer.
pub(crate) fn int(value: &Value) -> Coerced<Integer> {
    match value {
        Value::Bool(boolean) => Ok((Integer::Small(i64::from(*boolean)), Exactness::Lax)),
        Value::Int(integer) => Ok((integer.clone(), Exactness::Exact)),
        Value::Float(float) if !float.is_finite() => Err("finite_number"),
        Value::Float(float) if float.fract() != 0.0 => Err("int_from_float"),
        Value::Float(float) if float.abs() >= TWO_TO_63 => Err("int_parsing_size"),
        Value::Float(float) => Ok((Integer::Small(*float as i64), Exactness::Lax)),
        Value::Str(text) => int_from_text(text).map(|integer| (integer, Exactness::Lax)),
        _ => Err("int_type"),
    }
}

/// Accepts spaces around the number, a sign, digits with single underscores between them, and zeros after a decimal point.
fn int_from_text(text: &str) -> Result<Integer, &'static str> {
    const MALFORMED: &str = "int_parsing";
    let text = text.trim();
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let digits = match digits.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => whole,
        Some(_) => return Err(MALFORMED),
        None => digits,
    };
    let digits = without_single_underscores(digits).ok_or(MALFORMED)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(MALFORMED);
    }
    let digits = digits.trim_start_matches('0');
    if digits.len() > MAX_DIGITS {
        return Err("int_parsing_size");
    }
    let digits = if digits.is_empty() { "0" } else { digits };
    let sign = if negative && digits != "0" { "-" } else { "" };
    let whole = format!("{sign}{digits}");
    Ok(whole.parse().map_or_else(|_| Integer::Big(whole.into()), Integer::Small))
}

/// The text without its underscores; `None` if one is at an end or two are adjacent.
fn without_single_underscores(text: &str) -> Option<String> {
    if text.starts_with('_') || text.ends_with('_') || text.contains("__") {
        return None;
    }
    Some(text.replace('_', ""))
}

/// Reads a float.
pub(crate) fn float(value: &Value) -> Coerced<f64> {
    match value {
        Value::Bool(boolean) => Ok((f64::from(u8::from(*boolean)), Exactness::Lax)),
        Value::Float(float) => Ok((*float, Exactness::Exact)),
        Value::Int(integer) => match as_double(integer) {
            double if double.is_finite() => Ok((double, Exactness::Strict)),
            _ => Err("float_type"),
        },
        Value::Str(text) => float_from_text(text).map(|float| (float, Exactness::Lax)).ok_or("float_parsing"),
        _ => Err("float_type"),
    }
}

/// Like Python's `float()`, but only for ASCII.
fn float_from_text(text: &str) -> Option<f64> {
    let digits = without_single_underscores(text.trim())?;
    // Rust reads the same forms as Python, in any case.
    digits.parse().ok()
}

/// The nearest float; infinity if the integer is too large.
#[expect(clippy::cast_precision_loss, reason = "the nearest double is what is wanted")]
pub(crate) fn as_double(integer: &Integer) -> f64 {
    match integer {
        Integer::Small(small) => *small as f64,
        Integer::Big(digits) => digits.parse().unwrap_or(f64::INFINITY),
    }
}

/// A float in the shortest form that is read back as the same float, as in a Python f-string.
pub fn float_repr(float: f64) -> String {
    if float.is_infinite() {
        return if float > 0.0 { "inf".into() } else { "-inf".into() };
    }
    if float.is_nan() {
        return "nan".into();
    }
    if float == 0.0 || (1e-4..1e16).contains(&float.abs()) {
        return format!("{float:?}");
    }
    let text = format!("{float:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// Reads a boolean.
pub(crate) fn boolean(value: &Value) -> Coerced<bool> {
    let lax = |boolean| Ok((boolean, Exactness::Lax));
    match value {
        Value::Bool(boolean) => Ok((*boolean, Exactness::Exact)),
        Value::Int(Integer::Small(0)) => lax(false),
        Value::Int(Integer::Small(1)) => lax(true),
        Value::Int(Integer::Small(_)) => Err("bool_parsing"),
        #[expect(clippy::float_cmp, reason = "only these very values are booleans")]
        Value::Float(float) if *float == 0.0 || *float == 1.0 => lax(*float == 1.0),
        Value::Float(float) if float.fract() == 0.0 && float.abs() < TWO_TO_63 => Err("bool_parsing"),
        Value::Str(text) => match text.to_ascii_lowercase().as_str() {
            "0" | "f" | "false" | "n" | "no" | "off" => lax(false),
            "1" | "t" | "true" | "y" | "yes" | "on" => lax(true),
            _ => Err("bool_parsing"),
        },
        _ => Err("bool_type"),
    }
}

/// Takes the string out of a value; other types are not converted.
pub(crate) fn string(value: &mut Value) -> Coerced<Box<str>> {
    if let Value::Str(text) = value { Ok((std::mem::take(text), Exactness::Exact)) } else { Err("string_type") }
}

/// Reads a path, in the form of Python's `pathlib`.
pub(crate) fn path(value: &Value) -> Coerced<Box<str>> {
    let text = value.as_str().ok_or("path_type")?;
    let root = match text.bytes().take_while(|&byte| byte == b'/').count() {
        0 => "",
        // Exactly two slashes at the start have a special meaning in POSIX.
        2 => "//",
        _ => "/",
    };
    let mut path = String::with_capacity(text.len());
    path.push_str(root);
    for part in text.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if path.len() > root.len() {
            path.push('/');
        }
        path.push_str(part);
    }
    Ok((if path.is_empty() { ".".into() } else { path.into() }, Exactness::Strict))
}

#[cfg(test)]
mod tests {
    use cfg_compose::{Integer, Value};

    use super::{boolean, float, float_repr, int, path};

    fn text(text: &str) -> Value {
        Value::Str(text.into())
    }

    #[test]
    fn integers_are_read_as_pydantic_reads_them() {
        let read = |value: Value| int(&value).map(|(integer, _)| integer);
        for (written, meant) in [(" 1 ", 1), ("+1", 1), ("-01", -1), ("1.00", 1), ("1_000", 1000), ("\u{a0}7", 7), ("-0", 0)] {
            assert_eq!(read(text(written)), Ok(Integer::Small(meant)), "{written}");
        }
        for malformed in ["", " ", "1.", ".5", "1.5", "1e3", "1__0", "_1", "1_", "0x10", "\u{663}", "1.0_0", "+"] {
            assert_eq!(read(text(malformed)), Err("int_parsing"), "{malformed}");
        }
        assert_eq!(read(Value::Float(9_223_372_036_854_774_784.0)), Ok(Integer::Small(9_223_372_036_854_774_784)));
        assert_eq!(read(Value::Float(9_223_372_036_854_775_808.0)), Err("int_parsing_size"));
        assert_eq!(read(Value::Float(f64::NAN)), Err("finite_number"));
        assert_eq!(read(Value::Float(1.5)), Err("int_from_float"));
        assert_eq!(read(text(&"1".repeat(4301))), Err("int_parsing_size"));
        assert_eq!(read(text(&format!("{}1.0", "0".repeat(9000)))), Ok(Integer::Small(1)));
        assert_eq!(read(text("9223372036854775808")), Ok(Integer::Big("9223372036854775808".into())));
    }

    #[test]
    fn doubles_are_read_as_pydantic_reads_them() {
        let read = |written: &str| float(&text(written)).map(|(float, _)| float);
        for (written, meant) in
            [("1.", 1.0), (".5", 0.5), ("1e3", 1e3), ("1_.5", 1.5), ("Infinity", f64::INFINITY), ("1e400", f64::INFINITY)]
        {
            assert_eq!(read(written), Ok(meant), "{written}");
        }
        for malformed in ["", "1.0.0", "0x10", "_1", "1__0", "1,000", "true"] {
            assert_eq!(read(malformed), Err("float_parsing"), "{malformed}");
        }
        let huge = Integer::Big(format!("1{}", "0".repeat(400)).into());
        assert_eq!(float(&Value::Int(huge)).map(|(float, _)| float), Err("float_type"));
    }

    #[test]
    fn booleans_are_read_as_pydantic_reads_them() {
        let read = |value: Value| boolean(&value).map(|(boolean, _)| boolean);
        assert_eq!(read(text("YES")), Ok(true));
        assert_eq!(read(text(" true ")), Err("bool_parsing"));
        assert_eq!(read(Value::Float(-0.0)), Ok(false));
        assert_eq!(read(Value::Float(1e15)), Err("bool_parsing"));
        assert_eq!(read(Value::Float(1e19)), Err("bool_type"));
        assert_eq!(read(Value::Int(Integer::Small(2))), Err("bool_parsing"));
        assert_eq!(read(Value::Int(Integer::Big("9223372036854775808".into()))), Err("bool_type"));
    }

    #[test]
    fn paths_are_spelled_as_pathlib_spells_them() {
        for (written, meant) in
            [("", "."), ("a//b/", "a/b"), ("./a/../b", "a/../b"), ("///x", "/x"), ("//x", "//x"), ("~/x", "~/x"), ("/", "/")]
        {
            assert_eq!(path(&text(written)).map(|(path, _)| path), Ok(meant.into()), "{written}");
        }
    }

    #[test]
    fn doubles_are_spelled_as_python_spells_them() {
        for (value, text) in [(32.0, "32.0"), (0.5, "0.5"), (1e16, "1e+16"), (1.5e-5, "1.5e-05"), (1e-4, "0.0001")] {
            assert_eq!(float_repr(value), text);
        }
    }
}
