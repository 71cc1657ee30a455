//! Keys that a table can have and does not have yet.

use cfg_diag::Span;
use cfg_schema::{Discriminator, FieldType, History, Interval, Node, Point, Segment, TypeKind, interval_in_words};
use cfg_syntax::ValueKind;

use super::{Behind, Item, ItemKind, free, headers, known, usage, values};
use crate::{
    Analysis,
    intended_path::IntendedPath,
    memory,
    place::{self, PathSegment, Tagged, dotted},
};

pub(super) fn complete(analysis: &Analysis, path: &[PathSegment], span: Span, behind: Behind, is_inline: bool) -> Vec<Item> {
    let meant = IntendedPath::at(analysis, path);
    let (schema, meant_path) = (meant.schema, &*meant.path);
    let written = place::table(&analysis.document.root, path);
    // The key under the cursor exists only because it is being typed.
    let is_set = |name: &str| {
        let entry = written.and_then(|table| table.get(name));
        entry.is_some_and(|entry| !entry.key.span.touches(span.end) || !matches!(entry.value.kind, ValueKind::Missing))
    };
    let can_open_header = !is_inline && headers::can_open(analysis, path, span);
    let has_value = behind == Behind::Value;
    let rest = super::rest_of_line(&analysis.text, span.end);
    let holds_table = rest.trim_start_matches('=').trim_start().starts_with('{');
    let mut items = Vec::new();
    let unions = place::unions(schema, &analysis.document.root, meant_path);
    for table in place::tables(schema, &analysis.document.root, meant_path) {
        if let Some(key) = tag_key(table)
            && !is_set(key)
            && let Some(ty) = place::types(schema, &analysis.document.root, meant_path).last()
        {
            items.push(tag(key, *ty, span, has_value));
        }
        for (node, interval) in table.fields(schema.point) {
            let Some(name) = node.field_name() else { continue };
            let written_as = interval.aliases().next().unwrap_or(name);
            if is_set(name) || interval.aliases().any(&is_set) || items.iter().any(|item: &Item| item.label == written_as) {
                continue;
            }
            let mut item = key(analysis, path, written_as, node, interval, Typed { span, can_open_header, has_value });
            if let Some(union) = unions.iter().find(|union| tag_of(union.ty) == Some(name)) {
                item.detail = variants(*union, schema.point);
                // Without a default, a table must say which it is.
                item.rank = if union.default_variant.is_none() { 0 } else { item.rank };
            }
            // A value that is no table is seldom meant for one, and only a table has keys.
            if has_value && item.kind == ItemKind::Table && !holds_table && !rest.starts_with('.') {
                item.rank += 2;
            } else if item.kind != ItemKind::Table && rest.starts_with('.') {
                continue;
            }
            items.push(item);
        }
    }
    meant.mark(&mut items);
    items.extend(known::keys(analysis, path, written, span, has_value));
    for item in free::keys(analysis, path, written, span, has_value) {
        if !items.iter().any(|own| own.label == item.label) {
            items.push(item);
        }
    }
    items
}

/// The key that selects the variant of a table.
fn tag_of(ty: FieldType) -> Option<&'static str> {
    match ty.discriminator()? {
        Discriminator::Key(key) => Some(key),
        Discriminator::TypeOrDefault => Some("type"),
    }
}

/// The variants in a line, the default first.
fn variants(union: Tagged, point: Point) -> String {
    let tags = union.node.variants(point).filter_map(|variant| match variant.segment() {
        Segment::Variant(tag) => Some(tag),
        _ => None,
    });
    let (default, others): (Vec<&str>, Vec<&str>) = tags.partition(|tag| union.default_variant == Some(*tag));
    let default = default.into_iter().map(|tag| format!("\"{tag}\" (the default)"));
    let tags: Vec<String> = default.chain(others.into_iter().map(|tag| format!("\"{tag}\""))).collect();
    format!("which variant this table is: {}", tags.join(", "))
}

/// The key whose value selects the variant of a table.
fn tag_key(table: Node) -> Option<&'static str> {
    if let Segment::Variant(_) = table.segment() { Some("type").filter(|key| table.field(key).is_none()) } else { None }
}

fn tag(key: &str, ty: FieldType, span: Span, has_value: bool) -> Item {
    let key = if let Some(Discriminator::Key(own)) = ty.discriminator() { own } else { key };
    let insert = if has_value { key.to_owned() } else { format!("{key} = ") };
    Item { detail: "which variant this table is".to_owned(), rank: 0, ..Item::new(ItemKind::Key, key, span, insert) }
}

/// What is written where a key is completed.
#[derive(Clone, Copy)]
struct Typed {
    /// The word that the key replaces.
    span: Span,
    /// Whether a table may have a header of its own here.
    can_open_header: bool,
    /// Whether a value follows already.
    has_value: bool,
}

