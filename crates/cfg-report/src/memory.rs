//! The GPU memory and disk space that a run needs, for programs and for people.

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
    origin::NamedModel,
    precision::Format,
    run::{Assessment, OnGpu, Run},
    solve::{self, Limits, Remedy},
    trainer::{Part, Peak},
};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub use changes::{write_changes, write_new};
pub use rows::{MemoryRows, RowReport, rows_schema, write_rows};
pub(crate) use svg::parts;
pub use svg::{write_rows_svg, write_svg};
pub(crate) use table::{amount, disk_in_words, margin, range, verdict};
pub use table::{headline, write_table};

/// The JSON Schema of [`MemoryReport`].
pub fn schema() -> Schema {
    crate::json::schema_of_identified::<MemoryReport>()
}

/// The input of the report.
#[derive(Clone, Copy, Debug)]
pub struct Assessed<'a> {
    /// The target.
    pub target: &'a str,
    /// The run.
    pub run: &'a Run,
    /// Its assessment.
    pub assessment: &'a Assessment,
    /// The machine, if it is known.
    pub hardware: Option<&'a Hardware>,
    /// The source of the machine, in words.
    pub source: &'a str,
    /// The free disk space, if it is given.
    pub free: Option<Bytes>,
    /// Its models.
    pub models: &'a [NamedModel],
    /// Assumptions for values that the config does not give.
    pub assumed: &'a [String],
    /// Errors that prevent a start on these GPUs, whatever their memory.
    pub errors: &'a [String],
}

/// What `cfg memory --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryReport {
    /// The version of this format.
    pub schema_version: u32,
    /// The target.
    pub target: String,
    /// The machine; null if it is not known.
    pub hardware: Option<HardwareReport>,
    /// The models, the trained one first; one entry if it is also the served one.
    pub models: Vec<NamedModelReport>,
    /// Each GPU, by its number.
    pub gpus: Vec<GpuReport>,
    /// The disk; null if nothing is trained.
    pub disk: Option<DiskReport>,
    /// Memory of the hosts, over all nodes, that the trainer's offload to the CPU needs; null without one.
    pub host_memory_bytes: Option<u64>,
    /// How reliable the trainer's peak is; null if nothing is trained.
    pub accuracy: Option<AccuracyReport>,
    /// Assumptions for values that the config does not give.
    pub assumed: Vec<String>,
    /// Errors that prevent a start on these GPUs, whatever their memory: too few GPUs, or a number that its degrees of parallelism don't divide.
    pub layout_errors: Vec<String>,
    /// The limits of settings, each with the others unchanged.
    pub limits: LimitsReport,
    /// Changes of one setting that would help, the cheapest first.
    pub remedies: Vec<RemedyReport>,
    /// Known cards on which the run fits without changes, the smallest first.
    pub fits_on: Vec<String>,
}

/// The machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HardwareReport {
    /// The number of its GPUs.
    pub count: u32,
    /// Their kind.
    pub name: String,
    /// The memory of each, as the driver reports it.
    pub total_bytes: u64,
    /// Where it is given.
    pub source: String,
}

/// A model of the run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NamedModelReport {
    /// Its name in the config.
    pub name: String,
    /// Its parameters.
    pub parameters: u64,
    /// The format in which vLLM holds its matrices: `bf16`, `fp8`, `mxfp4`; null if nothing serves it.
    pub served_as: Option<&'static str>,
    /// Where its shape comes from.
    pub source: String,
    /// What of its `config.json` memory depends on and isn't counted.
    pub not_counted: Vec<String>,
}

/// One GPU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GpuReport {
    /// Its number.
    pub index: u32,
    /// Its kind; null if that isn't known.
    pub name: Option<String>,
    /// Its memory as the driver reports it.
    pub total_bytes: Option<u64>,
    /// Its processes: `trainer`, `inference`.
    pub roles: Vec<&'static str>,
    /// `fits`, `tight`, `out-of-memory`, `start-up-failure` or `unknown`.
    pub verdict: &'static str,
    /// Why it doesn't simply fit.
    pub reasons: Vec<String>,
    /// The memory in use before the first step; null if its kind isn't known.
    pub idle_bytes: Option<u64>,
    /// The memory in use at the peak, lower bound; null if its kind isn't known.
    pub held_low_bytes: Option<u64>,
    /// The memory in use at the peak, upper bound; null if its kind isn't known.
    pub held_high_bytes: Option<u64>,
    /// The trainer on it.
    pub trainer: Option<TrainerReport>,
    /// The inference server on it; also null if the kind of card isn't known.
    pub inference: Option<InferenceReport>,
}

