//! Compiles `schemas/sockets.toml` into the table of the ports on which the processes of a run listen.

use std::fmt::Write as _;

use serde::Deserialize;

use crate::commits::Commits;

const PATH: &str = "schemas/sockets.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    socket: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    owner: String,
    each: Option<Each>,
    port: Port,
    #[serde(default)]
    offset: i64,
    #[serde(default)]
    host: String,
    #[serde(default)]
    when: Vec<String>,
    place: Option<String>,
    runs: Option<Runs>,
    node: Node,
    since: Option<String>,
    until: Option<String>,
    source: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Each {
    Environment,
    Rank,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Port {
    Fixed(u16),
    Setting(String),
}

#[derive(Deserialize)]
enum Runs {
    #[serde(rename = "one machine")]
    OneMachine,
    #[serde(rename = "several nodes")]
    SeveralNodes,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Node {
    Servers,
    #[serde(rename = "first server")]
    FirstServer,
    Prefill,
    Decode,
    Trainer,
    Orchestrator,
}

/// The text of the generated file.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    Commits::compile(PATH, parse)
}

fn parse(text: &str, point_at: &dyn Fn(&str) -> Result<u16, String>) -> Result<String, String> {
    let mut out = format!(
        "//! The ports on which the processes of a run listen. Generated from `{PATH}` by `cargo xtask generate`.\n\n\
         use super::{{Condition, Each, On, Port, Row, Runs}};\n\n#[rustfmt::skip]\npub(super) static ALL: &[Row] = &[\n"
    );
    for entry in toml::from_str::<File>(text).map_err(|error| error.to_string())?.socket {
        out.push_str(&row(&entry, point_at).map_err(|error| format!("`{}`: {error}", entry.owner))?);
    }
    out.push_str("];\n");
    Ok(out)
}

fn row(entry: &Entry, point_at: &dyn Fn(&str) -> Result<u16, String>) -> Result<String, String> {
    let Entry { owner, each, port, offset, host, when, place, runs, node, since, until, source } = entry;
    if source.is_empty() || owner.contains("{}") != each.is_some() {
        return Err("it has a source, and a name in its owner if there are several of it".to_owned());
    }
    let (since, until) = (since.as_deref().map_or(Ok(0), point_at)?, until.as_deref().map(point_at).transpose()?);
    let until = until.map_or_else(|| "u16::MAX".to_owned(), |until| until.to_string());
    let port = match port {
        Port::Fixed(port) => format!("Port::Fixed({port})"),
        Port::Setting(name) => format!("Port::Setting({name:?})"),
    };
    let conditions: Vec<(&str, String)> = when.iter().map(|when| condition(when)).collect();
    let first = conditions.first().map_or("", |(setting, _)| setting);
    let runs = match runs {
        None => "Any",
        Some(Runs::OneMachine) => "OneMachine",
        Some(Runs::SeveralNodes) => "SeveralNodes",
    };
    let each = match each {
        None => "Each::One",
        Some(Each::Environment) => "Each::Environment",
        Some(Each::Rank) => "Each::Rank",
    };
    let when: Vec<&str> = conditions.iter().map(|(_, condition)| &**condition).collect();
    let mut row = String::new();
    // Writing to a `String` does not fail.
    let _ = writeln!(
        row,
        "    // {source}\n    Row {{ owner: {owner:?}, each: {each}, port: {port}, offset: {offset}, host: {host:?}, when: &[{}], place: {:?}, \
         runs: Runs::{runs}, node: On::{node:?}, since: {since}, until: {until} }},",
        when.join(", "),
        place.as_deref().unwrap_or(first),
    );
    Ok(row)
}

/// The setting of a condition, and the condition: `a = x`, `a != x`, `a > 1`, `a`.
fn condition(text: &str) -> (&str, String) {
    if let Some((setting, value)) = text.split_once(" != ") {
        (setting, format!("Condition::IsNot({setting:?}, {value:?})"))
    } else if let Some((setting, value)) = text.split_once(" = ") {
        (setting, format!("Condition::Is({setting:?}, {value:?})"))
    } else if let Some((setting, value)) = text.split_once(" > ") {
        (setting, format!("Condition::IsAbove({setting:?}, {value})"))
    } else {
        (text, format!("Condition::IsGiven({text:?})"))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn conditions_and_places_are_read() {
        let text = "[[socket]]\nowner = \"the server\"\nport = \"a.port\"\nwhen = [\"a.router = true\", \"b > 1\", \"c\", \"d != x\"]\nnode = \"servers\"\nsource = \"x.py\"\n";
        let made = parse(text, &|_| Ok(1)).expect("it is well formed");
        let when = "when: &[Condition::Is(\"a.router\", \"true\"), Condition::IsAbove(\"b\", 1), Condition::IsGiven(\"c\"), Condition::IsNot(\"d\", \"x\")], place: \"a.router\"";
        assert!(made.contains(when) && made.contains("port: Port::Setting(\"a.port\"), offset: 0"), "{made}");
        let nameless = text.replace("port = \"a.port\"", "port = 29500\neach = \"environment\"");
        assert!(parse(&nameless, &|_| Ok(1)).expect_err("no name").contains("it has a source"), "{nameless}");
    }
}
