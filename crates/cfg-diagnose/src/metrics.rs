//! `metrics.jsonl`, the file that prime-rl's file monitor writes, with a JSON object for each step of a component.
//!
//! `{"step": 41, "time": 1767668412.1, "entropy/all/mean": 0.09, "optim/grad_norm": 0.3}`. The names of measures changed over time; all of them are
//! read.

use serde_json::{Map, Value};

use crate::{
    ScannedLog, Sighted, Thresholds,
    course::Course,
    log_event::{LogEvent, Pace},
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
        ScannedLog { symptoms: Vec::new(), course: self.course, has_signs: self.rows > 0, lines: self.lines, bytes: self.bytes }
    }

    fn end_line(&mut self) {
        self.lines += 1;
        if !std::mem::take(&mut self.is_passed_over)
            && let Ok(Value::Object(row)) = serde_json::from_slice(&self.line)
        {
            self.row(&row);
        }
        self.line.clear();
    }

    fn row(&mut self, row: &Map<String, Value>) {
        let Some(step) = row.get("step").and_then(Value::as_i64) else { return };
        self.rows += 1;
        let Self { course, lines, .. } = self;
        let mut take = |event: LogEvent, text: String| {
            course.take(event, &mut || Sighted { line: *lines, text: format!("step {step}: {text}"), key: None });
        };
        let shown = |measures: &[(&str, Option<f64>)]| {
            let known = measures.iter().filter_map(|(name, value)| Some(format!("{name} {}", (*value)?)));
            known.collect::<Vec<_>>().join(", ")
        };
        let loss = number(row, "loss/mean");
        let (entropy, kl, norm) = (of_tokens(row, "entropy"), of_tokens(row, "mismatch_kl"), number(row, "optim/grad_norm"));
        if entropy.or(kl).or(norm).or(loss).is_some() || row.contains_key("optim/lr") {
            let text = shown(&[("loss", loss), ("entropy", entropy), ("KL", kl), ("gradient norm", norm)]);
            take(LogEvent::Loss { step, loss, entropy, kl, norm, pace: Pace::default() }, text);
        }
        let (truncated, no_signal) = (of_rollouts(row, "is_truncated"), without_signal(row));
        if truncated.or(no_signal).is_some() {
            take(
                LogEvent::Batch { step, truncated, no_signal },
                shown(&[("truncated", truncated), ("without advantage", no_signal)]),
            );
        }
        if let Some(reward) = of_rollouts(row, "reward") {
            take(LogEvent::Reward { step, reward }, shown(&[("reward", Some(reward))]));
        }
        let pace = Pace {
            seconds: number(row, "time/step"),
            computing: number(row, "time/forward_backward"),
            tokens: number(row, "perf/throughput"),
        };
        take(LogEvent::Pace(step, pace), String::new());
    }
}

fn number(row: &Map<String, Value>, key: &str) -> Option<f64> {
    row.get(key)?.as_f64()
}

/// A mean over the trained tokens.
fn of_tokens(row: &Map<String, Value>, name: &str) -> Option<f64> {
    number(row, &format!("{name}/all/mean")).or_else(|| number(row, &format!("{name}/mean")))
}

/// A mean over rollouts of all environments; if it is reported separately, over the trained rollouts.
fn of_rollouts(row: &Map<String, Value>, name: &str) -> Option<f64> {
    let end = format!("/{name}/mean");
    let plain = [format!("{name}/mean"), format!("{name}/all/mean"), format!("train/{name}/mean")];
    let below = |begin: &str| row.iter().find(|(key, _)| key.starts_with(begin) && key.ends_with(&end))?.1.as_f64();
    plain.iter().find_map(|key| number(row, key)).or_else(|| below("train/agg/effective")).or_else(|| below("train/agg/all"))
}

/// The share of groups that teach nothing: either none or all of their rollouts solve the problem.
fn without_signal(row: &Map<String, Value>) -> Option<f64> {
    let of_groups = number(row, "batch/solve_none").zip(number(row, "batch/solve_all")).map(|(none, all)| none + all);
    let trainable =
        || row.iter().find(|(key, _)| key.starts_with("train/agg/all") && key.ends_with("/is_trainable/mean"))?.1.as_f64();
    of_groups.or_else(|| trainable().map(|share| 1.0 - share))
}

#[cfg(test)]
mod tests {
    use super::Metrics;
    use crate::{RunContext, Thresholds, conclude};

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
