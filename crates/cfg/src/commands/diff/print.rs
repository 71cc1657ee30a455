//! Prints a comparison as text and as JSON.

use std::io::{self, Write as _};

use cfg_compose::Origin;
use cfg_registry::fingerprint::{Cause, Class, Difference, Leaf, Outcome, outcome};
use cfg_report::{
    compared::{Compared, ComparedKey, ComparedValue, Comparison},
    json::SCHEMA_VERSION,
};
use cfg_resolve::emit::{Places, origin_as_json, origin_in_words};
use serde_json::Value as Json;

use super::side::Side;
use crate::{args::Format, commands::compile::shown, context::Context, terminal};

/// A side, with functions that format its locations.
type Shown<'a, 'p> = (&'a Side, Places<'p>);

/// Writes one JSON document.
pub(super) fn json(
    cx: &Context,
    one: Shown<'_, '_>,
    other: Shown<'_, '_>,
    differences: &[Difference<'_>],
    hints: &[String],
) -> io::Result<()> {
    let about = |(side, _): Shown<'_, '_>| Compared {
        path: side.name.clone(),
        kind: side.kind().map(cfg_schema::Kind::name),
        target: side.target().name.clone(),
    };
    let value = |(_, places): Shown<'_, '_>, leaf: Option<&Leaf>| {
        leaf.map(|leaf| ComparedValue {
            key: leaf.key.clone(),
            value: if leaf.is_invalid { Json::Null } else { leaf.value.clone() },
            origin: origin_as_json(leaf.origin, places),
            invalid: leaf.is_invalid.then(|| written(leaf, places)),
        })
    };
    let listed = differences.iter().map(|difference| ComparedKey {
        key: difference.key().to_owned(),
        class: difference.class.name(),
        cause: cause_name(difference.cause),
        one: value(one, difference.one),
        other: value(other, difference.other),
    });
    let (name, level) = match outcome(differences) {
        Outcome::Same => ("same", None),
        Outcome::ByDefault => ("by-default", None),
        Outcome::ByUser(level) => ("by-user", Some(level.name())),
    };
    let document = Comparison {
        schema_version: SCHEMA_VERSION,
        one: about(one),
        other: about(other),
        outcome: name,
        level,
        differences: listed.collect(),
        hints: hints.to_vec(),
    };
    let mut out = io::BufWriter::new(cx.out());
    cfg_report::json::write_pretty(&mut out, &document)?;
    writeln!(out)?;
    out.flush()
}

pub(in crate::commands) const fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::User => "user",
        Cause::Default => "default",
        Cause::NoKey => "no-key",
    }
}

/// Writes the differences by class: first the user's changes, then those of prime-rl.
pub(super) fn text(
    cx: &Context,
    one: Shown<'_, '_>,
    other: Shown<'_, '_>,
    differences: &[Difference<'_>],
    edits: usize,
    hints: &[String],
) -> io::Result<()> {
    let style = terminal::style(cx);
    let mut out = io::BufWriter::new(cx.out());
    let name = |(side, _): Shown<'_, '_>| format!("{} at {}", cfg_diag::one_line(&side.name), side.target());
    writeln!(out, "{}", terminal::paint(style, "31", &format!("- {}", name(one))))?;
    writeln!(out, "{}", terminal::paint(style, "32", &format!("+ {}", name(other))))?;
    let (by_user, by_version): (Vec<_>, Vec<_>) = differences.iter().partition(|difference| difference.cause == Cause::User);
    let line = |ink: &str, mark: char, (side, places): Shown<'_, '_>, leaf: Option<&Leaf>| {
        let leaf = leaf?;
        let text = if leaf.is_invalid { format!("{} (invalid)", shown(&written(leaf, places))) } else { shown(&leaf.text()) };
        let (key, value) = (cfg_diag::one_line(&leaf.key), text);
        let words = source_of(leaf.origin, places, &side.name);
        let line = terminal::paint(style, ink, &format!("{mark} {key} = {value}"));
        Some(format!("{line}  {}", terminal::paint(style, "2", &cfg_diag::one_line(&words))))
    };
    let print = |out: &mut dyn io::Write, title: &str, some: &[&Difference<'_>]| {
        if some.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{}", terminal::paint(style, "1", title))?;
        for difference in some {
            for line in [line("31", '-', one, difference.one), line("32", '+', other, difference.other)].into_iter().flatten() {
                writeln!(out, "  {line}")?;
            }
        }
        Ok::<(), io::Error>(())
    };
    for class in Class::ALL {
        let own: Vec<_> = by_user.iter().copied().filter(|difference| difference.class == class).collect();
        print(&mut out, &format!("{class} (calls for a {} version)", class.level()), &own)?;
    }
    if cx.common.format == Format::Full {
        print(&mut out, "due to the prime-rl version: changed defaults, added or removed keys", &by_version)?;
    }
    if !hints.is_empty() {
        writeln!(out)?;
    }
    for hint in hints {
        writeln!(out, "hint: {}", cfg_diag::one_line(hint))?;
    }
    writeln!(out, "\n{}", sentence(differences, edits))?;
    out.flush()
}

/// Where a value comes from, without the function of prime-rl that sets it: `line 9`, `from line 9`, `base.toml:9:13`, `default of 0.8.0`.
fn source_of(origin: Origin, places: Places<'_>, own: &str) -> String {
    let place = |location| {
        let place = (places.place)(location);
        let mut parts = place.rsplitn(3, ':').skip(1);
        let (Some(line), Some(path)) = (parts.next(), parts.next()) else { return place.clone() };
        // The side may be a version or a revision of the file: `rl.toml:v2`, `main:rl.toml`.
        let behind = own.strip_prefix(path).is_some_and(|behind| behind.is_empty() || behind.starts_with([':', '@']));
        let is_own = behind || own.strip_suffix(path).is_some_and(|before| before.ends_with(':'));
        if is_own { format!("line {line}") } else { place.clone() }
    };
    match origin {
        Origin::File(location) => place(location),
        Origin::Loader(derivation) | Origin::Check(derivation) => {
            derivation.from.map_or_else(|| "set by prime-rl".to_owned(), |from| format!("from {}", place(from)))
        }
        Origin::CommandLine(_) | Origin::Environment(_) | Origin::Default => origin_in_words(origin, places),
    }
}

/// An invalid value, as it is written.
fn written(leaf: &Leaf, places: Places<'_>) -> String {
    leaf.origin.location().and_then(places.text).map_or_else(|| leaf.text(), str::to_owned)
}

/// A sentence with the number of keys that differ, by cause, and of the edits that change them.
pub(super) fn sentence(differences: &[Difference<'_>], edits: usize) -> String {
    let keys = differences.iter().filter(|difference| difference.cause == Cause::User).count();
    let by_version = differences.len() - keys;
    let changed = match edits {
        0 => format!("{keys} changed"),
        edits if edits == keys => format!("{keys} changed"),
        1 => format!("1 edit changes {keys} keys"),
        edits => format!("{edits} edits change {keys} keys"),
    };
    match outcome(differences) {
        Outcome::Same => "both mean the same".to_owned(),
        Outcome::ByDefault => format!("no edits; {by_version} keys differ between the prime-rl versions"),
        Outcome::ByUser(level) if by_version == 0 => format!("{changed}; the change calls for a {level} version"),
        Outcome::ByUser(level) => {
            format!("{changed}, {by_version} due to the prime-rl version; the change calls for a {level} version")
        }
    }
}
