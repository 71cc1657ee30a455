//! Checks of a project's own prime-rl that the known ones do not stand for, run from their source.

use cfg_diag::{Diagnostic, Location, codes};
use cfg_schema::{CheckCode, Node, Open, Raised, Reason, Ruling, Step};

use super::{
    cx::{Cx, Noted},
    failure::Failure,
};
use crate::{ResolvedTable, before::own::LeftOpen, walk::Walker};

/// So many of the values that led to a refusal are shown.
const MOST_ENDS: usize = 5;

impl Walker<'_> {
    /// Runs such a check; says whether the table is still valid.
    pub(super) fn run_own(
        &mut self,
        code: &dyn CheckCode,
        name: &'static str,
        table: &mut ResolvedTable,
        (place, noted): (Option<Location>, &Noted),
        is_valid: bool,
    ) -> bool {
        noted.doubt.set(false);
        let class = table.node;
        let ruling = code.run(class, name, &mut Cx::new(self.schema, table, name, noted, None));
        match ruling {
            Ruling::Accepts => is_valid,
            // The fault has been reported; what it hides can't be.
            Ruling::Open(open) if open.reason == Reason::Fault => is_valid,
            Ruling::Open(open) => {
                let own = code.check(class, name).map(|check| check.place.clone()).unwrap_or_default();
                let diagnostic = self.left_open(name, &own, &open, place);
                self.diagnostics.push(diagnostic);
                is_valid
            }
            Ruling::Refuses(raised) => {
                let diagnostic = self.failed(&failure(raised), name, table, place, !is_valid);
                self.diagnostics.push(diagnostic);
                false
            }
        }
    }

    /// Tells what `before` validators that were run from their source leave open, and doubts what they make that isn't known.
    pub(crate) fn before_left_open(&mut self, class: Node, all: Vec<LeftOpen>, place: Option<Location>) {
        for LeftOpen { validator, open, doubtful } in all {
            doubtful.iter().for_each(|path| self.doubt(path));
            if let Some(open) = open.filter(|open| open.reason != Reason::Fault) {
                let own = self.names.own_code(class, validator);
                let own = own.and_then(|code| code.check(class, validator).map(|check| check.place.clone()));
                let diagnostic = self.left_open(validator, &own.unwrap_or_default(), &open, place);
                self.diagnostics.push(diagnostic);
            }
        }
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

/// What a check raises, in prime-rl's words.
pub(crate) fn failure(raised: Raised) -> Failure {
    let kind = match raised.exception.as_str() {
        "ValueError" => "value_error".into(),
        "AssertionError" => "assertion_error".into(),
        _ => raised.exception.into(),
    };
    let said = raised.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = if said.is_empty() { format!("prime-rl's own check refuses this with {kind}") } else { said };
    let ends = raised.reads.iter().take(MOST_ENDS).map(|steps| Step::dotted(steps).into()).collect();
    Failure {
        kind,
        message: message.trim_end_matches('.').to_owned(),
        ends,
        help: Some(format!("the project's own check says so: {}", raised.place)),
        field: "",
    }
}
