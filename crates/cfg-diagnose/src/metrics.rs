//! `metrics.jsonl`, the file that prime-rl's file monitor writes, with a JSON object for each step of a component.
//!
//! `{"step": 41, "time": 1767668412.1, "entropy/all/mean": 0.09, "optim/grad_norm": 0.3}`. The names of measures changed over time; all of them are
//! read.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::{
    ScannedLog, Sighted, Thresholds,
    course::Course,
    evaluated::Evaluated,
    last_write::LogEnd,
    log_event::{LogEvent, OrchestratorStep, Pace, TrainerStep},
};

/// Longer lines are skipped: no row has that many measures.
const LONGEST: usize = 1 << 20;

/// A file of metrics while it is read.
#[derive(Debug, Default)]
pub struct Metrics {
    course: Course,
    /// The incomplete last line.
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is being skipped.
    is_passed_over: bool,
    lines: u64,
    bytes: u64,
    rows: u64,
    /// The time of day of its last row, in seconds.
    last_time: Option<u32>,
}

impl Metrics {
    /// An empty file.
    pub fn new(thresholds: Thresholds) -> Self {
        Self { course: Course::new(thresholds), ..Self::default() }
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.is_passed_over |= self.line.len() + part.len() > LONGEST;
            if !self.is_passed_over {
                self.line.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    /// The content of the file.
    pub fn finish(mut self) -> ScannedLog {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.course.end(self.lines, None);
        let has_signs = self.rows > 0;
        let end = self.last_time.map(|at| LogEnd { at, is_exact: true });
        ScannedLog { course: self.course, has_signs, end, lines: self.lines, bytes: self.bytes, ..ScannedLog::default() }
    }

    fn end_line(&mut self) {
        self.lines += 1;
        if !std::mem::take(&mut self.is_passed_over)
            && let Ok(row) = serde_json::from_slice::<Row>(&self.line)
        {
            self.row(&row);
        }
        self.line.clear();
    }

    fn row(&mut self, row: &Row) {
        let Some(step) = row.step else { return };
        self.rows += 1;
        let time = row.get("time").and_then(time_of_day);
        self.last_time = time.or(self.last_time);
        let Self { course, lines, .. } = self;
        let mut take = |event: LogEvent, measures: &[(&str, Option<f64>)]| {
            let shown = |(name, value): &(&str, Option<f64>)| Some(format!("{name} {}", (*value)?));
            let text = || measures.iter().filter_map(shown).collect::<Vec<_>>().join(", ");
            course.take(event, time, &mut || Sighted { line: *lines, text: format!("step {step}: {}", text()), key: None });
        };
        let loss = row.get("loss/mean");
        let (entropy, kl, norm) = (of_tokens(row, "entropy"), of_tokens(row, "mismatch_kl"), row.get("optim/grad_norm"));
        let pace = Pace {
            seconds: row.get("time/step"),
            computing: row.get("time/forward_backward"),
            tokens: row.get("perf/throughput"),
        };
        let learning_rate = row.get("optim/lr");
        if entropy.or(kl).or(norm).or(loss).or(learning_rate).is_some() {
            let own = TrainerStep {
                step,
                loss,
                entropy,
                kl,
                norm,
                learning_rate,
                mfu: row.get("perf/mfu").map(|percent| percent / 100.0),
                memory: row.get("perf/peak_memory"),
                pace: Pace::default(),
            };
            take(LogEvent::Loss(Box::new(own)), &[("loss", loss), ("entropy", entropy), ("KL", kl), ("gradient norm", norm)]);
        }
        let (truncated, no_signal) = (of_rollouts(row, "is_truncated"), without_signal(row));
        if truncated.or(no_signal).is_some() {
            take(LogEvent::Batch { step, truncated, no_signal }, &[("truncated", truncated), ("without advantage", no_signal)]);
        }
        if let Some(reward) = of_rollouts(row, "reward") {
            let errors = of_rollouts(row, "has_error");
            let own = OrchestratorStep { step, reward, errors, ..OrchestratorStep::default() };
            take(LogEvent::Reward(Box::new(own)), &[("reward", Some(reward))]);
        }
        if let Some(loss) = row.get("val/loss") {
            take(LogEvent::Validated { step, loss }, &[]);
        }
        for (environment, reward) in row.evaluations() {
            let own = Evaluated { environment, step: Some(step), reward: Some(reward), ..Evaluated::default() };
            take(LogEvent::Evaluated(own), &[]);
        }
        take(LogEvent::Pace(step, pace), &[]);
    }
}

/// The numbers of a row that are used. A row has a hundred others, for each environment.
#[derive(Debug, Default)]
struct Row {
    step: Option<i64>,
    numbers: Vec<(String, f64)>,
}

impl Row {
    fn get(&self, key: &str) -> Option<f64> {
        self.numbers.iter().find(|(own, _)| own == key).map(|(_, value)| *value)
    }

    /// The environments that were evaluated, in lower case, with their mean rewards: `eval/gsm8k/avg@4`, since 0.6.0 `eval/gsm8k/effective/avg@4`,
    /// since 0.8.0 with the name of an agent before the last part. Those of all rollouts count a failed one as 0.
    fn evaluations(&self) -> BTreeMap<Box<str>, f64> {
        let mut found = BTreeMap::new();
        for (key, reward) in &self.numbers {
            let Some((path, _)) = key.strip_prefix("eval/").and_then(|key| key.rsplit_once("/avg@")) else { continue };
            let of = |subset: &str| path.rsplit_once(subset).filter(|(_, agent)| agent.is_empty() || agent.starts_with('/'));
            if of("/all").is_none() {
                let environment = of("/effective").map_or(path, |(environment, _)| environment);
                found.entry(environment.to_lowercase().into()).or_insert(*reward);
            }
        }
        found
    }

    /// The first number whose key begins and ends like this.
    fn below(&self, begin: &str, end: &str) -> Option<f64> {
        self.numbers.iter().find(|(key, _)| key.starts_with(begin) && key.ends_with(end)).map(|(_, value)| *value)
    }
}

/// Whether a number is used.
fn is_used(key: &str) -> bool {
    const BEGINS: [&str; 13] = [
        "time",
        "loss/",
        "entropy/",
        "mismatch_kl/",
        "optim/",
        "perf/",
        "reward/",
        "is_truncated/",
        "has_error/",
        "train/",
        "batch/",
        "val/loss",
        "step",
    ];
    BEGINS.iter().any(|begin| key.starts_with(begin)) || key.starts_with("eval/") && key.contains("/avg@")
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a row of metrics")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Row, A::Error> {
        let mut row = Row::default();
        while let Some(key) = entries.next_key::<Cow<'de, str>>()? {
            if !is_used(&key) {
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = entries.next_value::<Value>()?;
            if key == "step" {
                row.step = value.as_i64();
            } else if let Some(number) = value.as_f64() {
                row.numbers.push((key.into_owned(), number));
            }
        }
        Ok(row)
    }
}

/// The time of day in seconds of a time since 1970.
fn time_of_day(seconds: f64) -> Option<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "seconds of a day")]
    (seconds > 1e9).then_some((seconds % 86_400.0) as u32)
}

