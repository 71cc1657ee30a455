//! Start-ups of vLLM from public logs, from `tests/memory/starts.csv`: what it loaded, what was left for the KV cache, and how many tokens that was.

use std::borrow::Cow;

use crate::{
    catalogue::{self, Gpu, Named},
    hardware,
    inference::{Budget, Inference},
    precision::{Format, Precision},
    prime_rl::Vllm,
    units::{Bytes, Tokens},
};

/// A start-up of vLLM.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The model's name in the log.
    pub model: String,
    /// Its shape.
    pub named: Named,
    /// The card; `None` if the log doesn't say it.
    pub gpu: Option<Gpu>,
    /// The server's configuration.
    pub inference: Inference,
    /// Whether the log states the share of the card, so that the KV cache can be predicted.
    pub is_whole: bool,
    /// The weights on one GPU.
    pub weights: Option<Bytes>,
    /// The memory that was left for the KV cache on one GPU.
    pub room: Option<Bytes>,
    /// The tokens of the KV cache.
    pub tokens: Option<u64>,
    /// Sequences of `max_model_len` at the same time, to two decimals.
    pub sequences: Option<f64>,
    /// Where it was published.
    pub source: String,
}

impl Start {
    /// The predicted budget; on a card of usual size if the log doesn't say which.
    pub fn budget(&self) -> Budget {
        let large = || hardware::find("A100-80", &[]).ok();
        let gpu = self.gpu.clone().or_else(large).unwrap_or_else(|| catalogue::gpus()[0].clone());
        self.inference.budget(self.named.model.architecture, &gpu)
    }

    /// The error of the weights, as a share of what was loaded.
    pub fn weights_error(&self) -> Option<f64> {
        Some(self.budget().weights.as_f64() / self.weights?.as_f64() - 1.0)
    }

    /// The error of the tokens in the memory that was left, as a share of those in the log.
    pub fn tokens_error(&self) -> Option<f64> {
        let (tokens, room) = (self.tokens?, self.room?);
        Some(whole(self.budget().kv.tokens(room).0) / whole(tokens) - 1.0)
    }

    /// The error of the whole prediction: the tokens of the KV cache, or its memory if the log has no tokens.
    pub fn error(&self) -> Option<f64> {
        let budget = self.budget();
        let of_tokens = || Some(whole(budget.kv.expected().0) / whole(self.tokens?) - 1.0);
        let of_room = || Some(budget.kv.room.expected.as_f64() / self.room?.as_f64() - 1.0);
        if self.is_whole { of_tokens().or_else(of_room) } else { None }
    }

    /// Whether the memory that was left is within the predicted range.
    pub fn is_within(&self) -> Option<bool> {
        let budget = self.budget();
        let of_tokens = || Some((budget.kv.least().0..=budget.kv.most().0).contains(&self.tokens?));
        let of_room = || Some(budget.kv.room.low <= self.room? && self.room? <= budget.kv.room.high);
        if self.is_whole { of_tokens().or_else(of_room) } else { None }
    }
}

/// A count of tokens.
#[expect(clippy::cast_precision_loss, reason = "no cache holds 2^53 tokens")]
const fn whole(tokens: u64) -> f64 {
    tokens as f64
}

/// Reads start-ups. The first line names the columns; an error names the line.
pub fn starts(csv: &str) -> Result<Vec<Start>, String> {
    let rows = super::table::rows(csv)?;
    rows.iter().map(|row| start(row).map_err(|what| format!("line {}: {what}", row.line))).collect()
}

fn start(row: &super::table::Row<'_>) -> Result<Start, String> {
    let real = |column: &str| if row.text(column)?.is_empty() { Ok(None) } else { row.real(column).map(Some) };
    let count = |column: &str| if row.text(column)?.is_empty() { Ok(None) } else { row.number(column).map(Some) };
    let is_set = |column: &str| row.text(column).map(|text| text == "yes");
    let model = row.text("model")?;
    let named = catalogue::named(model).map_err(|_| "an unknown model")?;
    let size = real("card_gib")?;
    let gpu = match (row.text("card")?, size) {
        ("", None) => None,
        ("", Some(size)) => {
            Some(Gpu { total: Bytes::gib(size), name: Cow::Borrowed("another card"), ..catalogue::gpus()[0].clone() })
        }
        (name, size) => {
            let card = hardware::find(name, &[]).map_err(|_| "an unknown card")?;
            Some(Gpu { total: size.map_or(card.total, Bytes::gib), ..card })
        }
    };
    let (major, minor) = row.text("vllm")?.split_once('.').ok_or("no version in `vllm`")?;
    let version = |text: &str| text.parse().map_err(|_| "no version in `vllm`");
    let utilization = real("utilization")?;
    let precision = match row.text("format")? {
        "" => named.precision,
        key => Precision::of(Format::of_key(key).or((key == "int4").then_some(Format::Int4)).ok_or("an unknown format")?),
    };
    Ok(Start {
        is_whole: utilization.is_some() && gpu.is_some(),
        inference: Inference {
            vllm: Vllm::new(version(major)?, version(minor)?),
            tensor_parallel: row.number("tp")?,
            expert_parallel: 1,
            gpu_memory_utilization: utilization.unwrap_or(0.9),
            max_model_len: count("max_model_len")?.map(|tokens| Tokens(tokens.into())),
            max_num_seqs: count("max_num_seqs")?,
            max_num_batched_tokens: count("max_num_batched_tokens")?.map(|tokens| Tokens(tokens.into())),
            enforce_eager: is_set("eager")?,
            lora: None,
            kv_bytes: if row.text("kv")? == "fp8" { 1 } else { 2 },
            prefix_caching: is_set("prefix_caching")?,
            frees_windows: true,
            precision,
            draft_tokens: count("draft_tokens")?.unwrap_or(0),
        },
        model: model.to_owned(),
        named,
        gpu,
        weights: real("weights_gib")?.map(Bytes::gib),
        room: real("cache_gib")?.map(Bytes::gib),
        tokens: count("tokens")?.map(u64::from),
        sequences: real("sequences")?,
        source: row.text("source")?.to_owned(),
    })
}
