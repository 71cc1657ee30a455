//! Defaults that prime-rl checks like given values (pydantic's `validate_default`): a default that its own type or a check refuses is an error in
//! every config that does not give the key.

use std::collections::BTreeSet;

use cfg_compose::{Entry, Node as RawNode, Origin, Table, Value};
use cfg_diag::Location;
use cfg_schema::Node;

use super::{Walker, of_field::OwnOfField};
use crate::{Resolved, ResolvedTable, ResolvedValue, default::default_of, loc::LocSegment};

impl Walker<'_> {
    /// Compares the defaults of fields that are not given with their types, and runs the checks of these fields over them, if prime-rl does
    /// so. `place` is the location of the table.
    pub(super) fn check_defaults(&mut self, class: Node, table: &mut ResolvedTable, place: Option<Location>) {
        let compared: BTreeSet<&'static str> = self.names.compared_defaults(class).into_iter().collect();
        let own = self.names.own_of_defaults(class);
        let checked = own.iter().filter_map(|(field, _)| field.field_name());
        let fields: BTreeSet<&'static str> = compared.iter().copied().chain(checked).collect();
        for name in fields {
            let Some(field) = class.field(name).filter(|_| table.given(name).is_none()) else { continue };
            let own = own.iter().find(|(other, _)| *other == field).map(|(_, own)| own);
            self.path.push(LocSegment::of_field(name));
            self.check_default(field, own, compared.contains(name), table, place);
            self.path.pop();
        }
    }

    fn check_default(
        &mut self,
        field: Node,
        own: Option<&OwnOfField>,
        is_compared: bool,
        table: &mut ResolvedTable,
        place: Option<Location>,
    ) {
        let checks = || own.into_iter().flat_map(|own| own.checks.iter().map(move |(number, check)| (own, *number, check)));
        for (own, number, check) in checks().filter(|(.., check)| check.is_before) {
            let raw = RawNode { value: self.raw_default(field), origin: Origin::Default };
            let ruling = self.looked_at_before(own, table, number, check, raw).1;
            if !self.ruled(check, ruling, Origin::Default) {
                return;
            }
        }
        // What a check before makes of the default is not compared.
        let is_compared = is_compared && checks().all(|(.., check)| !check.is_before);
        if is_compared && !self.is_default_of_its_type(field, place) {
            return;
        }
        for (own, number, check) in checks().filter(|(.., check)| !check.is_before) {
            let ruling = self.looked_at_after(own, number, check, table);
            if !self.ruled(check, ruling, Origin::Default) {
                return;
            }
        }
    }

    /// Compares the default of a field with its type, and reports what prime-rl says about it.
    fn is_default_of_its_type(&mut self, field: Node, place: Option<Location>) -> bool {
        let Some(interval) = field.at(self.schema.point) else { return true };
        let start = self.diagnostics.len();
        let raw = RawNode { value: self.raw_default(field), origin: Origin::Default };
        let shown = RawNode { value: raw.value.clone(), origin: Origin::Default };
        self.value(raw, interval.field_type(), Some(field), interval.default_variant());
        // Nothing is written that could be left open.
        self.diagnostics.extract_if(start.., |found| found.native.is_none()).for_each(drop);
        self.default_is_refused(start, &shown, interval.field_type(), place);
        self.diagnostics.len() == start
    }

    /// The default of a field as a raw value; unknown if it has a table of a class.
    fn raw_default(&self, field: Node) -> Value {
        let interval = field.at(self.schema.point).filter(|interval| !interval.is_required());
        interval.and_then(|interval| raw(&default_of(field, interval, self.schema.point).value)).unwrap_or(Value::Unknown)
    }
}

fn raw(value: &ResolvedValue) -> Option<Value> {
    let node = |value: &Resolved| Some(RawNode { value: raw(&value.value)?, origin: Origin::Default });
    Some(match value {
        ResolvedValue::Null => Value::Null,
        ResolvedValue::Bool(value) => Value::Bool(*value),
        ResolvedValue::Int(value) => Value::Int(value.clone()),
        ResolvedValue::Float(value) => Value::Float(*value),
        ResolvedValue::Str(text) => Value::Str(text.clone()),
        ResolvedValue::List(items) => Value::List(items.iter().map(node).collect::<Option<_>>()?),
        ResolvedValue::Map(entries) => {
            let mut table = Table::default();
            for (key, value) in entries {
                let entry = Entry { key: key.clone(), written: None, key_origin: Origin::Default, node: node(value)? };
                table.insert(entry);
            }
            Value::Table(table)
        }
        _ => return None,
    })
}
