//! prime-rl's own loader renames aliases before any validator runs: each becomes the first of the keys that its field accepts. If a field has several keys, the
//! last written value replaces the others, at the place of the first. Arrays are not searched.

use cfg_compose::Table;
use cfg_schema::{Behaviour, Discriminator, FieldType, Node, Point, Schema, TypeKind};

/// Renames the aliases of a whole config.
pub(crate) fn run(schema: Schema, root: &mut Table) {
    // The loaders before it rename none.
    if schema.point.has(Behaviour::LeftTyro) || schema.point.has(Behaviour::OnePassIsRecorded) {
        table(schema.point, schema.root(), root);
    }
}

fn table(point: Point, class: Node, table: &mut Table) {
    let mut has_alias = false;
    for (key, node) in table.nodes_mut() {
        let Some((field, interval)) = class.field_for_key(key, point) else { continue };
        has_alias |= interval.aliases().next().is_some_and(|first| first != key);
        if let Some(inner) = node.value.as_table_mut() {
            below(point, field, interval.field_type(), inner);
        }
    }
    if has_alias {
        for entry in std::mem::take(table).into_entries() {
            let first = class.field_for_key(&entry.key, point).and_then(|(_, interval)| interval.aliases().next());
            table.insert(match first {
                Some(first) => entry.renamed(first),
                None => entry,
            });
        }
    }
}

/// The table of a field.
fn below(point: Point, field: Node, ty: FieldType, inner: &mut Table) {
    let enters_all = point.has(Behaviour::AliasesCollapseInVariants) || point.has(Behaviour::OnePassIsRecorded);
    match (ty.kind(), ty.discriminator()) {
        (TypeKind::Table(_), _) if enters_all || !ty.is_nullable() => table(point, field, inner),
        (TypeKind::Union, Some(Discriminator::Key(tag))) if enters_all => {
            let tag = inner.get(tag).and_then(|entry| entry.node.value.as_str());
            match tag.and_then(|tag| field.variant(tag)).filter(|variant| variant.at(point).is_some()) {
                Some(variant) => table(point, variant, inner),
                // The variant is not known: the aliases of each are renamed.
                None => field.variants(point).for_each(|variant| table(point, variant, inner)),
            }
        }
        (TypeKind::Union, None) if enters_all => {
            field.classes().filter(|class| class.at(point).is_some()).for_each(|class| table(point, class, inner));
        }
        _ => {}
    }
}
