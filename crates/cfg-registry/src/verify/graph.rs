//! Checks the lineage of a registry, and its active names.

use std::collections::HashSet;

use cfg_diag::{Diagnostic, codes, word};

use super::config::parent_help;
use crate::{
    lineage::{Lineage, Parent},
    registry::{Reference, Registry, Text, VersionPlace},
};

/// The results of comparing each config with its file.
#[derive(Clone, Debug, Default)]
pub struct Drift {
    /// Configs whose content differs from their current version.
    pub changed: HashSet<usize>,
    /// Configs whose file does not exist.
    pub missing: HashSet<usize>,
}

/// The errors in the lineage and in the active names.
pub fn graph(registry: &Registry, lineage: &Lineage, drift: &Drift) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut in_cycle: HashSet<VersionPlace> = HashSet::new();
    for cycle in lineage.cycles() {
        in_cycle.extend(&cycle);
        found.extend(circle(registry, &cycle));
    }
    for (place, parent) in lineage.iter() {
        let entry = registry.entry(place);
        let Some(written) = &entry.based_on else { continue };
        match parent {
            Parent::Unknown(unresolved) => {
                let message =
                    format!("`{}` is based on `{}`: {}", registry.name(place), written.value, unresolved.message(registry));
                let diagnostic = Diagnostic::new(&codes::UNKNOWN_PARENT, message).at(written.location());
                found.push(diagnostic.help(parent_help(unresolved)));
            }
            Parent::Stated(parent) if !in_cycle.contains(&place) => {
                found.extend(changed_parent(registry, place, *parent, written, drift));
            }
            _ => {}
        }
    }
    for active in &registry.active {
        found.extend(in_use(registry, &active.name, &active.reference, drift));
    }
    found
}

fn circle(registry: &Registry, cycle: &[VersionPlace]) -> Option<Diagnostic> {
    /// The maximum number of versions of a cycle in a message.
    const MAX_VERSIONS: usize = 8;
    let [first, rest @ ..] = cycle else { return None };
    let name = |place: &VersionPlace| format!("`{}`", registry.name(*place));
    let place_of = |place: &VersionPlace| {
        let entry = registry.entry(*place);
        entry.based_on.as_ref().unwrap_or(&entry.label).location()
    };
    let message = if rest.is_empty() {
        format!("{} is based on itself", name(first))
    } else {
        let mut names: Vec<String> = cycle.iter().take(MAX_VERSIONS).map(name).collect();
        if cycle.len() > MAX_VERSIONS {
            names.push(format!("{} more", cycle.len() - MAX_VERSIONS));
        }
        format!("lineage cycle: {} -> {}", names.join(" -> "), name(first))
    };
    let diagnostic = Diagnostic::new(&codes::LINEAGE_CYCLE, message).at(place_of(first));
    let diagnostic =
        rest.iter().take(MAX_VERSIONS).fold(diagnostic, |diagnostic, place| diagnostic.related(place_of(place), "based on"));
    Some(diagnostic.help("one of these parents is wrong: a version must be based on an earlier one"))
}

/// Reports that a parent has changed since the version was created from it.
fn changed_parent(
    registry: &Registry,
    child: VersionPlace,
    parent: VersionPlace,
    written: &Text,
    drift: &Drift,
) -> Option<Diagnostic> {
    let config = &registry.configs[parent.config];
    let entry = registry.entry(parent);
    let is_current = config.current.as_ref().is_some_and(|current| current.value == entry.label.value);
    if is_current && drift.changed.contains(&parent.config) && parent.config != child.config {
        let message = format!("`{}` is based on `{}`, whose file has changed since", registry.name(child), registry.name(parent));
        let help = format!(
            "`cfg bump {} -m \"why\"` registers the change as a new version, so that this parent stays as it was",
            word(&config.path.value)
        );
        return Some(Diagnostic::new(&codes::PARENT_CHANGED, message).at(written.location()).help(help));
    }
    let (made, parent_made) = (registry.entry(child).created.as_ref()?, entry.created.as_ref()?);
    let is_older = is_day(&made.value) && is_day(&parent_made.value) && made.value < parent_made.value;
    is_older.then(|| {
        let message = format!(
            "`{}` was created on {}, before its parent `{}` on {}",
            registry.name(child),
            made.value,
            registry.name(parent),
            parent_made.value
        );
        Diagnostic::new(&codes::PARENT_CHANGED, message)
            .at(written.location())
            .related(parent_made.location(), "the parent was created or changed on this day")
            .help("check both dates: either the parent is a different version, or it changed after this one was created from it")
    })
}

/// Whether a text is a day such as `2026-01-05`, so that days can be compared as texts.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() })
}

fn in_use(registry: &Registry, name: &Text, reference: &Text, drift: &Drift) -> Option<Diagnostic> {
    let about = |message: String| Diagnostic::new(&codes::UNKNOWN_ACTIVE_CONFIG, message).at(reference.location());
    let diagnostic = match registry.resolve(&reference.value, None) {
        Ok(place) => {
            let config = &registry.configs[place.config];
            if !drift.missing.contains(&place.config) && !config.is_removed {
                return None;
            }
            about(format!("`{}` is in use as `{}`, but the file does not exist", reference.value, name.value))
        }
        Err(unresolved) => about(format!("`{}` refers to `{}`: {}", name.value, reference.value, unresolved.message(registry))),
    };
    let help = match Reference::parse(&reference.value) {
        Reference { label: None, .. } => "add the version: `path:version`",
        _ => "write the version in use, or remove the name from `active_configs`",
    };
    Some(diagnostic.help(help))
}
