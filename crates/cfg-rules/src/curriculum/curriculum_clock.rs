//! The clock of a curriculum: an environment divides samples by `samples_per_step` to get the training step, and prime-rl starts `batch_size` samples
//! in a step. If the two differ, the phases begin too late or too early.

use cfg_diag::codes;
use cfg_plan::Arg;
use cfg_schema::Kind;

use super::{Written, written};
use crate::{
    Check, Context, Finding, FixKind, Repair, Rule, VersionRange,
    environment::at_arg,
    schedule::{Clock, Span},
};

pub(crate) static RULE: Rule = Rule {
    code: &codes::CURRICULUM_CLOCK,
    kinds: &[Kind::Rl, Kind::Orchestrator],
    versions: VersionRange::ALL,
    fix: FixKind::Unsafe,
    check: Check::Each(check),
};

fn check(cx: &Context<'_>) -> Vec<Finding> {
    written(cx).filter_map(|written| finding(cx, &written)).collect()
}

fn finding(cx: &Context<'_>, written: &Written<'_>) -> Option<Finding> {
    let clock = written.schedule.clock.filter(|clock| clock.is_slow() || clock.is_fast())?;
    let batch = &cx.plan.orchestrator.as_ref()?.batch;
    let (size, group) = (batch.batch_size.fact()?, batch.group_size.fact());
    let arg = written.environment.arg("samples_per_step");
    let default = if arg.is_some() { "" } else { " (its default)" };
    let speed = if clock.is_slow() { "slow" } else { "fast" };
    let message = format!(
        "the curriculum's clock runs {} times too {speed}: `samples_per_step` is {}{default}, and a step starts {}{}",
        factor(clock),
        clock.samples_per_step,
        samples(clock),
        begins(written)
    );
    let finding = Finding::new(message);
    let finding = match arg {
        Some(arg) => at_arg(finding, arg).label(format!("{} here", clock.samples_per_step)),
        None => written.at(finding, None, None),
    };
    let finding = finding.with(size, format!("{} rollouts a step", size.value));
    let is_product = group.is_some_and(|group| size.value.saturating_mul(group.value) == clock.samples_per_step);
    let why = if is_product { format!(": `{}` already counts rollouts", size.written_key().name()) } else { String::new() };
    let key = arg.map(Arg::key).or_else(|| Some(written.environment.args_key()?.below("samples_per_step")))?;
    let repair = Repair::possible(format!("set `samples_per_step` to {}", size.value)).set(&key, size.value);
    Some(finding.help(format!("write `samples_per_step = {}`{why}", size.value)).repair(repair))
}

/// The factor by which it is too slow or too fast, to a tenth.
#[expect(clippy::cast_precision_loss, reason = "it is shown to a tenth")]
fn factor(clock: Clock) -> String {
    let ratio = |samples: i64| {
        let (own, theirs) = (clock.samples_per_step as f64, samples as f64);
        let ratio = if clock.is_slow() { own / theirs } else { theirs / own };
        format!("{:?}", (ratio * 10.0).round() / 10.0).trim_end_matches(".0").to_owned()
    };
    let (one, other) = (ratio(clock.most), ratio(clock.least));
    let (low, high) = if clock.is_slow() { (one, other) } else { (other, one) };
    if low == high { low } else { format!("{low} to {high}") }
}

fn samples(clock: Clock) -> String {
    if clock.least == clock.most { clock.least.to_string() } else { format!("{} to {}", clock.least, clock.most) }
}

/// When the phases begin: "; phases begin at steps 0, 600, 1600 of 1000".
fn begins(written: &Written<'_>) -> String {
    let schedule = written.schedule;
    let step = |span: Span| {
        if span.earliest == span.latest { span.latest.to_string() } else { format!("{}-{}", span.earliest, span.latest) }
    };
    if let ([only], Some(clock)) = (&*schedule.phases, schedule.clock) {
        return only.until_step.map_or(String::new(), |until| format!("; its phase ends at step {}", step(clock.reaches(until))));
    }
    let steps: Vec<String> = schedule.phases.iter().filter_map(|phase| phase.begins).map(step).collect();
    let of = schedule.max_steps.map_or(String::new(), |steps| format!(" of {steps}"));
    let never = match schedule.reached() {
        Some((_, most)) => match schedule.phases.len() - most {
            0 => String::new(),
            1 => ", so the last never begins".to_owned(),
            rest => format!(", so the last {rest} never begin"),
        },
        None => String::new(),
    };
    format!("; phases begin at steps {}{of}{never}", steps.join(", "))
}