/// A mean over the trained tokens.
fn of_tokens(row: &Row, name: &str) -> Option<f64> {
    row.get(&format!("{name}/all/mean")).or_else(|| row.get(&format!("{name}/mean")))
}

/// A mean over rollouts of all environments; if it is reported separately, over the trained rollouts.
fn of_rollouts(row: &Row, name: &str) -> Option<f64> {
    let end = format!("/{name}/mean");
    let plain = [format!("{name}/mean"), format!("{name}/all/mean"), format!("train/{name}/mean")];
    let below = |begin: &str| row.below(begin, &end);
    plain.iter().find_map(|key| row.get(key)).or_else(|| below("train/agg/effective")).or_else(|| below("train/agg/all"))
}

/// The share of groups that teach nothing: either none or all of their rollouts solve the problem.
fn without_signal(row: &Row) -> Option<f64> {
    let of_groups = row.get("batch/solve_none").zip(row.get("batch/solve_all")).map(|(none, all)| none + all);
    of_groups.or_else(|| row.below("train/agg/all", "/is_trainable/mean").map(|share| 1.0 - share))
}

#[cfg(test)]
mod tests {
    use super::Metrics;
    use crate::{Measure, RunContext, Thresholds, conclude};

    fn read(rows: &[String]) -> (Vec<String>, crate::Progress) {
        let mut metrics = Metrics::new(Thresholds::default());
        let text = rows.join("\n");
        // Pieces may have any size.
        text.as_bytes().chunks(7).for_each(|piece| metrics.feed(piece));
        let seen = metrics.finish();
        let progress = seen.progress().clone();
        let found = conclude(&[seen], &RunContext::default());
        (found.iter().map(|finding| finding.symptom.name.to_string()).collect(), progress)
    }

    fn trainer(step: u64, entropy: f64, kl: f64, norm: f64) -> String {
        format!(
            "{{\"step\": {step}, \"time\": 1.0, \"entropy/all/mean\": {entropy}, \"mismatch_kl/all/mean\": {kl}, \"optim/grad_norm\": {norm}, \"time/step\": 40.0}}"
        )
    }

