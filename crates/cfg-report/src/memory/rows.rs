//! One run under several conditions: on each known card, or with each value of a setting.

use std::io::{self, Write};

use cfg_memory::{Bytes, run::Run};
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::table::{amount, margin, range, verdict};
use crate::{Style, paint::BOLD};

/// The JSON Schema of [`MemoryRows`].
pub fn rows_schema() -> Schema {
    crate::json::schema_of::<MemoryRows>()
}

/// What `cfg memory --sweep` and `--gpu all` write with `--format json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryRows {
    /// The version of this format.
    pub schema_version: u32,
    /// The target.
    pub target: String,
    /// The varied setting, or `gpu`.
    pub varied: String,
    /// The result for each value.
    pub rows: Vec<RowReport>,
}

/// The result for one value, or one card. Of several GPUs, the fullest counts.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RowReport {
    /// The value in TOML syntax, or the card's name.
    pub value: String,
    /// The memory of the card as the driver reports it; null if its kind isn't known.
    pub total_bytes: Option<u64>,
    /// The memory that the trainer needs at least; null if nothing is trained.
    pub trainer_peak_low_bytes: Option<u64>,
    /// The peak that it reports.
    pub trainer_peak_high_bytes: Option<u64>,
    /// The memory that vLLM reserves; null if nothing is served.
    pub inference_reserved_bytes: Option<u64>,
    /// Tokens that are likely to fit into its KV cache.
    pub kv_cache_tokens: Option<u64>,
    /// The memory in use on the fullest card, lower bound; null if its kind isn't known.
    pub held_low_bytes: Option<u64>,
    /// The memory in use on the fullest card, upper bound.
    pub held_high_bytes: Option<u64>,
    /// The verdict of the report, or `rejected` if prime-rl refuses the config.
    pub verdict: &'static str,
    /// Why it doesn't simply fit.
    pub reasons: Vec<String>,
}

impl MemoryRows {
    /// The varied setting and the results.
    pub fn new(target: impl Into<String>, varied: impl Into<String>, rows: Vec<RowReport>) -> Self {
        Self { schema_version: crate::json::SCHEMA_VERSION, target: target.into(), varied: varied.into(), rows }
    }
}

impl RowReport {
    /// The result of a run.
    pub fn new(value: impl Into<String>, run: &Run) -> Self {
        let assessment = run.assess();
        let known = |bytes: Bytes| run.gpu.as_ref().map(|_| bytes.rounded());
        let fullest = assessment.gpus.iter().max_by(|a, b| {
            let (a, b) = (a.judgement.held.1, b.judgement.held.1);
            a.as_f64().total_cmp(&b.as_f64())
        });
        let verdict = assessment.verdict();
        let worst = assessment.gpus.iter().find(|gpu| gpu.judgement.verdict == verdict);
        let peak = assessment.peak.as_ref();
        let budget = assessment.budget.as_ref();
        Self {
            value: value.into(),
            total_bytes: run.gpu.as_ref().map(|gpu| gpu.total.rounded()),
            trainer_peak_low_bytes: peak.map(|peak| peak.low.rounded()),
            trainer_peak_high_bytes: peak.map(|peak| peak.high.rounded()),
            inference_reserved_bytes: budget.map(|budget| budget.requested.rounded()),
            kv_cache_tokens: budget.map(|budget| budget.kv.expected().0),
            held_low_bytes: fullest.and_then(|gpu| known(gpu.judgement.held.0)),
            held_high_bytes: fullest.and_then(|gpu| known(gpu.judgement.held.1)),
            verdict: verdict.as_str(),
            reasons: worst.map(|gpu| gpu.judgement.reasons.iter().map(ToString::to_string).collect()).unwrap_or_default(),
        }
    }

    /// A value without a run, and the reason.
    pub fn rejected(value: impl Into<String>, why: impl Into<String>) -> Self {
        Self { value: value.into(), verdict: "rejected", reasons: vec![why.into()], ..Self::default() }
    }

    fn cells(&self) -> [String; 4] {
        let pair = |low: Option<u64>, high: Option<u64>| low.zip(high).map(|(low, high)| (amount(low), amount(high)));
        let peak = pair(self.trainer_peak_low_bytes, self.trainer_peak_high_bytes);
        let held = pair(self.held_low_bytes, self.held_high_bytes).zip(self.total_bytes.map(amount));
        let dash = || "-".to_owned();
        [
            peak.map_or_else(dash, |(low, high)| range(low, high)),
            self.inference_reserved_bytes.map_or_else(dash, |bytes| amount(bytes).to_string()),
            self.kv_cache_tokens.map_or_else(dash, |tokens| tokens.to_string()),
            held.map_or_else(dash, |((low, high), total)| margin(total - high, total - low)),
        ]
    }
}

/// Writes the rows for people; empty columns are left out.
pub fn write_rows(out: &mut impl Write, style: Style, report: &MemoryRows) -> io::Result<()> {
    let values = report.rows.iter().map(|row| cfg_diag::one_line(&row.value).into_owned());
    let lines: Vec<(String, [String; 4])> = values.zip(report.rows.iter().map(RowReport::cells)).collect();
    let names = ["trainer's peak", "vLLM", "KV cache", "on the card"];
    let width = |index: usize| {
        let cells = lines.iter().map(|(_, cells)| cells[index].chars().count());
        let has = lines.iter().any(|(_, cells)| cells[index] != "-");
        has.then(|| cells.max().unwrap_or(0).max(names[index].len()))
    };
    let widths = [width(0), width(1), width(2), width(3)];
    let first = lines.iter().map(|(value, _)| value.chars().count()).max().unwrap_or(0).max(report.varied.chars().count());
    let row = |value: &str, cells: [&str; 4], verdict: String| {
        let cells = cells.iter().zip(widths).filter_map(|(cell, width)| Some(format!("  {cell:>0$}", width?)));
        format!("{value:first$}{}  {verdict}", cells.collect::<String>()).trim_end().to_owned()
    };
    writeln!(out, "{}", style.paint(BOLD, row(&cfg_diag::one_line(&report.varied), names, String::new())))?;
    for ((value, cells), of) in lines.iter().zip(&report.rows) {
        let cells = [&*cells[0], &*cells[1], &*cells[2], &*cells[3]];
        let why = if of.verdict == "rejected" { of.reasons.first().map(|why| format!(": {why}")) } else { None };
        writeln!(out, "{}", row(value, cells, verdict(style, of.verdict) + &why.unwrap_or_default()))?;
    }
    Ok(())
}
