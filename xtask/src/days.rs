//! Compiles `schemas/days.toml` into the days that `cfg-memory` compares.

use std::{fmt::Write as _, fs};

use cfg_memory::prime_rl::Date;
use serde::Deserialize;

use crate::{commits::Commits, generate::root};

const PATH: &str = "schemas/days.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    day: Vec<Day>,
    vllm: Vec<Vllm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Day {
    name: String,
    since: String,
    says: String,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vllm {
    version: String,
    since: String,
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let text = fs::read_to_string(root().join(PATH)).map_err(|error| format!("{PATH}: {error}"))?;
    let file: File = toml::from_str(&text).map_err(|error| format!("{PATH}: {error}"))?;
    let commits = Commits::read()?;
    let day = |commit: &str| {
        let commit = commits.named(commit).map_err(|error| format!("{PATH}: {error}"))?;
        [&commit.day, &commit.date].into_iter().filter_map(|day| Date::parse(day)).min().ok_or(format!("{}: no day", commit.sha))
    };
    let mut out = format!(
        "//! The days of the commits that memory depends on. Generated from `{PATH}` by `cargo xtask generate`.\n\n\
         use super::{{Date, Vllm}};\n\n"
    );
    for Day { name, since, says, source } in &file.day {
        // Writing to a `String` does not fail.
        let _ = writeln!(out, "/// {says} ({source})\npub const {name}: Date = {};\n", literal(day(since)?));
    }
    out.push_str(
        "/// From which day on prime-rl asks for which vLLM, oldest first.\npub(super) const VLLM: &[(Date, Vllm)] = &[\n",
    );
    let days = file.vllm.iter().map(|vllm| day(&vllm.since)).collect::<Result<Vec<_>, String>>()?;
    if !days.is_sorted() {
        return Err(format!("{PATH}: put the versions of vLLM in the order of their commits"));
    }
    for (Vllm { version, .. }, day) in file.vllm.iter().zip(days) {
        let numbers = version.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let (major, minor): (u16, u16) = numbers.ok_or_else(|| format!("{PATH}: `{version}` is not like `0.10`"))?;
        let _ = writeln!(out, "    ({}, Vllm::new({major}, {minor})),", literal(day));
    }
    out.push_str("];\n");
    Ok(out.into_bytes())
}

/// A day as Rust code: `Date::new(2026, 5, 18)`.
fn literal(day: Date) -> String {
    let day = day.to_string();
    let numbers: Vec<&str> = day.split('-').map(|number| number.trim_start_matches('0')).collect();
    format!("Date::new({})", numbers.join(", "))
}
