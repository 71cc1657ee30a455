//! Checks that the fields of a schema are consistent: a schema that no config can violate, or that no config can meet, is a mistake.

use std::collections::{HashMap, HashSet};

use cfg_schema::compiler::{Field, Interval, Type};
use serde_json::Value as Json;

use crate::constraint::Constraint;

/// The bounds of numbers.
const OF_NUMBERS: [&str; 4] = ["ge", "gt", "le", "lt"];

/// The first error in the fields, with its line.
pub(crate) fn fault(fields: &[Field], constraints: &HashMap<String, Constraint>) -> Result<(), (usize, String)> {
    let declared: Declared<'_> = fields.iter().map(|field| (field.path.as_str(), field)).collect();
    // A missing root is reported when the schema is compiled.
    if !declared.contains_key("") {
        return Ok(());
    }
    let mut names: HashSet<(&str, &str)> = HashSet::new();
    for field in fields {
        let wrong = |message: String| (field.line, message);
        let Some(interval) = field.intervals.first() else {
            return Err(wrong(format!("`{}` has no type: write it below, after `..`", shown(&field.path))));
        };
        of_type(&interval.ty).map_err(wrong)?;
        of_attributes(interval).map_err(wrong)?;
        if let Some(default) = &interval.default {
            of_default(interval, default).map_err(wrong)?;
        }
        of_place(field, &interval.ty, &declared).map_err(wrong)?;
        of_variants(field, &interval.ty, fields).map_err(wrong)?;
        if let Some(constraint) = constraints.get(&field.path) {
            constraint.fits(&interval.ty).map_err(wrong)?;
        }
        let Some((parent, PathSegment::Key(name))) = last_segment(&field.path) else { continue };
        let own = (interval.aliases.is_empty()).then_some(name);
        for key in interval.aliases.iter().map(String::as_str).chain(own) {
            if !names.insert((parent, key)) {
                return Err(wrong(format!("two fields have the key `{key}`")));
            }
        }
    }
    Ok(())
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "(root)" } else { path }
}

/// Whether a type, or a member of a union, has one of these base types.
pub(crate) fn has(ty: &Type, words: &[&str]) -> bool {
    words.contains(&ty.base.as_str()) || ty.base == "union" && ty.members.iter().any(|member| has(member, words))
}

fn of_type(ty: &Type) -> Result<(), String> {
    let base = ty.base.as_str();
    let members = ty.members.len();
    match base {
        "list" if members != 1 => return Err("write the type of the items: `list[T]`".to_owned()),
        "dict" if members != 2 => return Err("write the types of the keys and the values: `dict[K, V]`".to_owned()),
        "union" if members == 0 => return Err("write the types of the union: `union[T, U]`".to_owned()),
        "list" | "dict" | "union" => {}
        _ if members > 0 => return Err(format!("`{base}` takes no types in brackets")),
        _ => {}
    }
    if let Some(policy) = &ty.policy
        && !["forbid", "allow", "ignore"].contains(&policy.as_str())
    {
        return Err(format!("unknown policy `{policy}`: write `forbid`, `allow` or `ignore`"));
    }
    if ty.discriminator.is_some() && base != "union" {
        return Err(format!("`by` belongs to a union, not to `{base}`"));
    }
    if !ty.functions.is_empty() {
        return Err("a dialect has no functions: remove `through`".to_owned());
    }
    of_bounds(ty)?;
    ty.members.iter().try_for_each(of_type)
}

