//! The duration of a run on one kind of card.

use cfg_memory::run::{Assessment, Run};

use crate::{
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
    /// Tokens that vLLM generates in a second.
    pub generation: Option<Range>,
    /// Seconds in which the rollouts of a step are generated, including the environment's time.
    pub made: Option<Range>,
    /// Seconds of a step of the whole run.
    pub whole_step: Option<Range>,
    /// Hours of the run.
    pub hours: Option<Range>,
    /// The notes for the user.
    pub notes: Vec<String>,
}

/// The trainer's part.
struct Trained {
    tokens_per_second: f64,
    step: f64,
    /// From the shortest rollouts to the longest, with the error of the fit.
    whole: Range,
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
    let whole_step = match (&trained, generated) {
        (Some(trained), Some(made)) if workload.is_overlapped && !shares => {
            Some(Range { low: trained.whole.low.max(made.low), high: trained.whole.high.max(made.high) })
        }
        (Some(trained), Some(made)) => Some(Range { low: trained.whole.low + made.low, high: trained.whole.high + made.high }),
        // Without a server of the run, the length of the rollouts is unknown.
        (Some(trained), None) => matches!(workload.data, Data::Sequences(_)).then_some(trained.whole),
        (None, made) => made.filter(|_| !is_unknown),
    };
    Some(Estimate {
        tokens_per_second: trained.as_ref().map(|trained| trained.tokens_per_second),
        step_seconds: trained.as_ref().map(|trained| trained.step),
        generation,
        made: generated,
        whole_step,
        hours: whole_step.zip(workload.steps).map(|(step, steps)| step.times(steps / 3600.0)),
        notes,
    })
}

/// The reason why the speed of some runs is not estimated.
const REFUSED: &str = "no speed of training adapters of a mixture of experts in RL: runs took 2 to 4 times as long as those that the \
                       estimate was fitted to; a measured run of the kind (`--from`) gives it";

/// Whether runs like this one are known to differ from those of the fit by more than its error.
fn is_refused(run: &Run, workload: &Workload) -> bool {
    run.model.moe.is_some() && run.trainer.as_ref().is_some_and(|trainer| trainer.lora.is_some()) && !workload.is_sft
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
    if calibration.is_none() && is_refused(run, workload) {
        notes.push(REFUSED.to_owned());
        return None;
    }
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
    Some(Trained {
        tokens_per_second: of_tokens * micro_batches * per_micro_batch / (step / factor + handover),
        step,
        whole: Range { low: step_of(low).1 * (1.0 - worst) + handover, high: step_of(high).1 * (1.0 + worst) + handover },
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
    Some(generation::tokens_per_second((server, budget, run.served_model()), card, (replicas, in_flight, length)))
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
