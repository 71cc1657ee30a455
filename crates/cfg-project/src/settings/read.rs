//! From the text of a settings file to [`Settings`] and what is wrong with them.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use cfg_diag::Diagnostic;
use cfg_schema::{History, Target};
use globset::GlobBuilder;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    ExtraType, Group, Level, Lint, PerFileIgnore, Selector, SettingOfLevel, Settings,
    form::{Entry, Form as Reader, joined},
    nearest::suggestion,
};
use crate::Sourced;

/// How a file holds the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The whole file: `cfg.toml`.
    Whole,
    /// `[tool.cfg]` of a `pyproject.toml`.
    ToolTable,
}

impl Form {
    /// The form of a file of that name.
    pub(crate) fn of(path: &Path) -> Self {
        if path.file_name().is_some_and(|name| name == "pyproject.toml") { Self::ToolTable } else { Self::Whole }
    }
}

const TOP: [&str; 6] = ["target", "gpu", "lint", "group", "extend", "environments"];
const LINT: [&str; 4] = ["select", "ignore", "per-file-ignores", "severities"];
const GROUP: [&str; 3] = ["trainer", "orchestrator", "inference"];

/// Reads the text of the settings file at `path`, an absolute path: `[tool.cfg]` where it is a `pyproject.toml`, else the whole.
/// All locations are in file number 0.
///
/// A value that can't be used counts as not set. A text that is not TOML sets nothing.
pub fn read_settings(text: &str, path: &Path) -> (Settings, Vec<Diagnostic>) {
    let mut reader = Reader::new(Arc::from(path), text);
    let mut settings = Settings::default();
    let form = Form::of(path);
    if form == Form::ToolTable && !(text.contains("tool") && text.contains("cfg")) {
        return (settings, Vec::new());
    }
    let (root, errors) = DeTable::parse_recoverable(text);
    if let Some(error) = errors.first() {
        // Another tool's file is reported only where settings of this one can stand in it.
        if form == Form::Whole || text.contains("tool.cfg") {
            let message = format!("the file is not TOML: {}", error.message());
            let help = "none of its settings are used until this is mended";
            reader.report(error.span().unwrap_or_default(), "", message, Some(help.to_owned()));
        }
        return (settings, reader.diagnostics);
    }
    let root = root.get_ref();
    match form {
        Form::Whole => top(&mut reader, root, "", &mut settings),
        Form::ToolTable => {
            let tool = root.get("tool").and_then(|tool| tool.get_ref().as_table());
            if let Some(value) = tool.and_then(|tool| tool.get("cfg"))
                && let Some(table) = reader.table(Entry { key: "tool.cfg", value })
            {
                top(&mut reader, table, "tool.cfg", &mut settings);
            }
        }
    }
    let mut diagnostics = reader.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.location.map(|location| location.span));
    (settings, diagnostics)
}

fn top<'t>(reader: &mut Reader<'t>, table: &DeTable<'t>, prefix: &str, settings: &mut Settings) {
    // A file with none of the settings is likely something else under this name, so once is enough.
    let first = table.keys().min_by_key(|key| key.span().start);
    if let Some(first) = first.filter(|_| table.len() > 2 && !table.keys().any(|key| TOP.contains(&key.get_ref().as_ref()))) {
        let message = "the file has none of the settings".to_owned();
        let help = format!("{}; a config needs another name", suggestion("", &TOP));
        return reader.report(first.span(), "", message, Some(help));
    }
    for (key, value) in table {
        let name = joined(prefix, key.get_ref());
        let entry = Entry { key: &name, value };
        match key.get_ref().as_ref() {
            "target" => settings.target = target(reader, entry),
            "gpu" => {
                settings.gpu = parsed(reader, entry, |text| text.parse().map_err(|help: &str| (format!("`{text}` names no GPU"), help.to_owned())));
            }
            "lint" => lint(reader, entry, &mut settings.lint),
            "group" => settings.groups = groups(reader, entry),
            "extend" => {
                if let Some(table) = reader.table(entry) {
                    extend(reader, table, &name, "", &mut settings.extend);
                }
            }
            "environments" => environments(reader, entry, &mut settings.environments),
            _ => reader.unknown(key, prefix, &TOP),
        }
    }
}

