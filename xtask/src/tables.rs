//! Compiles `schemas/shares.toml` and the tables of models in `schemas/models/names` into the tables for resolving configs.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    behaviours::{self, PATH},
    commits::Commits,
    generate::root,
};

const SHARES: &str = "schemas/shares.toml";
const RENDERERS: &str = "schemas/models/names/renderers.toml";
const PARSERS: &str = "schemas/models/names/parsers.toml";

/// The default.
const ALWAYS: &str = "Always";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shares {
    share: Vec<Share>,
    alias: Vec<Share>,
    presence: Vec<Share>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Share {
    from: String,
    to: Vec<String>,
    with: String,
    without: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Renderers {
    renderer: Vec<Renderer>,
    later: Vec<Later>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Renderer {
    model: String,
    #[serde(rename = "renderer")]
    made: String,
    with: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Later {
    model: String,
    renderer: String,
    release: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parsers {
    tool_calls: Vec<Family>,
    reasoning: Vec<Family>,
    exact: Vec<Exact>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    prefix: String,
    #[serde(default)]
    contains: String,
    parser: String,
    with: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exact {
    parser: String,
    models: Vec<String>,
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let known: BTreeSet<String> = behaviours::read(&Commits::read()?)?.into_iter().map(|behaviour| behaviour.name).collect();
    let (shares, renderers, parsers) = (read::<Shares>(SHARES)?, read::<Renderers>(RENDERERS)?, read::<Parsers>(PARSERS)?);
    let spread = shares.share.iter().chain(&shares.alias).chain(&shares.presence);
    let of_shares = spread.flat_map(|share| [Some(&share.with), share.without.as_ref()]).map(|named| (SHARES, named));
    let of_renderers = renderers.renderer.iter().map(|row| (RENDERERS, row.with.as_ref()));
    let of_parsers = parsers.tool_calls.iter().chain(&parsers.reasoning).map(|row| (PARSERS, row.with.as_ref()));
    for (path, named) in of_shares.chain(of_renderers).chain(of_parsers) {
        if let Some(name) = named.filter(|name| !known.contains(*name)) {
            return Err(format!("{path}: `{name}` is not in {PATH}"));
        }
    }
    sorted(RENDERERS, renderers.renderer.iter().map(|row| &*row.model))?;
    sorted(RENDERERS, renderers.later.iter().map(|row| &*row.model))?;
    Ok(source(&shares, &renderers, &parsers).into_bytes())
}

fn read<T: DeserializeOwned>(path: &str) -> Result<T, String> {
    let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
    toml::from_str(&text).map_err(|error| format!("{path}: {error}"))
}

/// An error if the names are not sorted, because they are looked up by bisection.
fn sorted<'n>(path: &str, names: impl Iterator<Item = &'n str>) -> Result<(), String> {
    let names: Vec<&str> = names.collect();
    match names.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => Err(format!("{path}: `{}` comes before `{}`: sort them, in the order of bytes", pair[0], pair[1])),
        None => Ok(()),
    }
}

fn source(shares: &Shares, renderers: &Renderers, parsers: &Parsers) -> String {
    let mut out = format!(
        "//! The keys that prime-rl shares, and what it derives from the names of models. Generated from `{SHARES}`, `{RENDERERS}` and\n//! `{PARSERS}` by \
         `cargo xtask generate`.\n\nuse cfg_schema::Behaviour;\n\nuse crate::{{before::Share, native::Family}};\n"
    );
    for (about, name, rows) in [
        ("Shared keys, in prime-rl's order.", "SHARES", &shares.share),
        ("Old spellings of their targets.", "ALIASES", &shares.alias),
        ("Shared tables that turn tables on.", "PRESENCES", &shares.presence),
    ] {
        table(&mut out, about, name, "Share", rows.iter().map(Share::row));
    }
    let rows = renderers.renderer.iter().map(|row| format!("({:?}, {}, {:?})", row.model, with(row.with.as_ref()), row.made));
    table(&mut out, "Models with a renderer of their own, since when, and which.", "RENDERERS", "(&str, Behaviour, &str)", rows);
    let rows = renderers.later.iter().map(|row| format!("({:?}, {:?}, {:?})", row.model, row.renderer, row.release));
    table(
        &mut out,
        "Models that only later releases know: the renderer, and the release.",
        "LATER_RENDERERS",
        "(&str, &str, &str)",
        rows,
    );
    for (about, name, rows) in [
        ("How models write tool calls.", "TOOL_CALLS", &parsers.tool_calls),
        ("How models write their reasoning.", "REASONING", &parsers.reasoning),
    ] {
        table(&mut out, about, name, "Family", rows.iter().map(Family::row));
    }
    let rows = parsers.exact.iter().map(|row| format!("({:?}, &{:?})", row.parser, row.models));
    table(&mut out, "Parsers of tool calls, each with the models that have it.", "EXACT_TOOL_CALLS", "(&str, &[&str])", rows);
    out
}

fn table(out: &mut String, about: &str, name: &str, ty: &str, rows: impl Iterator<Item = String>) {
    // Writing to a `String` does not fail.
    let _ = write!(out, "\n/// {about}\n#[rustfmt::skip]\npub(crate) const {name}: &[{ty}] = &[\n");
    for row in rows {
        let _ = writeln!(out, "    {row},");
    }
    out.push_str("];\n");
}

fn with(behaviour: Option<&String>) -> String {
    format!("Behaviour::{}", behaviour.map_or(ALWAYS, String::as_str))
}

impl Share {
    fn row(&self) -> String {
        let without = self.without.as_ref().map_or_else(|| "None".to_owned(), |name| format!("Some(Behaviour::{name})"));
        let Self { from, to, with, .. } = self;
        format!("Share {{ with: Behaviour::{with}, without: {without}, from: {from:?}, to: &{to:?} }}")
    }
}

impl Family {
    fn row(&self) -> String {
        let Self { prefix, contains, parser, .. } = self;
        format!("Family {{ prefix: {prefix:?}, contains: {contains:?}, parser: {parser:?}, with: {} }}", with(self.with.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::{RENDERERS, sorted};

    #[test]
    fn names_out_of_order_are_refused() {
        assert_eq!(sorted(RENDERERS, ["A", "a", "b"].into_iter()), Ok(()));
        let refused = sorted(RENDERERS, ["b", "a"].into_iter()).expect_err("they are not sorted");
        assert!(refused.ends_with("`b` comes before `a`: sort them, in the order of bytes"), "{refused}");
    }
}
