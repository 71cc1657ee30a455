//! Descriptions of types and fields for messages.

use crate::{Bounds, Discriminator, FieldType, Interval, TypeKind};

/// A description of the values that a type accepts: "an integer", "one of "a" and "b"".
pub fn type_in_words(ty: FieldType) -> String {
    match ty.kind() {
        TypeKind::Any => "anything".to_owned(),
        TypeKind::Int => "an integer".to_owned(),
        TypeKind::Float => "a number".to_owned(),
        TypeKind::Bool => "true or false".to_owned(),
        TypeKind::Str => "a string".to_owned(),
        TypeKind::Path => "a path, as a string".to_owned(),
        TypeKind::Literal => match ty.literals().len() {
            1 => alternatives(ty.literals()),
            _ => format!("one of {}", alternatives(ty.literals())),
        },
        TypeKind::List => match ty.members().next().map(|item| plural(item.kind())) {
            Some(items) if !items.is_empty() => format!("an array of {items}"),
            _ => "an array".to_owned(),
        },
        TypeKind::Dict | TypeKind::Table(_) => "a table".to_owned(),
        TypeKind::Union => match ty.discriminator() {
            Some(Discriminator::Key(key)) => format!("a table with `{key}`"),
            Some(Discriminator::TypeOrDefault) => "a table".to_owned(),
            None => ty.members().map(type_in_words).collect::<Vec<_>>().join(" or "),
        },
    }
}

/// A description of a field in one line: `an integer, at least 1, or null; default 128`.
pub fn interval_in_words(interval: Interval) -> String {
    let ty = interval.field_type();
    let mut words = type_in_words(ty);
    let bounds = bounds_in_words(ty.bounds());
    if !bounds.is_empty() {
        words.push_str(", ");
        words.push_str(&bounds);
    }
    if ty.is_nullable() {
        words.push_str(", or null");
    }
    if interval.is_required() {
        words.push_str("; required");
    }
    let default = match (interval.default_variant_json(), interval.default_json()) {
        (Some(variant), Some("{}")) => Some(variant),
        (_, default) => default.filter(|default| *default != "{}"),
    };
    if let Some(default) = default {
        words.push_str("; default ");
        words.push_str(default);
    }
    words
}

fn plural(kind: TypeKind) -> &'static str {
    match kind {
        TypeKind::Int => "integers",
        TypeKind::Float => "numbers",
        TypeKind::Str => "strings",
        TypeKind::Bool => "booleans",
        TypeKind::List => "arrays",
        TypeKind::Dict | TypeKind::Table(_) | TypeKind::Union => "tables",
        TypeKind::Path | TypeKind::Literal | TypeKind::Any => "",
    }
}

/// A description of the limits of a type: "at least 1 and at most 8".
pub fn bounds_in_words(bounds: Bounds) -> String {
    let limits = [(bounds.ge, "at least"), (bounds.gt, "greater than"), (bounds.le, "at most"), (bounds.lt, "less than")];
    let mut words: Vec<String> = limits.iter().filter_map(|(limit, words)| Some(format!("{words} {}", (*limit)?))).collect();
    words.extend(bounds.finite.then(|| "finite".to_owned()));
    words.extend(bounds.min_length.map(|least| format!("at least {least} long")));
    words.join(" and ")
}

/// The maximum number of words that are listed. prime-rl has no field with as many choices; a schema of a repository can have a hundred thousand.
const MAX_LISTED: usize = 100;

/// Joins words with commas and "or": `"a", "b" or "c"`. Of very many words, only the first are listed.
pub fn alternatives<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut words = words.map(|word| format!("\"{word}\""));
    let mut listed: Vec<String> = words.by_ref().take(MAX_LISTED).collect();
    let more = words.count();
    if more > 0 {
        return format!("{} or {more} others", listed.join(", "));
    }
    let words = &mut listed;
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => String::new(),
    }
}
