//! The configs of a sweep, for programs and for people.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{
    Style,
    draft::DraftGpu,
    paint::{BOLD, DIM, severity_ink},
};

/// The JSON Schema of [`SweepReport`].
pub fn schema() -> Schema {
    crate::json::schema_of_identified::<SweepReport>()
}

/// What `cfg sweep --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SweepReport {
    /// The config that the variants are made from.
    pub config: String,
    /// Its version: `configs/rl.toml:v3`; null if it is not registered, or changed since.
    pub version: Option<String>,
    /// The entrypoint of all variants.
    pub kind: String,
    /// The target of all variants.
    pub target: String,
    /// The varied keys, in the order of the command line.
    pub keys: Vec<String>,
    /// The variants; the last key changes fastest.
    pub variants: Vec<VariantReport>,
    /// Unknown facts and assumptions about them, one sentence for each.
    pub notes: Vec<String>,
}

/// One of the configs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VariantReport {
    /// Its file: in the folder of `-o`, otherwise its name only.
    pub path: String,
    /// Whether it was written.
    pub written: bool,
    /// The value of each key, in TOML syntax.
    pub values: BTreeMap<String, String>,
    /// `right`, or `refused` if its run would certainly fail.
    pub verdict: &'static str,
    /// Why it is refused, one sentence for each.
    pub errors: Vec<String>,
    /// Other faults that the original config does not have.
    pub warnings: Vec<String>,
    /// The memory of each GPU; empty if it is not known.
    pub gpus: Vec<DraftGpu>,
    /// The most disk space of the run at any time; null if nothing is saved or it is not known.
    pub disk_bytes: Option<u64>,
    /// The text of the config.
    pub text: String,
}

impl SweepReport {
    /// The number of refused variants.
    pub fn refused(&self) -> usize {
        self.variants.iter().filter(|variant| variant.verdict == "refused").count()
    }
}

/// Writes a line for each variant, with its problems below.
///
/// # Errors
/// If `out` can't be written to.
pub fn write_text(out: &mut impl Write, style: Style, report: &SweepReport) -> io::Result<()> {
    let clean = |text: &str| cfg_diag::one_line(text).into_owned();
    let roles = roles(report);
    let titles = report.keys.iter().map(|key| clean(key)).chain(roles.iter().map(|(role, total)| heading(role, *total)));
    let mut rows: Vec<Vec<String>> = vec![titles.chain([String::new()]).collect()];
    for variant in &report.variants {
        let values = report.keys.iter().map(|key| clean(&variant.values[key]));
        let amounts = roles.iter().map(|(role, _)| held(variant, role));
        rows.push(
            values.chain(amounts).chain([if variant.verdict == "right" { "ok" } else { variant.verdict }.to_owned()]).collect(),
        );
    }
    let widths: Vec<usize> =
        (0..rows[0].len()).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    let line = |row: &[String]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    writeln!(out, "{}", style.paint(BOLD, line(&rows[0])))?;
    for (row, variant) in rows[1..].iter().zip(&report.variants) {
        writeln!(out, "{}  {}", line(row), style.paint(DIM, clean(&variant.path)))?;
        let problems = variant.errors.iter().map(|why| (cfg_diag::Severity::Error, why));
        for (severity, why) in problems.chain(variant.warnings.iter().map(|why| (cfg_diag::Severity::Warning, why))) {
            writeln!(out, "  {}: {}", style.paint(severity_ink(severity), crate::paint::severity_word(severity)), clean(why))?;
        }
    }
    Ok(())
}

/// The processes on the GPUs, and the memory of each GPU in bytes.
fn roles(report: &SweepReport) -> Vec<(&'static str, u64)> {
    let mut roles: Vec<(&'static str, u64)> = Vec::new();
    for gpu in report.variants.iter().flat_map(|variant| &variant.gpus) {
        if !roles.iter().any(|(role, _)| *role == gpu.role) {
            roles.push((gpu.role, gpu.total_bytes));
        }
    }
    roles
}

fn heading(role: &str, total: u64) -> String {
    if total == 0 { format!("{role}, GiB") } else { format!("{role}, of {:.1} GiB", gib(total)) }
}

/// The memory in use on the fullest GPU with this process.
fn held(variant: &VariantReport, role: &str) -> String {
    let gpus = variant.gpus.iter().filter(|gpu| gpu.role == role);
    let fullest = gpus.max_by_key(|gpu| gpu.high_bytes);
    fullest.map_or_else(
        || "-".to_owned(),
        |gpu| {
            let (low, high) = (format!("{:.1}", gib(gpu.low_bytes)), format!("{:.1}", gib(gpu.high_bytes)));
            if low == high { high } else { format!("{low} to {high}") }
        },
    )
}

#[expect(clippy::cast_precision_loss, reason = "no card has 2^53 bytes")]
fn gib(bytes: u64) -> f64 {
    bytes as f64 / cfg_memory::GIB
}
