//! The binary table: its layout, and functions that read its words in place.
//!
//! A magic word, then one pair (byte offset, byte length) for each [`Section`], then the sections. All words are little-endian `u32`.
//!
//! - strings: pairs (offset, length) into the string bytes; a string is referred to by the index of its pair.
//! - nodes: [`NODE_WORDS`] words: segment kind with [`HAS_REQUIRED`] and [`HAS_ALIASES`], name, first child, number of children, first interval,
//!   number of intervals. The children of a node are stored next to each other, ordered by (segment kind, name).
//! - intervals: [`INTERVAL_WORDS`] words: `since | until << 16` (until `0xFFFF`: no end), type, flags, list of aliases, default,
//!   variant of the default, list of validators (mode, name, mode, name, ...), prefix of environment variables.
//! - types: [`TYPE_WORDS`] words: `base | nullable << 8 | policy << 16`, tag key, list of literals, list of member types, list of bounds
//!   (its number in [`BOUNDS`], low and high word of an `f64`; for `finite` that is zero), list of functions.
//! - lists: a length, then that many words; a list is referred to by the word offset of its length.
//! - roots: one node for each kind.
//! - commits: [`COMMIT_WORDS`] words: the hash (five words), time in UTC, day in the author's time zone, `schema | is_schema_commit << 16`,
//!   pull request.
//! - tags: [`COMMIT_WORDS`] words: the hash, time, day, schema, name.
//! - moves: [`MOVE_WORDS`] words, ordered by their key: key (`KIND:path`), point (none: before the history), new path, new kind, date,
//!   condition, note, commit, change, automatic, value, pull request, path with its variants.
//! - docs: one word for each node: the list of its descriptions (point, sentence, point, sentence, ...), oldest first.
//! - names: a hash table of nodes by siblings and name. The number of slots is a power of two; a slot has [`SLOT_WORDS`] words: a node or
//!   [`NONE`], its [`digest`], and its name: offset, `kind << 24 | length`. A search starts at the slot that the digest gives (modulo the number of slots)
//!   and ends at the next empty slot.

#![expect(missing_docs, reason = "the layout is described as a whole above")]

use std::collections::BTreeMap;

pub const MAGIC: u32 = 0x3147_4643;
/// No string, or no list.
pub const NONE: u32 = u32::MAX;

pub const NODE_WORDS: usize = 6;
pub const INTERVAL_WORDS: usize = 8;
pub const TYPE_WORDS: usize = 6;
pub const COMMIT_WORDS: usize = 9;
pub const MOVE_WORDS: usize = 13;
pub const SLOT_WORDS: usize = 4;

pub const SEGMENT_FIELD: u32 = 0;
pub const SEGMENT_ITEM: u32 = 1;
pub const SEGMENT_MAP_VALUE: u32 = 2;
pub const SEGMENT_VARIANT: u32 = 3;
pub const SEGMENT_CLASS: u32 = 4;

/// A flag in the word of the segment kind: the table has a required field at some point.
pub const HAS_REQUIRED: u32 = 1 << 8;
/// A flag in the word of the segment kind: the field has aliases at some point.
pub const HAS_ALIASES: u32 = 1 << 9;

/// The segment kind in a word, without the flags.
pub const fn segment_kind(word: u32) -> u32 {
    word & 0xFF
}

pub const FLAG_REQUIRED: u32 = 1;
pub const FLAG_FACTORY: u32 = 2;
pub const FLAG_HIDDEN: u32 = 4;
pub const FLAG_DECLARED: u32 = 8;
/// A flag of an interval: the class has a validator in the mode `before`, on the table or on a field.
pub const FLAG_BEFORE: u32 = 16;
/// A flag of an interval: the class has a validator in the mode `after`.
pub const FLAG_AFTER: u32 = 32;

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

/// The names of bounds. A list of bounds contains their numbers here.
pub const BOUNDS: [&str; 6] = ["ge", "gt", "le", "lt", "finite", "min_length"];

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
    Names,
}

