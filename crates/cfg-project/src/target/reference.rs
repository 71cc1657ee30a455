//! From what a source names to a point of the history.

use cfg_schema::{History, Target, TargetError};

use super::{DetectedTarget, Detection, TargetProblem, TargetSource, Unusable};

/// The target of a commit. Where it is not of the known main line (a fork, or newer than this program), `date` tells when it was made,
/// and what held on the main line then stands for it.
pub(super) fn of_commit(sha: &str, source: TargetSource, date: impl FnOnce() -> Option<String>) -> Detection {
    let history = History::built_in();
    if let Ok(target) = Target::parse(history, sha) {
        return Ok(DetectedTarget { target, source, dated_commit: None });
    }
    let unusable = match date().map(|date| Target::at_date(history, &date)) {
        Some(Ok(target)) => return Ok(DetectedTarget { target, source, dated_commit: Some(sha.to_owned()) }),
        Some(Err(_)) => Unusable::TooOld(sha.to_owned()),
        None => Unusable::Commit(sha.to_owned()),
    };
    Err(TargetProblem { source, unusable })
}

/// The target of a version: `0.4.0`, or `0.8.1.dev67+g0123abc`, whose end names a commit where the version itself is not known.
pub(super) fn of_version(version: &str, source: TargetSource) -> Detection {
    let history = History::built_in();
    let error = match Target::parse(history, version) {
        Ok(target) => return Ok(DetectedTarget { target, source, dated_commit: None }),
        Err(error) => error,
    };
    let commit = version.split_once('+').and_then(|(_, local)| local.split('.').find_map(|part| part.strip_prefix('g')));
    match commit.and_then(|digits| Target::parse(history, digits).ok()) {
        Some(target) => Ok(DetectedTarget { target, source, dated_commit: None }),
        None => Err(TargetProblem { source, unusable: Unusable::Name(error) }),
    }
}

/// The target of what git can check out: a tag, a commit, or `main`. Any other branch pins nothing.
pub(super) fn of_revision(revision: &str, source: TargetSource) -> Option<Detection> {
    let name = revision.strip_prefix("refs/tags/").unwrap_or(revision);
    match Target::parse(History::built_in(), name) {
        Ok(target) => Some(Ok(DetectedTarget { target, source, dated_commit: None })),
        Err(TargetError::Malformed(_)) => None,
        // A word of the letters a to f; hashes are not abbreviated so far.
        Err(TargetError::NoSuchCommit(word)) if word.len() < 7 => None,
        Err(TargetError::NoSuchCommit(sha)) => Some(Err(TargetProblem { source, unusable: Unusable::Commit(sha) })),
        Err(error) => Some(Err(TargetProblem { source, unusable: Unusable::Name(error) })),
    }
}

/// Whether a name is that of prime-rl's distribution, by PEP 503: case does not matter, nor which of `-`, `_` and `.` joins it.
pub(super) fn is_prime_rl(name: &str) -> bool {
    is_name(name.trim().as_bytes())
}

/// Whether a text may name prime-rl at all; far cheaper than parsing it.
pub(super) fn mentions_prime_rl(text: &str) -> bool {
    text.as_bytes().windows(8).any(is_name)
}

fn is_name(name: &[u8]) -> bool {
    let [first @ .., joint, r, l] = name else { return false };
    matches!(joint, b'-' | b'_' | b'.') && first.eq_ignore_ascii_case(b"prime") && [*r, *l].eq_ignore_ascii_case(b"rl")
}

#[cfg(test)]
mod tests {
    use super::{is_prime_rl, mentions_prime_rl};

    #[test]
    fn the_name_is_known_in_every_spelling_and_no_other() {
        for name in ["prime-rl", "prime_rl", "Prime-RL", "prime.rl", " prime-rl "] {
            assert!(is_prime_rl(name), "{name}");
        }
        for name in ["prime-rl-configs", "primerl", "prime rl", "prime-r", "primé-rl", ""] {
            assert!(!is_prime_rl(name), "{name}");
        }
        assert!(mentions_prime_rl("dependencies = [\"Prime_RL[flash]\"]"));
        assert!(!mentions_prime_rl("prime, rl"));
    }
}
