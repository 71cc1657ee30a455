//! The course of a run, for programs and for people: what a step is, what all steps come to, and what happens at which of them.

use std::io::{self, Write};

use cfg_diag::one_line;
use cfg_memory::Bytes;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{
    Style,
    curriculum::EnvironmentReport,
    paint::{BOLD, DIM},
};

/// Columns of the line of steps.
const LINE: usize = 61;

/// Steps that are named one by one in text; of more, the first and the last.
const NAMED: usize = 6;

/// The JSON Schema of [`CourseReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<CourseReport>()
}

/// What `cfg plan --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CourseReport {
    /// The prime-rl that is meant.
    pub target: String,
    /// Steps after which the run ends; null where it has no end.
    pub max_steps: Option<i64>,
    /// What one step takes.
    pub step: StepReport,
    /// What all steps come to; null where the run has no end.
    pub run: Option<RunReport>,
    /// The tokens of one rollout; null where no rollouts are made.
    pub rollout: Option<RolloutReport>,
    /// Checkpoints; null where none are saved.
    pub checkpoints: Option<CheckpointsReport>,
    /// Evaluations, one entry for each environment.
    pub evaluations: Vec<EvaluationReport>,
    /// The phases of each curriculum.
    pub curriculum: Vec<EnvironmentReport>,
}

/// What one step takes.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct StepReport {
    /// Rollouts, or for supervised fine-tuning packed sequences; null where a step is counted in tokens.
    pub samples: Option<i64>,
    /// Tokens, where a step is counted in tokens or has sequences of fixed length.
    pub tokens: Option<i64>,
    /// Problems: rollouts over the group size.
    pub problems: Option<i64>,
    /// Rollouts of one problem.
    pub group_size: Option<i64>,
    /// Rollouts under way at a time.
    pub in_flight: Option<i64>,
}

/// What all steps come to.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RunReport {
    /// Rollouts, or packed sequences.
    pub samples: Option<i64>,
    /// Tokens, where a step has a fixed number of them.
    pub tokens: Option<i64>,
    /// Problems.
    pub problems: Option<i64>,
    /// Problems that the environment has; null where that is not known.
    pub known_problems: Option<f64>,
    /// How often the run passes over them.
    pub passes: Option<f64>,
}

/// The tokens of one rollout.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RolloutReport {
    /// Tokens of the whole conversation.
    pub tokens: Option<i64>,
    /// Tokens that the server takes, prompt and answer together.
    pub context: Option<i64>,
    /// Tokens of one answer at most.
    pub answer: Option<i64>,
    /// Tokens of the first prompt, where the config states them (`input_tokens`).
    pub prompt: Option<i64>,
    /// Tokens that are left when the prompt is not known: for it and for what tools say; else those left for tools and further turns.
    pub left: Option<i64>,
}

/// When checkpoints are saved, and what they take.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckpointsReport {
    /// Steps between two; null where only the last is saved.
    pub interval: Option<i64>,
    /// The steps at which one is saved, the first thousand.
    pub at: Vec<i64>,
    /// How many of the newest are kept; null keeps all.
    pub keep_last: Option<i64>,
    /// Every how many steps one is kept for good.
    pub keep_interval: Option<i64>,
    /// Bytes of one, weights included; null where the model is not known.
    pub each_bytes: Option<u64>,
    /// Bytes on the disk at most at any time; null where the model is not known.
    pub peak_bytes: Option<u64>,
}

/// When an environment is evaluated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvaluationReport {
    /// The environment's id, without version; null if none is known.
    pub environment: Option<String>,
    /// Steps between two evaluations.
    pub interval: i64,
    /// The steps at which it is evaluated, the first thousand.
    pub at: Vec<i64>,
    /// Problems; null where that is not stated, -1 is all.
    pub problems: Option<i64>,
    /// Rollouts of one problem.
    pub group_size: Option<i64>,
}

impl CourseReport {
    /// What a step is and what all of them come to, in a sentence; `None` where the config does not tell.
    pub fn in_short(&self) -> Option<String> {
        let step = self.step.in_words()?;
        let run = self.run.as_ref().and_then(RunReport::in_words);
        Some(match (run, self.max_steps) {
            (Some(run), Some(steps)) => format!("a step: {step}; {} steps: {run}", grouped(steps)),
            _ => format!("a step: {step}"),
        })
    }
}

