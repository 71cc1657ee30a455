//! Reads a part of a resolved config again as a config of its own, as the launcher writes it to a file for a process. Values that are unchanged
//! since they were read have been checked already; only values that prime-rl created are compared with their types again, and the checks of the
//! tables around them run again.

use cfg_compose::{Table, Value};
use cfg_diag::Location;
use cfg_schema::{FieldType, Node, TypeKind};

use super::{Walker, scalar::is_within};
use crate::{
    Field, Fields, Resolved, ResolvedTable, ResolvedValue,
    before::{self, Class},
    coerce,
    dump::is_null_a_text,
    launcher::{self, is_given},
    loc::LocSegment,
    written::{Defaults, Writing, entry, field_node, write},
};

impl Walker<'_> {
    /// Resolves `table` again as a table of the class at `node`. `place` is its location in the file, if it is written in one.
    pub(crate) fn again(&mut self, table: &ResolvedTable, node: Node, place: Option<Location>) -> ResolvedTable {
        let point = self.schema.point;
        let how = Writing { point, nulls: launcher::nulls(point), defaults: Defaults::LeftOut };
        let Some(owner) = node.at(point) else { return ResolvedTable::new(node) };
        let class = Class { node, point };
        let validators = before::validators(class, owner);
        // Some validators depend on the whole raw table, and those of the project's own prime-rl may.
        if !validators.are_of_entries || validators.narrow || !table.extra.is_empty() || self.names.has_own() {
            return self.table(write(table, how), node, place);
        }
        let start = self.diagnostics.len();
        let mut resolved = ResolvedTable { fields: Fields::with_capacity(table.fields.len()), ..ResolvedTable::new(node) };
        for field in &table.fields {
            let Some(interval) = field.node.at(point) else { continue };
            if interval.is_hidden() {
                continue;
            }
            if field.is_set && is_given(&field.resolved) {
                resolved.fields.push(field.clone());
                continue;
            }
            let (ty, origin) = (interval.field_type(), field.resolved.origin);
            if is_of_type(&field.resolved.value, ty) {
                resolved.fields.push(Field { is_set: true, ..field.clone() });
                continue;
            }
            let Some(name) = field.node.field_name() else { continue };
            let again = match &field.resolved.value {
                // A check may have put a table of another class there.
                ResolvedValue::Table(below)
                    if matches!(ty.kind(), TypeKind::Table(_))
                        && ty.functions().len() == 0
                        && below.node.has_fields_of(field.node) =>
                {
                    self.path.push(LocSegment::of_field(name));
                    let below = self.again(below, field.node, origin.place());
                    Resolved { value: below.into(), origin }
                }
                _ => {
                    let is_text = matches!(field.resolved.value, ResolvedValue::Null) && is_null_a_text(table.node, name, point);
                    let how = if is_text { Writing { nulls: crate::Nulls::AsText, ..how } } else { how };
                    let Some(mut raw) = field_node(&field.resolved, field.is_set || is_text, how) else { continue };
                    // Those of entries change only strings and tables.
                    if !validators.is_empty() && matches!(raw.value, Value::Str(_) | Value::Table(_)) {
                        let mut alone = Table::default();
                        alone.insert(entry(name, raw));
                        validators.run(class, &mut alone, |_| None);
                        let Some(changed) = alone.remove(name) else { continue };
                        raw = changed.node;
                    }
                    self.path.push(LocSegment::of_field(name));
                    self.value(raw, ty, Some(field.node), interval.default_variant()).resolved
                }
            };
            self.path.pop();
            resolved.fields.push(Field { node: field.node, resolved: again, is_set: true });
        }
        for (field, interval) in node.required(point) {
            if !resolved.fields.has(field) {
                self.missing(field, interval, place);
            }
        }
        resolved.is_valid = self.errors_since(start) == 0;
        resolved.is_valid = self.run_after_validators(node, owner, &mut resolved, place);
        resolved
    }
}

/// Whether a value is certainly read as it is, in any table.
fn is_of_type(value: &ResolvedValue, ty: FieldType) -> bool {
    let is_same = match (value, ty.kind()) {
        (ResolvedValue::Bool(_), TypeKind::Bool) => true,
        (ResolvedValue::Int(integer), TypeKind::Int) => is_within(coerce::as_double(integer), ty),
        (ResolvedValue::Float(float), TypeKind::Float) => is_within(*float, ty),
        (ResolvedValue::Str(text), TypeKind::Str) => &**text != "None" && !ty.is_bounded(),
        (ResolvedValue::Str(text), TypeKind::Literal) => &**text != "None" && ty.literals().any(|literal| *literal == **text),
        _ => false,
    };
    is_same && ty.functions().len() == 0
}
