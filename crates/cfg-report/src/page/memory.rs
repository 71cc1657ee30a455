//! The memory of each GPU and the disk.

use cfg_memory::Bytes;

use super::{Html, Page};
use crate::memory::{GpuReport, MemoryReport, amount, disk_in_words, margin, parts, range};

/// Columns of a bar.
const WIDE: f64 = 1000.0;

/// The class of each part of a bar: a colour.
const COLOURS: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

pub(super) fn class(verdict: &str) -> &'static str {
    match verdict {
        "fits" => "good",
        "tight" => "warn",
        "unknown" => "dim",
        _ => "bad",
    }
}

pub(super) fn write(html: &mut Html, page: &Page<'_>) {
    let memory = match &page.memory {
        Some(Ok(memory)) => memory,
        Some(Err(why)) => {
            html.element("<p>Not known: ", why, ".</p>\n");
            return;
        }
        None => return,
    };
    for group in memory.gpus.chunk_by(|a, b| a.roles == b.roles) {
        gpus(html, group);
    }
    disk(html, memory);
    for error in &memory.layout_errors {
        html.element("<p class=\"bad\">", error, "</p>\n");
    }
    if let Some(accuracy) = &memory.accuracy {
        html.raw("<p class=\"small dim\">The trainer's peak was within ").shown(format!(
            "{:.0} % on average, {:.0} % at worst",
            accuracy.mean_error * 100.0,
            accuracy.worst_error * 100.0
        ));
        html.raw(", of ").shown(accuracy.measured_runs).raw(" measured runs");
        if accuracy.measured_steps > 0 {
            html.raw(" and ").shown(accuracy.measured_steps).raw(" measured steps");
        }
        html.raw(".");
        if !accuracy.is_matched {
            html.raw(" The model did not match them, so this estimate is not validated.");
        }
        if !accuracy.not_validated.is_empty() {
            html.raw(" Not measured: ").text(&accuracy.not_validated.join("; ")).raw(".");
        }
        html.raw("</p>\n");
    }
    list(html, "Assumptions", memory.assumed.iter().map(String::as_str));
    let remedies: Vec<String> =
        memory.remedies.iter().map(|remedy| format!("{}: {}", remedy.change, remedy.verdict.replace('-', " "))).collect();
    list(html, "What would help", remedies.iter().map(String::as_str));
}

fn list<'t>(html: &mut Html, title: &'static str, items: impl ExactSizeIterator<Item = &'t str>) {
    if items.len() == 0 {
        return;
    }
    html.element("<h3>", title, "</h3>\n").raw("<ul class=\"small\">\n");
    for item in items {
        html.element("<li>", item, "</li>\n");
    }
    html.raw("</ul>\n");
}

/// GPUs with the same content.
fn gpus(html: &mut Html, group: &[GpuReport]) {
    let [first, ..] = group else { return };
    let numbers = match group {
        [_, .., last] => format!("GPU {} to {}", first.index, last.index),
        _ => format!("GPU {}", first.index),
    };
    let total = first.total_bytes.map(amount);
    let card = first.name.as_deref().map_or_else(String::new, |name| format!(", {name}"));
    let size = total.map_or_else(String::new, |total| format!(" with {total}"));
    html.raw("<div class=\"card\">\n<h3>").text(&numbers).text(&card).text(&size).raw(": ").text(&first.roles.join(" and "));
    html.raw(" <span class=\"chip ")
        .raw(class(first.verdict))
        .raw("\">")
        .text(&first.verdict.replace('-', " "))
        .raw("</span></h3>\n");
    for reason in &first.reasons {
        html.element("<p>", reason, "</p>\n");
    }
    if let (Some(total), Some(low), Some(high)) = (total, first.held_low_bytes, first.held_high_bytes) {
        let (low, high) = (amount(low), amount(high));
        let left = margin(total - high, total - low);
        html.raw("<p class=\"small dim\">").shown(range(low, high)).raw(" at the peak: ").text(&left).raw("</p>\n");
    }
    bar(html, &numbers, &parts(first), total);
    html.raw("</div>\n");
}

/// A bar of parts, with a line for the card's memory, and its legend.
pub(super) fn bar(html: &mut Html, what: &str, parts: &[(String, Bytes)], total: Option<Bytes>) {
    let sum: Bytes = parts.iter().map(|(_, bytes)| *bytes).sum();
    let whole = total.map_or(sum, |total| total.max(sum)).max(Bytes::new(1.0));
    let scale = WIDE / whole.as_f64();
    html.raw("<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"")
        .text(what)
        .raw("\">");
    let mut x = 0.0;
    for (number, (_, bytes)) in parts.iter().enumerate() {
        let wide = bytes.as_f64() * scale;
        html.raw("<rect class=\"")
            .raw(COLOURS[number % COLOURS.len()])
            .raw("\" x=\"")
            .at(x)
            .raw("\" y=\"0\" height=\"10\" width=\"")
            .at(wide);
        html.raw("\"/>");
        x += wide;
    }
    if let Some(total) = total.filter(|total| *total < whole) {
        let x = total.as_f64() * scale;
        html.raw("<path class=\"edge\" d=\"M").at(x).raw(" 0V10\"/>");
    }
    html.raw("</svg>\n");
    let named: Vec<(String, String)> = parts.iter().map(|(name, bytes)| (name.clone(), bytes.to_string())).collect();
    legend(html, &named);
}

/// Colours and their meanings.
pub(super) fn legend(html: &mut Html, named: &[(String, String)]) {
    html.raw("<ul class=\"legend\">\n");
    for (number, (name, amount)) in named.iter().enumerate() {
        html.raw("<li><svg viewBox=\"0 0 1 1\" aria-hidden=\"true\"><rect class=\"").raw(COLOURS[number % COLOURS.len()]);
        html.raw("\" width=\"1\" height=\"1\"/></svg>")
            .text(name)
            .raw(" <span class=\"dim\">")
            .text(amount)
            .raw("</span></li>\n");
    }
    html.raw("</ul>\n");
}

/// The class of the colour of a part.
pub(super) const fn colour(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
}

fn disk(html: &mut Html, memory: &MemoryReport) {
    let Some(disk) = &memory.disk else { return };
    html.raw("<div class=\"card\">\n<h3>Disk");
    if disk.verdict != "unknown" {
        html.raw(" <span class=\"chip ").raw(class(disk.verdict)).raw("\">").text(disk.verdict).raw("</span>");
    }
    html.raw("</h3>\n").element("<p>", &disk_in_words(disk), "</p>\n</div>\n");
}
