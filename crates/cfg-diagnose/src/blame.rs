//! Which lines of a config contributed to a finding in the logs.

use cfg_check::Checked;
use cfg_diag::{Diagnostic, LocPart, Location};
use cfg_plan::{Plan, Row};

use crate::Finding;

/// At most this many places are named.
const MAX_PLACES: usize = 4;

/// A place in a config that contributed to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImplicatedKey {
    /// The place.
    pub location: Location,
    /// The key there, as the config spells it.
    pub key: Option<String>,
    /// What is wrong with it, or how it is involved.
    pub message: String,
    /// The code of the finding of `cfg check` at this place, if there is one.
    pub code: Option<&'static str>,
}

/// The places of a checked config that contributed to a finding, the most likely first: related findings of `cfg check`, then the settings that the
/// symptom names. `plan` is `None` if the config is too broken to have one.
pub fn blame(finding: &Finding, checked: &Checked, plan: Option<&Plan>) -> Vec<ImplicatedKey> {
    let mut places: Vec<ImplicatedKey> = Vec::new();
    let mut add = |place: ImplicatedKey| {
        let is_known = places.iter().any(|known| known.location == place.location);
        if !is_known && places.len() < MAX_PLACES {
            places.push(place);
        }
    };
    let symptom = finding.symptom;
    let folded = checked.diagnostics.iter().flat_map(|diagnostic| &diagnostic.folded);
    let all: Vec<&Diagnostic> = checked.diagnostics.iter().chain(folded).filter(|diagnostic| !diagnostic.is_echo).collect();
    for key in finding.sightings.iter().filter_map(|sighting| sighting.first.key.as_deref()) {
        all.iter()
            .filter(|diagnostic| is_about(diagnostic, key))
            .filter_map(|diagnostic| place_of(diagnostic))
            .for_each(&mut add);
    }
    for rule in &symptom.rules {
        let same = all.iter().filter(|diagnostic| std::ptr::eq(diagnostic.code, *rule));
        for diagnostic in same {
            let Some(place) = place_of(diagnostic) else { continue };
            add(place);
            for related in &diagnostic.related {
                add(ImplicatedKey {
                    location: related.location,
                    key: None,
                    message: related.message.clone(),
                    code: Some(rule.code),
                });
            }
        }
    }
    let Some(plan) = plan else { return places };
    let rows = plan.rows();
    for key in &symptom.keys {
        if let Some(place) = place_of_setting(&rows, key) {
            add(place);
        } else if let Some((field, argument)) = key.split_once(".args.") {
            let environment = plan.environments.first().filter(|_| field == "environments[0]");
            let found = environment.and_then(|environment| environment.arg(argument));
            if let Some(location) = found.and_then(cfg_plan::Arg::location) {
                add(ImplicatedKey {
                    location,
                    key: Some(argument.to_owned()),
                    message: "related to this".to_owned(),
                    code: None,
                });
            }
        }
    }
    places
}

/// Whether a finding is about the key in pydantic's message, which may be in prime-rl's location or in the finding's own.
fn is_about(diagnostic: &Diagnostic, key: &str) -> bool {
    let native = diagnostic.native.as_ref().map(|native| {
        let parts = native.loc.iter().map(|part| match part {
            LocPart::Key(key) => key.clone(),
            LocPart::Index(index) => index.to_string(),
        });
        parts.collect::<Vec<_>>().join(".")
    });
    native.as_deref() == Some(key) || diagnostic.key.as_deref() == Some(key)
}

fn place_of(diagnostic: &Diagnostic) -> Option<ImplicatedKey> {
    let location = diagnostic.location?;
    let (key, message) = (diagnostic.key.clone(), diagnostic.message.clone());
    Some(ImplicatedKey { location, key, message, code: Some(diagnostic.code.code) })
}

/// The place of a setting, if the user wrote it.
fn place_of_setting(rows: &[Row], field: &str) -> Option<ImplicatedKey> {
    let row = rows.iter().find(|row| row.field == field)?;
    let location = row.origin?.place()?;
    let key = row.shared.as_ref().or(row.key.as_ref())?.to_string();
    let message = match &row.value {
        Some(value) if value == "table" => format!("`{key}` is set"),
        Some(value) if value.len() <= 60 && !value.is_empty() => format!("`{key}` is {value}"),
        _ => format!("`{key}` is related to this"),
    };
    Some(ImplicatedKey { location, key: Some(key), message, code: None })
}