/// The trainer on one GPU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrainerReport {
    /// The peak of reserved memory that it reports if the card is large enough: the least.
    pub peak_low_bytes: u64,
    /// The predicted value.
    pub peak_bytes: u64,
    /// The most.
    pub peak_high_bytes: u64,
    /// The CUDA context, in addition to the peak.
    pub context_bytes: u64,
    /// The parts of the predicted value.
    pub parts: Vec<PartReport>,
}

/// The inference server on one GPU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InferenceReport {
    /// The memory that it reserves.
    pub reserved_bytes: u64,
    /// The memory that it uses in addition: its CUDA context and, before vLLM 0.21, CUDA graphs.
    pub context_bytes: u64,
    /// The weights.
    pub weights_bytes: u64,
    /// Tokens that are likely to fit into the KV cache.
    pub kv_cache_tokens: u64,
    /// Tokens that certainly fit into it.
    pub kv_cache_tokens_least: u64,
    /// The largest number of tokens that may fit into it.
    pub kv_cache_tokens_most: u64,
    /// The longest sequence that certainly fits into it; longer than `kv_cache_tokens_least` if some layers don't keep all tokens.
    pub sequence_tokens_least: u64,
    /// The longest sequence that is likely to fit into it.
    pub sequence_tokens: u64,
    /// Tokens of the longest served sequence.
    pub max_model_len: u64,
    /// Sequences of that length that are likely to fit into the KV cache at the same time.
    pub sequences: u64,
    /// The parts of the reserved memory; CUDA graphs before vLLM 0.21 are not included.
    pub parts: Vec<PartReport>,
}

/// A part of an amount.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartReport {
    /// Its name.
    pub name: &'static str,
    /// Its size.
    pub bytes: u64,
}

/// The limits of settings with which the run certainly fits, each with the others unchanged. Null if no value fits, or the card
/// is not known.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LimitsReport {
    /// The smallest `gpu_memory_utilization`.
    pub gpu_memory_utilization_least: Option<f64>,
    /// The largest `gpu_memory_utilization`.
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
    /// The weights saved with it.
    pub weights_bytes: u64,
    /// Weights passed to inference.
    pub broadcast_bytes: u64,
    /// Number of kept checkpoints; null if it grows without limit.
    pub checkpoints_kept: Option<u64>,
    /// The total at the end.
    pub total_bytes: u64,
    /// The largest amount at any time.
    pub peak_bytes: u64,
    /// The free space; null if it is not given.
    pub free_bytes: Option<u64>,
    /// `fits`, `full`, or `unknown`.
    pub verdict: &'static str,
}

/// How reliable the trainer's peak is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AccuracyReport {
    /// What the measured runs share with this one.
    pub regime: &'static str,
    /// The number of measured runs.
    pub measured_runs: u32,
    /// Single steps that were measured beside them.
    pub measured_steps: u32,
    /// The mean of the absolute errors, as a share.
    pub mean_error: f64,
    /// The largest.
    pub worst_error: f64,
    /// Measured runs and steps of the same regime and class of model, whose errors the range of the peak covers.
    pub range_runs: u32,
    /// Whether runs like this one were measured, and the model agreed with them.
    pub validated: bool,
    /// Whether the model agreed with the runs that were measured.
    #[serde(skip)]
    pub(crate) is_matched: bool,
    /// The properties of this run that were never measured.
    pub not_validated: Vec<String>,
}

/// A change that would help.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemedyReport {
    /// The change, as an instruction.
    pub change: String,
    /// The verdict of the run with it.
    pub verdict: &'static str,
}

