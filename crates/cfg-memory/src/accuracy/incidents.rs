//! Runs with a written outcome, from `tests/memory/incidents.csv`, and the model's prediction for each.

use crate::{
    catalogue, hardware,
    inference::Inference,
    prime_rl::{Date, Vllm},
    run::{OnGpu, Run},
    trainer::{Allocator, Checkpointing, Dtype, LmHead, Lora, Offload, Optimizer, Trainer},
    units::Tokens,
    verdict::Verdict,
};

/// A run on one card, or on two: one for training and one for serving.
#[derive(Clone, Debug, PartialEq)]
pub struct Incident {
    /// A name for it.
    pub name: String,
    /// Its configuration.
    pub run: Run,
    /// Its outcome, if it was logged.
    pub observed: Option<Outcome>,
    /// The free memory of the trainer's card at the peak in GiB, as a lower and an upper bound, if the model's description gives it.
    pub margin: (Option<f64>, Option<f64>),
    /// What users observed.
    pub story: String,
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It trained.
    Runs,
    /// The trainer ran out of memory.
    OutOfMemory,
    /// vLLM refused to start.
    StartUpFailure,
}

impl Outcome {
    /// The outcome that a verdict predicts.
    pub const fn of(verdict: Verdict) -> Option<Self> {
        match verdict {
            Verdict::Fits | Verdict::Tight => Some(Self::Runs),
            Verdict::OutOfMemory => Some(Self::OutOfMemory),
            Verdict::StartUpFailure => Some(Self::StartUpFailure),
            Verdict::Unknown => None,
        }
    }
}

/// The prime-rl of these runs. Their commit is not recorded; it is from these days, when the LM head computed all logits by default.
const PRIME_RL: Date = Date::new(2026, 1, 5);

impl Incident {
    /// The prediction for the trainer's card.
    pub fn trainer_card(&self) -> Option<OnGpu> {
        self.run.assess().gpus.into_iter().find(|gpu| gpu.trains)
    }
}

/// Reads incidents. The first line names the columns; an error names the line.
pub fn incidents(csv: &str) -> Result<Vec<Incident>, String> {
    let rows = super::table::rows(csv)?;
    rows.iter().map(|row| incident(row).map_err(|what| format!("line {}: {what}", row.line))).collect()
}

fn incident(row: &super::table::Row<'_>) -> Result<Incident, String> {
    let model = catalogue::model(row.text("model")?).map_err(|_| "an unknown model")?;
    let gpu = hardware::find(row.text("gpu")?, &[]).map_err(|error| error.to_string())?;
    let trainer = Trainer {
        prime_rl: PRIME_RL,
        seq_len: Tokens(row.number("seq_len")?.into()),
        micro_batch: 1,
        packs: 1,
        gpus: 1,
        replicas: 1,
        context_parallel: 1,
        expert_parallel: 1,
        lora: if row.text("lora_rank")? == "full" { None } else { Some(Lora::of_rank(row.number("lora_rank")?)) },
        dtype: Dtype::Float32,
        optimizer: Optimizer::AdamW,
        offload: Offload::None,
        checkpointing: match row.text("checkpointing")? {
            "yes" => Checkpointing::Full { every: 1, offloaded: false },
            _ => Checkpointing::None,
        },
        lm_head: LmHead::Whole,
        compile: false,
        allocator: Allocator::Expandable,
    };
    let inference = Inference {
        vllm: Vllm::of_prime_rl(PRIME_RL),
        tensor_parallel: 1,
        expert_parallel: 1,
        gpu_memory_utilization: row.real("utilization")?,
        max_model_len: Some(Tokens(row.number("max_model_len")?.into())),
        max_num_seqs: None,
        max_num_batched_tokens: None,
        enforce_eager: true,
        lora: None,
        kv_bytes: 2,
        prefix_caching: false,
        frees_windows: true,
        precision: model.precision,
        draft_tokens: 0,
    };
    let run = Run {
        model: model.architecture.clone(),
        served: None,
        confirmed: model.confirmed,
        gpu: Some(gpu),
        trainer: Some(trainer),
        trainer_gpus: vec![u32::from(row.text("shared")? != "yes")],
        inference: Some(inference),
        inference_gpus: vec![0],
        writes: None,
    };
    let observed = match row.text("observed")? {
        "" => None,
        "runs" => Some(Outcome::Runs),
        "out-of-memory" => Some(Outcome::OutOfMemory),
        "start-up-failure" => Some(Outcome::StartUpFailure),
        other => return Err(format!("an unknown outcome `{other}`")),
    };
    let stated = |column| if row.text(column)?.is_empty() { Ok(None) } else { row.real(column).map(Some) };
    Ok(Incident {
        name: row.text("name")?.to_owned(),
        run,
        observed,
        margin: (stated("least")?, stated("most")?),
        story: row.text("story")?.to_owned(),
    })
}
