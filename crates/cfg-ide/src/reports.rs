//! Documents beside a config: its resolved form, and the beginning of the phases of its curriculum.

use std::collections::BTreeMap;

use cfg_check::{Session, reread};
use cfg_compose::Tree;
use cfg_plan::{Environment, Plan};
use cfg_report::{
    Style,
    curriculum::{ClockReport, CurriculumReport, EnvironmentReport, PhaseReport, write_text},
};
use cfg_rules::{
    Project,
    declared::{Curriculum as Effect, Declarations, Declared},
    schedule::{Phase, Schedule, Span},
};

use crate::Analysis;

/// The config as prime-rl resolves it, as equivalent TOML; or a sentence that says why there is none.
pub fn compiled(session: &Session, analysis: &Analysis) -> Result<String, String> {
    let checked = &analysis.checked;
    let (Some(kind), Some(resolved), true) = (checked.kind, &checked.resolved, checked.is_accepted()) else {
        return Err(format!("prime-rl {} does not accept this config", checked.target));
    };
    let schema = analysis.schema();
    let single = || Tree::from_document(analysis.file, analysis.document.clone());
    let tree = analysis.tree.clone().unwrap_or_else(single);
    let made =
        cfg_resolve::emit::faithful(resolved, schema.point, &tree.root, &|tree: Tree| reread(session, checked, kind, tree));
    let (text, unwritable) = cfg_resolve::emit::toml(&made.table);
    let lost: Vec<&str> = made.lost.iter().map(String::as_str).chain(unwritable.iter().map(|value| &*value.key)).collect();
    if !lost.is_empty() {
        return Err(format!("no prime-rl {} file can express what this resolves to: {}", checked.target, lost.join(", ")));
    }
    let gap = if text.starts_with('[') { "" } else { "\n" };
    let name = analysis.path.rsplit(['/', '\\']).next().unwrap_or_default();
    Ok(format!("# {} as resolved by prime-rl {}\n{gap}{text}", cfg_diag::one_line(name), checked.target))
}

/// The drawing of `cfg plan --curriculum`, as plain text; `None` if no phases are written.
pub fn curriculum(analysis: &Analysis) -> Option<String> {
    let report = curriculum_report(analysis.plan()?, &analysis.project, analysis.checked.target.name.clone());
    if report.environments.is_empty() {
        return None;
    }
    let mut text = Vec::new();
    let style = Style { unicode: true, ..Style::default() };
    // Writing to a vector can't fail.
    let _ = write_text(&mut text, style, &report);
    String::from_utf8(text).ok()
}

/// The training step at which each phase of each curriculum begins.
pub fn curriculum_report(plan: &Plan, project: &Project, target: String) -> CurriculumReport {
    let declarations = Declarations::of(plan, project);
    let all = plan.environments.iter().enumerate();
    let environments = all.filter_map(|(index, environment)| report(plan, environment, declarations.get(index))).collect();
    CurriculumReport::new(target, environments)
}

fn report(plan: &Plan, environment: &Environment, declared: Option<&Declared>) -> Option<EnvironmentReport> {
    let schedule = Schedule::of(plan, environment, declared)?;
    let effect = declared.and_then(|declared| declared.curriculum).map(|effect| match effect {
        Effect::Samples => "samples",
        Effect::Ignored => "ignored",
    });
    let clock = schedule.clock.map(|clock| ClockReport {
        samples_per_step: clock.samples_per_step,
        started_least: clock.least,
        started_most: clock.most,
        ahead: clock.ahead,
    });
    let mut from_step = Some(0);
    let phases = schedule.phases.iter().map(|phase| {
        let report = phase_report(phase, from_step, schedule.max_steps);
        from_step = phase.until_step;
        report
    });
    Some(EnvironmentReport {
        id: environment.base_id().map(str::to_owned),
        key: environment.key.clone(),
        enabled: environment.arg_bool("curriculum_enabled") == Some(true),
        effect,
        clock,
        max_steps: schedule.max_steps,
        phases: phases.collect(),
    })
}

fn phase_report(phase: &Phase, from_step: Option<i64>, max_steps: Option<i64>) -> PhaseReport {
    let begins = |Span { earliest, latest }, last| match (latest < last, earliest < last) {
        (true, _) => "yes",
        (false, true) => "maybe",
        (false, false) => "no",
    };
    let total: f64 = phase.weights.iter().map(|(_, weight)| weight.max(0.0)).sum();
    let share = |(name, weight): &(Box<str>, f64)| (name.to_string(), weight.max(0.0) / total);
    let shares = if total > 0.0 && total.is_finite() { phase.weights.iter().map(share).collect() } else { BTreeMap::new() };
    PhaseReport {
        from_step,
        until_step: phase.until_step,
        begins_earliest: phase.begins.map(|span| span.earliest),
        begins_latest: phase.begins.map(|span| span.latest),
        begins: phase.begins.zip(max_steps).map(|(span, last)| begins(span, last)),
        shares,
    }
}
