//! What one line says about the course of a run, as numbers, so that lines can be read on several threads.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::{
    Component,
    error_kind::ErrorKind,
    evaluated::{Evaluated, evaluated, validated},
    event::Event,
    line::{Bar, STEP, bar, integer_behind, number_behind, step},
    lines::{self, Field, Reported},
    prefix::{self, Line},
};

/// The content of a line about the course of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LogEvent {
    /// A process begins.
    Begins(Component),
    /// The orchestrator begins its loop, or a step.
    OrchestratorGoes,
    /// The trainer begins its loop.
    LoopBegins,
    /// A component resumes from this step.
    Resumes(i64),
    /// The orchestrator waits for the weights of this step.
    Waits(Option<i64>),
    /// The orchestrator has received the weights of this step.
    GoesOn(Option<i64>),
    /// The progress of a batch of rollouts.
    Rollouts(Batch),
    /// A rollout failed, with this error.
    RolloutFails(ErrorKind),
    /// Nothing in a batch can be trained on: the share of such batches in a row after which the orchestrator ends, if the line says it.
    EmptyBatch(Option<f64>),
    /// The orchestrator finished a step.
    Reward(Box<OrchestratorStep>),
    /// The trainer finished a step.
    Loss(Box<TrainerStep>),
    /// The weights of this step are evaluated.
    Evaluates(i64),
    /// An evaluation: no step of the training.
    Evaluated(Evaluated),
    /// A validation: no step of the training.
    Validated {
        /// The step whose weights it used.
        step: i64,
        /// The mean loss.
        loss: f64,
    },
    /// The orchestrator's batch of a step.
    Batch {
        /// The number of the step.
        step: i64,
        /// The share of truncated rollouts.
        truncated: Option<f64>,
        /// The share of groups that teach nothing, because all their rewards are equal.
        no_signal: Option<f64>,
    },
    /// The speed of a step.
    Pace(i64, Pace),
    /// A process says that it is done.
    Finished(Component),
    /// The launcher says with which code a process ended.
    Exits(Component, i64),
    /// A server says that it is being stopped.
    ShutsDown,
    /// The launcher says that its user interrupted it, or something else that sent a SIGTERM.
    Interrupted {
        /// Whether it was its user.
        by_user: bool,
    },
    /// The orchestrator's loop was left by an exception or a signal.
    Stops,
    /// The orchestrator ends although the trainer has not sent its last weights.
    GivesUp,
    /// An inference server generates tokens.
    Serves,
    /// Rollouts took most of a step's time.
    Slow,
    /// The weights of a curriculum, in the text of the log.
    Weights(Box<str>),
}

/// A step of the orchestrator.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OrchestratorStep {
    pub(crate) step: i64,
    /// The mean reward.
    pub(crate) reward: f64,
    /// The duration of the step in seconds.
    pub(crate) seconds: Option<f64>,
    /// The share of truncated rollouts.
    pub(crate) truncated: Option<f64>,
    /// The share of rollouts that teach nothing.
    pub(crate) no_signal: Option<f64>,
    /// The share of failed rollouts.
    pub(crate) errors: Option<f64>,
    /// By how many steps the oldest policy in the batch is behind.
    pub(crate) off_policy: Option<f64>,
}

/// A step of the trainer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TrainerStep {
    pub(crate) step: i64,
    pub(crate) loss: Option<f64>,
    pub(crate) entropy: Option<f64>,
    /// The KL divergence between the trainer's policy and that of the rollouts.
    pub(crate) kl: Option<f64>,
    /// The gradient norm.
    pub(crate) norm: Option<f64>,
    pub(crate) learning_rate: Option<f64>,
    /// Model FLOPS utilization, as a share.
    pub(crate) mfu: Option<f64>,
    /// Peak memory of a GPU, in GiB.
    pub(crate) memory: Option<f64>,
    pub(crate) pace: Pace,
}

/// The speed of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// Its duration in seconds.
    pub(crate) seconds: Option<f64>,
    /// The seconds in which the trainer computed.
    pub(crate) computing: Option<f64>,
    /// The trainer's tokens per second.
    pub(crate) tokens: Option<f64>,
}