fn of_bounds(ty: &Type) -> Result<(), String> {
    let base = ty.base.as_str();
    let known: &[&str] = match base {
        "int" => &OF_NUMBERS,
        "float" => &["ge", "gt", "le", "lt", "finite"],
        "str" | "path" | "list" | "dict" => &["min_length"],
        _ => &[],
    };
    let mut seen = HashSet::new();
    for (name, limit) in &ty.bounds {
        if !known.contains(&name.as_str()) {
            return Err(match known {
                [] => format!("`{base}` has no bounds"),
                known => format!("unknown bound `{name}`: `{base}` has {}", known.join(", ")),
            });
        }
        if !seen.insert(name) {
            return Err(format!("two bounds `{name}`"));
        }
        if !limit.is_finite() {
            return Err(format!("the bound `{name}` must be a finite number"));
        }
        if name == "min_length" && (*limit < 0.0 || limit.fract() != 0.0) {
            return Err(format!("`min_length` must be a whole number of at least 0, not {limit}"));
        }
    }
    let bound = |name: &str| ty.bounds.iter().find(|(own, _)| own == name).map(|(_, limit)| *limit);
    let lowest = [("ge", false), ("gt", true)].into_iter().filter_map(|(name, strict)| Some((bound(name)?, strict)));
    let highest = [("le", false), ("lt", true)].into_iter().filter_map(|(name, strict)| Some((bound(name)?, strict)));
    // The bounds of integers must be integers.
    let is_int = base == "int";
    let lowest: Vec<(f64, bool)> = lowest
        .map(
            |(limit, strict)| {
                if is_int { (if strict { limit.floor() + 1.0 } else { limit.ceil() }, false) } else { (limit, strict) }
            },
        )
        .collect();
    let highest: Vec<(f64, bool)> = highest
        .map(
            |(limit, strict)| {
                if is_int { (if strict { limit.ceil() - 1.0 } else { limit.floor() }, false) } else { (limit, strict) }
            },
        )
        .collect();
    let is_empty = lowest
        .iter()
        .any(|(low, is_over)| highest.iter().any(|(high, is_under)| low > high || (low >= high && (*is_over || *is_under))));
    if is_empty { Err("no number is within these bounds".to_owned()) } else { Ok(()) }
}

fn of_attributes(interval: &Interval) -> Result<(), String> {
    if interval.settings.is_some() {
        return Err("environment variables are not supported in a dialect".to_owned());
    }
    for (name, is_given) in [("factory", interval.factory), ("hidden", interval.hidden), ("variant", interval.variant.is_some())]
    {
        if is_given {
            return Err(format!("unknown attribute `{name}`: expected `required` or `alias a|b`"));
        }
    }
    if let Some(alias) = interval.aliases.iter().find(|alias| alias.trim() != alias.as_str() || alias.is_empty()) {
        return Err(format!("`{alias}` is not a key: write `alias a|b`"));
    }
    Ok(())
}

fn of_default(interval: &Interval, default: &str) -> Result<(), String> {
    if interval.required {
        return Err("a required key must not have a default".to_owned());
    }
    let default: Json = serde_json::from_str(default).map_err(|error| format!("the default: {error}"))?;
    if fits(&interval.ty, &default) { Ok(()) } else { Err(format!("the default `{default}` is not of this type")) }
}

/// Whether a value is of a type.
fn fits(ty: &Type, value: &Json) -> bool {
    let is_within = |number: f64| {
        ty.bounds.iter().all(|(name, limit)| match name.as_str() {
            "ge" => number >= *limit,
            "gt" => number > *limit,
            "le" => number <= *limit,
            "lt" => number < *limit,
            _ => true,
        })
    };
    let is_long = |length: usize| {
        let least = ty.bounds.iter().find(|(name, _)| name == "min_length").map(|(_, limit)| *limit);
        #[expect(clippy::cast_precision_loss, reason = "a text in a schema is short")]
        least.is_none_or(|least| length as f64 >= least)
    };
    if value.is_null() && ty.nullable {
        return true;
    }
    match ty.base.as_str() {
        "any" => true,
        "int" => (value.is_i64() || value.is_u64()) && value.as_f64().is_some_and(is_within),
        "float" => value.as_f64().is_some_and(is_within),
        "bool" => value.is_boolean(),
        "str" | "path" => value.as_str().is_some_and(|text| is_long(text.chars().count())),
        "literal" => value.as_str().is_some_and(|text| ty.literals.iter().any(|literal| literal == text)),
        "list" => {
            value.as_array().is_some_and(|items| is_long(items.len()) && items.iter().all(|item| fits(&ty.members[0], item)))
        }
        "dict" => value
            .as_object()
            .is_some_and(|entries| is_long(entries.len()) && entries.values().all(|value| fits(&ty.members[1], value))),
        "union" => ty.members.iter().any(|member| fits(member, value)),
        _ => value.is_object(),
    }
}

