//! The facts about a model, for programs and for people.

use std::io::{self, Write};

use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{
    Style,
    paint::{BOLD, severity_ink, severity_word},
    resume::ProblemReport,
};

/// The JSON Schema of [`ModelReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<ModelReport>()
}

/// What `cfg model NAME --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelReport {
    /// The model, by its name on the hub.
    pub model: String,
    /// The kind of config that its facts are about: `rl`.
    pub kind: &'static str,
    /// The target.
    pub target: String,
    /// Its shape; null if it is not known.
    pub shape: Option<ShapeReport>,
    /// The numbers of GPUs that one copy can be split over within a machine (`tp`).
    pub tensor_parallel: Vec<u32>,
    /// The parsers for its tool calls, the best first; empty if none is known.
    pub tool_parsers: Vec<String>,
    /// Whether its chat template leaves out the reasoning of earlier turns.
    pub drops_thoughts: bool,
    /// Whether this prime-rl has a renderer for it; null if this prime-rl has no renderers.
    pub has_renderer: Option<bool>,
    /// Whether the trainer has its own class for its architecture; null if it is not known.
    pub custom_implementation: Option<bool>,
    /// Whether it accepts images.
    pub vision: bool,
    /// Whether code from its repository must be run.
    pub remote_code: bool,
    /// The number of GPUs of each card that a run needs; empty if the shape is not known.
    pub cards: Vec<ModelCard>,
    /// Tokens of the sequences for these numbers.
    pub seq_len: u64,
    /// Problems with its use, and facts that must be known before.
    pub problems: Vec<ProblemReport>,
}

/// The shape of a model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShapeReport {
    /// Whether it comes from the model's own `config.json`; otherwise it was inferred.
    pub confirmed: bool,
    /// Where it comes from.
    pub source: String,
    /// The format of its published weights: `bf16`, `fp8`, `mxfp4`.
    pub precision: &'static str,
    /// What of its `config.json` memory depends on and isn't counted.
    pub not_counted: Vec<String>,
    /// Parameters, without those for multi-token prediction.
    pub parameters: u64,
    /// Parameters of its layers for multi-token prediction, which only vLLM loads, if its `speculative_config` says so; 0 if it has none.
    pub mtp_parameters: u64,
    /// Decoder layers.
    pub layers: u32,
    /// Attention heads.
    pub heads: u32,
    /// Key and value heads.
    pub kv_heads: u32,
    /// Tokens of its longest sequence.
    pub context: u64,
    /// Entries of the vocabulary.
    pub vocab: u32,
    /// Routed experts of a layer; null if it is dense.
    pub experts: Option<u32>,
}

/// The number of GPUs of a card that an `rl` run needs: 1, 2, 4 or 8; null if 8 are not enough.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModelCard {
    /// The card.
    pub name: String,
    /// For adapters.
    pub lora: Option<u32>,
    /// For full fine-tuning.
    pub full: Option<u32>,
}

/// Writes the report in a few lines and a table of cards.
///
/// # Errors
/// If `out` can't be written to.
pub fn write_text(out: &mut impl Write, style: Style, report: &ModelReport) -> io::Result<()> {
    let clean = |text: &str| cfg_diag::one_line(text).into_owned();
    writeln!(out, "{}", style.paint(BOLD, format!("{}, for prime-rl {}", clean(&report.model), clean(&report.target))))?;
    let mut line = |name: &str, text: &str| writeln!(out, "  {name:<16} {text}");
    if let Some(shape) = &report.shape {
        let experts = shape.experts.map_or_else(|| "dense".to_owned(), |experts| format!("{experts} experts a layer"));
        let of = if shape.confirmed { "" } else { "; inferred, not read from its config.json" };
        line("shape", &format!("{} parameters, {} layers, {experts}{of}", billions(shape.parameters), shape.layers))?;
        line("source", &clean(&shape.source))?;
        if shape.precision != "bf16" {
            line("weights", shape.precision)?;
        }
        for what in &shape.not_counted {
            line("not counted", &clean(what))?;
        }
        if shape.mtp_parameters > 0 {
            let more = billions(shape.mtp_parameters);
            line(
                "further tokens",
                &format!("{more} parameters more to predict them; only vLLM loads these, if `speculative_config` says so"),
            )?;
        }
        line("heads", &format!("{} query, {} key/value", shape.heads, shape.kv_heads))?;
        line("tensor parallel", &list(&report.tensor_parallel))?;
        line("context", &format!("{} tokens", shape.context))?;
    }
    line("tool parser", &if report.tool_parsers.is_empty() { "unknown".to_owned() } else { report.tool_parsers.join(", ") })?;
    let yes = |is: bool| if is { "yes" } else { "no" };
    line("renderer", report.has_renderer.map_or("none in this prime-rl", yes))?;
    line("custom class", report.custom_implementation.map_or("unknown", yes))?;
    if report.vision {
        line("images", "yes")?;
    }
    for problem in &report.problems {
        let severity = if problem.severity == "error" { cfg_diag::Severity::Error } else { cfg_diag::Severity::Warning };
        writeln!(out, "{}: {}", style.paint(severity_ink(severity), severity_word(severity)), clean(&problem.message))?;
    }
    if !report.cards.is_empty() {
        writeln!(out, "\nGPUs needed for an rl run with sequences of {} tokens:", report.seq_len)?;
        let width = report.cards.iter().map(|card| card.name.chars().count()).max().unwrap_or(0).max("card".len());
        writeln!(out, "{}", style.paint(BOLD, format!("  {:width$}  {:>5}  {:>5}", "card", "LoRA", "full")))?;
        let count = |count: Option<u32>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        for card in &report.cards {
            writeln!(out, "  {:width$}  {:>5}  {:>5}", clean(&card.name), count(card.lora), count(card.full))?;
        }
    }
    Ok(())
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "no model has 2^53 parameters")]
fn billions(parameters: u64) -> String {
    let billions = parameters as f64 / 1e9;
    // Three digits: one less would be up to 5 % off.
    match billions {
        ..1.0 => format!("{:.0} M", billions * 1e3),
        ..10.0 => format!("{billions:.2} B"),
        _ => format!("{billions:.1} B"),
    }
}
