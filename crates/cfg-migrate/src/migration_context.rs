//! Applies all moves to a config, and tests whether they improve it.

use cfg_check::Checked;
use cfg_diag::Severity;
use cfg_schema::Point;

use crate::{
    draft::Draft,
    step::{Inserts, Prepared, Stepper, What},
    written::Written,
};

/// The migration of a config between two prime-rls.
pub(crate) struct MigrationContext<'a> {
    pub(crate) prepared: &'a [Prepared],
    pub(crate) from: Point,
    pub(crate) to: Point,
    /// The old text, and the result of checking it for the old prime-rl.
    pub(crate) text: &'a str,
    pub(crate) before: &'a Checked,
    /// Whether the old text is for the new prime-rl in part.
    pub(crate) is_partly_new: bool,
    /// Writes a draft and checks it for the new prime-rl.
    pub(crate) write: &'a dyn Fn(&Draft) -> (Written, Checked),
    /// Checks the old text for the new prime-rl.
    pub(crate) untouched: &'a dyn Fn() -> Checked,
}

/// A config after its moves.
pub(crate) struct Arrived {
    pub(crate) stepper: Stepper,
    pub(crate) written: Written,
    pub(crate) after: Checked,
    /// Whether the moves were discarded because they would give more errors.
    pub(crate) is_worse: bool,
}

impl MigrationContext<'_> {
    /// Applies the moves. A former default is compared and not written, unless the new prime-rl can't use the config without it.
    pub(crate) fn go(&self, start: &Stepper) -> Arrived {
        let copy = |inserts| Stepper {
            draft: start.draft.clone(),
            only: start.only.clone(),
            taken: start.taken.clone(),
            unknown: start.unknown.clone(),
            events: Vec::new(),
            inserts,
            ..*start
        };
        let arrived = self.attempt(copy(Inserts::Nothing));
        // What a text lacks that is for the new prime-rl in part, it may lack on purpose.
        if !arrived.stepper.has_left_out || self.is_partly_new {
            return arrived;
        }
        let other = self.attempt(copy(Inserts::Required));
        let cost = |arrived: &Arrived| {
            let left = arrived.stepper.events.iter().filter(|event| matches!(event.what, What::Left(_))).count();
            errors(&arrived.after) + left
        };
        if cost(&other) <= cost(&arrived) { other } else { arrived }
    }

    fn attempt(&self, mut stepper: Stepper) -> Arrived {
        let mut cautious = Stepper {
            draft: stepper.draft.clone(),
            keeps_undecided: true,
            only: None,
            unknown: stepper.unknown.clone(),
            taken: stepper.taken.clone(),
            events: Vec::new(),
            ..stepper
        };
        stepper.run(self.prepared, self.from, self.to);
        let (mut written, mut after) = (self.write)(&stepper.draft);
        // A table of which only a part has moved may be worse than one that has not moved at all.
        if stepper.draft.root.has_left() && errors(&after) > errors(&(self.untouched)()) {
            cautious.run(self.prepared, self.from, self.to);
            let (other, then) = (self.write)(&cautious.draft);
            if errors(&then) < errors(&after) {
                (stepper, written, after) = (cautious, other, then);
            }
        }
        // The new prime-rl may report twice what the old one refused, or did not check below a key that it refused.
        let is_candidate = !written.is_stuck && (1..errors(&after)).contains(&errors(self.before));
        if let Some(untouched) = is_candidate.then(self.untouched).filter(|untouched| errors(&after) > errors(untouched)) {
            (written.text, written.edits, written.is_stuck) = (self.text.to_owned(), Vec::new(), true);
            return Arrived { stepper, written, after: untouched, is_worse: true };
        }
        Arrived { stepper, written, after, is_worse: false }
    }
}

/// The number of errors in a config.
fn errors(checked: &Checked) -> usize {
    checked.diagnostics.iter().filter(|finding| finding.severity == Severity::Error && !finding.is_echo).count()
}
