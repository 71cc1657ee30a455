//! Phases and the length of the run, by the steps that the phases state themselves.

use cfg_diag::{Severity, codes};
use cfg_schema::Kind;

use super::written;
use crate::{Check, Context, Finding, FixKind, Rule, Targets};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CURRICULUM_LENGTH,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    targets: Targets::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(steps) = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.max_steps.fact()) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for written in written(cx).filter(|written| written.schedule.is_in_order()) {
        let ends: Vec<i64> = written.schedule.phases.iter().filter_map(|phase| phase.until_step).collect();
        let begin = |number: usize| if number == 0 { 0 } else { ends[number - 1] };
        if let Some(number) = (0..ends.len()).find(|&number| begin(number) >= steps.value && steps.value > 0) {
            let rest = ends.len() - number;
            let message = format!(
                "phase {} begins at step {}, but the run ends at {}: {} of {} phases never {}",
                number + 1,
                begin(number),
                steps.value,
                rest,
                ends.len(),
                if rest == 1 { "begins" } else { "begin" }
            );
            let finding = written.at(Finding::new(message), Some(number), None).with(steps, format!("{} steps", steps.value));
            findings.push(finding.help(format!("raise `{}`, or let the phases end earlier", steps.written_key().name())));
        } else if let Some(last) = ends.last().copied().filter(|&last| last < steps.value) {
            let number = ends.len() - 1;
            let message =
                format!("the last phase ends at step {last}, and the run at {}: no phase says what comes then", steps.value);
            let until = written.schedule.phases.last().and_then(|phase| phase.until_location);
            let finding = written.at(Finding::new(message), Some(number), until).severity(Severity::Info);
            let finding = finding.with(steps, format!("{} steps", steps.value));
            findings.push(finding.help(format!("write `until_step = {}` in the last phase", steps.value)));
        }
    }
    findings
}
