//! The state of a run, for programs and for people.

use std::io::{self, Write};

use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{
    Style,
    diagnosis::{SymptomReport, write_finding},
    paint::{BOLD, GREEN, severity_ink},
    resume::{DiskReport, write_disk},
};

/// The JSON Schema of [`WatchReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<WatchReport>()
}

/// What `cfg run watch --once --format json` writes; without `--once`, one document for each check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WatchReport {
    /// The folder of the run.
    pub run: String,
    /// Its config; null if none is given and the run has left none.
    pub config: Option<String>,
    /// The target of that config.
    pub target: Option<String>,
    /// Its state.
    pub state: WatchState,
    /// The number of its newest attempt, whose logs decide; null if its logs are not kept by attempt.
    pub attempt: Option<u32>,
    /// The processes of its newest attempt.
    pub processes: Vec<ProcessReport>,
    /// The last step that both trainer and orchestrator have completed; if only one of them is known, its last step.
    pub step: Option<i64>,
    /// Steps after which the run ends.
    pub max_steps: Option<i64>,
    /// Seconds of a step.
    pub step_seconds: Option<f64>,
    /// Estimated seconds until it ends; null if it does not go on.
    pub remaining_seconds: Option<f64>,
    /// Seconds since the last write to one of its logs; null if the times of the files are not those of their lines.
    pub silent_seconds: Option<u64>,
    /// The time of the last line by its own clock, if the files have other times because they were copied: then nothing says whether the run goes on.
    pub last_line: Option<String>,
    /// The newest measures.
    pub measures: MeasuresReport,
    /// The newest evaluation of each environment.
    pub evaluations: Vec<EvaluationReport>,
    /// What its config says about these in advance.
    pub predicted: PredictedReport,
    /// The disk space that is needed from now on.
    pub disk: DiskReport,
    /// The findings, the worst first.
    pub findings: Vec<SymptomReport>,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WatchState {
    /// No step is complete yet, and there are no findings.
    Starting,
    /// It makes progress, and there are no findings.
    Healthy,
    /// It makes progress, and there are findings.
    Unhealthy,
    /// Nothing was written for a long time, and it did not end.
    Silent,
    /// It failed: a process that it needs ended with an error.
    Failed,
    /// Its processes said that they are done; of a run that left only metrics, all steps are complete.
    Ended,
}

impl WatchState {
    /// Its name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Healthy => "healthy",
            Self::Unhealthy => "unhealthy",
            Self::Silent => "silent",
            Self::Failed => "failed",
            Self::Ended => "ended",
        }
    }

    /// Whether a person should check it.
    pub const fn is_wrong(self) -> bool {
        matches!(self, Self::Unhealthy | Self::Silent | Self::Failed)
    }

    /// Whether it can't make progress any more.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Failed | Self::Ended)
    }
}

/// A process of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProcessReport {
    /// `launcher`, `trainer`, `orchestrator`, `inference server`, `environment server`, `evaluation`, `scheduler`.
    pub component: &'static str,
    /// `starting`, `working`, `waiting`, `finished`, `stopped` or `failed`.
    pub state: &'static str,
    /// Its last step; null if it has none.
    pub step: Option<i64>,
}

/// The newest measures of a run; null if unknown.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct MeasuresReport {
    /// The trainer's last step.
    pub trainer_step: Option<i64>,
    /// The orchestrator's last step.
    pub orchestrator_step: Option<i64>,
    /// Mean reward.
    pub reward: Option<f64>,
    /// Entropy, in nats.
    pub entropy: Option<f64>,
    /// KL divergence of trainer and inference server, in nats.
    pub kl: Option<f64>,
    /// Norm of the gradients.
    pub gradient_norm: Option<f64>,
    /// Share of truncated rollouts.
    pub truncated: Option<f64>,
    /// Share of groups in which all rewards were equal.
    pub no_signal: Option<f64>,
    /// The trainer's loss.
    pub loss: Option<f64>,
    /// Model FLOPS utilization of the trainer, as a share.
    pub mfu: Option<f64>,
    /// Peak memory of a trainer's GPU, in GiB.
    pub peak_memory: Option<f64>,
    /// Learning rate.
    pub learning_rate: Option<f64>,
    /// The trainer's tokens per second.
    pub tokens_per_second: Option<f64>,
    /// Share of failed rollouts.
    pub errors: Option<f64>,
    /// Steps by which the oldest policy of a batch is behind.
    pub off_policy: Option<f64>,
    /// Loss of the newest validation.
    pub validation_loss: Option<f64>,
}

