//! A curriculum whose weights never change has no effect.

use cfg_diag::codes;
use cfg_schema::Kind;

use super::written;
use crate::{
    Check, Context, Finding, FixKind, Rule, VersionRange,
    schedule::{Phase, Schedule},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CURRICULUM_CONSTANT,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for written in written(cx).filter(|written| is_constant(written.schedule)) {
        let message = match written.schedule.phases.len() {
            1 => "a curriculum with a single phase never changes anything".to_owned(),
            number => format!("all {number} phases sample with the same weights: the curriculum never changes anything"),
        };
        let help = "write phases that differ, or set the weights or the difficulty once, without a curriculum";
        findings.push(written.at(Finding::new(message), None, None).help(help));
    }
    findings
}

/// Whether all phases have the same weights, as shares. Another rule reports a phase without usable weights.
fn is_constant(schedule: &Schedule) -> bool {
    let Some((first, rest)) = schedule.phases.split_first() else { return false };
    let total = |phase: &Phase| phase.weights.iter().map(|(_, weight)| weight).sum::<f64>();
    let share = |phase: &Phase, name: &str| {
        phase.weights.iter().find(|(known, _)| **known == *name).map_or(0.0, |(_, weight)| weight / total(phase))
    };
    let alike =
        |one: &Phase, other: &Phase| one.weights.iter().all(|(name, _)| (share(one, name) - share(other, name)).abs() < 1e-9);
    schedule.phases.iter().all(|phase| total(phase) > 0.0) && rest.iter().all(|phase| alike(first, phase) && alike(phase, first))
}
