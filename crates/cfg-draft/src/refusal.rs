//! Why a request has no config, and what would make one possible.

use cfg_diag::Order as _;
use std::fmt;

use cfg_memory::{
    catalogue::{self, Gpu, UnknownModel},
    hardware::Hardware,
    run::{Assessment, OnGpu, Run},
    solve::on_card,
    verdict::Verdict,
};

use crate::{Surroundings, Wish, can_draft, choice::Choice, in_words, inputs::Inputs, judge::Judged};

/// Half of a rollout is for the prompt, and with a chat template hardly any has fewer than 64 tokens. In tokens.
const LEAST_ROLLOUT: u64 = 128;

/// The reasons why there is no config.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The model's shape is not known.
    Model(UnknownModel),
    /// No config can be written for this machine.
    Machine(String),
    /// A required value is not given.
    Unsaid(&'static str),
    /// Any config would have a fault, whatever its size.
    NoneIsRight {
        /// The fault.
        why: String,
    },
    /// It does not fit on the machine.
    TooLarge {
        /// The model and the machine, the last choice that was tried, and the GPU that it does not fit on.
        why: String,
        /// The choices that were tried with the shortest sequences.
        runs: Vec<Run>,
    },
}

impl Refusal {
    /// Refuses a GPU without something that a run needs.
    pub(crate) fn of_card(gpu: &Gpu) -> Result<(), Self> {
        gpu.lacks.map_or(Ok(()), |lacks| Err(Self::Machine(format!("{} lacks {lacks}", gpu.name))))
    }

    /// Refuses to train a model on images at a prime-rl without a class of its own for that.
    pub(crate) fn without_class(inputs: &Inputs<'_>) -> Self {
        let (target, model) = (&inputs.around.target.name, inputs.wish.model);
        let why =
            format!("prime-rl {target} has no class that trains {model} on images; choose another model or another prime-rl");
        Self::NoneIsRight { why }
    }

    /// Refuses a sequence that leaves hardly anything for the prompt.
    pub(crate) fn of_length(wish: &Wish<'_>) -> Result<(), Self> {
        let Some(seq_len) = wish.seq_len.filter(|seq_len| wish.rolls_out() && *seq_len < LEAST_ROLLOUT) else { return Ok(()) };
        let why =
            format!("a sequence of {seq_len} tokens has no room for a prompt and an answer; ask for at least {LEAST_ROLLOUT}");
        Err(Self::NoneIsRight { why })
    }
}

/// The tried choices that gave no config.
#[derive(Default)]
pub(crate) struct Tried {
    /// The last of them.
    pub(crate) last: Option<Judged>,
    /// The choices that are too large for the machine at any sequence length, each with the shortest sequences.
    pub(crate) too_large: Vec<(Choice, Run)>,
}

impl Tried {
    /// The reason why no choice gives a config.
    pub(crate) fn refusal(self, wish: &Wish<'_>) -> Refusal {
        // A choice that fits but has an error explains more than one that is too large.
        let is_wrong = self.last.as_ref().is_some_and(|last| !last.is_too_large);
        if let Some((choice, run)) = self.too_large.last().filter(|_| !is_wrong) {
            let method = if wish.trains() { format!("{} and ", choice.method) } else { String::new() };
            let why = format!(
                "{} does not fit on {}, not even with {method}sequences of {} tokens: {}",
                wish.model,
                in_words(&wish.hardware),
                choice.seq_len,
                full_gpu(&run.assess())
            );
            return Refusal::TooLarge { why, runs: self.too_large.into_iter().map(|(_, run)| run).collect() };
        }
        let problems = self.last.map(|judged| judged.sentences());
        let why = problems.unwrap_or_else(|| "the model's context is shorter than the shortest sequence tried".to_owned());
        Refusal::NoneIsRight { why }
    }
}

/// The nearest machines with a config if this machine is too small: more of the same GPUs, and the same number of larger GPUs.
pub fn larger_machines(around: Surroundings<'_>, wish: &Wish<'_>, refusal: &Refusal) -> Vec<String> {
    let Refusal::TooLarge { runs, .. } = refusal else { return Vec::new() };
    let Hardware { count, gpu } = &wish.hardware;
    let is_enough = |hardware: &Hardware| can_draft(around, &Wish { hardware: hardware.clone(), ..wish.clone() }).is_ok();
    let counts = [2, 4, 8].into_iter().filter(|more| more > count);
    let more = counts.map(|count| Hardware { count, gpu: gpu.clone() }).find(is_enough);
    // The choices already tried rule out most GPUs.
    let fits =
        |card: &&Gpu| card.lacks.is_none() && runs.iter().any(|run| on_card(run, card).assess().verdict() == Verdict::Fits);
    let mut cards: Vec<&Gpu> = catalogue::gpus().iter().filter(fits).collect();
    cards.order_by(|a, b| a.total.as_f64().total_cmp(&b.total.as_f64()));
    let larger = cards.into_iter().map(|gpu| Hardware { count: *count, gpu: gpu.clone() }).find(is_enough);
    if more.is_none() && larger.is_none() {
        return smallest_machine(*count, is_enough).map(|hardware| in_words(&hardware)).into_iter().collect();
    }
    [more, larger].into_iter().flatten().map(|hardware| in_words(&hardware)).collect()
}

/// The machine of more and larger GPUs with the least memory that is enough.
fn smallest_machine(count: u32, is_enough: impl Fn(&Hardware) -> bool) -> Option<Hardware> {
    let cards = || catalogue::gpus().iter().filter(|gpu| gpu.lacks.is_none());
    let all = [2, 4, 8].into_iter().filter(|more| *more > count);
    let all = all.flat_map(|count| cards().map(move |gpu| Hardware { count, gpu: gpu.clone() }));
    let mut all: Vec<Hardware> = all.collect();
    let memory = |hardware: &Hardware| f64::from(hardware.count) * hardware.gpu.total.as_f64();
    all.order_by(|a, b| memory(a).total_cmp(&memory(b)));
    all.into_iter().find(is_enough)
}

/// Why a GPU does not have enough memory.
pub(crate) fn full_gpu(assessment: &Assessment) -> String {
    let reasons = |gpu: &OnGpu| gpu.judgement.reasons.iter().map(|reason| format!("GPU {}: {reason}", gpu.index)).next();
    assessment.gpus.iter().find_map(reasons).unwrap_or_else(|| "the card's memory is unknown".to_owned())
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(unknown) => {
                if let Some(format) = unknown.foreign_format() {
                    let id = &unknown.id;
                    return write!(formatter, "the files of the model `{id}` are {format}, which prime-rl does not load");
                }
                write!(formatter, "unknown model `{}`; ", unknown.id)?;
                let similar = unknown.similar();
                if let [others @ .., last] = &similar[..] {
                    let or = if others.is_empty() { "" } else { " or " };
                    write!(formatter, "did you mean {}{or}{last}? Otherwise ", others.join(", "))?;
                }
                formatter.write_str(&unknown.advice())
            }
            Self::Machine(why) | Self::TooLarge { why, .. } => formatter.write_str(why),
            Self::Unsaid(what) => formatter.write_str(what),
            Self::NoneIsRight { why } => write!(formatter, "no valid config exists for it: {why}"),
        }
    }
}

impl std::error::Error for Refusal {}