/// The newest evaluation of an environment.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "NewestEvaluation")]
pub struct EvaluationReport {
    /// The environment, in lower case.
    pub environment: String,
    /// The step whose weights were evaluated.
    pub step: i64,
    /// The mean reward.
    pub reward: f64,
    /// The step of the first evaluation; null if this is the first.
    pub first_step: Option<i64>,
    /// Its mean reward.
    pub first_reward: Option<f64>,
}

impl EvaluationReport {
    /// `gsm8k 0.9100 at step 40 (0.8500 at step 0)`.
    fn in_words(&self) -> String {
        let first = self.first_step.zip(self.first_reward);
        let first = first.map_or_else(String::new, |(step, reward)| format!(" ({reward:.4} at step {step})"));
        format!("{} {:.4} at step {}{first}", cfg_diag::one_line(&self.environment), self.reward, self.step)
    }
}

/// What the config of a run says about its measures in advance; null if it does not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PredictedReport {
    /// The lower end of the trainer's peak memory that `cfg memory` computes, in GiB; null if the card is not known.
    pub peak_memory_low: Option<f64>,
    /// Its upper end.
    pub peak_memory_high: Option<f64>,
    /// The trainer's tokens per second that `cfg estimate` computes, the transfer of weights included.
    pub tokens_per_second: Option<f64>,
    /// The lower end of the seconds of a step that `cfg estimate` computes, without the environment's time.
    pub step_seconds_low: Option<f64>,
    /// Its upper end.
    pub step_seconds_high: Option<f64>,
    /// The learning rate of the newest step by the schedule, if another one was logged.
    pub learning_rate: Option<f64>,
}

impl PredictedReport {
    /// How far a peak of memory in GiB is off the computed range: `2.1 GiB above the computed 60.0 to 65.0 GiB`; `None` if none was computed.
    pub(crate) fn of_memory(&self, logged: f64) -> Option<String> {
        let (low, high) = self.peak_memory_low.zip(self.peak_memory_high)?;
        let off = match () {
            () if logged < low => format!("{:.1} GiB below", low - logged),
            () if logged > high => format!("{:.1} GiB above", logged - high),
            () => "within".to_owned(),
        };
        Some(format!("{off} the computed {low:.1} to {high:.1} GiB"))
    }

    /// How long a step takes by the estimate.
    pub(crate) fn of_step(&self) -> Option<String> {
        let (low, high) = self.step_seconds_low.zip(self.step_seconds_high)?;
        Some(format!("estimated {} to {}", duration(low), duration(high)))
    }
}

