//! Values that a key can have.

use cfg_diag::{FileId, Span};
use cfg_schema::{Discriminator, FieldType, Schema, Segment, TypeKind};
use cfg_syntax::{Dialect, Table, Value, ValueKind};

use super::{Item, ItemKind, known, usage, written};
use crate::{
    Analysis,
    intended_path::IntendedPath,
    place::{self, PathSegment, dotted},
};

pub(super) fn complete(analysis: &Analysis, path: &[PathSegment], span: Span) -> Vec<Item> {
    let mut items = of_key(analysis, path, span);
    for item in written::complete(analysis, path, span) {
        if !items.iter().any(|other| other.label == item.label) {
            items.push(item);
        }
    }
    if matches!(path.last(), Some(PathSegment::Index(_))) && is_followed(&analysis.text[span.end as usize..]) {
        items.iter_mut().for_each(|item| item.insert.push(','));
    }
    items
}

/// Whether what follows an item of an array is a further item, without a comma between them.
pub(crate) fn is_followed(mut text: &str) -> bool {
    loop {
        text = text.trim_start();
        match text.strip_prefix('#') {
            Some(comment) => text = comment.split_once('\n').map_or("", |(_, below)| below),
            None => return text.starts_with(['"', '\'', '{', '[']) || text.starts_with(|first: char| first.is_ascii_digit()),
        }
    }
}

/// The known values of a key itself.
pub(super) fn of_key(analysis: &Analysis, path: &[PathSegment], span: Span) -> Vec<Item> {
    let root = &analysis.document.root;
    let meant = IntendedPath::at(analysis, path);
    let (schema, own) = (meant.schema, path);
    let path = &*meant.path;
    let mut items = tags(analysis, schema, path, span);
    // Each variant has its own tag as its default, which says nothing about the union.
    if !items.is_empty() {
        in_use(schema, &dotted(path), &[], span, &mut items);
        meant.mark(&mut items);
        return items;
    }
    // The items of an array have the values of its key.
    let key = path.iter().rposition(|step| matches!(step, PathSegment::Key(_))).map_or(path, |last| &path[..=last]);
    let default = place::fields(schema, root, key).first().and_then(|field| field.interval.default_json());
    for ty in place::types(schema, root, path) {
        of_type(ty, span, default, &mut items);
    }
    for item in known::values(analysis, path, span) {
        if !items.iter().any(|other| other.label == item.label) {
            items.push(item);
        }
    }
    if let (Some(PathSegment::Index(_)), Some(default)) = (path.last(), default) {
        items_of(default, root, own, span, &mut items);
    }
    // So is a default array of few items; a longer one is composed of its items.
    if let Some(array) = default.filter(|default| is_short_array(default))
        && !matches!(path.last(), Some(PathSegment::Index(_)))
    {
        items.push(value(array.to_owned(), "the default", ItemKind::Value, span, 0));
    }
    // A default that is a number or a free string is useful too.
    if let Some(default) =
        default.filter(|default| !matches!(*default, "null" | "{}" | "[]" | "\"\"") && !default.starts_with(['{', '[']))
        && !items.iter().any(|item| item.insert == default)
    {
        items.push(value(default.to_owned(), "the default", ItemKind::Value, span, 0));
    }
    // The items that an array has already are no choice for another one.
    let types = if matches!(path.last(), Some(PathSegment::Index(_))) { Vec::new() } else { place::types(schema, root, path) };
    in_use(schema, &dotted(path), &types, span, &mut items);
    known::prefer_current(schema.point, path, &mut items);
    meant.mark(&mut items);
    items
}

/// Counts in how many configs the key has each of the values, and adds further ones that configs give a key with a free string or number.
fn in_use(schema: Schema, key: &str, types: &[FieldType], span: Span, items: &mut Vec<Item>) {
    for (text, uses) in usage::values(schema.kind, key) {
        match items.iter_mut().find(|item| item.insert == text) {
            Some(item) => item.uses = item.uses.max(uses),
            None if types.iter().any(|ty| takes(*ty, text)) => {
                items.push(Item { uses, ..value(text.to_owned(), "in other configs", ItemKind::Value, span, 1) });
            }
            None => {}
        }
    }
}

