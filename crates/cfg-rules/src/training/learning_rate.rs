//! Learning rates that look like typing errors.

use cfg_diag::{Severity, codes};
use cfg_plan::Fact;
use cfg_schema::Kind;

use crate::{Check, Context, Finding, FixKind, Rule, VersionRange};

pub(crate) static RULE: Rule = Rule {
    code: &codes::LEARNING_RATE,
    kinds: &[Kind::Rl, Kind::Sft, Kind::Trainer],
    versions: VersionRange::ALL,
    fix: FixKind::None,
    check: Check::Once(check),
};

/// With larger rates, `AdamW` hardly ever trains a language model, even with adapters.
const LARGEST: f64 = 1e-3;
/// With smaller rates, bf16 weights never change, and fp32 weights hardly.
const SMALLEST: f64 = 1e-8;
/// From this rate on, a single step of `AdamW` changes every weight by more than its own size.
const DESTRUCTIVE: f64 = 1.0;

fn check(cx: &Context<'_>) -> Option<Finding> {
    let optim = &cx.plan.trainer.as_ref()?.optim;
    let rate = optim.lr.fact().filter(|rate| rate.is_written())?;
    let value = rate.value;
    if value == 0.0 {
        return nothing_is_learned(cx, rate);
    }
    let is_strange = !(SMALLEST..=LARGEST).contains(&value);
    if !is_strange || !optim.kind.is("adamw") {
        return None;
    }
    let (what, severity) = if value >= DESTRUCTIVE {
        ("the first step of AdamW changes every weight by that much and destroys the model", Severity::Error)
    } else if value > LARGEST {
        ("language models are usually trained with AdamW at 1e-6 to 1e-4, adapters at up to 1e-3", Severity::Warning)
    } else {
        ("AdamW changes no weight by more than that in a step, so nothing is learned", Severity::Warning)
    };
    let finding = Finding::new(format!("a learning rate of {value:?}: {what}")).on(rate).severity(severity);
    Some(finding.help(
        "is the sign of the exponent missing, or is there an extra digit? 1e-6 is the default for RL, 1e-5 is usual \
                for adapters",
    ))
}

/// A rate of 0 is no mistake in a trial, which turns training off on purpose.
fn nothing_is_learned(cx: &Context<'_>, rate: &Fact<f64>) -> Option<Finding> {
    let optim = &cx.plan.trainer.as_ref()?.optim;
    let decays_to = optim.min_lr.get().filter(|least| *least > 0.0);
    let divides =
        decays_to.is_some() && (optim.scheduler.is("linear") || optim.warmup_steps.get().is_some_and(|steps| steps > 0));
    let (why, severity) = match (decays_to, divides) {
        (Some(_), true) => ("the schedule divides by it, so the trainer ends with a ZeroDivisionError", Severity::Error),
        _ if cx.is_trial() => return None,
        _ => ("no weight changes, and every step computes what the first one did", Severity::Warning),
    };
    Some(Finding::new(format!("a learning rate of 0: {why}")).on(rate).severity(severity).help("1e-6 is the default for RL"))
}
