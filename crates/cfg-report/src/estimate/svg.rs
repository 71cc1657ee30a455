//! The estimate as a picture: the duration on each card, and the other values below.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{CalibrationReport, CardReport, EstimateReport, brief, cells, gb};
use crate::svg::{head, label};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 160.0;
/// The right end of the bars, where the text begins.
const RIGHT: f64 = 560.0;
const TOP: f64 = 54.0;
const ROW: f64 = 44.0;
const LINE: f64 = 20.0;
const COLOUR: &str = "#0072b2";

/// Writes one SVG document: for each card a bar from the fewest hours to the most, with the cost and the speed.
///
/// # Errors
/// If `out` can't be written to.
pub fn write_svg(out: &mut impl Write, report: &EstimateReport) -> io::Result<()> {
    let notes: Vec<String> = report.calibration.iter().flat_map(CalibrationReport::sentences).collect();
    let most = report.cards.iter().filter_map(|card| card.hours.high).fold(0.0, f64::max);
    let mut svg = head(WIDTH, ROW.mul_add(real(report.cards.len().max(1)), LINE.mul_add(real(notes.len()), TOP + 24.0)));
    let title =
        if most > 0.0 { "hours of the whole run, from the fewest to the most" } else { "what each card does in a second" };
    label(&mut svg, 20.0, 26.0, "start", title);
    for (number, card) in report.cards.iter().enumerate() {
        row(&mut svg, card, most, ROW.mul_add(real(number), TOP));
    }
    if report.cards.is_empty() {
        label(&mut svg, 20.0, TOP, "start", "It fits on no known card.");
    }
    for (number, note) in notes.iter().enumerate() {
        label(&mut svg, 20.0, ROW.mul_add(real(report.cards.len()), LINE.mul_add(real(number), TOP + 16.0)), "start", note);
    }
    svg.push_str("</svg>\n");
    out.write_all(svg.as_bytes())
}

fn row(svg: &mut String, card: &CardReport, most: f64, top: f64) {
    let [name, verdict, tokens, step, generated, _, dollars] = cells(card);
    let disk = card.disk_bytes.map_or_else(String::new, |bytes| gb(bytes).to_string());
    label(svg, LEFT - 12.0, top + 15.0, "end", &name);
    label(svg, LEFT - 12.0, top + 30.0, "end", &verdict);
    let mut words_at = LEFT;
    if let (Some(low), Some(high)) = (card.hours.low, card.hours.high)
        && most > 0.0
    {
        let x = |hours: f64| hours / most * (RIGHT - LEFT);
        // The certain part of the duration, and the possible part.
        for (until, opacity) in [(high, 0.35), (low, 1.0)] {
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"20\" fill=\"{COLOUR}\" fill-opacity=\"{opacity}\"/>",
                x(until)
            );
        }
        let guess = if card.is_guess || card.generation.low.is_some() { "~" } else { "" };
        words_at = LEFT + x(high) + 8.0;
        label(svg, words_at, top + 15.0, "start", &format!("{guess}{} to {} h", brief(low), brief(high)));
    }
    let parts = [
        ("trainer ", &tokens, " tokens/s"),
        ("step ", &step, " s"),
        ("generated ", &generated, " tokens/s"),
        ("", &dollars, ""),
        ("disk ", &disk, ""),
    ];
    let parts =
        parts.into_iter().filter(|(_, text, _)| !text.is_empty()).map(|(before, text, behind)| format!("{before}{text}{behind}"));
    let words = parts.collect::<Vec<_>>().join(", ");
    let y = if words_at > LEFT { top + 35.0 } else { top + 15.0 };
    label(svg, LEFT, y, "start", &words);
}

#[expect(clippy::cast_precision_loss, reason = "there are few cards")]
const fn real(count: usize) -> f64 {
    count as f64
}
