//! `cfg curriculum`: at which training step each phase of a curriculum begins.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
    sync::Arc,
};

use cfg_check::{Project, Session};
use cfg_plan::{Environment, Plan};
use cfg_project::Projects;
use cfg_report::curriculum::{ClockReport, CurriculumReport, EnvironmentReport, PhaseReport, write_svg, write_text};
use cfg_rules::{
    declared::{Curriculum as Effect, Declared},
    schedule::{Phase, Schedule, Span},
};

use super::{Listing, read::read};
use crate::{
    Outcome,
    args::{Common, Curriculum, Format},
    terminal,
};

pub(crate) fn run(common: &Common, curriculum: &Curriculum) -> io::Result<Outcome> {
    let is_picture = common.format == Format::Svg;
    let listing = if is_picture { Some(Listing::Text) } else { Listing::of(common, "curriculum") };
    let Some(listing) = listing else { return Ok(Outcome::Failed) };
    let session = Session::default();
    let projects = Arc::new(Projects::new(common.config.clone()));
    let (checked, _) = match read(common, &session, &projects, &curriculum.path)? {
        Ok(read) => read,
        Err(outcome) => return Ok(outcome),
    };
    let (Some(kind), Some(resolved)) = (checked.kind, &checked.resolved) else { return Ok(Outcome::Failed) };
    let plan = Plan::new(checked.target.schema(kind), resolved);
    let project = cfg_lsp::project_around(&projects, &curriculum.path);
    let environments = plan.environments.iter().filter_map(|environment| report(&plan, environment, &project)).collect();
    let report = CurriculumReport::new(checked.target.name.clone(), environments);
    let mut out = io::BufWriter::new(io::stdout().lock());
    match listing {
        _ if is_picture => write_svg(&mut out, &report)?,
        Listing::Text => write_text(&mut out, terminal::style(common.color), &report)?,
        Listing::Json => {
            serde_json::to_writer_pretty(&mut out, &report)?;
            writeln!(out)?;
        }
        Listing::JsonLines => {
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

fn report(plan: &Plan, environment: &Environment, project: &Project) -> Option<EnvironmentReport> {
    let declared = Declared::of(environment, project);
    let schedule = Schedule::of(plan, environment, declared.as_deref())?;
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
