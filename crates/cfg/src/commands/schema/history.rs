//! `cfg schema history`: what a key was at which time, and what became of it.

use std::io::{self, Write as _};

use cfg_schema::{Found, History, Kind, Point};
use serde::Serialize;

use super::{find, interval_in_words, point_in_words};
use crate::{
    Outcome,
    args::{Common, Format},
};

#[derive(Serialize)]
struct Event<'a> {
    key: &'a str,
    commit: String,
    date: &'static str,
    pull_request: Option<u32>,
    /// Nothing where the key went away.
    holds: Option<String>,
}

pub(super) fn run(common: &Common, history: History, kind: Kind, key: &str) -> io::Result<Outcome> {
    let Some(found) = find(history, kind, key) else { return Ok(Outcome::Failed) };
    let mut out = io::stdout().lock();
    if common.format == Format::Json {
        let events: Vec<Event<'_>> = found
            .iter()
            .flat_map(|field| events(field).into_iter().map(|(point, holds)| event(history, field, point, holds)))
            .collect();
        serde_json::to_writer_pretty(&mut out, &events)?;
        writeln!(out)?;
        return Ok(Outcome::Clean);
    }
    for field in &found {
        writeln!(out, "{}", if field.path.is_empty() { kind.name() } else { &field.path })?;
        for (point, holds) in events(field) {
            let when =
                if point == Point(0) { "from the beginning of the history".to_owned() } else { point_in_words(history, point) };
            writeln!(out, "  {when}\n    {}", holds.as_deref().unwrap_or("gone"))?;
        }
    }
    for moved in history.moves_of(kind, key) {
        let to =
            moved.to().filter(|to| *to != moved.from()).map(|(kind, to)| format!(" to `{to}` of {} config", kind.with_article()));
        let note = moved.note().map(|note| format!(": {note}")).unwrap_or_default();
        let when =
            moved.point().map_or_else(|| moved.date().unwrap_or_default().to_owned(), |point| point_in_words(history, point));
        writeln!(out, "  {when}\n    {}{}{note}", moved.change(), to.unwrap_or_default())?;
    }
    Ok(Outcome::Clean)
}

/// The points at which something begins to hold of a field, or the field goes away.
fn events(field: &Found) -> Vec<(Point, Option<String>)> {
    let mut events = Vec::new();
    for (since, until) in &field.within {
        for interval in field.node.intervals() {
            let begin = interval.since().max(*since);
            let end = match (interval.until(), until) {
                (Some(one), Some(other)) => Some(one.min(*other)),
                (one, other) => one.or(*other),
            };
            if end.is_some_and(|end| end <= begin) {
                continue;
            }
            if events.last().is_some_and(|(point, holds)| *point == begin && Option::is_none(holds)) {
                events.pop();
            }
            events.push((begin, Some(interval_in_words(interval))));
            events.extend(end.map(|end| (end, None)));
        }
    }
    // What changes only in ways that no user sees is one and the same.
    events.dedup_by(|later, earlier| later.1.is_some() && later.1 == earlier.1);
    events
}

fn event(history: History, field: &Found, point: Point, holds: Option<String>) -> Event<'_> {
    let commit = history.commit_of(point);
    Event {
        key: &field.path,
        commit: commit.map(cfg_schema::Commit::short_sha).unwrap_or_default(),
        date: commit.map(cfg_schema::Commit::day).unwrap_or_default(),
        pull_request: commit.and_then(cfg_schema::Commit::pull_request),
        holds,
    }
}
