//! The duration of a run on each card, for programs and for people.

mod svg;

use std::io::{self, Write};

use cfg_memory::Bytes;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

pub use svg::write_svg;

use crate::{Style, memory::verdict, paint::BOLD};

/// The JSON Schema of [`EstimateReport`].
pub fn schema() -> Schema {
    crate::json::schema_of_identified::<EstimateReport>()
}

/// What `cfg estimate --format json` writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EstimateReport {
    /// The cards on which the run fits, that of the config first, then from the smallest, and the requested one in any case.
    pub cards: Vec<CardReport>,
    /// The assumptions, including guesses.
    pub assumed: Vec<String>,
    /// How reliable the trainer's part is.
    pub accuracy: AccuracyReport,
    /// The comparison with a measured run; only with `--from`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationReport>,
    /// Known cards on which it does not fit.
    #[serde(skip)]
    pub too_small: Vec<String>,
}

/// The run on one kind of card.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CardReport {
    /// The kind of card.
    pub name: String,
    /// The number of cards that the run uses.
    pub count: u32,
    /// Whether it fits: `fits` or `tight`; for the requested card also `out-of-memory` or `start-up-failure`.
    pub verdict: &'static str,
    /// The trainer.
    pub trainer: TrainerReport,
    /// Tokens that vLLM generates in a second: not measured. Null if nothing is served, or the card's speed is not known.
    pub generation: RangeReport,
    /// Hours of the whole run; null if it has no end, or a part of it is not known.
    pub hours: RangeReport,
    /// The cost of the upper bound of the hours on all these cards; null without a price.
    pub dollars: Option<f64>,
    /// The most disk space of the run at any time; null if nothing is trained.
    pub disk_bytes: Option<u64>,
    /// Whether no run on such a card was measured.
    #[serde(skip)]
    pub is_guess: bool,
}

/// The trainer of a run.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct TrainerReport {
    /// Tokens in a second of all its GPUs together, including the transfer of weights to the inference server; null if nothing is trained.
    pub tokens_per_second: Option<f64>,
    /// Seconds of an optimizer step, without the transfer of weights to the inference server.
    pub step_seconds: Option<f64>,
}

/// A quantity within a range.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct RangeReport {
    /// The smallest possible value.
    pub low: Option<f64>,
    /// The likely value.
    pub middle: Option<f64>,
    /// The largest possible value.
    pub high: Option<f64>,
}

impl RangeReport {
    /// The likely value, with the range behind it: `65 (17 to 248)`.
    fn words(self, write: fn(f64) -> String) -> Option<String> {
        let (low, high) = self.low.zip(self.high).map(|(low, high)| (write(low), write(high)))?;
        if low == high {
            return Some(low);
        }
        let ends = format!("{low} to {high}");
        Some(self.middle.map_or_else(|| ends.clone(), |middle| format!("{} ({ends})", write(middle))))
    }
}

/// How reliable the trainer's part is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AccuracyReport {
    /// The number of runs that the model of the trainer was fitted to.
    pub measured_runs: u32,
    /// The mean of the absolute errors for runs with a model that the fit had not seen, as a share of the measured values.
    pub mean_error: f64,
    /// The largest of them.
    pub worst_error: f64,
    /// Whether everything that this run's speed depends on was measured, on the cards in `cards` except those that `assumed` calls a guess.
    pub validated: bool,
    /// The properties of this run that were never measured.
    pub not_validated: Vec<String>,
}

/// The comparison of the estimate with a measured run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CalibrationReport {
    /// The folder of the run.
    pub run: String,
    /// The card of the run.
    pub card: String,
    /// The number of steps with a known time.
    pub steps: usize,
    /// Seconds of a step: the median of the newest steps.
    pub step_seconds: Option<f64>,
    /// The trainer's seconds in a step: measured divided by estimated.
    pub trainer_factor: f64,
    /// The seconds for the rollouts of a step: measured divided by the middle of the estimated range; null if unknown.
    pub rollouts_factor: Option<f64>,
    /// Hours of that run according to the estimate alone.
    pub hours_before: RangeReport,
    /// Hours of the estimated run on that card, corrected; null if it is not among the cards.
    pub hours: RangeReport,
}

