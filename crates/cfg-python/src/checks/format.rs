//! Python's formats of values: `f"{value:>8.3f}"`, `"{} {name}".format(...)` and `"%s %d" % values`.

use super::{
    heap,
    object::Object,
    text::{self, Written},
};

/// The parts of a format: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.
#[derive(Debug, Default)]
struct Format {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    is_alternate: bool,
    width: usize,
    group: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

/// The widest text that is formatted.
const WIDEST: usize = 1000;

fn parsed(layout: &str) -> Option<Format> {
    // Whatever is longer is not a format.
    if layout.len() > WIDEST {
        return None;
    }
    let letters: Vec<char> = layout.chars().collect();
    let mut format = Format::default();
    let mut at = 0;
    let is_align = |letter: Option<&char>| letter.is_some_and(|letter| "<>=^".contains(*letter));
    if is_align(letters.get(1)) {
        (format.fill, format.align, at) = (letters.first().copied(), letters.get(1).copied(), 2);
    } else if is_align(letters.first()) {
        (format.align, at) = (letters.first().copied(), 1);
    }
    let mut take = |wanted: &str| {
        let found = letters.get(at).copied().filter(|letter| wanted.contains(*letter));
        at += usize::from(found.is_some());
        found
    };
    format.sign = take("+- ");
    format.is_alternate = take("#").is_some();
    if take("0").is_some() {
        format.fill = format.fill.or(Some('0'));
        format.align = format.align.or(Some('='));
    }
    let mut digits = String::new();
    while let Some(digit) = take("0123456789") {
        digits.push(digit);
    }
    if !digits.is_empty() {
        format.width = digits.parse().ok().filter(|width| *width < WIDEST)?;
    }
    format.group = take(",_");
    if take(".").is_some() {
        let mut digits = String::new();
        while let Some(digit) = take("0123456789") {
            digits.push(digit);
        }
        format.precision = Some(digits.parse().ok().filter(|precision| *precision < 100)?);
    }
    format.kind = take("bcdeEfFgGnosxX%");
    (at == letters.len()).then_some(format)
}

/// A value in an f-string without a format.
pub(super) fn formatted(object: &Object) -> Option<String> {
    match object {
        Object::Member(member) if !member.is_formatted_as_text() => None,
        other => text::shown(other),
    }
}

/// A value in a format; `None` if the format, or the format of such a value, is not modelled.
pub(super) fn laid_out(object: &Object, layout: &str) -> Option<String> {
    if layout.is_empty() {
        return formatted(object);
    }
    let format = parsed(layout)?;
    if matches!(object, Object::Member(_)) {
        return None;
    }
    match object {
        Object::Str(text) if matches!(format.kind, None | Some('s')) && format.sign.is_none() && format.group.is_none() => {
            if !heap::spend(text.len() / 4) {
                return None;
            }
            let text: String = text.chars().take(format.precision.unwrap_or(usize::MAX)).collect();
            (format.align != Some('=')).then(|| padded(&format, "", &text, '<'))
        }
        Object::Int(_) | Object::Bool(_) if matches!(format.kind, None | Some('d' | 'b' | 'o' | 'x' | 'X')) => {
            // Without a type, a boolean is formatted as text is only if nothing else is given.
            let value = object.as_int()?;
            if format.precision.is_some() {
                return None;
            }
            let size = value.unsigned_abs();
            let (prefix, digits) = match format.kind {
                Some('b') => ("0b", format!("{size:b}")),
                Some('o') => ("0o", format!("{size:o}")),
                Some('x') => ("0x", format!("{size:x}")),
                Some('X') => ("0X", format!("{size:X}")),
                _ => ("", size.to_string()),
            };
            let digits = match format.group {
                Some(',') if format.kind.is_some_and(|kind| kind != 'd') => return None,
                Some(mark) => grouped(&digits, mark, if prefix.is_empty() { 3 } else { 4 }),
                None => digits,
            };
            let prefix = if format.is_alternate { prefix } else { "" };
            let sign = sign(&format, value < 0);
            (format.group.is_none() || format.fill != Some('0'))
                .then(|| padded(&format, &format!("{sign}{prefix}"), &digits, '>'))
        }
        Object::Int(_) | Object::Bool(_) | Object::Float(_) => {
            let value = object.as_float()?;
            if format.is_alternate || !value.is_finite() {
                return None;
            }
            let size = value.abs();
            let precision = format.precision.unwrap_or(6);
            let digits = match format.kind {
                Some('f' | 'F') => format!("{size:.precision$}"),
                Some('%') => format!("{:.precision$}%", size * 100.0),
                Some('e') => scientific(size, precision),
                Some('E') => scientific(size, precision).to_uppercase(),
                Some('g') => general(size, precision),
                None if format.precision.is_none() => text::shown(&Object::Float(size))?,
                _ => return None,
            };
            let digits = match format.group {
                Some(mark) => {
                    let (whole, rest) = digits.split_at(digits.find(['.', 'e', '%']).unwrap_or(digits.len()));
                    format!("{}{rest}", grouped(whole, mark, 3))
                }
                None => digits,
            };
            let sign = sign(&format, value.is_sign_negative());
            (format.group.is_none() || format.fill != Some('0')).then(|| padded(&format, sign, &digits, '>'))
        }
        _ => None,
    }
}

const fn sign(format: &Format, is_negative: bool) -> &'static str {
    match format.sign {
        _ if is_negative => "-",
        Some('+') => "+",
        Some(' ') => " ",
        _ => "",
    }
}

