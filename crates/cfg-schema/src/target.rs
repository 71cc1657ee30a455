//! Parses the target: `0.4.0`, `d564195ca`, `2026-01-06`, `main`.

use std::{cell::RefCell, collections::VecDeque, fmt};

use crate::{Commit, History, Kind, OwnChecks, Point, Schema, Tag, Version, point::HashPrefix};

/// A prime-rl version that a config is checked for: a point of the history, with the name that the user gave it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Its schema.
    pub point: Point,
    /// Its name: a release, nine digits of a commit, a day, or `main`.
    pub name: String,
    /// Its history. If it is not the built-in one, it was imported by a user, and [`Point`] is the base point, whose checks and loader
    /// are used.
    pub history: History,
    /// Whether the name refers to a prime-rl after the end of the history. Then the last point of the history is used.
    pub is_beyond: bool,
    /// The checks that differ from those at `point`; `None` if no code of a checkout was read.
    pub own_checks: Option<OwnChecks>,
}

/// Why a text is not a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetError {
    /// It is neither a version nor a commit, a date or `main`.
    Malformed(String),
    /// A version that prime-rl does not have.
    NoSuchVersion {
        /// The version, as it was written.
        text: String,
        /// The release that was probably meant.
        nearest: &'static str,
        /// All releases.
        known: String,
    },
    /// A commit that is not on the main line of the known history.
    NoSuchCommit(String),
    /// The beginning of the hashes of several commits, which follow.
    AmbiguousCommit(String, Vec<String>),
    /// A date before the first known commit, with the day of that commit.
    TooEarly(String, String),
}

/// The message for a release, a commit or a date after the last commit of the known history, whose schema may be different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeyondHistory {
    /// The target, as the user names it.
    name: String,
    /// The day of the last known commit.
    last: &'static str,
}

impl BeyondHistory {
    /// The day of the last known commit.
    pub const fn last(&self) -> &'static str {
        self.last
    }

    /// The advice for the user.
    pub const HELP: &str = "it is checked against that last commit, and unknown or missing keys are warnings; pass its checkout \
        with `--target path:CHECKOUT`, or update cfg";
}

impl fmt::Display for BeyondHistory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is newer than the last commit known to this cfg ({})", self.name, self.last)
    }
}

impl Target {
    /// A point of the history with a name, and without checks of its own.
    pub fn at(history: History, point: Point, name: impl Into<String>) -> Self {
        Self { point, name: name.into(), history, is_beyond: false, own_checks: None }
    }

    /// The newest point of the history.
    pub fn main(history: History) -> Self {
        Self::at(history, history.newest(), "main")
    }

    /// The prefix of a target that names an imported entry.
    pub const LOCAL: &str = "local:";

    /// The prefix of a target that is the path of a checkout.
    pub const PATH: &str = "path:";

    /// Whether a target is read from files rather than from the built-in history.
    pub fn is_in_files(text: &str) -> bool {
        [Self::LOCAL, Self::PATH].iter().any(|prefix| text.trim().starts_with(prefix))
    }

    /// The schema of configs of `kind` at the target.
    pub fn schema(&self, kind: Kind) -> Schema {
        self.history.schema(kind, self.point)
    }

    /// The message for a target after the end of the known history; `None` for other targets.
    pub fn beyond(&self) -> Option<BeyondHistory> {
        let last = self.history.commits().next_back()?.day();
        self.is_beyond.then(|| BeyondHistory { name: self.name.clone(), last })
    }

    /// A target after the end of the known history, with this name.
    pub fn newer_than(history: History, name: impl Into<String>) -> Self {
        Self { is_beyond: true, ..Self::at(history, history.newest(), name) }
    }

    /// The target of a commit of the main line.
    pub fn of_commit(history: History, commit: Commit) -> Self {
        Self::at(history, commit.point(), commit.short_sha())
    }

    /// Parses a target: a version, a commit, a date or `main`.
    pub fn parse(history: History, text: &str) -> Result<Self, TargetError> {
        thread_local! {
            /// The most recent results by text. The configs of a project use only a few targets.
            static FOUND: RefCell<VecDeque<(String, Target)>> = const { RefCell::new(VecDeque::new()) };
        }
        let is_it = |(named, target): &&(String, Target)| named == text && target.history == history;
        if let Some(target) = FOUND.with_borrow(|found| found.iter().find(is_it).map(|(_, target)| target.clone())) {
            return Ok(target);
        }
        let target = Self::find(history, text)?;
        FOUND.with_borrow_mut(|found| {
            found.truncate(7);
            found.push_front((text.to_owned(), target.clone()));
        });
        Ok(target)
    }

