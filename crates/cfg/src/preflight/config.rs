//! Whether the config itself is sound: what `cfg check` finds, of which a machine can't cure anything.

use cfg_diag::Severity;

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let of = |severity: Severity| situation.findings.iter().filter(move |finding| finding.severity == severity);
    let errors: Vec<_> =
        of(Severity::Error)
            .cloned()
            .map(|finding| {
                if finding.help.is_none() {
                    finding.help("`cfg check` shows the place with the lines around it")
                } else {
                    finding
                }
            })
            .collect();
    let warnings = of(Severity::Warning).count();
    Answer::of(errors, || match warnings {
        0 => "nothing found".to_owned(),
        1 => "no error; 1 warning, which `cfg check` shows".to_owned(),
        many => format!("no error; {many} warnings, which `cfg check` shows"),
    })
}
