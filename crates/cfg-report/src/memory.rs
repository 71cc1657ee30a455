//! What a run needs of its GPUs and of the disk, for programs and for people.

mod changes;
mod rows;
mod svg;
mod table;

use cfg_memory::{
    Bytes,
    accuracy::Accuracy,
    catalogue::Gpu,
    disk::Disk,
    hardware::Hardware,
    inference::Budget,
    run::{Assessment, OnGpu, Run},
    solve::{self, Limits, Remedy},
    trainer::{Part, Peak},
};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub use changes::write_changes;
pub use rows::{MemoryRows, RowReport, rows_schema, write_rows};
pub(crate) use svg::parts;
pub use svg::{write_rows_svg, write_svg};
pub use table::write_table;
pub(crate) use table::{amount, margin, range, verdict};

/// The JSON Schema of [`MemoryReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<MemoryReport>()
}

/// What is reported.
#[derive(Clone, Copy, Debug)]
pub struct Assessed<'a> {
    /// The prime-rl that is meant.
    pub target: &'a str,
    /// The run.
    pub run: &'a Run,
    /// What becomes of it.
    pub assessment: &'a Assessment,
    /// The machine, if it is known.
    pub hardware: Option<&'a Hardware>,
    /// Who states the machine, in words.
    pub source: &'a str,
    /// What is free on the disk, where that is stated.
    pub free: Option<Bytes>,
    /// What was assumed because the config does not state it.
    pub assumed: &'a [String],
    /// What keeps the run from starting on these GPUs, whatever they hold.
    pub errors: &'a [String],
}

/// What `cfg memory --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The prime-rl that is meant.
    pub target: String,
    /// The machine; null if it is not known.
    pub hardware: Option<HardwareReport>,
    /// Each GPU, by its number.
    pub gpus: Vec<GpuReport>,
    /// The disk; null where nothing trains.
    pub disk: Option<DiskReport>,
    /// How far the trainer's peak is to be trusted; null where nothing trains.
    pub accuracy: Option<AccuracyReport>,
    /// What was assumed because the config does not state it.
    pub assumed: Vec<String>,
    /// What keeps the run from starting on these GPUs, whatever they hold: too few of them, or a number that its degrees of parallelism don't divide.
    pub layout_errors: Vec<String>,
    /// How far settings may go, each with the others left as they are.
    pub limits: LimitsReport,
    /// Changes of one setting that would help, the cheapest first.
    pub remedies: Vec<RemedyReport>,
    /// Known cards on which the run fits as it is, the smallest first.
    pub fits_on: Vec<String>,
}

/// The machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HardwareReport {
    /// How many GPUs it has.
    pub count: u32,
    /// Their kind.
    pub name: String,
    /// The memory of each as the driver gives it.
    pub total_bytes: u64,
    /// Who states it.
    pub source: String,
}

/// One GPU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GpuReport {
    /// Its number.
    pub index: u32,
    /// Its kind; null if that isn't known.
    pub name: Option<String>,
    /// Its memory as the driver gives it.
    pub total_bytes: Option<u64>,
    /// What runs on it: `trainer`, `inference`.
    pub roles: Vec<&'static str>,
    /// `fits`, `tight`, `out-of-memory`, `start-up-failure` or `unknown`.
    pub verdict: &'static str,
    /// Why it doesn't simply fit.
    pub reasons: Vec<String>,
    /// What is on it before the first step; null if its kind isn't known.
    pub idle_bytes: Option<u64>,
    /// Everything on it at the peak, at the least; null if its kind isn't known.
    pub held_low_bytes: Option<u64>,
    /// Everything on it at the peak, at the most; null if its kind isn't known.
    pub held_high_bytes: Option<u64>,
    /// The trainer on it.
    pub trainer: Option<TrainerReport>,
    /// The inference server on it; null as well where the kind of card isn't known.
    pub inference: Option<InferenceReport>,
}

/// The trainer on one GPU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrainerReport {
    /// What it cannot do without.
    pub peak_low_bytes: u64,
    /// What it will report as its peak of reserved memory, if the card has it.
    pub peak_high_bytes: u64,
    /// The CUDA context, which comes on top.
    pub context_bytes: u64,
    /// What the upper bound is made of.
    pub parts: Vec<PartReport>,
}

