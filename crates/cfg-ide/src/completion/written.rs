//! Values that the same key has elsewhere: in other tables of an array, and in the other files of the config.

use cfg_diag::Span;
use cfg_syntax::{Table, Value, ValueKind};

use super::{Item, ItemKind};
use crate::{
    Analysis,
    place::{self, PathSegment, dotted},
};

/// The limit of values that are offered.
const MAX_VALUES: usize = 20;

/// The values of a key elsewhere, without duplicates.
pub(super) fn complete(analysis: &Analysis, path: &[PathSegment], span: Span) -> Vec<Item> {
    let wanted = dotted(path);
    let mut items: Vec<Item> = Vec::new();
    let add = |text: &str, detail: &str, items: &mut Vec<Item>| {
        if items.len() < MAX_VALUES && items.iter().all(|item| item.label != text) {
            items.push(Item { detail: detail.to_owned(), rank: 3, ..Item::new(ItemKind::Value, text, span, text) });
        }
    };
    for part in &analysis.parts {
        let name = part.path.rsplit(['/', '\\']).next().unwrap_or_default();
        each(&part.document().root, &wanted, &mut |value| add(&part.text[value.span.range()], &format!("in {name}"), &mut items));
    }
    // The items of an array are not a choice for another item of it.
    let own = match path.split_last() {
        Some((PathSegment::Index(_), array)) => place::value(&analysis.document.root, array).map(|array| array.span),
        _ => None,
    };
    let own = own.unwrap_or(span);
    each(&analysis.document.root, &wanted, &mut |value| {
        let is_own = own.start <= value.span.start && value.span.end <= own.end;
        if !is_own && !value.span.touches(span.start) {
            add(&analysis.text[value.span.range()], "elsewhere in this file", &mut items);
        }
    });
    items
}

/// Calls `found` for every plain value, also in arrays, whose dotted key is `wanted`.
fn each(table: &Table, wanted: &str, found: &mut dyn FnMut(&Value)) {
    for entry in &table.entries {
        let Some(rest) = wanted.strip_prefix(&*entry.key.text) else { continue };
        match rest.strip_prefix('.') {
            Some(below) => below_of(&entry.value, below, found),
            None if rest.is_empty() => plain(&entry.value, found),
            None => {}
        }
    }
}

fn below_of(value: &Value, wanted: &str, found: &mut dyn FnMut(&Value)) {
    match &value.kind {
        ValueKind::Table(table) => each(table, wanted, found),
        ValueKind::Array(items) => items.iter().for_each(|item| below_of(item, wanted, found)),
        _ => {}
    }
}

fn plain(value: &Value, found: &mut dyn FnMut(&Value)) {
    match &value.kind {
        ValueKind::Array(items) => items.iter().for_each(|item| plain(item, found)),
        ValueKind::Table(_) | ValueKind::Missing | ValueKind::Invalid => {}
        _ => found(value),
    }
}

#[cfg(test)]
mod tests {
    use crate::{complete, testing::with_cursor};

    #[test]
    fn keys_of_sibling_tables_are_offered() {
        let text = "[trainer]\n[orchestrator]\n[[orchestrator.train.source]]\nenv.args.level = \"hard\"\n\
                    [[orchestrator.train.source]]\nenv.args.level = \"^\"\n";
        let (analysis, offset) = with_cursor(text);
        let found: Vec<String> = complete(&analysis, offset).into_iter().map(|item| item.label).collect();
        assert_eq!(found, ["\"hard\""]);
    }
}
