//! The duration of a run on one kind of card.

use crate::run::{Assessment, Run};

use crate::duration::{
    Calibration, Range, generation,
    table::{self, ACCURACY, Card, FIT},
    trainer,
    work::Work,
    workload::{Data, Workload},
};

/// The duration of a run on one kind of card. A value that does not apply, or is not known, is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Tokens in a second of all GPUs of the trainer together, including the transfer of weights to the inference server; for sequences of full
    /// length.
    pub tokens_per_second: Option<f64>,
    /// Seconds of the trainer's step, as prime-rl logs it: without the transfer of weights to the inference server.
    pub step_seconds: Option<f64>,
    /// The same two by the formula, also in a regime that is known to differ; what a measured run is compared with.
    pub by_formula: Option<(f64, f64)>,
    /// Tokens that vLLM generates in a second.
    pub generation: Option<Range>,
    /// Seconds in which the rollouts of a step are generated, including the environment's time.
    pub made: Option<Range>,
    /// Seconds of a step of the whole run.
    pub whole_step: Option<Range>,
    /// Hours of the run.
    pub hours: Option<Range>,
    /// The likely hours of the run, within `hours`.
    pub middle_hours: Option<f64>,
    /// The notes for the user.
    pub notes: Vec<String>,
}

/// The trainer's part.
struct Trained {
    /// Tokens in a second, and seconds of a step.
    speed: (f64, f64),
    /// Whether it is in a regime of which only a range is known.
    is_range: bool,
    /// From the shortest rollouts to the longest, with the error of the fit.
    whole: Range,
    /// The likely seconds within `whole`.
    middle: f64,
}

/// The estimate of a run with a known card; `None` if its speed is not known. `environment` is the environment's time in each step, in seconds;
/// `calibration` comes from a measured run.
pub fn estimate(
    run: &Run,
    assessment: &Assessment,
    workload: &Workload,
    environment: f64,
    calibration: Option<&Calibration>,
) -> Option<Estimate> {
    let card = table::card(&run.gpu.as_ref()?.name)?;
    let mut notes = Vec::new();
    let trained = run.trainer.is_some().then(|| train(run, workload, card, calibration, &mut notes)).flatten();
    let is_unknown = run.trainer.is_some() && trained.is_none();
    let generation = generate(run, assessment, workload, card);
    let generated = generation
        .zip(workload.answers())
        .map(|(rate, tokens)| Range { low: tokens.low / rate.high + environment, high: tokens.high / rate.low + environment })
        .map(|made| calibration.map_or(made, |calibration| calibration.made(made)));
    let shares = run.trainer_gpus.iter().any(|gpu| run.inference_gpus.contains(gpu));
    // The range, and the likely value in it.
    let whole_step = match (&trained, generated) {
        (Some(trained), Some(made)) if workload.is_overlapped && !shares => {
            let range = Range { low: trained.whole.low.max(made.low), high: trained.whole.high.max(made.high) };
            Some((range, trained.middle.max(made.middle())))
        }
        (Some(trained), Some(made)) => {
            let range = Range { low: trained.whole.low + made.low, high: trained.whole.high + made.high };
            Some((range, trained.middle + made.middle()))
        }
        // Without a server of the run, the length of the rollouts is unknown.
        (Some(trained), None) => matches!(workload.data, Data::Sequences(_)).then_some((trained.whole, trained.middle)),
        (None, made) => made.filter(|_| !is_unknown).map(|made| (made, made.middle())),
    };
    let hours = whole_step.zip(workload.steps).map(|((range, middle), steps)| {
        let hours = steps / 3600.0;
        (range.times(hours), middle * hours)
    });
    let by_formula = trained.as_ref().map(|trained| trained.speed);
    let speed = by_formula.filter(|_| trained.as_ref().is_some_and(|trained| !trained.is_range));
    Some(Estimate {
        tokens_per_second: speed.map(|(tokens, _)| tokens),
        step_seconds: speed.map(|(_, step)| step),
        by_formula,
        generation,
        made: generated,
        whole_step: whole_step.map(|(range, _)| range),
        hours: hours.map(|(range, _)| range),
        middle_hours: hours.map(|(range, middle)| middle.clamp(range.low, range.high)),
        notes,
    })
}

/// A regime that is known to differ from the runs of the fit by more than the fit's error: only a range is given.
struct Regime {
    /// How long known steps took, as multiples of the estimate.
    took: Range,
    says: &'static str,
}

/// Adapters of a mixture of experts in RL.
const EXPERT_ADAPTERS: Regime = Regime {
    took: Range { low: 1.0, high: 4.0 },
    says: "no speed of training adapters of a mixture of experts in RL: runs took up to 4 times as long as those that the estimate was \
           fitted to, so hours are a range; a measured run of the kind (`--from`) gives it",
};

/// Experts that are spread over the GPUs, which exchange tokens: prime-rl's default since June 2026, and not in any run of the fit.
const EXPERT_PARALLEL: Regime = Regime {
    took: Range { low: 0.6, high: 2.8 },
    says: "no speed of expert parallelism: none of the runs that the estimate was fitted to had it, and the few known steps took 0.7 to \
           2.7 times as long as it says, so hours are a range; a measured run of the kind (`--from`) gives it",
};

