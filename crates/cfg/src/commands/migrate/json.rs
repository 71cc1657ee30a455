//! What a migration says to programs.

use std::io::{self, Write as _};

use cfg_diag::{Location, Severity};
use cfg_migrate::{Decision, Migration, Reason};
use cfg_report::{FileReport, Sources, json::File};
use cfg_schema::{Commit, History, Point};
use serde_json::{Value as Json, json};

use super::position;

pub(super) fn write(name: &str, old: &str, migration: &Migration) -> io::Result<()> {
    let Migration { kind, from, to, after, .. } = migration;
    let range = |location: Location| {
        let at = |offset: u32| {
            let place = Location { span: cfg_diag::Span::empty(offset), ..location };
            position(old, Some(place)).map(|(line, column)| json!({ "line": line, "column": column, "offset": offset }))
        };
        json!({ "start": at(location.span.start), "end": at(location.span.end) })
    };
    let edits: Vec<Json> =
        migration.edits.iter().map(|edit| json!({ "range": range(edit.location), "new_text": edit.new_text })).collect();
    let done: Vec<Json> = migration
        .done
        .iter()
        .map(|done| {
            json!({
                "old": Some(&done.old).filter(|old| !old.is_empty()),
                "new": done.new,
                "value": done.value,
                "range": done.location.map(range),
                "commits": done.moves.iter().map(|entry| commit(entry.point(), entry.date())).collect::<Vec<_>>(),
            })
        })
        .collect();
    let decisions: Vec<Json> = migration.decisions.iter().map(|decision| decided(decision, &range)).collect();
    let meaning = migration.meaning.as_ref().map(|meaning| {
        let changed: Vec<Json> = meaning
            .changed
            .iter()
            .map(|changed| {
                json!({
                    "key": changed.key,
                    "old": changed.old,
                    "new": changed.new,
                    "written": changed.is_written,
                    "commit": changed.since.map(|since| commit(Some(since), None)),
                    "note": changed.note,
                    "keep": changed.keep,
                })
            })
            .collect();
        json!({ "partial": meaning.is_partial, "same": meaning.same, "added": meaning.added, "gone": meaning.gone, "changed": changed })
    });
    let sources = Sources::single(name, &migration.text);
    let verdict = match after.verdict {
        cfg_check::Verdict::Ok => cfg_report::Verdict::Ok,
        cfg_check::Verdict::Rejected => cfg_report::Verdict::Rejected,
        cfg_check::Verdict::Depends => cfg_report::Verdict::Depends,
    };
    let report =
        FileReport { path: name, kind: Some(kind.name()), target: Some(&to.name), verdict, diagnostics: &after.diagnostics };
    let errors = migration.remaining().filter(|finding| finding.severity == Severity::Error).count();
    let document = json!({
        "schema_version": 1,
        "path": name,
        "kind": kind.name(),
        "from": from.name,
        "from_is_guessed": migration.is_guessed,
        "to": to.name,
        "complete": migration.is_complete(),
        "stuck": migration.is_stuck,
        "remaining_errors": errors,
        "text": migration.text,
        "edits": edits,
        "done": done,
        "decisions": decisions,
        "meaning": meaning,
        "checked": serde_json::to_value(File::new(&report, &sources))?,
    });
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, &document)?;
    writeln!(out)?;
    out.flush()
}

fn decided(decision: &Decision, range: &dyn Fn(Location) -> Json) -> Json {
    let (reason, detail) = match &decision.reason {
        Reason::Meaning => ("meaning", None),
        Reason::Occupied(key) => ("occupied", Some(key.clone())),
        Reason::OtherFile(kind) => ("other-file", Some(kind.to_string())),
        Reason::NoPlace => ("no-place", None),
    };
    json!({
        "key": decision.key,
        "now": decision.now,
        "range": decision.location.map(range),
        "change": decision.entry.change(),
        "to": decision.to,
        "reason": reason,
        "detail": detail,
        "note": decision.entry.note(),
        "commit": commit(decision.entry.point(), decision.entry.date()),
    })
}

/// A commit by its hash, day, pull request and the first release that has it.
fn commit(point: Option<Point>, date: Option<&str>) -> Json {
    let history = History::built_in();
    let commit = point.and_then(|point| history.commit_of(point));
    json!({
        "sha": commit.map(Commit::short_sha),
        "date": commit.map(Commit::day).or(date),
        "pull_request": commit.and_then(Commit::pull_request),
        "release": point.and_then(|point| history.first_release_with(point)).map(cfg_schema::Tag::name),
    })
}