/// Whether a type accepts a string or a number, apart from its bounds.
fn takes(ty: FieldType, text: &str) -> bool {
    match ty.kind() {
        TypeKind::Str => text.starts_with('"'),
        TypeKind::Int => text.parse::<i64>().is_ok(),
        TypeKind::Float => text.parse::<f64>().is_ok(),
        TypeKind::Union if ty.discriminator().is_none() => ty.members().any(|member| takes(member, text)),
        _ => false,
    }
}

/// Whether a key accepts only the values of [`of_key`].
pub(super) fn are_all(analysis: &Analysis, path: &[PathSegment]) -> bool {
    let (root, meant) = (&analysis.document.root, IntendedPath::at(analysis, path));
    let types = place::types(meant.schema, root, &meant.path);
    let all_fixed = !types.is_empty() && types.into_iter().all(is_fixed);
    all_fixed || !tags(analysis, meant.schema, &meant.path, Span::default()).is_empty() || known::are_all(analysis, path)
}

/// Whether a type has a fixed set of named values.
fn is_fixed(ty: FieldType) -> bool {
    match ty.kind() {
        TypeKind::Literal | TypeKind::Bool => true,
        TypeKind::Union => ty.discriminator().is_none() && ty.members().all(is_fixed),
        _ => false,
    }
}

/// Whether a default, as JSON, is an array of at most two strings and numbers, which are written alike in TOML.
pub(super) fn is_short_array(default: &str) -> bool {
    let is_flat = default.starts_with('[') && default != "[]" && !default[1..].contains(['[', '{']);
    is_flat && !default.contains("null") && array_of(default).is_some_and(|(_, items)| items.len() <= 2)
}

/// An array of strings and numbers, which has the same form in JSON and in TOML, as the text of a document and its items.
fn array_of(json: &str) -> Option<(String, Vec<Value>)> {
    let text = format!("x = {json}");
    let (document, _) = cfg_syntax::parse(FileId(0), &text, Dialect::Toml11);
    let Some(ValueKind::Array(items)) = document.root.get("x").map(|entry| &entry.value.kind) else { return None };
    let items = items.clone();
    Some((text, items))
}

/// The items of a default that are not in the array yet.
fn items_of(default: &str, root: &Table, path: &[PathSegment], span: Span, items: &mut Vec<Item>) {
    let Some((_, array)) = path.split_last() else { return };
    let has = match place::value(root, array).map(|value| &value.kind) {
        Some(ValueKind::Array(own)) => own.iter().filter(|item| !item.span.touches(span.start)).map(|item| &item.kind).collect(),
        _ => Vec::new(),
    };
    let Some((text, all)) = array_of(default) else { return };
    let free = all.iter().zip(1..).filter(|(item, _)| !matches!(item.kind, ValueKind::Invalid) && !has.contains(&&item.kind));
    for (item, number) in free {
        let item = value(text[item.span.range()].to_owned(), "in the default", ItemKind::Value, span, 1);
        // In the order of the default.
        items.push(Item { uses: u16::MAX - number, ..item });
    }
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
        TypeKind::Dict | TypeKind::Table(_) => items.push(inline_table(span)),
        TypeKind::Union if ty.discriminator().is_some() => items.push(inline_table(span)),
        _ => {}
    }
}

fn inline_table(span: Span) -> Item {
    Item { cursor: Some(2), ..value("{  }".to_owned(), "a table", ItemKind::Value, span, 2) }
}

