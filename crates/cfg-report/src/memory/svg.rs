//! Memory as pictures: the parts on each kind of GPU, and the memory of a run for each of many values.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use cfg_memory::Bytes;

use super::{
    GpuReport, MemoryReport, MemoryRows, RowReport,
    table::{amount, margin, range, words},
};
use crate::svg::{head, label};

const WIDTH: f64 = 720.0;
const LEFT: f64 = 20.0;
const RIGHT: f64 = 20.0;
const TITLE: f64 = 46.0;
const BAND: f64 = 44.0;
const LINE: f64 = 20.0;
/// The number of legend entries per line.
const COLUMNS: usize = 3;
/// Colours that are distinguished without red and green.
const COLOURS: [&str; 8] = ["#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#e69f00", "#f0e442", "#d55e00", "#999999"];
const TRAINER: &str = "#0072b2";
const MISSING: &str = "#d55e00";

/// Writes one SVG document: for each kind of GPU a bar with the parts at the peak, next to the card's memory.
pub fn write_svg(out: &mut impl Write, report: &MemoryReport) -> io::Result<()> {
    let groups: Vec<&[GpuReport]> = report.gpus.chunk_by(|a, b| a.roles == b.roles).collect();
    let heights: Vec<f64> = groups.iter().map(|group| height(&parts(&group[0]))).collect();
    let mut svg = head(WIDTH, heights.iter().sum::<f64>().max(TITLE));
    let mut top = 0.0;
    for (group, height) in groups.iter().zip(heights) {
        draw(&mut svg, group, top);
        top += height;
    }
    svg.push_str("</svg>\n");
    out.write_all(svg.as_bytes())
}

/// The parts on a GPU at the peak, by the upper bound.
pub(crate) fn parts(gpu: &GpuReport) -> Vec<(String, Bytes)> {
    let mut parts = Vec::new();
    if let Some(server) = &gpu.inference {
        parts.extend(server.parts.iter().map(|part| (format!("vLLM: {}", words(part)), amount(part.bytes))));
        parts.push(("vLLM: CUDA context".to_owned(), amount(server.context_bytes)));
    }
    if let Some(trainer) = &gpu.trainer {
        parts.extend(trainer.parts.iter().map(|part| (words(part), amount(part.bytes))));
        parts.push(("CUDA context".to_owned(), amount(trainer.context_bytes)));
    }
    parts
}

fn height(parts: &[(String, Bytes)]) -> f64 {
    TITLE + BAND + LINE * (real(parts.len().div_ceil(COLUMNS)) + 2.5)
}

fn draw(svg: &mut String, group: &[GpuReport], top: f64) {
    let [first, ..] = group else { return };
    let numbers = match group {
        [_, .., last] => format!("GPU {} to {}", first.index, last.index),
        _ => format!("GPU {}", first.index),
    };
    let total = first.total_bytes.map(amount);
    let card = first.name.as_deref().unwrap_or("no card given");
    let size = total.map(|total| format!(", {total}")).unwrap_or_default();
    label(svg, LEFT, top + 18.0, "start", &format!("{numbers} ({card}{size}): {}", first.verdict));
    if let (Some(total), Some(low), Some(high)) = (total, first.held_low_bytes, first.held_high_bytes) {
        let (low, high) = (amount(low), amount(high));
        let left = margin(total - high, total - low);
        label(svg, LEFT, top + 36.0, "start", &format!("{} at the peak: {left}", range(low, high)));
    }
    let parts = parts(first);
    let sum: Bytes = parts.iter().map(|(_, bytes)| *bytes).sum();
    let whole = total.map_or(sum, |total| total.max(sum)).max(Bytes::new(1.0));
    let scale = (WIDTH - LEFT - RIGHT) / whole.as_f64();
    let y = top + TITLE;
    let mut x = LEFT;
    for (number, (_, bytes)) in parts.iter().enumerate() {
        let wide = bytes.as_f64() * scale;
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{BAND}\" fill=\"{colour}\" stroke=\"white\" stroke-width=\"0.5\"/>"
        );
        x += wide;
    }
    if let Some(total) = total {
        limit(svg, LEFT + total.as_f64() * scale, y);
    }
    for (number, (name, bytes)) in parts.iter().enumerate() {
        let left = LEFT + real(number % COLUMNS) * (WIDTH - LEFT - RIGHT) / real(COLUMNS);
        let line = y + BAND + LINE * (real(number / COLUMNS) + 1.0);
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(svg, "<rect x=\"{left:.1}\" y=\"{line:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>");
        label(svg, left + 17.0, line + 10.0, "start", &format!("{name} {bytes}"));
    }
}

/// The line that marks the memory of a card.
fn limit(svg: &mut String, x: f64, y: f64) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"black\" stroke-width=\"2\"/>",
        y - 4.0,
        y + BAND + 4.0
    );
}

/// Writes one SVG document: for each value a bar from the least to the most memory, next to the card's memory.
pub fn write_rows_svg(out: &mut impl Write, report: &MemoryRows) -> io::Result<()> {
    const TOP: f64 = 40.0;
    const NAMES: f64 = 130.0;
    const VERDICTS: f64 = 130.0;
    const ROW: f64 = 24.0;
    let ends = |row: &RowReport| {
        let known = row.held_low_bytes.zip(row.held_high_bytes);
        known.or(row.trainer_peak_low_bytes.zip(row.trainer_peak_high_bytes)).map(|(low, high)| (amount(low), amount(high)))
    };
    let largest = report.rows.iter().flat_map(|row| [ends(row).map(|(_, high)| high), row.total_bytes.map(amount)]);
    let whole = largest.flatten().fold(Bytes::new(1.0), Bytes::max);
    let scale = (WIDTH - NAMES - VERDICTS) / whole.as_f64();
    let mut svg = head(WIDTH, TOP + ROW * real(report.rows.len()) + 10.0);
    label(&mut svg, LEFT, 22.0, "start", &format!("{}: peak memory, and the card's capacity", report.varied));
    for (number, row) in report.rows.iter().enumerate() {
        let y = TOP + ROW * real(number);
        label(&mut svg, NAMES - 8.0, y + 14.0, "end", &row.value);
        if let Some((low, high)) = ends(row) {
            let colour = if matches!(row.verdict, "fits" | "unknown") { TRAINER } else { MISSING };
            for (until, opacity) in [(high, 0.4), (low, 1.0)] {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{NAMES}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"18\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>",
                    until.as_f64() * scale
                );
            }
        }
        if let Some(total) = row.total_bytes.map(amount) {
            let x = NAMES + total.as_f64() * scale;
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"black\" stroke-width=\"2\"/>",
                y - 3.0,
                y + 21.0
            );
        }
        label(&mut svg, WIDTH - VERDICTS + 10.0, y + 14.0, "start", row.verdict);
    }
    svg.push_str("</svg>\n");
    out.write_all(svg.as_bytes())
}

#[expect(clippy::cast_precision_loss, reason = "a picture has no more than a thousand places")]
const fn real(count: usize) -> f64 {
    count as f64
}
