//! Reads `[[group]]`, `[extend]` and `[environments]`.

use std::{borrow::Cow, collections::BTreeMap};

use cfg_system::without_dots;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    ExtraType, Group,
    description::names_in,
    nearest::suggestion,
    reader::{Entry, Reader, joined},
};
use crate::Sourced;

pub(super) fn groups<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Vec<Sourced<Group>> {
    let mut groups = Vec::new();
    for value in reader.array(entry, "an array of tables: `[[group]]`").into_iter().flatten() {
        let Some(table) = reader.table(Entry { key: entry.key, value }) else { continue };
        let (mut group, before) = (Group::default(), reader.diagnostics.len());
        for (key, value) in table {
            let name = joined(entry.key, key.get_ref());
            let part = match key.get_ref().as_ref() {
                "trainer" => &mut group.trainer,
                "orchestrator" => &mut group.orchestrator,
                "inference" => &mut group.inference,
                _ => {
                    reader.unknown(key, entry.key, &names_in("group"));
                    continue;
                }
            };
            let folder = reader.folder().to_owned();
            let path = reader.parsed(Entry { key: &name, value }, |text| {
                let help = || (format!("`{name}` is not a path"), "write the path of a config, relative to this file".to_owned());
                if text.trim().is_empty() || text.contains('\0') { Err(help()) } else { Ok(without_dots(&folder.join(text))) }
            });
            *part = path.map(|path| path.value);
        }
        if group.files().count() >= 2 {
            groups.push(reader.sourced(group, value.span()));
        } else if reader.diagnostics.len() == before {
            let help = "name at least two of `trainer`, `orchestrator` and `inference`";
            reader.refuse(Entry { key: entry.key, value }, "a group needs at least two files".to_owned(), Some(help.to_owned()));
        }
    }
    groups
}

/// Reads keys of a fork, written as dotted strings or as tables.
pub(super) fn extend<'t>(
    reader: &mut Reader<'t>,
    table: &DeTable<'t>,
    name: &str,
    path: &str,
    extras: &mut BTreeMap<String, Sourced<ExtraType>>,
) {
    for (key, value) in table {
        let name = joined(name, key.get_ref());
        let path = if path.is_empty() { key.get_ref().to_string() } else { format!("{path}.{}", key.get_ref()) };
        let is_path = |path: &str| {
            path.split('.').all(|part| !part.is_empty() && !part.contains(|character: char| character.is_whitespace()))
        };
        if !is_path(&path) {
            let message = format!("`{}` is not a key path", key.get_ref());
            reader.report(key.span(), &name, message, Some("write keys joined by dots, such as \"trainer.my_key\"".to_owned()));
        } else if let DeValue::Table(inner) = value.get_ref() {
            extend(reader, inner, &name, &path, extras);
        } else if let Some(extra) = reader.parsed(Entry { key: &name, value }, read_type) {
            extras.insert(path, extra);
        }
    }
}

fn read_type(text: &str) -> Result<ExtraType, (String, String)> {
    text.parse().map_err(|word: Option<String>| match word {
        Some(word) => (format!("`{word}` is not a type"), suggestion(&word, &ExtraType::NAMES)),
        None => (
            format!("`{text}` is not a type"),
            "write for example `int`, `str?`, `list[float]` or `literal(\"a\", \"b\")`".to_owned(),
        ),
    })
}

pub(super) fn environments<'t>(
    reader: &mut Reader<'t>,
    entry: Entry<'_, 't>,
    environments: &mut BTreeMap<String, BTreeMap<String, Sourced<toml::Value>>>,
) {
    let Some(table) = reader.table(entry) else { return };
    for (key, value) in table {
        let name = joined(entry.key, key.get_ref());
        let Some(table) = reader.table(Entry { key: &name, value }) else { continue };
        let sourced = |(key, value): (&Spanned<Cow<'t, str>>, &Spanned<DeValue<'t>>)| {
            (key.get_ref().to_string(), reader.sourced(plain(value.get_ref()), value.span()))
        };
        let keys = table.iter().map(sourced).collect();
        environments.insert(key.get_ref().to_string(), keys);
    }
}

/// A value without the locations of its parts.
fn plain(value: &DeValue<'_>) -> toml::Value {
    match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        // A number that does not fit into 64 bits is kept as a string.
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| toml::Value::String(number.to_string()), toml::Value::Integer),
        DeValue::Float(number) => {
            number.as_str().parse().map_or_else(|_| toml::Value::String(number.to_string()), toml::Value::Float)
        }
        DeValue::Boolean(truth) => toml::Value::Boolean(*truth),
        DeValue::Datetime(moment) => toml::Value::Datetime(*moment),
        DeValue::Array(items) => toml::Value::Array(items.iter().map(|item| plain(item.get_ref())).collect()),
        DeValue::Table(table) => {
            toml::Value::Table(table.iter().map(|(key, value)| (key.get_ref().to_string(), plain(value.get_ref()))).collect())
        }
    }
}
