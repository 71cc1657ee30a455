//! Checks of single fields that are run from the source of the project's own prime-rl.

use std::sync::Arc;

use cfg_compose::{Node as RawNode, Origin, Table, Value};
use cfg_diag::{Diagnostic, Native, codes};
use cfg_schema::{CheckCode, FieldCheck, Interval, Node, Raised, Reason, Ruling, TypeKind};

use super::{Outcome, Walker};
use crate::{
    Field, ResolvedTable, ResolvedValue, before,
    native::{RunState, ValidatorCtx},
};

/// The checks of one field that are run from their source, with their code.
pub(crate) struct OwnOfField {
    pub(crate) code: Arc<dyn CheckCode>,
    /// The checks, each with its index among those of its class.
    pub(crate) checks: Vec<(usize, FieldCheck)>,
}

impl Walker<'_> {
    /// Resolves the value of a field, after the fields before it.
    pub(super) fn field_value(&mut self, table: &mut ResolvedTable, field: Node, interval: Interval, raw: RawNode) -> Outcome {
        // An error in a table is reported by its class.
        if !matches!((interval.field_type().kind(), &raw.value), (TypeKind::Table(_), Value::Table(_))) {
            self.left_to_declaration(field, raw.origin.place());
        }
        let value = |walker: &mut Self, raw| walker.value(raw, interval.field_type(), Some(field), interval.default_variant());
        let own = if self.names.has_own() { self.names.own_of_field(table.node, field) } else { None };
        match own {
            Some(own) => self.checked_value(&own, table, field, raw, value),
            None => value(self, raw),
        }
    }

    /// Resolves a value with the field checks that run before and after `value`, which compares it with its type.
    fn checked_value(
        &mut self,
        own: &OwnOfField,
        table: &mut ResolvedTable,
        field: Node,
        mut raw: RawNode,
        value: impl FnOnce(&mut Self, RawNode) -> Outcome,
    ) -> Outcome {
        let start = self.diagnostics.len();
        for (number, check) in own.checks.iter().filter(|(_, check)| check.is_before) {
            let (origin, was_known) = (raw.origin, !matches!(raw.value, Value::Unknown));
            let (made, ruling) = self.looked_at_before(own, table, *number, check, raw);
            raw = made;
            if !self.ruled(check, ruling, origin) {
                return Outcome::invalid(origin);
            }
            if was_known && matches!(raw.value, Value::Unknown) {
                return Outcome::invalid(origin);
            }
        }
        let outcome = value(self, raw);
        if self.errors_since(start) > 0 {
            return outcome;
        }
        let after = own.checks.iter().filter(|(_, check)| !check.is_before);
        let Outcome { resolved, exactness } = outcome;
        table.fields.push(Field { node: field, resolved, is_set: true });
        let mut refused = None;
        for (number, check) in after {
            let origin = table.fields.last().map_or(Origin::Default, |field| field.resolved.origin);
            let ruling = self.looked_at_after(own, *number, check, table);
            if !self.ruled(check, ruling, origin) {
                refused = Some(origin);
                break;
            }
        }
        let made = table.fields.pop().map(|field| field.resolved);
        match refused {
            Some(origin) => Outcome::invalid(origin),
            None => Outcome { resolved: made.unwrap_or_else(|| ResolvedValue::Invalid.into()), exactness },
        }
    }

    /// Runs a check over a raw value, before the value is compared with its type. Returns the resulting value and the ruling.
    pub(super) fn looked_at_before(
        &self,
        own: &OwnOfField,
        others: &mut ResolvedTable,
        number: usize,
        check: &FieldCheck,
        raw: RawNode,
    ) -> (RawNode, Ruling) {
        let class = others.node;
        let (name, origin) = (self.static_name(class, check), raw.origin);
        let mut table = Table::default();
        table.insert(before::own::entry(&check.field, raw, name));
        let state = RunState::new(self.names.open());
        let mut others = ValidatorCtx::new(self.schema, others, name, &state, None);
        let (ruling, is_known) = before::own::run_of_field(&*own.code, class, number, name, &mut table, &mut others);
        let node = table.remove(&check.field).map(|entry| entry.node).filter(|_| is_known);
        (node.unwrap_or(RawNode { value: Value::Unknown, origin }), ruling)
    }

    pub(super) fn looked_at_after(
        &self,
        own: &OwnOfField,
        number: usize,
        check: &FieldCheck,
        table: &mut ResolvedTable,
    ) -> Ruling {
        let class = table.node;
        let state = RunState::new(self.names.open());
        own.code.run_of_field(
            class,
            number,
            &mut ValidatorCtx::new(self.schema, table, self.static_name(class, check), &state, None),
        )
    }

    /// The name of a check, as the history has it.
    fn static_name(&self, class: Node, check: &FieldCheck) -> &'static str {
        let mut listed = class.at(self.schema.point).into_iter().flat_map(Interval::validators);
        let named = listed.find_map(|(_, listed)| listed.split('(').next().filter(|name| *name == check.own.name));
        named.unwrap_or("a check of the field")
    }

    /// Reports the result of a check; returns whether the value may still be valid.
    pub(super) fn ruled(&mut self, check: &FieldCheck, ruling: Ruling, origin: Origin) -> bool {
        match ruling {
            Ruling::Accepts => true,
            Ruling::Open(open) => {
                if open.reason != Reason::Fault {
                    let diagnostic = self.left_open(&check.own.name, &check.own.place, &open, origin.place());
                    self.diagnostics.push(diagnostic);
                }
                true
            }
            Ruling::Refuses(raised) => {
                let diagnostic = self.refused_by_field(check, raised, origin);
                self.diagnostics.push(diagnostic);
                false
            }
        }
    }

    fn refused_by_field(&self, check: &FieldCheck, raised: Raised, origin: Origin) -> Diagnostic {
        let failure = crate::native::own_failure(raised);
        let is_crash = failure.kind.is_exception();
        let code = if is_crash { &codes::LOADING_CRASHES } else { &codes::CONTRADICTION };
        let mut diagnostic = Diagnostic::new(code, failure.message).key(self.path.key());
        diagnostic.help = failure.help;
        diagnostic.location = origin.place();
        // An exception that pydantic does not catch has no location.
        let loc = if is_crash { Vec::new() } else { self.path.loc() };
        let native = Native { kind: failure.kind.name(), loc, check: Some(check.own.name.clone().into()), masked: false };
        diagnostic.native = Some(native);
        diagnostic
    }
}