/// The inference server on one GPU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InferenceReport {
    /// What it takes of the card.
    pub reserved_bytes: u64,
    /// What it holds besides: its CUDA context and, before vLLM 0.21, CUDA graphs.
    pub context_bytes: u64,
    /// The weights.
    pub weights_bytes: u64,
    /// Tokens that are likely to fit into the KV cache.
    pub kv_cache_tokens: u64,
    /// Tokens that fit into it for certain.
    pub kv_cache_tokens_least: u64,
    /// Tokens of the longest sequence that is served.
    pub max_model_len: u64,
    /// What is taken is made of this; CUDA graphs before vLLM 0.21 are not in it.
    pub parts: Vec<PartReport>,
}

/// A part of an amount.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartReport {
    /// What it is.
    pub name: &'static str,
    /// How much.
    pub bytes: u64,
}

/// How far settings may go for the run to fit for certain, each with the others left as they are. Null where no value would do, or the card
/// is not known.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LimitsReport {
    /// The least `gpu_memory_utilization`.
    pub gpu_memory_utilization_least: Option<f64>,
    /// The most.
    pub gpu_memory_utilization_most: Option<f64>,
    /// The longest `seq_len` of the trainer.
    pub seq_len_most: Option<u64>,
    /// The longest `max_model_len`.
    pub max_model_len_most: Option<u64>,
}

/// The disk.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DiskReport {
    /// One checkpoint of the trainer.
    pub checkpoint_bytes: u64,
    /// The weights beside it.
    pub weights_bytes: u64,
    /// Weights handed to inference.
    pub broadcast_bytes: u64,
    /// Checkpoints that are kept; null if they grow without end.
    pub checkpoints_kept: Option<u64>,
    /// What is kept at the end.
    pub total_bytes: u64,
    /// The most at any time.
    pub peak_bytes: u64,
    /// What is free; null where nobody states it.
    pub free_bytes: Option<u64>,
    /// `fits`, `full`, or `unknown`.
    pub verdict: &'static str,
}

/// How far the trainer's peak is to be trusted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AccuracyReport {
    /// What the measured runs have in common with this one.
    pub regime: &'static str,
    /// How many there are.
    pub measured_runs: u32,
    /// The mean of the absolute errors, as a share.
    pub mean_error: f64,
    /// The largest.
    pub worst_error: f64,
    /// Whether runs like this one were measured, and the model agreed with them.
    pub validated: bool,
    /// What of this run was never measured.
    pub not_validated: Vec<String>,
}

/// A change that would help.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemedyReport {
    /// The change, as an order.
    pub change: String,
    /// What becomes of the run with it.
    pub verdict: &'static str,
}

impl MemoryReport {
    /// The report of an assessed run.
    pub fn new(assessed: Assessed<'_>) -> Self {
        let Assessed { target, run, assessment, hardware, source, free, assumed, errors } = assessed;
        let machine = |hardware: &Hardware| HardwareReport {
            count: hardware.count,
            name: hardware.gpu.name.to_string(),
            total_bytes: hardware.gpu.total.whole(),
            source: source.to_owned(),
        };
        Self {
            schema_version: crate::json::SCHEMA_VERSION,
            target: target.to_owned(),
            hardware: hardware.map(machine),
            gpus: assessment.gpus.iter().map(|gpu| GpuReport::new(gpu, run, assessment)).collect(),
            disk: assessment.disk.as_ref().map(|disk| DiskReport::new(disk, free)),
            accuracy: assessment.accuracy.as_ref().map(|accuracy| AccuracyReport::new(accuracy, run.gpu.as_ref())),
            assumed: run.gpu.as_ref().and_then(lacking).into_iter().chain(assumed.iter().cloned()).collect(),
            layout_errors: errors.to_vec(),
            limits: LimitsReport::new(&solve::limits(run)),
            remedies: solve::remedies(run).iter().map(RemedyReport::new).collect(),
            fits_on: solve::fitting(run).into_iter().map(|gpu| gpu.name.to_string()).collect(),
        }
    }
}

/// What a card lacks that the figures take for given.
fn lacking(card: &Gpu) -> Option<String> {
    card.lacks.map(|lacks| format!("{} has what it lacks: {lacks}", card.name))
}

