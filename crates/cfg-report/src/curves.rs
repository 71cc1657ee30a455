//! The measures of a run, step by step, and their titles.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// A measure over the steps of a run.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct CurveReport {
    /// `reward`, `loss`, `entropy`, `kl`, `gradient_norm`, `truncated`, `no_signal`, `step_seconds`, `trainer_seconds`,
    /// `tokens_per_second`, `orchestrator_seconds`, `mfu`, `peak_memory` (GiB), `learning_rate`, `errors`, `off_policy`, `validation_loss`, or
    /// `eval/` and the name of an evaluated environment, for its mean reward.
    pub measure: Cow<'static, str>,
    /// Steps and values. A long run has only some steps, the same in all runs.
    pub points: Vec<(i64, f64)>,
}

/// What stands before the name of an environment in the measure of its evaluations.
pub const EVALUATION: &str = "eval/";

pub(crate) fn title(measure: &str) -> Cow<'_, str> {
    if let Some(environment) = measure.strip_prefix(EVALUATION) {
        return format!("evaluation of {}", cfg_diag::one_line(environment)).into();
    }
    Cow::Borrowed(match measure {
        "reward" => "reward",
        "kl" => "KL divergence",
        "gradient_norm" => "gradient norm",
        "truncated" => "share cut off",
        "no_signal" => "share without advantage",
        "step_seconds" => "seconds of a step",
        "trainer_seconds" => "seconds of the trainer",
        "tokens_per_second" => "trainer, tokens a second",
        "orchestrator_seconds" => "seconds of a batch",
        "mfu" => "MFU",
        "peak_memory" => "peak memory, GiB",
        "learning_rate" => "learning rate",
        "errors" => "share of failed rollouts",
        "off_policy" => "steps off-policy",
        "validation_loss" => "validation loss",
        other => other,
    })
}

/// A value with its significant digits.
pub(crate) fn value(value: f64) -> String {
    let size = value.abs();
    match () {
        () if value == 0.0 => "0".to_owned(),
        () if size >= 1000.0 => format!("{value:.0}"),
        () if size >= 10.0 => format!("{value:.1}"),
        () if size >= 0.001 => format!("{value:.4}"),
        () => format!("{value:.1e}"),
    }
}