/// A text, filled to the width of a format. The sign comes before what fills it if the format says so.
fn padded(format: &Format, sign: &str, text: &str, align: char) -> String {
    let missing = format.width.saturating_sub(sign.chars().count() + text.chars().count());
    let fill = |count: usize| format.fill.unwrap_or(' ').to_string().repeat(count);
    match format.align.unwrap_or(align) {
        '<' => format!("{sign}{text}{}", fill(missing)),
        '^' => format!("{}{sign}{text}{}", fill(missing / 2), fill(missing - missing / 2)),
        '=' => format!("{sign}{}{text}", fill(missing)),
        _ => format!("{}{sign}{text}", fill(missing)),
    }
}

fn grouped(digits: &str, mark: char, size: usize) -> String {
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(size) {
            grouped.push(mark);
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with an exponent of at least two digits.
fn scientific(size: f64, precision: usize) -> String {
    let text = format!("{size:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// A number in the shorter of both notations, without zeros at the end.
fn general(size: f64, precision: usize) -> String {
    let precision = precision.max(1);
    let text = scientific(size, precision - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let trimmed = |digits: &str| {
        if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.').to_owned() } else { digits.to_owned() }
    };
    let limit = i32::try_from(precision).unwrap_or(i32::MAX);
    if size == 0.0 || (-4..limit).contains(&exponent) {
        let places = usize::try_from(limit - 1 - exponent).unwrap_or(0);
        return trimmed(&format!("{size:.places$}"));
    }
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
    format!("{}e{exponent}", trimmed(digits))
}

/// The result of `text.format(...)`; `None` if the text, or a value in it, is not modelled.
pub(super) fn filled(template: &str, places: &[Object], named: impl Fn(&str) -> Option<Object>) -> Option<String> {
    let (mut made, mut rest, mut next) = (Written::default(), template, 0);
    while let Some(at) = rest.find(['{', '}']) {
        made.push(&rest[..at])?;
        let behind = &rest[at + 1..];
        if behind.starts_with(&rest[at..=at]) {
            made.push(&rest[at..=at])?;
            rest = &behind[1..];
            continue;
        }
        let (field, behind) = if rest[at..].starts_with('{') { behind.split_once('}')? } else { return None };
        let (field, layout) = field.split_once(':').unwrap_or((field, ""));
        let (name, conversion) = field.split_once('!').map_or((field, None), |(name, how)| (name, Some(how)));
        if layout.contains('{') || name.contains(['.', '[']) {
            return None;
        }
        let value = match name {
            "" => {
                next += 1;
                places.get(next - 1)?.clone()
            }
            name if name.chars().all(|letter| letter.is_ascii_digit()) => places.get(name.parse::<usize>().ok()?)?.clone(),
            name => named(name)?,
        };
        let value = match conversion {
            None => value,
            Some("r") => Object::str(text::quoted(&value)?),
            Some("s") => Object::str(text::shown(&value)?),
            Some(_) => return None,
        };
        made.push(&laid_out(&value, layout)?)?;
        rest = behind;
    }
    made.push(rest)?;
    Some(made.text())
}

/// The result of `template % values`; `None` if the template, or a value, is not modelled.
pub(super) fn by_percent(template: &str, values: &Object) -> Option<String> {
    let values = match values {
        Object::Tuple(items) => items.to_vec(),
        Object::Dict(_) => return None,
        one => vec![one.clone()],
    };
    let mut values = values.into_iter();
    let (mut made, mut rest) = (Written::default(), template);
    while let Some(at) = rest.find('%') {
        made.push(&rest[..at])?;
        let end = at + 1 + rest[at + 1..].find(|letter: char| letter.is_ascii_alphabetic() || letter == '%')?;
        let (layout, kind) = (&rest[at + 1..end], &rest[end..=end]);
        rest = &rest[end + 1..];
        if kind == "%" {
            made.push("%")?;
            continue;
        }
        let value = values.next()?;
        let layout = match layout.strip_prefix('-') {
            Some(layout) => format!("<{layout}"),
            None if kind == "s" || kind == "r" => format!(">{layout}"),
            None => layout.to_owned(),
        };
        let (value, kind) = match kind {
            "s" => (Object::str(text::shown(&value)?), "s"),
            "r" => (Object::str(text::quoted(&value)?), "s"),
            "d" | "i" => (Object::Int(value.as_int()?), "d"),
            "f" | "e" | "g" => (Object::Float(value.as_float()?), kind),
            "x" => (Object::Int(value.as_int()?), "x"),
            _ => return None,
        };
        made.push(&laid_out(&value, &format!("{layout}{kind}"))?)?;
    }
    made.push(rest)?;
    values.next().is_none().then(|| made.text())
}

#[cfg(test)]
mod tests {
    use super::{by_percent, filled, laid_out};
    use crate::checks::object::Object;

    #[test]
    fn values_are_formatted_as_python_formats_them() {
        for (object, layout, text) in [
            (Object::Int(1_234_567), ",", "1,234,567"),
            (Object::Int(7), "03d", "007"),
            (Object::Int(-7), "05d", "-0007"),
            (Object::Int(10), "#x", "0xa"),
            (Object::Int(5), "+d", "+5"),
            (Object::Float(2.345), ".1f", "2.3"),
            (Object::Float(1_234_567.891), ",.2f", "1,234,567.89"),
            (Object::Float(1e-5), "g", "1e-05"),
            (Object::Float(0.0001), "g", "0.0001"),
            (Object::Float(1e20), "g", "1e+20"),
            (Object::Float(1.5), "e", "1.500000e+00"),
            (Object::Float(0.25), ".0%", "25%"),
            (Object::Float(1.5), "8.3f", "   1.500"),
            (Object::str("ab"), "*>4", "**ab"),
            (Object::str("ab"), "^5", " ab  "),
            (Object::str("abc"), ".2", "ab"),
        ] {
            assert_eq!(laid_out(&object, layout).as_deref(), Some(text), "{layout}");
        }
        assert_eq!(laid_out(&Object::Float(2.345), "y"), None);
        assert_eq!(laid_out(&Object::str("a"), "d"), None);
        let named = |name: &str| (name == "x").then_some(Object::Int(3));
        assert_eq!(filled("{} {x:02d} {0!r} {{}}", &[Object::str("a")], named).as_deref(), Some("a 03 'a' {}"));
        assert_eq!(filled("{y}", &[], named), None);
        let values = Object::tuple(vec![Object::str("a"), Object::Int(3), Object::Float(0.5)]);
        assert_eq!(by_percent("%s-%03d-%.1f-%%", &values).as_deref(), Some("a-003-0.5-%"));
        assert_eq!(by_percent("%d", &Object::str("a")), None);
    }
}
