//! `cfg schema show`: a key, or the keys of a table, at the target.

use std::io::Write as _;

use cfg_report::listed::{About, SchemaKey};
use cfg_schema::{Entrypoint, FoundField, History, Interval, Kind, Target, TypeKind};

use super::{
    field_in_words, find,
    json::{holds, when},
    point_in_words,
};
use crate::{CommandResult, Outcome, commands::Listing, context::Context};

pub(super) fn run(cx: &Context, history: History, kind: Kind, target: &Target, key: &str) -> CommandResult {
    let listing = Listing::of(cx);
    let Some(found) = find(cx, target, history, kind, key) else { return Ok(Outcome::Failed) };
    let here: Vec<&FoundField> = found.iter().filter(|field| field.exists_at(target.point)).collect();
    if here.is_empty() {
        cx.complain(&match Entrypoint::absence(kind.name(), target.point).filter(|_| history == History::built_in()) {
            Some(absence) => format!("{target} has no entrypoint `{kind}`: {absence}"),
            None if key.is_empty() => format!("{target} has no {kind} configs"),
            None => format!("{kind} configs of {target} have no `{key}`; see `cfg schema history {key}`"),
        });
        return Ok(Outcome::Failed);
    }
    let below: Vec<FoundField> = here.iter().flat_map(|field| field.fields_at(target.point)).collect();
    let mut out = cx.out();
    if listing != Listing::Text {
        let fields = here.iter().copied().chain(&below);
        let all: Vec<SchemaKey> = fields.filter_map(|field| as_json(history, field, target)).collect();
        let about = match kind {
            Kind::Script => About { kind: Some(target.name.clone()), target: None },
            kind => About { kind: Some(kind.name().to_owned()), target: Some(target.to_string()) },
        };
        listing.write_about(&mut out, &all, Some(&about))?;
        return Ok(Outcome::Clean);
    }
    for field in &here {
        let Some(interval) = field.node.at(target.point) else { continue };
        let is_own = kind == Kind::Script;
        let name = match field.path.as_str() {
            "" if is_own => "the config".into(),
            "" => format!("{} config", kind.with_article()).into(),
            path => cfg_diag::one_line(path),
        };
        let of = if is_own { format!("of `{}`", cfg_diag::one_line(&target.name)) } else { format!("at {target}") };
        writeln!(out, "{name} {of}: {}", field_in_words(interval))?;
        if let Some(doc) = field.node.doc(target.point) {
            writeln!(out, "  {}", cfg_diag::one_line(doc))?;
        }
        // Of the class of a project, only the present is known.
        if is_own {
            continue;
        }
        writeln!(out, "  unchanged since {}", point_in_words(history, interval.since()))?;
        if let Some(prefix) = interval.settings_prefix() {
            writeln!(out, "  reads environment variables that start with {prefix}")?;
        }
    }
    if kind != Kind::Script && here.iter().any(|field| field.path.is_empty()) {
        if history == History::built_in()
            && let Some(entry) = Entrypoint::at(target.point).find(|entry| entry.kind == Some(kind))
        {
            let time = Entrypoint::time_of(entry.name).unwrap_or_default();
            writeln!(out, "  loaded by `{}`, which prime-rl has had {time}, as {}", entry.name, entry.class)?;
        }
        writeln!(out, "  known: {}", super::extent(history))?;
    }
    let width = below.iter().map(|field| field.path.chars().count()).max().unwrap_or(0);
    for field in &below {
        let Some(interval) = field.node.at(target.point) else { continue };
        let more = if has_fields(interval) { " ..." } else { "" };
        writeln!(out, "  {:width$}  {}{more}", cfg_diag::one_line(&field.path), field_in_words(interval))?;
    }
    Ok(Outcome::Clean)
}

fn has_fields(interval: Interval) -> bool {
    matches!(interval.field_type().kind(), TypeKind::Table(_))
}

fn as_json(history: History, field: &FoundField, target: &Target) -> Option<SchemaKey> {
    let interval = field.node.at(target.point)?;
    Some(SchemaKey {
        key: field.path.clone(),
        holds: holds(interval),
        has_keys: has_fields(interval),
        since: when(history, interval.since()),
        until: interval.until().and_then(|until| when(history, until)),
        doc: field.node.doc(target.point),
    })
}
