//! Compiles `schemas/classes/*.classes` into the table of `cfg-registry`: the class of each key.

use std::{collections::BTreeMap, fs};

use cfg_schema::{History, Kind, Node, Policy, Segment, TypeKind, find_fields};

use crate::{docs::alternatives, generate::root};

/// The width of the generated lines.
const WIDTH: usize = 130;

const CLASSES: [&str; 3] = ["training", "resources", "operations"];

/// The content of a line: a class, `copied`, or the kind and key whose fields are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ClassRule {
    Class(&'static str),
    Copied,
    As(Kind, String),
}

/// The lines of a kind, by key.
type Lines = BTreeMap<String, ClassRule>;

/// Makes the table.
pub(crate) fn compile() -> Result<Vec<u8>, String> {
    let history = History::built_in();
    let kinds = read(history)?;
    let missing = missing_of(history, &kinds);
    if !missing.is_empty() {
        let each = missing.iter().map(|(kind, keys)| format!("schemas/classes/{kind}.classes: no class for {}", keys.join(", ")));
        return Err(each.collect::<Vec<_>>().join("\n"));
    }
    let mut out =
        "//! The class of each key. Generated from `schemas/classes/` by `cargo xtask generate`.\n\nuse cfg_schema::Kind;\n\n"
            .to_owned();
    out += "use super::{\n    Class,\n    lookup::ClassRule::{self, As, Copied, Is},\n};\n\n";
    out += "/// The lines of each kind, in the order of the kinds, by key.\n#[rustfmt::skip]\npub(crate) static LINES: [&[(&str, ClassRule)]; Kind::ALL.len()] = [\n";
    for (_, lines) in &kinds {
        out += "    &[";
        // Many entries per line, because there are hundreds.
        let mut width = usize::MAX;
        for (key, says) in lines {
            let entry = match says {
                ClassRule::Class(class) => format!("({key:?}, Is(Class::{})),", cfg_diag::capitalized(class)),
                ClassRule::Copied => format!("({key:?}, Copied),"),
                ClassRule::As(kind, path) => format!("({key:?}, As(Kind::{kind:?}, {path:?})),"),
            };
            if width.saturating_add(1 + entry.len()) > WIDTH {
                out += "\n        ";
                width = 8;
            } else {
                out.push(' ');
                width += 1;
            }
            width += entry.len();
            out += &entry;
        }
        out += "\n    ],\n";
    }
    out += "];\n";
    Ok(out.into_bytes())
}

/// The lines of each kind.
fn read(history: History) -> Result<Vec<(Kind, Lines)>, String> {
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let path = format!("schemas/classes/{kind}.classes");
        let source = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        let lines = parse(&source).map_err(|message| format!("{path}:{message}"))?;
        let unknown: Vec<&str> = lines.keys().map(String::as_str).filter(|key| !is_key(history, kind, key)).collect();
        if !unknown.is_empty() {
            return Err(format!("{path}: no keys of {kind} at any time: {}", unknown.join(", ")));
        }
        kinds.push((kind, lines));
    }
    Ok(kinds)
}

/// The keys of a history without a class, each with its kind.
pub(crate) fn missing(history: History) -> Result<Vec<String>, String> {
    let missing = missing_of(history, &read(history)?);
    Ok(missing.into_iter().flat_map(|(kind, keys)| keys.into_iter().map(move |key| format!("{kind}:{key}"))).collect())
}

fn missing_of(history: History, kinds: &[(Kind, Lines)]) -> Vec<(Kind, Vec<String>)> {
    let each = kinds.iter().map(|(kind, lines)| {
        let mut missing = Vec::new();
        unclassed(history.root(*kind), "", lines, &mut missing);
        missing.dedup();
        (*kind, missing)
    });
    each.filter(|(_, keys)| !keys.is_empty()).collect()
}

/// Reads `CLASS: key, key`. An error begins with a line number.
fn parse(source: &str) -> Result<Lines, String> {
    let mut lines = Lines::new();
    for (index, line) in source.lines().enumerate() {
        let complain = |message: &str| format!("{}: {message}", index + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (says, keys) = line.rsplit_once(": ").ok_or_else(|| complain("write `CLASS: keys`"))?;
        let says = says_of(says).ok_or_else(|| complain("a line begins with a class, `copied`, or `as KIND:KEY`"))?;
        for key in split(keys).iter().flat_map(|key| alternatives(key)) {
            if lines.insert(key.clone(), says.clone()).is_some() {
                return Err(complain(&format!("`{key}` has a class already")));
            }
        }
    }
    Ok(lines)
}

fn says_of(head: &str) -> Option<ClassRule> {
    if let Some(like) = head.strip_prefix("as ") {
        let (kind, path) = like.split_once(':')?;
        return Some(ClassRule::As(kind.parse().ok()?, if path == "(root)" { String::new() } else { path.to_owned() }));
    }
    if head == "copied" {
        return Some(ClassRule::Copied);
    }
    CLASSES.into_iter().find(|class| *class == head).map(ClassRule::Class)
}

/// Splits at commas outside braces.
fn split(keys: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for character in keys.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Whether a key was a field at any point, or is a free key of a table that allows any.
fn is_key(history: History, kind: Kind, key: &str) -> bool {
    if !find_fields(history, kind, key).is_empty() {
        return true;
    }
    let Some((owner, _)) = key.rsplit_once('.') else { return false };
    let is_open = |kind: TypeKind| matches!(kind, TypeKind::Dict | TypeKind::Any | TypeKind::Table(Policy::Allow));
    find_fields(history, kind, owner)
        .iter()
        .any(|found| found.node.intervals().any(|interval| is_open(interval.field_type().kind())))
}

/// Collects the keys below a node without a line for them or for a table above them.
fn unclassed(node: Node, path: &str, lines: &Lines, missing: &mut Vec<String>) {
    for child in node.children() {
        let Segment::Field(name) = child.segment() else {
            unclassed(child, path, lines, missing);
            continue;
        };
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if lines.contains_key(&path) || child.intervals().all(cfg_schema::Interval::is_hidden) {
            continue;
        }
        if child.children().next().is_none() { missing.push(path) } else { unclassed(child, &path, lines, missing) }
    }
}
