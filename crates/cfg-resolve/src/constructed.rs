//! The second validation by tyro: it takes a valid config apart and constructs each of its tables again, the inner ones first, with all fields given.
//!
//! So each check runs again, on what the checks of the first time have set: those of an inner table twice, since pydantic repeats them for an instance
//! that is a field of the next table. And each assigned value is compared with its type.

use cfg_compose::{Origin, Table, Tree};
use cfg_diag::{Diagnostic, LocPart, Native, codes};
use cfg_schema::{FieldType, Node, Schema, TypeKind};

use crate::{Field, Names, Nulls, Resolved, ResolvedTable, ResolvedValue, walk::resolve_constructed, written};

/// Constructs a resolved config again, with the values of `arguments` in place of its own. Returns its values and the findings of this second time.
/// `resolved` is without errors.
pub fn construct(schema: Schema, names: &Names, resolved: &ResolvedTable, arguments: Table) -> (ResolvedTable, Vec<Diagnostic>) {
    let mut root = written(resolved, schema.point, Nulls::Kept);
    root.lay_over(arguments);
    let (mut constructed, mut found) = resolve_constructed(schema, names, Tree { root });
    let is_wrong_value = |native: &Native| match native.loc.first() {
        Some(LocPart::Key(key)) if native.check.is_none() => {
            let field = schema.root().field_for_key(key, schema.point);
            field.is_none_or(|(_, interval)| holds_tables(interval.field_type()))
        }
        _ => false,
    };
    for refusal in &mut found {
        if refusal.native.as_ref().is_some_and(is_wrong_value) {
            end_in_tyro(std::slice::from_mut(refusal));
        }
    }
    mask_behind_tyro(&mut found);
    for refusal in found.iter_mut().filter(|found| found.native.is_some()) {
        let why = "this prime-rl validates a config twice, the second time with what its checks have set";
        refusal.help = Some(refusal.help.take().map_or_else(|| why.to_owned(), |help| format!("{help}; {why}")));
    }
    drop_defaults(&mut constructed, resolved);
    (constructed, found)
}

/// The defaults of a config to which nobody gave a value: tyro constructs it from them, without a first validation. `None` for another config.
pub fn defaults_alone(schema: Schema, tree: &Tree) -> Option<ResolvedTable> {
    fn all(node: Node, given: &Table, schema: Schema) -> Option<ResolvedTable> {
        let mut table = ResolvedTable::new(node);
        for entry in given.entries().iter().filter(|entry| entry.key_origin.place().is_none()) {
            let (field, inner) = (node.field(&entry.key)?, entry.node.value.as_table()?);
            let resolved = Resolved { value: all(field, inner, schema)?.into(), origin: Origin::Default };
            table.fields.push(Field { node: field, resolved, is_set: false });
        }
        let is_given = |field: Node| table.fields.has(field);
        let is_whole =
            table.fields.len() == given.entries().len() && node.required(schema.point).all(|(field, _)| is_given(field));
        is_whole.then_some(table)
    }
    all(schema.root(), &tree.root, schema)
}

/// The exception in which tyro ends while it reports an error in an inner table.
const ENDS_IN: &str = "IndexError";

/// An error in an inner table ends prime-rl: tyro fails while it reports it.
pub(crate) fn end_in_tyro(found: &mut [Diagnostic]) {
    for refusal in found {
        // It catches no other exceptions.
        let is_caught = refusal.code != &codes::LOADING_CRASHES;
        if let Some(native) = refusal.native.as_mut().filter(|native| is_caught && !native.masked) {
            refusal.code = &codes::LOADING_CRASHES;
            native.kind = ENDS_IN.into();
            native.loc.clear();
        }
    }
}

/// All inner tables are constructed before the config: the first that fails is the only error.
fn mask_behind_tyro(found: &mut [Diagnostic]) {
    let ends = |native: &Native| !native.masked && native.kind == ENDS_IN;
    let Some(end) = found.iter().position(|found| found.native.as_ref().is_some_and(ends)) else { return };
    for (index, native) in found.iter_mut().enumerate().filter_map(|(index, found)| Some((index, found.native.as_mut()?))) {
        native.masked |= index != end;
    }
}

/// Whether values of a type are or contain tables of a class, which tyro constructs before the table around them.
fn holds_tables(ty: FieldType) -> bool {
    matches!(ty.kind(), TypeKind::Table(_)) || ty.discriminator().is_some() || ty.members().any(holds_tables)
}

/// Removes the fields that only have their defaults: the checks saw them as given, but nobody gave them.
fn drop_defaults(table: &mut ResolvedTable, first: &ResolvedTable) {
    table.fields.retain(|field| {
        let is_default = is_default(&field.resolved);
        let Some(given) = first.fields.find(field.node) else {
            mark_defaults(&mut field.resolved);
            field.is_set = field.resolved.origin != Origin::Default;
            return !is_default;
        };
        field.is_set = given.is_set || field.resolved.origin != given.resolved.origin;
        match (&mut field.resolved.value, &given.resolved.value) {
            (ResolvedValue::Table(table), ResolvedValue::Table(first)) if table.node == first.node => drop_defaults(table, first),
            _ => mark_defaults(&mut field.resolved),
        }
        true
    });
}

/// Whether a value and all values in it are defaults.
fn is_default(resolved: &Resolved) -> bool {
    resolved.origin == Origin::Default
        && match &resolved.value {
            ResolvedValue::Table(table) => table.extra.is_empty() && table.fields.iter().all(|field| is_default(&field.resolved)),
            ResolvedValue::List(items) => items.iter().all(is_default),
            ResolvedValue::Map(entries) => entries.iter().all(|(_, value)| is_default(value)),
            _ => true,
        }
}

/// Fields with defaults do not count as set.
fn mark_defaults(resolved: &mut Resolved) {
    match &mut resolved.value {
        ResolvedValue::Table(table) => table.fields.iter_mut().for_each(|field| {
            mark_defaults(&mut field.resolved);
            field.is_set = field.resolved.origin != Origin::Default;
        }),
        ResolvedValue::List(items) => items.iter_mut().for_each(mark_defaults),
        ResolvedValue::Map(entries) => entries.iter_mut().for_each(|(_, value)| mark_defaults(value)),
        _ => {}
    }
}
