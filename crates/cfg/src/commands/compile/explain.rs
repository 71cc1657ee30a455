//! Shows the origin of each value of a resolved config.

use std::io::{self, Write as _};

use cfg_compose::Origin;
use cfg_report::listed::ExplainedValue;
use cfg_resolve::{
    Nulls,
    emit::{Leaf, leaves, origin_as_json, origin_in_words},
    written,
};

use super::{Config, shown};
use crate::{CommandResult, Outcome, args::Format, commands::Listing, context::Context, terminal};

pub(super) fn run(cx: &Context, config: &Config<'_>, key: &str) -> CommandResult {
    let table = written(config.resolved, config.point(), Nulls::Kept);
    let chosen: Vec<Leaf<'_>> = leaves(&table).into_iter().filter(|leaf| leaf.lies_in(key)).collect();
    if chosen.is_empty() {
        let target = &config.checked.target;
        cx.complain(&format!("{} configs of {target} have no `{key}`, or its table is not set", config.kind()));
        return Ok(Outcome::Failed);
    }
    let mut out = io::BufWriter::new(cx.out());
    if cx.is_for_program() {
        let listing = if cx.common.format == Format::Json { Listing::Json } else { Listing::JsonLines };
        let values: Vec<ExplainedValue> = config.with_places(|places| {
            let value = |leaf: &Leaf<'_>| ExplainedValue {
                key: leaf.key.clone(),
                value: leaf.json(),
                origin: origin_as_json(leaf.origin, places),
            };
            chosen.iter().map(value).collect()
        });
        listing.write(&mut out, &values)?;
        out.flush()?;
        return Ok(Outcome::Clean);
    }
    let rows: Vec<(String, String, String, Origin)> = config.with_places(|places| {
        let row = |leaf: &Leaf<'_>| {
            let words = shown_origin(&origin_in_words(leaf.origin, places));
            (cfg_diag::one_line(&leaf.key).into_owned(), shown(&leaf.text()), words, leaf.origin)
        };
        chosen.iter().map(row).collect()
    });
    let width = |column: fn(&(String, String, String, Origin)) -> &String| {
        rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0)
    };
    let (keys, values) = (width(|row| &row.0), width(|row| &row.1));
    let style = terminal::style(cx);
    for (key, value, words, origin) in &rows {
        let words = terminal::paint(style, ink(*origin), words);
        writeln!(out, "{key:keys$} = {value:values$}  {words}")?;
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

fn shown_origin(words: &str) -> String {
    cfg_diag::one_line(words).into_owned()
}

/// The color of an origin: green for the user's values, dim for defaults, yellow for values that prime-rl's code assigns.
const fn ink(origin: Origin) -> &'static str {
    match origin {
        Origin::File(_) | Origin::CommandLine(_) | Origin::Environment(_) => "32",
        Origin::Default => "2",
        Origin::Loader(_) | Origin::Check(_) => "33",
    }
}