impl MemoryReport {
    /// The report of an assessed run.
    pub fn new(assessed: Assessed<'_>) -> Self {
        let Assessed { target, run, assessment, hardware, source, free, models, assumed, errors } = assessed;
        let machine = |hardware: &Hardware| HardwareReport {
            count: hardware.count,
            name: hardware.gpu.name.to_string(),
            total_bytes: hardware.gpu.total.rounded(),
            source: source.to_owned(),
        };
        Self {
            schema_version: crate::json::SCHEMA_VERSION,
            target: target.to_owned(),
            hardware: hardware.map(machine),
            models: models.iter().map(NamedModelReport::new).collect(),
            gpus: assessment.gpus.iter().map(|gpu| GpuReport::new(gpu, run, assessment)).collect(),
            disk: assessment.disk.as_ref().map(|disk| DiskReport::new(disk, free)),
            host_memory_bytes: run
                .trainer
                .as_ref()
                .map(|trainer| trainer.host_memory(&run.model).rounded())
                .filter(|bytes| *bytes > 0),
            accuracy: assessment.accuracy.as_ref().map(|accuracy| AccuracyReport::new(accuracy, run.gpu.as_ref())),
            assumed: run
                .gpu
                .as_ref()
                .and_then(lacking)
                .into_iter()
                .chain(models.iter().flat_map(NamedModel::notes))
                .chain(assumed.iter().cloned())
                .collect(),
            layout_errors: errors.to_vec(),
            limits: LimitsReport::new(&solve::limits(run)),
            remedies: solve::remedies(run).iter().map(RemedyReport::new).collect(),
            fits_on: solve::fitting(run).into_iter().map(|gpu| gpu.name.to_string()).collect(),
        }
    }
}

/// A feature that the values assume and the card does not have.
fn lacking(card: &Gpu) -> Option<String> {
    card.lacks.map(|lacks| format!("{} lacks {lacks}; the figures ignore that", card.name))
}

impl NamedModelReport {
    fn new(model: &NamedModel) -> Self {
        Self {
            name: model.name.clone(),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float is cast to the nearest that there is"
            )]
            parameters: model.parameters as u64,
            served_as: model.served_as.map(Format::as_str),
            source: model.origin.to_string(),
            not_counted: model.unmodelled.clone(),
        }
    }
}

impl GpuReport {
    fn new(gpu: &OnGpu, run: &Run, assessment: &Assessment) -> Self {
        let roles = [("trainer", gpu.trains), ("inference", gpu.serves)];
        let judgement = &gpu.judgement;
        let card = run.gpu.as_ref();
        let known = |bytes: Bytes| card.map(|_| bytes.rounded());
        Self {
            index: gpu.index,
            name: card.map(|card| card.name.to_string()),
            total_bytes: card.map(|card| card.total.rounded()),
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
    some.map(|part| PartReport { name: part.name, bytes: part.bytes.rounded() }).collect()
}

impl TrainerReport {
    fn new(peak: &Peak) -> Self {
        Self {
            peak_low_bytes: peak.low.rounded(),
            peak_bytes: peak.middle.rounded(),
            peak_high_bytes: peak.high.rounded(),
            context_bytes: peak.context.rounded(),
            parts: reports(&peak.parts),
        }
    }
}

impl InferenceReport {
    fn new(budget: &Budget) -> Self {
        let own = budget.parts().into_iter().filter(|part| budget.graphs_within || part.name != "cuda-graphs");
        Self {
            reserved_bytes: budget.requested.rounded(),
            context_bytes: (budget.held().1 - budget.requested).rounded(),
            weights_bytes: budget.weights.rounded(),
            kv_cache_tokens: budget.kv.expected().0,
            kv_cache_tokens_least: budget.kv.least().0,
            kv_cache_tokens_most: budget.kv.most().0,
            sequence_tokens_least: budget.kv.longest(budget.kv.room.low).0,
            sequence_tokens: budget.kv.longest(budget.kv.room.expected).0,
            max_model_len: budget.max_model_len.0,
            sequences: budget.kv.sequences(budget.kv.room.expected, budget.max_model_len),
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
        // An unlimited number of checkpoints fills any disk.
        let verdict = |free: Bytes| if disk.peak <= free && disk.kept.is_some() { "fits" } else { "full" };
        Self {
            checkpoint_bytes: disk.checkpoint.rounded(),
            weights_bytes: disk.weights.rounded(),
            broadcast_bytes: disk.broadcast.rounded(),
            checkpoints_kept: disk.kept,
            total_bytes: disk.total.rounded(),
            peak_bytes: disk.peak.rounded(),
            free_bytes: free.map(Bytes::rounded),
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
            measured_runs: accuracy.figures.points - accuracy.figures.steps,
            measured_steps: accuracy.figures.steps,
            mean_error: accuracy.figures.mean,
            worst_error: accuracy.figures.worst,
            range_runs: accuracy.spread.runs,
            validated: accuracy.validated && other_card.is_none(),
            is_matched: accuracy.regime.agrees(),
            not_validated: of_run.chain(other_card.map(|card| format!("runs on {}", card.name))).collect(),
        }
    }
}

impl RemedyReport {
    fn new(remedy: &Remedy) -> Self {
        Self { change: remedy.change.to_string(), verdict: remedy.verdict.as_str() }
    }
}
