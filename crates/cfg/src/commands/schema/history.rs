//! `cfg schema history`: the properties of a key over time, and its moves.

use cfg_diag::Order as _;
use std::io::Write as _;

use cfg_report::listed::{self, Moved, MovedTo};
use cfg_schema::{Automatic, FoundField, History, Interval, Kind, Move, Point, Target};

use super::{
    field_in_words, find,
    json::{holds, when},
    point_in_words, without_variants,
};
use crate::{CommandResult, Outcome, commands::Listing, context::Context};

/// An event in the history of a key.
struct Event {
    /// `None` if it happened before the history begins.
    point: Option<Point>,
    what: What,
}

enum What {
    /// The key has these properties from this point on.
    Holds(Interval),
    /// The key is removed.
    Gone,
    /// The key is moved, or its meaning changes.
    Moved(Move),
}

pub(super) fn run(cx: &Context, target: &Target, history: History, kind: Kind, key: &str) -> CommandResult {
    let listing = Listing::of(cx);
    let Some(found) = find(cx, target, history, kind, key) else { return Ok(Outcome::Failed) };
    let mut out = cx.out();
    if listing != Listing::Text {
        let of_field = |field| events(history, kind, field).into_iter().map(move |event| entry(history, field, &event));
        let entries: Vec<listed::Event> = found.iter().flat_map(of_field).collect();
        listing.write(&mut out, &entries)?;
        return Ok(Outcome::Clean);
    }
    for field in &found {
        writeln!(out, "{}", cfg_diag::one_line(if field.path.is_empty() { kind.name() } else { &field.path }))?;
        let mut last = String::new();
        for event in events(history, kind, field) {
            let when = when_in_words(history, &event);
            if when != last {
                writeln!(out, "  {when}")?;
            }
            writeln!(out, "    {}", in_words(&event))?;
            last = when;
        }
    }
    Ok(Outcome::Clean)
}

/// The events of a field, the oldest first. At one point, the event for its properties comes before its moves.
fn events(history: History, kind: Kind, field: &FoundField) -> Vec<Event> {
    let mut events = intervals(field);
    let path = without_variants(&field.path);
    let moves = history.moves_of(kind, &path);
    events.extend(moves.map(|moved| Event { point: moved.point(), what: What::Moved(moved) }));
    // Events without a point come first. The sort is stable, so that events at the same point keep their order.
    events.order_by_key(|event| event.point);
    events
}

/// The points at which the properties of a field change, or the field is removed.
fn intervals(field: &FoundField) -> Vec<Event> {
    let mut events: Vec<(Point, Option<Interval>)> = Vec::new();
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
            events.push((begin, Some(interval)));
            events.extend(end.map(|end| (end, None)));
        }
    }
    // Changes that are not visible to users are left out.
    events.dedup_by(|later, earlier| match (later.1, earlier.1) {
        (Some(later), Some(earlier)) => field_in_words(later) == field_in_words(earlier),
        _ => false,
    });
    events.into_iter().map(|(point, holds)| Event { point: Some(point), what: holds.map_or(What::Gone, What::Holds) }).collect()
}

fn when_in_words(history: History, event: &Event) -> String {
    match (event.point, &event.what) {
        (Some(Point(0)), What::Holds(_)) => "from the start of the history".to_owned(),
        (Some(point), _) => point_in_words(history, point),
        (None, What::Moved(moved)) => format!("{} (before the history)", moved.date().unwrap_or_default()),
        (None, _) => String::new(),
    }
}

fn in_words(event: &Event) -> String {
    match &event.what {
        What::Holds(interval) => field_in_words(*interval),
        What::Gone => "removed".to_owned(),
        What::Moved(moved) => {
            let elsewhere = moved.to().filter(|to| *to != moved.from());
            let to = elsewhere.map(|(kind, to)| format!(" to `{to}` of {} config", kind.with_article())).unwrap_or_default();
            let note = moved.note().map(|note| format!(": {note}")).unwrap_or_default();
            format!("{}{to}{note}", moved.change())
        }
    }
}

fn entry(history: History, field: &FoundField, event: &Event) -> listed::Event {
    let when = event.point.and_then(|point| when(history, point));
    let of_commit = event.point.and_then(|point| history.commit_of(point)).map(cfg_schema::Commit::day);
    let (name, holds, moved) = match &event.what {
        What::Holds(interval) => ("holds", Some(holds(*interval)), None),
        What::Gone => ("gone", None, None),
        What::Moved(moved) => (moved.change(), None, Some(*moved)),
    };
    listed::Event {
        key: field.path.clone(),
        when,
        date: of_commit.or_else(|| moved.and_then(Move::date)),
        event: name,
        holds,
        moved: moved.map(|moved| Moved {
            to: moved.to().map(|(kind, key)| MovedTo { kind: kind.name(), key }),
            automatic: match moved.automatic() {
                Automatic::Safe => "safe",
                Automatic::Review => "review",
                Automatic::Impossible => "impossible",
            },
            condition: moved.when(),
            note: moved.note(),
        }),
    }
}
