//! Maps what a source names to a point of the history.

use std::path::Path;

use cfg_schema::{History, Target, TargetError, Version};

use super::{
    Basis, DetectedTarget, Detection, TargetProblem, TargetSource, Unusable,
    past::{Past, short},
    requirement::{Pin, Range},
};
use crate::folder::Folder;

/// The target of a commit, with the name of the release that it is, if it is one. If the commit is not on the known main line (one of a fork, or newer than
/// this program), its `past` determines the target.
pub(super) fn of_commit(sha: &str, source: TargetSource, past: impl FnOnce() -> Past) -> Detection {
    if let Some(target) = release(sha).or_else(|| Target::parse(History::built_in(), sha).ok()) {
        return Ok(DetectedTarget::new(target, source, Basis::Named));
    }
    match past() {
        Past::Known(target, basis) => Ok(DetectedTarget::new(target, source, basis)),
        Past::Before => Err(TargetProblem { source, unusable: Unusable::TooOld(sha.to_owned()) }),
        Past::Unknown => Err(TargetProblem { source, unusable: Unusable::Commit(sha.to_owned()) }),
    }
}

/// The release whose commit this is.
pub(super) fn release(sha: &str) -> Option<Target> {
    History::built_in().releases().find(|release| release.sha() == sha).map(Target::from)
}

/// The target of a commit that is only known to be on the main line after the end of the history.
pub(super) fn of_newer_commit(sha: &str, source: TargetSource) -> DetectedTarget {
    let target = Target::newer_than(History::built_in(), short(sha));
    DetectedTarget::new(target, source, Basis::Named)
}

/// The target of a version: `0.4.0`, or `0.8.1.dev67+g0123abc`; the hash at the end is used if the version itself is unknown.
pub(super) fn of_version(version: &str, source: TargetSource) -> Detection {
    let history = History::built_in();
    let commit = version.split_once('+').and_then(|(_, local)| local.split('.').find_map(|part| part.strip_prefix('g')));
    let by_commit = || commit.and_then(|digits| Target::parse(history, digits).ok());
    let found = match Target::parse(history, version) {
        Ok(target) if target.is_beyond => Ok(by_commit().unwrap_or(target)),
        Ok(target) => Ok(target),
        // A package manager found this version, however far it is behind the last known one.
        Err(error) => by_commit().or_else(|| is_newer(version).then(|| Target::newer_than(history, version))).ok_or(error),
    };
    match found {
        Ok(target) => Ok(DetectedTarget::new(target, source, Basis::Named)),
        Err(error) => Err(TargetProblem { source, unusable: Unusable::Name(error) }),
    }
}

/// Whether a version is newer than all known ones.
fn is_newer(version: &str) -> bool {
    let newest = History::built_in().tags().next_back().and_then(|tag| Version::parse(tag.name()));
    Version::parse(version).zip(newest).is_some_and(|(version, newest)| version > newest)
}

/// The target of a range of versions: the newest release in it. If it contains no known release, it requires a newer one, or one that does not exist.
pub(super) fn of_range(range: &Range, source: TargetSource) -> Detection {
    let history = History::built_in();
    let is_allowed = |version: &str| Version::parse(version).is_some_and(|version| range.allows(&version));
    if let Some(release) = history.releases().rev().find(|release| is_allowed(release.name())) {
        return Ok(DetectedTarget::new(release.into(), source, Basis::Range));
    }
    let newest = history.tags().next_back().and_then(|tag| Version::parse(tag.name()));
    match newest {
        Some(newest) if range.reaches_beyond(&newest) => {
            let target = Target::newer_than(history, range.text());
            Ok(DetectedTarget::new(target, source, Basis::Range))
        }
        _ => Err(TargetProblem { source, unusable: Unusable::Range(range.text().to_owned()) }),
    }
}

/// The target of a git revision: a tag, a commit, or `main`. `None` for any other branch, which does not determine a version.
pub(super) fn of_revision(revision: &str, source: TargetSource) -> Option<Detection> {
    let name = revision.strip_prefix("refs/tags/").unwrap_or(revision);
    match release(name).map_or_else(|| Target::parse(History::built_in(), name), Ok) {
        Ok(target) => Some(Ok(DetectedTarget::new(target, source, Basis::Named))),
        Err(TargetError::Malformed(_)) => None,
        // A word that consists of the letters a to f is not a hash: hashes are not abbreviated this much.
        Err(TargetError::NoSuchCommit(word)) if word.len() < 7 => None,
        Err(TargetError::NoSuchCommit(sha)) => Some(Err(TargetProblem { source, unusable: Unusable::Commit(sha) })),
        Err(error) => Some(Err(TargetProblem { source, unusable: Unusable::Name(error) })),
    }
}

