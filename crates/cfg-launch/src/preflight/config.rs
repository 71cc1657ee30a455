//! Checks the config itself, as `cfg check` does: no change of the machine would fix its errors.

use cfg_diag::Severity;

use super::{Answer, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Answer {
    let of = |severity: Severity| situation.run.findings.iter().filter(move |finding| finding.severity == severity);
    let errors: Vec<_> = of(Severity::Error)
        .cloned()
        .map(|finding| if finding.help.is_none() { finding.help("run `cfg check` for details") } else { finding })
        .collect();
    let warnings = of(Severity::Warning).count();
    Answer::of(errors, || match warnings {
        0 => "no errors or warnings".to_owned(),
        1 => "no errors; 1 warning (see `cfg check`)".to_owned(),
        many => format!("no errors; {many} warnings (see `cfg check`)"),
    })
}
