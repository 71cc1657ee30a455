//! `cfg schema show`: a key, or the keys of a table, at the target.

use std::io::{self, Write as _};

use cfg_schema::{Found, History, Interval, Kind, Target, TypeKind};
use serde::Serialize;

use super::{find, interval_in_words, point_in_words};
use crate::{
    Outcome,
    args::{Common, Format},
    terminal,
};

#[derive(Serialize)]
struct Field<'a> {
    key: &'a str,
    #[serde(rename = "type")]
    ty: String,
    required: bool,
    default: Option<serde_json::Value>,
    since: String,
    doc: Option<&'static str>,
}

pub(super) fn run(common: &Common, history: History, kind: Kind, target: &Target, key: &str) -> io::Result<Outcome> {
    let Some(found) = find(history, kind, key) else { return Ok(Outcome::Failed) };
    let here: Vec<&Found> =
        found.iter().filter(|field| field.exists_at(target.point) && field.node.at(target.point).is_some()).collect();
    if here.is_empty() {
        terminal::complain(&format!(
            "{kind} configs of {target} have no `{key}`; `cfg schema history {key}` tells when they had"
        ));
        return Ok(Outcome::Failed);
    }
    let below: Vec<Found> = here.iter().flat_map(|field| field.fields_at(target.point)).collect();
    let mut out = io::stdout().lock();
    if common.format == Format::Json {
        let all: Vec<Field<'_>> = here.iter().copied().chain(&below).filter_map(|field| as_json(field, target)).collect();
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
        return Ok(Outcome::Clean);
    }
    for field in &here {
        let Some(interval) = field.node.at(target.point) else { continue };
        let name = if field.path.is_empty() { format!("{} config", kind.with_article()) } else { field.path.clone() };
        writeln!(out, "{name} at {target}: {}", interval_in_words(interval))?;
        if let Some(doc) = field.node.doc(target.point) {
            writeln!(out, "  {doc}")?;
        }
        writeln!(out, "  so since {}", point_in_words(history, interval.since()))?;
        if let Some(prefix) = interval.settings_prefix() {
            writeln!(out, "  reads environment variables that begin with {prefix}")?;
        }
    }
    let width = below.iter().map(|field| field.path.chars().count()).max().unwrap_or(0);
    for field in &below {
        let Some(interval) = field.node.at(target.point) else { continue };
        let more = if has_fields(interval) { " ..." } else { "" };
        writeln!(out, "  {:width$}  {}{more}", field.path, interval_in_words(interval))?;
    }
    Ok(Outcome::Clean)
}

fn has_fields(interval: Interval) -> bool {
    matches!(interval.field_type().kind(), TypeKind::Table(_))
}

fn as_json<'a>(field: &'a Found, target: &Target) -> Option<Field<'a>> {
    let interval = field.node.at(target.point)?;
    let commit = History::built_in().commit_of(interval.since());
    Some(Field {
        key: &field.path,
        ty: cfg_schema::type_in_words(interval.field_type()),
        required: interval.is_required(),
        default: interval.default_json().and_then(|json| serde_json::from_str(json).ok()),
        since: commit.map(cfg_schema::Commit::short_sha).unwrap_or_default(),
        doc: field.node.doc(target.point),
    })
}