/// The target of a requirement; a path is relative to `base`. `None` if it does not state a version.
pub(super) fn of_pin(folder: &Folder, base: &Path, pin: &Pin<'_>, source: TargetSource) -> Option<Detection> {
    match pin {
        Pin::Version(version) => Some(of_version(version, source)),
        Pin::Range(range) => Some(of_range(range, source)),
        Pin::Revision(revision) => of_revision(revision, source),
        Pin::Path(path) => super::checkout::around(folder, &base.join(path)),
        Pin::OwnVersion(version) => Some(Err(TargetProblem { source, unusable: Unusable::OwnVersion((*version).to_owned()) })),
    }
}

/// Whether a name is that of prime-rl's distribution, by PEP 503: case and the separator (`-`, `_` or `.`) do not matter.
pub(super) fn is_prime_rl(name: &str) -> bool {
    is_name(name.trim().as_bytes())
}

/// Whether a name is that of the distribution that has only prime-rl's config classes.
pub(super) fn is_configs(name: &str) -> bool {
    let Some((first, last)) = name.trim().rsplit_once(['-', '_', '.']) else { return false };
    is_prime_rl(first) && last.eq_ignore_ascii_case("configs")
}

/// Whether the last part of a URL or path is prime-rl.
pub(super) fn names_prime_rl(place: &str) -> bool {
    let place = place.trim_end_matches('/');
    let last = place.rsplit(['/', ':', '\\']).next().unwrap_or(place);
    is_prime_rl(last.strip_suffix(".git").unwrap_or(last))
}

/// Whether a URL is that of the repository whose main line is known.
pub(super) fn is_upstream(url: &str) -> bool {
    let url = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/').to_ascii_lowercase();
    let url = url.strip_suffix(".git").unwrap_or(&url);
    url.strip_suffix("primeintellect-ai/prime-rl").is_some_and(|host| host.ends_with(['/', ':']))
}

/// Whether a text contains a name of prime-rl; much faster than parsing it.
pub(crate) fn mentions_prime_rl(text: &str) -> bool {
    text.as_bytes().windows(8).any(is_name)
}

fn is_name(name: &[u8]) -> bool {
    let [first @ .., joint, r, l] = name else { return false };
    matches!(joint, b'-' | b'_' | b'.') && first.eq_ignore_ascii_case(b"prime") && [*r, *l].eq_ignore_ascii_case(b"rl")
}

#[cfg(test)]
mod tests {
    use super::{is_configs, is_prime_rl, is_upstream, mentions_prime_rl, names_prime_rl};

    #[test]
    fn the_name_is_known_in_every_spelling_and_no_other() {
        for name in ["prime-rl", "prime_rl", "Prime-RL", "prime.rl", " prime-rl "] {
            assert!(is_prime_rl(name), "{name}");
        }
        for name in ["prime-rl-configs", "primerl", "prime rl", "prime-r", "primé-rl", ""] {
            assert!(!is_prime_rl(name), "{name}");
        }
        for name in ["prime-rl-configs", "Prime_RL.Configs"] {
            assert!(is_configs(name) && !is_configs(&name[1..]), "{name}");
        }
        assert!(mentions_prime_rl("dependencies = [\"Prime_RL[flash]\"]"));
        assert!(!mentions_prime_rl("prime, rl"));
    }

    #[test]
    fn prime_rl_is_known_by_url_and_path() {
        for place in
            ["https://github.com/PrimeIntellect-ai/prime-rl.git", "git@github.com:me/prime-rl", "../prime_rl/", "prime-rl"]
        {
            assert!(names_prime_rl(place), "{place}");
        }
        for place in ["https://github.com/prime-rl/verifiers", "prime-rl-configs", ""] {
            assert!(!names_prime_rl(place), "{place}");
        }
        for url in ["https://github.com/PrimeIntellect-ai/prime-rl.git?rev=x#y", "git@github.com:primeintellect-ai/prime-rl"] {
            assert!(is_upstream(url) && !is_upstream(&url.replace("ntellect", "")), "{url}");
        }
    }
}
