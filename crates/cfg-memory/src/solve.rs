//! The model in reverse: the largest value of a setting, the effect of a change, and the effect of other cards.

use std::fmt;

use crate::{
    catalogue::{self, Gpu},
    inference::{Budget, Inference},
    run::Run,
    trainer::{Checkpointing, Offload},
    units::{Bytes, Tokens},
    verdict::{Judgement, Verdict},
};

/// A possible change of one setting of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// `trainer.model.ac`: activation checkpointing of each layer.
    Checkpointing,
    /// `trainer.model.ac_offloading`: the checkpoints are kept in the host's memory.
    OffloadCheckpoints,
    /// `inference.gpu_memory_utilization`.
    Utilization(f64),
    /// `max_model_len` of the inference server.
    MaxModelLen(Tokens),
    /// `trainer.model.seq_len`.
    SeqLen(Tokens),
    /// `enforce_eager`: no CUDA graphs.
    EnforceEager,
    /// `trainer.model.optim_cpu_offload`: optimizer states are kept in the host's memory.
    OffloadOptimizer,
    /// `trainer.data.micro_batch_size`: this many packed sequences at once.
    MicroBatch(u32),
}

/// A change and its effect on the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// The change.
    pub change: Change,
    /// The verdict of the run with it.
    pub verdict: Verdict,
    /// The free memory of the fullest card at the peak, by the upper bound.
    pub margin: Bytes,
}

/// Sequence lengths are proposed in steps of this many tokens.
const STEP: u64 = 256;

/// The largest `gpu_memory_utilization` with which a card that serves, and perhaps also trains, certainly fits; in hundredths, rounded
/// down. `None` if the model can't be served together with the trainer at all.
pub fn largest_utilization(run: &Run) -> Option<f64> {
    let at = |hundredths: u32| {
        let mut run = run.clone();
        run.inference.as_mut()?.gpu_memory_utilization = f64::from(hundredths) / 100.0;
        let verdict = serving(&run)?.verdict;
        Some((f64::from(hundredths) / 100.0, verdict))
    };
    // A large value leaves too little for the trainer, a small one too little for the KV cache: the search starts at the top.
    (1..=99).rev().filter_map(at).find(|(_, verdict)| *verdict == Verdict::Fits).map(|(utilization, _)| utilization)
}

/// The `gpu_memory_utilization` nearest to the current one with which a serving card certainly fits: it takes no more from the trainer,
/// and gives no more to vLLM, than needed.
pub fn nearest_utilization(run: &Run) -> Option<f64> {
    let largest = largest_utilization(run)?;
    let present = run.inference.as_ref()?.gpu_memory_utilization;
    if largest <= present {
        return Some(largest);
    }
    let fits = |hundredths: &u32| {
        let run = Change::Utilization(f64::from(*hundredths) / 100.0).applied(run);
        run.as_ref().and_then(serving).is_some_and(|judgement| judgement.verdict == Verdict::Fits)
    };
    (1..=99)
        .filter(|hundredths| f64::from(*hundredths) / 100.0 > present)
        .find(fits)
        .map(|hundredths| f64::from(hundredths) / 100.0)
}

/// The longest `seq_len` of the trainer that certainly fits, at most the model's context. `None` if not even 256 tokens fit.
pub fn largest_seq_len(run: &Run) -> Option<Tokens> {
    let fits = |steps: u64| {
        let run = Change::SeqLen(Tokens(steps * STEP)).applied(run)?;
        let assessment = run.assess();
        let mut trainers = assessment.gpus.iter().filter(|gpu| gpu.trains);
        Some(trainers.all(|gpu| gpu.judgement.verdict == Verdict::Fits))
    };
    // More tokens never need less memory.
    let (mut good, mut bad) = (0, run.model.context.0 / STEP + 1);
    while good + 1 < bad {
        let middle = u64::midpoint(good, bad);
        if fits(middle)? { good = middle } else { bad = middle }
    }
    (good > 0).then_some(Tokens(good * STEP))
}

/// The longest `max_model_len` for which the KV cache is certainly large enough.
pub fn largest_max_model_len(budget: &Budget) -> Option<Tokens> {
    Some(budget.kv.longest(budget.kv.room.low)).filter(|tokens| tokens.0 > 0)
}

/// Changes of one setting with which this run fits or at least no longer fails, the cheapest first: changes that cost neither quality nor speed
/// come before those that cost speed, and those before shorter sequences. Rank and batch size are not included: rank has little effect, and
/// micro-batches are packed to `seq_len` for any batch size.
pub fn remedies(run: &Run) -> Vec<Remedy> {
    let before = run.assess().verdict();
    if matches!(before, Verdict::Fits | Verdict::Unknown) {
        return Vec::new();
    }
    let mut changes = Vec::new();
    changes.extend(nearest_utilization(run).map(Change::Utilization));
    changes.extend(run.trainer.as_ref().filter(|trainer| trainer.micro_batch > 1).map(|_| Change::MicroBatch(1)));
    changes.extend([Change::Checkpointing, Change::OffloadCheckpoints, Change::EnforceEager, Change::OffloadOptimizer]);
    changes.extend(run.assess().budget.as_ref().and_then(largest_max_model_len).map(Change::MaxModelLen));
    changes.extend(largest_seq_len(run).map(Change::SeqLen));
    let judged = changes.into_iter().filter_map(|change| {
        let assessment = change.applied(run)?.assess();
        let margin = assessment.gpus.iter().map(|gpu| gpu.judgement.margin.0).reduce(Bytes::min)?;
        Some(Remedy { change, verdict: assessment.verdict(), margin })
    });
    judged.filter(|remedy| remedy.verdict == Verdict::Fits || (before.is_error() && remedy.verdict == Verdict::Tight)).collect()
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkpointing => formatter.write_str("enable activation checkpointing"),
            Self::OffloadCheckpoints => formatter.write_str("offload checkpointed activations to the CPU"),
            Self::Utilization(utilization) => write!(formatter, "set `gpu_memory_utilization` to {utilization:.2}"),
            Self::MaxModelLen(tokens) => write!(formatter, "set `max_model_len` to {tokens}"),
            Self::SeqLen(tokens) => write!(formatter, "set the trainer's `seq_len` to {tokens}"),
            Self::EnforceEager => formatter.write_str("set `enforce_eager`, which disables CUDA graphs"),
            Self::OffloadOptimizer => formatter.write_str("offload optimizer states to the CPU"),
            Self::MicroBatch(sequences) => write!(formatter, "set `micro_batch_size` to {sequences}"),
        }
    }
}

