//! Compiles `schemas/speed.toml` into the tables of `cfg_memory::duration`.

pub(crate) mod fit;
pub(crate) mod page;

use std::{fmt::Write as _, fs};

use serde::Deserialize;
use toml::value::Datetime;

use crate::generate::root;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Speed {
    fit: toml::Table,
    accuracy: Accuracy,
    exception: Vec<Exception>,
    handover: Handover,
    generation: Generation,
    window: Vec<Window>,
    card: Vec<Card>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Accuracy {
    runs: u32,
    fitted: Error,
    unseen_model: Error,
    unseen_card: Error,
    unseen_configuration: Error,
    unseen_half: Error,
    since: Datetime,
    until: Datetime,
}

// The fields have the names of `cfg_memory::duration::table`, because `Debug` writes the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Error {
    mean: f64,
    worst: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read by `Debug`")]
struct Range {
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    generation: String,
    experts: bool,
    until: Datetime,
    seconds_per_expert: f64,
    says: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Handover {
    gb_s: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Generation {
    bandwidth: Range,
    compute: Range,
    wait: Range,
    wait_eager: Range,
    under_way: Range,
    max_num_seqs: f64,
    answers: Range,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Window {
    models: Vec<String>,
    tokens: f64,
    full_every: u32,
    #[serde(rename = "source")]
    _source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Card {
    name: String,
    generation: String,
    bf16: f64,
    fp32: f64,
    memory: f64,
    link: f64,
    handover: Option<f64>,
    measured: bool,
}

const HEAD: &str = "\
//! Generated from `schemas/speed.toml` by `cargo xtask generate`.

use super::{Accuracy, Card, Error, Exception, Fit, Generating, Generation, Window};
use crate::{duration::Range, prime_rl::Date};

";

/// The tables.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let path = "schemas/speed.toml";
    let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    let Speed { fit, accuracy, exception, handover, generation, window, card } =
        toml::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
    let mut out = String::from(HEAD);
    let mut item = |declared: &str, value: &str| {
        let _ = writeln!(out, "#[rustfmt::skip]\n/// What the file states.\npub static {declared} = {value};\n");
    };
    let fit: Vec<String> = fit.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    item("FIT: Fit", &format!("Fit {{ {} }}", fit.join(", ")));
    let Accuracy { runs, fitted, unseen_model, unseen_card, unseen_configuration, unseen_half, since, until } = accuracy;
    item(
        "ACCURACY: Accuracy",
        &format!(
            "Accuracy {{ runs: {runs}, fitted: {fitted:?}, unseen_model: {unseen_model:?}, unseen_card: {unseen_card:?}, \
             unseen_configuration: {unseen_configuration:?}, unseen_half: {unseen_half:?}, since: {}, until: {} }}",
            date(&since)?,
            date(&until)?
        ),
    );
    let exceptions = exception.into_iter().map(|Exception { generation, experts, until, seconds_per_expert, says }| {
        if !experts {
            return Err(format!("{path}: an exception is for models with experts"));
        }
        let (generation, until) = (kind(&generation), date(&until)?);
        Ok(format!(
            "    Exception {{ generation: {generation}, until: {until}, seconds_per_expert: {seconds_per_expert:?}, says: {says:?} }},"
        ))
    });
    item("EXCEPTIONS: &[Exception]", &list(&exceptions.collect::<Result<Vec<_>, _>>()?));
    let Generation { bandwidth, compute, wait, wait_eager, under_way, max_num_seqs, answers } = generation;
    item(
        "GENERATING: Generating",
        &format!(
            "Generating {{ bandwidth: {bandwidth:?}, compute: {compute:?}, wait: {wait:?}, wait_eager: {wait_eager:?}, \
             under_way: {under_way:?}, max_num_seqs: {max_num_seqs:?}, answers: {answers:?} }}"
        ),
    );
    let windows = window.into_iter().map(|Window { models, tokens, full_every, .. }| {
        format!("    Window {{ models: &{models:?}, tokens: {tokens:?}, full_every: {full_every} }},")
    });
    item("WINDOWS: &[Window]", &list(&windows.collect::<Vec<_>>()));
    let cards = card.into_iter().map(|Card { name, generation, bf16, fp32, memory, link, handover: own, measured }| {
        format!(
            "    Card {{ name: {name:?}, generation: {}, bf16: {bf16:?}e12, fp32: {fp32:?}e12, memory: {memory:?}e9, link: {link:?}e9, \
             handover: {:?}e9, measured: {measured} }},",
            kind(&generation),
            own.unwrap_or(handover.gb_s)
        )
    });
    item("CARDS: &[Card]", &list(&cards.collect::<Vec<_>>()));
    out.truncate(out.trim_end().len());
    out.push('\n');
    Ok(out.into_bytes())
}

fn list(lines: &[String]) -> String {
    format!("&[\n{}\n]", lines.join("\n"))
}

/// The name of a generation in the table: `blackwell-rtx` is `BlackwellRtx`.
fn kind(generation: &str) -> String {
    let words = generation.split('-').map(cfg_diag::capitalized);
    format!("Generation::{}", words.collect::<String>())
}

fn date(day: &Datetime) -> Result<String, String> {
    let date = day.date.ok_or("schemas/speed.toml: a time is not a day")?;
    Ok(format!("Date::new({}, {}, {})", date.year, date.month, date.day))
}
