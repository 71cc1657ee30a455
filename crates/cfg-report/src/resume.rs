//! How to resume a run from its checkpoints, for programs and for people.

use std::io::{self, Write};

use cfg_memory::Bytes;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::{
    Style,
    paint::{BOLD, severity_ink, severity_word},
};

/// The JSON Schema of [`ResumeReport`].
pub fn schema() -> Schema {
    crate::json::schema_of::<ResumeReport>()
}

/// What `cfg run resume --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResumeReport {
    /// The folder of the run.
    pub run: String,
    /// The config to resume with; null if none is given and the run has left none.
    pub config: Option<String>,
    /// The prime-rl of that config.
    pub target: Option<String>,
    /// The processes that save checkpoints: `trainer`, `orchestrator`.
    pub components: Vec<String>,
    /// The checkpoints, ascending.
    pub checkpoints: Vec<CheckpointReport>,
    /// The newest step with a complete checkpoint of each process, from which the run can be resumed; null if there is none.
    pub resume_step: Option<u64>,
    /// The newest step with any output: a checkpoint, rollouts, weights.
    pub reached_step: Option<u64>,
    /// Steps that must be repeated; null if there is no step to resume from.
    pub lost_steps: Option<u64>,
    /// Its runs in Weights & Biases.
    pub wandb: Vec<WandbReport>,
    /// The command that resumes the run, for a shell; null without a step or a config.
    pub command: Option<String>,
    /// The disk space that is needed from now on.
    pub disk: DiskReport,
    /// Problems that prevent resuming, and facts that must be known before.
    pub problems: Vec<ProblemReport>,
}

/// One checkpoint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckpointReport {
    /// Its step.
    pub step: u64,
    /// Whether each component's part is complete.
    pub whole: bool,
    /// Bytes of all its parts, including weights for inference.
    pub bytes: u64,
    /// The part of each component, in their order.
    pub parts: Vec<PartReport>,
}

/// One component's part of a checkpoint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartReport {
    /// `whole`, `broken` or `missing`.
    pub state: &'static str,
    /// Why it is broken.
    pub why: Option<String>,
    /// Its place, or the place where it should be.
    pub path: String,
}

/// A run in Weights & Biases.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WandbReport {
    /// Its id.
    pub id: String,
    /// The process that started it, if each has its own: `orchestrator`.
    pub component: String,
    /// Whether it was only written to disk.
    pub offline: bool,
}

/// The disk space that is needed from now on.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct DiskReport {
    /// Bytes of one checkpoint, from the newest complete one.
    pub checkpoint_bytes: Option<u64>,
    /// Additional checkpoints until the end of the run; null if not known.
    pub more_checkpoints: Option<u64>,
    /// Free bytes.
    pub free_bytes: Option<u64>,
    /// Whether there is enough space for them; null if not known.
    pub fits: Option<bool>,
}

/// A problem, or a fact that must be known.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProblemReport {
    /// `error` if the run would fail, otherwise `warning`.
    pub severity: &'static str,
    /// The problem.
    pub message: String,
}

/// Writes the report; the command is its last line.
///
/// # Errors
/// If `out` can't be written to.
pub fn write_text(out: &mut impl Write, style: Style, report: &ResumeReport) -> io::Result<()> {
    let clean = |text: &str| cfg_diag::one_line(text).into_owned();
    write_checkpoints(out, style, report)?;
    match (report.resume_step, report.lost_steps, report.reached_step) {
        (Some(step), Some(0), _) => writeln!(out, "\nresumes from step {step}; nothing is lost")?,
        (Some(step), Some(lost), Some(reached)) => {
            let steps = if lost == 1 { "1 step is".to_owned() } else { format!("{lost} steps are") };
            writeln!(out, "\nresumes from step {step}; step {reached} was reached, so {steps} repeated")?;
        }
        (Some(step), ..) => writeln!(out, "\nresumes from step {step}")?,
        (None, ..) => writeln!(out, "\nno step to resume from")?,
    }
    for run in &report.wandb {
        let of = if run.component.is_empty() { String::new() } else { format!(" ({})", clean(&run.component)) };
        writeln!(out, "W&B: {}{of}{}", clean(&run.id), if run.offline { ", only on this disk" } else { "" })?;
    }
    write_disk(out, &report.disk)?;
    for problem in &report.problems {
        let severity = if problem.severity == "error" { cfg_diag::Severity::Error } else { cfg_diag::Severity::Warning };
        writeln!(out, "{}: {}", style.paint(severity_ink(severity), severity_word(severity)), clean(&problem.message))?;
    }
    if let Some(command) = &report.command {
        writeln!(out, "\n{}", style.paint(BOLD, clean(command)))?;
    }
    Ok(())
}

fn write_checkpoints(out: &mut impl Write, style: Style, report: &ResumeReport) -> io::Result<()> {
    let clean = |text: &str| cfg_diag::one_line(text).into_owned();
    let count = match report.checkpoints.len() {
        0 => "no checkpoints".to_owned(),
        1 => "1 checkpoint".to_owned(),
        count => format!("{count} checkpoints"),
    };
    writeln!(out, "{}", style.paint(BOLD, format!("{}: {count}", clean(&report.run))))?;
    if report.checkpoints.is_empty() {
        return Ok(());
    }
    let widths: Vec<usize> = report.components.iter().map(|name| name.chars().count().max("missing".len())).collect();
    let names: Vec<String> =
        report.components.iter().zip(&widths).map(|(name, width)| format!("{:width$}", clean(name))).collect();
    writeln!(out, "{:>8}  {}  size", "step", names.join("  "))?;
    for checkpoint in &report.checkpoints {
        let states = checkpoint.parts.iter().zip(&widths).map(|(part, width)| format!("{:width$}", part.state));
        writeln!(out, "{:>8}  {}  {}", checkpoint.step, states.collect::<Vec<_>>().join("  "), size(checkpoint.bytes))?;
        for (part, component) in checkpoint.parts.iter().zip(&report.components) {
            if let Some(why) = &part.why {
                writeln!(out, "          {}: {}", clean(component), clean(why))?;
            }
        }
    }
    Ok(())
}

pub(crate) fn write_disk(out: &mut impl Write, disk: &DiskReport) -> io::Result<()> {
    let Some(one) = disk.checkpoint_bytes else { return Ok(()) };
    let more = match disk.more_checkpoints {
        Some(0) => ", and no more are added".to_owned(),
        Some(count) => format!(", and {count} more will be saved: {}", size(one.saturating_mul(count))),
        None => String::new(),
    };
    let free = disk.free_bytes.map_or_else(String::new, |free| format!("; {} are free", size(free)));
    writeln!(out, "disk: a checkpoint takes {}{more}{free}", size(one))
}

#[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 bytes")]
pub(crate) fn size(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    if bytes < 100 * MIB { format!("{:.1} MiB", bytes as f64 / MIB as f64) } else { Bytes::new(bytes as f64).to_string() }
}
