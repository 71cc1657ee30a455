//! The result of a command for the prime-rl that its values show.

use cfg_diag::codes;

use super::{CheckedCommand, Command, CommandRequest, check_command};
use crate::{Checked, Session, Verdict, identity::infer};

/// The result for the prime-rl that the values show: its loader may merge files and read arguments in another way. That of the first file alone counts,
/// unless names or types in what is laid over it show another one: a fault of an override is not excused by a prime-rl for which its base is not read.
pub(super) fn as_inferred(session: &Session, request: &CommandRequest<'_>, first: Checked, paths: &[String]) -> CheckedCommand {
    if let [base, _, ..] = paths {
        let alone =
            CommandRequest { command: Command::Files(std::slice::from_ref(base)), kind: first.kind, target: None, ..*request };
        let alone = check_command(session, &alone).checked;
        if alone.is_accepted() && !alone.is_unknown() && alone.target.point != first.target.point {
            let again = check_command(session, &CommandRequest { target: Some(alone.target.clone()), ..*request });
            if !infer::is_of_another_time(&again.checked.diagnostics) {
                return with_inference(again, alone);
            }
        }
    }
    let again = check_command(session, &CommandRequest { target: Some(first.target.clone()), ..*request });
    with_inference(again, first)
}

/// A result for the target of an earlier one, with the certainty of that and what it says of it.
fn with_inference(mut again: CheckedCommand, first: Checked) -> CheckedCommand {
    let checked = &mut again.checked;
    checked.certainty = first.certainty;
    if checked.verdict == Verdict::Ok && checked.is_for_another() {
        checked.verdict = Verdict::Depends;
    }
    let inferred = first.diagnostics.into_iter().filter(|found| found.code == &codes::OTHER_TARGET_FITS);
    checked.diagnostics.splice(0..0, inferred);
    again
}
