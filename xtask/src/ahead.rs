//! Compiles `schemas/ahead.toml` into the table of what is known of prime-rl after the end of the history.

use std::{fmt::Write as _, fs};

use serde::Deserialize;

use crate::generate::root;

const PATH: &str = "schemas/ahead.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    release: Vec<Release>,
    #[serde(default)]
    change: Vec<Change>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    name: String,
    day: String,
    pull_request: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    of: Vec<String>,
    pull_request: Option<u16>,
    day: String,
    release: Option<String>,
    #[serde(default)]
    added: Vec<String>,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    removed: Vec<String>,
    #[serde(default)]
    defaults: Vec<String>,
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let text = fs::read_to_string(root().join(PATH)).map_err(|error| format!("{PATH}: {error}"))?;
    parse(&text).map(String::into_bytes).map_err(|error| format!("{PATH}: {error}"))
}

fn parse(text: &str) -> Result<String, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut out = format!(
        "//! What is known of prime-rl after the end of the history. Generated from `{PATH}` by `cargo xtask generate`.\n\n\
         use super::{{Ahead, AheadChange, AheadRelease}};\nuse crate::Kind;\n\n#[rustfmt::skip]\n\
         pub(super) static RELEASES: &[AheadRelease] = &[\n"
    );
    // Writing to a `String` does not fail.
    for Release { name, day, pull_request } in &file.release {
        let _ = writeln!(out, "    AheadRelease {{ name: {name:?}, day: {day:?}, pull_request: {pull_request} }},");
    }
    out.push_str("];\n\n#[rustfmt::skip]\npub(super) static ALL: &[Ahead] = &[\n");
    for change in &file.change {
        if let Some(release) = change.release.as_ref().filter(|name| !file.release.iter().any(|release| release.name == **name)) {
            return Err(format!("there is no release {release}"));
        }
        rows(change, &mut out)?;
    }
    out.push_str("];\n");
    Ok(out)
}

fn rows(change: &Change, out: &mut String) -> Result<(), String> {
    let Change { of, pull_request, day, release, added, values, removed, defaults } = change;
    let sorts = [("added", added), ("values", values), ("removed", removed), ("defaults", defaults)];
    for (sort, line) in sorts.iter().flat_map(|(sort, lines)| lines.iter().map(move |line| (*sort, line))) {
        let (path, text) = line.split_once(": ").ok_or_else(|| format!("`{line}` is not like `path: text`"))?;
        for path in alternatives(path)? {
            let (path, is_open) = path.strip_suffix(".*").map_or((&*path, false), |table| (table, true));
            let made = match sort {
                "added" => format!("Added {{ ty: {text:?}, is_open: {is_open} }}"),
                "values" => format!("Value({text:?})"),
                "removed" => format!("Removed({text:?})"),
                _ => {
                    let (old, new) = text.split_once(" -> ").ok_or_else(|| format!("`{text}` is not like `old -> new`"))?;
                    format!("Default {{ old: {old:?}, new: {new:?} }}")
                }
            };
            for kind in of {
                let kind: cfg_schema::Kind = kind.parse()?;
                let _ = writeln!(
                    out,
                    "    Ahead {{ kind: Kind::{kind:?}, path: {path:?}, change: AheadChange::{made}, pull_request: {pull_request:?}, day: {day:?}, \
                     release: {release:?} }},"
                );
            }
        }
    }
    Ok(())
}

/// The paths that a path with braces stands for.
fn alternatives(path: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = path.split_once('{') else { return Ok(vec![path.to_owned()]) };
    let (choices, after) = rest.split_once('}').ok_or_else(|| format!("`{path}` has an open brace"))?;
    let after = alternatives(after)?;
    Ok(choices.split(',').flat_map(|choice| after.iter().map(move |after| format!("{before}{choice}{after}"))).collect())
}

#[cfg(test)]
mod tests {
    use super::{alternatives, parse};

    #[test]
    fn braces_are_choices() {
        assert_eq!(alternatives("{a,b.c}.d.{e,f}").expect("it is closed"), ["a.d.e", "a.d.f", "b.c.d.e", "b.c.d.f"]);
        assert_eq!(alternatives("a").expect("it has none"), ["a"]);
        assert!(alternatives("{a").is_err());
    }

    #[test]
    fn each_line_is_a_row_for_each_kind() {
        let release = "[[release]]\nname = \"1.0\"\nday = \"2026-01-01\"\npull_request = 9\n";
        let change = |more: &str| format!("{release}[[change]]\nof = [\"trainer\", \"sft\"]\nday = \"2026-01-02\"\n{more}");
        let made = parse(&change("added = [\"a.*: dict\"]\n")).expect("it is well formed");
        assert_eq!(made.matches("path: \"a\", change: AheadChange::Added { ty: \"dict\", is_open: true }").count(), 2, "{made}");
        assert!(parse(&change("release = \"2.0\"\n")).is_err());
        assert!(parse(&change("defaults = [\"a: 1\"]\n")).is_err());
    }
}
