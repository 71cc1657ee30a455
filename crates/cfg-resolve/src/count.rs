//! How many of prime-rl's own checks apply to a config.

use cfg_schema::{Node, Schema};

use crate::{Names, ResolvedTable, ResolvedValue};

/// The number of checks that apply to the tables of a config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Checks whose code is that of a known commit.
    pub known: usize,
    /// Checks that are run from the source of the project's own prime-rl.
    pub from_source: usize,
}

/// Counts the checks of a resolved config.
pub fn checks(schema: Schema, names: &Names, root: &ResolvedTable) -> Checks {
    let mut counted = Checks::default();
    count(schema, names, root, &mut counted);
    counted
}

fn count(schema: Schema, names: &Names, table: &ResolvedTable, counted: &mut Checks) {
    let validators = table.node.at(schema.point).into_iter().flat_map(cfg_schema::Interval::validators);
    for (mode, name) in validators {
        // A check of single fields counts only if one of these is given.
        if mode.ends_with("field") {
            continue;
        }
        if names.own_code(table.node, name).is_some() {
            counted.from_source += 1;
        } else {
            counted.known += 1;
        }
    }
    for field in &table.fields {
        counted.from_source += names.own_of_field(table.node, field.node).map_or(0, |own| own.checks.len());
        counted.known += attached(field.node, schema);
        within(schema, names, &field.resolved.value, counted);
    }
}

/// The number of checks that the type of a field contains.
fn attached(field: Node, schema: Schema) -> usize {
    field.at(schema.point).map_or(0, |interval| interval.field_type().functions().len())
}

fn within(schema: Schema, names: &Names, value: &ResolvedValue, counted: &mut Checks) {
    match value {
        ResolvedValue::Table(table) => count(schema, names, table, counted),
        ResolvedValue::List(items) => items.iter().for_each(|item| within(schema, names, &item.value, counted)),
        ResolvedValue::Map(entries) => entries.iter().for_each(|(_, entry)| within(schema, names, &entry.value, counted)),
        _ => {}
    }
}
