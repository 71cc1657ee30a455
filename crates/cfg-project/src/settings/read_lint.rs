//! Reads `[lint]`.

use super::{
    Level, Lint, PerFile, Selector, SettingOfLevel,
    description::names_in,
    nearest::suggestion,
    reader::{Entry, Reader, joined},
};
use crate::{Sourced, pattern_set::Contents};

pub(super) fn lint<'t>(reader: &mut Reader<'t>, outer: Entry<'_, 't>, lint: &mut Lint) {
    let Some(table) = reader.table(outer) else { return };
    let of_file = |reader: &mut Reader<'t>, entry: Entry<'_, 't>| selectors(reader, entry).unwrap_or_default();
    for (key, value) in table {
        let name = joined(outer.key, key.get_ref());
        let entry = Entry { key: &name, value };
        match key.get_ref().as_ref() {
            "select" => lint.select = selectors(reader, entry),
            "ignore" => lint.ignore = selectors(reader, entry),
            "extend-select" => lint.extend_select = of_file(reader, entry),
            "extend-ignore" => lint.extend_ignore = of_file(reader, entry),
            "per-file-ignores" => lint.per_file_ignores = per_file(reader, entry, of_file),
            "per-file-selects" => lint.per_file_selects = per_file(reader, entry, of_file),
            "per-file-severities" => lint.per_file_severities = per_file(reader, entry, severities),
            "severities" => lint.severities = severities(reader, entry),
            _ => reader.unknown(key, outer.key, &names_in("lint")),
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

/// Reads a table with an entry for each pattern of files.
fn per_file<'t, T>(
    reader: &mut Reader<'t>,
    entry: Entry<'_, 't>,
    read: impl Fn(&mut Reader<'t>, Entry<'_, 't>) -> T,
) -> Vec<PerFile<T>> {
    let mut entries = Vec::new();
    for (key, value) in reader.table(entry).into_iter().flatten() {
        let name = joined(entry.key, key.get_ref());
        if let Some(files) = reader.paths(key.span(), &name, key.get_ref(), Contents::OfFolders) {
            entries.push(PerFile { files, value: read(reader, Entry { key: &name, value }) });
        }
    }
    entries
}

fn severities<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Vec<SettingOfLevel> {
    let mut severities = Vec::new();
    for (key, value) in reader.table(entry).into_iter().flatten() {
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
    severities
}
