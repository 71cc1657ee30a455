//! The binary table: its layout, and reading words of it in place.
//!
//! A magic word, then one pair (byte offset, byte length) for each [`Section`], then the sections. All words are little-endian `u32`.
//!
//! - strings: pairs (offset, length) into the string bytes; a string is named by the index of its pair.
//! - nodes: [`NODE_WORDS`] words: segment kind, name, first child, number of children, first interval, number of intervals, and the
//!   two halves of the name's [`prefix`]. The children of a node stand side by side, ordered by (segment kind, name).
//! - intervals: [`INTERVAL_WORDS`] words: `since | until << 16` (until `0xFFFF`: still holds), type, flags, list of aliases, default,
//!   variant of the default, list of validators (mode, name, mode, name, ...), prefix of environment variables.
//! - types: [`TYPE_WORDS`] words: `base | nullable << 8 | policy << 16`, tag key, list of literals, list of member types, list of bounds
//!   (name, low and high word of an `f64`; for `finite` that is zero), list of functions.
//! - lists: a length, then that many words; a list is named by the word offset of its length.
//! - roots: one node for each kind.
//! - commits: [`COMMIT_WORDS`] words: the hash (five words), moment in UTC, day by the author's clock, `schema | is_schema_commit << 16`, pull request.
//! - tags: [`COMMIT_WORDS`] words: the hash, moment, day, schema, name.
//! - moves: [`MOVE_WORDS`] words, ordered by their key: key (`KIND:path`), point (none: before the history), new path, new kind, date,
//!   condition, note, commit, change, automatic, value, pull request, path with its variants.
//! - docs: one word for each node: the list of what is said of it (point, sentence, point, sentence, ...), oldest first.

#![expect(missing_docs, reason = "the layout is described as a whole above")]

pub const MAGIC: u32 = 0x3147_4643;
/// No string, no list.
pub const NONE: u32 = u32::MAX;

pub const NODE_WORDS: usize = 8;
pub const INTERVAL_WORDS: usize = 8;
pub const TYPE_WORDS: usize = 6;
pub const COMMIT_WORDS: usize = 9;
pub const MOVE_WORDS: usize = 13;

pub const SEGMENT_FIELD: u32 = 0;
pub const SEGMENT_ITEM: u32 = 1;
pub const SEGMENT_MAP_VALUE: u32 = 2;
pub const SEGMENT_VARIANT: u32 = 3;
pub const SEGMENT_CLASS: u32 = 4;

pub const FLAG_REQUIRED: u32 = 1;
pub const FLAG_FACTORY: u32 = 2;
pub const FLAG_HIDDEN: u32 = 4;

pub const TYPE_ANY: u32 = 0;
pub const TYPE_INT: u32 = 1;
pub const TYPE_FLOAT: u32 = 2;
pub const TYPE_BOOL: u32 = 3;
pub const TYPE_STR: u32 = 4;
pub const TYPE_PATH: u32 = 5;
pub const TYPE_LITERAL: u32 = 6;
pub const TYPE_LIST: u32 = 7;
pub const TYPE_DICT: u32 = 8;
pub const TYPE_UNION: u32 = 9;
pub const TYPE_TABLE: u32 = 10;

pub const POLICY_FORBID: u32 = 0;
pub const POLICY_IGNORE: u32 = 1;
pub const POLICY_ALLOW: u32 = 2;

#[derive(Clone, Copy, Debug)]
pub enum Section {
    StringIndex,
    StringBytes,
    Nodes,
    Intervals,
    Types,
    Lists,
    Roots,
    Commits,
    Tags,
    Moves,
    Docs,
}

/// The first eight bytes of a name as a number, zeros behind a shorter one: names are ordered as their prefixes are, where these differ.
/// So a child is found without looking at the names of its neighbours.
pub const fn prefix(name: &[u8]) -> u64 {
    let mut prefix = 0;
    let mut index = 0;
    while index < 8 {
        prefix = prefix << 8 | if index < name.len() { name[index] as u64 } else { 0 };
        index += 1;
    }
    prefix
}

/// The number of sections.
const SECTIONS: usize = Section::Docs as usize + 1;

/// The bytes of a table, and where its sections lie.
#[derive(Debug)]
pub struct Table {
    bytes: &'static [u8],
    /// Offset and length of each section, in bytes.
    sections: [(usize, usize); SECTIONS],
}

impl Table {
    /// A view of `bytes`, which `xtask` made. Of the table in the program this happens when it is compiled. Bytes too short to name their
    /// sections are an empty table.
    pub const fn new(bytes: &'static [u8]) -> Self {
        let mut sections = [(0, 0); SECTIONS];
        let mut index = 0;
        while index < SECTIONS && bytes.len() >= 4 + 8 * SECTIONS {
            let entry = 4 + 8 * index;
            sections[index] = (word_in(bytes, entry) as usize, word_in(bytes, entry + 4) as usize);
            index += 1;
        }
        Self { bytes, sections }
    }

    fn word_at(&self, byte: usize) -> u32 {
        let word = self.bytes.get(byte..byte + 4).and_then(|word| word.try_into().ok());
        u32::from_le_bytes(word.unwrap_or([0xFF; 4]))
    }

    const fn section(&self, section: Section) -> (usize, usize) {
        self.sections[section as usize]
    }

    /// Word number `index` of a section.
    pub fn word(&self, section: Section, index: usize) -> u32 {
        self.word_at(self.section(section).0 + 4 * index)
    }

    /// Segment kind and prefix of the name of a node.
    pub(crate) fn node_key(&self, id: u32) -> (u32, u64) {
        let at = self.section(Section::Nodes).0 + 4 * NODE_WORDS * id as usize;
        let Some(record) = self.bytes.get(at..at + 4 * NODE_WORDS) else { return (NONE, u64::MAX) };
        let word = |index: usize| word_in(record, 4 * index);
        (word(0), u64::from(word(6)) << 32 | u64::from(word(7)))
    }

    /// The number of words of a section.
    pub fn words(&self, section: Section) -> usize {
        self.section(section).1 / 4
    }

    /// The string named `id`.
    pub fn string(&self, id: u32) -> Option<&'static str> {
        if id == NONE {
            return None;
        }
        std::str::from_utf8(self.bytes_of(id)).ok()
    }

    /// The bytes of the string named `id`, to be compared with others.
    pub(crate) fn bytes_of(&self, id: u32) -> &'static [u8] {
        if id == NONE {
            return &[];
        }
        let offset = self.word(Section::StringIndex, 2 * id as usize) as usize + self.section(Section::StringBytes).0;
        let length = self.word(Section::StringIndex, 2 * id as usize + 1) as usize;
        self.bytes.get(offset..offset + length).unwrap_or_default()
    }

    /// The words of the list named `id`; none for [`NONE`].
    pub fn list(&'static self, id: u32) -> impl ExactSizeIterator<Item = u32> + use<> {
        let length = if id == NONE { 0 } else { self.word(Section::Lists, id as usize) as usize };
        (0..length).map(move |index| self.word(Section::Lists, id as usize + 1 + index))
    }

    /// The strings of the list named `id`.
    pub fn strings(&'static self, id: u32) -> impl ExactSizeIterator<Item = &'static str> + use<> {
        self.list(id).map(move |string| self.string(string).unwrap_or_default())
    }
}

/// A word of bytes that are long enough.
const fn word_in(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
