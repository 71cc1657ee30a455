//! Converts objects to text as Python does.

use super::{
    attribute::UUID,
    heap,
    object::{DEEPEST, Object},
};

/// The placeholder for an unknown value in a message.
pub(super) const UNKNOWN: &str = "…";

/// The result of `str(object)`; `None` if it is unknown.
pub(super) fn shown(object: &Object) -> Option<String> {
    match object {
        Object::Str(text) | Object::Path(text) => Some(text.to_string()),
        Object::Member(member) => member.text(),
        Object::External(name) if &**name == UUID => Some("00000000-0000-0000-0000-000000000000".to_owned()),
        Object::Exception(exception) if &*exception.name == "KeyError" && exception.args.len() == 1 => quoted(&exception.args[0]),
        Object::Exception(exception) => Some(exception.message.clone()),
        other => quoted(other),
    }
}

/// The result of `repr(object)`; `None` if it is unknown.
pub(super) fn quoted(object: &Object) -> Option<String> {
    quoted_within(object, DEEPEST)
}

fn quoted_within(object: &Object, depth: usize) -> Option<String> {
    if depth == 0 || !heap::spend(1) {
        return None;
    }
    let quoted = |object: &Object| quoted_within(object, depth - 1);
    let all = |items: &[Object]| Some(items.iter().map(quoted).collect::<Option<Vec<_>>>()?.join(", "));
    Some(match object {
        Object::None => "None".to_owned(),
        Object::Bool(true) => "True".to_owned(),
        Object::Bool(false) => "False".to_owned(),
        Object::Int(value) => value.to_string(),
        Object::Float(value) => float(*value),
        Object::Str(text) => in_quotes(text),
        Object::Path(text) => format!("PosixPath({})", in_quotes(text)),
        Object::List(_) => format!("[{}]", all(&object.items().ok()?)?),
        Object::Set(_) => match object.items().ok()? {
            items if items.is_empty() => "set()".to_owned(),
            items => format!("{{{}}}", all(&items)?),
        },
        Object::Tuple(items) if items.len() == 1 => format!("({},)", all(items)?),
        Object::Tuple(items) => format!("({})", all(items)?),
        Object::External(name) if name.starts_with("builtins.") => format!("<class '{}'>", name.trim_start_matches("builtins.")),
        Object::Dict(entries) if entries.lost.borrow().is_none() && entries.missing.borrow().is_none() => {
            let entry = |(key, value): &(Object, Object)| Some(format!("{}: {}", quoted(key)?, quoted(value)?));
            format!("{{{}}}", entries.value.borrow().iter().map(entry).collect::<Option<Vec<_>>>()?.join(", "))
        }
        _ => return None,
    })
}

/// A string in the quotes that Python chooses.
fn in_quotes(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            '\\' => quoted.push_str("\\\\"),
            letter if letter == quote => {
                quoted.push('\\');
                quoted.push(letter);
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push(quote);
    quoted
}

/// A float with the fewest digits that identify it, in scientific notation from 1e16 on and below 1e-4.
fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let scientific = format!("{value:e}");
        let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |exponent| ("-", exponent));
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    let plain = value.to_string();
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

/// Converts a pattern of `fnmatch` to a regular expression.
pub(super) fn of_glob(pattern: &str) -> String {
    let mut made = String::from("(?s)");
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        // A `]` in the first place is one of the characters.
        let others = usize::from(rest.starts_with('!'));
        let from = others + rest[others..].chars().next().map_or(0, char::len_utf8);
        let end = rest.get(from..).and_then(|behind| Some(from + behind.find(']')?));
        match (letter, end) {
            ('*', _) => made.push_str(".*"),
            ('?', _) => made.push('.'),
            ('[', Some(end)) => {
                let letters = rest[..end].replace('\\', "\\\\").replace('[', "\\[").replace('^', "\\^");
                let letters = letters.strip_prefix('!').map_or(letters.clone(), |others| format!("^{others}"));
                made.push_str(&format!("[{letters}]"));
                rest = &rest[end + 1..];
            }
            _ => {
                if letter.is_ascii_punctuation() {
                    made.push('\\');
                }
                made.push(letter);
            }
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::{quoted, shown};
    use crate::checks::object::Object;

    #[test]
    fn objects_are_written_as_python_writes_them() {
        for (object, text) in [
            (Object::Float(1e-6), "1e-06"),
            (Object::Float(0.5), "0.5"),
            (Object::Float(3.0), "3.0"),
            (Object::Float(1e22), "1e+22"),
            (Object::str("it's"), "\"it's\""),
            (Object::list(vec![Object::Int(1), Object::str("a"), Object::None]), "[1, 'a', None]"),
            (Object::tuple(vec![Object::Bool(true)]), "(True,)"),
            (Object::dict(vec![(Object::str("k"), Object::Int(2))]), "{'k': 2}"),
        ] {
            assert_eq!(quoted(&object).as_deref(), Some(text));
        }
        assert_eq!(shown(&Object::str("a b")).as_deref(), Some("a b"));
    }
}