impl GpuReport {
    fn new(gpu: &OnGpu, run: &Run, assessment: &Assessment) -> Self {
        let roles = [("trainer", gpu.trains), ("inference", gpu.serves)];
        let judgement = &gpu.judgement;
        let card = run.gpu.as_ref();
        let known = |bytes: Bytes| card.map(|_| bytes.whole());
        Self {
            index: gpu.index,
            name: card.map(|card| card.name.to_string()),
            total_bytes: card.map(|card| card.total.whole()),
            roles: roles.into_iter().filter_map(|(role, has)| has.then_some(role)).collect(),
            verdict: judgement.verdict.as_str(),
            reasons: judgement.reasons.iter().map(ToString::to_string).collect(),
            idle_bytes: known(judgement.idle),
            held_low_bytes: known(judgement.held.0),
            held_high_bytes: known(judgement.held.1),
            trainer: assessment.peak.as_ref().filter(|_| gpu.trains).map(TrainerReport::new),
            inference: assessment.budget.as_ref().filter(|_| gpu.serves).map(InferenceReport::new),
        }
    }
}

fn reports(parts: &[Part]) -> Vec<PartReport> {
    let some = parts.iter().filter(|part| part.bytes > Bytes::ZERO);
    some.map(|part| PartReport { name: part.name, bytes: part.bytes.whole() }).collect()
}

impl TrainerReport {
    fn new(peak: &Peak) -> Self {
        Self {
            peak_low_bytes: peak.low.whole(),
            peak_high_bytes: peak.high.whole(),
            context_bytes: peak.context.whole(),
            parts: reports(&peak.parts),
        }
    }
}

impl InferenceReport {
    fn new(budget: &Budget) -> Self {
        let own = budget.parts().into_iter().filter(|part| budget.graphs_within || part.name != "cuda-graphs");
        Self {
            reserved_bytes: budget.requested.whole(),
            context_bytes: (budget.held().1 - budget.requested).whole(),
            weights_bytes: budget.weights.whole(),
            kv_cache_tokens: budget.kv.expected().0,
            kv_cache_tokens_least: budget.kv.least().0,
            max_model_len: budget.max_model_len.0,
            parts: reports(&own.collect::<Vec<_>>()),
        }
    }
}

impl LimitsReport {
    fn new(limits: &Limits) -> Self {
        Self {
            gpu_memory_utilization_least: limits.utilization.map(|(least, _)| least),
            gpu_memory_utilization_most: limits.utilization.map(|(_, most)| most),
            seq_len_most: limits.seq_len.map(|tokens| tokens.0),
            max_model_len_most: limits.max_model_len.map(|tokens| tokens.0),
        }
    }
}

impl DiskReport {
    fn new(disk: &Disk, free: Option<Bytes>) -> Self {
        // Checkpoints without end fill any disk.
        let verdict = |free: Bytes| if disk.peak <= free && disk.kept.is_some() { "fits" } else { "full" };
        Self {
            checkpoint_bytes: disk.checkpoint.whole(),
            weights_bytes: disk.weights.whole(),
            broadcast_bytes: disk.broadcast.whole(),
            checkpoints_kept: disk.kept,
            total_bytes: disk.total.whole(),
            peak_bytes: disk.peak.whole(),
            free_bytes: free.map(Bytes::whole),
            verdict: free.map_or("unknown", verdict),
        }
    }
}

impl AccuracyReport {
    fn new(accuracy: &Accuracy, card: Option<&Gpu>) -> Self {
        let other_card = card.filter(|card| !card.measured);
        let of_run = accuracy.unvalidated.iter().map(|part| (*part).to_owned());
        Self {
            regime: accuracy.regime.as_str(),
            measured_runs: accuracy.figures.points,
            mean_error: accuracy.figures.mean,
            worst_error: accuracy.figures.worst,
            validated: accuracy.validated && other_card.is_none(),
            not_validated: of_run.chain(other_card.map(|card| format!("runs on {}", card.name))).collect(),
        }
    }
}

impl RemedyReport {
    fn new(remedy: &Remedy) -> Self {
        Self { change: remedy.change.to_string(), verdict: remedy.verdict.as_str() }
    }
}
