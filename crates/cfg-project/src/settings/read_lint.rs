//! Reads `[lint]`.

use super::{
    Level, Lint, PerFileIgnore, Selector, SettingOfLevel,
    nearest::suggestion,
    reader::{Entry, Reader, joined},
};
use crate::{Sourced, pattern_set::PatternError};

const KEYS: [&str; 4] = ["select", "ignore", "per-file-ignores", "severities"];

pub(super) fn lint<'t>(reader: &mut Reader<'t>, outer: Entry<'_, 't>, lint: &mut Lint) {
    let Some(table) = reader.table(outer) else { return };
    for (key, value) in table {
        let name = joined(outer.key, key.get_ref());
        let entry = Entry { key: &name, value };
        match key.get_ref().as_ref() {
            "select" => lint.select = selectors(reader, entry),
            "ignore" => lint.ignore = selectors(reader, entry),
            "per-file-ignores" => per_file_ignores(reader, entry, &mut lint.per_file_ignores),
            "severities" => severities(reader, entry, &mut lint.severities),
            _ => reader.unknown(key, outer.key, &KEYS),
        }
    }
}

fn selectors<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Option<Vec<Sourced<Selector>>> {
    let items = reader.array(entry, "an array of codes or names")?;
    let read = |value| {
        reader
            .parsed(Entry { key: entry.key, value }, |text| text.parse().map_err(|help| (format!("unknown rule `{text}`"), help)))
    };
    let usable: Vec<_> = items.iter().filter_map(read).collect();
    // A `select` whose entries are all misspelt must not turn off all findings.
    (items.is_empty() || !usable.is_empty()).then_some(usable)
}

fn per_file_ignores<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>, ignores: &mut Vec<PerFileIgnore>) {
    let Some(table) = reader.table(entry) else { return };
    for (key, value) in table {
        let name = joined(entry.key, key.get_ref());
        let pattern = key.get_ref().trim_start_matches("./");
        match reader.pattern(key.span(), entry.key, pattern) {
            Ok(matcher) => {
                let selectors = selectors(reader, Entry { key: &name, value }).unwrap_or_default();
                let pattern = reader.sourced(pattern.to_owned(), key.span());
                ignores.push(PerFileIgnore { pattern, selectors, matcher });
            }
            Err(Some(PatternError::BeyondBounds(message))) => {
                let help = "write several patterns, each with its own codes".to_owned();
                reader.report(key.span(), entry.key, message, Some(help));
            }
            Err(Some(PatternError::Invalid(error))) => {
                let message = format!("`{}` is not a valid file pattern: {}", key.get_ref(), error.kind());
                reader.report(key.span(), &name, message, Some("write a path or a glob, such as `configs/**/*.toml`".to_owned()));
            }
            Err(None | Some(PatternError::TooMany)) => {}
        }
    }
}

fn severities<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>, severities: &mut Vec<SettingOfLevel>) {
    let Some(table) = reader.table(entry) else { return };
    for (key, value) in table {
        let name = joined(entry.key, key.get_ref());
        let level = reader.parsed(Entry { key: &name, value }, |text| {
            text.parse::<Level>().map_err(|()| (format!("unknown severity `{text}`"), suggestion(text, &Level::NAMES)))
        });
        match key.get_ref().parse::<Selector>() {
            Ok(selector) => severities.extend(level.map(|level| SettingOfLevel { selector, level })),
            Err(help) => {
                let message = format!("unknown rule `{}`", key.get_ref());
                reader.report(key.span(), &name, message, Some(help));
            }
        }
    }
}
