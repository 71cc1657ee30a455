//! Measured peaks from `tests/memory/points.csv`, and the model's prediction for each.

use super::Regime;
use crate::{
    architecture::Architecture,
    catalogue,
    prime_rl::Date,
    trainer::{Allocator, Checkpointing, Dtype, LmHead, Lora, Offload, Optimizer, Trainer},
    units::{Bytes, Tokens},
};

/// A measured run.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The model's name.
    pub model: &'static str,
    /// The model.
    pub architecture: &'static Architecture,
    /// Its configuration.
    pub trainer: Trainer,
    /// The card's name, and its memory as the run reported it.
    pub gpu: String,
    /// The card's memory.
    pub total: Bytes,
    /// The peak of reserved memory that prime-rl reported.
    pub measured: Bytes,
}

impl Point {
    /// The circumstances of the run.
    pub fn regime(&self) -> Regime {
        Regime::of(&self.trainer)
    }

    /// The predicted value of what the trainer reports.
    pub fn predicted(&self) -> Bytes {
        self.trainer.peak(self.architecture).reserved_on(self.total)
    }

    /// The error of the prediction, as a share of the measured value.
    pub fn error(&self) -> f64 {
        self.predicted().as_f64() / self.measured.as_f64() - 1.0
    }
}

/// Mean and largest absolute error of points; `None` if there are none.
pub fn errors<'a>(points: impl IntoIterator<Item = &'a Point>) -> Option<super::Figures> {
    let mut figures = super::Figures { points: 0, steps: 0, mean: 0.0, worst: 0.0 };
    for point in points {
        let error = point.error().abs();
        figures.points += 1;
        figures.mean += error;
        figures.worst = figures.worst.max(error);
    }
    figures.mean /= f64::from(figures.points);
    (figures.points > 0).then_some(figures)
}

/// From this day on, the benchmarks of February 2026 were started by hand and therefore without expandable segments, according to their dates and
/// branch.
const BY_HAND: (Date, Date) = (Date::new(2026, 2, 3), Date::new(2026, 2, 13));

/// Reads measured runs. The first line names the columns; an error names the line.
pub fn points(csv: &str) -> Result<Vec<Point>, String> {
    let rows = super::table::rows(csv)?;
    rows.iter().map(|row| point(row).map_err(|what| format!("line {}: {what}", row.line))).collect()
}

fn point(row: &super::table::Row<'_>) -> Result<Point, String> {
    let model = catalogue::model(row.text("model")?).map_err(|_| "an unknown model")?;
    let prime_rl = Date::parse(row.text("date")?).ok_or("no date")?;
    let by_hand = (BY_HAND.0..BY_HAND.1).contains(&prime_rl);
    let lora = match row.text("lora_rank")? {
        "full" => None,
        _ => Some(Lora { adapters: row.number("n_adapters")?, ..Lora::of_rank(row.number("lora_rank")?) }),
    };
    let trainer = Trainer {
        prime_rl,
        seq_len: Tokens(u64::from(row.number("seq_len")?)),
        micro_batch: 1,
        packs: 1,
        gpus: row.number("num_gpus")?,
        replicas: 1,
        context_parallel: row.number("cp")?,
        expert_parallel: row.number("ep")?,
        // The benchmark's fake data never completes a run of an adapter, so its optimizer makes no step.
        optimizer: if lora.is_some() { Optimizer::Never } else { Optimizer::AdamW },
        lora,
        dtype: Dtype::Float32,
        offload: if row.text("offload")? == "full" { Offload::Full } else { Offload::None },
        checkpointing: Checkpointing::Full { every: 1, offloaded: row.text("ac_mode")? == "Offload" },
        lm_head: lm_head(row)?,
        compile: false,
        allocator: if by_hand { Allocator::Fixed } else { Allocator::Expandable },
    };
    Ok(Point {
        model: model.id,
        architecture: model.architecture,
        trainer,
        gpu: row.text("gpu")?.to_owned(),
        total: Bytes::gib(row.real("gpu_total_gib")?),
        measured: Bytes::gib(row.real("measured_gib")?),
    })
}

/// How logits were computed in a row's run.
pub(super) fn lm_head(row: &super::table::Row<'_>) -> Result<LmHead, String> {
    let head = row.text("lm_head")?;
    match head.rsplit_once('_').map(|(kind, size)| (kind, size.parse())) {
        None if head == "vanilla" => Ok(LmHead::Whole),
        Some(("vocab_chunk", Ok(size))) => Ok(LmHead::VocabChunks(size)),
        Some(("token_chunk", Ok(size))) => Ok(LmHead::TokenChunks(Tokens(size.into()))),
        _ => Err(format!("an unknown head `{head}`")),
    }
}
