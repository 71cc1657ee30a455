//! The methods of strings.

use super::{
    builtins::Call,
    format::filled,
    heap,
    object::Object,
    operators::LONGEST,
    run::{Outcome, Run},
};
use crate::ast::Name;

/// How many bytes of a text are looked at for one unit, where something is looked for in it.
const BYTES_LOOKED_AT: usize = 1;

impl Run<'_> {
    /// `None` if the method is not modelled.
    pub(super) fn of_str(&mut self, call: &Call<'_>, text: &Name) -> Outcome<Option<Object>> {
        if let ("join", [all]) = (call.name, call.objects) {
            return Ok(Some(self.joined(call, text, all)?));
        }
        // Whatever is looked for, it may be in each place of the text.
        if !call.objects.is_empty() && !heap::spend(text.len() / BYTES_LOOKED_AT) {
            return Ok(None);
        }
        if let ("index" | "rindex", [Object::Str(part)]) = (call.name, call.objects)
            && !text.contains(&**part)
        {
            return Err(self.raised(call.frame, call.line, "ValueError", "substring not found"));
        }
        Ok(Self::of_text(call, text))
    }

    /// The methods of a string that refuse nothing.
    fn of_text(call: &Call<'_>, text: &Name) -> Option<Object> {
        let parts = |parts: Vec<&str>| Object::list(parts.into_iter().map(Object::str).collect());
        let most = |most: i64| usize::try_from(most).ok().filter(|most| *most < 1000).map(|most| most + 1);
        Some(match (call.name, call.objects) {
            // What comes out of these is as long as the string.
            ("lower" | "casefold" | "upper", []) if text.len() > LONGEST => return None,
            ("startswith", [part]) => Object::Bool(texts(part)?.iter().any(|part| text.starts_with(*part))),
            ("endswith", [part]) => Object::Bool(texts(part)?.iter().any(|part| text.ends_with(*part))),
            ("lower" | "casefold", []) => Object::str(text.to_lowercase()),
            ("upper", []) => Object::str(text.to_uppercase()),
            ("strip", []) => Object::str(text.trim()),
            ("lstrip", []) => Object::str(text.trim_start()),
            ("rstrip", []) => Object::str(text.trim_end()),
            ("strip" | "lstrip" | "rstrip", [Object::Str(letters)])
                if !heap::spend(text.len() / 8 * (letters.len() / 16 + 1)) =>
            {
                return None;
            }
            ("strip", [Object::Str(letters)]) => Object::str(text.trim_matches(|letter| letters.contains(letter))),
            ("lstrip", [Object::Str(letters)]) => Object::str(text.trim_start_matches(|letter| letters.contains(letter))),
            ("rstrip", [Object::Str(letters)]) => Object::str(text.trim_end_matches(|letter| letters.contains(letter))),
            ("removeprefix", [Object::Str(part)]) => Object::str(text.strip_prefix(&**part).unwrap_or(text)),
            ("removesuffix", [Object::Str(part)]) => Object::str(text.strip_suffix(&**part).unwrap_or(text)),
            ("replace", [Object::Str(part), Object::Str(by)])
                if !part.is_empty() && text.len().saturating_mul(by.len()) < LONGEST =>
            {
                Object::str(text.replace(&**part, by))
            }
            ("split" | "rsplit", []) if call.named.is_empty() => parts(text.split_whitespace().collect()),
            ("split" | "rsplit", objects) => {
                let Object::Str(by) = objects.first().or_else(|| call.named("sep"))? else { return None };
                if by.is_empty() || call.named.iter().any(|(name, _)| !matches!(&**name, "sep" | "maxsplit")) {
                    return None;
                }
                match (call.name, objects.get(1).or_else(|| call.named("maxsplit")).map(Object::as_int)) {
                    (_, None | Some(Some(-1))) => parts(text.split(&**by).collect()),
                    ("split", Some(times)) => parts(text.splitn(most(times?)?, &**by).collect()),
                    (_, Some(times)) => {
                        let mut found: Vec<&str> = text.rsplitn(most(times?)?, &**by).collect();
                        found.reverse();
                        parts(found)
                    }
                }
            }
            ("count", [Object::Str(part)]) if !part.is_empty() => Object::Int(i64::try_from(text.matches(&**part).count()).ok()?),
            ("isdigit" | "isdecimal" | "isnumeric", []) if text.is_ascii() => {
                Object::Bool(!text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit()))
            }
            ("format", places) => {
                let named = |name: &str| call.named(name).cloned();
                return filled(text, places, named).map(Object::str);
            }
            _ => return None,
        })
    }

    fn joined(&mut self, call: &Call<'_>, text: &Name, all: &Object) -> Outcome<Object> {
        let items = match self.iterated(call.frame, call.line, all)? {
            Ok(items) => items,
            Err(why) => return Ok(Object::Unknown(why)),
        };
        if let Some(unknown) = items.iter().find(|item| matches!(item, Object::Unknown(_))) {
            return Ok(unknown.clone());
        }
        match items.iter().map(as_str).collect::<Option<Vec<_>>>() {
            Some(texts) => {
                let marks = text.len().saturating_mul(texts.len().saturating_sub(1));
                let length = texts.iter().map(|text| text.len()).fold(marks, usize::saturating_add);
                Ok(if length < LONGEST {
                    Object::str(texts.join(text))
                } else {
                    self.unknown(call.frame, call.line, "a long string")
                })
            }
            None if items.iter().all(is_plain) => {
                Err(self.raised(call.frame, call.line, "TypeError", "sequence item: expected str instance"))
            }
            None => Ok(self.unknown(call.frame, call.line, "the strings to join")),
        }
    }
}