impl StepReport {
    fn in_words(&self) -> Option<String> {
        let mut words = match (self.samples, self.problems, self.group_size) {
            (Some(samples), Some(problems), Some(group)) => {
                format!("{} rollouts = {} problems x {group}", grouped(samples), grouped(problems))
            }
            (Some(samples), ..) => format!("{} sequences", grouped(samples)),
            (None, ..) => format!("{} tokens", grouped(self.tokens?)),
        };
        if let (Some(_), Some(tokens)) = (self.samples, self.tokens) {
            words.push_str(&format!(", {} tokens", grouped(tokens)));
        }
        if let Some(in_flight) = self.in_flight {
            words.push_str(&format!(", {} under way at a time", grouped(in_flight)));
        }
        Some(words)
    }
}

impl RunReport {
    fn in_words(&self) -> Option<String> {
        let mut parts = Vec::new();
        parts.extend(self.problems.map(|problems| format!("{} problems", grouped(problems))));
        parts.extend(self.samples.filter(|_| self.problems.is_some()).map(|samples| format!("{} rollouts", grouped(samples))));
        parts.extend(self.tokens.map(|tokens| format!("{} tokens", grouped(tokens))));
        if let Some((known, passes)) = self.known_problems.zip(self.passes) {
            parts.push(format!("{passes:.1} passes over the {known:.0} problems of the environment"));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Writes the course: what a step is, what all steps come to, the tokens of a rollout, and a line of steps with what happens at which.
pub fn write_text(out: &mut impl Write, style: Style, report: &CourseReport) -> io::Result<()> {
    let mut row = |name: &str, words: Option<String>| match words {
        Some(words) => writeln!(out, "{}  {words}", style.paint(BOLD, format!("{name:<12}"))),
        None => Ok(()),
    };
    row("Each step", report.step.in_words())?;
    let steps =
        report.max_steps.map_or_else(|| "goes on until it is stopped".to_owned(), |steps| format!("{} steps", grouped(steps)));
    let run = report.run.as_ref().and_then(RunReport::in_words);
    row("The run", Some(run.map_or(steps.clone(), |run| format!("{steps}: {run}"))))?;
    row("A rollout", report.rollout.as_ref().map(rollout))?;
    let none = || (report.step.samples.is_some() || report.step.tokens.is_some()).then(|| "none are saved".to_owned());
    row("Checkpoints", report.checkpoints.as_ref().map(checkpoints).or_else(none))?;
    for evaluation in &report.evaluations {
        row("Evaluation", Some(self::evaluation(evaluation)))?;
    }
    for environment in &report.curriculum {
        row("Curriculum", Some(curriculum(environment)))?;
    }
    write_line(out, style, report)
}

fn rollout(rollout: &RolloutReport) -> String {
    let mut parts = Vec::new();
    parts.extend(rollout.tokens.map(|tokens| format!("{} tokens at most", grouped(tokens))));
    parts.extend(rollout.prompt.map(|prompt| format!("{} for the prompt", grouped(prompt))));
    parts.extend(rollout.answer.map(|answer| format!("{} for one answer", grouped(answer))));
    let rest = if rollout.prompt.is_some() { "tools and further turns" } else { "the prompt, tools and further turns" };
    parts.extend(rollout.left.map(|left| format!("{} left for {rest}", grouped(left.max(0)))));
    parts.extend(rollout.context.map(|context| format!("the server takes {}", grouped(context))));
    parts.join("; ")
}

fn checkpoints(checkpoints: &CheckpointsReport) -> String {
    let mut parts = vec![format!("at {}", steps_in_words(&checkpoints.at))];
    parts.push(match (checkpoints.keep_last, checkpoints.keep_interval) {
        (Some(last), Some(every)) => format!("the last {last} and every {every}th are kept"),
        (Some(1), None) => "the last one is kept".to_owned(),
        (Some(last), None) => format!("the last {last} are kept"),
        (None, Some(every)) => format!("every {every}th is kept"),
        (None, None) => "all are kept".to_owned(),
    });
    #[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 bytes")]
    let amount = |bytes: u64| Bytes::new(bytes as f64);
    parts.extend(checkpoints.each_bytes.map(|bytes| format!("{} each", amount(bytes))));
    parts.extend(checkpoints.peak_bytes.map(|bytes| format!("at most {} on the disk", amount(bytes))));
    parts.join("; ")
}

fn evaluation(evaluation: &EvaluationReport) -> String {
    let name = one_line(evaluation.environment.as_deref().unwrap_or("an environment")).into_owned();
    let at = if evaluation.at.is_empty() {
        format!("every {} steps", grouped(evaluation.interval))
    } else {
        format!("at {}", steps_in_words(&evaluation.at))
    };
    let problems = match (evaluation.problems, evaluation.group_size) {
        (Some(-1), Some(group)) => format!(", all problems x {group}"),
        (Some(problems), Some(group)) => format!(", {} problems x {group}", grouped(problems)),
        _ => String::new(),
    };
    format!("{name}: {at}{problems}")
}

fn curriculum(environment: &EnvironmentReport) -> String {
    let begins = environment.phases.iter().map(|phase| match (phase.begins_earliest, phase.begins_latest) {
        (Some(earliest), Some(latest)) if earliest == latest => grouped(earliest),
        (Some(earliest), Some(latest)) => format!("{} to {}", grouped(earliest), grouped(latest)),
        _ => "?".to_owned(),
    });
    let id = one_line(environment.id.as_deref().unwrap_or("an environment")).into_owned();
    format!("{id}: phases begin at {} (`cfg curriculum` draws them)", begins.collect::<Vec<_>>().join(", "))
}

/// The steps, of many the first and the last.
fn steps_in_words(steps: &[i64]) -> String {
    let names: Vec<String> = steps.iter().map(|step| grouped(*step)).collect();
    match names.as_slice() {
        [] => "the end".to_owned(),
        all if all.len() <= NAMED => all.join(", "),
        [first, second, third, .., last] => format!("{first}, {second}, {third} ... {last}"),
        few => few.join(", "),
    }
}

/// A line from the first step to the last, and one for each thing that happens on the way.
fn write_line(out: &mut impl Write, style: Style, report: &CourseReport) -> io::Result<()> {
    let Some(last) = report.max_steps.filter(|last| *last > 0) else { return Ok(()) };
    let mut rows: Vec<(String, Vec<i64>)> = Vec::new();
    rows.extend(report.checkpoints.iter().map(|checkpoints| ("checkpoints".to_owned(), checkpoints.at.clone())));
    rows.extend(report.evaluations.iter().map(|evaluation| {
        let name = one_line(evaluation.environment.as_deref().unwrap_or("an environment")).into_owned();
        (format!("evaluation of {name}"), evaluation.at.clone())
    }));
    let phases = |environment: &EnvironmentReport| environment.phases.iter().filter_map(|phase| phase.begins_latest).collect();
    rows.extend(report.curriculum.iter().map(|environment| ("phases begin, at the latest".to_owned(), phases(environment))));
    if rows.iter().all(|(_, at)| at.is_empty()) {
        return Ok(());
    }
    let (rail, mark) = if style.unicode { ('─', '●') } else { ('-', 'o') };
    writeln!(out, "\n  0{:>width$}  steps", grouped(last), width = LINE - 1)?;
    for (name, at) in rows.iter().filter(|(_, at)| !at.is_empty()) {
        let mut line = vec![rail; LINE];
        for step in at.iter().filter(|step| (0..=last).contains(*step)) {
            #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a share of a line")]
            let column = (*step as f64 / last as f64 * (LINE - 1) as f64) as usize;
            if let Some(place) = line.get_mut(column) {
                *place = mark;
            }
        }
        writeln!(out, "  {}  {}", line.into_iter().collect::<String>(), style.paint(DIM, name))?;
    }
    Ok(())
}

/// A number with its thousands apart: `25,600`.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{grouped, steps_in_words};

    #[test]
    fn numbers_and_steps_are_short() {
        assert_eq!([0, 999, 1000, 25_600, 1_000_000, -1234].map(grouped), ["0", "999", "1,000", "25,600", "1,000,000", "-1,234"]);
        assert_eq!(steps_in_words(&[]), "the end");
        assert_eq!(steps_in_words(&[50, 100]), "50, 100");
        assert_eq!(steps_in_words(&(1..=10).map(|step| step * 5).collect::<Vec<_>>()), "5, 10, 15 ... 50");
    }
}