/// A string that must read as something; `parse` gives message and help where it does not.
fn parsed<'t, T>(
    reader: &mut Reader<'t>,
    entry: Entry<'_, 't>,
    parse: impl FnOnce(&str) -> Result<T, (String, String)>,
) -> Option<Sourced<T>> {
    let text = reader.string(entry)?;
    match parse(text) {
        Ok(value) => Some(reader.sourced(value, entry.value.span())),
        Err((message, help)) => {
            reader.refuse(entry, message, Some(help).filter(|help| !help.is_empty()));
            None
        }
    }
}

fn target<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Option<Sourced<Target>> {
    let history = History::built_in();
    parsed(reader, entry, |text| {
        Target::parse(history, text).map_err(|error| {
            let releases: Vec<&str> = history.releases().map(cfg_schema::Tag::name).collect();
            let near = super::nearest::nearest(text.trim().trim_start_matches('v'), releases.iter().copied());
            (error.to_string(), near.map(|name| format!("did you mean `{name}`?")).unwrap_or_default())
        })
    })
}

fn lint<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>, lint: &mut Lint) {
    let Some(table) = reader.table(entry) else { return };
    for (key, value) in table {
        let name = joined(entry.key, key.get_ref());
        let entry = Entry { key: &name, value };
        match key.get_ref().as_ref() {
            "select" => lint.select = selectors(reader, entry),
            "ignore" => lint.ignore = selectors(reader, entry),
            "per-file-ignores" => per_file_ignores(reader, entry, &mut lint.per_file_ignores),
            "severities" => severities(reader, entry, &mut lint.severities),
            _ => reader.unknown(key, entry.key.rsplit_once('.').map_or("", |(table, _)| table), &LINT),
        }
    }
}

fn selectors<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Option<Vec<Sourced<Selector>>> {
    let items = reader.array(entry, "an array of codes or names")?;
    let read = |value| {
        parsed(reader, Entry { key: entry.key, value }, |text| {
            text.parse().map_err(|help| (format!("`{text}` is no code and no name of a finding"), help))
        })
    };
    Some(items.iter().filter_map(read).collect())
}

fn per_file_ignores<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>, ignores: &mut Vec<PerFileIgnore>) {
    let Some(table) = reader.table(entry) else { return };
    for (key, value) in table {
        let name = joined(entry.key, key.get_ref());
        let pattern = key.get_ref().trim_start_matches("./");
        match GlobBuilder::new(pattern).literal_separator(true).build() {
            Ok(glob) => {
                let selectors = selectors(reader, Entry { key: &name, value }).unwrap_or_default();
                let pattern = reader.sourced(pattern.to_owned(), key.span());
                ignores.push(PerFileIgnore { pattern, selectors, matcher: glob.compile_matcher() });
            }
            Err(error) => {
                let message = format!("`{}` is no pattern of files: {}", key.get_ref(), error.kind());
                reader.report(key.span(), &name, message, Some("write a path or a glob, such as `configs/**/*.toml`".to_owned()));
            }
        }
    }
}

fn severities<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>, severities: &mut Vec<SettingOfLevel>) {
    let Some(table) = reader.table(entry) else { return };
    for (key, value) in table {
        let name = joined(entry.key, key.get_ref());
        let level = parsed(reader, Entry { key: &name, value }, |text| {
            text.parse::<Level>().map_err(|()| (format!("`{text}` is no severity"), suggestion(text, &Level::NAMES)))
        });
        match key.get_ref().parse::<Selector>() {
            Ok(selector) => severities.extend(level.map(|level| SettingOfLevel { selector, level })),
            Err(help) => {
                let message = format!("`{}` is no code and no name of a finding", key.get_ref());
                reader.report(key.span(), &name, message, Some(help));
            }
        }
    }
}

