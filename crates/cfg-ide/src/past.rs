//! The history of a key, in words.

use cfg_diag::Order as _;
use cfg_schema::{
    FoundField, History, Interval, Move, Point, Schema, find_fields, interval_in_words,
    moved::{in_file, when},
};

/// When a key was added, how it changed, and where it moved to or from; `None` for one that no prime-rl has had.
pub(crate) fn past(schema: Schema, key: &str) -> Option<String> {
    let Schema { history, kind, point } = schema;
    let found = find_fields(history, kind, key);
    let since = found.iter().filter_map(FoundField::since).min()?;
    let mut words = match name(history, since) {
        Some(name) => format!("since {name}"),
        None => match history.commits().next() {
            Some(first) => format!("older than {}, where the known history begins", first.day()),
            None => "older than the known history".to_owned(),
        },
    };
    let exists = found.iter().any(|found| found.exists_at(point));
    let moves: Vec<Move> = history.moves_of(kind, key).collect();
    let mut events: Vec<(Option<Point>, String)> =
        moves.iter().filter_map(|step| Some((step.point(), move_in_words(schema, *step, key, exists)?))).collect();
    if let [only] = &found[..] {
        let is_told = |point: Point| moves.iter().any(|step| step.point() == Some(point));
        let intervals: Vec<Interval> = only.node.intervals().collect();
        for pair in intervals.windows(2) {
            let (before, now) = (interval_in_words(pair[0]), interval_in_words(pair[1]));
            if before != now && !is_told(pair[1].since()) && pair[0].until() == Some(pair[1].since()) {
                let since = pair[1].since();
                events.push((Some(since), format!("changed {}: {now} (before: {before})", when(history, since))));
            }
        }
    }
    events.order_by_key(|(point, _)| *point);
    events.dedup();
    for (_, event) in events {
        words.push_str(&format!("\n- {event}"));
    }
    Some(words)
}

/// A step in words; `None` if there is nothing to report.
fn move_in_words(schema: Schema, step: Move, key: &str, exists: bool) -> Option<String> {
    let when = match (step.point(), step.date()) {
        (Some(point), _) => when(schema.history, point),
        (None, Some(day)) => format!("on {day}"),
        (None, None) => String::new(),
    };
    let note = step.note().map(|note| note.trim_end_matches('.'));
    if !matches!(step.change(), "rename" | "move" | "remove" | "restructure") {
        // For types and defaults, only the note says why they changed.
        return note.map(|note| format!("changed {when}: {note}"));
    }
    let to = step.to().map(|(to_kind, to)| in_file(schema.kind, to_kind, to));
    let mut words = match to {
        Some(to) if to != key => format!("became `{to}` {when}"),
        Some(_) => return note.map(|note| format!("changed {when}: {note}")),
        None => format!("removed {when}"),
    };
    if let Some(note) = note.filter(|_| !exists) {
        words.push_str(&format!(". {note}"));
    }
    Some(words)
}

/// A point in the user's terms: the first release that has it.
fn name(history: History, point: Point) -> Option<String> {
    if point == Point(0) {
        return None;
    }
    Some(match history.first_release_with(point) {
        Some(release) => release.name().to_owned(),
        None => history.commit_of(point).map(|commit| format!("main, {}", commit.day()))?,
    })
}

#[cfg(test)]
mod tests {
    use cfg_schema::{History, Kind, Target};

    use super::past;

    fn of(key: &str) -> String {
        let target = Target::parse(History::built_in(), "0.4.0").expect("a release");
        past(target.schema(Kind::Rl), key).expect("it is known")
    }

    #[test]
    fn an_added_check_removes_no_key() {
        let words = of("wandb");
        assert!(!words.contains("removed"), "{words}");
        assert!(words.contains("\n- changed in 0.4.0 by #1629: Trainer and orchestrator log to W&B both"), "{words}");
    }

    #[test]
    fn a_moved_key_is_named_with_its_component() {
        let words = of("inference.model.tool_call_parser");
        assert!(words.contains("became `inference.vllm.tool_call_parser` on main"), "{words}");
        assert_eq!(words.matches("became").count(), 1, "{words}");
    }
}
