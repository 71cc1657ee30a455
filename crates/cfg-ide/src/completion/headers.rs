//! Tables that a header can open.

use cfg_diag::Span;
use cfg_schema::{FieldType, TypeKind, interval_in_words};

use super::{Item, ItemKind, Next};
use crate::{
    Analysis,
    intended_path::IntendedPath,
    place::{self, PathSegment},
};

pub(super) fn complete(analysis: &Analysis, path: &[PathSegment], span: Span, array: bool) -> Vec<Item> {
    let meant = IntendedPath::at(analysis, path);
    let (schema, meant_path) = (meant.schema, &*meant.path);
    let written = place::table(&analysis.document.root, path);
    let rest = analysis.text[span.end as usize..].lines().next().unwrap_or_default();
    let is_closed = rest.contains(']');
    let mut items = Vec::new();
    for table in place::tables(schema, &analysis.document.root, meant_path) {
        for (node, interval) in table.fields(schema.point) {
            let Some(name) = node.field_name() else { continue };
            let name = interval.aliases().next().unwrap_or(name);
            let ty = interval.field_type();
            let fits = if array { is_list_of_tables(ty) } else { is_table(ty) || is_list_of_tables(ty) };
            // A table that already has a header can't be opened again; one that is only part of longer names can.
            let has_header = written.and_then(|table| table.get(name)).is_some_and(|entry| {
                entry.value.span.end < span.start
                    && matches!(&entry.value.kind, cfg_syntax::ValueKind::Table(table) if table.style == cfg_syntax::TableStyle::Header)
                    && !has_tables(ty)
            });
            if !fits || has_header || items.iter().any(|item: &Item| item.label == name) {
                continue;
            }
            let close = match (is_closed, array) {
                (true, _) => "",
                (false, false) => "]",
                (false, true) => "]]",
            };
            items.push(Item {
                label: name.to_owned(),
                kind: ItemKind::Table,
                detail: interval_in_words(interval),
                documentation: analysis.documentation(node),
                span,
                insert: format!("{name}{close}"),
                cursor: None,
                next: Next::Nothing,
                rank: u8::from(!interval.is_required()),
            });
        }
    }
    meant.mark(&mut items);
    items
}

fn is_table(ty: FieldType) -> bool {
    let of_union = || ty.kind() == TypeKind::Union && ty.members().any(is_table);
    matches!(ty.kind(), TypeKind::Table(_) | TypeKind::Dict) || ty.discriminator().is_some() || of_union()
}

fn is_list_of_tables(ty: FieldType) -> bool {
    ty.kind() == TypeKind::List && ty.members().next().is_some_and(is_table)
}

/// Whether there may be tables below, so that the name is needed on the way to them.
fn has_tables(ty: FieldType) -> bool {
    matches!(ty.kind(), TypeKind::Table(_)) || ty.discriminator().is_some()
}
