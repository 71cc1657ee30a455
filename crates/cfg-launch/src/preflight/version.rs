//! Package versions, compared by PEP 440 as installers do: `1.0`, `v1.0.0` and `1.0.0` are equal, and 1.10 is newer than 1.9.

use std::cmp::Ordering;

/// The stage of a release: development, alpha, beta, candidate, final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// `1.0.dev3`, older than all others.
    Development,
    Alpha(u64),
    Beta(u64),
    Candidate(u64),
    Release,
}

/// A package version. A newer version compares as greater.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    epoch: u64,
    /// Without trailing zeros.
    release: Vec<u64>,
    stage: Stage,
    /// The number of `.post2`. `None` is older than any number.
    post: Option<u64>,
    /// The number of `.dev3`; the largest number if it has none, because such a version is newer.
    development: u64,
    /// The parts after `+`.
    local: Vec<Local>,
}

/// A part of a local version: words are older than numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Local {
    Word(String),
    Number(u64),
}

impl Version {
    /// Parses a version, also in informal spellings, such as with a leading `v` or with dashes; `None` if it is not a version.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (public, local) = match text.split_once('+') {
            Some((public, local)) => (public, Some(local)),
            None => (&*text, None),
        };
        let public = public.strip_prefix('v').unwrap_or(public);
        let (epoch, public) = match public.split_once('!') {
            Some((epoch, rest)) => (epoch.parse().ok()?, rest),
            None => (0, public),
        };
        let mut rest = public;
        let mut release = vec![number(&mut rest)?];
        while rest.starts_with('.') && rest[1..].starts_with(|next: char| next.is_ascii_digit()) {
            rest = &rest[1..];
            release.push(number(&mut rest)?);
        }
        while release.len() > 1 && release.last() == Some(&0) {
            release.pop();
        }
        let pre = suffix(&mut rest, &["alpha", "a", "beta", "b", "preview", "pre", "rc", "c"]);
        let post = match rest.strip_prefix('-').filter(|behind| behind.starts_with(|next: char| next.is_ascii_digit())) {
            // `1.0-2` is the second post-release of 1.0.
            Some(behind) => {
                rest = behind;
                Some(number(&mut rest)?)
            }
            None => suffix(&mut rest, &["post", "rev", "r"]).map(|(_, number)| number),
        };
        let development = suffix(&mut rest, &["dev"]).map(|(_, number)| number);
        if !rest.is_empty() {
            return None;
        }
        let stage = match pre {
            Some(("alpha" | "a", number)) => Stage::Alpha(number),
            Some(("beta" | "b", number)) => Stage::Beta(number),
            Some((_, number)) => Stage::Candidate(number),
            None if post.is_none() && development.is_some() => Stage::Development,
            None => Stage::Release,
        };
        let parts = local.map(|local| local.split(['.', '-', '_']).map(local_part).collect::<Option<Vec<_>>>());
        let local = parts.unwrap_or_else(|| Some(Vec::new()))?;
        Some(Self { epoch, release, stage, post, development: development.unwrap_or(u64::MAX), local })
    }
}

/// Compares two versions; `None` if one of the texts is not a version and they differ.
pub(super) fn compare(one: &str, other: &str) -> Option<Ordering> {
    match (Version::read(one), Version::read(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => (one == other).then_some(Ordering::Equal),
    }
}

/// Removes the number at the beginning of a text and returns it.
fn number(rest: &mut &str) -> Option<u64> {
    let end = rest.find(|next: char| !next.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].parse().ok()?;
    *rest = &rest[end..];
    Some(number)
}

/// Removes one of these words and the number after it (0 if there is none) from the text, with their separators, and returns
/// them.
fn suffix<'n>(rest: &mut &str, names: &[&'n str]) -> Option<(&'n str, u64)> {
    const PARTS: [char; 3] = ['.', '-', '_'];
    let from = rest.strip_prefix(PARTS).unwrap_or(rest);
    let name = names.iter().find(|name| from.starts_with(**name))?;
    let mut behind = &from[name.len()..];
    let parted = behind.strip_prefix(PARTS).filter(|parted| parted.starts_with(|next: char| next.is_ascii_digit()));
    behind = parted.unwrap_or(behind);
    let count = if behind.starts_with(|next: char| next.is_ascii_digit()) { number(&mut behind)? } else { 0 };
    *rest = behind;
    Some((name, count))
}

fn local_part(part: &str) -> Option<Local> {
    let is_word = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then(|| part.parse().map_or_else(|_| Local::Word(part.to_owned()), Local::Number))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::{Version, compare};

    #[test]
    fn versions_are_in_the_order_of_pep_440() {
        let ordered = [
            "1.0.dev456",
            "1.0a1",
            "1.0a2.dev456",
            "1.0a12.dev456",
            "1.0a12",
            "1.0b1.dev456",
            "1.0b2",
            "1.0b2.post345.dev456",
            "1.0b2.post345",
            "1.0rc1.dev456",
            "1.0rc1",
            "1.0",
            "1.0+abc.5",
            "1.0+abc.7",
            "1.0+5",
            "1.0.post456.dev34",
            "1.0.post456",
            "1.0.15",
            "1.1.dev1",
            "1.9",
            "1.10",
            "1!0.1",
        ];
        for (index, one) in ordered.iter().enumerate() {
            for (other_index, other) in ordered.iter().enumerate() {
                assert_eq!(compare(one, other), Some(index.cmp(&other_index)), "{one} {other}");
            }
        }
    }

    #[test]
    fn spellings_of_one_version_are_the_same() {
        let same = [
            ("1.0", "v1.0.0"),
            ("0.1.0rc1", "0.1.0-rc.1"),
            ("1.0c1", "1.0RC1"),
            ("1.0.post2", "1.0-2"),
            ("1.0a", "1.0alpha0"),
            ("1.0.dev", "1.0dev0"),
            ("1.0_beta_2", "1.0b2"),
            ("1.0+ubuntu-1", "1.0+ubuntu.1"),
            ("0", "0.0"),
        ];
        for (one, other) in same {
            assert_eq!(compare(one, other), Some(Ordering::Equal), "{one} {other}");
        }
    }

    #[test]
    fn other_texts_are_not_versions() {
        for text in ["", "v", "main", "1.0.x", "1.0+", "1.0+a..b", "1!", "!1", "99999999999999999999", "1.0 beta", "é"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
        assert_eq!(compare("main", "1.0"), None);
        assert_eq!(compare("main", "main"), Some(Ordering::Equal));
    }
}