/// Whether an object is known and of a plain type.
const fn is_plain(object: &Object) -> bool {
    matches!(
        object,
        Object::None | Object::Bool(_) | Object::Int(_) | Object::Float(_) | Object::Str(_) | Object::List(_) | Object::Dict(_)
    )
}

/// The methods of words in a string; `None` if the method is not one of them, or the string has letters outside ASCII.
pub(super) fn of_words(call: &Call<'_>, text: &str) -> Option<Object> {
    let count = |number: usize| i64::try_from(number).ok().map(Object::Int);
    let width = |object: &Object| object.as_int().and_then(|width| usize::try_from(width).ok()).filter(|width| *width < 1000);
    let split = |found: Option<(&str, &str)>, by: &str, all_first: bool| match found {
        Some((one, other)) => Object::tuple(vec![Object::str(one), Object::str(by), Object::str(other)]),
        None if all_first => Object::tuple(vec![Object::str(text), Object::str(""), Object::str("")]),
        None => Object::tuple(vec![Object::str(""), Object::str(""), Object::str(text)]),
    };
    if !text.is_ascii() {
        return None;
    }
    let any = |is_one: fn(&u8) -> bool| text.bytes().any(|letter| is_one(&letter));
    let all = |is_one: fn(&u8) -> bool| !text.is_empty() && text.bytes().all(|letter| is_one(&letter));
    Some(match (call.name, call.objects) {
        ("capitalize", []) => {
            let lower = text.to_ascii_lowercase();
            let (first, rest) = lower.split_at(usize::from(!lower.is_empty()));
            Object::str(format!("{}{rest}", first.to_ascii_uppercase()))
        }
        ("title", []) => {
            let mut is_inside = false;
            let letter = |letter: char| {
                let changed = if is_inside { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() };
                is_inside = letter.is_ascii_alphabetic();
                changed
            };
            Object::str(text.chars().map(letter).collect::<String>())
        }
        ("swapcase", []) => {
            let swapped = |letter: char| {
                if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
            };
            Object::str(text.chars().map(swapped).collect::<String>())
        }
        ("isalpha", []) => Object::Bool(all(u8::is_ascii_alphabetic)),
        ("isalnum", []) => Object::Bool(all(u8::is_ascii_alphanumeric)),
        ("isspace", []) => Object::Bool(all(u8::is_ascii_whitespace)),
        ("isascii", []) => Object::Bool(true),
        ("islower", []) => Object::Bool(any(u8::is_ascii_lowercase) && !any(u8::is_ascii_uppercase)),
        ("isupper", []) => Object::Bool(any(u8::is_ascii_uppercase) && !any(u8::is_ascii_lowercase)),
        ("isidentifier", []) => {
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            Object::Bool(
                !text.is_empty() && !text.starts_with(|first: char| first.is_ascii_digit()) && text.chars().all(is_letter),
            )
        }
        ("find", [Object::Str(part)]) => text.find(&**part).map_or(Some(Object::Int(-1)), count)?,
        ("rfind", [Object::Str(part)]) => text.rfind(&**part).map_or(Some(Object::Int(-1)), count)?,
        ("index", [Object::Str(part)]) => count(text.find(&**part)?)?,
        ("rindex", [Object::Str(part)]) => count(text.rfind(&**part)?)?,
        ("partition", [Object::Str(by)]) if !by.is_empty() => split(text.split_once(&**by), by, true),
        ("rpartition", [Object::Str(by)]) if !by.is_empty() => split(text.rsplit_once(&**by), by, false),
        ("replace", [Object::Str(part), Object::Str(by), Object::Int(times)]) if !part.is_empty() && *times >= 0 => {
            let times = usize::try_from(*times).ok()?.min(text.len() / part.len());
            if times.saturating_mul(by.len()).saturating_add(text.len()) > LONGEST {
                return None;
            }
            Object::str(text.replacen(&**part, by, times))
        }
        ("zfill", [size]) => {
            let (sign, digits) = match text.strip_prefix(['+', '-']) {
                Some(digits) => text.split_at(text.len() - digits.len()),
                None => ("", text),
            };
            Object::str(format!("{sign}{}{digits}", "0".repeat(width(size)?.saturating_sub(text.len()))))
        }
        ("ljust", [size]) => Object::str(format!("{text:<width$}", width = width(size)?)),
        ("rjust", [size]) => Object::str(format!("{text:>width$}", width = width(size)?)),
        ("splitlines", []) if !text.contains(['\r', '\x0b', '\x0c', '\x1c', '\x1d', '\x1e']) => {
            Object::list(text.lines().map(Object::str).collect())
        }
        _ => return None,
    })
}

/// A string, or a tuple of strings; `None` for other objects.
fn texts(object: &Object) -> Option<Vec<&str>> {
    match object {
        Object::Tuple(all) => all.iter().map(as_str).collect(),
        one => Some(vec![as_str(one)?]),
    }
}

fn as_str(object: &Object) -> Option<&str> {
    if let Object::Str(text) = object { Some(text) } else { None }
}
