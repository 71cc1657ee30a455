//! The report on one run for a terminal.

use std::io::{self, Write};

use cfg_memory::{Bytes, verdict::Verdict};

use super::{
    AccuracyReport, DiskReport, GpuReport, HardwareReport, InferenceReport, LimitsReport, MemoryReport, NamedModelReport,
    PartReport,
};
use crate::{
    Style,
    course::grouped,
    paint::{BOLD, CYAN, DIM, GREEN, severity_ink},
};

/// The number of columns of the longest bar.
const BAR: f64 = 30.0;

/// Parts smaller than this share one line.
const SMALL: Bytes = Bytes::gib(0.35);

/// The name of the memory that nothing needs.
const FREE: &str = "free";

/// The number of cards that are named if a run fits on many.
const MAX_CARDS: usize = 4;

/// Writes the memory of each GPU and the disk. GPUs with the same content are one entry.
pub fn write_table(out: &mut impl Write, style: Style, report: &MemoryReport) -> io::Result<()> {
    for error in &report.layout_errors {
        writeln!(out, "{}: {}", style.paint(severity_ink(cfg_diag::Severity::Error), "Can't start"), cfg_diag::one_line(error))?;
    }
    // What follows is about more GPUs than the machine has.
    let used = used_gpus(report);
    let short = report.hardware.as_ref().filter(|of| !report.layout_errors.is_empty() && (2..used).contains(&of.count));
    if !report.layout_errors.is_empty() {
        writeln!(out)?;
    }
    if let Some(of) = short {
        writeln!(out, "With {}:", counted(used, of))?;
    }
    let groups: Vec<&[GpuReport]> = report.gpus.chunk_by(|a, b| a.roles == b.roles).collect();
    for (index, group) in groups.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write_gpus(out, style, group)?;
    }
    if groups.len() > 1 {
        writeln!(out)?;
    }
    if let Some(host) = report.host_memory_bytes {
        writeln!(out, "Host memory: {} across all nodes, for offloading", amount(host))?;
    }
    if let Some(disk) = &report.disk {
        write_disk(out, disk)?;
    }
    if let Some(accuracy) = &report.accuracy {
        write_accuracy(out, accuracy)?;
    }
    // Shapes of the catalogue are the rule; what was taken from a name is among the assumptions.
    let is_own = |model: &&NamedModelReport| !model.source.starts_with("the catalogue") && !model.source.starts_with("assumed");
    for model in report.models.iter().filter(is_own) {
        writeln!(out, "Shape of {}: {}", cfg_diag::one_line(&model.name), cfg_diag::one_line(&model.source))?;
    }
    for clause in &report.assumed {
        writeln!(out, "Assumed: {}", cfg_diag::one_line(clause))?;
    }
    let is_error = report.gpus.iter().any(|gpu| matches!(gpu.verdict, "out-of-memory" | "start-up-failure"));
    let cards = match report.fits_on.split_at_checked(MAX_CARDS) {
        Some((first, [_, ..])) => format!("{}, ..", first.join(", ")),
        _ => report.fits_on.join(", "),
    };
    if report.hardware.is_none() {
        let cards = if cards.is_empty() { "no known card" } else { &cards };
        writeln!(out, "No hardware given (--gpu, `hardware`, `gpu`); it fits on: {cards}")?;
    } else if is_error && !cards.is_empty() {
        writeln!(out, "Fits unchanged on: {cards}")?;
    }
    let limits = limits(&report.limits);
    if !limits.is_empty() {
        let fits = report.gpus.iter().all(|gpu| matches!(gpu.verdict, "fits" | "tight"));
        writeln!(out, "{}: {limits}", if fits { "Also fits with" } else { "Fits with" })?;
    }
    if !report.remedies.is_empty() {
        writeln!(out, "What would help:")?;
        for remedy in &report.remedies {
            writeln!(out, "  {} ({})", remedy.change, remedy.verdict)?;
        }
    }
    Ok(())
}

