//! Functions of Python's `re`.

use std::rc::Rc;

use super::{builtins::Call, object::Object, text::Written};
use crate::{
    ast::Name,
    pattern::{Groups, found_all, found_first},
};

/// A place in a text that a regular expression fits.
#[derive(Debug)]
pub(super) struct Match {
    pub(super) text: String,
    pub(super) groups: Groups,
}

/// The pattern that fits as `match`, `fullmatch` or `search` do.
fn whole(pattern: &str, way: &str) -> String {
    match way {
        "fullmatch" => format!("^(?:{pattern})$"),
        "match" => format!("^(?:{pattern})"),
        _ => pattern.to_owned(),
    }
}

/// Applies a regular expression: the result is a match, or Python's `None`. Rust's `None` if the expression is not supported.
pub(super) fn matched(pattern: &str, way: &str, text: &str) -> Option<Object> {
    // The branches of a pattern are tried in order, so another branch may fit the whole text.
    let groups = found_first(&whole(pattern, way), text)?.into_iter().next();
    Some(groups.map_or(Object::None, |groups| Object::Match(Rc::new(Match { text: text.to_owned(), groups }))))
}

/// The pattern with flags (`re.IGNORECASE`); `None` if they are not modelled.
fn flagged(pattern: &str, flags: &Object) -> Option<String> {
    let Object::External(flags) = flags else { return None };
    let letters = match flags.strip_prefix("re.")? {
        "I" | "IGNORECASE" => "i",
        "S" | "DOTALL" => "s",
        "A" | "ASCII" => return Some(pattern.to_owned()),
        _ => return None,
    };
    Some(format!("(?{letters}){pattern}"))
}

/// The result of `findall`, `sub` or `split`; `None` if it is not modelled.
fn applied(way: &str, pattern: &str, text: &str, by: Option<&str>) -> Option<Object> {
    let all = found_all(pattern, text)?;
    // What is done with empty fits differs between the engines.
    if all.iter().any(|groups| groups.span(0).is_none_or(|(from, to)| from == to)) {
        return None;
    }
    match (way, by) {
        ("findall", None) => {
            let one = |groups: &Groups| match groups.count() {
                1 => Some(Object::str(groups.text(0, text)?)),
                2 => Some(Object::str(groups.text(1, text).unwrap_or_default())),
                _ => None,
            };
            Some(Object::list(all.iter().map(one).collect::<Option<_>>()?))
        }
        ("sub", Some(by)) if !by.contains('\\') => {
            let (mut made, mut last) = (Written::default(), 0);
            for (from, to) in all.iter().filter_map(|groups| groups.span(0)) {
                made.push(text.get(last..from)?)?;
                made.push(by)?;
                last = to;
            }
            made.push(text.get(last..)?)?;
            Some(Object::str(made.text()))
        }
        ("split", None) if all.iter().all(|groups| groups.count() == 1) => {
            let (mut parts, mut last) = (Vec::new(), 0);
            for (from, to) in all.iter().filter_map(|groups| groups.span(0)) {
                parts.push(Object::str(text.get(last..from)?));
                last = to;
            }
            parts.push(Object::str(text.get(last..)?));
            Some(Object::list(parts))
        }
        _ => None,
    }
}

/// A function of regular expressions; `None` if it is not modelled.
pub(super) fn of_regex(call: &Call<'_>, name: &str, objects: &[Object]) -> Option<Object> {
    let by_name = match call.named.as_slice() {
        [] => None,
        [(name, (flags, _))] if &**name == "flags" => Some(flags),
        _ => return None,
    };
    let with_flags = |pattern: &Name, flags: &[Object]| match (flags, by_name) {
        ([], None) => Some(pattern.to_string()),
        ([flags], None) | ([], Some(flags)) => flagged(pattern, flags),
        _ => None,
    };
    match (name, objects) {
        ("compile", [Object::Str(pattern), flags @ ..]) => Some(Object::Pattern(with_flags(pattern, flags)?.into())),
        ("fullmatch" | "match" | "search", [Object::Str(pattern), Object::Str(text), flags @ ..]) => {
            matched(&with_flags(pattern, flags)?, name, text)
        }
        ("findall" | "split", [Object::Str(pattern), Object::Str(text)]) => applied(name, &with_flags(pattern, &[])?, text, None),
        ("sub", [Object::Str(pattern), Object::Str(by), Object::Str(text)]) => {
            applied(name, &with_flags(pattern, &[])?, text, Some(by))
        }
        ("escape", [Object::Str(text)]) => {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || !letter.is_ascii();
            let is_special = |letter: char| "()[]{}?*+-|^$\\.&~# \t\n\r\x0b\x0c".contains(letter);
            let escaped =
                text.chars().flat_map(|one| (!is_plain(one) && is_special(one)).then_some('\\').into_iter().chain([one]));
            Some(Object::str(escaped.collect::<String>()))
        }
        _ => None,
    }
}

impl Match {
    /// The result of a method; `None` if it is not modelled.
    pub(super) fn call(&self, name: &str, arguments: &[Object]) -> Option<Object> {
        let text_of = |group: usize| self.groups.text(group, &self.text).map_or(Object::None, Object::str);
        match (name, arguments) {
            ("group", []) => Some(text_of(0)),
            ("group", [group]) => Some(text_of(self.group(group)?)),
            ("groups", []) => Some(Object::tuple((1..self.groups.count()).map(text_of).collect())),
            ("groupdict", []) => {
                let entry = |(name, group): &(String, usize)| (Object::str(name.as_str()), text_of(*group));
                Some(Object::dict(self.groups.names().iter().map(entry).collect()))
            }
            ("start" | "end" | "span", _) => {
                let group = match arguments {
                    [] => 0,
                    [group] => self.group(group)?,
                    _ => return None,
                };
                let (from, to) = self.groups.span(group)?;
                let (from, to) = (Object::Int(i64::try_from(from).ok()?), Object::Int(i64::try_from(to).ok()?));
                Some(match name {
                    "start" => from,
                    "end" => to,
                    _ => Object::tuple(vec![from, to]),
                })
            }
            _ => None,
        }
    }

    /// The number of a group; `None` if there is no such group.
    pub(super) fn group(&self, group: &Object) -> Option<usize> {
        match group {
            Object::Int(number) => usize::try_from(*number).ok().filter(|number| *number < self.groups.count()),
            Object::Str(name) => self.groups.names().iter().find(|(own, _)| **own == **name).map(|(_, number)| *number),
            _ => None,
        }
    }
}
