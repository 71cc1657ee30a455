//! `cfg schema diff`: the keys that came, went or changed between two targets.

use std::{
    collections::BTreeMap,
    io::{self, Write as _},
};

use cfg_schema::{History, Kind, Node, Point, Segment, Target, find_fields};
use serde::Serialize;

use super::interval_in_words;
use crate::{
    Outcome,
    args::{Common, Format},
};

#[derive(Serialize)]
struct Change {
    key: String,
    before: Option<String>,
    after: Option<String>,
}

pub(super) fn run(common: &Common, history: History, kind: Kind, from: &Target, to: &Target) -> io::Result<Outcome> {
    let (before, after) = (fields(history, kind, from.point), fields(history, kind, to.point));
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    let changes = keys.into_iter().filter(|key| before.get(*key) != after.get(*key));
    // Of a table that came or went, its keys came or went with it.
    let mut shown: Vec<Change> = Vec::new();
    for key in changes {
        let change = Change { key: key.clone(), before: before.get(key).cloned(), after: after.get(key).cloned() };
        let is_implied = shown.iter().rev().take(64).any(|above| {
            let lies_below = change.key.strip_prefix(above.key.as_str()).is_some_and(|rest| rest.starts_with(['.', '[', '<']));
            lies_below
                && above.before.is_none() == change.before.is_none()
                && above.after.is_none() == change.after.is_none()
                && above.before.is_some() != above.after.is_some()
        });
        if !is_implied {
            shown.push(change);
        }
    }
    let mut out = io::stdout().lock();
    if common.format == Format::Json {
        serde_json::to_writer_pretty(&mut out, &shown)?;
        writeln!(out)?;
        return Ok(Outcome::Clean);
    }
    for change in &shown {
        match (&change.before, &change.after) {
            (Some(_), None) => {
                let to = history.moves_of(kind, &change.key).filter_map(cfg_schema::Move::to).last();
                let to = to.map(|(kind, to)| format!("  now `{to}` ({kind})")).unwrap_or_default();
                writeln!(out, "- {}{to}", change.key)?;
            }
            (None, Some(after)) => writeln!(out, "+ {}: {after}", change.key)?,
            (Some(before), Some(after)) => writeln!(out, "~ {}: {before}\n    now {after}", change.key)?,
            (None, None) => {}
        }
    }
    writeln!(out, "{} between {from} and {to}", cfg_report::count(shown.len(), "change"))?;
    Ok(Outcome::Clean)
}

/// What holds of every key at a point.
fn fields(history: History, kind: Kind, point: Point) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    for root in find_fields(history, kind, "") {
        collect(root.node, &mut String::new(), point, &mut fields);
    }
    fields
}

fn collect(node: Node, path: &mut String, point: Point, fields: &mut BTreeMap<String, String>) {
    for child in node.children() {
        let length = path.len();
        match child.segment() {
            Segment::Field(name) if path.is_empty() => path.push_str(name),
            Segment::Field(name) => path.push_str(&format!(".{name}")),
            Segment::Item => path.push_str("[]"),
            Segment::MapValue => path.push_str(".*"),
            Segment::Variant(tag) => path.push_str(&format!("<type={tag}>")),
            Segment::Class(name) => path.push_str(&format!("<{name}>")),
        }
        match child.at(point) {
            Some(interval) => {
                if matches!(child.segment(), Segment::Field(_)) {
                    fields.insert(path.clone(), interval_in_words(interval));
                }
                collect(child, path, point, fields);
            }
            // Items of unions stand for themselves at no point.
            None if child.segment() == Segment::Item => collect(child, path, point, fields),
            None => {}
        }
        path.truncate(length);
    }
}
