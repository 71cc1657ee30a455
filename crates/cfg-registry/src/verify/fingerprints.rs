//! Compares the fingerprints in a registry with those of the stored texts.

use cfg_diag::{Diagnostic, codes, in_a_row};

use crate::{
    fingerprint::{Class, Digest, Fingerprint, Recorded},
    registry::{Registry, Text, VersionPlace},
};

/// Reports fingerprints of a config's versions that are not those of their texts. `computed` is the meaning of a stored text as that version. A
/// fingerprint of another scheme can't be compared.
pub fn fingerprints(
    registry: &Registry,
    config: usize,
    computed: &dyn Fn(VersionPlace, &Digest) -> Option<Fingerprint>,
) -> Vec<Diagnostic> {
    let of = &registry.configs[config];
    let wrong = of.versions.iter().enumerate().filter_map(|(entry, of_entry)| {
        let recorded = of_entry.fingerprint.as_ref()?.current()?;
        let sha256 = of_entry.sha256.as_ref()?;
        let of_text = computed(VersionPlace { config, entry }, &sha256.value.parse().ok()?)?;
        let what = format!("{} of `{}`", of_entry.label.value, of.path.value);
        finding(&what, recorded, of_text, sha256)
    });
    wrong.collect()
}

/// The finding for a run that has another fingerprint than the version with the text that it used.
pub(super) fn of_run(id: &str, recorded: Option<Recorded>, version: Option<Recorded>, sha256: &Text) -> Option<Diagnostic> {
    finding(&format!("run `{id}`"), recorded?.current()?, version?.current()?, sha256)
}

fn finding(what: &str, recorded: Fingerprint, of_text: Fingerprint, sha256: &Text) -> Option<Diagnostic> {
    let classes: Vec<&str> = recorded.differing(&of_text).map(Class::name).collect();
    let classes = match classes.as_slice() {
        [] => return None,
        [only] => format!("{only} differs"),
        several => format!("{} differ", in_a_row(several)),
    };
    let message = format!("the fingerprint of {what} does not match its text: {classes}");
    let help = "commands use the text, so remove `fingerprint` here, or restore it from version control";
    Some(Diagnostic::new(&codes::WRONG_FINGERPRINT, message).at(sha256.location()).help(help))
}
