//! Points of the history, with their commits and tags.

use std::fmt::Write as _;

use crate::{
    Cache, History,
    table::{self, Section, Word},
};

/// A point of the history: the number of a commit that changed a config class. It stands for all commits with the same schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(pub u16);

/// A commit of prime-rl's main line.
#[derive(Clone, Copy, Debug)]
pub struct Commit {
    history: History,
    index: usize,
}

/// A tag of prime-rl.
#[derive(Clone, Copy, Debug)]
pub struct Tag {
    history: History,
    index: usize,
}

impl History {
    /// The main line, oldest first.
    pub fn commits(self) -> impl DoubleEndedIterator<Item = Commit> + ExactSizeIterator {
        (0..self.table.chronicle().words(Section::Commits) / table::COMMIT_WORDS)
            .map(move |index| Commit { history: self, index })
    }

    /// All tags, in the order of PEP 440.
    pub fn tags(self) -> impl DoubleEndedIterator<Item = Tag> + ExactSizeIterator {
        (0..self.table.chronicle().words(Section::Tags) / table::COMMIT_WORDS).map(move |index| Tag { history: self, index })
    }

    /// The tags that are releases, oldest first.
    pub fn releases(self) -> impl DoubleEndedIterator<Item = Tag> {
        // Most tags are development builds: their names are read once.
        static KNOWN: Cache<History, Box<[usize]>> = Cache::new();
        let chronicle = Self { table: self.table.chronicle() };
        let find = || chronicle.tags().filter(|tag| tag.is_release()).map(|tag| tag.index).collect();
        KNOWN.of(chronicle, find).iter().map(move |index| Tag { history: self, index: *index })
    }

    /// The newest point.
    pub fn newest(self) -> Point {
        self.commits().next_back().map_or(Point(0), Commit::point)
    }

    /// The number of commits before a point.
    fn commits_before(self, point: Point) -> usize {
        let (mut low, mut high) = (0, self.commits().len());
        while low < high {
            let middle = low + (high - low) / 2;
            if (Commit { history: self, index: middle }).point() < point { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The commit that made a point: the first commit with this schema.
    pub fn commit_of(self, point: Point) -> Option<Commit> {
        self.commits().nth(self.commits_before(point))
    }

    /// The commits with the schema of a point, oldest first.
    pub fn commits_at(self, point: Point) -> impl DoubleEndedIterator<Item = Commit> {
        let end = point.0.checked_add(1).map_or_else(|| self.commits().len(), |next| self.commits_before(Point(next)));
        (self.commits_before(point)..end).map(move |index| Commit { history: self, index })
    }

    /// The last commit before a point.
    pub fn last_commit_before(self, point: Point) -> Option<Commit> {
        self.commits().nth(self.commits_before(point).checked_sub(1)?)
    }

    /// The hashes of the commits and tags that start with a prefix, with their points.
    pub(crate) fn beginning_with(self, prefix: HashPrefix) -> impl Iterator<Item = (String, Point)> {
        [Section::Commits, Section::Tags].into_iter().flat_map(move |section| {
            let entries = self.table.chronicle().words_in(section).chunks_exact(table::COMMIT_WORDS);
            // Nearly all hashes differ in the first word already.
            let may_fit = move |entry: &&[Word]| table::word_in(entry, 0) & prefix.masks[0] == prefix.words[0];
            let fits = move |entry: &&[Word]| prefix.fits(|index| table::word_in(entry, index));
            entries.filter(may_fit).filter(fits).map(|entry| {
                let sha = hash(|index| table::word_in(entry, index));
                (sha, Point(table::word_in(entry, 7) as u16))
            })
        })
    }

    /// The tag with this name, without the leading `v`.
    pub fn tag(self, name: &str) -> Option<Tag> {
        self.tags().find(|tag| tag.is_named(name))
    }

    /// The first release that contains a point, by the main line. It is the release that a user would name.
    pub fn first_release_with(self, point: Point) -> Option<Tag> {
        self.releases().find(|tag| tag.point() >= point)
    }
}

impl Commit {
    fn word(self, index: usize) -> u32 {
        self.history.table.chronicle().word(Section::Commits, table::COMMIT_WORDS * self.index + index)
    }

    /// Its hash: 40 digits.
    pub fn sha(self) -> String {
        hash(|index| self.word(index))
    }

    /// The first nine digits of its hash.
    pub fn short_sha(self) -> String {
        let mut sha = self.sha();
        sha.truncate(9);
        sha
    }

    /// The time of the commit in UTC: `2026-01-06T18:22:00Z`.
    pub fn date(self) -> &'static str {
        self.history.table.chronicle().string(self.word(5)).unwrap_or_default()
    }

    /// The day in its author's time zone: `2026-01-06`.
    pub fn day(self) -> &'static str {
        self.history.table.chronicle().string(self.word(6)).unwrap_or_default()
    }

    /// The point of its schema.
    pub fn point(self) -> Point {
        Point(self.word(7) as u16)
    }

    /// The pull request that it merged.
    pub fn pull_request(self) -> Option<u32> {
        Some(self.word(8)).filter(|&number| number != table::NONE)
    }
}

impl Tag {
    fn word(self, index: usize) -> u32 {
        self.history.table.chronicle().word(Section::Tags, table::COMMIT_WORDS * self.index + index)
    }

    /// Its commit's hash: 40 digits.
    pub fn sha(self) -> String {
        hash(|index| self.word(index))
    }

    pub(crate) const fn history(self) -> History {
        self.history
    }

    fn is_named(self, name: &str) -> bool {
        self.history.table.chronicle().is_string(self.word(8), name)
    }

    /// Its name without the leading `v`: `0.4.0`, `0.8.1.dev67`.
    pub fn name(self) -> &'static str {
        self.history.table.chronicle().string(self.word(8)).unwrap_or_default()
    }

    /// The day of its commit.
    pub fn day(self) -> &'static str {
        self.history.table.chronicle().string(self.word(6)).unwrap_or_default()
    }

    /// Its schema.
    pub fn point(self) -> Point {
        Point(self.word(7) as u16)
    }

    /// Whether it is a release rather than a development build: `0.8.1.dev67`.
    pub fn is_release(self) -> bool {
        !self.name().contains('d')
    }
}

/// The beginning of a hash as words, so that hashes are compared without being converted to text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HashPrefix {
    words: [u32; 5],
    masks: [u32; 5],
}

impl HashPrefix {
    /// Reads up to 40 hexadecimal digits.
    pub(crate) fn parse(digits: &str) -> Option<Self> {
        let mut prefix = Self { words: [0; 5], masks: [0; 5] };
        for (place, digit) in digits.chars().enumerate() {
            let shift = 28 - 4 * (place % 8);
            *prefix.words.get_mut(place / 8)? |= digit.to_digit(16)? << shift;
            prefix.masks[place / 8] |= 0xF << shift;
        }
        Some(prefix)
    }

    fn fits(self, word: impl Fn(usize) -> u32) -> bool {
        (0..5).take_while(|&index| self.masks[index] != 0).all(|index| word(index) & self.masks[index] == self.words[index])
    }
}

fn hash(word: impl Fn(usize) -> u32) -> String {
    (0..5).fold(String::with_capacity(40), |mut sha, index| {
        // Writing to a string can't fail.
        let _ = write!(sha, "{:08x}", word(index));
        sha
    })
}