fn key(analysis: &Analysis, path: &[PathSegment], name: &str, node: Node, interval: Interval, typed: Typed) -> Item {
    let Typed { span, can_open_header, has_value } = typed;
    let ty = interval.field_type();
    let is_table = matches!(ty.kind(), TypeKind::Table(_) | TypeKind::Dict) || ty.discriminator().is_some();
    let is_list_of_tables = ty.kind() == TypeKind::List
        && ty.members().next().is_some_and(|item| matches!(item.kind(), TypeKind::Table(_)) || item.discriminator().is_some());
    let above = dotted(path);
    let full = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
    let (insert, cursor) = if has_value {
        (name.to_owned(), None)
    } else if is_list_of_tables && can_open_header && !headers::splits_array(&analysis.document, &full, span.end) {
        (format!("[[{full}]]\n"), None)
    } else if is_table && can_open_header {
        (format!("[{full}]\n"), None)
    } else if is_table {
        (format!("{name} = {{  }}"), Some(name.len() + 5))
    } else if ty.kind() == TypeKind::List && !interval.default_json().is_some_and(values::is_short_array) {
        (format!("{name} = []"), Some(name.len() + 4))
    } else if matches!(ty.kind(), TypeKind::Str | TypeKind::Path) {
        (format!("{name} = \"\""), Some(name.len() + 4))
    } else {
        (format!("{name} = "), None)
    };
    let kind = if is_table || is_list_of_tables { ItemKind::Table } else { ItemKind::Key };
    let uses = usage::of_key(analysis.schema().kind, &full);
    // After a header, no more keys of the item around it can be written.
    let ends_item = insert.starts_with('[') && matches!(path.last(), Some(PathSegment::Index(_)));
    Item {
        detail: interval_in_words(interval),
        documentation: analysis.documentation(node),
        cost: memory::cost(analysis, &full),
        since: since(analysis.history(), node),
        cursor,
        // The keys that configs have come before those that none has.
        rank: u8::from(ends_item)
            + if interval.is_required() { 0 } else { 1 + u8::from(uses == 0) + u8::from(uses == 0 && kind == ItemKind::Table) },
        // Of those that no config has, first what a table of this name has elsewhere.
        uses: if uses == 0 { usage::of_name(&full) } else { uses },
        ..Item::new(kind, name, span, insert)
    }
}

/// The release that first had a field.
pub(super) fn since(history: History, node: Node) -> Option<String> {
    let first = node.intervals().next()?.since();
    (first != Point(0)).then(|| history.first_release_with(first).map(|release| release.name().to_owned()))?
}

#[cfg(test)]
mod tests {
    use cfg_check::Project;
    use cfg_schema::ExtraType;

    use crate::{Item, complete, testing::within};

    /// The completions at `^` in a fork whose trainer has keys that prime-rl does not have.
    fn offered(text: &str) -> Vec<Item> {
        let extend = vec![
            ("trainer.sparse_adam".to_owned(), ExtraType::Bool),
            ("trainer.schedule".to_owned(), ExtraType::Literal(vec!["wsd".to_owned(), "cosine".to_owned()])),
        ];
        let offset = text.find('^').expect("a cursor");
        let analysis = within(Project { extend, ..Project::default() }, &text.replacen('^', "", 1));
        complete(&analysis, offset as u32)
    }

    #[test]
    fn declared_keys_of_a_fork_are_offered_as_its_own() {
        let keys = offered("[orchestrator]\n[trainer]\n^\n");
        let declared = keys.iter().find(|item| item.label == "sparse_adam").expect("it is offered");
        assert!(declared.detail.contains("true or false"), "{}", declared.detail);
        assert!(keys.iter().any(|item| item.label == "max_steps"), "beside those of prime-rl");
        let set = offered("[orchestrator]\n[trainer]\nsparse_adam = true\n^\n");
        assert!(set.iter().all(|item| item.label != "sparse_adam"));
        let values: Vec<String> =
            offered("[orchestrator]\n[trainer]\nschedule = ^\n").into_iter().map(|item| item.label).collect();
        assert_eq!(values, ["\"cosine\"", "\"wsd\""]);
    }

    #[test]
    fn an_array_begins_with_its_default_if_that_is_short() {
        let inserted = |text: &str, label: &str| {
            let text = format!("# /// config\n# prime_rl = \"0.8.0\"\n# ///\n[trainer]\n{text}");
            let items = offered(&text);
            let item = items.iter().find(|item| item.label == label).expect("it is offered");
            item.insert.clone()
        };
        let url = inserted("[orchestrator.model.client]\nbase^\n", "base_url");
        assert_eq!(url, "base_url = [\"http://localhost:8000/v1\"]");
        assert_eq!(
            inserted("[orchestrator.model.client]\nbase_url = ^\n", "[\"http://localhost:8000/v1\"]"),
            "[\"http://localhost:8000/v1\"]"
        );
        assert_eq!(inserted("[trainer.model.lora]\ntarg^\n", "target_modules"), "target_modules = []");
    }
}
