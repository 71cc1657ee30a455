//! The prime-rl in a requirement (PEP 508).

use cfg_schema::Version;

use super::reference;

/// The prime-rl that a requirement allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pin<'r> {
    /// Exactly one version.
    Version(&'r str),
    /// A range of versions.
    Range(Range),
    /// A git revision.
    Revision(&'r str),
    /// A folder.
    Path(&'r str),
    /// A version of the distribution of the config classes, whose numbers differ from prime-rl's.
    OwnVersion(&'r str),
}

/// The prime-rl, or the distribution of its config classes, in a requirement. `None` if it is for another distribution, or states no version.
pub(super) fn pin(requirement: &str) -> Option<Pin<'_>> {
    let (name, rest) = named(requirement)?;
    let is_configs = reference::is_configs(name);
    if !is_configs && !reference::is_prime_rl(name) {
        return None;
    }
    if let Some(url) = rest.strip_prefix('@') {
        return in_url(url.split_whitespace().next()?);
    }
    let versions = versions(rest);
    let range = Range::parse(versions)?;
    match range.clauses.iter().find_map(|clause| clause.exact(versions)) {
        _ if is_configs => Some(Pin::OwnVersion(versions)),
        Some(version) => Some(Pin::Version(version)),
        None => Some(Pin::Range(range)),
    }
}

/// The name of a distribution, and the rest of a requirement without its extras.
fn named(requirement: &str) -> Option<(&str, &str)> {
    let is_of_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let (name, rest) = requirement.split_at(requirement.find(|character| !is_of_name(character)).unwrap_or(requirement.len()));
    let rest = rest.trim_start();
    Some((name, if rest.starts_with('[') { rest.split_once(']')?.1.trim_start() } else { rest }))
}

/// The version clauses after a name.
fn versions(rest: &str) -> &str {
    let versions = rest.split([';', '#']).next().unwrap_or_default();
    let versions = versions.trim().trim_start_matches('(').trim_end_matches(')').trim();
    // pip's hashes and options follow the version.
    versions.split(" --").next().unwrap_or(versions).trim_end_matches(['\\', ' '])
}

/// The exact version, or git revision, that a requirement states for a package; `None` if it is for another package, or states none.
pub(super) fn exact<'r>(requirement: &'r str, package: &str) -> Option<&'r str> {
    let (_, rest) = named(requirement).filter(|(name, _)| is_same_name(name, package))?;
    if let Some(url) = rest.strip_prefix('@') {
        return match in_url(url.split_whitespace().next()?)? {
            Pin::Revision(revision) => Some(revision),
            _ => None,
        };
    }
    let versions = versions(rest);
    Range::parse(versions)?.clauses.iter().find_map(|clause| clause.exact(versions))
}

/// Whether two names are those of one distribution, by PEP 503.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.trim().to_ascii_lowercase().replace(['_', '.'], "-");
    plain(one) == plain(other)
}

/// The pin that a URL contains: `git+https://host/org/prime-rl.git@revision#subdirectory=x`,
/// `https://host/org/prime-rl/archive/revision.tar.gz`, `file:///home/me/prime-rl`.
pub(super) fn in_url(url: &str) -> Option<Pin<'_>> {
    let url = url.split(['#', '?']).next()?;
    if let Some(folder) = url.strip_prefix("file://") {
        return Some(Pin::Path(folder));
    }
    if let Some(url) = url.strip_prefix("git+") {
        // An `@` before the first slash separates a user name from the host.
        let (_, path) = url.split_once("://").map_or(url, |(_, rest)| rest).split_once('/')?;
        return path.rsplit_once('@').map(|(_, revision)| Pin::Revision(revision));
    }
    let (repository, archive) = url.split_once("/archive/")?;
    let endings = [".tar.gz", ".zip", ".tgz", ".tar"];
    let revision = endings.iter().find_map(|ending| archive.strip_suffix(ending))?;
    reference::names_prime_rl(repository).then(|| Pin::Revision(revision.strip_prefix("refs/heads/").unwrap_or(revision)))
}

/// A range of versions as in PEP 440: `>=0.5,<0.7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    text: String,
    clauses: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    operator: Operator,
    version: Version,
    /// Whether it ends in `.*`.
    is_series: bool,
    /// The offset of the version in the text.
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Unequal,
    AtLeast,
    AtMost,
    Above,
    Below,
    Compatible,
}

const OPERATORS: [(&str, Operator); 8] = [
    ("===", Operator::Equal),
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("~=", Operator::Compatible),
    (">", Operator::Above),
    ("<", Operator::Below),
];

impl Range {
    /// Reads a range. `None` if it is not one, or allows every version.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut clauses = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let trimmed = part.trim();
            let (sign, operator) = OPERATORS.iter().find(|(sign, _)| trimmed.starts_with(sign))?;
            let written = trimmed[sign.len()..].trim();
            let start = written.as_ptr() as usize - text.as_ptr() as usize;
            let series = written.strip_suffix(".*");
            let version = Version::parse(series.unwrap_or(written))?;
            let end = start + written.len();
            clauses.push(Clause { operator: *operator, version, is_series: series.is_some(), start, end });
        }
        (!clauses.is_empty()).then(|| Self { text: text.to_owned(), clauses })
    }

    /// The text of the requirement.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it allows a version.
    pub(super) fn allows(&self, version: &Version) -> bool {
        self.clauses.iter().all(|clause| clause.allows(version))
    }

    /// Whether it may allow a version newer than `newest`, the newest known one.
    pub(super) fn reaches_beyond(&self, newest: &Version) -> bool {
        let is_open = |clause: &Clause| match clause.operator {
            Operator::AtMost | Operator::Below => clause.version > *newest,
            Operator::Equal => clause.version > *newest || newest.begins_with(&clause.version),
            Operator::Compatible => {
                clause.version > *newest || clause.version.series().is_some_and(|series| newest.begins_with(&series))
            }
            Operator::Unequal | Operator::AtLeast | Operator::Above => true,
        };
        self.clauses.iter().all(is_open)
    }
}

