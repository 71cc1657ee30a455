//! Writes fields of a history in the notation of its text.

use std::fmt::Write as _;

use crate::FieldType;

use crate::compiler::{
    Field, Interval, Type,
    recorded::{always, type_of},
};

/// A type: `union[int(ge 512), literal("auto")]?`.
pub fn type_in_notation(ty: FieldType) -> String {
    written(&type_of(ty))
}

/// All properties of a field except its validators: `int(ge 1) = 8  ; alias a|b`.
pub fn in_notation(interval: crate::Interval) -> String {
    field_in_notation(&normalized(&always(interval)))
}

/// Whether [`in_notation`] is the same for two fields.
pub(crate) fn is_same(one: crate::Interval, other: crate::Interval) -> bool {
    let is_flagged = |interval: crate::Interval| [interval.is_required(), interval.has_factory(), interval.is_hidden()];
    is_flagged(one) == is_flagged(other)
        && is_same_type(one.field_type(), other.field_type())
        && is_same_json(one.default_json(), other.default_json())
        && is_same_json(one.default_variant_json(), other.default_variant_json())
        && one.settings_prefix() == other.settings_prefix()
        && one.aliases().eq(other.aliases())
}

fn is_same_type(one: FieldType, other: FieldType) -> bool {
    one.kind() == other.kind()
        && one.is_nullable() == other.is_nullable()
        && one.discriminator() == other.discriminator()
        && one.bounds() == other.bounds()
        && one.literals().eq(other.literals())
        && one.functions().eq(other.functions())
        && one.members().len() == other.members().len()
        && one.members().zip(other.members()).all(|(one, other)| is_same_type(one, other))
}

fn is_same_json(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other || normal(one) == normal(other),
        (None, None) => true,
        _ => false,
    }
}

/// The part of a line after the commits of an interval, with the lines of its validators.
pub fn body(interval: &Interval) -> String {
    let mut text = field_in_notation(interval);
    for line in validators_in_notation(interval) {
        let _ = write!(text, "\n{line}");
    }
    text
}

/// The same text in a normal form, which is equal for two intervals with the same properties.
pub fn meaning(interval: &Interval) -> String {
    body(&normalized(interval))
}

fn normalized(interval: &Interval) -> Interval {
    let mut interval = interval.clone();
    interval.default = interval.default.as_deref().map(normal);
    interval.variant = interval.variant.as_deref().map(normal);
    interval
}

fn validators_in_notation(interval: &Interval) -> Vec<String> {
    let mut modes: Vec<&str> = Vec::new();
    for (mode, _) in &interval.validators {
        if !modes.contains(&mode.as_str()) {
            modes.push(mode);
        }
    }
    let names = |of: &str| -> Vec<&str> {
        interval.validators.iter().filter(|(mode, _)| mode == of).map(|(_, name)| name.as_str()).collect()
    };
    modes.into_iter().map(|mode| format!("    {mode}: {}", names(mode).join(", "))).collect()
}

/// Fields that hold at all points, one per line.
pub(crate) fn fields_in_notation(fields: &[Field]) -> String {
    let mut text = String::new();
    for field in fields {
        let _ = writeln!(text, "{}", if field.path.is_empty() { "(root)" } else { &field.path });
        for interval in &field.intervals {
            let _ = writeln!(text, "  ..  {}", field_in_notation(interval));
            for line in validators_in_notation(interval) {
                let _ = writeln!(text, "{line}");
            }
        }
        if let Some((kind, path)) = &field.like {
            let _ = writeln!(text, "  fields of {kind}:{}", if path.is_empty() { "(root)" } else { path });
        }
    }
    text
}

fn field_in_notation(interval: &Interval) -> String {
    let mut text = written(&interval.ty);
    if let Some(default) = &interval.default {
        let _ = write!(text, " = {default}");
    }
    let mut attributes = Vec::new();
    attributes.extend(interval.required.then(|| "required".to_owned()));
    attributes.extend(interval.variant.as_ref().map(|variant| format!("variant {variant}")));
    attributes.extend(interval.factory.then(|| "factory".to_owned()));
    if !interval.aliases.is_empty() {
        attributes.push(format!("alias {}", interval.aliases.join("|")));
    }
    attributes.extend(interval.hidden.then(|| "hidden".to_owned()));
    attributes.extend(interval.settings.as_ref().map(|prefix| format!("settings {prefix}")));
    if !attributes.is_empty() {
        let _ = write!(text, "  ; {}", attributes.join("; "));
    }
    text
}

fn written(ty: &Type) -> String {
    let mut text = ty.base.clone();
    if let Some(policy) = &ty.policy {
        let _ = write!(text, "({policy})");
    }
    if ty.base == "literal" {
        let literals: Vec<String> =
            ty.literals.iter().map(|literal| serde_json::Value::from(literal.as_str()).to_string()).collect();
        let _ = write!(text, "({})", literals.join(", "));
    }
    if !ty.members.is_empty() {
        let members: Vec<String> = ty.members.iter().map(written).collect();
        let _ = write!(text, "[{}]", members.join(", "));
    }
    if !ty.bounds.is_empty() {
        let bound = |(name, limit): &(String, f64)| if name == "finite" { name.clone() } else { format!("{name} {limit}") };
        let bounds: Vec<String> = ty.bounds.iter().map(bound).collect();
        let _ = write!(text, "({})", bounds.join(", "));
    }
    if ty.nullable {
        text.push('?');
    }
    if let Some(discriminator) = &ty.discriminator {
        let _ = write!(text, " by {discriminator}");
    }
    if !ty.functions.is_empty() {
        let _ = write!(text, " through {}", ty.functions.join(", "));
    }
    text
}

/// JSON in a normal form: blanks and the order of keys don't matter.
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::{History, Interval, Kind, Node};

    use super::{in_notation, is_same};

    #[test]
    fn fields_are_the_same_exactly_if_their_texts_are() {
        let (mut open, mut seen) = (Kind::RUNS.map(|kind| History::built_in().root(kind)).to_vec(), HashSet::new());
        let (mut same, mut different) = (0, 0);
        let mut before: Option<Interval> = None;
        while let Some(node) = open.pop() {
            if !seen.insert(node.id()) {
                continue;
            }
            open.extend(node.children());
            let mut all: Vec<Interval> = Node::intervals(node).collect();
            // Another field's, so that fields are compared that differ in everything.
            all.extend(before);
            before = all.first().copied();
            let texts: Vec<String> = all.iter().map(|interval| in_notation(*interval)).collect();
            for (one, text) in all.iter().zip(&texts) {
                for (other, other_text) in all.iter().zip(&texts) {
                    assert_eq!(is_same(*one, *other), text == other_text, "{text} and {other_text}");
                    *(if text == other_text { &mut same } else { &mut different }) += 1;
                }
            }
        }
        assert!(same > 1000 && different > 1000, "{same} and {different}");
    }
}
