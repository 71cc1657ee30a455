//! Compares two runs as Markdown.

use std::io::{self, Write};

use cfg_diag::markdown::text_cell;

use super::{GpuReport, MemoryReport, amount, range};

/// Writes a Markdown table of the places whose memory differs in another run; nothing if there are none.
pub fn write_changes(out: &mut impl Write, one: &MemoryReport, other: &MemoryReport) -> io::Result<()> {
    let (before, now) = (rows(one), rows(other));
    if before != now {
        write_rows(out, &before, &now)?;
    }
    let new = |error: &&String| !one.layout_errors.contains(*error);
    for error in other.layout_errors.iter().filter(new) {
        writeln!(out, "\nIt can't start: {}", cfg_diag::markdown::code(error))?;
    }
    Ok(())
}

/// Writes a Markdown table of the memory of a run that did not exist before.
pub fn write_new(out: &mut impl Write, report: &MemoryReport) -> io::Result<()> {
    let now = rows(report);
    if !now.is_empty() {
        writeln!(out, "\n| memory | now |\n|---|---|")?;
    }
    now.iter().try_for_each(|(name, text)| writeln!(out, "| {} | {text} |", text_cell(name)))?;
    report.layout_errors.iter().try_for_each(|error| writeln!(out, "\nIt can't start: {}", cfg_diag::markdown::code(error)))
}

fn write_rows(out: &mut impl Write, before: &[(String, String)], now: &[(String, String)]) -> io::Result<()> {
    writeln!(out, "\n| memory | before | now |\n|---|---|---|")?;
    let text = |rows: &[(String, String)], name: &str| {
        rows.iter().find(|(other, _)| other == name).map_or_else(|| "-".to_owned(), |(_, text)| text.clone())
    };
    let gone = before.iter().filter(|(name, _)| !now.iter().any(|(other, _)| other == name));
    for (name, _) in now.iter().chain(gone) {
        let (before, now) = (text(before, name), text(now, name));
        if before != now {
            writeln!(out, "| {} | {before} | {now} |", text_cell(name))?;
        }
    }
    Ok(())
}

/// The places and their memory: GPUs with the same roles are one place with the values of the first, as in the table for a terminal.
fn rows(report: &MemoryReport) -> Vec<(String, String)> {
    let groups = report.gpus.chunk_by(|one, other| one.roles == other.roles);
    let mut rows: Vec<(String, String)> = groups.filter_map(|group| Some((gpus(group)?, held(group.first()?)))).collect();
    rows.extend(report.disk.as_ref().map(|disk| ("disk, at most".to_owned(), amount(disk.peak_bytes).to_string())));
    rows
}

fn gpus(group: &[GpuReport]) -> Option<String> {
    let (first, last) = (group.first()?, group.last()?);
    let numbers = if first.index == last.index { first.index.to_string() } else { format!("{} to {}", first.index, last.index) };
    Some(format!("GPU {numbers}, {}", first.roles.join(" and ")))
}

fn held(gpu: &GpuReport) -> String {
    let peak = match (gpu.held_low_bytes.zip(gpu.held_high_bytes), &gpu.trainer) {
        (Some((low, high)), _) => range(amount(low), amount(high)),
        (None, Some(trainer)) => {
            format!("{} for the trainer", range(amount(trainer.peak_low_bytes), amount(trainer.peak_high_bytes)))
        }
        (None, None) => return "unknown card".to_owned(),
    };
    match gpu.total_bytes {
        Some(total) => format!("{peak} of {}: {}", amount(total), gpu.verdict),
        None => peak,
    }
}
