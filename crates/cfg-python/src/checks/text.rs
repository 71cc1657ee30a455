//! Converts objects to text as Python does.

use std::cell::RefCell;

use super::{
    attribute::UUID,
    heap,
    object::{DEEPEST, Object, Why},
    operators::LONGEST,
};

/// The placeholder for an unknown value in a message.
pub(super) const UNKNOWN: &str = "…";

/// A text that is being written: what is added is charged, and a text that becomes too long is unknown. What an object contains several times is
/// written several times, so this is also what ends the way through an object.
#[derive(Default)]
pub(super) struct Written(String);

impl Written {
    /// Adds a part; `None` if the text becomes too long.
    pub(super) fn push(&mut self, part: &str) -> Option<()> {
        let is_short = self.0.len() + part.len() < LONGEST;
        (is_short && heap::spend(part.len() / cfg_meter::BYTES + 1)).then(|| self.0.push_str(part))
    }

    /// Adds items with a mark between them.
    pub(super) fn push_all<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Self, &T) -> Option<()>) -> Option<()> {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.push(", ")?;
            }
            one(self, item)?;
        }
        Some(())
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}

/// The result of `str(object)`; `None` if it is unknown.
pub(super) fn shown(object: &Object) -> Option<String> {
    match object {
        Object::Str(text) | Object::Path(text) => heap::spend(text.len() / cfg_meter::BYTES + 1).then(|| text.to_string()),
        Object::Member(member) => member.text(),
        Object::External(name) if &**name == UUID => Some("00000000-0000-0000-0000-000000000000".to_owned()),
        Object::Exception(exception) if &*exception.name == "KeyError" && exception.args.len() == 1 => quoted(&exception.args[0]),
        Object::Exception(exception) => {
            heap::spend(exception.message.len() / cfg_meter::BYTES + 1).then(|| exception.message.clone())
        }
        other => quoted(other),
    }
}

/// The result of `repr(object)`; `None` if it is unknown.
pub(super) fn quoted(object: &Object) -> Option<String> {
    let mut written = Written::default();
    quote(&mut written, object, DEEPEST)?;
    Some(written.text())
}

fn quote(written: &mut Written, object: &Object, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let item = |written: &mut Written, item: &Object| quote(written, item, depth);
    let known = |lost: &RefCell<Option<Why>>| lost.borrow().is_none().then_some(());
    match object {
        Object::None => written.push("None"),
        Object::Bool(value) => written.push(if *value { "True" } else { "False" }),
        Object::Int(value) => written.push(&value.to_string()),
        Object::Float(value) => written.push(&float(*value)),
        Object::Str(text) => quote_text(written, text),
        Object::Path(text) => {
            written.push("PosixPath(")?;
            quote_text(written, text)?;
            written.push(")")
        }
        Object::List(items) => {
            known(&items.lost)?;
            written.push("[")?;
            written.push_all(&items.value.borrow(), item)?;
            written.push("]")
        }
        Object::Set(items) => {
            known(&items.lost)?;
            let items = items.value.borrow();
            if items.is_empty() {
                return written.push("set()");
            }
            written.push("{")?;
            written.push_all(&items, item)?;
            written.push("}")
        }
        Object::Tuple(items) => {
            written.push("(")?;
            written.push_all(items, item)?;
            written.push(if items.len() == 1 { ",)" } else { ")" })
        }
        Object::External(name) if name.starts_with("builtins.") => {
            written.push(&format!("<class '{}'>", name.trim_start_matches("builtins.")))
        }
        Object::Dict(entries) if entries.missing.borrow().is_none() => {
            known(&entries.lost)?;
            written.push("{")?;
            written.push_all(&entries.value.borrow(), |written, (key, value)| {
                quote(written, key, depth)?;
                written.push(": ")?;
                quote(written, value, depth)
            })?;
            written.push("}")
        }
        _ => None,
    }
}

/// Adds a string in the quotes that Python chooses.
fn quote_text(written: &mut Written, text: &str) -> Option<()> {
    if text.len() > LONGEST || !heap::spend(text.len() / 8) {
        return None;
    }
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
    written.push(&quoted)
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
///
/// `None` if that takes too much.
pub(super) fn of_glob(pattern: &str) -> Option<String> {
    // Each `[` looks for its end.
    let brackets = pattern.bytes().filter(|byte| *byte == b'[').count();
    if !heap::spend(pattern.len() + pattern.len() * brackets / 32) {
        return None;
    }
    let mut made = String::from("(?s)");
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        // A `]` in the first place is one of the characters.
        let end = || {
            let others = usize::from(rest.starts_with('!'));
            let from = others + rest[others..].chars().next().map_or(0, char::len_utf8);
            Some(from + rest.get(from..)?.find(']')?)
        };
        match (letter, if letter == '[' { end() } else { None }) {
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
    Some(made)
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
