//! Checks the training runs of a registry against its versions.

use std::collections::HashMap;

use cfg_diag::{Diagnostic, Severity, codes};

use super::{Object, config::loss_of, fingerprints};
use crate::{
    fingerprint::{Digest, Fingerprint},
    registry::{Registry, RunEntry, Text, VersionPlace},
};

/// Reports runs without a version, and runs whose text is not that of their version. The latter occurs after a merge of two branches, each of which
/// created and ran a version with the same name. `object` looks up the stored text for a sha256, and `computed` is the meaning of one as a version.
pub fn runs(
    registry: &Registry,
    object: &dyn Fn(&Digest) -> Object,
    computed: &dyn Fn(VersionPlace, &Digest) -> Option<Fingerprint>,
) -> Vec<Diagnostic> {
    if registry.runs.is_empty() {
        return Vec::new();
    }
    let versions = Versions::of(registry, computed);
    let of_run = |run: &RunEntry| {
        let of_version = run.sha256.as_ref().and_then(|ran| Some((ran, versions.by_text.get(&*ran.value)?)));
        let wrong = of_version.and_then(|(ran, place)| {
            fingerprints::of_run(&run.id.value, run.fingerprint, registry.entry(*place).fingerprint, ran)
        });
        version(&versions, run).into_iter().chain(lost(&versions, run, object)).chain(wrong).collect::<Vec<_>>()
    };
    registry.runs.iter().flat_map(of_run).collect()
}

/// A registry, with its versions by the hashes of their texts.
struct Versions<'r> {
    registry: &'r Registry,
    by_text: HashMap<&'r str, VersionPlace>,
    computed: &'r dyn Fn(VersionPlace, &Digest) -> Option<Fingerprint>,
}

impl<'r> Versions<'r> {
    fn of(registry: &'r Registry, computed: &'r dyn Fn(VersionPlace, &Digest) -> Option<Fingerprint>) -> Self {
        let texts = registry.places().flat_map(|place| {
            let entry = registry.entry(place);
            entry.sha256.iter().chain(&entry.also).map(move |text| (&*text.value, place))
        });
        Self { registry, by_text: texts.collect(), computed }
    }

    /// Whether two stored texts mean the same as a version.
    fn mean_the_same(&self, place: VersionPlace, one: &Text, other: &Text) -> bool {
        let means = |text: &Text| (self.computed)(place, &text.value.parse().ok()?);
        means(one).is_some_and(|one| means(other) == Some(one))
    }
}

/// Reports an error in the version that a run names.
fn version(versions: &Versions<'_>, run: &RunEntry) -> Option<Diagnostic> {
    let registry = versions.registry;
    let named = run.config.as_ref()?;
    let place = match registry.resolve(&named.value, None) {
        Ok(place) => place,
        Err(unresolved) => {
            let message = format!("run `{}` refers to `{}`: {}", run.id.value, named.value, unresolved.message(registry));
            let help = "write the version that ran as `path:version`, with a registered path";
            return Some(Diagnostic::new(&codes::RUN_MISMATCH, message).at(named.location()).help(help));
        }
    };
    let entry = registry.entry(place);
    let (ran, registered) = (run.sha256.as_ref()?, entry.sha256.as_ref()?);
    let is_known = std::iter::once(registered).chain(&entry.also).any(|known| known.value == ran.value);
    (!is_known).then(|| other_text(versions, run, named, place, ran, registered))
}

/// Reports a run whose text is not that of its version.
fn other_text(
    versions: &Versions<'_>,
    run: &RunEntry,
    named: &Text,
    place: VersionPlace,
    ran: &Text,
    registered: &Text,
) -> Diagnostic {
    let recorded = run.fingerprint.zip(versions.registry.entry(place).fingerprint);
    let trains_the_same =
        recorded.is_some_and(|(ran, registered)| ran == registered) || versions.mean_the_same(place, ran, registered);
    let but = if trains_the_same { ", although it trains the same" } else { "" };
    let message = format!("run `{}` did not use the text of `{}`{but}", run.id.value, named.value);
    let help = match versions.by_text.get(&*ran.value) {
        Some(place) => format!("it used `{}`: write that", versions.registry.name(*place)),
        None => format!(
            "a merge kept a different text for this version: the text that ran is `.cfg/objects/{}`; register it as a new \
             version with `cfg bump`, and write that here",
            ran.value
        ),
    };
    let mut diagnostic = Diagnostic::new(&codes::RUN_MISMATCH, message)
        .at(ran.location())
        .related(registered.location(), "the version has this text")
        .help(help);
    if trains_the_same {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic
}

/// Reports a text that ran, but that is neither the text of a version nor stored.
fn lost(versions: &Versions<'_>, run: &RunEntry, object: &dyn Fn(&Digest) -> Object) -> Option<Diagnostic> {
    let sha256 = run.sha256.as_ref()?;
    let (what, help) = loss_of(object(&sha256.value.parse().ok()?))?;
    let is_of_version = versions.by_text.contains_key(&*sha256.value);
    let message = format!("the text used by run `{}` {what}", run.id.value);
    let help = help.unwrap_or("restore `.cfg/objects` from version control or a backup");
    (!is_of_version).then(|| Diagnostic::new(&codes::LOST_OBJECT, message).at(sha256.location()).help(help))
}
