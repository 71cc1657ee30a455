//! Compiles `schemas/unchecked.toml` into the table of what configs that a later check refuses did before it existed.

use std::{collections::BTreeSet, fmt::Write as _};

use serde::Deserialize;

use crate::commits::Commits;

const PATH: &str = "schemas/unchecked.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    unchecked: Vec<Entry>,
    // Validators without an entry, which a test reads.
    #[serde(default, rename = "none")]
    _none: Vec<toml::Table>,
    // Later revisions of validators, which a test reads, too.
    #[serde(default, rename = "read")]
    _read: Vec<toml::Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    check: String,
    of: Vec<String>,
    since: Option<String>,
    until: Option<String>,
    effect: Effect,
    says: String,
    #[serde(default)]
    validators: Vec<String>,
    // For the same test.
    #[serde(default, rename = "grown")]
    _grown: Vec<String>,
    source: String,
}

/// What a row does to a run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Effect {
    Fails,
    Spoils,
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    Commits::compile(PATH, parse)
}

fn parse(text: &str, point_at: &dyn Fn(&str) -> Result<u16, String>) -> Result<String, String> {
    let mut out = format!(
        "//! What configs that a later check refuses did before it existed. Generated from `{PATH}` by `cargo xtask generate`.\n\n\
         use super::{{Effect, Part, Unchecked}};\nuse crate::Kind;\n\n#[rustfmt::skip]\npub(super) static ALL: &[Unchecked] = &[\n"
    );
    let mut seen = BTreeSet::new();
    for entry in toml::from_str::<File>(text).map_err(|error| error.to_string())?.unchecked {
        if !seen.insert((entry.check.clone(), entry.since.clone(), entry.of.clone())) {
            return Err(format!("`{}` is stated twice", entry.check));
        }
        out.push_str(&row(&entry, point_at).map_err(|error| format!("`{}`: {error}", entry.check))?);
    }
    out.push_str("];\n");
    Ok(out)
}

fn row(entry: &Entry, point_at: &dyn Fn(&str) -> Result<u16, String>) -> Result<String, String> {
    let Entry { check, of, since, until, effect, says, validators, source, .. } = entry;
    if says.is_empty() || says.ends_with('.') || says.contains('\n') || source.is_empty() {
        return Err("`says` is a clause without a full stop, and `source` says how it is known".to_owned());
    }
    let (since, until) = (since.as_deref().map_or(Ok(0), point_at)?, until.as_deref().map(point_at).transpose()?);
    if until.is_some_and(|until| until <= since) {
        return Err("it ends before a config class changed: there is no point at which it holds".to_owned());
    }
    let until = until.map_or_else(|| "u16::MAX".to_owned(), |until| until.to_string());
    let mut row = String::new();
    // Writing to a `String` does not fail.
    let _ = writeln!(
        row,
        "    // {source}\n    Unchecked {{ check: {check:?}, of: &[{}], since: {since}, until: {until}, effect: Effect::{effect:?}, says: {says:?}, \
         validators: &{validators:?} }},",
        parts(of)?
    );
    Ok(row)
}

/// `trainer:model` as code.
pub(crate) fn parts(of: &[String]) -> Result<String, String> {
    let mut parts = Vec::new();
    for part in of {
        let (kind, path) = part.split_once(':').ok_or(format!("`{part}` is not like `trainer:model`"))?;
        let kind: cfg_schema::Kind = kind.parse()?;
        parts.push(format!("Part {{ kind: Kind::{kind:?}, path: {path:?} }}"));
    }
    Ok(parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn read(entries: &str) -> Result<String, String> {
        parse(entries, &|commit| commit.parse().map_err(|_| format!("{commit} is not on the main line")))
    }

    fn entry(bounds: &str) -> String {
        format!(
            "[[unchecked]]\ncheck = \"validate_x\"\nof = [\"trainer:model\"]\n{bounds}\neffect = \"fails\"\nsays = \"it ends\"\nsource = \"#1\"\n"
        )
    }

    #[test]
    fn commits_become_points() {
        let made = read(&entry("since = \"3\"\nuntil = \"5\"")).expect("it is well formed");
        assert!(
            made.contains("of: &[Part { kind: Kind::Trainer, path: \"model\" }], since: 3, until: 5, effect: Effect::Fails"),
            "{made}"
        );
    }

    #[test]
    fn errors_name_the_entry() {
        let refused = |text: &str| read(text).expect_err("it is refused");
        assert_eq!(refused(&entry("since = \"x\"")), "`validate_x`: x is not on the main line");
        assert!(refused(&entry("since = \"3\"\nuntil = \"3\"")).contains("no point at which it holds"));
        assert!(refused(&(entry("") + &entry(""))).contains("stated twice"));
    }
}
