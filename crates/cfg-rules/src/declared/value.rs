//! Compares an argument with its declaration. Values are not converted: an environment gets exactly what TOML contains.

use cfg_resolve::ResolvedValue;
use cfg_schema::ExtraType;

use super::DeclaredArg;

/// What the value should be; `None` if it is valid.
pub(super) fn fault(declared: &DeclaredArg, value: &ResolvedValue) -> Option<String> {
    if let Some(type_) = declared.type_.as_ref().filter(|type_| !is(value, type_)) {
        return Some(in_words(type_));
    }
    let number = value.as_float()?;
    let below = declared.min.filter(|&min| number < min).map(|min| format!("at least {min}"));
    // A comparison with NaN is always false.
    below.or_else(|| declared.above.filter(|&above| number.is_nan() || number <= above).map(|above| format!("more than {above}")))
}

fn is(value: &ResolvedValue, type_: &ExtraType) -> bool {
    match type_ {
        ExtraType::Any => true,
        ExtraType::Int => matches!(value, ResolvedValue::Int(_)),
        ExtraType::Float => matches!(value, ResolvedValue::Int(_) | ResolvedValue::Float(_)),
        ExtraType::Bool => matches!(value, ResolvedValue::Bool(_)),
        ExtraType::Str | ExtraType::Path => matches!(value, ResolvedValue::Str(_)),
        ExtraType::Literal(choices) => value.as_str().is_some_and(|text| choices.iter().any(|choice| choice == text)),
        ExtraType::List(of) => value.as_list().is_some_and(|items| items.iter().all(|item| is(&item.value, of))),
        ExtraType::Dict(of) => value.as_map().is_some_and(|entries| entries.iter().all(|(_, entry)| is(&entry.value, of))),
        ExtraType::Union(members) => members.iter().any(|member| is(value, member)),
        ExtraType::Optional(of) => matches!(value, ResolvedValue::Null) || is(value, of),
    }
}

/// The name of a type in a sentence. Nulls are omitted: TOML can't contain them.
pub fn in_words(type_: &ExtraType) -> String {
    match type_ {
        ExtraType::Any => "any value".to_owned(),
        ExtraType::Int => "an integer".to_owned(),
        ExtraType::Float => "a number".to_owned(),
        ExtraType::Bool => "a boolean".to_owned(),
        ExtraType::Str => "a string".to_owned(),
        ExtraType::Path => "a path".to_owned(),
        ExtraType::Literal(choices) => match choices.as_slice() {
            [one] => format!("{one:?}"),
            [first @ .., last] => {
                let first: Vec<String> = first.iter().map(|choice| format!("{choice:?}")).collect();
                format!("{} or {last:?}", first.join(", "))
            }
            [] => "nothing".to_owned(),
        },
        ExtraType::List(of) => match **of {
            ExtraType::Any => "an array".to_owned(),
            ref of => format!("an array, each item {}", in_words(of)),
        },
        ExtraType::Dict(of) => match **of {
            ExtraType::Any => "a table".to_owned(),
            ref of => format!("a table, each value {}", in_words(of)),
        },
        ExtraType::Union(members) => members.iter().map(in_words).collect::<Vec<_>>().join(" or "),
        ExtraType::Optional(of) => in_words(of),
    }
}
