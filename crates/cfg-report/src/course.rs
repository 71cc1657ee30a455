//! The course of a run, for programs and for people: the size of a step, the totals of all steps, and the events at each step.

mod svg;
mod text;

use cfg_diag::one_line;
use cfg_memory::Bytes;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
pub use svg::write_svg;
pub use text::write_text;

use crate::curriculum::EnvironmentReport;

/// The name of the sentences about truncation of a rollout.
pub(crate) const CUT: &str = "What is cut";

/// The most steps that text lists one by one; of more, it lists the first and the last.
const NAMED: usize = 6;

/// The JSON Schema of [`CourseReport`].
pub fn schema() -> Schema {
    crate::json::schema_of_identified::<CourseReport>()
}

/// What `cfg plan --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CourseReport {
    /// The target.
    pub target: String,
    /// Whether it trains or serves a model: without steps, it then runs until it is stopped.
    #[serde(skip)]
    pub trains_or_serves: bool,
    /// The last step that is written, if it is below the first one: what happens then is a finding.
    #[serde(skip)]
    pub below_first_step: Option<i64>,
    /// Steps after which the run ends; null if it has no end.
    pub max_steps: Option<i64>,
    /// The size of one step.
    pub step: StepReport,
    /// The totals of all steps; null if the run has no end.
    pub run: Option<RunReport>,
    /// The tokens of one rollout; null if there are no rollouts.
    pub rollout: Option<RolloutReport>,
    /// Checkpoints; null if none are saved.
    pub checkpoints: Option<CheckpointsReport>,
    /// Evaluations, one entry for each environment.
    pub evaluations: Vec<EvaluationReport>,
    /// The phases of each curriculum.
    pub curriculum: Vec<EnvironmentReport>,
    /// The ports on which its processes listen, in the order in which they start.
    pub sockets: Vec<SocketReport>,
}

/// A port on which a process of the run listens.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SocketReport {
    /// The port.
    pub port: i64,
    /// What listens there: `the inference server`.
    pub owner: String,
    /// The machine: `this machine`, `the first node of the trainer`, ...
    pub node: &'static str,
    /// The address on which it listens; null for all addresses of the machine.
    pub host: Option<String>,
    /// The key that moves it; null if no key does.
    pub key: Option<String>,
}

impl SocketReport {
    /// The address on which it listens, in words.
    pub(crate) fn address(&self) -> &str {
        self.host.as_deref().unwrap_or("any address")
    }

    /// The key that moves it, in words.
    pub(crate) fn moved_by(&self) -> &str {
        self.key.as_deref().unwrap_or("no key moves it")
    }
}

/// The size of one step.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct StepReport {
    /// Rollouts, or packed sequences for supervised fine-tuning; null if a step is counted in tokens.
    pub samples: Option<i64>,
    /// Tokens, if a step is counted in tokens or has sequences of fixed length.
    pub tokens: Option<i64>,
    /// Problems: rollouts divided by the group size.
    pub problems: Option<i64>,
    /// Rollouts of one problem.
    pub group_size: Option<i64>,
    /// Rollouts in progress at a time.
    pub in_flight: Option<i64>,
}

/// The totals of all steps.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RunReport {
    /// Rollouts, or packed sequences.
    pub samples: Option<i64>,
    /// Tokens, if a step has a fixed number of them.
    pub tokens: Option<i64>,
    /// Problems.
    pub problems: Option<i64>,
    /// The number of problems of the environment; null if it is not known.
    pub known_problems: Option<f64>,
    /// How often the run uses each of them.
    pub passes: Option<f64>,
}

/// The tokens of one rollout.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RolloutReport {
    /// Tokens of the whole conversation.
    pub tokens: Option<i64>,
    /// Tokens that the server accepts, prompt and answer together.
    pub context: Option<i64>,
    /// The most tokens of one answer.
    pub answer: Option<i64>,
    /// Tokens of the first prompt, if the config gives them (`input_tokens`).
    pub prompt: Option<i64>,
    /// Tokens left for the prompt and for the output of tools if the prompt is not known; otherwise those left for tools and further turns.
    pub left: Option<i64>,
    /// The most answers of the model in a rollout, if the environments give it.
    pub turns: Option<i64>,
    /// What is truncated, one sentence for each limit.
    pub cut: Vec<String>,
}

/// When checkpoints are saved, and their size.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckpointsReport {
    /// Steps between two; null if only the last is saved.
    pub interval: Option<i64>,
    /// The steps with a checkpoint, the first thousand.
    pub at: Vec<i64>,
    /// The number of newest checkpoints that are kept; null keeps all.
    pub keep_last: Option<i64>,
    /// One checkpoint in this many steps is kept permanently.
    pub keep_interval: Option<i64>,
    /// Bytes of one checkpoint, including weights; null if the model is not known.
    pub each_bytes: Option<u64>,
    /// The most bytes on the disk at any time; null if the model is not known.
    pub peak_bytes: Option<u64>,
}