impl CalibrationReport {
    /// The changes, in sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let step = self.step_seconds.map_or_else(String::new, |median| format!(" of {}", seconds(median)));
        let rollouts = self.rollouts_factor.map_or_else(
            || "the duration of rollouts is not recorded separately".to_owned(),
            |factor| format!("rollouts took {factor:.2} times the middle of the range"),
        );
        let clean = |text: &str| cfg_diag::one_line(text).into_owned();
        let mut all = vec![
            format!("Corrected by {}: {} steps{step} on {}.", clean(&self.run), self.steps, clean(&self.card)),
            format!("In that run the trainer took {:.2} times as long as estimated; {rollouts}.", self.trainer_factor),
        ];
        let hours = |range: RangeReport| range.words(brief);
        if let (Some(before), Some(now)) = (hours(self.hours_before), hours(self.hours)) {
            all.push(format!("Hours on {}: {now}; {before} without the correction.", cfg_diag::one_line(&self.card)));
        }
        all
    }
}

/// The names of the columns.
const COLUMNS: [&str; 7] = ["cards", "memory", "trainer, tokens/s", "s/step", "vLLM, tokens/s", "hours", "dollars"];

/// The columns that are left out on a narrow terminal, first to last.
const LESS_WANTED: [usize; 3] = [4, 2, 3];

/// The longest list of cards that is printed in one line, in columns.
const LINE: usize = 100;