/// The hash by which a node is searched, of its first sibling, its kind and its name.
pub fn digest(first: u32, kind: u32, name: &[u8]) -> u32 {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut mixed = (u64::from(first) << 32 | u64::from(kind) << 24 | name.len() as u64).wrapping_mul(MIX);
    let mut add = |word: u64| mixed = (mixed.rotate_left(29) ^ word).wrapping_mul(MIX);
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    // The last word overlaps the one before it, so that every word is complete.
    if let Some(last) = name.last_chunk() {
        name.chunks_exact(8).filter_map(<[u8]>::first_chunk).for_each(|word| add(u64::from_le_bytes(*word)));
        add(u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        add(half(first) << 32 | half(last));
    } else if let (Some(first), Some(last)) = (name.first(), name.last()) {
        add(u64::from(*first) << 16 | u64::from(name[name.len() / 2]) << 8 | u64::from(*last));
    }
    (mixed >> 32) as u32
}

/// The hash table of names for the words of all nodes. At most half of its slots are used.
pub fn names(nodes: &[u32], string_index: &[u32], string_bytes: &[u8]) -> Vec<u32> {
    let node = |id: u32| nodes.get(NODE_WORDS * id as usize..)?.first_chunk::<NODE_WORDS>();
    let count = (nodes.len() / NODE_WORDS) as u32;
    let size = (2 * count as usize).next_power_of_two();
    let mut names = vec![[NONE; SLOT_WORDS]; size];
    // Nodes share either all their children or none.
    let blocks: BTreeMap<u32, u32> =
        (0..count).filter_map(node).map(|node| (node[2], node[3])).filter(|block| block.1 > 0).collect();
    for (first, count) in blocks {
        for (id, node) in (first..first.saturating_add(count)).filter_map(|id| Some((id, node(id)?))) {
            let place = string_index.get(2 * node[1] as usize..).and_then(<[u32]>::first_chunk);
            let &[offset, length] = place.unwrap_or(&[0, 0]);
            let name = string_bytes.get(offset as usize..(offset + length) as usize).unwrap_or_default();
            let digest = digest(first, segment_kind(node[0]), name);
            let mut at = digest as usize % size;
            while names[at][0] != NONE {
                at = (at + 1) % size;
            }
            names[at] = [id, digest, offset, segment_kind(node[0]) << 24 | length];
        }
    }
    names.into_flattened()
}

/// The number of sections.
const SECTIONS: usize = Section::Names as usize + 1;

/// The bytes of a word. A section is a list of these, so that a word is read by its index alone, without a range of bytes: this is the innermost
/// step of every check.
pub(crate) type Word = [u8; 4];

/// The sections of a table.
#[derive(Debug)]
pub struct Table {
    /// The words of each section; empty if it is outside the table's bytes.
    sections: [&'static [Word]; SECTIONS],
    /// The bytes of the strings, whose UTF-8 has been validated.
    strings: &'static str,
    /// Another table that provides the commits, tags and moves, if any.
    chronicle: Option<&'static Table>,
}

impl Table {
    /// The table in `bytes`. For the built-in table this is evaluated at compile time. If the bytes are too short for the list of sections, the
    /// table is empty.
    pub const fn new(bytes: &'static [u8]) -> Self {
        let mut sections: [&[Word]; SECTIONS] = [&[]; SECTIONS];
        let mut strings = "";
        let mut index = 0;
        while index < SECTIONS {
            if let Some(section) = section(bytes, index) {
                sections[index] = section.as_chunks().0;
                if index == Section::StringBytes as usize
                    && let Ok(text) = std::str::from_utf8(section)
                {
                    strings = text;
                }
            }
            index += 1;
        }
        Self { sections, strings, chronicle: None }
    }

    /// This table, with the commits, tags and moves of another table.
    pub(crate) const fn with_chronicle(self, chronicle: &'static Self) -> Self {
        Self { chronicle: Some(chronicle), ..self }
    }

    /// The table that provides the commits, tags and moves.
    pub(crate) const fn chronicle(&'static self) -> &'static Self {
        match self.chronicle {
            Some(chronicle) => chronicle,
            None => self,
        }
    }

    /// The word number `index` of a section.
    pub fn word(&self, section: Section, index: usize) -> u32 {
        let words = self.words_in(section);
        if index < words.len() { word_in(words, index) } else { NONE }
    }

    /// The word number `index` of a section, and the word after it.
    pub(crate) fn pair(&self, section: Section, index: usize) -> (u32, u32) {
        match self.words_in(section).get(index..) {
            Some([first, second, ..]) => (u32::from_le_bytes(*first), u32::from_le_bytes(*second)),
            _ => (NONE, NONE),
        }
    }

    /// The node with this kind and name among the `count` nodes that start at `first`.
    pub(crate) fn child(&self, first: u32, count: u32, kind: u32, name: &str) -> Option<u32> {
        let (slots, _) = self.words_in(Section::Names).as_chunks::<SLOT_WORDS>();
        let mask = slots.len().checked_sub(1)?;
        let digest = digest(first, kind, name.as_bytes());
        // The number of steps is limited, because a damaged table may have no empty slot.
        for step in 0..=mask {
            let slot = &slots[(digest as usize + step) & mask];
            let id = word_in(slot, 0);
            if id == NONE {
                return None;
            }
            let is_alike = word_in(slot, 1) == digest
                && word_in(slot, 3) as usize == (kind as usize) << 24 | name.len()
                && id.wrapping_sub(first) < count;
            if is_alike && self.has_at(word_in(slot, 2), name) {
                return Some(id);
            }
        }
        None
    }

    /// The interval that contains a point among the `count` intervals that start at `first`.
    pub(crate) fn interval_at(&self, first: u32, count: u32, point: u16) -> Option<u32> {
        let (intervals, _) = self.words_in(Section::Intervals).as_chunks::<INTERVAL_WORDS>();
        let range = intervals.get(first as usize..first as usize + count as usize)?;
        // They are ordered and few, and the end of one without an end is stored as the largest number.
        let index = range.iter().position(|interval| u32::from(point) < word_in(interval, 0) >> 16)?;
        (word_in(&range[index], 0) & 0xFFFF <= u32::from(point)).then_some(first + index as u32)
    }

    /// Whether these are the bytes of a complete table: they start with the magic word, and contain all sections.
    pub(crate) fn is_whole(bytes: &[u8]) -> bool {
        let is_magic = bytes.first_chunk().is_some_and(|magic| u32::from_le_bytes(*magic) == MAGIC);
        is_magic && (0..SECTIONS).all(|index| section(bytes, index).is_some())
    }

    pub(crate) const fn words_in(&self, section: Section) -> &'static [Word] {
        self.sections[section as usize]
    }

    /// The bytes of all strings.
    pub(crate) const fn string_bytes(&self) -> &'static [u8] {
        self.strings.as_bytes()
    }

    /// The number of words of a section.
    pub const fn words(&self, section: Section) -> usize {
        self.words_in(section).len()
    }

    /// The string with the number `id`.
    pub fn string(&self, id: u32) -> Option<&'static str> {
        if id == NONE {
            return None;
        }
        let (offset, length) = self.pair(Section::StringIndex, 2 * id as usize);
        self.strings.get(offset as usize..offset as usize + length as usize)
    }

    /// Whether the string with the number `id` is `text`.
    pub(crate) fn is_string(&self, id: u32, text: &str) -> bool {
        let (offset, length) = self.pair(Section::StringIndex, 2 * id as usize);
        length as usize == text.len() && self.has_at(offset, text)
    }

    /// Whether the string bytes contain `text` at a byte offset.
    fn has_at(&self, offset: u32, text: &str) -> bool {
        let offset = offset as usize;
        self.strings.as_bytes().get(offset..offset + text.len()) == Some(text.as_bytes())
    }

    /// The words of the list at `id`; empty for [`NONE`].
    pub fn list(&'static self, id: u32) -> impl ExactSizeIterator<Item = u32> + use<> {
        (0..self.length(id)).map(move |index| self.item(id, index))
    }

    /// The number of words of the list at `id`.
    pub(crate) fn length(&self, id: u32) -> usize {
        if id == NONE { 0 } else { self.word(Section::Lists, id as usize) as usize }
    }

    /// One word of the list at `id`.
    pub(crate) fn item(&self, id: u32, index: usize) -> u32 {
        self.word(Section::Lists, id as usize + 1 + index)
    }

    /// The strings of the list at `id`.
    pub fn strings(&'static self, id: u32) -> impl ExactSizeIterator<Item = &'static str> + use<> {
        self.list(id).map(move |string| self.string(string).unwrap_or_default())
    }
}

/// The bytes of the section with this number; `None` if the table's bytes are too short.
const fn section(bytes: &[u8], index: usize) -> Option<&[u8]> {
    let entry = 4 + 8 * index;
    if bytes.len() < entry + 8 {
        return None;
    }
    let words = bytes.as_chunks().0;
    let (start, length) = (word_in(words, entry / 4) as usize, word_in(words, entry / 4 + 1) as usize);
    if bytes.len() < start || bytes.len() - start < length {
        return None;
    }
    Some(bytes.split_at(start).1.split_at(length).0)
}

/// Joins sections in their order to a table: the magic word, one (offset, length) pair for each section, then the sections, each padded to whole
/// words.
pub fn join(sections: &[Vec<u8>]) -> Vec<u8> {
    let mut head = vec![MAGIC];
    let mut offset = 4 + 8 * sections.len();
    for section in sections {
        head.extend([offset as u32, section.len() as u32]);
        offset += section.len().next_multiple_of(4);
    }
    let mut joined: Vec<u8> = Vec::with_capacity(offset);
    joined.extend(head.into_iter().flat_map(u32::to_le_bytes));
    for section in sections {
        joined.extend(section);
        joined.resize(joined.len().next_multiple_of(4), 0);
    }
    joined
}

/// The word at an index, which must exist.
pub(crate) const fn word_in(words: &[Word], index: usize) -> u32 {
    u32::from_le_bytes(words[index])
}
