//! Values of a wrong type that show what was meant: how they are written.

use cfg_compose::{Node, Value};
use cfg_diag::{Applicability, Diagnostic, Edit};
use cfg_schema::{FieldType, Segment, TypeKind};

use crate::{coerce, walk::Walker};

impl Walker<'_> {
    /// Adds the fix for a value of the wrong type, if its text shows what was meant.
    pub(super) fn rewritten(
        &self,
        diagnostic: Diagnostic,
        raw: &Node,
        ty: FieldType,
        node: Option<cfg_schema::Node>,
    ) -> Diagnostic {
        if diagnostic.fix.is_some() {
            return diagnostic;
        }
        if let (TypeKind::Table(_) | TypeKind::Union, Value::List(items), None) = (ty.kind(), &raw.value, &diagnostic.help)
            && items.iter().all(|item| item.value.as_table().is_some())
        {
            let key = self.path.key();
            return diagnostic.help(format!("write its header with single brackets, `[{key}]`: it is one table"));
        }
        let Some((value, applicability)) = self.value_for(&raw.value, ty, node) else { return diagnostic };
        let Some(location) = raw.origin.place() else { return diagnostic };
        let mut diagnostic = diagnostic;
        if diagnostic.help.is_none() || applicability == Applicability::Unsafe {
            diagnostic.help = Some(format!("write {value}"));
        }
        diagnostic.fix(format!("write `{value}`"), applicability, Edit { location, new_text: value })
    }

    fn value_for(&self, value: &Value, ty: FieldType, node: Option<cfg_schema::Node>) -> Option<(String, Applicability)> {
        let (safe, possible) = (Applicability::Safe, Applicability::Unsafe);
        match (ty.kind(), value) {
            (TypeKind::Table(_), Value::Bool(true)) => Some(("{}".to_owned(), safe)),
            (TypeKind::Union, Value::Bool(true)) if ty.discriminator().is_some() => Some(("{}".to_owned(), possible)),
            (TypeKind::Table(_) | TypeKind::Union, Value::Str(text)) => {
                let key = self.key_of_string(text, ty, node?)?;
                Some((format!("{{ {key} = {text:?} }}"), possible))
            }
            // A number in place of a table is the one that the table is about.
            (TypeKind::Table(_), Value::Int(integer)) => {
                let takes = |name: &&str| {
                    let field = node.and_then(|node| node.field(name)).and_then(|field| field.at(self.schema.point));
                    field.is_some_and(|interval| interval.field_type().kind() == TypeKind::Int)
                };
                let name = ["rank", "interval", "freq", "step"].into_iter().find(takes)?;
                Some((format!("{{ {name} = {} }}", coerce::wide(integer)), possible))
            }
            (TypeKind::List, Value::Str(text)) => {
                let item = ty.members().next()?;
                match item.kind() {
                    TypeKind::Str | TypeKind::Path | TypeKind::Literal => Some((format!("[{text:?}]"), safe)),
                    TypeKind::Table(_) | TypeKind::Union => {
                        let key = self.key_of_string(text, item, node?.item()?)?;
                        Some((format!("[{{ {key} = {text:?} }}]"), possible))
                    }
                    _ => None,
                }
            }
            (TypeKind::List, Value::Int(integer)) => {
                let is_of_numbers =
                    ty.members().next().is_some_and(|item| matches!(item.kind(), TypeKind::Int | TypeKind::Float));
                is_of_numbers.then(|| (format!("[{}]", coerce::wide(integer)), safe))
            }
            (TypeKind::Str | TypeKind::Path, Value::Int(integer)) => Some((format!("\"{}\"", coerce::wide(integer)), safe)),
            (TypeKind::Int, Value::Str(text)) => {
                let number = number(text).filter(|number| number.fract() == 0.0 && number.abs() < 1e15)?;
                Some((format!("{number}"), possible))
            }
            (TypeKind::Float, Value::Str(text)) => Some((format!("{:?}", number(text)?), possible)),
            (TypeKind::Bool, Value::Str(text)) => match &*text.trim().to_ascii_lowercase() {
                "enabled" | "enable" => Some(("true".to_owned(), possible)),
                "disabled" | "disable" | "none" => Some(("false".to_owned(), possible)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The key of a table that a bare string means: that of a choice which has it, or the name of what the table is about.
    fn key_of_string(&self, text: &str, ty: FieldType, table: cfg_schema::Node) -> Option<String> {
        let point = self.schema.point;
        if ty.discriminator().is_some() {
            let is_tag = |variant: cfg_schema::Node| matches!(variant.segment(), Segment::Variant(tag) if tag == text);
            return table.variants(point).any(is_tag).then(|| "type".to_owned());
        }
        let takes_it = |(_, interval): &(cfg_schema::Node, cfg_schema::Interval)| {
            interval.field_type().literals().any(|literal| literal == text)
        };
        if let Some(name) = table.fields(point).find(takes_it).and_then(|(field, _)| field.field_name()) {
            return Some(name.to_owned());
        }
        let takes = |path: &str| {
            let mut node = Some(table);
            let mut ty = None;
            for step in path.split('.') {
                let field = node.and_then(|node| node.field(step));
                ty = field.and_then(|field| field.at(point)).map(cfg_schema::Interval::field_type);
                node = field;
            }
            ty.is_some_and(|ty: FieldType| ty.kind() == TypeKind::Str)
        };
        ["id", "legacy.id", "env.taskset.id", "name", "model"].into_iter().find(|path| takes(path)).map(str::to_owned)
    }
}

/// The number at the start of a text, with a unit that scales it or that says what is counted.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|character: char| !(character.is_ascii_digit() || "._,+-eE".contains(character))).unwrap_or(text.len());
    // An exponent has digits.
    let digits = text[..end].trim_end_matches(['e', 'E']);
    let unit = text[digits.len()..].trim().to_ascii_lowercase();
    let plain: String = digits.chars().filter(|character| !"_,".contains(*character)).collect();
    let number: f64 = plain.parse().ok()?;
    let parts = match &*unit {
        "" | "tokens" | "token" | "steps" | "step" | "rollouts" | "samples" | "gpus" | "gpu" => 1.0,
        "k" | "ki" | "k tokens" => 1024.0,
        "%" => return Some(number / 100.0),
        _ => return None,
    };
    number.is_finite().then_some(number * parts)
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn units_of_numbers_are_read() {
        for (text, expected) in [
            ("4k", Some(4096.0)),
            ("8K", Some(8192.0)),
            ("50 steps", Some(50.0)),
            ("1,024", Some(1024.0)),
            ("1e-5", Some(1e-5)),
            ("90%", Some(0.9)),
            ("eight", None),
            ("1h", None),
            ("512x", None),
            ("", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }
}