/// The verdict in one line, with the machine, the prime-rl and the number that decides: "Fits on 2x H100 with prime-rl 0.8.0: GPU 1 needs at most 73.1
/// of 79.2 GiB".
pub fn headline(style: Style, report: &MemoryReport) -> String {
    let target = cfg_diag::one_line(&report.target);
    let used = used_gpus(report);
    let can_start = report.layout_errors.is_empty();
    let machine = |of: &HardwareReport| match (can_start, of.count) {
        // The figures are those of all GPUs of the run, also where fewer are given.
        (true, count) => counted(count.max(used), of),
        // A single card may be a kind without a number.
        (false, 1) if used > 1 => cfg_diag::one_line(&of.name).into_owned(),
        (false, count) => counted(count, of),
    };
    let machine = report.hardware.as_ref().map(machine);
    let Some(machine) = machine else {
        let card = report.fits_on.first().map_or_else(|| "no known card".to_owned(), |card| format!("{card} or larger"));
        return format!("No machine given: with prime-rl {target} it fits on {card}");
    };
    let on = format!("on {machine} with prime-rl {target}");
    let (good, bad) = (GREEN, severity_ink(cfg_diag::Severity::Error));
    if !can_start {
        let is_short = report.hardware.as_ref().is_some_and(|of| used > of.count);
        let why = if is_short { format!(": the run uses {used} GPUs") } else { String::new() };
        return format!("{} {on}{why}", style.paint(bad, "Can't start"));
    }
    let held = |gpu: &&GpuReport| gpu.held_high_bytes.unwrap_or(0);
    let fullest = |verdict: &str| report.gpus.iter().filter(|gpu| gpu.verdict == verdict).max_by_key(held);
    let needs = |gpu: &GpuReport, most: &str| match (gpu.held_high_bytes.map(amount), gpu.total_bytes.map(amount)) {
        (Some(high), Some(total)) => format!(": GPU {} needs {most}{:.1} of {total}", gpu.index, high.as_gib()),
        _ => String::new(),
    };
    let disk = report.disk.as_ref().is_some_and(|disk| disk.verdict == "full");
    let disk = if disk { format!("; {}", style.paint(bad, "the disk is too small")) } else { String::new() };
    let verdict = if let Some(gpu) = fullest("start-up-failure") {
        format!("{} {on}, on GPU {}", style.paint(bad, "vLLM does not start"), gpu.index)
    } else if let Some(gpu) = fullest("out-of-memory") {
        format!("{} {on}{}", style.paint(bad, "Does not fit"), needs(gpu, "up to "))
    } else if let Some(gpu) = fullest("tight") {
        format!("{} {on}{}", style.paint(severity_ink(cfg_diag::Severity::Warning), "Barely fits"), needs(gpu, "up to "))
    } else if let Some(gpu) = fullest("fits") {
        format!("{} {on}{}", style.paint(good, "Fits"), needs(gpu, "at most "))
    } else {
        format!("It is unknown whether it fits {on}")
    };
    verdict + &disk
}

/// The number of GPUs up to the last one that the run uses.
fn used_gpus(report: &MemoryReport) -> u32 {
    report.gpus.iter().map(|gpu| gpu.index.saturating_add(1)).max().unwrap_or(0)
}

fn counted(count: u32, of: &HardwareReport) -> String {
    format!("{count}x {}", cfg_diag::one_line(&of.name))
}

fn roles(gpu: &GpuReport) -> &'static str {
    match gpu.roles.as_slice() {
        ["trainer", "inference"] => "trainer and vLLM",
        ["trainer"] => "trainer",
        ["inference"] => "vLLM",
        _ => "nothing",
    }
}

fn write_gpus(out: &mut impl Write, style: Style, group: &[GpuReport]) -> io::Result<()> {
    let [first, ..] = group else { return Ok(()) };
    let numbers = match group {
        [_, .., last] => format!("GPU {} to {}", first.index, last.index),
        _ => format!("GPU {}", first.index),
    };
    let total = first.total_bytes.map(amount);
    let card = match (&first.name, total) {
        (Some(name), Some(total)) => format!("{}, {total}", cfg_diag::one_line(name)),
        _ => "no card given".to_owned(),
    };
    writeln!(out, "{} ({card}), {}: {}", style.paint(BOLD, numbers), roles(first), verdict(style, first.verdict))?;
    // The reason about the peak is in the line below, with the missing amount.
    for reason in first.reasons.iter().filter(|reason| first.held_high_bytes.is_none() || !reason.starts_with("the peak ")) {
        writeln!(out, "  {reason}")?;
    }
    if let Some(total) = total
        && let (Some(idle), Some(low), Some(high)) = (first.idle_bytes, first.held_low_bytes, first.held_high_bytes)
    {
        let (low, high) = (amount(low), amount(high));
        let margin = margin(total - high, total - low);
        writeln!(out, "  {} before the first step, peak {}: {margin}", amount(idle), range(low, high))?;
    }
    write_roles(out, style, first, total)
}