    fn orchestrator(step: u64, reward: f64, truncated: f64, none: f64) -> String {
        format!(
            "{{\"step\": {step}, \"reward/mean\": {reward}, \"is_truncated/mean\": {truncated}, \"batch/solve_none\": {none}, \"batch/solve_all\": 0.1}}"
        )
    }

    #[test]
    fn a_healthy_run_has_no_findings() {
        let rows: Vec<String> = (0..400)
            .flat_map(|step| {
                #[expect(clippy::cast_precision_loss, reason = "small")]
                let reward = step as f64 / 1000.0;
                [trainer(step, 0.1, 0.01, 0.4), orchestrator(step, 0.1 + reward, 0.05, 0.3)]
            })
            .collect();
        let (found, progress) = read(&rows);
        assert_eq!(found, [""; 0]);
        assert_eq!(
            (progress.trainer_step, progress.orchestrator_step, progress.step_seconds),
            (Some(399), Some(399), Some(40.0))
        );
        assert_eq!(
            (progress.entropy, progress.kl, progress.norm, progress.truncated),
            (Some(0.1), Some(0.01), Some(0.4), Some(0.05))
        );
    }

    #[test]
    fn measures_that_stay_out_of_bounds_are_reported() {
        let ten = |row: fn(u64) -> String| read(&(0..10).map(row).collect::<Vec<_>>()).0;
        assert_eq!(ten(|step| trainer(step, 0.01, 0.01, 0.4)), ["entropy-collapsed"]);
        assert_eq!(ten(|step| trainer(step, 0.1, 0.7, 0.4)), ["kl-explosion"]);
        assert_eq!(ten(|step| trainer(step, 0.1, 0.1, 9.0)), ["gradient-explosion"]);
        assert_eq!(ten(|step| orchestrator(step, 0.1, 0.6, 0.3)), ["truncated-answers"]);
        assert_eq!(ten(|step| orchestrator(step, 0.1, 0.1, 0.85)), ["no-signal"]);
        assert_eq!(ten(|step| orchestrator(step, 0.0, 0.1, 0.3)), ["reward-zero"]);
        let flat: Vec<String> = (0..330).map(|step| orchestrator(step, 0.4, 0.1, 0.3)).collect();
        assert_eq!(read(&flat).0, ["reward-flat"]);
        assert_eq!(read(&flat[..300]).0, [""; 0]);
    }

    #[test]
    fn evaluations_are_read_by_environment() {
        let mut metrics = Metrics::new(Thresholds::default());
        let rows = [
            r#"{"step": 20, "eval/gsm8k/avg@4": 0.5, "eval/gsm8k/pass@1": 0.6}"#,
            r#"{"step": 40, "eval/gsm8k/all/avg@4": 0.1, "eval/gsm8k/effective/avg@4": 0.6, "val/loss": 1.5}"#,
            r#"{"step": 60, "eval/gsm8k/all/solver/avg@4": 0.1, "eval/gsm8k/effective/solver/avg@4": 0.7}"#,
        ];
        metrics.feed(rows.join("\n").as_bytes());
        let seen = metrics.finish();
        let found: Vec<_> = seen.curves().evaluations().map(|(name, curve)| (name, curve.points())).collect();
        assert_eq!(found, [("gsm8k", vec![(20, 0.5), (40, 0.6), (60, 0.7)])]);
        assert_eq!(seen.curves().of(Measure::ValidationLoss).points(), [(40, 1.5)]);
    }

    #[test]
    fn names_of_every_time_are_known() {
        let rows = [
            "{\"step\": 3, \"entropy/mean\": 0.2, \"mismatch_kl/mean\": 0.1}".to_owned(),
            "{\"step\": 4, \"train/agg/effective/agent/reward/mean\": 0.5, \"train/agg/effective/agent/is_truncated/mean\": 0.25, \
             \"train/agg/all/agent/is_trainable/mean\": 0.75}"
                .to_owned(),
            "not JSON".to_owned(),
            "{\"entropy/mean\": 1.0}".to_owned(),
            format!("{{\"step\": 9, \"x\": \"{}\", \"entropy/mean\": 1.0}}", "y".repeat(2 << 20)),
        ];
        let (found, progress) = read(&rows);
        assert_eq!(found, [""; 0]);
        assert_eq!((progress.entropy, progress.kl, progress.trainer_step), (Some(0.2), Some(0.1), Some(3)));
        assert_eq!((progress.reward, progress.truncated, progress.no_signal), (Some(0.5), Some(0.25), Some(0.25)));
    }
}
