//! Reads `[gpus]` or `[[gpus]]`: cards that are missing in the built-in table.

use cfg_diag::Order as _;
use cfg_memory::{
    Bytes,
    catalogue::Gpu,
    hardware::{self, HardwareError, Named},
};
use toml::de::{DeTable, DeValue};

use super::{
    description::names_in,
    nearest::suggestion,
    reader::{Entry, Reader, joined},
};
use crate::Sourced;

/// The memory that a card can have, in GiB.
const SENSIBLE: std::ops::RangeInclusive<f64> = 1.0..=4096.0;

/// Reads cards by name (`[gpus."RTX 6000 Ada"]`, or `"RTX 6000 Ada" = "48 GiB"` below `[gpus]`), or as an array (`[[gpus]]`).
pub(super) fn gpus<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Vec<Sourced<Gpu>> {
    let mut gpus: Vec<Sourced<Gpu>> = Vec::new();
    match entry.value.get_ref() {
        DeValue::Array(items) => {
            for value in items {
                let item = Entry { key: entry.key, value };
                let Some(table) = reader.table(item) else { continue };
                let Some((name, value)) = table.get_key_value("name") else {
                    let help = "write for example `name = \"RTX 6000 Ada\"` and `memory = \"48 GiB\"`".to_owned();
                    reader.refuse(item, format!("an entry of `{}` has no name", entry.key), Some(help));
                    continue;
                };
                let named = Entry { key: &joined(entry.key, name.get_ref()), value };
                let Some(name) = reader.string(named) else { continue };
                add(reader, &mut gpus, (name, value.span()), entry.key, item, table);
            }
        }
        _ => {
            let help = "write `[gpus.\"RTX 6000 Ada\"]` with `memory = \"48 GiB\"` below it".to_owned();
            let Some(table) = entry.value.get_ref().as_table() else {
                reader.refuse(entry, format!("`{}` must have a table for each GPU", entry.key), Some(help));
                return gpus;
            };
            // In the order of the file, because the first of two entries is used.
            let mut entries: Vec<_> = table.iter().collect();
            entries.order_by_key(|(key, _)| key.span().start);
            for (key, value) in entries {
                let path = joined(entry.key, key.get_ref());
                let item = Entry { key: &path, value };
                if value.get_ref().is_str() {
                    let memory = memory(reader, item);
                    keep(reader, &mut gpus, key.get_ref(), key.span(), memory);
                } else if let Some(table) = reader.table(item) {
                    add(reader, &mut gpus, (key.get_ref(), key.span()), &path, item, table);
                }
            }
        }
    }
    gpus
}

/// Adds the card of a table.
fn add<'t>(
    reader: &mut Reader<'t>,
    gpus: &mut Vec<Sourced<Gpu>>,
    name: (&str, std::ops::Range<usize>),
    path: &str,
    item: Entry<'_, 't>,
    table: &DeTable<'t>,
) {
    let before = reader.diagnostics.len();
    let known = names_in("gpus.*");
    for (key, _) in table {
        if !known.contains(&key.get_ref().as_ref()) {
            reader.unknown(key, path, &known);
        }
    }
    let memory = match table.get_key_value("memory") {
        Some((key, value)) => memory(reader, Entry { key: &joined(path, key.get_ref()), value }),
        // A misspelt key has been reported.
        None if reader.diagnostics.len() > before => None,
        None => {
            let help = "write what the driver reports, such as `memory = \"48 GiB\"`".to_owned();
            reader.refuse(item, format!("the memory of `{}` is missing", name.0), Some(help));
            None
        }
    };
    keep(reader, gpus, name.0, name.1, memory);
}

/// Adds a card if its name is valid.
fn keep(
    reader: &mut Reader<'_>,
    gpus: &mut Vec<Sourced<Gpu>>,
    name: &str,
    span: std::ops::Range<usize>,
    memory: Option<Sourced<Bytes>>,
) {
    let named = hardware::parse_name(name);
    let is_name = matches!(&named, Ok(Named { is_counted: false, name: kind, .. }) if kind == name.trim());
    if !is_name {
        let help = "write only the kind, such as \"RTX 6000 Ada\"; set the number with `gpu`".to_owned();
        reader.report(span, "gpus", format!("`{name}` is not a GPU name"), Some(help));
        return;
    }
    if gpus.iter().any(|gpu| gpu.value.name.eq_ignore_ascii_case(name)) {
        reader.report(span, "gpus", format!("duplicate GPU `{name}`"), Some("the first one is used".to_owned()));
        return;
    }
    if let Some(memory) = memory {
        let source = memory.place.to_string();
        gpus.push(Sourced { value: Gpu::own(name.trim(), memory.value, source), place: memory.place });
    }
}

fn memory<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Option<Sourced<Bytes>> {
    let memory = amount(reader, entry)?;
    if SENSIBLE.contains(&memory.value.as_gib()) {
        return Some(memory);
    }
    reader.refuse(entry, "not a plausible amount of GPU memory".to_owned(), Some("write for example \"48 GiB\"".to_owned()));
    None
}

/// Reads an amount with its unit.
pub(super) fn amount<'t>(reader: &mut Reader<'t>, entry: Entry<'_, 't>) -> Option<Sourced<Bytes>> {
    reader.parsed(entry, |text| {
        text.parse().map_err(|error: cfg_memory::NoAmount| (format!("`{text}` is not an amount of memory"), error.to_string()))
    })
}

/// Warns about a `gpu` that is neither in the built-in table nor in `own`: its memory is unknown.
pub(super) fn known(reader: &mut Reader<'_>, gpu: &Sourced<Named>, own: &[Gpu]) {
    let Err(error) = hardware::find(&gpu.value.name, own) else { return };
    let name = &gpu.value.name;
    let declare = format!("set it with `[gpus.{name:?}]` and `memory = \"48 GiB\"` below it");
    let (message, help) = match &error {
        HardwareError::Unknown { similar, .. } => {
            let near: Vec<&str> = similar.iter().map(String::as_str).collect();
            let near = if near.is_empty() { String::new() } else { format!("{} otherwise ", suggestion(name, &near)) };
            (format!("unknown card `{name}`"), near + &declare)
        }
        other => (format!("unknown GPU `{name}`"), other.to_string()),
    };
    reader.warn(gpu.place.span.range(), "gpu", message, Some(help));
}
