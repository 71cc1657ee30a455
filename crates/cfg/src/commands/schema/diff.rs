//! `cfg schema diff`: the keys that were added, removed or changed between two targets.

use std::{collections::BTreeMap, io::Write as _};

use cfg_report::listed::{ChangedKey, MovedTo};
use cfg_schema::{History, Interval, Kind, Node, Point, Segment, Target, find_fields};

use super::{field_in_words, json::holds, without_variants};
use crate::{CommandResult, Outcome, commands::Listing, context::Context};

/// A key that differs between the two targets.
struct Change {
    key: String,
    before: Option<Field>,
    after: Option<Field>,
}

/// The properties of a key at a point.
#[derive(Clone)]
struct Field {
    interval: Interval,
    words: String,
}

pub(super) fn run(cx: &Context, history: History, kind: Kind, from: &Target, to: &Target) -> CommandResult {
    let listing = Listing::of(cx);
    let (before, after) = (fields(history, kind, from.point), fields(history, kind, to.point));
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    let changes = keys.into_iter().filter(|key| words(before.get(*key)) != words(after.get(*key)));
    // The keys of a table that was added or removed are not listed.
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
    let mut out = cx.out();
    if listing != Listing::Text {
        let entries: Vec<ChangedKey> = shown.iter().map(|change| entry(history, kind, change)).collect();
        listing.write(&mut out, &entries)?;
        return Ok(Outcome::Clean);
    }
    for change in &shown {
        let key = cfg_diag::one_line(&change.key);
        match (&change.before, &change.after) {
            (Some(_), None) => {
                let to = places(history, kind, change).pop().map(|to| (to.kind, to.key));
                let to = to.map(|(kind, to)| format!("  now `{to}` ({kind})")).unwrap_or_default();
                writeln!(out, "- {key}{to}")?;
            }
            (None, Some(after)) => writeln!(out, "+ {key}: {}", after.words)?,
            (Some(before), Some(after)) => writeln!(out, "~ {key}: {}\n    now {}", before.words, after.words)?,
            (None, None) => {}
        }
    }
    writeln!(out, "{} between {from} and {to}", cfg_report::count(shown.len(), "change"))?;
    Ok(Outcome::Clean)
}

fn words(field: Option<&Field>) -> Option<&str> {
    field.map(|field| field.words.as_str())
}

/// The new places of a removed key.
fn places(history: History, kind: Kind, change: &Change) -> Vec<MovedTo> {
    if change.after.is_some() {
        return Vec::new();
    }
    let path = without_variants(&change.key);
    let moves = history.moves_of(kind, &path).filter_map(cfg_schema::Move::to);
    moves.map(|(kind, key)| MovedTo { kind: kind.name(), key }).collect()
}

fn entry(history: History, kind: Kind, change: &Change) -> ChangedKey {
    let of = |field: &Option<Field>| field.as_ref().map(|field| holds(field.interval));
    let word = match (&change.before, &change.after) {
        (None, _) => "added",
        (_, None) => "removed",
        _ => "changed",
    };
    let (before, after) = (of(&change.before), of(&change.after));
    ChangedKey { key: change.key.clone(), change: word, before, after, moved_to: places(history, kind, change) }
}

/// The properties of every key at a point.
fn fields(history: History, kind: Kind, point: Point) -> BTreeMap<String, Field> {
    let mut fields = BTreeMap::new();
    for root in find_fields(history, kind, "") {
        collect(root.node, &mut String::new(), point, &mut fields);
    }
    fields
}

fn collect(node: Node, path: &mut String, point: Point, fields: &mut BTreeMap<String, Field>) {
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
                    fields.insert(path.clone(), Field { interval, words: field_in_words(interval) });
                }
                collect(child, path, point, fields);
            }
            // Items of unions are not listed.
            None if child.segment() == Segment::Item => collect(child, path, point, fields),
            None => {}
        }
        path.truncate(length);
    }
}