/// The progress of a batch of rollouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) bar: Bar,
    /// Whether the bar is that of tqdm, which shows each rollout; a batch may also count only whole groups.
    pub(crate) is_bar: bool,
    /// Rollouts of groups that are not complete, and the rollouts of evaluations.
    pub(crate) others: u64,
}

/// How fast an inference server generates, in tokens per second.
static GENERATION: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("avg generation throughput"));

/// A step of the orchestrator has it, one of the trainer has not.
static REWARD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("| reward"));

impl LogEvent {
    /// Reads a line, in lower case, in which the text of an event was found; with its time of day in seconds.
    pub(crate) fn read(event: Event, whole: &str) -> Option<(Self, Option<u32>)> {
        let whole = prefix::plain(whole);
        let mut line = prefix::line(&whole);
        line.text = line.behind_level();
        Some((Self::of(event, &line)?, line.time))
    }

    fn of(event: Event, line: &Line<'_>) -> Option<Self> {
        let text = line.text.trim();
        match event {
            Event::Begins => begins(text),
            Event::LoopBegins => Some(Self::LoopBegins),
            Event::Resumes => {
                let step = || integer_behind(text, "checkpoint step").or_else(|| integer_behind(text, "from step"));
                lines::step(Reported::Resumes, text).or_else(step).map(Self::Resumes)
            }
            Event::Waits => Some(Self::Waits(lines::step(Reported::Waits, text))),
            Event::GoesOn => {
                let waited = || integer_behind(text, "waited for checkpoint");
                Some(Self::GoesOn(lines::step(Reported::GoesOn, text).or_else(waited)))
            }
            Event::Rollouts => batch(text).map(Self::Rollouts),
            Event::RolloutFails => rollout_error(text).map(|error| Self::RolloutFails(ErrorKind::of(error))),
            Event::EmptyBatch => empty_batch(text),
            Event::Reward => orchestrator_step(text),
            Event::Loss => trainer_step(text),
            Event::Evaluates => lines::step(Reported::Evaluates, text).map(Self::Evaluates),
            Event::Evaluated => evaluated(text).map(Self::Evaluated),
            Event::Validated => {
                let (step, loss) = validated(text)?;
                Some(Self::Validated { step, loss })
            }
            Event::Finished => lines::process(Reported::Finished, text).map(|(component, _)| Self::Finished(component)),
            Event::Exits => exits(text),
            Event::ShutsDown => (text.trim_start_matches("info:").trim() == "shutting down").then_some(Self::ShutsDown),
            Event::Interrupted => {
                lines::process(Reported::Interrupted, text).map(|_| Self::Interrupted { by_user: !text.contains("sigterm") })
            }
            Event::Stops => lines::process(Reported::Stops, text).map(|_| Self::Stops),
            Event::GivesUp => lines::process(Reported::GivesUp, text).map(|_| Self::GivesUp),
            Event::Serves => {
                let speed = number_behind(text, &GENERATION)?;
                (speed > 0.0).then_some(Self::Serves)
            }
            Event::Share => {
                let (text, _) = text.split_once('(')?.1.split_once('%')?;
                let percent: f64 = text.trim().parse().ok()?;
                (percent > 80.0 && percent <= 100.0).then_some(Self::Slow)
            }
            Event::Weights => {
                let (weights, _) = text.split_once('{')?.1.split_once('}')?;
                let is_weights = ["primer", "easy", "medium", "hard"].iter().any(|name| weights.contains(name));
                (is_weights && weights.bytes().any(|byte| byte.is_ascii_digit())).then(|| Self::Weights(weights.into()))
            }
            Event::Traceback | Event::Fatal => None,
        }
    }
}

fn begins(text: &str) -> Option<LogEvent> {
    if lines::process(Reported::RolloutsBegin, text).is_some() {
        return Some(LogEvent::OrchestratorGoes);
    }
    let (component, _) = lines::process(Reported::Begins, text)?;
    // Each rank says so.
    let is_first = text.find(" rank=").or_else(|| text.find("(rank=")).is_none_or(|at| {
        let digits = &text[at + " rank=".len()..];
        digits.starts_with('0') && !digits[1..].starts_with(|digit: char| digit.is_ascii_digit())
    });
    is_first.then_some(LogEvent::Begins(component))
}