/// When an environment is evaluated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EvaluationReport {
    /// The environment's id, without version; null if it is not known.
    pub environment: Option<String>,
    /// Steps between two evaluations.
    pub interval: i64,
    /// The steps with an evaluation, the first thousand.
    pub at: Vec<i64>,
    /// Problems; null if the config does not give them; -1 is all.
    pub problems: Option<i64>,
    /// Rollouts of one problem.
    pub group_size: Option<i64>,
}

impl CourseReport {
    /// The size of a step and the totals of all steps, in a sentence; `None` if the config does not give them.
    pub fn in_short(&self) -> Option<String> {
        let step = self.step.in_words()?;
        let run = self.run.as_ref().and_then(RunReport::in_words);
        Some(match (run, self.max_steps) {
            (Some(run), Some(steps)) => format!("a step: {step}; {} steps: {run}", grouped(steps)),
            _ => format!("a step: {step}"),
        })
    }

    /// The sentences about the run, each with a name: `Each step`, `The run`, `A rollout`, `What is cut`, `Checkpoints`, ...
    pub fn sentences(&self) -> Vec<(&'static str, String)> {
        let mut all: Vec<(&'static str, String)> = Vec::new();
        all.extend(self.step.in_words().map(|step| ("Each step", step)));
        let steps = self.max_steps.map(|steps| format!("{} steps", grouped(steps)));
        let steps = steps.unwrap_or_else(|| {
            let words =
                if self.trains_or_serves { "runs until it is stopped" } else { "no steps: it neither trains nor serves a model" };
            self.below_first_step.map_or_else(
                || words.to_owned(),
                |last| format!("`max_steps` is {last}, below the first step: `cfg check` says what happens"),
            )
        });
        let run = self.run.as_ref().and_then(RunReport::in_words);
        all.push(("The run", run.map_or_else(|| steps.clone(), |run| format!("{steps}: {run}"))));
        all.extend(self.rollout.as_ref().map(|tokens| ("A rollout", rollout(tokens))));
        let cut = self.rollout.as_ref().map(|tokens| tokens.cut.join("; ")).filter(|cut| !cut.is_empty());
        all.extend(cut.map(|cut| (CUT, cut)));
        all.extend(match &self.checkpoints {
            Some(saved) => Some(("Checkpoints", checkpoints(saved))),
            None => self.step.in_words().map(|_| ("Checkpoints", "none are saved".to_owned())),
        });
        all.extend(self.evaluations.iter().map(|one| ("Evaluation", evaluation(one))));
        all.extend(self.curriculum.iter().map(|one| ("Curriculum", curriculum(one))));
        all
    }

    /// The sockets of each machine, in the order in which its processes start.
    pub(crate) fn sockets_by_node(&self) -> Vec<(&'static str, Vec<&SocketReport>)> {
        let mut nodes: Vec<(&'static str, Vec<&SocketReport>)> = Vec::new();
        for socket in &self.sockets {
            match nodes.iter_mut().find(|(node, _)| *node == socket.node) {
                Some((_, own)) => own.push(socket),
                None => nodes.push((socket.node, vec![socket])),
            }
        }
        nodes
    }

    /// The steps of each event, up to the last step; empty if the run has no end, or there are no events.
    pub(crate) fn marks(&self) -> Vec<(String, Vec<i64>)> {
        let Some(last) = self.max_steps.filter(|last| *last > 0) else { return Vec::new() };
        let mut rows: Vec<(String, Vec<i64>)> = Vec::new();
        rows.extend(self.checkpoints.iter().map(|saved| ("checkpoints".to_owned(), saved.at.clone())));
        rows.extend(
            self.evaluations.iter().map(|one| (format!("evaluation of {}", name(one.environment.as_deref())), one.at.clone())),
        );
        let phases = |one: &EnvironmentReport| one.phases.iter().filter_map(|phase| phase.begins_latest).collect();
        rows.extend(self.curriculum.iter().map(|one| ("phases begin, at the latest".to_owned(), phases(one))));
        for (_, at) in &mut rows {
            at.retain(|step| (0..=last).contains(step));
        }
        rows.retain(|(_, at)| !at.is_empty());
        rows
    }
}

/// An environment by its id.
fn name(id: Option<&str>) -> String {
    one_line(id.unwrap_or("an environment")).into_owned()
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
            words.push_str(&format!(", {} in flight at a time", grouped(in_flight)));
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

fn rollout(rollout: &RolloutReport) -> String {
    let mut parts = Vec::new();
    parts.extend(rollout.tokens.map(|tokens| format!("at most {} tokens", grouped(tokens))));
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
    let name = name(evaluation.environment.as_deref());
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
    let id = name(environment.id.as_deref());
    format!("{id}: phases begin at {} (`cfg plan --curriculum` draws them)", begins.collect::<Vec<_>>().join(", "))
}

/// The steps; of many, only the first and the last.
fn steps_in_words(steps: &[i64]) -> String {
    let names: Vec<String> = steps.iter().map(|step| grouped(*step)).collect();
    match names.as_slice() {
        [] => "the end".to_owned(),
        all if all.len() <= NAMED => all.join(", "),
        [first, second, third, .., last] => format!("{first}, {second}, {third} ... {last}"),
        few => few.join(", "),
    }
}

/// A number with commas between thousands: `25,600`.
pub fn grouped(number: i64) -> String {
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
