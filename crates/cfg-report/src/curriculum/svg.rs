//! A schedule as a picture: the phases as written in the config, and below as they occur in training.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{CurriculumReport, EnvironmentReport, PhaseReport};
use crate::svg::{head, label};

const WIDTH: f64 = 720.0;
const LEFT: f64 = 110.0;
const RIGHT: f64 = 20.0;
const BAND: f64 = 70.0;
const GAP: f64 = 34.0;
const TITLE: f64 = 34.0;
const LEGEND: f64 = 30.0;
/// Colours that are distinguished without red and green.
const COLOURS: [&str; 6] = ["#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#0072b2", "#d55e00"];

/// Writes one SVG document with all schedules, one below the other.
pub fn write_svg(out: &mut impl Write, report: &CurriculumReport) -> io::Result<()> {
    let of_one = TITLE + 2.0 * (BAND + GAP) + LEGEND;
    let number = report.environments.len().max(1);
    #[expect(clippy::cast_precision_loss, reason = "a config has few environments")]
    let height = of_one * number as f64;
    let mut svg = head(WIDTH, height);
    let mut top = 0.0;
    for environment in &report.environments {
        draw(&mut svg, environment, top);
        top += of_one;
    }
    if report.environments.is_empty() {
        label(&mut svg, 20.0, 20.0, "start", "No environment of this config has curriculum phases");
    }
    svg.push_str("</svg>\n");
    out.write_all(svg.as_bytes())
}

fn draw(svg: &mut String, environment: &EnvironmentReport, top: f64) {
    let remark = match (environment.effect, environment.enabled) {
        (Some("ignored"), _) => ": ignored by the environment",
        (_, false) => ": not enabled",
        _ => "",
    };
    let title = format!("{}, {}{remark}", environment.id.as_deref().unwrap_or("environment"), environment.key);
    label(svg, 20.0, top + 22.0, "start", &title);
    let names = environment.names();
    let last = environment.last_step();
    let written = top + TITLE;
    label(svg, LEFT - 8.0, written + BAND / 2.0, "end", "as written");
    for phase in &environment.phases {
        if let (Some(from), Some(until)) = (phase.from_step, phase.until_step) {
            band(svg, &names, phase, written, x(from, last), x(until, last), 1.0);
        }
    }
    axis(svg, last, written + BAND);
    let trained = written + BAND + GAP;
    label(svg, LEFT - 8.0, trained + BAND / 2.0, "end", "in training");
    for (number, phase) in environment.phases.iter().enumerate() {
        let Some(extents) = environment.extents(number) else { continue };
        band(svg, &names, phase, trained, x(extents.possible.0, last), x(extents.possible.1, last), 0.35);
        band(svg, &names, phase, trained, x(extents.sure.0, last), x(extents.sure.1, last), 1.0);
    }
    axis(svg, last, trained + BAND);
    let mut left = LEFT;
    for (number, name) in names.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let y = trained + BAND + GAP;
        let _ = writeln!(svg, "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>");
        label(svg, left + 17.0, y + 10.0, "start", name);
        #[expect(clippy::cast_precision_loss, reason = "names are short")]
        let wide = name.chars().count() as f64;
        left += wide.mul_add(7.0, 34.0);
    }
}

/// One phase: its shares, one above the other.
fn band(svg: &mut String, names: &[&str], phase: &PhaseReport, top: f64, left: f64, right: f64, opacity: f64) {
    if right <= left {
        return;
    }
    let mut below = top + BAND;
    for (number, name) in names.iter().enumerate() {
        let height = phase.shares.get(*name).copied().unwrap_or(0.0) * BAND;
        if height > 0.0 {
            below -= height;
            let _ = writeln!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{below:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{}\" fill-opacity=\"{opacity}\"/>",
                right - left,
                COLOURS[number % COLOURS.len()]
            );
        }
    }
    let _ = writeln!(svg, "<line x1=\"{left:.1}\" x2=\"{left:.1}\" y1=\"{top:.1}\" y2=\"{:.1}\" stroke=\"black\"/>", top + BAND);
}

fn axis(svg: &mut String, last: i64, y: f64) {
    let _ = writeln!(svg, "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"black\"/>", WIDTH - RIGHT);
    for quarter in 0..=4 {
        let step = last / 4 * quarter + last % 4 * quarter / 4;
        label(svg, x(step, last), y + 16.0, "middle", &step.to_string());
    }
}

#[expect(clippy::cast_precision_loss, reason = "a picture has no more than a thousand places")]
fn x(step: i64, last: i64) -> f64 {
    let share = (step as f64 / last as f64).clamp(0.0, 1.0);
    share.mul_add(WIDTH - LEFT - RIGHT, LEFT)
}