    fn find(history: History, text: &str) -> Result<Self, TargetError> {
        let text = text.trim();
        let version = text.strip_prefix('v').unwrap_or(text);
        if matches!(text, "main" | "HEAD") {
            return Ok(Self::main(history));
        }
        if text == "latest" {
            return Ok(Self::newest_release(history));
        }
        if is_date(text) {
            return Self::at_date(history, text);
        }
        // The beginning of a hash may consist of digits only, but the first number of a version has at most three digits.
        if version.contains('.') || version.len() <= 3 {
            return version_target(history, version);
        }
        if text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return commit_target(history, &text.to_ascii_lowercase());
        }
        Err(TargetError::Malformed(text.to_owned()))
    }

    /// The target at the end of a day in the time zones of the commits' authors (`2026-01-06`), or at a time in UTC
    /// (`2026-01-06T18:22:00Z`).
    pub fn at_date(history: History, date: &str) -> Result<Self, TargetError> {
        let is_day = date.len() == 10;
        let not_later = |commit: &Commit| if is_day { commit.day() <= date } else { commit.date() <= date };
        match history.commits().rev().find(not_later) {
            Some(commit) => {
                let last = history.commits().next_back().map(Commit::day);
                let is_beyond = last.is_some_and(|last| date.get(..10).is_some_and(|day| day > last));
                Ok(Self { is_beyond, ..Self::at(history, commit.point(), date) })
            }
            None => {
                let first = history.commits().next().map(Commit::day).unwrap_or_default();
                Err(TargetError::TooEarly(date.to_owned(), first.to_owned()))
            }
        }
    }

    /// The newest release.
    pub fn newest_release(history: History) -> Self {
        let newest = history.releases().next_back();
        newest.map_or_else(|| Self::main(history), Self::from)
    }

    /// The newest release on a day (`2026-01-06`); before the first release, the last commit of the main line on that day.
    ///
    /// # Errors
    /// If the day is before the history.
    pub fn newest_release_on(history: History, day: &str) -> Result<Self, TargetError> {
        let release = history.releases().filter(|release| release.day() <= day).max_by_key(|release| release.point());
        release.map_or_else(|| Self::at_date(history, day), |release| Ok(release.into()))
    }
}

