//! Reads `schemas/behaviours.toml`, and generates the enum by which code asks what prime-rl does at a point.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use serde::Deserialize;

use crate::{commits::Commits, generate::root};

pub(crate) const PATH: &str = "schemas/behaviours.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    behaviour: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    since: Option<String>,
    until: Option<String>,
    says: String,
    source: String,
}

/// Something that prime-rl does between two points.
#[derive(Debug)]
pub(crate) struct Behaviour {
    pub(crate) name: String,
    since: u16,
    until: Option<u16>,
    says: String,
    source: String,
}

/// All behaviours, in the order of their first commits.
pub(crate) fn read(commits: &Commits) -> Result<Vec<Behaviour>, String> {
    let text = fs::read_to_string(root().join(PATH)).map_err(|error| format!("{PATH}: {error}"))?;
    parse(&text, &|commit| commits.point_at(commit)).map_err(|error| format!("{PATH}: {error}"))
}

fn parse(text: &str, point_at: &dyn Fn(&str) -> Result<u16, String>) -> Result<Vec<Behaviour>, String> {
    let entries = toml::from_str::<File>(text).map_err(|error| error.to_string())?.behaviour;
    let behaviours = entries.into_iter().map(|entry| entry.placed(point_at)).collect::<Result<Vec<_>, String>>()?;
    let mut names = BTreeSet::new();
    if let Some(twice) = behaviours.iter().find(|behaviour| !names.insert(&behaviour.name)) {
        return Err(format!("duplicate behaviour `{}`: give each a name of its own", twice.name));
    }
    match behaviours.windows(2).find(|pair| pair[0].since > pair[1].since) {
        Some(pair) => {
            Err(format!("`{}` begins before `{}`: move it up, so that the entries are in order", pair[1].name, pair[0].name))
        }
        None => Ok(behaviours),
    }
}

impl Entry {
    fn placed(self, point_at: &dyn Fn(&str) -> Result<u16, String>) -> Result<Behaviour, String> {
        let Self { name, since, until, says, source } = self;
        let point = |commit: &String| point_at(commit).map_err(|error| format!("`{name}`: {error}"));
        let is_name =
            name.starts_with(|first: char| first.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_name {
            return Err(format!("`{name}` is not the name of a variant: write it like `AdaptersAreServed`"));
        }
        if !says.ends_with('.') || says.contains('\n') || source.is_empty() || source.contains('\n') {
            return Err(format!("`{name}`: `says` is a sentence on one line, and `source` says how it is known"));
        }
        let (since, until) = (since.as_ref().map_or(Ok(0), point)?, until.as_ref().map(point).transpose()?);
        if until.is_some_and(|until| until <= since) {
            return Err(format!("`{name}` ends before a config class changed: there is no point at which it holds"));
        }
        Ok(Behaviour { name, since, until, says, source })
    }
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    Ok(source(&read(&Commits::read()?)?).into_bytes())
}

fn source(behaviours: &[Behaviour]) -> String {
    let mut out = format!(
        "//! The behaviours of prime-rl, each with its first point and the first point without it. Generated from `{PATH}` by `cargo xtask generate`.\n\n\
         use crate::behaviour::behaviours;\n\nbehaviours! {{\n"
    );
    for Behaviour { name, since, until, says, source } in behaviours {
        let until = until.map_or_else(|| "END".to_owned(), |until| until.to_string());
        // Writing to a `String` does not fail.
        let _ = writeln!(out, "    /// {says} ({source})\n    {name} = {since}..{until};");
    }
    out.push_str("}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::{parse, source};

    fn read(text: &str) -> Result<String, String> {
        let points = ["a", "b", "c"];
        let point_at = |commit: &str| match points.iter().position(|point| *point == commit) {
            Some(point) => Ok(point as u16),
            None => Err(format!("{commit} is not on the main line")),
        };
        parse(text, &point_at).map(|behaviours| source(&behaviours))
    }

    fn entry(name: &str, bounds: &str) -> String {
        format!("[[behaviour]]\nname = \"{name}\"\n{bounds}\nsays = \"It holds.\"\nsource = \"#1\"\n")
    }

    #[test]
    fn commits_become_points() {
        let text = entry("Early", "until = \"b\"") + &entry("Late", "since = \"b\"");
        let made = read(&text).expect("both are well formed");
        assert!(
            made.ends_with("    /// It holds. (#1)\n    Early = 0..1;\n    /// It holds. (#1)\n    Late = 1..END;\n}\n"),
            "{made}"
        );
    }

    #[test]
    fn errors_have_advice() {
        let refused = |text: &str| read(text).expect_err("it is refused");
        assert_eq!(refused(&entry("Early", "since = \"x\"")), "`Early`: x is not on the main line");
        assert!(refused(&entry("early", "")).contains("write it like"));
        assert!(refused(&entry("Early", "since = \"b\"\nuntil = \"b\"")).contains("no point at which it holds"));
        assert!(refused(&(entry("One", "") + &entry("One", ""))).contains("a name of its own"));
        assert!(refused(&(entry("Late", "since = \"b\"") + &entry("Early", ""))).contains("move it up"));
    }
}