/// Writes the state of the run in a few lines, with the findings below.
///
/// # Errors
/// If `out` can't be written to.
pub fn write_text(out: &mut impl Write, style: Style, report: &WatchReport) -> io::Result<()> {
    let clean = |text: &str| cfg_diag::one_line(text).into_owned();
    let ink = if report.state.is_wrong() { severity_ink(cfg_diag::Severity::Error) } else { GREEN };
    let state = style.paint(ink, report.state.as_str());
    writeln!(out, "{}: {state}", style.paint(BOLD, clean(&report.run)))?;
    let mut parts = Vec::new();
    parts.extend(report.attempt.filter(|attempt| *attempt > 1).map(|attempt| format!("attempt {attempt}")));
    if let Some(step) = report.step {
        parts.push(report.max_steps.map_or_else(|| format!("step {step}"), |max| format!("step {step} of {max}")));
    }
    parts.extend(report.step_seconds.map(|seconds| format!("{} each", duration(seconds))));
    parts.extend(report.remaining_seconds.map(|seconds| format!("{} to go", duration(seconds))));
    #[expect(clippy::cast_precision_loss, reason = "seconds of a run")]
    parts.extend(report.silent_seconds.map(|seconds| format!("last written {} ago", duration(seconds as f64))));
    parts.extend(report.last_line.as_ref().map(|time| format!("last written at {time} by its own clock (the files are copies)")));
    if !parts.is_empty() {
        writeln!(out, "  {}", parts.join(", "))?;
    }
    let measures = &report.measures;
    let mut parts = Vec::new();
    if let (Some(trainer), Some(orchestrator)) = (measures.trainer_step, measures.orchestrator_step)
        && trainer != orchestrator
    {
        parts.push(format!("trainer at {trainer}, orchestrator at {orchestrator}"));
    }
    let numbers = [
        ("reward", measures.reward),
        ("entropy", measures.entropy),
        ("KL", measures.kl),
        ("gradient norm", measures.gradient_norm),
    ];
    parts.extend(numbers.into_iter().filter_map(|(name, value)| Some(format!("{name} {:.4}", value?))));
    let shares = [("cut off", measures.truncated), ("without advantage", measures.no_signal)];
    parts.extend(shares.into_iter().filter_map(|(name, share)| Some(format!("{:.0} % {name}", share? * 100.0))));
    if !parts.is_empty() {
        writeln!(out, "  {}", parts.join(", "))?;
    }
    let mut parts = Vec::new();
    parts.extend(measures.loss.filter(|_| measures.reward.is_none()).map(|loss| format!("loss {loss:.4}")));
    parts.extend(measures.validation_loss.map(|loss| format!("validation loss {loss:.4}")));
    parts.extend(measures.mfu.map(|share| format!("MFU {:.1} %", share * 100.0)));
    let predicted = &report.predicted;
    let beside = |text: Option<String>| text.map_or_else(String::new, |text| format!(" ({text})"));
    let peak = |gib: f64| format!("peak memory {gib:.1} GiB{}", beside(predicted.of_memory(gib)));
    parts.extend(measures.peak_memory.map(peak));
    let scheduled = || beside(predicted.learning_rate.map(|rate| format!("by the schedule {}", crate::curves::value(rate))));
    parts.extend(measures.learning_rate.map(|rate| format!("learning rate {rate:.1e}{}", scheduled())));
    let estimated = || beside(predicted.tokens_per_second.map(|tokens| format!("estimated {tokens:.0}")));
    parts.extend(measures.tokens_per_second.map(|tokens| format!("{tokens:.0} tokens/s{}", estimated())));
    parts.extend(measures.errors.filter(|share| *share > 0.0).map(|share| format!("{:.1} % errors", share * 100.0)));
    parts.extend(measures.off_policy.filter(|steps| *steps > 0.0).map(|steps| format!("{steps:.0} off-policy")));
    if !parts.is_empty() {
        writeln!(out, "  {}", parts.join(", "))?;
    }
    if !report.evaluations.is_empty() {
        let evaluated: Vec<String> = report.evaluations.iter().map(EvaluationReport::in_words).collect();
        writeln!(out, "  evaluated {}", evaluated.join(", "))?;
    }
    // A healthy run needs no list of its processes.
    let is_told = |process: &&ProcessReport| report.state.is_wrong() || matches!(process.state, "failed" | "finished");
    let told = report.processes.iter().filter(is_told).map(|process| format!("{} {}", process.component, process.state));
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        writeln!(out, "  {}", told.join(", "))?;
    }
    if report.disk.checkpoint_bytes.is_some() {
        write!(out, "  ")?;
        write_disk(out, &report.disk)?;
    }
    for finding in &report.findings {
        writeln!(out)?;
        write_finding(out, style, finding)?;
    }
    Ok(())
}

/// A time in its two largest units: `3 h 12 min`.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float is cast to the nearest that there is")]
    let minutes = (seconds / 60.0).round() as u64;
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn times_are_short() {
        let shown = [1.25, 59.0, 61.0, 3_600.0, 11_540.0, 200_000.0].map(duration);
        assert_eq!(shown, ["1.2 s", "59.0 s", "1 min", "1 h 0 min", "3 h 12 min", "2 d 7 h"]);
    }
}