impl Clause {
    /// The version, if it allows exactly one.
    fn exact<'r>(&self, text: &'r str) -> Option<&'r str> {
        (self.operator == Operator::Equal && !self.is_series).then(|| &text[self.start..self.end])
    }

    fn allows(&self, version: &Version) -> bool {
        match self.operator {
            Operator::Equal if self.is_series => version.begins_with(&self.version),
            Operator::Unequal if self.is_series => !version.begins_with(&self.version),
            Operator::Equal => *version == self.version,
            Operator::Unequal => *version != self.version,
            Operator::AtLeast => *version >= self.version,
            Operator::AtMost => *version <= self.version,
            Operator::Above => *version > self.version,
            Operator::Below => *version < self.version,
            Operator::Compatible => {
                *version >= self.version && self.version.series().is_some_and(|series| version.begins_with(&series))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cfg_schema::Version;

    use super::{Pin, Range, pin};

    #[test]
    fn exact_requirements_pin() {
        for (requirement, version) in [
            ("prime-rl==0.4.0", "0.4.0"),
            ("prime_rl [flash-attn] == 0.4.0 ; python_version > '3.11'", "0.4.0"),
            ("Prime-RL (===0.2)", "0.2"),
            ("prime-rl>=0.3,==0.4.0", "0.4.0"),
            ("prime-rl==0.4.0 --hash=sha256:00 \\", "0.4.0"),
        ] {
            assert_eq!(pin(requirement), Some(Pin::Version(version)), "{requirement}");
        }
        let archive = "https://github.com/PrimeIntellect-ai/prime-rl/archive";
        let commit = "3b22dd951cad1036d1fe8dd0a0bfc40807a9b360";
        for (requirement, revision) in [
            ("prime-rl @ git+https://github.com/PrimeIntellect-ai/prime-rl@v0.4.0", "v0.4.0"),
            ("prime-rl[all]@git+ssh://git@github.com/me/prime-rl.git@d564195ca#egg=x ; extra == 'a'", "d564195ca"),
            ("prime-rl @ git+https://github.com/me/prime-rl@feature/x", "feature/x"),
            (&format!("prime-rl-configs @ {archive}/{commit}.tar.gz#subdirectory=packages/prime-rl-configs"), commit),
            (&format!("prime-rl @ {archive}/refs/tags/v0.8.0.zip"), "refs/tags/v0.8.0"),
            (&format!("prime-rl @ {archive}/refs/heads/main.tar.gz ; sys_platform == 'linux'"), "main"),
        ] {
            assert_eq!(pin(requirement), Some(Pin::Revision(revision)), "{requirement}");
        }
        assert_eq!(pin("prime-rl @ file:///src/prime-rl"), Some(Pin::Path("/src/prime-rl")));
        assert_eq!(pin("prime-rl-configs==0.4.0"), Some(Pin::OwnVersion("==0.4.0")));
    }

    #[test]
    fn ranges_follow_pep_440() {
        for (range, allowed, refused) in [
            (">=0.5", "0.5.0 0.5.1 0.8.0", "0.4.0 0.5.0rc1"),
            (">=0.5,<0.7", "0.5 0.6.9", "0.7 0.4"),
            ("~=0.4.0", "0.4.0 0.4.9", "0.5.0 0.3.9"),
            ("~=0.4", "0.4 0.8", "1.0 0.3"),
            ("==0.4.*", "0.4.0 0.4.1", "0.5.0"),
            ("!=0.4.*, >0.3", "0.5.0 0.3.1", "0.4.1 0.3"),
            ("<=0.6, != 0.5", "0.6.0 0.4", "0.5.0 0.6.1"),
        ] {
            let range = Range::parse(range).expect("a range");
            let allows = |text: &str| range.allows(&Version::parse(text).expect("a version"));
            assert!(allowed.split(' ').all(allows), "{range:?} allows {allowed}");
            assert!(!refused.split(' ').any(allows), "{range:?} refuses {refused}");
        }
        let newest = Version::parse("0.8.0").expect("a version");
        for (range, reaches) in
            [(">=0.9", true), (">0.8.0", true), ("~=0.8.1", true), ("==0.9.*", true), ("<0.2", false), ("==0.4.9.*", false)]
        {
            assert_eq!(Range::parse(range).expect("a range").reaches_beyond(&newest), reaches, "{range}");
        }
    }

    #[test]
    fn other_requirements_are_not_pins() {
        for requirement in [
            "prime-rl",
            "prime-rl ; extra == 'x'",
            "verifiers==0.4.0",
            "prime-rl @ git+https://github.com/me/prime-rl",
            "prime-rl @ https://example.com/prime_rl.whl",
            "prime-rl[==",
            "prime-rl>=x",
            "",
        ] {
            assert_eq!(pin(requirement), None, "{requirement}");
        }
    }
}