/// Writes the parts of each role, and what is left. Bars are shares of the card, or of the memory that it would need.
fn write_roles(out: &mut impl Write, style: Style, gpu: &GpuReport, total: Option<Bytes>) -> io::Result<()> {
    let held = gpu.held_high_bytes.map(amount);
    let of_trainer = || gpu.trainer.as_ref().map(|trainer| amount(trainer.peak_high_bytes));
    let whole = total.zip(held).map(|(total, held)| total.max(held)).or_else(of_trainer).unwrap_or(Bytes::ZERO);
    let line = |name: &str, bytes: Bytes, note: &str| {
        let bar = bar(style, bytes.as_f64() / whole.as_f64());
        let gap = if bar.is_empty() || note.is_empty() { "" } else { "  " };
        // What is free is no part of what is needed, so it has another tone.
        let bar =
            if name == FREE { style.paint(DIM, bar.replace('█', "░").replace('#', ".")) } else { style.paint(CYAN, bar) };
        format!("    {name:18} {:>10} {bar}{gap}{note}", bytes.to_string()).trim_end().to_owned()
    };
    if let Some(trainer) = &gpu.trainer {
        writeln!(out, "  trainer: {}", range(amount(trainer.peak_low_bytes), amount(trainer.peak_high_bytes)))?;
        let (large, small) = sorted(&trainer.parts);
        for part in large {
            writeln!(out, "{}", line(&words(part), amount(part.bytes), ""))?;
        }
        if let Some((rest, names)) = small {
            writeln!(out, "{}", line("other", rest, &names))?;
        }
        writeln!(out, "{}", line("CUDA context", amount(trainer.context_bytes), ""))?;
    }
    if let Some(server) = &gpu.inference {
        writeln!(out, "  vLLM: takes {}", amount(server.reserved_bytes))?;
        let (large, small) = sorted(&server.parts);
        for part in large {
            let note = if part.name == "kv-cache" { kv_cache(server) } else { String::new() };
            writeln!(out, "{}", line(&words(part), amount(part.bytes), &note))?;
        }
        if let Some((rest, names)) = small {
            writeln!(out, "{}", line("other", rest, &names))?;
        }
        writeln!(out, "{}", line("CUDA context", amount(server.context_bytes), ""))?;
    }
    if let Some((total, _)) = total.zip(held).filter(|(total, held)| total > held) {
        // Beside parts of their likely size; how much less it may be says the range above them.
        writeln!(out, "{}", line(FREE, total - total.min(parts_of(gpu).sum()), ""))?;
    }
    Ok(())
}

/// What the lines of a GPU add up to, in bytes.
fn parts_of(gpu: &GpuReport) -> impl Iterator<Item = Bytes> {
    let trainer = gpu.trainer.iter().flat_map(|of| of.parts.iter().map(|part| part.bytes).chain([of.context_bytes]));
    let server = gpu.inference.iter().flat_map(|of| of.parts.iter().map(|part| part.bytes).chain([of.context_bytes]));
    trainer.chain(server).map(amount)
}

/// The parts with a line of their own; and, if several are small, their sum and their names.
fn sorted(parts: &[PartReport]) -> (Vec<&PartReport>, Option<(Bytes, String)>) {
    // The KV cache is always of interest.
    let is_small = |part: &&PartReport| amount(part.bytes) < SMALL && part.name != "kv-cache";
    let (small, large): (Vec<&PartReport>, Vec<&PartReport>) = parts.iter().partition(is_small);
    if small.len() < 2 {
        return (parts.iter().collect(), None);
    }
    let sum = small.iter().map(|part| amount(part.bytes)).sum();
    let names: Vec<String> = small.into_iter().map(words).collect();
    (large, Some((sum, names.join(", "))))
}

/// The number of tokens and sequences that the KV cache holds.
fn kv_cache(server: &InferenceReport) -> String {
    let grouped = |number: u64| grouped(i64::try_from(number).unwrap_or(i64::MAX));
    format!("{} tokens, {} x {}", grouped(server.kv_cache_tokens), server.sequences, grouped(server.max_model_len))
}

/// What a checkpoint takes, how many there are, and the most that they take together.
pub(crate) fn disk_in_words(disk: &DiskReport) -> String {
    let each = amount(disk.checkpoint_bytes) + amount(disk.weights_bytes);
    let kept = disk.checkpoints_kept.map_or_else(|| "all kept".to_owned(), |kept| format!("{kept} kept"));
    let written = if disk.peak_bytes > disk.total_bytes { " and one being written" } else { "" };
    format!("{each} per checkpoint, {kept}{written}: at most {}", amount(disk.peak_bytes))
}

