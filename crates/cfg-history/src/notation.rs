//! A field of a history in the notation of its text.

use std::fmt::Write as _;

use cfg_schema::{Bounds, Discriminator, FieldType, Interval, Policy, TypeKind};

/// A type: `union[int(ge 512), literal("auto")]?`.
pub fn type_in_notation(ty: FieldType) -> String {
    let mut text = match ty.kind() {
        TypeKind::Any => "any".to_owned(),
        TypeKind::Int => "int".to_owned(),
        TypeKind::Float => "float".to_owned(),
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Str => "str".to_owned(),
        TypeKind::Path => "path".to_owned(),
        TypeKind::Literal => {
            let literals: Vec<String> = ty.literals().map(|literal| serde_json::Value::from(literal).to_string()).collect();
            format!("literal({})", literals.join(", "))
        }
        TypeKind::List => with_members("list", ty),
        TypeKind::Dict => with_members("dict", ty),
        TypeKind::Union => with_members("union", ty),
        TypeKind::Table(policy) => format!("table({})", policy_in_notation(policy)),
    };
    let bounds = bounds_in_notation(ty.bounds());
    if !bounds.is_empty() {
        let _ = write!(text, "({bounds})");
    }
    if ty.is_nullable() {
        text.push('?');
    }
    match ty.discriminator() {
        Some(Discriminator::Key(key)) => {
            let _ = write!(text, " by {key}");
        }
        Some(Discriminator::TypeOrDefault) => text.push_str(" by a function"),
        None => {}
    }
    let functions: Vec<&str> = ty.functions().collect();
    if !functions.is_empty() {
        let _ = write!(text, " through {}", functions.join(", "));
    }
    text
}

/// All that holds of a field but its validators: `int(ge 1) = 8  ; alias a|b`.
pub fn in_notation(interval: Interval) -> String {
    let mut text = type_in_notation(interval.field_type());
    if let Some(default) = interval.default_json() {
        let _ = write!(text, " = {}", normal(default));
    }
    let mut attributes = Vec::new();
    attributes.extend(interval.is_required().then(|| "required".to_owned()));
    attributes.extend(interval.default_variant_json().map(|variant| format!("variant {}", normal(variant))));
    attributes.extend(interval.has_factory().then(|| "factory".to_owned()));
    let aliases: Vec<&str> = interval.aliases().collect();
    if !aliases.is_empty() {
        attributes.push(format!("alias {}", aliases.join("|")));
    }
    attributes.extend(interval.is_hidden().then(|| "hidden".to_owned()));
    attributes.extend(interval.settings_prefix().map(|prefix| format!("settings {prefix}")));
    if !attributes.is_empty() {
        let _ = write!(text, "  ; {}", attributes.join("; "));
    }
    text
}

/// JSON whose blanks and order of keys don't matter.
fn normal(json: &str) -> String {
    fn sorted(value: serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Object(object) => {
                let mut entries: Vec<_> = object.into_iter().map(|(key, value)| (key, sorted(value))).collect();
                entries.sort_by(|one, other| one.0.cmp(&other.0));
                serde_json::Value::Object(entries.into_iter().collect())
            }
            serde_json::Value::Array(items) => serde_json::Value::Array(items.into_iter().map(sorted).collect()),
            plain => plain,
        }
    }
    serde_json::from_str(json).map_or_else(|_| json.to_owned(), |value| sorted(value).to_string())
}

fn with_members(name: &str, ty: FieldType) -> String {
    let members: Vec<String> = ty.members().map(type_in_notation).collect();
    if members.is_empty() { name.to_owned() } else { format!("{name}[{}]", members.join(", ")) }
}

const fn policy_in_notation(policy: Policy) -> &'static str {
    match policy {
        Policy::Forbid => "forbid",
        Policy::Ignore => "ignore",
        Policy::Allow => "allow",
    }
}

fn bounds_in_notation(bounds: Bounds) -> String {
    let limits = [("ge", bounds.ge), ("gt", bounds.gt), ("le", bounds.le), ("lt", bounds.lt)];
    let mut words: Vec<String> = limits.iter().filter_map(|(name, limit)| Some(format!("{name} {}", (*limit)?))).collect();
    words.extend(bounds.min_length.map(|least| format!("min_length {least}")));
    words.extend(bounds.finite.then(|| "finite".to_owned()));
    words.join(", ")
}
