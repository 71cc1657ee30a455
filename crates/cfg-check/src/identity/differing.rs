//! Findings that hold for the inferred prime-rl, but not for all others that accept the config.

use cfg_diag::{Diagnostic, Severity, codes};
use cfg_schema::{Point, Target};

use super::version::Certainty;
use crate::{Checked, Request, Session, check};

/// Says of each finding for which prime-rl it holds, if it does not hold at both ends of the range that accepts the config.
pub(crate) fn note(session: &Session, request: &Request<'_>, checked: &Checked, diagnostics: &mut [Diagnostic]) {
    let Certainty::Inferred(inference) = &checked.certainty else { return };
    let is_worth_it =
        |found: &Diagnostic| found.severity >= Severity::Warning && found.code != &codes::OTHER_TARGET_FITS && !found.is_echo;
    if !inference.is_accepted || !diagnostics.iter().any(is_worth_it) {
        return;
    }
    let (first, last) = ends(checked, inference.accepting);
    for end in [first, last].into_iter().flatten().filter(|end| end.point != checked.target.point) {
        let name = end.name.clone();
        let request = Request {
            file: request.file,
            named: request.named,
            kind: checked.kind,
            target: Some(end),
            project: request.project,
            ..Request::new(request.path, request.text)
        };
        let there = check(session, request).diagnostics;
        for found in diagnostics.iter_mut().filter(|found| is_worth_it(found)) {
            if !there.iter().any(|other| other.code == found.code && other.location == found.location) {
                let only = format!("only prime-rl {} refuses this; {name} accepts the file", checked.target);
                found.help = Some(found.help.take().map_or(only.clone(), |help| format!("{help}; {only}")));
            }
        }
    }
}

/// The first and the last release in a range.
fn ends(checked: &Checked, (first, last): (Point, Point)) -> (Option<Target>, Option<Target>) {
    let history = checked.target.history;
    let mut releases = history.releases().filter(|release| (first..=last).contains(&release.point())).map(Target::from);
    (releases.next(), releases.next_back())
}