fn groups<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Vec<Sourced<Group>> {
    let mut groups = Vec::new();
    for value in reader.array(entry, "an array of tables: `[[group]]`").into_iter().flatten() {
        let Some(table) = reader.table(Entry { key: entry.key, value }) else { continue };
        let mut group = Group::default();
        for (key, value) in table {
            let name = joined(entry.key, key.get_ref());
            let part = match key.get_ref().as_ref() {
                "trainer" => &mut group.trainer,
                "orchestrator" => &mut group.orchestrator,
                "inference" => &mut group.inference,
                _ => {
                    reader.unknown(key, entry.key, &GROUP);
                    continue;
                }
            };
            let folder = reader.folder().to_owned();
            let path = parsed(reader, Entry { key: &name, value }, |text| {
                let help = || (format!("`{name}` names no file"), "write the path of a config, from the folder of this file".to_owned());
                if text.trim().is_empty() || text.contains('\0') { Err(help()) } else { Ok(tidy(&folder.join(text))) }
            });
            *part = path.map(|path| path.value);
        }
        if group.files().count() >= 2 {
            groups.push(reader.sourced(group, value.span()));
        } else if !table.keys().any(|key| !GROUP.contains(&key.get_ref().as_ref())) && group.files().count() == table.len() {
            let help = "name at least two of `trainer`, `orchestrator` and `inference`";
            reader.refuse(Entry { key: entry.key, value }, "a group of fewer than two files".to_owned(), Some(help.to_owned()));
        }
    }
    groups
}

/// `path` without `.`; `..` stays, as links may stand before it.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

/// Keys of a fork: dotted in one string, or as tables.
fn extend<'t>(reader: &mut Reader<'t>, table: &DeTable<'t>, name: &str, path: &str, extras: &mut BTreeMap<String, Sourced<ExtraType>>) {
    for (key, value) in table {
        let name = joined(name, key.get_ref());
        let path = if path.is_empty() { key.get_ref().to_string() } else { format!("{path}.{}", key.get_ref()) };
        let is_path = |path: &str| path.split('.').all(|part| !part.is_empty() && !part.contains(|character: char| character.is_whitespace()));
        if !is_path(&path) {
            let message = format!("`{}` is no key path", key.get_ref());
            reader.report(key.span(), &name, message, Some("write keys joined by dots, such as \"trainer.my_key\"".to_owned()));
        } else if let DeValue::Table(inner) = value.get_ref() {
            extend(reader, inner, &name, &path, extras);
        } else if let Some(extra) = parsed(reader, Entry { key: &name, value }, read_type) {
            extras.insert(path, extra);
        }
    }
}

fn read_type(text: &str) -> Result<ExtraType, (String, String)> {
    text.parse().map_err(|word: Option<String>| match word {
        Some(word) => (format!("`{word}` is no type"), suggestion(&word, &ExtraType::NAMES)),
        None => (format!("`{text}` is no type"), "write for example `int`, `str?`, `list[float]` or `literal(\"a\", \"b\")`".to_owned()),
    })
}

fn environments<'t>(
    reader: &mut Reader<'t>,
    entry: Entry<'_, 't>,
    environments: &mut BTreeMap<String, BTreeMap<String, Sourced<toml::Value>>>,
) {
    let Some(table) = reader.table(entry) else { return };
    for (key, value) in table {
        let name = joined(entry.key, key.get_ref());
        let Some(table) = reader.table(Entry { key: &name, value }) else { continue };
        let sourced = |(key, value): (&Spanned<std::borrow::Cow<'t, str>>, &Spanned<DeValue<'t>>)| {
            (key.get_ref().to_string(), reader.sourced(plain(value.get_ref()), value.span()))
        };
        let keys = table.iter().map(sourced).collect();
        environments.insert(key.get_ref().to_string(), keys);
    }
}

/// A value without the places of its parts.
fn plain(value: &DeValue<'_>) -> toml::Value {
    match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        // What no 64 bits hold stays as it is written.
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| toml::Value::String(number.to_string()), toml::Value::Integer),
        DeValue::Float(number) => number.as_str().parse().map_or_else(|_| toml::Value::String(number.to_string()), toml::Value::Float),
        DeValue::Boolean(truth) => toml::Value::Boolean(*truth),
        DeValue::Datetime(moment) => toml::Value::Datetime(*moment),
        DeValue::Array(items) => toml::Value::Array(items.iter().map(|item| plain(item.get_ref())).collect()),
        DeValue::Table(table) => {
            toml::Value::Table(table.iter().map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref()))).collect())
        }
    }
}
