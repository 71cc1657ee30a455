//! Reads the text of a settings file into [`Settings`], and reports its errors.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cfg_diag::{Diagnostic, FileId, Location, Order, codes};
use cfg_memory::{catalogue::Gpu, hardware::HardwareError};
use cfg_schema::{BeyondHistory, History, Tag, Target};
use cfg_system::{System, without_dots};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Settings,
    description::names_in,
    dialect::dialects,
    nearest::{nearest, suggestion},
    paths::paths,
    read_gpus::{amount, gpus, known},
    read_lint::lint,
    read_preflight::preflight,
    read_prices::{known_prices, prices},
    read_tables::{environments, extend, groups},
    reader::{Entry, Reader, joined},
    required::required,
    watch::watch,
};
use crate::{
    Sourced,
    target::{NamedBy, local_target},
};

/// Reads the text of the settings file at `path`, an absolute path: `[tool.cfg]` of a `pyproject.toml`, or the whole of any other file. All locations
/// are in file number 0.
///
/// An invalid value is treated as not set, except that an invalid target makes the target unknown. A text that is not TOML sets no values.
pub fn read_settings(system: &dyn System, text: &str, path: &Path) -> (Settings, Vec<Diagnostic>) {
    read(system, text, path, &[]).unwrap_or_default()
}

/// As [`read_settings`]; `None` if the file belongs to another tool and has no settings for `cfg`. `outer` are the GPUs that
/// outer settings files declare.
pub(crate) fn read(system: &dyn System, text: &str, path: &Path, outer: &[Gpu]) -> Option<(Settings, Vec<Diagnostic>)> {
    let is_shared = path.file_name().is_some_and(|name| name == "pyproject.toml");
    // This test is much faster than parsing the file, and no spelling of the table fails it.
    if is_shared && !(text.contains("tool") && text.contains("cfg")) {
        return None;
    }
    let mut reader = Reader::new(system, Arc::from(path), text);
    let mut settings = Settings { patterns: Arc::clone(&reader.patterns), ..Settings::default() };
    let (root, errors) = DeTable::parse_recoverable(text);
    let root = root.get_ref();
    let tool = root.get("tool").and_then(|tool| tool.get_ref().as_table()).and_then(|tool| tool.get("cfg"));
    if is_shared && tool.is_none() {
        return None;
    }
    let size = size_of(if is_shared { tool.and_then(|tool| tool.get_ref().as_table()) } else { Some(root) });
    if !errors.is_empty()
        && let Some(mark) = cfg_syntax::conflict(text)
    {
        let found = cfg_syntax::unresolved_conflict(Location::new(FileId(0), mark));
        let help = format!("{}; until then none of its settings are used", found.help.as_deref().unwrap_or_default());
        reader.diagnostics.push(found.help(help));
        settings = Settings::of_broken(text, path);
    } else if let Some(error) = errors.first() {
        not_toml(&mut reader, text, error);
        settings = Settings::of_broken(text, path);
    } else if size > MAX_VALUES {
        let message = format!("the settings have more than {MAX_VALUES} keys and items: none of them are used");
        reader.report(0..0, "", message, Some("write patterns and prefixes of codes that apply to more".to_owned()));
        settings = Settings::of_broken(text, path);
    } else if !is_shared {
        top(&mut reader, root, "", &mut settings);
    } else if let Some(value) = tool
        && let Some(table) = reader.table(Entry { key: "tool.cfg", value })
    {
        top(&mut reader, table, "tool.cfg", &mut settings);
    }
    settings.size = size;
    let own: Vec<Gpu> = settings.gpus.iter().map(|gpu| gpu.value.clone()).chain(outer.iter().cloned()).collect();
    known_prices(&mut reader, &settings.prices, &own);
    if let Some(gpu) = &settings.gpu {
        known(&mut reader, gpu, &own);
    }
    let mut diagnostics = reader.diagnostics;
    if let Some(required) = settings.required_version.as_ref().filter(|required| !required.value.holds()) {
        // The other errors are those of another version.
        diagnostics.retain(|found| found.location.is_some_and(|location| location.span == required.place.span));
    }
    diagnostics.order_by_key(|diagnostic| diagnostic.location.map(|location| location.span));
    Some((settings, diagnostics))
}

/// The maximum number of keys and items in the settings of a file: they are written by hand, and those of outer folders are copied to inner ones.
const MAX_VALUES: usize = 5_000;

/// The number of keys and items in a table.
fn size_of(table: Option<&DeTable<'_>>) -> usize {
    let mut size = 0;
    let mut below: Vec<&DeValue<'_>> = table.into_iter().flat_map(DeTable::values).map(Spanned::get_ref).collect();
    while let Some(value) = below.pop() {
        size += 1;
        match value {
            DeValue::Array(items) => below.extend(items.iter().map(Spanned::get_ref)),
            DeValue::Table(table) => below.extend(table.values().map(Spanned::get_ref)),
            _ => {}
        }
    }
    size
}

