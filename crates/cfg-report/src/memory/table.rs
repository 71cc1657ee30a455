//! Tables and bars for people.

use std::io::{self, Write};

use cfg_memory::{
    Bytes, Tokens,
    catalogue::Gpu,
    run::{Assessment, OnGpu, Run},
    solve,
    trainer::{Part, Peak},
    verdict::Verdict,
};

use crate::{
    Style,
    paint::{BOLD, DIM, GREEN, severity_ink},
};

/// Columns of a bar.
const BAR: f64 = 30.0;

/// Writes what each GPU and the disk hold. GPUs that hold the same stand together.
pub fn write_table(out: &mut impl Write, style: Style, run: &Run, assessment: &Assessment, assumed: &[String]) -> io::Result<()> {
    let alike = |a: &OnGpu, b: &OnGpu| (a.trains, a.serves) == (b.trains, b.serves);
    for group in assessment.gpus.chunk_by(alike) {
        write_gpus(out, style, run, assessment, group)?;
    }
    if let Some(disk) = &assessment.disk {
        let kept = match disk.kept {
            None => "and as many as the run makes are kept".to_owned(),
            Some(1) => "and one is kept".to_owned(),
            Some(kept) => format!("and {kept} are kept"),
        };
        if disk.checkpoint + disk.weights > Bytes::ZERO && disk.kept != Some(0) {
            writeln!(out, "Disk: a checkpoint has {}, {kept}; {} at most", disk.checkpoint + disk.weights, disk.peak)?;
        }
    }
    if let Some(accuracy) = &assessment.accuracy {
        let (mean, worst) = (accuracy.figures.mean * 100.0, accuracy.figures.worst * 100.0);
        let runs = accuracy.figures.points;
        writeln!(
            out,
            "Accuracy: runs like it ({}): mean error {mean:.1} %, worst {worst:.1} %, of {runs}",
            accuracy.regime.as_str()
        )?;
        if !accuracy.unvalidated.is_empty() {
            writeln!(out, "  never measured: {}", accuracy.unvalidated.join("; "))?;
        } else if !accuracy.validated {
            writeln!(out, "  the model did not agree with them")?;
        }
    }
    for clause in assumed {
        writeln!(out, "Assumed: {clause}")?;
    }
    let remedies = solve::remedies(run);
    if !remedies.is_empty() {
        writeln!(out, "What would help:")?;
        for remedy in remedies {
            writeln!(out, "  {} ({})", remedy.change, remedy.verdict.as_str())?;
        }
    }
    Ok(())
}

fn write_gpus(out: &mut impl Write, style: Style, run: &Run, assessment: &Assessment, group: &[OnGpu]) -> io::Result<()> {
    let [first, ..] = group else { return Ok(()) };
    let numbers = match group {
        [_, .., last] => format!("GPU {} to {}", first.index, last.index),
        _ => format!("GPU {}", first.index),
    };
    let card = run.gpu.as_ref().map_or_else(|| "unknown card".to_owned(), |gpu| format!("{}, {}", gpu.name, gpu.total));
    let roles = match (first.trains, first.serves) {
        (true, true) => "trainer and inference server",
        (true, false) => "trainer",
        (false, true) => "inference server",
        (false, false) => "nothing",
    };
    let judgement = &first.judgement;
    writeln!(out, "{} ({card}): {roles}: {}", style.paint(BOLD, numbers), verdict(style, judgement.verdict))?;
    for reason in &judgement.reasons {
        writeln!(out, "  {reason}")?;
    }
    if let Some(peak) = assessment.peak.as_ref().filter(|_| first.trains) {
        writeln!(out, "  trainer: {} to {}, and {} for CUDA", peak.low, peak.high, peak.context)?;
        write_parts(out, style, &peak.parts, peak.high)?;
    }
    if let Some(budget) = assessment.budget.as_ref().filter(|_| first.serves) {
        let tokens = budget.kv.expected();
        writeln!(out, "  inference server: takes {}; {tokens} tokens in its KV cache", budget.requested)?;
        write_parts(out, style, &budget.parts(), budget.requested)?;
    }
    Ok(())
}

fn write_parts(out: &mut impl Write, style: Style, parts: &[Part], whole: Bytes) -> io::Result<()> {
    for part in parts.iter().filter(|part| part.bytes > Bytes::ZERO) {
        let bar = bar(style, part.bytes.as_f64() / whole.as_f64());
        writeln!(out, "    {:18} {:>10} {}", part.name, part.bytes.to_string(), style.paint(DIM, bar))?;
    }
    Ok(())
}

/// A bar for a share.
fn bar(style: Style, share: f64) -> String {
    let full = Bytes::new(share.clamp(0.0, 1.0) * BAR).whole();
    let mark = if style.unicode { "█" } else { "#" };
    (0..full).map(|_| mark).collect()
}

fn verdict(style: Style, verdict: Verdict) -> String {
    let ink = match verdict {
        Verdict::Fits => GREEN,
        Verdict::Tight => severity_ink(cfg_diag::Severity::Warning),
        Verdict::OutOfMemory | Verdict::StartUpFailure => severity_ink(cfg_diag::Severity::Error),
        Verdict::Unknown => DIM,
    };
    style.paint(ink, verdict.as_str()).to_string()
}

/// Writes what would become of a run on each of these cards.
pub fn write_cards(out: &mut impl Write, style: Style, cards: &[(&Gpu, Verdict)]) -> io::Result<()> {
    for (gpu, on) in cards {
        writeln!(out, "{:14} {:>10}  {}", gpu.name, gpu.total.to_string(), verdict(style, *on))?;
    }
    Ok(())
}

/// Writes the trainer's peak for each of these sequence lengths.
pub fn write_sweep(out: &mut impl Write, style: Style, sweep: &[(Tokens, Peak, Verdict)]) -> io::Result<()> {
    writeln!(out, "{:>9}  {:>10}  {:>10}", "seq_len", "at least", "at most")?;
    for (seq_len, peak, at) in sweep {
        writeln!(out, "{:>9}  {:>10}  {:>10}  {}", seq_len.0, peak.low.to_string(), peak.high.to_string(), verdict(style, *at))?;
    }
    Ok(())
}
