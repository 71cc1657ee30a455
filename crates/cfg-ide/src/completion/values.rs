//! Values that a key may have.

use cfg_diag::Span;
use cfg_schema::{Discriminator, FieldType, Segment, TypeKind};

use super::{Item, ItemKind, known};
use crate::{
    Analysis,
    place::{self, Step},
};

pub(super) fn complete(analysis: &Analysis, path: &[Step], span: Span) -> Vec<Item> {
    let schema = analysis.schema();
    let root = &analysis.document.root;
    let mut items = tags(analysis, path, span);
    let default = place::fields(schema, root, path).first().and_then(|field| field.interval.default_json());
    for ty in place::types(schema, root, path) {
        of_type(ty, span, default, &mut items);
    }
    for item in known::values(analysis, path, span) {
        if !items.iter().any(|other| other.label == item.label) {
            items.push(item);
        }
    }
    // A default that is a number or a string of free choice is worth offering too.
    if let Some(default) = default.filter(|default| !matches!(*default, "null" | "{}" | "[]") && !default.starts_with(['{', '[']))
        && !items.iter().any(|item| item.insert == default)
    {
        items.push(value(default.to_owned(), "the default", ItemKind::Value, span, 0));
    }
    items
}

fn of_type(ty: FieldType, span: Span, default: Option<&str>, items: &mut Vec<Item>) {
    let rank = |text: &str| u8::from(default != Some(text));
    let detail = |text: &str| if default == Some(text) { "the default" } else { "" };
    match ty.kind() {
        TypeKind::Literal => {
            for literal in ty.literals() {
                let text = quoted(literal);
                items.push(value(text.clone(), detail(&text), ItemKind::Value, span, rank(&text)));
            }
        }
        TypeKind::Bool => {
            for text in ["true", "false"] {
                items.push(value(text.to_owned(), detail(text), ItemKind::Value, span, rank(text)));
            }
        }
        TypeKind::Union if ty.discriminator().is_none() => ty.members().for_each(|member| of_type(member, span, default, items)),
        TypeKind::List => items.push(Item { cursor: Some(1), ..value("[]".to_owned(), "an array", ItemKind::Value, span, 2) }),
        _ => {}
    }
}

/// The variants, where the value is the tag of the table around it.
fn tags(analysis: &Analysis, path: &[Step], span: Span) -> Vec<Item> {
    let schema = analysis.schema();
    let Some((Step::Key(key), above)) = path.split_last() else { return Vec::new() };
    let mut items = Vec::new();
    for field in place::unions(schema, &analysis.document.root, above) {
        let is_tag = match field.ty.discriminator() {
            Some(Discriminator::Key(own)) => own == &**key,
            Some(Discriminator::TypeOrDefault) => &**key == "type",
            None => false,
        };
        if !is_tag {
            continue;
        }
        for variant in field.node.variants(schema.point) {
            if let Segment::Variant(tag) = variant.segment() {
                let is_default = field.default_variant == Some(tag);
                let detail = if is_default { "the default" } else { "" };
                items.push(Item {
                    documentation: analysis.documentation(variant),
                    ..value(quoted(tag), detail, ItemKind::Variant, span, u8::from(!is_default))
                });
            }
        }
    }
    items
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn value(text: String, detail: &str, kind: ItemKind, span: Span, rank: u8) -> Item {
    Item { label: text.clone(), kind, detail: detail.to_owned(), documentation: None, span, insert: text, cursor: None, rank }
}
