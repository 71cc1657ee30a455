//! Measured peaks of single training steps from `tests/memory/steps.csv`: the operations of prime-rl's trainer with random weights, on one H200 with
//! torch 2.11. They show what runs of prime-rl were never measured for, such as training without activation checkpointing.

use super::points::lm_head;
use crate::{
    architecture::Architecture,
    catalogue,
    prime_rl::Date,
    trainer::{Allocator, Checkpointing, Dtype, Lora, Offload, Optimizer, Trainer},
    units::{Bytes, Tokens},
};

/// A measured step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The name of the model with these layers.
    pub model: &'static str,
    /// The model: as many of its layers as fit.
    pub architecture: Architecture,
    /// Its configuration.
    pub trainer: Trainer,
    /// Whether the norms were one kernel each.
    pub fused_norms: bool,
    /// The peak of allocated memory.
    pub allocated: Bytes,
    /// The peak of reserved memory.
    pub reserved: Bytes,
}

impl Step {
    /// The predicted value of the reserved memory.
    pub fn predicted(&self) -> Bytes {
        self.trainer.peak(&self.architecture).high
    }

    /// The error of the prediction, as a share of the measured value.
    pub fn error(&self) -> f64 {
        self.predicted().as_f64() / self.reserved.as_f64() - 1.0
    }
}

/// prime-rl's code whose operations were measured.
const MEASURED: Date = Date::new(2026, 8, 21);

/// Reads measured steps. The first line names the columns; an error names the line.
pub fn steps(csv: &str) -> Result<Vec<Step>, String> {
    let rows = super::table::rows(csv)?;
    rows.iter().map(|row| step(row).map_err(|what| format!("line {}: {what}", row.line))).collect()
}

fn step(row: &super::table::Row<'_>) -> Result<Step, String> {
    let model = catalogue::model(row.text("model")?).map_err(|_| "an unknown model")?;
    let lora = match row.text("lora_rank")? {
        "full" => None,
        _ => Some(Lora::of_rank(row.number("lora_rank")?)),
    };
    let trainer = Trainer {
        prime_rl: MEASURED,
        seq_len: Tokens(u64::from(row.number("seq_len")?)),
        micro_batch: row.number("sequences")?,
        packs: 1,
        gpus: 1,
        replicas: 1,
        context_parallel: 1,
        expert_parallel: 1,
        lora,
        dtype: if row.text("dtype")? == "bfloat16" { Dtype::Bfloat16 } else { Dtype::Float32 },
        optimizer: Optimizer::AdamW,
        offload: Offload::None,
        checkpointing: match row.text("checkpointed")? {
            "yes" => Checkpointing::Full { every: 1, offloaded: false },
            _ => Checkpointing::None,
        },
        lm_head: lm_head(row)?,
        compile: row.text("compiled")? == "yes",
        allocator: Allocator::Expandable,
    };
    Ok(Step {
        model: model.id,
        architecture: Architecture { layers: row.number("layers")?, ..model.architecture.clone() },
        trainer,
        fused_norms: row.text("norms")? == "fused",
        allocated: Bytes::gib(row.real("allocated_gib")?),
        reserved: Bytes::gib(row.real("reserved_gib")?),
    })
}