/// Writes the estimate for people. Empty columns are left out, and those for which a terminal has no room.
pub fn write_table(out: &mut impl Write, style: Style, columns: Option<usize>, report: &EstimateReport) -> io::Result<()> {
    let rows: Vec<[String; 7]> = report.cards.iter().map(cells).collect();
    let mut widths: Vec<usize> = (0..COLUMNS.len())
        .map(|index| {
            let longest = rows.iter().map(|row| row[index].chars().count()).max().unwrap_or(0);
            if longest == 0 { 0 } else { longest.max(COLUMNS[index].len()) }
        })
        .collect();
    let mut left_out = Vec::new();
    for index in LESS_WANTED {
        let all: usize = widths.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
        if columns.is_some_and(|columns| all > columns + 2) && widths[index] > 0 {
            widths[index] = 0;
            left_out.push(COLUMNS[index]);
        }
    }
    let line = |cells: [&str; 7]| {
        let padded = cells
            .iter()
            .zip(&widths)
            .enumerate()
            .filter(|(_, (_, width))| **width > 0)
            .map(|(index, (cell, width))| if index < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    if !rows.is_empty() {
        writeln!(out, "{}", style.paint(BOLD, line(COLUMNS)))?;
    }
    for (row, card) in rows.iter().zip(&report.cards) {
        let plain = line(row.each_ref().map(String::as_str));
        // The verdict's colour has no width.
        writeln!(out, "{}", plain.replacen(card.verdict, &verdict(style, card.verdict), 1))?;
    }
    if !left_out.is_empty() {
        writeln!(out, "Not shown on {} columns: {}", columns.unwrap_or_default(), left_out.join("; "))?;
    }
    if !rows.is_empty() {
        writeln!(out)?;
    }
    if let Some(disk) = report.cards.iter().find_map(|card| card.disk_bytes) {
        writeln!(out, "Disk: at most {}", gb(disk))?;
    }
    write_list(out, "Does not fit on: ", &report.too_small, columns.unwrap_or(LINE).min(LINE))?;
    for sentence in report.calibration.iter().flat_map(CalibrationReport::sentences) {
        writeln!(out, "{sentence}")?;
    }
    if report.cards.iter().any(|card| card.trainer.tokens_per_second.is_some()) {
        let AccuracyReport { measured_runs, mean_error, worst_error, not_validated, .. } = &report.accuracy;
        writeln!(
            out,
            "Accuracy of the trainer's speed: off by {:.0} % on average, {:.0} % at worst, on {measured_runs} measured runs of models \
             that the fit had not seen",
            mean_error * 100.0,
            worst_error * 100.0
        )?;
        if !not_validated.is_empty() {
            writeln!(out, "Not measured: {}", not_validated.join("; "))?;
        }
    }
    if rows.iter().flatten().any(|cell| cell.starts_with('~')) {
        writeln!(out, "~ marks a guess")?;
    }
    for clause in &report.assumed {
        writeln!(out, "Assumed: {}", cfg_diag::one_line(clause))?;
    }
    Ok(())
}

/// Writes names behind a heading; the lines after the first are indented.
fn write_list(out: &mut impl Write, heading: &str, names: &[String], width: usize) -> io::Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let mut line = heading.to_owned();
    for (index, name) in names.iter().enumerate() {
        let word = if index + 1 < names.len() { format!("{name}, ") } else { name.clone() };
        if line.chars().count() + word.trim_end().chars().count() > width {
            writeln!(out, "{}", line.trim_end())?;
            "  ".clone_into(&mut line);
        }
        line.push_str(&word);
    }
    writeln!(out, "{line}")
}

/// The verdict in one line, with the machine and the prime-rl: "About 65 hours (17 to 248) on 2x H100 with prime-rl 0.8.0, up to $1,240".
pub fn headline(report: &EstimateReport, target: &str) -> String {
    let Some(card) = report.cards.first() else { return format!("Fits on no known card with prime-rl {target}") };
    let on = format!("on {}x {} with prime-rl {target}", card.count, cfg_diag::one_line(&card.name));
    if !matches!(card.verdict, "fits" | "tight") {
        return format!("Does not fit {on}");
    }
    let others = match report.cards.len() - 1 {
        0 => String::new(),
        1 => "; fits on one other card".to_owned(),
        others => format!("; fits on {others} other cards"),
    };
    let dollars = card.dollars.map_or_else(String::new, |dollars| format!(", up to {}", in_dollars(dollars)));
    match card.hours.low.zip(card.hours.high).map(|(low, high)| (brief(low), brief(high))) {
        Some((low, high)) => {
            let middle = card.hours.middle.map_or_else(|| low.clone(), brief);
            let ends = if low == high { String::new() } else { format!(" ({low} to {high})") };
            format!("About {middle} hours{ends} {on}{dollars}{others}")
        }
        None => format!("Fits {on}; how long it takes is unknown{others}"),
    }
}

fn in_dollars(dollars: f64) -> String {
    if dollars < 10.0 { format!("${dollars:.2}") } else { format!("${}", three_significant(dollars)) }
}

fn cells(card: &CardReport) -> [String; 7] {
    let guess = if card.is_guess { "~" } else { "" };
    let of_trainer =
        |value: Option<f64>, write: fn(f64) -> String| value.map_or_else(String::new, |value| format!("{guess}{}", write(value)));
    let range = |range: RangeReport, sign: &str, write: fn(f64) -> String| {
        range.words(write).map_or_else(String::new, |words| format!("{sign}{words}"))
    };
    let is_served = card.generation.low.is_some();
    [
        format!("{}x {}", card.count, cfg_diag::one_line(&card.name)),
        card.verdict.to_owned(),
        of_trainer(card.trainer.tokens_per_second, three_significant),
        of_trainer(card.trainer.step_seconds, brief),
        range(card.generation, "~", three_significant),
        range(card.hours, if is_served { "~" } else { guess }, brief),
        card.dollars.map_or_else(String::new, |dollars| format!("up to {}", in_dollars(dollars))),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "no disk has 2^53 bytes")]
const fn gb(bytes: u64) -> Bytes {
    Bytes::new(bytes as f64)
}

/// A large number with three significant digits, with commas between thousands.
fn three_significant(value: f64) -> String {
    let digits = if value >= 1.0 { value.log10().floor() } else { 0.0 };
    let unit = 10.0_f64.powf((digits - 2.0).max(0.0));
    let text = format!("{:.0}", (value / unit).round() * unit);
    let groups: Vec<&str> = text.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

fn seconds(value: f64) -> String {
    format!("{} s", brief(value))
}

/// A number with at least two significant digits.
fn brief(value: f64) -> String {
    match value {
        value if value >= 10.0 => three_significant(value),
        value if value >= 1.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{brief, three_significant};

    #[test]
    fn numbers_have_as_many_digits_as_count() {
        let forms = [(99_684.8, "99,700"), (1_234_567.0, "1,230,000"), (42.4, "42"), (0.4, "0"), (999.6, "1,000")];
        for (value, text) in forms {
            assert_eq!(three_significant(value), text, "{value}");
        }
        assert_eq!([brief(0.042), brief(3.24), brief(12.3)], ["0.04", "3.2", "12"]);
    }
}
