//! Compares the resolved values of two configs, or of one config at two targets.

use std::{
    io::{self, Write as _},
    path::Path,
};

use cfg_check::Command;
use cfg_emit::{Difference, Leaf, differences, origin_as_json, origin_in_words};
use cfg_report::{
    compared::{ResolvedComparison, ResolvedConfig, ResolvedKey, ResolvedSide},
    json::SCHEMA_VERSION,
};
use cfg_resolve::{Nulls, written};
use cfg_schema::Target;

use super::{Config, Input, shown};
use crate::{
    CommandResult, Outcome,
    args::{Compile, Format},
    commands::Listing,
    context::Context,
    terminal,
};

pub(super) fn run(cx: &Context, compile: &Compile, one: &Config<'_>) -> CommandResult {
    let Some((file, target)) = other_side(cx, compile) else { return Ok(Outcome::Failed) };
    let input = match file {
        Some(file) => Input::read(cx, compile.env_vars, one.session, Command::Files(&[file]), target),
        None => Input::of_arguments(cx, compile, one.session, target),
    };
    if let Err(why) = input.known_target(cx, one.session) {
        cx.complain(&why);
        return Ok(Outcome::Failed);
    }
    if input.config(one.session).is_none() {
        input.report(cx)?;
    }
    let Some(other) = input.config(one.session) else { return Ok(Outcome::Found) };
    let here = written(one.resolved, one.point(), Nulls::Kept);
    let there = written(other.resolved, other.point(), Nulls::Kept);
    let found = differences(&here, &there);
    if cx.is_for_program() {
        as_json(cx, one, &other, &found)?;
    } else {
        for_people(cx, one, &other, &found)?;
    }
    Ok(if found.is_empty() { Outcome::Clean } else { Outcome::Found })
}

/// The other file, if there is one, and the other target; reports an error if there is neither.
fn other_side(cx: &Context, compile: &Compile) -> Option<(Option<String>, Option<Target>)> {
    let parse = |text: &str| cx.named_target(text);
    let stated = match compile.output.diff_target.as_deref().or(cx.common.target.as_deref()).map(parse).transpose() {
        Ok(stated) => stated,
        Err(error) => {
            cx.complain(&error);
            return None;
        }
    };
    let Some(other) = compile.output.diff.as_deref() else { return Some((None, stated)) };
    if cx.system.exists(Path::new(other)) || compile.output.diff_target.is_some() {
        return Some((Some(other.to_owned()), stated));
    }
    match parse(other) {
        Ok(target) => Some((None, Some(target))),
        Err(error) => {
            cx.complain(&format!("{other} is neither a file nor a known version: {error}"));
            None
        }
    }
}

fn as_json(cx: &Context, one: &Config<'_>, other: &Config<'_>, found: &[Difference<'_>]) -> io::Result<()> {
    let side = |config: &Config<'_>, leaf: Option<&Leaf<'_>>| {
        leaf.map(|leaf| ResolvedSide {
            value: leaf.json(),
            origin: config.with_places(|places| origin_as_json(leaf.origin, places)),
        })
    };
    let about = |config: &Config<'_>| ResolvedConfig { path: config.name.to_owned(), target: config.checked.target.name.clone() };
    let differences = found.iter().map(|difference| ResolvedKey {
        key: difference.key.clone(),
        one: side(one, difference.one.as_ref()),
        other: side(other, difference.other.as_ref()),
    });
    let document = ResolvedComparison {
        schema_version: SCHEMA_VERSION,
        one: about(one),
        other: about(other),
        differences: differences.collect(),
    };
    let mut out = io::BufWriter::new(cx.out());
    let listing = if cx.common.format == Format::Json { Listing::Json } else { Listing::JsonLines };
    listing.write_one(&mut out, &document)?;
    out.flush()
}

/// A row of the comparison: the mark, the key, and for each side the value and its origin.
struct Row {
    mark: char,
    key: String,
    one: (String, String),
    other: (String, String),
}

fn for_people(cx: &Context, one: &Config<'_>, other: &Config<'_>, found: &[Difference<'_>]) -> io::Result<()> {
    let side = |config: &Config<'_>, leaf: Option<&Leaf<'_>>| match leaf {
        Some(leaf) => {
            let words = config.with_places(|places| origin_in_words(leaf.origin, places));
            (shown(&leaf.text()), cfg_diag::one_line(&words).into_owned())
        }
        None => (String::new(), String::new()),
    };
    let rows: Vec<Row> = found
        .iter()
        .map(|difference| Row {
            mark: match (&difference.one, &difference.other) {
                (Some(_), None) => '-',
                (None, _) => '+',
                (Some(_), Some(_)) => '~',
            },
            key: cfg_diag::one_line(&difference.key).into_owned(),
            one: side(one, difference.one.as_ref()),
            other: side(other, difference.other.as_ref()),
        })
        .collect();
    let style = terminal::style(cx);
    let mut out = io::BufWriter::new(cx.out());
    let name = |config: &Config<'_>| format!("{} at {}", cfg_diag::one_line(config.name), config.checked.target);
    writeln!(out, "{}", terminal::paint(style, "31", &format!("- {}", name(one))))?;
    writeln!(out, "{}", terminal::paint(style, "32", &format!("+ {}", name(other))))?;
    let width = |values: fn(&Row) -> &String| rows.iter().map(|row| values(row).chars().count()).max().unwrap_or(0);
    let keys = width(|row| &row.key);
    let values = width(|row| &row.one.0).max(width(|row| &row.other.0));
    for Row { mark, key, one, other } in &rows {
        let line = |ink: &str, mark: char, key: &str, (value, words): &(String, String)| {
            let words = terminal::paint(style, "2", words);
            format!("{} {words}", terminal::paint(style, ink, &format!("{mark} {key:keys$} = {value:values$}")))
        };
        match mark {
            '-' => writeln!(out, "{}", line("31", '-', key, one))?,
            '+' => writeln!(out, "{}", line("32", '+', key, other))?,
            _ => {
                writeln!(out, "{}", line("31", '-', key, one))?;
                writeln!(out, "{}", line("32", '+', key, other))?;
            }
        }
    }
    let count = |mark: char| rows.iter().filter(|row| row.mark == mark).count();
    writeln!(out, "{} changed, {} only in the first, {} only in the second", count('~'), count('-'), count('+'))?;
    out.flush()
}
