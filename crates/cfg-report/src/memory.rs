//! What a run needs of its GPUs and of the disk, for programs and for people.

mod table;

use cfg_memory::{
    Bytes,
    accuracy::Accuracy,
    catalogue::Gpu,
    disk::Disk,
    inference::Budget,
    run::{Assessment, OnGpu, Run},
    solve::{self, Remedy},
    trainer::{Part, Peak},
};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub use table::{write_cards, write_sweep, write_table};

/// The JSON Schema of [`MemoryReport`].
pub fn schema() -> Schema {
    schemars::generate::SchemaSettings::draft07().into_generator().into_root_schema_for::<MemoryReport<'_>>()
}

/// What `cfg memory --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryReport<'a> {
    /// The version of this format.
    pub schema_version: u32,
    /// The prime-rl that is meant.
    pub target: &'a str,
    /// Each GPU, by its number.
    pub gpus: Vec<GpuReport>,
    /// The disk; null where nothing trains.
    pub disk: Option<DiskReport>,
    /// How far the trainer's peak is to be trusted; null where nothing trains.
    pub accuracy: Option<AccuracyReport>,
    /// What the config doesn't tell and was taken for given.
    pub assumed: &'a [String],
    /// Changes of one setting that would help, the cheapest first.
    pub remedies: Vec<RemedyReport>,
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
    /// The weights.
    pub weights_bytes: u64,
    /// Tokens that are likely to fit into the KV cache.
    pub kv_cache_tokens: u64,
    /// What it is made of.
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
    pub not_validated: Vec<&'static str>,
}

/// A change that would help.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemedyReport {
    /// The change, as an order.
    pub change: String,
    /// What becomes of the run with it.
    pub verdict: &'static str,
}

impl<'a> MemoryReport<'a> {
    /// The report of an assessed run.
    pub fn new(target: &'a str, run: &Run, assessment: &Assessment, assumed: &'a [String]) -> Self {
        let of = |gpu: &OnGpu| GpuReport::new(gpu, run.gpu.as_ref(), assessment);
        Self {
            schema_version: crate::json::SCHEMA_VERSION,
            target,
            gpus: assessment.gpus.iter().map(of).collect(),
            disk: assessment.disk.as_ref().map(DiskReport::new),
            accuracy: assessment.accuracy.as_ref().map(AccuracyReport::new),
            assumed,
            remedies: solve::remedies(run).iter().map(RemedyReport::new).collect(),
        }
    }
}

impl GpuReport {
    fn new(gpu: &OnGpu, card: Option<&Gpu>, assessment: &Assessment) -> Self {
        let roles = [("trainer", gpu.trains), ("inference", gpu.serves)];
        Self {
            index: gpu.index,
            name: card.map(|card| card.name.to_string()),
            total_bytes: card.map(|card| card.total.whole()),
            roles: roles.into_iter().filter_map(|(role, has)| has.then_some(role)).collect(),
            verdict: gpu.judgement.verdict.as_str(),
            reasons: gpu.judgement.reasons.iter().map(ToString::to_string).collect(),
            trainer: assessment.peak.as_ref().filter(|_| gpu.trains).map(TrainerReport::new),
            inference: assessment.budget.as_ref().filter(|_| gpu.serves).map(InferenceReport::new),
        }
    }
}

fn parts(parts: &[Part]) -> Vec<PartReport> {
    let some = parts.iter().filter(|part| part.bytes > Bytes::ZERO);
    some.map(|part| PartReport { name: part.name, bytes: part.bytes.whole() }).collect()
}

impl TrainerReport {
    fn new(peak: &Peak) -> Self {
        Self {
            peak_low_bytes: peak.low.whole(),
            peak_high_bytes: peak.high.whole(),
            context_bytes: peak.context.whole(),
            parts: parts(&peak.parts),
        }
    }
}

impl InferenceReport {
    fn new(budget: &Budget) -> Self {
        Self {
            reserved_bytes: budget.requested.whole(),
            weights_bytes: budget.weights.whole(),
            kv_cache_tokens: budget.kv.expected().0,
            parts: parts(&budget.parts()),
        }
    }
}

impl DiskReport {
    fn new(disk: &Disk) -> Self {
        Self {
            checkpoint_bytes: disk.checkpoint.whole(),
            weights_bytes: disk.weights.whole(),
            broadcast_bytes: disk.broadcast.whole(),
            checkpoints_kept: disk.kept,
            total_bytes: disk.total.whole(),
            peak_bytes: disk.peak.whole(),
        }
    }
}

impl AccuracyReport {
    fn new(accuracy: &Accuracy) -> Self {
        Self {
            regime: accuracy.regime.as_str(),
            measured_runs: accuracy.figures.points,
            mean_error: accuracy.figures.mean,
            worst_error: accuracy.figures.worst,
            validated: accuracy.validated,
            not_validated: accuracy.unvalidated.clone(),
        }
    }
}

impl RemedyReport {
    fn new(remedy: &Remedy) -> Self {
        Self { change: remedy.change.to_string(), verdict: remedy.verdict.as_str() }
    }
}