fn write_disk(out: &mut impl Write, disk: &DiskReport) -> io::Result<()> {
    let free = disk.free_bytes.map(|free| format!(" of {} free", amount(free))).unwrap_or_default();
    let verdict = if disk.verdict == "unknown" { String::new() } else { format!(": {}", disk.verdict) };
    if disk.checkpoint_bytes + disk.weights_bytes > 0 && disk.checkpoints_kept != Some(0) {
        writeln!(out, "Disk: {}{free}{verdict}", disk_in_words(disk))?;
    }
    Ok(())
}

fn write_accuracy(out: &mut impl Write, accuracy: &AccuracyReport) -> io::Result<()> {
    let (mean, worst) = (accuracy.mean_error * 100.0, accuracy.worst_error * 100.0);
    let regime = accuracy.regime;
    let measured = match (accuracy.measured_runs, accuracy.measured_steps) {
        (runs, 0) => format!("{runs} runs"),
        (runs, steps) => format!("{runs} runs and {steps} single steps"),
    };
    let range = match accuracy.range_runs {
        0 => "wide range: no similar run".to_owned(),
        of_kind => format!("range of {}", crate::count(of_kind as usize, "similar run")),
    };
    writeln!(out, "Accuracy on {measured} ({regime}): mean error {mean:.1} %, worst {worst:.1} %; {range}")?;
    if !accuracy.is_matched {
        writeln!(out, "  the model did not match them, so this estimate is not validated")?;
    }
    if !accuracy.not_validated.is_empty() {
        writeln!(out, "  not measured: {}", accuracy.not_validated.join("; "))?;
    }
    Ok(())
}

fn limits(limits: &LimitsReport) -> String {
    let mut words = Vec::new();
    if let (Some(least), Some(most)) = (limits.gpu_memory_utilization_least, limits.gpu_memory_utilization_most) {
        words.push(format!("gpu_memory_utilization {least:.2} to {most:.2}"));
    }
    if let Some(most) = limits.seq_len_most {
        words.push(format!("seq_len up to {most}"));
    }
    if let Some(most) = limits.max_model_len_most {
        words.push(format!("max_model_len up to {most}"));
    }
    words.join(", ")
}

/// A number of bytes in a report.
#[expect(clippy::cast_precision_loss, reason = "no card and no disk has 2^53 bytes")]
pub(crate) fn amount(bytes: u64) -> Bytes {
    Bytes::new(bytes as f64)
}

/// A range such as `84.5 to 85.4 GiB`, or one figure if both are shown alike.
pub(crate) fn range(low: Bytes, high: Bytes) -> String {
    let (low, high) = (format!("{:.1}", low.as_gib()), format!("{:.1}", high.as_gib()));
    if low == high { format!("{high} GiB") } else { format!("{low} to {high} GiB") }
}

/// The memory that is left or missing, at the least and at the most.
pub(crate) fn margin(least: Bytes, most: Bytes) -> String {
    let zero = Bytes::ZERO;
    if most <= zero {
        format!("{} over", range(zero - most, zero - least))
    } else if least < zero {
        format!("from {} over to {most} left", zero - least)
    } else {
        format!("{} left", range(least, most))
    }
}

pub(super) fn bar(style: Style, share: f64) -> String {
    let full = Bytes::new(share.clamp(0.0, 1.0) * BAR).rounded();
    let mark = if style.unicode { "█" } else { "#" };
    (0..full).map(|_| mark).collect()
}

pub(crate) fn verdict(style: Style, verdict: &str) -> String {
    let known = [Verdict::Fits, Verdict::Tight, Verdict::OutOfMemory, Verdict::StartUpFailure];
    let ink = match known.into_iter().find(|known| known.as_str() == verdict) {
        Some(Verdict::Fits) => GREEN,
        Some(Verdict::Tight) => severity_ink(cfg_diag::Severity::Warning),
        Some(Verdict::OutOfMemory | Verdict::StartUpFailure) => severity_ink(cfg_diag::Severity::Error),
        Some(Verdict::Unknown) | None => DIM,
    };
    style.paint(ink, verdict.to_owned()).to_string()
}

/// The name of a part for people.
pub(super) fn words(part: &PartReport) -> String {
    match part.name {
        "kv-cache" => "KV cache".to_owned(),
        "cuda-graphs" => "CUDA graphs".to_owned(),
        "non-torch" => "outside PyTorch".to_owned(),
        other => other.replace("lm-head", "LM head").replace('-', " "),
    }
}
