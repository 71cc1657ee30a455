//! What the config of a run says about it in advance: how long its parts take, its memory, its speed. A run is judged by what it did itself; this is for
//! its beginning, and to be shown beside its measures.

use std::path::Path;

use cfg_check::{
    CheckedCommand, Project, Session,
    memory::{MemoryOptions, memory},
};
use cfg_diag::FileId;
use cfg_diagnose::{Curve, Expected};
use cfg_memory::{Bytes, duration::estimate};
use cfg_plan::{LearningRate, Plan};
use cfg_report::watch::PredictedReport;

/// Bytes of weights that are read in a second from a shared disk.
const READ: f64 = 5e8;

/// Bytes of a parameter on disk.
const BYTES: f64 = 2.0;

/// Tokens that a server generates in a second for one of many requests.
const TOKENS: f64 = 15.0;

/// The predictions for a run; what the config does not say is unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Prediction {
    pub(super) expected: Expected,
    learning_rate: Option<LearningRate>,
    report: PredictedReport,
}

impl Prediction {
    /// That of a checked config at a path.
    pub(super) fn of(session: &Session, path: &Path, config: &CheckedCommand) -> Self {
        let checked = &config.checked;
        let (Some(kind), Some(resolved)) = (checked.kind.filter(|kind| !kind.is_hosted()), checked.resolved.as_ref()) else {
            return Self::default();
        };
        let plan = Plan::new(checked.target.schema(kind), resolved);
        let project = Project::around(session.projects(), path);
        let name = path.to_string_lossy();
        let own = config.texts.all().iter().find(|text| Path::new(&*text.path) == path);
        let text = own.map(|text| text.text.clone()).unwrap_or_default();
        let (document, _) = cfg_syntax::parse(FileId(0), &text, cfg_syntax::Dialect::Toml10);
        let (metadata, _) = session.metadata(FileId(0), &name, &text, &document);
        let orchestrator = plan.orchestrator.as_deref();
        let answer = orchestrator.and_then(|own| own.sampling.max_tokens.get().or(own.seq_len.get()));
        let mut prediction = Self { learning_rate: LearningRate::of(&plan), ..Self::default() };
        #[expect(clippy::cast_precision_loss, reason = "tokens of an answer")]
        let answer = answer.map_or(0.0, |tokens| tokens as f64 / TOKENS);
        prediction.expected.rollout_seconds = seconds(answer);
        let Ok(memory) = memory(&plan, &checked.target, &metadata, &project, MemoryOptions::default()) else {
            return prediction;
        };
        let run = &memory.budget.run;
        prediction.expected.loading_seconds = seconds(run.model.parameters() * BYTES / READ);
        let gib = |bytes: Bytes| bytes.as_f64() / f64::from(1 << 30);
        if let Some(peak) = memory.assessment.peak.as_ref().filter(|_| memory.hardware.is_some()) {
            (prediction.report.peak_memory_low, prediction.report.peak_memory_high) = (Some(gib(peak.low)), Some(gib(peak.high)));
        }
        let workload = cfg_plan::workload(&plan, &metadata, run.trainer.as_ref());
        if let Some(found) = estimate(run, &memory.assessment, &workload, 0.0, None) {
            prediction.expected.step_seconds = found.whole_step.map_or(0, |step| seconds(step.high));
            prediction.report.tokens_per_second = found.tokens_per_second;
            prediction.report.step_seconds_low = found.whole_step.map(|step| step.low);
            prediction.report.step_seconds_high = found.whole_step.map(|step| step.high);
        }
        prediction
    }

    /// The learning rate of a step by the schedule, if `logged` is not it. Steps are counted from 0 or from 1.
    fn other_rate(&self, step: i64, logged: f64) -> Option<f64> {
        let schedule = self.learning_rate.as_ref()?;
        #[expect(clippy::cast_precision_loss, reason = "steps of a run")]
        let rates = [step.saturating_sub(1).max(0), step, step.saturating_add(1)].map(|step| schedule.at(step as f64));
        // The log has three digits.
        let (low, high) = rates.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
        (logged < low * 0.99 || logged > high * 1.01).then_some(rates[1])
    }

    /// The report, beside the newest step of the learning rate.
    pub(super) fn report(&self, learning_rate: &Curve) -> PredictedReport {
        let newest = learning_rate.points().last().copied();
        let other = newest.and_then(|(step, logged)| self.other_rate(step, logged));
        PredictedReport { learning_rate: other, ..self.report.clone() }
    }

    /// The learning rate by the schedule at the steps of a curve.
    pub(super) fn schedule(&self, learning_rate: &Curve) -> Vec<(i64, f64)> {
        let Some(schedule) = &self.learning_rate else { return Vec::new() };
        let points = learning_rate.points();
        let from = points.first().map_or(0, |(step, _)| (*step).min(1));
        #[expect(clippy::cast_precision_loss, reason = "steps of a run")]
        points.iter().map(|(step, _)| (*step, schedule.at((step - from).max(0) as f64))).collect()
    }
}

fn seconds(seconds: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "a float is cast to the nearest that there is")]
    let whole = seconds.ceil().clamp(0.0, 1e9) as i64;
    whole
}
