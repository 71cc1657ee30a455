//! A new config, for programs and for people.

use cfg_memory::run::{Assessment, Run};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The JSON Schema of [`DraftReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<DraftReport>()
}

/// What `cfg new --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DraftReport {
    /// The config, in TOML.
    pub text: String,
    /// Its entrypoint.
    pub kind: String,
    /// Its target.
    pub target: String,
    /// The model, by its name on the hub; null if it has none.
    pub model: Option<String>,
    /// The machine: `2x H100`; null if it is not given.
    pub gpu: Option<String>,
    /// How the model is trained: `full` or `lora`; null if it is not trained.
    pub method: Option<&'static str>,
    /// Tokens of the longest sequence; null if it is not known.
    pub seq_len: Option<u64>,
    /// The memory of each GPU.
    pub gpus: Vec<DraftGpu>,
    /// The distributions of the GPUs between trainer and inference that were compared, the chosen one first; empty if there was no choice.
    pub splits: Vec<DraftSplit>,
    /// The most disk space of the run at any time; null if nothing is saved.
    pub disk_bytes: Option<u64>,
    /// The conditions that can't be checked here, one sentence for each.
    pub unknown: Vec<String>,
}

/// One GPU of a new config.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DraftGpu {
    /// Its index.
    pub index: u32,
    /// Its processes: `trainer`, `inference` or `trainer, inference`.
    pub role: &'static str,
    /// Bytes in use at the peak, lower bound.
    pub low_bytes: u64,
    /// Bytes in use at the peak, upper bound.
    pub high_bytes: u64,
    /// Bytes of its memory.
    pub total_bytes: u64,
}

/// A distribution of the GPUs between trainer and inference.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DraftSplit {
    /// GPUs of the inference server.
    pub infer: u32,
    /// GPUs of the trainer.
    pub train: u32,
    /// Whether both fit on their GPUs.
    pub fits: bool,
    /// Estimated seconds of the trainer's step; null if it doesn't fit, or the speed is unknown.
    pub trainer_seconds: Option<f64>,
    /// Estimated seconds in which the rollouts of a step are generated, from the shortest to the longest.
    pub rollouts_seconds: Option<(f64, f64)>,
}

impl DraftSplit {
    /// One line of the table of what was compared.
    fn line(&self, place: usize) -> String {
        let times = match (self.fits, self.trainer_seconds, self.rollouts_seconds) {
            (false, ..) => "does not fit".to_owned(),
            (true, Some(trainer), Some((low, high))) => {
                format!("trainer's step {}, rollouts {} to {}", seconds(trainer), seconds(low), seconds(high))
            }
            (true, ..) => "fits; its speed is unknown".to_owned(),
        };
        let split = format!("{} for vLLM and {} for the trainer", self.infer, self.train);
        if place == 0 { format!("of the GPUs, {split}: {times}") } else { format!("considered instead, {split}: {times}") }
    }
}

/// A duration of a step.
fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}

impl DraftGpu {
    /// All GPUs that a run uses.
    pub fn all(run: &Run, assessment: &Assessment) -> Vec<Self> {
        let total_bytes = run.gpu.as_ref().map(|gpu| gpu.total.rounded()).unwrap_or_default();
        let one = |gpu: &cfg_memory::run::OnGpu| Self {
            index: gpu.index,
            role: match (gpu.trains, gpu.serves) {
                (true, true) => "trainer, inference",
                (true, false) => "trainer",
                _ => "inference",
            },
            low_bytes: gpu.judgement.held.0.rounded(),
            high_bytes: gpu.judgement.held.1.rounded(),
            total_bytes,
        };
        assessment.gpus.iter().map(one).collect()
    }
}

impl DraftReport {
    /// The same in sentences: the memory of each kind of GPU, and the unknown conditions.
    pub fn summary(&self) -> Vec<String> {
        #[expect(clippy::cast_precision_loss, reason = "no card has 2^53 bytes")]
        let gib = |bytes: u64| bytes as f64 / cfg_memory::GIB;
        let mut sentences: Vec<String> = Vec::new();
        for role in ["inference", "trainer", "trainer, inference"] {
            let same: Vec<&DraftGpu> = self.gpus.iter().filter(|gpu| gpu.role == role).collect();
            let (Some(first), Some(last)) = (same.first(), same.last()) else { continue };
            let which =
                if same.len() == 1 { format!("GPU {}", first.index) } else { format!("GPUs {} to {}", first.index, last.index) };
            let (low, high, total) = (gib(first.low_bytes), gib(first.high_bytes), gib(first.total_bytes));
            let (low, high) = (format!("{low:.1}"), format!("{high:.1}"));
            let held = if low == high { high } else { format!("{low} to {high}") };
            sentences.push(format!("{which} ({role}): {held} of {total:.1} GiB"));
        }
        sentences.extend(self.splits.iter().enumerate().map(|(place, split)| split.line(place)));
        sentences.extend(self.unknown.iter().cloned());
        sentences
    }
}
