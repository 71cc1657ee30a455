//! The labels that the versions of the other side get.

use cfg_diag::Order as _;
use std::collections::HashMap;

use super::{Name, name_in, renames::Renames};
use crate::{
    Registry, Version,
    fingerprint::Level,
    registry::{Config, Entry},
};

/// The names of versions in the merged registry.
pub(super) struct Names {
    /// Those of the versions of the common ancestor.
    pub(super) of_base: HashMap<Name, Name>,
    /// Those of the versions of the other side.
    pub(super) of_theirs: HashMap<Name, Name>,
    /// What to say about new names, if the merged registry has them.
    pub(super) told: Vec<(Name, String)>,
}

/// The names in the merged registry of the versions of the common ancestor, and of those of the other side.
pub(super) fn names(base: &Registry, ours: &Registry, theirs: &Registry, paths: &Renames) -> Names {
    let mut told = Vec::new();
    let mut of_theirs = HashMap::new();
    for config in &theirs.configs {
        let old = &*config.path.value;
        let new = paths.of_theirs(old);
        let of_base = base.config(paths.in_base(old)).or_else(|| base.config(old));
        let labels = match ours.config(paths.in_ours(&new)) {
            Some(of_ours) => labels(of_base, of_ours, config),
            None => HashMap::new(),
        };
        for entry in &config.versions {
            let label = &*entry.label.value;
            let given = labels.get(label).map_or(label, String::as_str);
            let in_ours = |label: &str| ours.config(paths.in_ours(&new)).is_some_and(|config| config.entry(label).is_some());
            if given != label && !in_ours(given) {
                let why = if in_ours(label) {
                    format!("our side has another {label}")
                } else {
                    "the versions before it are numbered on".to_owned()
                };
                let why = format!("{label} of {new} on the other side becomes {given}, because {why}");
                told.push(((new.clone(), given.to_owned()), why));
            }
            of_theirs.insert((old.to_owned(), label.to_owned()), (new.clone(), given.to_owned()));
        }
    }
    let mut of_base = HashMap::new();
    for place in base.places() {
        let (path, label) = name_in(base, place);
        let there = if theirs.config(&path).is_some() { path.clone() } else { paths.of_base(&path) };
        let entry = base.entry(place);
        let in_theirs = theirs.config(&there).and_then(|config| with_text_of(config, entry));
        let in_theirs = in_theirs.and_then(|same| of_theirs.get(&(there, same.to_owned())).cloned());
        let in_ours = || {
            let new = paths.of_base(&path);
            let same = ours.config(paths.in_ours(&new)).and_then(|config| with_text_of(config, entry))?;
            Some((new, same.to_owned()))
        };
        let name = in_theirs.or_else(in_ours).unwrap_or_else(|| (paths.of_base(&path), label.clone()));
        of_base.insert((path, label), name);
    }
    Names { of_base, of_theirs, told }
}

/// The label of the version that is the same as another one.
fn with_text_of<'c>(config: &'c Config, entry: &Entry) -> Option<&'c str> {
    let of_label = config.entry(&entry.label.value).filter(|own| alike(own, entry));
    let by_text = || config.versions.iter().find(|own| own.sha256.is_some() && entry.sha256.is_some() && alike(own, entry));
    of_label.or_else(by_text).map(|own| &*own.label.value)
}

/// Whether two entries are of the same version: they have the same text or, if one has none, were made on the same day for the same reason.
fn alike(one: &Entry, other: &Entry) -> bool {
    match (&one.sha256, &other.sha256) {
        (Some(a), Some(b)) => {
            a.value == b.value
                || one.also.iter().any(|also| also.value == b.value)
                || other.also.iter().any(|also| also.value == a.value)
        }
        _ => {
            let said = |entry: &Entry| {
                let value = |text: &Option<crate::registry::Text>| text.as_ref().map(|text| text.value.clone());
                (value(&entry.created), value(&entry.notes))
            };
            said(one) == said(other)
        }
    }
}

/// The labels of the other side's versions of a config, if they are others than its own.
fn labels(base: Option<&Config>, ours: &Config, theirs: &Config) -> HashMap<String, String> {
    let mut labels = HashMap::new();
    let mut by_text: HashMap<&str, Vec<&str>> = HashMap::new();
    for entry in &ours.versions {
        for text in entry.sha256.iter().chain(&entry.also) {
            by_text.entry(&text.value).or_default().push(&entry.label.value);
        }
    }
    // What our side has removed gets a name last: only a run can still need it.
    let is_removed =
        |entry: &Entry| base.is_some_and(|base| with_text_of(base, entry).is_some()) && with_text_of(ours, entry).is_none();
    let mut sorted: Vec<(bool, &Entry)> = theirs.versions.iter().map(|entry| (is_removed(entry), entry)).collect();
    sorted.order_by(|(is_removed, one), (is_other_removed, other)| {
        is_removed.cmp(is_other_removed).then_with(|| one.version.cmp(&other.version))
    });
    let highest = [Some(ours), base].into_iter().flatten().filter_map(Config::highest).max();
    let mut last = highest.cloned();
    let mut is_numbering_on = false;
    for (_, entry) in sorted {
        let label = &*entry.label.value;
        let same = ours.entry(label);
        if same.is_some_and(|same| alike(same, entry)) {
            continue;
        }
        let texts = entry.sha256.iter().filter_map(|text| by_text.get(&*text.value)).flatten();
        let is_its_own =
            |known: &&&str| theirs.entry(known).is_none_or(|own| ours.entry(known).is_none_or(|ours| !alike(own, ours)));
        if let Some(known) = texts.into_iter().find(is_its_own) {
            labels.insert(label.to_owned(), (*known).to_owned());
            continue;
        }
        // A version without a text may get one, or other notes; one with a text never gets another.
        let of_base = base.and_then(|base| base.entry(label)).filter(|of_base| of_base.sha256.is_none());
        let is_edited = of_base.is_some_and(|of_base| alike(of_base, entry) || same.is_some_and(|same| alike(of_base, same)));
        if is_edited || same.is_none() && !is_numbering_on {
            last = last.max(entry.version.clone());
            continue;
        }
        let (Some(version), Some(before)) = (&entry.version, &last) else { continue };
        let next = before.next(level(theirs, version));
        labels.insert(label.to_owned(), next.to_string());
        last = Some(next);
        is_numbering_on = true;
    }
    labels
}

/// The level of the step to a version, by its number and that of the one before it.
fn level(config: &Config, version: &Version) -> Level {
    let before = config.predecessor(version).and_then(|index| config.versions[index].version.as_ref());
    match (before, version) {
        (Some(Version::Semantic { version: before, .. }), Version::Semantic { version, .. }) => {
            if before.major != version.major {
                Level::Major
            } else if before.minor != version.minor {
                Level::Minor
            } else {
                Level::Patch
            }
        }
        _ => Level::Major,
    }
}
