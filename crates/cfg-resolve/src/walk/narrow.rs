//! Tables whose class an installed package may provide. prime-rl looks such a table up by its `id`, and validates it within a `before`
//! validator of the table around it: its errors hide all others there.

use std::ops::Range;

use cfg_compose::{Entry, Table, Value};
use cfg_diag::{Diagnostic, codes};
use cfg_schema::{Interval, Segment};

use super::Walker;
use crate::{ResolvedTable, loc::Step};

/// How a validator treats one field.
#[derive(Clone, Copy)]
struct Narrowing {
    validator: &'static str,
    field: &'static str,
    /// Whether it looks at the field only where that has an `id`.
    needs_id: bool,
    /// Whether its errors are located at the field, rather than at the table around it.
    is_located: bool,
    /// Whether its errors hide the others of the table around it.
    hides: bool,
}

const fn narrowing(validator: &'static str, field: &'static str) -> Narrowing {
    Narrowing { validator, field, needs_id: false, is_located: true, hides: true }
}

/// In the order in which prime-rl looks at them.
const NARROWINGS: [Narrowing; 6] = [
    Narrowing { needs_id: true, is_located: false, ..narrowing("_resolve_plugins", "taskset") },
    Narrowing { is_located: false, ..narrowing("_resolve_plugins", "harness") },
    narrowing("_resolve_env", "env"),
    Narrowing { needs_id: true, ..narrowing("_resolve_taskset", "taskset") },
    narrowing("_resolve_harness", "harness"),
    Narrowing { hides: false, ..narrowing("_resolve_judges", "judges") },
];

/// A field that has been looked at in this way, and what was found in it.
pub(super) struct Narrowed {
    rank: usize,
    found: Range<usize>,
}

/// Whether any field of the class at `interval` may be narrowed.
pub(super) fn narrows(interval: Interval) -> bool {
    interval.validators().any(|(_, validator)| NARROWINGS.iter().any(|narrowing| narrowing.validator == validator))
}

/// Whether a field of the class at `interval` is narrowed to the class that its `id` names; its rank in prime-rl's order.
pub(super) fn rank(interval: Interval, field: cfg_schema::Node) -> Option<usize> {
    let name = field.field_name()?;
    let is_run = |narrowing: &Narrowing| interval.validators().any(|(_, validator)| validator == narrowing.validator);
    NARROWINGS.iter().position(|narrowing| narrowing.field == name && is_run(narrowing))
}

/// Whether the package that brings a table's class brings that of this field with it: a taskset has tasks of its own.
pub(super) fn is_part(field: cfg_schema::Node) -> bool {
    field.segment() == Segment::Field("task")
}

/// Makes the field's value a table where prime-rl does: what is empty counts as an empty table.
pub(super) fn prepare(rank: usize, entry: &mut Entry) {
    let Narrowing { needs_id, hides, .. } = NARROWINGS[rank];
    if !needs_id && hides && matches!(&entry.node.value, Value::List(items) if items.is_empty()) {
        entry.node.value = Value::Table(Table::default());
    }
}

/// Whether a table names its class: by its own `id`, or by that of its taskset.
pub(super) fn has_id(table: &Table) -> bool {
    let own = |table: &Table| table.get("id").is_some_and(|id| id.node.value.as_str().is_some_and(|id| !id.is_empty()));
    let is_set = |entry: &Entry| matches!(&entry.node.value, Value::Table(taskset) if own(taskset));
    own(table) || table.get("taskset").is_some_and(is_set)
}

impl Walker<'_> {
    /// After the field of this rank has been walked: what was found in it from `start` on. The path is that of the table around it.
    pub(super) fn narrowed(&mut self, rank: usize, has_id: bool, start: usize) -> Option<Narrowed> {
        let Narrowing { needs_id, is_located, hides, .. } = NARROWINGS[rank];
        if !hides || (needs_id && !has_id) {
            return None;
        }
        let found = start..self.diagnostics.len();
        if !is_located {
            let depth = self.path.loc().len();
            for native in self.diagnostics[start..].iter_mut().filter_map(|diagnostic| diagnostic.native.as_mut()) {
                if native.loc.len() > depth {
                    native.loc.remove(depth);
                }
            }
        }
        Some(Narrowed { rank, found })
    }

    /// Masks what prime-rl does not come to say of a table, among the diagnostics from `start` on.
    pub(super) fn mask_others(&mut self, start: usize, narrowed: &[Narrowed]) {
        let is_error = |diagnostic: &Diagnostic| diagnostic.native.as_ref().is_some_and(|native| !native.masked);
        let failing = narrowed.iter().filter(|field| self.diagnostics[field.found.clone()].iter().any(is_error));
        let Some(first) = failing.min_by_key(|field| field.rank) else { return };
        for (index, diagnostic) in self.diagnostics.iter_mut().enumerate().skip(start) {
            if let Some(native) = diagnostic.native.as_mut().filter(|_| !first.found.contains(&index)) {
                native.masked = true;
            }
        }
    }

    /// A key that the class known to prime-rl does not have; the installed one may.
    pub(super) fn left_to_plugin(&mut self, entry: Entry, resolved: &mut ResolvedTable) {
        let owner = self.path.key();
        let message = format!("whether `{owner}` has a key `{}`, the installed package that its `id` names decides", entry.key);
        self.path.push(Step::key(&entry));
        let mut diagnostic = Diagnostic::new(&codes::PLUGIN_DECIDES, message).key(self.path.key());
        self.path.pop();
        diagnostic.location = entry.key_origin.place();
        self.diagnostics.push(diagnostic);
        resolved.extra.push((entry.key, entry.node));
    }
}
