//! Phases and the length of the run, in the steps that the phases state. A run that resumes from a checkpoint has fewer steps left, and the
//! environment counts them from zero.

use cfg_diag::{Severity, codes};
use cfg_schema::Kind;

use super::written;
use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CURRICULUM_LENGTH,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let Some(steps) = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.max_steps.fact()) else {
        return Vec::new();
    };
    // -1 means the newest checkpoint, whose step is not in the config.
    let resumed = cx.plan.orchestrator.as_ref().and_then(|orchestrator| orchestrator.resume_step.fact());
    let resumed = resumed.filter(|step| step.value > 0 && step.value < steps.value);
    let done = resumed.map_or(0, |step| step.value);
    let length = steps.value - done;
    let mut findings = Vec::new();
    for written in written(cx).filter(|written| written.schedule.is_in_order()) {
        let ends: Vec<i64> = written.schedule.phases.iter().filter_map(|phase| phase.until_step).collect();
        // Phases that still count from the very first step have their own finding, because they restart.
        if done > 0 && ends.last().is_some_and(|last| *last >= steps.value) {
            continue;
        }
        let begin = |number: usize| if number == 0 { 0 } else { ends[number - 1] };
        if let Some(number) = (0..ends.len()).find(|&number| begin(number) >= length && length > 0) {
            let rest = ends.len() - number;
            let end = match done {
                0 => format!("the run ends at {}", steps.value),
                _ => format!("the run has {length} steps left, from {done} to {}", steps.value),
            };
            let message = format!(
                "phase {} starts at step {}, but {end}: {} of {} phases never {}",
                number + 1,
                begin(number),
                rest,
                ends.len(),
                if rest == 1 { "begins" } else { "begin" }
            );
            let finding = written.at(Finding::new(message), Some(number), None).with(steps, format!("{} steps", steps.value));
            let finding = match resumed {
                Some(resumed) => finding.with(resumed, format!("{done} steps are done")),
                None => finding,
            };
            findings.push(finding.help(format!("raise `{}`, or end the phases earlier", steps.written_key().name())));
        } else if let Some(last) = ends.last().copied().filter(|&last| last < length) {
            let number = ends.len() - 1;
            let end = match done {
                0 => format!("the run at {}", steps.value),
                _ => format!("the run has {length} left"),
            };
            let message = format!("the last phase ends at step {last}, but {end}: no phase covers the rest");
            let until = written.schedule.phases.last().and_then(|phase| phase.until_location);
            let finding = written.at(Finding::new(message), Some(number), until).severity(Severity::Info);
            let finding = finding.with(steps, format!("{} steps", steps.value));
            findings.push(finding.help(format!("write `until_step = {length}` in the last phase")));
        }
    }
    findings
}