fn top<'t>(reader: &mut Reader<'t>, table: &DeTable<'t>, prefix: &str, settings: &mut Settings) {
    // A file that has none of the settings is probably for another program, so one finding is enough.
    let first = table.keys().min_by_key(|key| key.span().start);
    let known = names_in("");
    let is_foreign = table.len() > 2 && !table.keys().any(|key| known.contains(&key.get_ref().as_ref()));
    if let Some(first) = first.filter(|_| is_foreign) {
        let message = "the file has no settings".to_owned();
        return reader.report(
            first.span(),
            "",
            message,
            Some(format!("{}; a config needs another name", suggestion("", &known))),
        );
    }
    for (key, value) in table {
        let name = joined(prefix, key.get_ref());
        let entry = Entry { key: &name, value };
        match key.get_ref().as_ref() {
            "target" => settings.target = Some(target(reader, entry)),
            // The key is `hardware` in configs and `gpu` in settings, so each is accepted here.
            "gpu" | "hardware" => {
                settings.gpu = reader.parsed(entry, |text| {
                    text.parse().map_err(|error: HardwareError| (format!("`{text}` is not a GPU"), error.to_string()))
                });
            }
            "gpus" => settings.gpus = gpus(reader, entry),
            "prices" => settings.prices = prices(reader, entry),
            "disk" => settings.disk = amount(reader, entry),
            "required-version" => settings.required_version = required(reader, entry),
            "exclude" => settings.exclude = paths(reader, entry),
            "extend-include" => settings.extend_include = paths(reader, entry),
            "baseline" => settings.baseline = baseline(reader, entry),
            "lint" => lint(reader, entry, &mut settings.lint),
            "group" => settings.groups = groups(reader, entry),
            "dialect" => settings.dialects = dialects(reader, entry),
            "extend" => {
                if let Some(table) = reader.table(entry) {
                    extend(reader, table, &name, "", &mut settings.extend);
                }
            }
            "environments" => environments(reader, entry, &mut settings.environments),
            "watch" => settings.watch = watch(reader, entry),
            "preflight" => {
                if let Some(table) = reader.table(entry) {
                    preflight(reader, table, &name, &mut settings.preflight);
                }
            }
            _ => reader.unknown(key, prefix, &known),
        }
    }
}

/// The path of a baseline.
fn baseline<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Option<Sourced<PathBuf>> {
    let folder = reader.folder().to_owned();
    reader.parsed(entry, |text| {
        let is_path = !text.trim().is_empty() && !text.contains('\0');
        let why = || ("`baseline` is not a path".to_owned(), "write the path of a file, relative to this one".to_owned());
        if is_path { Ok(without_dots(&folder.join(text))) } else { Err(why()) }
    })
}

/// The target; the inner value is `None` if the text is not a valid target.
fn target<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Sourced<Option<Target>> {
    let history = History::built_in();
    let (system, folder) = (reader.system, reader.folder().to_owned());
    let parsed = reader.parsed(entry, |text| {
        if let Some(local) = local_target(system, text, &folder, NamedBy::Text) {
            return local;
        }
        Target::parse(history, text).map_err(|error| {
            let releases: Vec<&str> = history.releases().map(Tag::name).collect();
            let near = nearest(text.trim().trim_start_matches('v'), releases);
            (error.to_string(), near.map(|name| format!("did you mean `{name}`?")).unwrap_or_default())
        })
    });
    let Some(target) = parsed else { return reader.sourced(None, entry.value.span()) };
    if let Some(beyond) = target.value.beyond() {
        let diagnostic = Diagnostic::new(&codes::TARGET_BEYOND_HISTORY, beyond.to_string()).key(entry.key);
        reader.diagnostics.push(diagnostic.at(Location::new(FileId(0), target.place.span)).help(BeyondHistory::HELP));
    }
    Sourced::new(Some(target.value), target.place)
}

/// Reports only the first syntax error, because it often causes the others.
fn not_toml(reader: &mut Reader<'_>, text: &str, error: &toml::de::Error) {
    let span = error.span().unwrap_or_default();
    let line_start = cfg_diag::line_start(text, span.start);
    let line = text[line_start..].lines().next().unwrap_or_default();
    let unquoted = line.split_once('=').map(|(key, value)| (key.trim(), value.trim())).filter(|(_, value)| {
        let word = |character: char| character.is_ascii_alphanumeric() || " .-+_".contains(character);
        !value.is_empty() && value.chars().all(word)
    });
    let help = match unquoted {
        Some((key, value)) => format!("put the value in quotes: `{key} = \"{value}\"`"),
        None => "until this is fixed none of its settings are used".to_owned(),
    };
    reader.report(span, "", format!("the file is not TOML: {}", error.message()), Some(help));
}