impl Change {
    /// The run with this change; `None` if the run already has it, or it does not apply.
    pub fn applied(self, run: &Run) -> Option<Run> {
        let mut run = run.clone();
        match self {
            Self::Checkpointing => {
                let trainer = run.trainer.as_mut()?;
                let is_whole = matches!(trainer.checkpointing, Checkpointing::Full { every: 0..=1, .. });
                trainer.checkpointing = Checkpointing::Full { every: 1, offloaded: false };
                (!is_whole).then_some(run)
            }
            Self::OffloadCheckpoints => {
                let trainer = run.trainer.as_mut()?;
                let is_offloaded = matches!(trainer.checkpointing, Checkpointing::Full { every: 0..=1, offloaded: true });
                trainer.checkpointing = Checkpointing::Full { every: 1, offloaded: true };
                (!is_offloaded).then_some(run)
            }
            Self::Utilization(utilization) => {
                run.inference.as_mut()?.gpu_memory_utilization = utilization;
                Some(run)
            }
            Self::MaxModelLen(tokens) => {
                let context = run.served_model().context;
                let inference = run.inference.as_mut()?;
                let is_shorter = inference.max_model_len.unwrap_or(context) > tokens;
                inference.max_model_len = Some(tokens);
                is_shorter.then_some(run)
            }
            Self::SeqLen(tokens) => {
                run.trainer.as_mut()?.seq_len = tokens;
                Some(run)
            }
            Self::EnforceEager => {
                let inference = run.inference.as_mut()?;
                let is_eager = inference.enforce_eager;
                inference.enforce_eager = true;
                (!is_eager).then_some(run)
            }
            Self::OffloadOptimizer => {
                let trainer = run.trainer.as_mut()?;
                let is_possible = trainer.offload == Offload::None;
                trainer.offload = Offload::Optimizer;
                is_possible.then_some(run)
            }
            Self::MicroBatch(sequences) => {
                run.trainer.as_mut()?.micro_batch = sequences;
                Some(run)
            }
        }
    }
}

/// The largest or smallest value of each setting with which the run certainly fits, with the other settings unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The smallest and the largest `gpu_memory_utilization`, in hundredths.
    pub utilization: Option<(f64, f64)>,
    /// The longest `seq_len`.
    pub seq_len: Option<Tokens>,
    /// The longest `max_model_len`.
    pub max_model_len: Option<Tokens>,
}

/// The limits of each setting, with the other settings unchanged. Empty if the card is not known, or no value fits.
pub fn limits(run: &Run) -> Limits {
    if run.gpu.is_none() {
        return Limits::default();
    }
    let fits = |run: &Run| run.assess().verdict() == Verdict::Fits;
    let whole = |change: Change| change.applied(run).is_some_and(|run| fits(&run));
    let share = |hundredths: u32| f64::from(hundredths) / 100.0;
    let serves = run.inference.is_some();
    let shares = || (1..=99).filter(|hundredths| serves && whole(Change::Utilization(share(*hundredths))));
    let utilization = shares().next().zip(shares().next_back()).map(|(least, most)| (share(least), share(most)));
    let seq_len = largest_seq_len(run).filter(|tokens| whole(Change::SeqLen(*tokens)));
    let shortest =
        || Some(Run { inference: Some(Inference { max_model_len: Some(Tokens(1)), ..run.inference.clone()? }), ..run.clone() });
    let longest = || {
        let assessment = shortest().filter(fits)?.assess();
        let tokens = largest_max_model_len(assessment.budget.as_ref()?)?;
        Some(tokens.min(run.served_model().context))
    };
    Limits { utilization, seq_len, max_model_len: longest() }
}

/// This run on another card.
#[must_use]
pub fn on_card(run: &Run, gpu: &Gpu) -> Run {
    Run { gpu: Some(gpu.clone()), ..run.clone() }
}

/// The known cards on which this run fits, the smallest first, without those on which prime-rl can't run.
pub fn fitting(run: &Run) -> Vec<&'static Gpu> {
    let fits = |gpu: &&Gpu| gpu.lacks.is_none() && on_card(run, gpu).assess().verdict() == Verdict::Fits;
    let mut cards: Vec<&Gpu> = catalogue::gpus().iter().filter(fits).collect();
    cards.sort_by(|a, b| a.total.as_f64().total_cmp(&b.total.as_f64()));
    cards
}

/// A card of the inference server; one that also trains, if there is one.
fn serving(run: &Run) -> Option<Judgement> {
    let gpus = run.assess().gpus;
    gpus.into_iter().filter(|gpu| gpu.serves).max_by_key(|gpu| gpu.trains).map(|gpu| gpu.judgement)
}