impl From<Tag> for Target {
    fn from(tag: Tag) -> Self {
        Self::at(tag.history(), tag.point(), tag.name())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

/// Whether a text is a day that exists: `2026-11-20`.
pub fn is_day(text: &str) -> bool {
    let is_digit = |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    if text.len() != 10 || !text.bytes().enumerate().all(is_digit) {
        return false;
    }
    let number = |part: &str| part.parse::<u32>().unwrap_or_default();
    let (year, month, day) = (number(&text[..4]), number(&text[5..7]), number(&text[8..]));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Whether a text has the form of a date, with or without a time, and the day exists.
fn is_date(text: &str) -> bool {
    let (day, time) = text.split_at_checked(10).unwrap_or_default();
    let shape = |(at, byte): (usize, u8)| match at {
        0 => byte == b'T' || byte == b't' || byte == b' ',
        3 | 6 => byte == b':',
        9.. => true,
        _ => byte.is_ascii_digit(),
    };
    let in_time =
        |at: usize, limit: u32| time.get(at..at + 2).is_none_or(|text| text.parse().is_ok_and(|value: u32| value < limit));
    is_day(day) && time.bytes().enumerate().all(shape) && in_time(1, 24) && in_time(4, 60) && in_time(7, 60)
}

fn version_target(history: History, version: &str) -> Result<Target, TargetError> {
    let found = history.tag(version).or_else(|| {
        let wanted = normalized(version);
        history.tags().find(|tag| normalized(tag.name()) == wanted)
    });
    if let Some(tag) = found {
        return Ok(tag.into());
    }
    let newest = history.tags().next_back().and_then(|tag| Version::parse(tag.name()));
    if version.contains('.') && Version::parse(version).zip(newest).is_some_and(|(version, newest)| version.may_follow(&newest)) {
        return Ok(Target::newer_than(history, version));
    }
    if !version.starts_with(|first: char| first.is_ascii_digit()) || !version.contains('.') {
        return Err(TargetError::Malformed(version.to_owned()));
    }
    let known: Vec<&str> = history.releases().map(Tag::name).collect();
    let nearest = nearest(version, &known);
    Err(TargetError::NoSuchVersion { text: version.to_owned(), nearest, known: known.join(", ") })
}

/// The release whose digits are most like those of a version; of several, the newest.
fn nearest(version: &str, releases: &[&'static str]) -> &'static str {
    let digits = |version: &str| -> String {
        let read = version.chars().map(|character| match character {
            'o' | 'O' => '0',
            'l' | 'I' => '1',
            other => other,
        });
        read.filter(char::is_ascii_digit).collect()
    };
    let whole = |version: &str| {
        let parts = version.split('.').count();
        digits(version) + &"0".repeat(3_usize.saturating_sub(parts))
    };
    let distance = |release: &str| {
        let spellings = [digits(version), whole(version)];
        spellings.iter().map(|spelling| strsim::damerau_levenshtein(spelling, &whole(release))).min()
    };
    releases.iter().rev().copied().min_by_key(|release| distance(release)).unwrap_or_default()
}

/// Normalises a version by PEP 440: trailing zeros are ignored (`0.2` is `0.2.0`), and so is a local part (`+g1234`).
fn normalized(version: &str) -> String {
    let version = version.split('+').next().unwrap_or_default();
    let (release, rest) = version.find(|c: char| c.is_ascii_alphabetic()).map_or((version, ""), |at| version.split_at(at));
    let mut parts: Vec<&str> = release.trim_end_matches('.').split('.').collect();
    while parts.len() > 2 && parts.last() == Some(&"0") {
        parts.pop();
    }
    format!("{} {rest}", parts.join("."))
}

fn commit_target(history: History, digits: &str) -> Result<Target, TargetError> {
    let Some(prefix) = HashPrefix::parse(digits) else { return Err(TargetError::NoSuchCommit(digits.to_owned())) };
    let mut found: Vec<(String, Point)> = history.beginning_with(prefix).collect();
    found.sort();
    found.dedup();
    match found.as_slice() {
        [] => Err(TargetError::NoSuchCommit(digits.to_owned())),
        [(sha, point)] => Ok(Target::at(history, *point, &sha[..9])),
        several => {
            let shas = several.iter().take(3).map(|(sha, _)| sha[..12].to_owned()).collect();
            Err(TargetError::AmbiguousCommit(digits.to_owned(), shas))
        }
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(text) if text.starts_with("local:") => {
                write!(formatter, "`{text}` is an imported entry, which only `--target` and the settings accept")
            }
            Self::Malformed(text) => {
                write!(formatter, "invalid target `{text}`; expected a release (0.4.0), a commit, a date (2026-01-06) or main")
            }
            Self::NoSuchVersion { text, nearest, known } => {
                write!(formatter, "unknown prime-rl version {text}; the nearest release is {nearest} (known releases: {known})")
            }
            Self::NoSuchCommit(digits) => {
                let mut commits = History::built_in().commits();
                let first = commits.next().map(Commit::day).unwrap_or_default();
                let last = commits.next_back().map(Commit::day).unwrap_or_default();
                write!(
                    formatter,
                    "no known commit of prime-rl's main branch starts with {digits}: it is older than {first}, newer than {last}, or of \
                     a fork; use a date between these or a release instead"
                )
            }
            Self::AmbiguousCommit(digits, shas) => {
                write!(formatter, "several commits start with {digits}: {}; give more digits", shas.join(", "))
            }
            Self::TooEarly(date, first) => write!(formatter, "{date} is before the known history, which starts on {first}"),
        }
    }
}

impl std::error::Error for TargetError {}

#[cfg(test)]
mod tests {
    use super::{Target, TargetError};
    use crate::History;

    fn parse(text: &str) -> Result<Target, TargetError> {
        Target::parse(History::built_in(), text)
    }

    /// Versions that may follow the newest one that is known.
    fn newer() -> Vec<String> {
        let newest = History::built_in().releases().next_back().expect("there are releases").name();
        let numbers: Vec<u64> = newest.split('.').map(|number| number.parse().expect("a number")).collect();
        let [major, minor, patch] = numbers[..] else { panic!("{newest}") };
        let [fix, fixes, next, later, first] = [
            format!("{major}.{minor}.{}", patch + 1),
            format!("{major}.{minor}.{}", patch + 3),
            format!("{major}.{}.0", minor + 1),
            format!("{major}.{}.2", minor + 3),
            format!("{}.0", major + 1),
        ];
        let short = format!("{major}.{}", minor + 1);
        let spelt = [short, format!("{next}rc1"), format!("{next}.dev3"), format!("v{next}"), format!("{first}.dev3")];
        [fix, fixes, next, later, first].into_iter().chain(spelt).collect()
    }

    #[test]
    fn a_release_is_found_in_every_spelling() {
        let wanted = parse("0.2").expect("it is a release");
        for text in ["v0.2", "0.2.0", "v0.2.0", " 0.2 ", "017b3fe7183f"] {
            assert_eq!(parse(text).expect("it names the release").point, wanted.point, "{text}");
        }
        assert_eq!(parse("0.8.0").expect("a side branch").name, "0.8.0");
        assert!(parse("0.8.1.dev67").is_ok());
    }

    #[test]
    fn a_date_names_the_last_commit_of_its_day() {
        assert_eq!(parse("2026-01-06").expect("it lies within").point, parse("d564195ca").expect("that day's last").point);
        assert!(matches!(parse("2020-01-01"), Err(TargetError::TooEarly(..))));
        assert_eq!(parse("2999-01-01").expect("the future is main").point, parse("main").expect("main").point);
    }

    #[test]
    fn a_commit_after_the_last_known_one_is_reported() {
        let history = History::built_in();
        let last = history.commits().next_back().expect("there are commits").day();
        for name in newer().into_iter().chain(["2999-01-01T10:00:00Z", "2999-01-01"].map(str::to_owned)) {
            let target = parse(&name).expect("it is newer");
            assert_eq!(target.point, history.newest(), "{name}");
            let name = name.trim_start_matches('v');
            let wanted = format!("{name} is newer than the last commit known to this cfg ({last})");
            assert_eq!(target.beyond().map(|beyond| beyond.to_string()), Some(wanted));
        }
        for known in [last, "2026-01-06", "main", "0.4.0", "d564195ca"] {
            assert_eq!(parse(known).expect("a target").beyond(), None, "{known}");
        }
    }

    #[test]
    fn a_mistyped_version_is_not_a_newer_one() {
        for (text, wanted) in [
            ("8.0.0", "0.8.0"),
            ("8.0", "0.8.0"),
            ("0.80", "0.8.0"),
            ("0.8.00", "0.8.0"),
            ("v0.08", "0.8.0"),
            ("0.88.0", "0.8.0"),
            ("0.8.0.0.1", "0.8.0"),
            ("0.4.O", "0.4.0"),
            ("0.40", "0.4.0"),
            ("4.0.0", "0.4.0"),
            ("0.4.00", "0.4.0"),
            ("0.70.0", "0.7.0"),
            ("10.8.0", "0.8.0"),
            ("2026.1.6", "0.2"),
        ] {
            let Err(TargetError::NoSuchVersion { nearest, .. }) = parse(text) else { panic!("{text}: {:?}", parse(text)) };
            assert!(nearest == wanted || text.starts_with("2026"), "{text}: {nearest}");
        }
        for newer in newer() {
            let target = parse(&newer).unwrap_or_else(|error| panic!("{newer}: {error}"));
            assert!(target.is_beyond, "{newer}");
        }
    }

    #[test]
    fn a_day_has_a_newest_release() {
        let on = |day: &str| Target::newest_release_on(History::built_in(), day).map(|target| target.name);
        for (day, wanted) in [("2026-02-06", "0.4.0"), ("2026-02-05", "0.3.0"), ("2025-12-29", "2025-12-29")] {
            assert_eq!(on(day).as_deref(), Ok(wanted));
        }
        assert!(matches!(on("2025-08-01"), Err(TargetError::TooEarly(..))));
    }

    #[test]
    fn an_unknown_target_has_a_reason() {
        assert!(matches!(parse("0.4.9"), Err(TargetError::NoSuchVersion { .. })));
        assert!(matches!(parse("ffffffffff"), Err(TargetError::NoSuchCommit(..))));
        for impossible in ["2026-13-45", "2026-00-00", "2026-02-31", "2026-01-06T99:99"] {
            assert!(matches!(parse(impossible), Err(TargetError::Malformed(_))), "{impossible}");
        }
        assert!(matches!(parse("yesterday"), Err(TargetError::Malformed(..))));
        assert!(matches!(parse(""), Err(TargetError::Malformed(..))));
    }
}
