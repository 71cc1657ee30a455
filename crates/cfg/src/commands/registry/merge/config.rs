//! Merges the texts of a config. Its metadata block is that of the version on our side; the rest is merged by lines.

use std::path::Path;

use cfg_diag::{FileId, word};
use cfg_registry::header;
use cfg_syntax::{Dialect, ValueKind};

use super::{
    Merged, Texts,
    lines::{self, Touching},
};
use crate::commands::registry::config::Reader;

/// The members of a metadata block that `cfg bump` writes.
const OF_VERSION: [&str; 4] = ["version", "created", "based_on", "notes"];

/// A config in two parts.
#[derive(Clone, Copy)]
struct Parts<'t> {
    /// Everything up to the end of its metadata block; empty if it has none.
    head: &'t str,
    body: &'t str,
}

/// Merges a config. It is left open only if both sides registered a version of it, and the texts differ in what they mean.
pub(super) fn merged(reader: &Reader, texts: &Texts<'_>) -> Merged {
    let [base, ours, theirs] = [texts.base, texts.ours, texts.theirs].map(parts);
    if ours.head.is_empty() && theirs.head.is_empty() {
        return of_lines(texts.name, lines::merge(Touching::Conflict, texts.base, texts.ours, texts.theirs));
    }
    let body = lines::merge(Touching::OfKeys, base.body, ours.body, theirs.body);
    if theirs.head == base.head || ours.head == base.head || ours.head.is_empty() || theirs.head.is_empty() {
        let head = if ours.head == base.head || ours.head.is_empty() { theirs.head } else { ours.head };
        return of_lines(texts.name, lines::Lines { text: format!("{head}{}", body.text), conflicts: body.conflicts });
    }
    if body.conflicts == 0 && body.text == theirs.body && body.text != ours.body {
        let word = word(texts.name);
        let open = format!(
            "{} has the text of the other side: look at it, then `git add {word}`; `cfg registry verify` says how its version \
             becomes the current one",
            texts.name
        );
        return Merged { text: texts.theirs.to_owned(), open: Some(open) };
    }
    let (head, is_head_open) = head(base.head, ours.head, theirs.head);
    let meaning = |text: &str| reader.fingerprint(Path::new(texts.name), text, None);
    let of_ours = meaning(texts.ours);
    if body.conflicts > 0 && !is_head_open && of_ours.is_some() && of_ours == meaning(texts.theirs) {
        return Merged { text: format!("{head}{}", ours.body), open: None };
    }
    let text = format!("{head}{}", body.text);
    if body.conflicts > 0 || is_head_open {
        let lines = lines::Lines { text, conflicts: body.conflicts + usize::from(is_head_open) };
        return of_lines(texts.name, lines);
    }
    let is_same = body.text == ours.body || of_ours.is_some() && meaning(&text) == of_ours;
    let open = (!is_same).then(|| look_at(texts.name, "combines the versions of both sides, which no one has registered"));
    Merged { text, open }
}

fn of_lines(name: &str, lines: lines::Lines) -> Merged {
    let open = (lines.conflicts > 0).then(|| {
        let places = cfg_report::count(lines.conflicts, "place");
        format!("{name}: both sides changed the same lines in {places}, which are between conflict markers")
    });
    Merged { text: lines.text, open }
}

fn look_at(name: &str, what: &str) -> String {
    let word = word(name);
    format!("{name} {what}: look at it, then `git add {word}` and `cfg bump {word} -m \"why\"`")
}

/// The metadata block of both sides, and whether a person must look at it.
fn head(base: &str, ours: &str, theirs: &str) -> (String, bool) {
    let without = |head: &str| header::without_members(head, &OF_VERSION).unwrap_or_else(|_| head.to_owned());
    let own = without(ours);
    let rest = lines::merge(Touching::OfKeys, &without(base), &own, &without(theirs));
    if rest.text == own {
        return (ours.to_owned(), false);
    }
    let members = members(ours);
    let members: Vec<(&str, &str)> = members.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let written = if rest.conflicts == 0 { header::with_members(&rest.text, &members).ok() } else { None };
    // A block with marks could not be read.
    written.map_or_else(|| (ours.to_owned(), true), |head| (head, false))
}

/// What a metadata block states about its version.
fn members(head: &str) -> Vec<(&'static str, String)> {
    let (document, _) = cfg_syntax::parse(FileId(0), head, Dialect::Toml11);
    let Some((table, _)) = cfg_syntax::metadata(FileId(0), head, &document) else { return Vec::new() };
    let text = |key: &str| match &table.get(key)?.value.kind {
        ValueKind::String(text) => Some(text.to_string()),
        _ => None,
    };
    OF_VERSION.into_iter().filter_map(|key| Some((key, text(key)?))).collect()
}

fn parts(text: &str) -> Parts<'_> {
    let (document, _) = cfg_syntax::parse(FileId(0), text, Dialect::Toml11);
    let block = document.metadata_block(text).filter(|block| block.closed);
    let end = block.map_or(0, |block| {
        let end = block.span.end as usize;
        text[end..].find('\n').map_or(text.len(), |at| end + at + 1)
    });
    let (head, body) = text.split_at(end);
    Parts { head, body }
}