/// The last segment of a path.
enum PathSegment<'p> {
    Key(&'p str),
    Item,
    MapValue,
    Variant,
}

/// The path of the parent, and the last segment; `None` for the root.
fn last_segment(path: &str) -> Option<(&str, PathSegment<'_>)> {
    if path.is_empty() {
        return None;
    }
    if let Some(parent) = path.strip_suffix("[]") {
        return Some((parent, PathSegment::Item));
    }
    if let Some(parent) = path.strip_suffix(".*") {
        return Some((parent, PathSegment::MapValue));
    }
    if path.ends_with('>') {
        return path.rfind('<').map(|start| (&path[..start], PathSegment::Variant));
    }
    // A tag may contain a dot.
    let after_tag = path.rfind('>').map_or(0, |end| end + 1);
    Some(match path[after_tag..].rfind('.') {
        Some(point) => (&path[..after_tag + point], PathSegment::Key(&path[after_tag + point + 1..])),
        None => ("", PathSegment::Key(path)),
    })
}

type Declared<'f> = HashMap<&'f str, &'f Field>;

/// The type at a path: that of the field, or that of the items or values of the list or map that contains it.
fn type_at<'f>(path: &str, declared: &Declared<'f>) -> Option<&'f Type> {
    if let Some(interval) = declared.get(path).and_then(|field| field.intervals.first()) {
        return Some(&interval.ty);
    }
    match last_segment(path)? {
        (parent, PathSegment::Item) => member(type_at(parent, declared)?, "list", 0),
        (parent, PathSegment::MapValue) => member(type_at(parent, declared)?, "dict", 1),
        _ => None,
    }
}

fn member<'t>(ty: &'t Type, base: &str, index: usize) -> Option<&'t Type> {
    match ty.base.as_str() {
        own if own == base => ty.members.get(index),
        "union" => ty.members.iter().find_map(|inner| member(inner, base, index)),
        _ => None,
    }
}

/// Checks that a field is at a place where its parent has fields.
fn of_place(field: &Field, ty: &Type, declared: &Declared<'_>) -> Result<(), String> {
    let Some((parent, step)) = last_segment(&field.path) else {
        let is_root = ty.base == "root" && !ty.nullable;
        return if is_root { Ok(()) } else { Err("write `root(forbid)`, `root(allow)` or `root(ignore)`".to_owned()) };
    };
    let right = if matches!(step, PathSegment::Variant) { "variant" } else { "table" };
    let is_table = ["root", "variant", "table"].contains(&ty.base.as_str());
    if ty.base != right && (is_table || right == "variant") {
        return Err(format!("write `{right}(forbid)`, `{right}(allow)` or `{right}(ignore)` here"));
    }
    let Some(around) = type_at(parent, declared) else {
        return Err(format!("`{}` needs a field `{parent}` with its own type", field.path));
    };
    let (words, what): (&[&str], &str) = match step {
        PathSegment::Key(_) => (&["table", "root", "variant"], "a table"),
        PathSegment::Item => (&["list"], "a list"),
        PathSegment::MapValue => (&["dict"], "a dict"),
        PathSegment::Variant => (&["table", "variant"], "a union of tables"),
    };
    if has(around, words) { Ok(()) } else { Err(format!("`{}` is not {what}, and has no `{}`", shown(parent), field.path)) }
}

/// Checks that a tagged union has variants.
fn of_variants(field: &Field, ty: &Type, fields: &[Field]) -> Result<(), String> {
    let mut unions = vec![ty];
    let mut key = None;
    while let Some(ty) = unions.pop() {
        key = key.or(ty.discriminator.as_deref());
        unions.extend(&ty.members);
    }
    let Some(key) = key else { return Ok(()) };
    let is_variant = |other: &Field| {
        let mut rest = other.path.strip_prefix(field.path.as_str()).unwrap_or_default();
        while let Some(below) = rest.strip_prefix("[]").or_else(|| rest.strip_prefix(".*")) {
            rest = below;
        }
        rest.strip_prefix('<').and_then(|rest| rest.strip_prefix(key)).is_some_and(|rest| rest.starts_with('='))
    };
    if fields.iter().any(is_variant) { Ok(()) } else { Err(format!("`by {key}` needs a variant such as `<{key}=a>`")) }
}