/// The step of a line that reports a step of the training, and the line from that word on: its message begins with the step.
fn own_step(text: &str) -> Option<(i64, &str)> {
    let (head, rest) = text.split_at(STEP.find(text.as_bytes())?);
    // Forks write a few words before it; evaluations name the step in brackets.
    let is_other = ["eval", "valid", "micro", "policy v"].iter().any(|word| head.contains(word)) || head.ends_with('(');
    if is_other { None } else { Some((step(rest)?, rest)) }
}

fn orchestrator_step(text: &str) -> Option<LogEvent> {
    let (step, rest) = own_step(text)?;
    let numbers = lines::numbers(Reported::OrchestratorStep, rest);
    Some(LogEvent::Reward(Box::new(OrchestratorStep {
        step,
        reward: numbers.get(Field::Reward)?,
        seconds: numbers.get(Field::Seconds),
        truncated: numbers.get(Field::Truncated),
        no_signal: numbers.get(Field::Trainable).map(|share| 1.0 - share),
        errors: numbers.get(Field::Errors),
        off_policy: numbers.get(Field::OffPolicy),
    })))
}

fn trainer_step(text: &str) -> Option<LogEvent> {
    let (step, rest) = own_step(text)?;
    if REWARD.find(rest.as_bytes()).is_some() {
        return None;
    }
    let numbers = lines::numbers(Reported::TrainerStep, rest);
    Some(LogEvent::Loss(Box::new(TrainerStep {
        step,
        loss: numbers.get(Field::Loss),
        entropy: numbers.get(Field::Entropy),
        kl: numbers.get(Field::Kl),
        norm: numbers.get(Field::Norm),
        learning_rate: numbers.get(Field::LearningRate),
        mfu: numbers.get(Field::Mfu),
        memory: numbers.get(Field::Memory),
        pace: Pace { seconds: numbers.get(Field::Seconds), computing: None, tokens: numbers.get(Field::TokensPerSecond) },
    })))
}

/// The error of a line about a rollout that failed; empty if it has none.
fn rollout_error(text: &str) -> Option<&str> {
    let (_, values) = lines::process(Reported::RolloutFails, text)?;
    Some(if text.starts_with("empty trajectory") { "empty trajectory" } else { values.last().copied().unwrap_or_default() })
}

/// `Step 3: empty train batch (...) (consecutive empty batches: 3/10)`. The line without its number counts as well.
fn empty_batch(text: &str) -> Option<LogEvent> {
    let share = lines::value(Reported::EmptyBatch, Field::Tries, text);
    (share.is_some() || text.starts_with("step ") && text.contains("empty train batch")).then_some(LogEvent::EmptyBatch(share))
}

fn batch(text: &str) -> Option<Batch> {
    // Lines with other numbers: how many rollouts of a finished batch can be trained on, which one of a group failed.
    const OTHERS: [&str; 5] = ["trainable", "in group ", "empty train batch", "dropped all ", "filtered out all "];
    if OTHERS.iter().any(|other| text.contains(other)) {
        return None;
    }
    let bar = bar(text)?;
    let is_bar = !text.contains("train batch");
    let buffered = integer_behind(text, "(+").and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    // ` | gsm8k 20/500 (4.0%)` of each evaluation, before the rollouts that are in flight.
    let parts = text.split(';').next().unwrap_or_default().split('|').skip(1);
    let evaluated: u64 = if is_bar { 0 } else { parts.filter_map(crate::line::bar).map(|bar| bar.done).sum() };
    Some(Batch { bar, is_bar, others: buffered + evaluated })
}

/// `Trainer failed with exit code 1`, `Error: Inference failed with exit code 137`, `Router exited with code 1 - shutting down`.
fn exits(text: &str) -> Option<LogEvent> {
    // The launcher quotes its monitor of a process.
    let text = text.strip_prefix("error:").unwrap_or(text).trim_start();
    let (component, values) = lines::process(Reported::Exits, text)?;
    // The last placeholder is the code; the output of the process may follow.
    let code = values.last()?;
    let end = code.char_indices().position(|(at, c)| !(c.is_ascii_digit() || at == 0 && c == '-')).unwrap_or(code.len());
    let code: i64 = code[..end].parse().ok()?;
    (code != 0).then_some(LogEvent::Exits(component, code))
}

