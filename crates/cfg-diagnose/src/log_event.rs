//! What one line says of the course of a run: numbers, read once, so that many lines can be read at the same time.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::{
    course::Event,
    line::{Bar, bar, duration, integer_behind, number_behind, step, time_of_day},
};

/// What a line tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LogEvent {
    /// The trainer begins its loop, at this time of the day in seconds.
    LoopBegins(Option<u32>),
    /// A component goes on from this step.
    Resumes(i64),
    /// The orchestrator waits for the weights of a step.
    Waits(Option<i64>),
    /// It has them.
    GoesOn(Option<i64>),
    /// A bar of rollouts.
    Rollouts(Bar),
    /// The orchestrator finished a step.
    Reward {
        /// Which.
        step: i64,
        /// Its mean reward.
        reward: f64,
    },
    /// The trainer finished a step.
    Loss {
        /// Which.
        step: i64,
        /// Its loss.
        loss: Option<f64>,
        /// Its entropy.
        entropy: Option<f64>,
        /// How far its policy is from that of the rollouts.
        kl: Option<f64>,
        /// The norm of its gradient.
        norm: Option<f64>,
        /// How fast it was.
        pace: Pace,
    },
    /// What the orchestrator's batch of a step was.
    Batch {
        /// Which.
        step: i64,
        /// The share of its rollouts that were cut off.
        truncated: Option<f64>,
        /// The share of its groups that teach nothing: all their rewards are equal.
        no_signal: Option<f64>,
    },
    /// How fast a step was.
    Pace(i64, Pace),
    /// Rollouts took most of a step.
    Slow,
    /// The weights of a curriculum, as they are written.
    Weights(Box<str>),
}

/// How fast a step was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// Its seconds.
    pub(crate) seconds: Option<f64>,
    /// Those in which the trainer computed.
    pub(crate) computing: Option<f64>,
    /// Tokens of the trainer in a second.
    pub(crate) tokens: Option<f64>,
}

/// Names of numbers.
struct Names {
    reward: Finder<'static>,
    micro_step: Finder<'static>,
    loss: Finder<'static>,
    entropy: Finder<'static>,
    kl: Finder<'static>,
    norm: Finder<'static>,
    throughput: Finder<'static>,
}

/// A log can have them in each of its lines: they are made ready once.
static NAMES: LazyLock<Names> = LazyLock::new(|| Names {
    reward: Finder::new("| reward"),
    micro_step: Finder::new("micro step"),
    loss: Finder::new("| loss"),
    entropy: Finder::new("| entropy"),
    kl: Finder::new("kl"),
    norm: Finder::new("grad. norm"),
    // Before 0.6 a colon follows it, and the time includes waiting for rollouts.
    throughput: Finder::new("| throughput "),
});

impl LogEvent {
    /// Reads a line that was found for an event; its text is in lower case.
    pub(crate) fn read(event: Event, line: &str) -> Option<Self> {
        match event {
            Event::LoopBegins => Some(Self::LoopBegins(time_of_day(line))),
            Event::Resumes => {
                integer_behind(line, "checkpoint step").or_else(|| integer_behind(line, "from step")).map(Self::Resumes)
            }
            Event::Waits => {
                let for_step = integer_behind(line, "waiting for checkpoint").or_else(|| integer_behind(line, "checkpoint "));
                Some(Self::Waits(for_step))
            }
            Event::GoesOn => {
                Some(Self::GoesOn(integer_behind(line, "step").or_else(|| integer_behind(line, "waited for checkpoint"))))
            }
            Event::Rollouts => bar(line).map(Self::Rollouts),
            Event::Reward => {
                let reward = number_behind(line, &NAMES.reward)?;
                Some(Self::Reward { step: step(line)?, reward })
            }
            Event::Loss => {
                let names = &*NAMES;
                let step = step(line)?;
                let number = |name| number_behind(line, name);
                let is_part = names.micro_step.find(line.as_bytes()).is_some();
                (!is_part).then(|| Self::Loss {
                    step,
                    loss: number(&names.loss),
                    entropy: number(&names.entropy),
                    kl: number(&names.kl),
                    norm: number(&names.norm),
                    pace: Pace { seconds: duration(line), computing: None, tokens: number(&names.throughput) },
                })
            }
            Event::Share => {
                let (text, _) = line.split_once('(')?.1.split_once('%')?;
                let percent: f64 = text.trim().parse().ok()?;
                (percent > 80.0 && percent <= 100.0).then_some(Self::Slow)
            }
            Event::Weights => {
                let (weights, _) = line.split_once('{')?.1.split_once('}')?;
                let is_weights = ["primer", "easy", "medium", "hard"].iter().any(|name| weights.contains(name));
                (is_weights && weights.bytes().any(|byte| byte.is_ascii_digit())).then(|| Self::Weights(weights.into()))
            }
        }
    }
}
