//! The version of a config: `v3`, or `1.4.0`.

use std::{cmp::Ordering, fmt};

use crate::fingerprint::Level;

/// A version, in one of two forms.
///
/// `v3` is a number; a semantic version shows the level of each change. In the common order, `v3` is directly before `3.0.0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// `v3`.
    Counted(u64),
    /// `1.4.0`, optionally with a leading `v`.
    Semantic {
        /// The version.
        version: semver::Version,
        /// Whether it is written with a `v`.
        has_v: bool,
    },
}

impl Version {
    /// The first version of a config.
    pub const FIRST: Self = Self::Counted(1);

    /// Reads a version; `None` if the text has neither form.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('v');
        let has_v = digits.is_some();
        let digits = digits.unwrap_or(text);
        if has_v && digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0')) {
            return digits.parse().ok().map(Self::Counted);
        }
        semver::Version::parse(digits).ok().map(|version| Self::Semantic { version, has_v })
    }

    /// The version after this one. A counted version ignores the level.
    #[must_use]
    pub fn next(&self, level: Level) -> Self {
        match self {
            Self::Counted(count) => Self::Counted(count.saturating_add(1)),
            Self::Semantic { version, has_v } => {
                let semver::Version { major, minor, patch, .. } = *version;
                let version = match level {
                    // The release that follows its own pre-releases.
                    _ if !version.pre.is_empty() => semver::Version::new(major, minor, patch),
                    Level::Major => semver::Version::new(major.saturating_add(1), 0, 0),
                    Level::Minor => semver::Version::new(major, minor.saturating_add(1), 0),
                    Level::Patch => semver::Version::new(major, minor, patch.saturating_add(1)),
                };
                Self::Semantic { version, has_v: *has_v }
            }
        }
    }

    /// Whether its numbers show the level of a change.
    pub const fn has_levels(&self) -> bool {
        matches!(self, Self::Semantic { .. })
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Counted(one), Self::Counted(other)) => one.cmp(other),
            (Self::Semantic { version: one, has_v: v }, Self::Semantic { version: other, has_v: w }) => {
                one.cmp(other).then(v.cmp(w))
            }
            (Self::Counted(count), Self::Semantic { version, .. }) => {
                semver::Version::new(*count, 0, 0).cmp(version).then(Ordering::Less)
            }
            (Self::Semantic { .. }, Self::Counted(_)) => other.cmp(self).reverse(),
        }
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counted(count) => write!(formatter, "v{count}"),
            Self::Semantic { version, has_v: true } => write!(formatter, "v{version}"),
            Self::Semantic { version, has_v: false } => write!(formatter, "{version}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, Version};

    #[test]
    fn versions_are_in_order() {
        let texts = ["v1", "v2", "v10", "v11", "11.0.0-rc.1", "11.0.0", "v11.0.0", "11.2.0", "11.10.0"];
        let mut versions: Vec<Version> = texts.iter().rev().filter_map(|text| Version::parse(text)).collect();
        versions.sort();
        let sorted: Vec<String> = versions.iter().map(ToString::to_string).collect();
        assert_eq!(sorted, ["v1", "v2", "v10", "11.0.0-rc.1", "v11", "11.0.0", "v11.0.0", "11.2.0", "11.10.0"]);
    }

    #[test]
    fn other_texts_are_not_versions() {
        for text in ["", "v", "3", "v2.1", "v01", "v4 - Resilient", "final", "1.0", "v99999999999999999999"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_step_changes_the_part_of_the_version_for_its_level() {
        let next = |text: &str, level| Version::parse(text).expect("a version").next(level).to_string();
        assert_eq!(next("v3", Level::Patch), "v4");
        assert_eq!([Level::Patch, Level::Minor, Level::Major].map(|level| next("1.4.2", level)), ["1.4.3", "1.5.0", "2.0.0"]);
        assert_eq!(next("v1.4.2-rc.1", Level::Major), "v1.4.2");
    }
}