#[cfg(test)]
mod tests {
    use super::{Batch, LogEvent};
    use crate::{Component, event::Event, line::Bar};

    fn read(event: Event, text: &str) -> Option<LogEvent> {
        Some(LogEvent::read(event, &text.to_lowercase())?.0)
    }

    /// The lines of each version, as prime-rl's own calls format them.
    #[test]
    fn steps_of_the_training_are_those_of_the_training() {
        let steps = [
            "09:00:00 SUCCESS Step 3 | Time: 2.00s | Loss: 0.1000 | Entropy: 0.2000 | Mismatch KL: 0.0100 | Grad. Norm: 0.3000 | LR: 1.00e-06 | \
             Throughput: 900 tokens/s | MFU: 9.4% | Peak Mem.: 71.8 GiB",
            "[pod/oakland-0/trainer] 09:00:00 SUCCESS Step 3 |    2.0s | Loss 0.1000 | Entropy 0.2000 | Mismatch KL 0.0100 | Grad. Norm 0.3000 | \
             LR 1.00e-06 | Throughput 900 tokens/s | MFU 9.4% | Peak Mem. 71.8 GiB | Max Vio 0.1000",
        ];
        for text in steps {
            let Some(LogEvent::Loss(found)) = read(Event::Loss, text) else { panic!("{text}") };
            assert_eq!((found.step, found.kl, found.mfu, found.memory), (3, Some(0.01), Some(0.094), Some(71.8)), "{text}");
            assert_eq!((found.learning_rate, found.pace.seconds, found.norm), (Some(1e-6), Some(2.0), Some(0.3)), "{text}");
        }
        let sft = "09:00:00 SUCCESS Step 2 | Time: 1.20s | Loss: 1.2000 | Grad. Norm: 0.5000 | LR: 1.00e-06 | Throughput: 3324 tokens/s | \
                   MFU: 1.0% | Peak Mem.: 5.2/23.7 GiB (22.1%)";
        let Some(LogEvent::Loss(found)) = read(Event::Loss, sft) else { panic!("{sft}") };
        assert_eq!((found.loss, found.memory, found.entropy), (Some(1.2), Some(5.2), None));
        let text = "09:00:00 SUCCESS Step 7 |   1m 2s | Reward 0.3100 | Trainable 48/64 (75.0%) | Turns 9.0 | Branches 1.0 | Max Off-Policy 2 | \
                    Error 3.1% | Cancelled 0.0% | Truncation 1.6%";
        let Some(LogEvent::Reward(found)) = read(Event::Reward, text) else { panic!("{text}") };
        assert_eq!((found.step, found.reward, found.seconds, found.no_signal), (7, 0.31, Some(62.0), Some(0.25)));
        assert_eq!((found.errors, found.truncated, found.off_policy), (Some(0.031), Some(0.016), Some(2.0)));
        let old = "09:00:00 SUCCESS Step 7 | Time: 2.00s | Reward: 0.3100 | Val. Reward: 0.9000 | Seq. Length: 9.0 tokens/sample | \
                   Async Level: 1 | Max. Off-Policy Level: 2";
        let Some(LogEvent::Reward(found)) = read(Event::Reward, old) else { panic!("{old}") };
        assert_eq!((found.reward, found.off_policy), (0.31, Some(2.0)));
    }

