//! Determines the version of each revision of a config.

use super::{Labelled, Revision, stated};
use crate::{
    Version,
    fingerprint::{Digest, Level},
    registry::Config,
};
use cfg_diag::Order as _;

/// The versions of a config, the lowest first, each with its revisions.
pub(super) fn labels(config: Option<&Config>, revisions: &[Revision]) -> Vec<Labelled> {
    let recorded = |revision: &Revision| {
        let sha256 = Digest::of(&revision.bytes).to_string();
        let is_it = |entry: &&crate::registry::Entry| entry.sha256.as_ref().is_some_and(|known| *known.value == *sha256);
        config?.versions.iter().find(is_it).and_then(|entry| entry.version.clone())
    };
    let has_stated = revisions.iter().any(|revision| stated(revision).is_some());
    let mut out: Vec<(Version, Vec<usize>)> = Vec::new();
    let versions = if has_stated { by_header(revisions) } else { by_history(config, revisions) };
    for (index, version) in versions.into_iter().enumerate() {
        // A version in the registry takes precedence over the one in the header.
        let version = recorded(&revisions[index]).unwrap_or(version);
        match out.iter_mut().find(|(known, _)| *known == version) {
            Some((_, of)) => {
                let bytes = &revisions[index].bytes;
                of.retain(|&known| revisions[known].bytes != *bytes);
                of.push(index);
            }
            None => out.push((version, vec![index])),
        }
    }
    out.order_by(|(one, _), (other, _)| one.cmp(other));
    out.into_iter().map(|(version, revisions)| Labelled { label: spelled(config, &version), revisions }).collect()
}

/// A version, as the registry writes it.
fn spelled(config: Option<&Config>, version: &Version) -> String {
    let known = config.and_then(|config| config.versions.iter().find(|entry| entry.version.as_ref() == Some(version)));
    known.map_or_else(|| version.to_string(), |entry| entry.label.value.to_string())
}

/// The version of each revision, if headers state versions: a revision without one has the version that was stated last; the versions of revisions
/// before the first stated one count down from it.
fn by_header(revisions: &[Revision]) -> Vec<Version> {
    let first = revisions.iter().position(|revision| stated(revision).is_some()).unwrap_or_default();
    let first_version = revisions.get(first).and_then(stated).unwrap_or(Version::FIRST);
    let mut versions = Vec::with_capacity(revisions.len());
    for index in 0..first {
        let back = (first - index) as u64;
        versions.push(match first_version {
            Version::Counted(count) if count > back => Version::Counted(count - back),
            Version::Counted(count) if count > 1 => Version::FIRST,
            _ => first_version.clone(),
        });
    }
    let mut last = first_version;
    for revision in &revisions[first..] {
        last = stated(revision).unwrap_or(last);
        versions.push(last.clone());
    }
    versions
}

/// The version of each revision, if no header states one: a revision whose meaning differs from the previous one is a new version. Versions in the
/// registry are assigned to the first revisions, by their days.
fn by_history(config: Option<&Config>, revisions: &[Revision]) -> Vec<Version> {
    let mut known: Vec<(&Version, Option<&str>)> = config
        .into_iter()
        .flat_map(|config| &config.versions)
        .filter_map(|entry| Some((entry.version.as_ref()?, entry.created.as_ref().map(|created| &*created.value))))
        .collect();
    known.order_by_key(|(version, _)| *version);
    let highest = known.last().map(|(version, _)| (*version).clone());
    let mut at = 0;
    let mut versions: Vec<Version> = Vec::with_capacity(revisions.len());
    for (index, revision) in revisions.iter().enumerate() {
        let means = |index: usize| revisions[index].fingerprint;
        let is_same = index > 0 && means(index).is_some() && means(index) == means(index - 1);
        // The days of versions in the registry show where each begins.
        while known.get(at + 1).is_some_and(|(_, day)| day.is_some_and(|day| day <= revision.day.as_str())) {
            at += 1;
        }
        let version = match (known.get(at), versions.last()) {
            (Some((version, day)), last) => {
                let is_later = at + 1 == known.len() && day.is_some_and(|day| day < revision.day.as_str());
                match last {
                    // After the last version in the registry, each change is a new version.
                    Some(last) if is_later && last >= *version => next(last, is_same),
                    _ => (*version).clone(),
                }
            }
            (None, Some(last)) => next(last, is_same),
            (None, None) => highest.clone().unwrap_or(Version::FIRST),
        };
        versions.push(version);
    }
    versions
}

fn next(last: &Version, is_same: bool) -> Version {
    if is_same { last.clone() } else { last.next(Level::Major) }
}
