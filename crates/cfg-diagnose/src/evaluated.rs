//! The results of evaluations and validations, which are no steps of the training.

use crate::lines::{self, Field, Reported};

/// The result of an evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Evaluated {
    /// Its duration in seconds.
    pub(crate) seconds: Option<f64>,
    /// Its environment; empty if it has none.
    pub(crate) environment: Box<str>,
    /// The share of failed rollouts.
    pub(crate) errors: Option<f64>,
    /// The step whose weights it used, if the line says it.
    pub(crate) step: Option<i64>,
    /// The mean reward.
    pub(crate) reward: Option<f64>,
}

/// `Evaluated gsm8k (Step 40) | Policy v40 | 11m 40s | Reward 0.9100`, `Eval @ step=40 env=gsm8k: no episodes returned, skipping log`.
pub(crate) fn evaluated(text: &str) -> Option<Evaluated> {
    let Some(behind) = text.strip_prefix("evaluated ") else {
        // All of its rollouts failed, so that there is no result.
        let (_, values) = lines::process(Reported::Evaluated, text)?;
        let environment = if text.starts_with("all ") { values.first() } else { values.get(1) }?;
        return Some(Evaluated { environment: (*environment).into(), errors: Some(1.0), ..Evaluated::default() });
    };
    let end = [" (", " in ", " | "].into_iter().filter_map(|end| behind.find(end)).min();
    let name = end.map_or("", |end| &behind[..end]);
    // 0.4.0 also names the model.
    let environment = name.rsplit(" on ").next().unwrap_or_default().into();
    let number = |field| lines::value(Reported::Evaluated, field, text);
    Some(Evaluated {
        environment,
        seconds: number(Field::Seconds),
        errors: lines::numbers(Reported::OrchestratorStep, text).get(Field::Errors),
        step: number(Field::Step).and_then(whole),
        reward: number(Field::Reward),
    })
}

/// The step and the loss of `Validation | Step 4 | Loss 1.1`.
pub(crate) fn validated(text: &str) -> Option<(i64, f64)> {
    let number = |field| lines::value(Reported::Validated, field, text);
    Some((whole(number(Field::Step)?)?, number(Field::Loss)?))
}

/// A step that was read as a number.
fn whole(step: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
    (step.fract() == 0.0 && step.abs() < 1e15).then_some(step as i64)
}