    #[test]
    fn evaluations_are_no_steps_of_the_training() {
        let evaluated = "09:00:00 SUCCESS Evaluated gsm8k (Step 40) | Policy v40 |   1m 2s | Reward 0.9100 | Turns 1.0 | Error 0.0% | Truncation 0.0%";
        let of = |text: &str| match read(Event::Evaluated, text) {
            Some(LogEvent::Evaluated(found)) => {
                Some((found.environment, found.seconds, found.errors, found.step.zip(found.reward)))
            }
            _ => None,
        };
        assert_eq!(
            (read(Event::Reward, evaluated), of(evaluated)),
            (None, Some(("gsm8k".into(), Some(62.0), Some(0.0), Some((40, 0.91)))))
        );
        let old = "09:00:00 SUCCESS Evaluated gsm8k in 95.50s (Avg@4=0.3000, Pass@1: 0.31, Completion Length: 812.11)";
        assert_eq!(of(old), Some(("gsm8k".into(), Some(95.5), None, None)));
        for failed in [
            "09:00:00 WARNING All rollouts failed for gsm8k (40 failed), skipping metrics",
            "09:00:00 WARNING Eval @ step=40 env=gsm8k: no surviving rollouts, skipping log",
            "09:00:00 WARNING Eval @ step=40 env=gsm8k: no rollouts returned, skipping log",
            "09:00:00 WARNING Eval @ step=40 env=gsm8k: no episodes returned, skipping log",
        ] {
            assert_eq!(of(failed), Some(("gsm8k".into(), None, Some(1.0), None)));
        }
        assert_eq!(read(Event::Loss, "09:00:00 SUCCESS Validation | Step 40 | Loss 0.5000"), None);
        assert_eq!(read(Event::Reward, "\t\t ╰─ gsm8k | Ratio 50.0% | Reward 0.4000 | Turns 1.0"), None);
        assert_eq!(read(Event::Loss, "09:00:00 DEBUG Micro Step 1/8 | Loss: 0.1 | Entropy: 0.2"), None);
    }

    #[test]
    fn batches_show_their_progress() {
        let bar = |done, total| Bar { done, total, seconds: None };
        let of = |text: &str| match read(Event::Rollouts, text) {
            Some(LogEvent::Rollouts(batch)) => Some(batch),
            _ => None,
        };
        assert_eq!(
            of(
                "09:00:10    INFO Train batch 0/64 (0.0%) (+40 buffered) | gsm8k 20/500 (4.0%); 64 inflight rollouts (train=64, eval=0)"
            ),
            Some(Batch { bar: bar(0, 64), is_bar: false, others: 60 })
        );
        assert_eq!(
            of("09:00:10    INFO Train batch 3/64 (0.0%); 64 inflight episodes (train=64, eval=0)"),
            Some(Batch { bar: bar(3, 64), is_bar: false, others: 0 })
        );
        assert_eq!(of("0/8 rollouts"), Some(Batch { bar: bar(0, 8), is_bar: true, others: 0 }));
    }

    #[test]
    fn ends_are_read_in_the_words_of_all_versions() {
        let of = |event, text: &str| read(event, text);
        assert_eq!(of(Event::Finished, "09:00:00 SUCCESS RL trainer finished!"), Some(LogEvent::Finished(Component::Trainer)));
        assert_eq!(of(Event::Finished, "09:00:00 SUCCESS SFT training finished!"), Some(LogEvent::Finished(Component::Launcher)));
        assert_eq!(
            of(Event::Finished, "09:00:00 SUCCESS Orchestrator finished."),
            Some(LogEvent::Finished(Component::Orchestrator))
        );
        assert_eq!(
            of(Event::Exits, "09:00:00   ERROR Trainer failed with exit code 1"),
            Some(LogEvent::Exits(Component::Trainer, 1))
        );
        assert_eq!(
            of(Event::Exits, "09:00:00   ERROR Error: inference failed with exit code -9"),
            Some(LogEvent::Exits(Component::Inference, -9))
        );
        assert_eq!(
            of(Event::Exits, "09:00:00   ERROR Error: Train env server gsm8k failed with exit code 1"),
            Some(LogEvent::Exits(Component::Environment, 1))
        );
        assert_eq!(of(Event::Exits, "09:00:00   ERROR Error: Evals failed with exit code 0"), None);
        assert_eq!(of(Event::Exits, "09:00:00 ERROR Eval subprocess failed with exit code 1"), None);
        assert_eq!(
            of(Event::Begins, "Starting RL trainer in World(world_size=8, rank=0, local_rank=0)"),
            Some(LogEvent::Begins(Component::Trainer))
        );
        assert_eq!(of(Event::Begins, "Starting RL trainer in World(world_size=8, rank=3, local_rank=3)"), None);
        assert_eq!(of(Event::Begins, "Starting orchestrator loop (max_steps=20)"), Some(LogEvent::OrchestratorGoes));
        assert_eq!(of(Event::Begins, "Starting orchestrator process"), None);
    }
}
