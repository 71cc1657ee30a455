//! Checks of a project's own prime-rl that differ from the known ones, run from their source.

use cfg_compose::Node as RawNode;
use cfg_diag::{Diagnostic, LocPart, Location, codes};
use cfg_schema::{CheckCode, Node, Open, Raised, Reason, Ruling, ValueSegment};

use super::{
    failure::{Failure, FailureKind},
    validator_ctx::{RunState, ValidatorCtx},
};
use crate::{
    ResolvedTable,
    before::{
        self,
        own::{LeftOpen, OnValue},
    },
    walk::Walker,
};

/// The number of values that are shown as the reason of a refusal.
const MAX_REASONS: usize = 5;

/// The result of `before` validators for a value that is not a table.
pub(crate) enum NoTable {
    Unchanged,
    Refused,
    LeftOpen,
}

impl Walker<'_> {
    /// Runs a check from its source; returns whether the table is still valid.
    pub(super) fn run_own(
        &mut self,
        code: &dyn CheckCode,
        name: &'static str,
        table: &mut ResolvedTable,
        place: Option<Location>,
        state: &RunState,
        is_valid: bool,
    ) -> bool {
        state.reads_invalid.set(false);
        let class = table.node;
        let ruling = code.run(class, name, &mut ValidatorCtx::new(self.schema, table, name, state, None));
        match ruling {
            Ruling::Accepts => is_valid,
            // The error has been reported; what the check would report without it is unknown.
            Ruling::Open(open) if open.reason == Reason::Fault => is_valid,
            Ruling::Open(open) => {
                let own = code.check(class, name).map(|check| check.place.clone()).unwrap_or_default();
                let diagnostic = self.left_open(name, &own, &open, place);
                self.diagnostics.push(diagnostic);
                is_valid
            }
            Ruling::Refuses(mut raised) => {
                let of_field = raised.of_field.take();
                let mut diagnostic = self.failed(&failure(raised), name, table, place, !is_valid);
                if let (Some((kind, key)), Some(native)) = (of_field, &mut diagnostic.native) {
                    native.kind = kind.into();
                    native.loc.push(LocPart::Key(key));
                }
                self.diagnostics.push(diagnostic);
                false
            }
        }
    }

    /// Reports why results of `before` validators that were run from their source are unknown, and marks the values that are unknown because of them.
    pub(crate) fn before_left_open(&mut self, class: Node, all: Vec<LeftOpen>, place: Option<Location>) {
        for LeftOpen { validator, open, doubtful, .. } in all {
            doubtful.iter().for_each(|path| self.doubt(path));
            if let Some(open) = open.filter(|open| open.reason != Reason::Fault) {
                let own = self.names.own_code(class, validator);
                let own = own.and_then(|code| code.check(class, validator).map(|check| check.place.clone()));
                let diagnostic = self.left_open(validator, &own.unwrap_or_default(), &open, place);
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// Reports that it is unknown whether the value here is accepted, if the project's own prime-rl declares the field or the class of the table in a
    /// form that cfg does not understand.
    pub(crate) fn left_to_declaration(&mut self, declared: Node, place: Option<Location>) {
        if self.names.open_at(declared).is_some() {
            self.left_to_part(declared.id(), place);
        }
    }

    /// Runs those `before` validators of a class that are run from their source, for a value that is not a table.
    pub(crate) fn looked_at_no_table(&mut self, class: Node, raw: &RawNode) -> NoTable {
        let Some(interval) = class.at(self.schema.point) else { return NoTable::Unchanged };
        for name in interval.validators_of("before").rev() {
            let Some(code) = self.names.own_code(class, name) else { continue };
            match before::own::run_on_value(&*code, class, name, raw) {
                Ok(()) => {}
                Err(OnValue::Refused(refusal)) => {
                    self.refused(vec![*refusal]);
                    return NoTable::Refused;
                }
                Err(OnValue::Open(open)) => {
                    let own = code.check(class, name).map(|check| check.place.clone()).unwrap_or_default();
                    let diagnostic = self.left_open(name, &own, &open, raw.origin.place());
                    self.diagnostics.push(diagnostic);
                    return NoTable::LeftOpen;
                }
            }
        }
        NoTable::Unchanged
    }

    /// As `left_to_declaration`, for an open part with the number of its node.
    pub(super) fn left_to_part(&mut self, part: u32, place: Option<Location>) {
        let parts = self.names.open().unwrap_or_default();
        let Ok(at) = parts.binary_search_by_key(&part, |part| part.node) else { return };
        let open = &parts[at];
        let key = self.path.key();
        // If a key has been reported, the table that contains it is not reported again.
        let is_below = |found: &Diagnostic| {
            found.help.as_deref() == Some(&open.why) && found.key.as_ref().is_some_and(|below| below.starts_with(&key))
        };
        if self.diagnostics.iter().any(is_below) {
            return;
        }
        let (code, what) = if open.is_absent {
            (&codes::PLUGIN_DECIDES, "the class of a package decides")
        } else {
            (&codes::CHANGED_CHECK, "the project's own prime-rl decides")
        };
        let accepted = if key.is_empty() { "the config".to_owned() } else { format!("`{key}`") };
        let message = format!("{what} whether {accepted} is accepted, and cfg can't read it");
        let mut diagnostic = Diagnostic::new(code, message).help(open.why.clone());
        diagnostic.key = (!key.is_empty()).then_some(key);
        diagnostic.location = place;
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn left_open(&self, name: &str, own: &str, open: &Open, place: Option<Location>) -> Diagnostic {
        let why = &open.why;
        let message = format!("the project's own `{name}` decides whether this is accepted, and cfg can't evaluate it: {why}");
        let at = if open.place.is_empty() { own } else { &open.place };
        let mut diagnostic = Diagnostic::new(&codes::CHANGED_CHECK, message).help(format!("it depends on {at}"));
        let key = self.path.key();
        diagnostic.key = (!key.is_empty()).then_some(key);
        diagnostic.location = place;
        diagnostic
    }
}

/// The refusal for an exception that a check raises.
pub(crate) fn failure(raised: Raised) -> Failure {
    let kind = match raised.exception.as_str() {
        "ValueError" => FailureKind::Error("value_error"),
        "AssertionError" => FailureKind::Error("assertion_error"),
        _ => FailureKind::Exception(raised.exception.into()),
    };
    let said = raised.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = if said.is_empty() { format!("prime-rl's own check refuses this with {}", kind.clone().name()) } else { said };
    let related_keys = raised.reads.iter().take(MAX_REASONS).map(|steps| ValueSegment::dotted(steps).into()).collect();
    Failure {
        kind,
        message: message.trim_end_matches('.').to_owned(),
        related_keys,
        help: Some(format!("the project's own check refuses it: {}", raised.place)),
        field: "",
    }
}