/// The regime of a run, if runs like this one are known to differ from those of the fit by more than its error.
fn regime(run: &Run, workload: &Workload) -> Option<&'static Regime> {
    let trainer = run.trainer.as_ref().filter(|_| run.model.moe.is_some())?;
    if trainer.lora.is_some() && !workload.is_sft {
        return Some(&EXPERT_ADAPTERS);
    }
    (trainer.expert_parallel > 1).then_some(&EXPERT_PARALLEL)
}

fn train(
    run: &Run,
    workload: &Workload,
    card: &Card,
    calibration: Option<&Calibration>,
    notes: &mut Vec<String>,
) -> Option<Trained> {
    let (factor, of_tokens) = calibration.map_or((1.0, 1.0), |calibration| (calibration.trainer, calibration.tokens));
    let own = run.trainer.as_ref()?;
    let regime = if calibration.is_none() { regime(run, workload) } else { None };
    notes.extend(regime.map(|regime| regime.says.to_owned()));
    let kernel = workload.kernel.unwrap_or(card.generation.best());
    let window = table::window(&workload.model);
    let at_least_one = |count: f64| count.max(1.0);
    // GPUs that work on separate sequences.
    let ranks = at_least_one(f64::from(own.gpus) / f64::from(own.context_parallel.max(1)));
    let length = own.seq_len.as_f64();
    let per_micro_batch = length * f64::from(own.micro_batch.max(1)) * ranks;
    let handover = handover(run, card);
    let seconds = |micro_batches: f64| {
        let work = Work::of(&run.model, window, own, micro_batches, workload.is_sft);
        let exception = trainer::exception(&work, card, own.prime_rl);
        let exceptional = exception.map_or(0.0, |exception| exception.seconds_per_expert * work.expert_layers);
        (trainer::seconds(&work, card, kernel, &FIT) + exceptional) * factor
    };
    let step_of = |tokens: f64| {
        let micro_batches = at_least_one((tokens / per_micro_batch).ceil());
        (micro_batches, seconds(micro_batches))
    };
    let one = Work::of(&run.model, window, own, 1.0, workload.is_sft);
    notes.extend(trainer::exception(&one, card, own.prime_rl).map(|exception| exception.says.to_owned()));
    let (low, high) = match workload.data {
        Data::Sequences(count) => (count * length, count * length),
        Data::Rollouts { step: Some(step), .. } => (step, step),
        Data::Rollouts { count: Some(count), tokens, .. } => (count * tokens.low, count * tokens.high),
        Data::Rollouts { .. } | Data::Unknown => (per_micro_batch, per_micro_batch),
    };
    let (micro_batches, step) = step_of(f64::midpoint(low, high));
    // The error of a calibrated estimate is not larger than the differences between steps.
    let worst = calibration.map_or(ACCURACY.unseen_model.worst, |calibration| calibration.spread.min(1.0));
    let took = regime.map_or(Range { low: 1.0 - worst, high: 1.0 + worst }, |regime| regime.took);
    let whole = Range { low: step_of(low).1 * took.low + handover, high: step_of(high).1 * took.high + handover };
    let tokens_per_second = of_tokens * micro_batches * per_micro_batch / (step / factor + handover);
    Some(Trained {
        speed: (tokens_per_second, step),
        is_range: regime.is_some(),
        whole,
        middle: if regime.is_some() { whole.middle() } else { step + handover },
    })
}

/// Seconds until the weights of a step have reached the inference server. Adapters are small, and the direct transfer was not measured.
fn handover(run: &Run, card: &Card) -> f64 {
    const BF16: f64 = 2.0;
    let by_file = run.writes.is_some_and(|writes| writes.broadcast.is_some());
    let is_full = run.trainer.as_ref().is_some_and(|trainer| trainer.lora.is_none());
    if by_file && is_full { BF16 * run.model.parameters() / card.handover } else { 0.0 }
}

fn generate(run: &Run, assessment: &Assessment, workload: &Workload, card: &Card) -> Option<Range> {
    let (server, budget) = run.inference.as_ref().zip(assessment.budget.as_ref())?;
    let gpus = f64::from(u32::try_from(run.inference_gpus.len()).unwrap_or(u32::MAX));
    let replicas = (gpus / f64::from(server.tensor_parallel.max(1))).max(1.0);
    let in_flight = workload.in_flight?;
    let Data::Rollouts { tokens, .. } = workload.data else { return None };
    // While it is decoded, a sequence has on average half of its tokens.
    let length = tokens.times(0.5);
    Some(generation::tokens_per_second(server, budget, run.served_model(), card, replicas, in_flight, length))
}

impl Workload {
    /// Tokens that are generated for a step.
    pub fn answers(&self) -> Option<Range> {
        let Data::Rollouts { count, tokens, prompt, step } = self.data else { return None };
        let each = Range { low: tokens.low - prompt, high: tokens.high - prompt };
        match (count, step) {
            (Some(count), _) => Some(each.times(count)),
            (None, Some(step)) => Some(Range { low: step * each.low / tokens.low, high: step * each.high / tokens.high }),
            (None, None) => None,
        }
    }
}
