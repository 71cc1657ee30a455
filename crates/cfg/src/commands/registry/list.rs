//! `cfg registry list`: the configs of a registry.

use std::{
    collections::HashMap,
    io::{self, Write as _},
    path::Path,
};

use cfg_registry::registry::Text;
use serde::Serialize;

use super::open::open_sound;
use crate::{CommandResult, Outcome, commands::Listing, context::Context};

/// A config, as JSON.
#[derive(Serialize)]
struct ListedConfig<'a> {
    path: &'a str,
    model: Option<&'a str>,
    hardware: Option<&'a str>,
    current_version: Option<&'a str>,
    removed: bool,
    versions: Vec<&'a str>,
    /// The active names of its versions.
    active: Vec<&'a str>,
}

pub(super) fn run(cx: &Context, path: &Path) -> CommandResult {
    let listing = Listing::of(cx);
    let opened = open_sound(cx, path)?;
    let registry = &opened.registry;
    let mut names: HashMap<usize, Vec<&str>> = HashMap::new();
    for active in &registry.active {
        if let Ok(place) = registry.resolve(&active.reference.value, None) {
            names.entry(place.config).or_default().push(&active.name.value);
        }
    }
    let text = |text: &'_ Option<Text>| text.as_ref().map(|text| text.value.to_string());
    let owned: Vec<_> =
        registry.configs.iter().map(|config| (text(&config.model), text(&config.hardware), text(&config.current))).collect();
    let entries: Vec<ListedConfig<'_>> = registry
        .configs
        .iter()
        .zip(&owned)
        .enumerate()
        .map(|(index, (config, (model, hardware, current)))| ListedConfig {
            path: &config.path.value,
            model: model.as_deref(),
            hardware: hardware.as_deref(),
            current_version: current.as_deref(),
            removed: config.is_removed,
            versions: config.versions.iter().map(|entry| &*entry.label.value).collect(),
            active: names.remove(&index).unwrap_or_default(),
        })
        .collect();
    let mut out = io::BufWriter::new(cx.out());
    if listing == Listing::Text {
        let rows: Vec<[String; 5]> = entries.iter().map(row).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let widths = [width(0), width(1), width(2), width(3)];
        for row in &rows {
            let [path, current, model, hardware, active] = row;
            let line = format!(
                "{path:<0$}  {current:<1$}  {model:<2$}  {hardware:<3$}  {active}",
                widths[0], widths[1], widths[2], widths[3]
            );
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    listing.write(&mut out, &entries)?;
    out.flush()?;
    Ok(Outcome::Clean)
}

fn row(entry: &ListedConfig<'_>) -> [String; 5] {
    let line = |text: Option<&str>| cfg_diag::one_line(text.unwrap_or("-")).into_owned();
    let current = if entry.removed { Some("removed") } else { entry.current_version };
    let active = if entry.active.is_empty() { String::new() } else { format!("in use as {}", entry.active.join(", ")) };
    [line(Some(entry.path)), line(current), line(entry.model), line(entry.hardware), line(Some(&active))]
}
