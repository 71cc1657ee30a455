//! `cfg registry list`: the configs of a registry.

use std::{
    collections::HashMap,
    io::{self, Write as _},
    path::Path,
};

use cfg_registry::registry::Text;
use cfg_report::listed::RegisteredConfig;

use super::open::open_sound;
use crate::{CommandResult, Outcome, commands::Listing, context::Context};

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
    let entries: Vec<RegisteredConfig> = registry
        .configs
        .iter()
        .enumerate()
        .map(|(index, config)| RegisteredConfig {
            path: config.path.value.to_string(),
            model: text(&config.model),
            hardware: text(&config.hardware),
            current_version: text(&config.current),
            removed: config.is_removed,
            versions: config.versions.iter().map(|entry| entry.label.value.to_string()).collect(),
            active: names.remove(&index).unwrap_or_default().into_iter().map(str::to_owned).collect(),
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

fn row(entry: &RegisteredConfig) -> [String; 5] {
    let line = |text: Option<&str>| cfg_diag::one_line(text.unwrap_or("-")).into_owned();
    let current = if entry.removed { Some("removed") } else { entry.current_version.as_deref() };
    let active = if entry.active.is_empty() { String::new() } else { format!("in use as {}", entry.active.join(", ")) };
    [line(Some(&entry.path)), line(current), line(entry.model.as_deref()), line(entry.hardware.as_deref()), line(Some(&active))]
}
