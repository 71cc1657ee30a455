//! Compiles `schemas/needs.toml` into the table of what settings and models need of a card.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::{
    commits::Commits,
    unchecked::{Effect, parts},
};

const PATH: &str = "schemas/needs.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    need: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    of: Vec<String>,
    keys: Vec<String>,
    #[serde(default)]
    is: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
    #[serde(default)]
    model: String,
    since: Option<String>,
    until: Option<String>,
    from: String,
    below: Option<String>,
    links: Option<Links>,
    effect: Effect,
    says: String,
    cards: String,
    instead: String,
    source: String,
}

#[derive(Deserialize)]
enum Links {
    #[serde(rename = "NVLink")]
    NvLink,
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    Commits::compile(PATH, parse)
}

fn parse(text: &str, point_at: &dyn Fn(&str) -> Result<u16, String>) -> Result<String, String> {
    let mut out = format!(
        "//! What settings and models need of a card. Generated from `{PATH}` by `cargo xtask generate`.\n\n\
         use super::Need;\nuse crate::{{Effect, Kind, Part}};\n\n#[rustfmt::skip]\npub(super) static ALL: &[Need] = &[\n"
    );
    for entry in toml::from_str::<File>(text).map_err(|error| error.to_string())?.need {
        out.push_str(&row(&entry, point_at).map_err(|error| format!("`{}`: {error}", entry.says))?);
    }
    out.push_str("];\n");
    Ok(out)
}

fn row(entry: &Entry, point_at: &dyn Fn(&str) -> Result<u16, String>) -> Result<String, String> {
    let Entry { of, keys, is, not, model, since, until, from, below, links, effect, says, cards, instead, source } = entry;
    if keys.is_empty() || source.is_empty() || model.to_lowercase() != *model {
        return Err("it has a key, a source, and a model's name in lower case".to_owned());
    }
    let (since, until) = (since.as_deref().map_or(Ok(0), point_at)?, until.as_deref().map(point_at).transpose()?);
    let until = until.map_or_else(|| "u16::MAX".to_owned(), |until| until.to_string());
    let below = below.as_deref().map(capability).transpose()?.map_or_else(|| "None".to_owned(), |below| format!("Some({below})"));
    let mut row = String::new();
    // Writing to a `String` does not fail.
    let _ = writeln!(
        row,
        "    // {source}\n    Need {{ of: &[{}], keys: &{keys:?}, is: &{is:?}, not: &{not:?}, model: {model:?}, since: {since}, until: {until}, \
         from: {}, below: {below}, needs_nvlink: {}, effect: Effect::{effect:?}, says: {says:?}, cards: {cards:?}, instead: {instead:?} }},",
        parts(of)?,
        capability(from)?,
        links.is_some(),
    );
    Ok(row)
}

/// `9.0` as `(9, 0)`.
fn capability(text: &str) -> Result<String, String> {
    let numbers = text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let (major, minor): (u8, u8) = numbers.ok_or_else(|| format!("`{text}` is not like `9.0`"))?;
    Ok(format!("({major}, {minor})"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn capabilities_are_pairs() {
        let entry = |from: &str| {
            format!(
                "[[need]]\nof = [\"trainer:\"]\nkeys = [\"a\"]\nfrom = \"{from}\"\neffect = \"fails\"\nsays = \"it\"\ncards = \"some\"\n\
                 instead = \"write\"\nsource = \"#1\"\n"
            )
        };
        let made = parse(&entry("9.0"), &|_| Ok(1)).expect("it is well formed");
        assert!(made.contains("from: (9, 0), below: None, needs_nvlink: false"), "{made}");
        assert_eq!(parse(&entry("9"), &|_| Ok(1)).expect_err("no minor number"), "`it`: `9` is not like `9.0`");
    }
}
