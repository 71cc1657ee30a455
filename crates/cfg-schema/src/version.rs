//! Versions and their order, by PEP 440.

use std::cmp::Ordering;

/// A version without its local part (`+g1234`), which does not affect the order.
///
/// Its order is that of PEP 440: `0.5.dev1`, `0.5a1`, `0.5rc1`, `0.5`, `0.5.post1`.
#[derive(Clone, Debug)]
pub struct Version {
    epoch: u64,
    release: Vec<u64>,
    /// The number of its alpha (0), beta (1) or candidate (2) stage.
    pre: Option<(u8, u64)>,
    post: Option<u64>,
    dev: Option<u64>,
}

impl Version {
    /// Reads a version in any spelling: `v0.4`, `0.4.0-rc.1`, `1!0.4.0.post2`. `None` if it is not a version.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let text = text.split('+').next().unwrap_or_default();
        let text = text.strip_prefix('v').unwrap_or(text);
        let (epoch, text) = match text.split_once('!') {
            Some((epoch, rest)) => (epoch.parse().ok()?, rest),
            None => (0, text),
        };
        let end = text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
        let (digits, suffixes) = text.split_at(end);
        let release: Option<Vec<u64>> = digits.trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
        let mut version = Self { epoch, release: release?, pre: None, post: None, dev: None };
        let mut rest = suffixes;
        while !rest.is_empty() {
            rest = version.suffix(rest)?;
        }
        Some(version)
    }

    /// Whether it can be one of the next versions after another one. A version far behind it is rather mistyped.
    pub(crate) fn may_follow(&self, newest: &Self) -> bool {
        /// The most versions of a kind between the two.
        const MAX_VERSIONS: u64 = 9;
        let part = |version: &Self, at: usize| version.release.get(at).copied().unwrap_or_default();
        let [(major, old_major), (minor, old_minor), (patch, old_patch)] = [0, 1, 2].map(|at| (part(self, at), part(newest, at)));
        let is_near = if major != old_major {
            major == old_major + 1 && minor <= 1 && patch <= MAX_VERSIONS
        } else if minor != old_minor {
            minor.saturating_sub(old_minor) <= MAX_VERSIONS && patch <= MAX_VERSIONS
        } else {
            patch.saturating_sub(old_patch) <= MAX_VERSIONS
        };
        self > newest && self.epoch == newest.epoch && self.release.len() <= 3 && is_near
    }

    /// Removes the first stage after the release from the text, such as `rc1`, and stores it; returns the rest of the text.
    fn suffix<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let is_joint = |character: char| matches!(character, '.' | '-' | '_');
        let is_digit = |character: char| character.is_ascii_digit();
        let text = text.trim_start_matches(is_joint);
        let (word, rest) = text.split_at(text.find(|character| is_digit(character) || is_joint(character)).unwrap_or(text.len()));
        let digits = rest.trim_start_matches(is_joint);
        let (number, rest) = match digits.split_at(digits.find(|character| !is_digit(character)).unwrap_or(digits.len())) {
            ("", _) => (0, rest),
            (number, behind) => (number.parse().ok()?, behind),
        };
        match word {
            "a" | "alpha" => self.pre = Some((0, number)),
            "b" | "beta" => self.pre = Some((1, number)),
            "rc" | "c" | "pre" | "preview" => self.pre = Some((2, number)),
            "post" | "rev" | "r" | "" if !digits.is_empty() || !word.is_empty() => self.post = Some(number),
            "dev" => self.dev = Some(number),
            _ => return None,
        }
        Some(rest)
    }

    /// Whether it belongs to a series, as in `==0.4.*`: `0.4.1` belongs to `0.4`.
    pub fn begins_with(&self, series: &Self) -> bool {
        self.epoch == series.epoch && series.release.iter().enumerate().all(|(at, part)| self.part(at) == *part)
    }

    /// The series in which `~=` keeps a version: `0.4` for `0.4.2`. `None` if the version has a single number.
    pub fn series(&self) -> Option<Self> {
        let (_, release) = self.release.split_last().filter(|(_, rest)| !rest.is_empty())?;
        Some(Self { release: release.to_vec(), pre: None, post: None, dev: None, ..*self })
    }

    fn part(&self, at: usize) -> u64 {
        self.release.get(at).copied().unwrap_or(0)
    }

    /// The order of versions with equal release numbers. Development builds of a release come before its candidates, and the
    /// release comes after them.
    fn stage(&self) -> (u8, u64, u64, u64) {
        let (pre, number) = match (self.pre, self.post, self.dev) {
            (Some((pre, number)), ..) => (1 + pre, number),
            (None, None, Some(_)) => (0, 0),
            (None, ..) => (4, 0),
        };
        (pre, number, self.post.map_or(0, |post| post.saturating_add(1)), self.dev.unwrap_or(u64::MAX))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let longest = self.release.len().max(other.release.len());
        let by_numbers = (0..longest).map(|at| self.part(at).cmp(&other.part(at))).find(|order| order.is_ne());
        self.epoch.cmp(&other.epoch).then(by_numbers.unwrap_or(Ordering::Equal)).then(self.stage().cmp(&other.stage()))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

#[cfg(test)]
mod tests {
    use super::Version;

    fn parse(text: &str) -> Version {
        Version::parse(text).unwrap_or_else(|| panic!("{text} is a version"))
    }

    #[test]
    fn versions_are_in_the_order_of_pep_440() {
        let in_order = [
            "0.2",
            "0.4.0.dev1",
            "0.4.0a1.dev2",
            "0.4.0a1",
            "0.4.0b1",
            "0.4.0rc1",
            "0.4.0",
            "0.4.0.post1.dev1",
            "0.4.0.post1",
            "0.4.1.dev9",
            "0.4.1.dev10",
            "0.10",
            "1",
            "1!0.1",
        ];
        for pair in in_order.windows(2) {
            assert!(parse(pair[0]) < parse(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn spellings_of_a_version_are_equal() {
        for (one, other) in [
            ("v0.4", "0.4.0"),
            ("0.4.0-rc.1", "0.4RC1"),
            ("0.4.0+g1234", "0.4.0"),
            ("0.4-1", "0.4.post1"),
            ("0.4_dev", "0.4.dev0"),
            ("0.4preview2", "0.4c2"),
        ] {
            assert_eq!(parse(one), parse(other), "{one}");
        }
        for text in ["", "v", "main", "0.x", "0..1", "0.4.*", "0.4-", "99999999999999999999"] {
            assert!(Version::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_series_holds_its_versions() {
        assert!(parse("0.4.1").begins_with(&parse("0.4")) && !parse("0.5").begins_with(&parse("0.4")));
        assert!(parse("0.5").begins_with(&parse("0.4.2").series().and_then(|series| series.series()).expect("0")));
        assert!(parse("1").series().is_none());
    }
}
