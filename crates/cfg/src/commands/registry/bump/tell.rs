//! What a new version records, as text and as JSON.

use std::io::{self, Write as _};

use cfg_registry::fingerprint::{Difference, Digest, Edit, Leaf, Level};
use cfg_report::{
    compared::{NewVersion, RecordedChange},
    json::SCHEMA_VERSION,
};

use super::Made;
use crate::{args::Bump, context::Context};

/// The maximum number of edits in text output.
const MAX_EDITS: usize = 20;

/// What a new version records, as lines or as JSON.
pub(super) fn written(cx: &Context, asked: &Bump, made: &Made) -> io::Result<()> {
    let mut out = cx.out();
    if cx.is_for_program() {
        cfg_report::json::write_line(&mut out, &document(asked, made))?;
        return writeln!(out);
    }
    lines(asked, made).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// What to know before the version is written, as notes; a JSON document has it as `hints`.
pub(super) fn warnings(cx: &Context, asked: &Bump, made: &Made) {
    if cx.is_for_program() {
        return;
    }
    made.hints().iter().for_each(|hint| cx.note(hint));
    if let (Some(level), Some(suggested)) = (asked.level.map(Level::from), made.planned.suggested)
        && level < suggested
    {
        cx.note(&format!("the change calls for {suggested}, but {level} was requested"));
    }
}

fn document(asked: &Bump, made: &Made) -> NewVersion {
    let planned = &made.planned;
    let differences = made.differences();
    let changes = differences.as_ref().map(|differences| {
        let change = |difference: &Difference<'_>| RecordedChange {
            key: difference.key().to_owned(),
            class: difference.class.name(),
            old: difference.one.map(|leaf| leaf.value.clone()),
            new: difference.other.map(|leaf| leaf.value.clone()),
        };
        differences.iter().map(change).collect::<Vec<_>>()
    });
    NewVersion {
        schema_version: SCHEMA_VERSION,
        path: made.key.clone(),
        from: planned.from.clone(),
        to: planned.to.clone(),
        based_on: planned.based_on.clone(),
        suggested: planned.suggested.map(Level::name),
        level: asked.level.map(Level::from).or(planned.suggested).map(Level::name),
        sha256: Digest::of(planned.text.as_bytes()).to_string(),
        changes,
        edits: made.edits().map(|edits| edits.len()),
        hints: made.hints(),
    }
}

/// The version, the edits that lead to it, and their level.
pub(super) fn lines(asked: &Bump, made: &Made) -> Vec<String> {
    let planned = &made.planned;
    let key = cfg_diag::one_line(&made.key);
    let mut lines = vec![match &planned.from {
        Some(from) => format!("{key}: {from} -> {}", planned.to),
        None => format!("{key}: {}, the first version", planned.to),
    }];
    let edits = made.edits().unwrap_or_default();
    lines.extend(edits.iter().take(MAX_EDITS).map(line));
    let hidden = edits.len().saturating_sub(MAX_EDITS);
    if hidden > 0 {
        lines.push(format!("  and {} more; run `cfg diff` to see all", cfg_report::count(hidden, "edit")));
    }
    // What nobody wrote in this file, such as the defaults of another prime-rl.
    let others = made.differences().map_or(0, |differences| differences.len());
    if edits.is_empty() && others > 0 {
        lines.push(format!("  {} without an edit of a value", cfg_report::count(others, "changed value")));
    }
    if let Some(suggested) = planned.suggested.filter(|_| asked.level.is_none()) {
        let is_counter = planned.to.starts_with('v') && !planned.to.contains('.');
        let counted = if is_counter { " (versions v1, v2, ... don't show that)" } else { "" };
        lines.push(format!("  the change is {suggested}{counted}"));
    }
    lines
}

fn line(edit: &Edit<'_>) -> String {
    let side = |leaf: Option<&Leaf>| leaf.filter(|leaf| !leaf.value.is_null()).map_or_else(|| "nothing".to_owned(), Leaf::text);
    let text = format!("{}: {} -> {}", edit.key, side(edit.one), side(edit.other));
    format!("  {:<10} {}", edit.class.name(), cfg_diag::one_line(&text))
}