/// The variants, if the value is the tag of the table around it.
fn tags(analysis: &Analysis, schema: Schema, path: &[PathSegment], span: Span) -> Vec<Item> {
    let Some((PathSegment::Key(key), above)) = path.split_last() else { return Vec::new() };
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

pub(super) fn value(text: String, detail: &str, kind: ItemKind, span: Span, rank: u8) -> Item {
    Item { detail: detail.to_owned(), rank, ..Item::new(kind, text.clone(), span, text) }
}

#[cfg(test)]
mod tests {
    use crate::{Item, complete, testing::with_cursor};

    fn offered(text: &str) -> Vec<Item> {
        let (analysis, offset) = with_cursor(text);
        complete(&analysis, offset)
    }

    fn labels(text: &str) -> Vec<String> {
        offered(text).into_iter().map(|item| item.label).collect()
    }

    #[test]
    fn a_misspelt_key_has_the_values_of_the_intended_key() {
        let found = offered("[model]\nnam = \"Qwe^\n[trainer]\n[orchestrator]\n");
        let model = found.iter().find(|item| item.label == "\"Qwen/Qwen3-8B\"").expect("it is offered");
        assert!(model.detail.ends_with("; if `nam` is `name`"), "{}", model.detail);
        let found = labels("[orchestrator]\n[trainer.modle]\nattn = \"^\"\n");
        assert!(found.contains(&"\"flash_attention_2\"".to_owned()), "{found:?}");
    }

    #[test]
    fn a_value_is_set_off_from_an_equals_sign_that_is_set_off_itself() {
        for (written, inserted) in
            [("type =^", " \"linear\""), ("type = ^", "\"linear\""), ("type=^", "\"linear\""), ("type = \"l^", "\"linear\"")]
        {
            let found = offered(&format!("[orchestrator]\n[trainer.scheduler]\n{written}\n"));
            let linear = found.iter().find(|item| item.label == "\"linear\"").expect("it is offered");
            assert_eq!(linear.insert, inserted, "{written}");
        }
    }

    #[test]
    fn what_begins_with_the_typed_text_comes_before_what_has_it_in_its_name() {
        for typed in ["Qw", "qw"] {
            let found = labels(&format!("[model]\nname = \"{typed}^\"\n[trainer]\n[orchestrator]\n"));
            assert!(found[0].starts_with("\"Qwen/"), "{found:?}");
            assert!(found.iter().any(|label| label.starts_with("\"PrimeIntellect/Qwen")), "{found:?}");
        }
    }

    #[test]
    fn arrays_have_their_elements() {
        let text = "[orchestrator]\n[trainer.model.lora]\ntarget_modules = [\"q_proj\", \"^\"]\n";
        let found = labels(text);
        assert!(found.contains(&"\"k_proj\"".to_owned()) && !found.contains(&"\"q_proj\"".to_owned()), "{found:?}");
        let found = labels(&text.replace("target_modules", "target_module"));
        assert!(found.contains(&"\"k_proj\"".to_owned()), "{found:?}");
    }

    #[test]
    fn an_item_before_others_ends_with_a_comma() {
        let lora = |items: &str| offered(&format!("[orchestrator]\n[trainer.model.lora]\ntarget_modules = [{items}]\n"));
        for (items, is_before) in
            [("\n^\n  # as in the paper\n  \"q_proj\",\n", true), ("^, \"q_proj\"", false), ("\"q_proj\",\n^\n# last\n", false)]
        {
            let found = lora(items);
            let item = found.iter().find(|item| item.label == "\"k_proj\"").expect("it is offered");
            assert_eq!(item.insert.ends_with(','), is_before, "{items}");
        }
    }

    #[test]
    fn the_names_in_a_map_are_free_and_its_values_have_keys() {
        let text = "# /// config\n# prime_rl = \"main\"\n# ///\n[trainer]\n[[orchestrator.train.source]]\nenv.taskset.id = \"a\"\n\
                    [orchestrator.train.source.curriculum.gates]\n";
        let found = labels(&format!("{text}^\n"));
        assert!(found.iter().all(|label| label.starts_with('[')), "{found:?}");
        let found = labels(&format!("{text}[orchestrator.train.source.curriculum.gates.easy]\n^\n"));
        assert!(found.contains(&"type".to_owned()), "{found:?}");
        let found = labels(&format!("{text}easy = {{ ^ }}\n"));
        assert!(found.contains(&"type".to_owned()), "{found:?}");
    }

    #[test]
    fn a_table_is_offered_where_one_belongs() {
        assert_eq!(labels("[orchestrator]\n[trainer.model]\nlora = ^\n"), ["{  }"]);
    }
}
