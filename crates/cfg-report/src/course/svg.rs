//! The course of a run as a picture: the sentences about it, and below a line of steps for each kind of event.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{CourseReport, grouped};
use crate::svg::{head, label};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 230.0;
const RIGHT: f64 = 30.0;
const LINE: f64 = 22.0;
const ROW: f64 = 30.0;
const MARK: f64 = 4.0;
const COLOUR: &str = "#0072b2";

/// Writes one SVG document.
pub fn write_svg(out: &mut impl Write, report: &CourseReport) -> io::Result<()> {
    let (mut sentences, marks) = (report.sentences(), report.marks());
    sentences.extend(report.sockets.iter().map(|one| {
        let words = format!("{} for {} on {} ({}; {})", one.port, one.owner, one.node, one.address(), one.moved_by());
        ("Socket", words)
    }));
    #[expect(clippy::cast_precision_loss, reason = "there are few lines")]
    let (said, height) = {
        let said = (sentences.len() as f64).mul_add(LINE, LINE);
        (said, (marks.len() as f64).mul_add(ROW, said + 2.0 * ROW))
    };
    let mut svg = head(WIDTH, height);
    let mut y = LINE;
    for (name, words) in &sentences {
        label(&mut svg, 20.0, y, "start", name);
        label(&mut svg, 120.0, y, "start", words);
        y += LINE;
    }
    let last = report.max_steps.unwrap_or_default();
    y = said + ROW;
    for (name, at) in &marks {
        label(&mut svg, LEFT - 12.0, y + MARK, "end", name);
        let right = WIDTH - RIGHT;
        let _ = writeln!(svg, "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#999999\"/>");
        for step in at {
            let x = x(*step, last);
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{MARK}\" fill=\"{COLOUR}\"/>");
        }
        y += ROW;
    }
    if !marks.is_empty() {
        for quarter in 0..=4 {
            let step = last / 4 * quarter + last % 4 * quarter / 4;
            label(&mut svg, x(step, last), y, "middle", &grouped(step));
        }
    }
    svg.push_str("</svg>\n");
    out.write_all(svg.as_bytes())
}

#[expect(clippy::cast_precision_loss, reason = "a picture has no more than a thousand places")]
fn x(step: i64, last: i64) -> f64 {
    let share = (step as f64 / last as f64).clamp(0.0, 1.0);
    share.mul_add(WIDTH - LEFT - RIGHT, LEFT)
}
