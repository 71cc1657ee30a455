//! Writes the binary table: sections of little-endian words. `crate::table`, which reads it in place, documents the layout.

use std::collections::BTreeMap;

use crate::hash::HashMap;
use crate::table::{self, NONE};

use crate::compiler::{
    KINDS,
    chronicle::Chronicle,
    text::Interval,
    tree::{Node, Segment},
    types::Type,
};

/// A description of a field, with the first point from which it applies.
pub type Sentence<'t> = (&'t Node<'t>, u16, &'t str);

#[derive(Default)]
struct Encoder<'t> {
    strings: HashMap<&'t str, u32>,
    string_index: Vec<u32>,
    string_bytes: Vec<u8>,
    nodes: Vec<[u32; table::NODE_WORDS]>,
    intervals: Vec<[u32; table::INTERVAL_WORDS]>,
    types: Vec<u32>,
    type_offsets: HashMap<[u32; table::TYPE_WORDS], u32>,
    lists: Vec<u32>,
    list_offsets: HashMap<Vec<u32>, u32>,
    /// The index in the table of each node of the source trees, for `fields of`.
    placed: HashMap<*const Node<'t>, usize>,
}

/// Encodes the trees, the descriptions of their fields, the main line, the tags and the moves. A table without commits is used together with the
/// commits of the built-in one ([`crate::History::of_bytes`]).
pub fn encode<'t>(trees: &'t [Node<'t>], sentences: &[Sentence<'t>], chronicle: &'t Chronicle) -> Result<Vec<u8>, String> {
    let mut encoder = Encoder::default();
    encoder.string("");
    let roots: Vec<u32> = trees.iter().map(|tree| encoder.node(tree, Segment::Item) as u32).collect();
    for (tree, &root) in trees.iter().zip(&roots) {
        encoder.children(tree, root as usize);
    }
    for tree in trees {
        encoder.share(tree, trees)?;
    }
    let commit_words = encoder.commits(chronicle)?;
    let tag_words = encoder.tags(chronicle)?;
    let move_words = encoder.moves(chronicle);
    let doc_words = encoder.docs(sentences);
    let names = table::names(encoder.nodes.as_flattened(), &encoder.string_index, &encoder.string_bytes);
    let sections = [
        bytes(&encoder.string_index),
        encoder.string_bytes,
        bytes(encoder.nodes.as_flattened()),
        bytes(encoder.intervals.as_flattened()),
        bytes(&encoder.types),
        bytes(&encoder.lists),
        bytes(&roots),
        bytes(&commit_words),
        bytes(&tag_words),
        bytes(&move_words),
        bytes(&doc_words),
        bytes(&names),
    ];
    Ok(table::join(&sections))
}

impl<'t> Encoder<'t> {
    fn string(&mut self, text: &'t str) -> u32 {
        let id = self.strings.len() as u32;
        let known = *self.strings.entry(text).or_insert(id);
        if known != id {
            return known;
        }
        self.string_index.extend([self.string_bytes.len() as u32, text.len() as u32]);
        self.string_bytes.extend(text.as_bytes());
        id
    }

    fn optional_string(&mut self, text: Option<&'t str>) -> u32 {
        text.map_or(NONE, |text| self.string(text))
    }

    /// Adds a node without its children.
    fn node(&mut self, node: &'t Node<'t>, segment: Segment<'t>) -> usize {
        let (kind, name) = match segment {
            Segment::Field(name) => (table::SEGMENT_FIELD, name),
            Segment::Item => (table::SEGMENT_ITEM, ""),
            Segment::MapValue => (table::SEGMENT_MAP_VALUE, ""),
            Segment::Variant(tag) => (table::SEGMENT_VARIANT, tag),
            Segment::Class(name) => (table::SEGMENT_CLASS, name),
        };
        let has_aliases = node.intervals.iter().any(|interval| !interval.aliases.is_empty());
        let kind = kind | (u32::from(has_aliases) * table::HAS_ALIASES);
        let name = self.string(name);
        let first_interval = self.intervals.len() as u32;
        for interval in node.intervals {
            let words = self.interval(interval);
            self.intervals.push(words);
        }
        let place = self.nodes.len();
        let intervals = node.intervals.len() as u32;
        self.nodes.push([kind, name, 0, 0, first_interval, intervals]);
        self.placed.insert(std::ptr::from_ref(node), place);
        place
    }

    /// Adds the children of a node next to each other, then the children of each of them.
    fn children(&mut self, node: &'t Node<'t>, place: usize) {
        let first = self.nodes.len();
        for (segment, child) in &node.children {
            self.node(child, *segment);
        }
        self.nodes[place][2] = first as u32;
        self.nodes[place][3] = node.children.len() as u32;
        if node.children.values().any(|child| child.intervals.iter().any(|interval| interval.required)) {
            self.nodes[place][0] |= table::HAS_REQUIRED;
        }
        for (index, child) in node.children.values().enumerate() {
            self.children(child, first + index);
        }
    }

    /// Gives every node with `fields of` the children of the node that it names.
    fn share(&mut self, node: &'t Node<'t>, trees: &'t [Node<'t>]) -> Result<(), String> {
        if let Some((kind, path)) = node.like {
            let donor = KINDS.iter().position(|name| name == kind).and_then(|kind| trees[kind].at(path));
            let donor = donor.ok_or_else(|| format!("`fields of {kind}:{path}` does not exist"))?;
            if donor.like.is_some() || !node.children.is_empty() {
                return Err(format!(
                    "`fields of {kind}:{path}`: that field must list its fields itself, and this one must list none"
                ));
            }
            let [kind, _, first, count, ..] = self.nodes[self.placed[&std::ptr::from_ref(donor)]];
            let own = self.placed[&std::ptr::from_ref(node)];
            self.nodes[own][0] |= kind & table::HAS_REQUIRED;
            self.nodes[own][2] = first;
            self.nodes[own][3] = count;
        }
        node.children.values().try_for_each(|child| self.share(child, trees))
    }

    fn interval(&mut self, interval: &'t Interval) -> [u32; table::INTERVAL_WORDS] {
        let flags = (u32::from(interval.required) * table::FLAG_REQUIRED)
            | (u32::from(interval.factory) * table::FLAG_FACTORY)
            | (u32::from(interval.hidden) * table::FLAG_HIDDEN)
            | (u32::from(interval.validators.iter().any(|(mode, _)| mode.starts_with("before"))) * table::FLAG_BEFORE)
            | (u32::from(interval.validators.iter().any(|(mode, _)| mode == "after")) * table::FLAG_AFTER);
        let aliases: Vec<u32> = interval.aliases.iter().map(|key| self.string(key)).collect();
        let validators: Vec<u32> =
            interval.validators.iter().flat_map(|(mode, name)| [self.string(mode), self.string(name)]).collect();
        [
            u32::from(interval.since) | (u32::from(interval.until.unwrap_or(u16::MAX)) << 16),
            self.ty(&interval.ty),
            flags,
            self.list(&aliases),
            self.optional_string(interval.default.as_deref()),
            self.optional_string(interval.variant.as_deref()),
            self.list(&validators),
            self.optional_string(interval.settings.as_deref()),
        ]
    }

    fn list(&mut self, items: &[u32]) -> u32 {
        if items.is_empty() {
            return NONE;
        }
        if let Some(&offset) = self.list_offsets.get(items) {
            return offset;
        }
        let offset = self.lists.len() as u32;
        self.lists.push(items.len() as u32);
        self.lists.extend(items);
        self.list_offsets.insert(items.to_vec(), offset);
        offset
    }

    fn ty(&mut self, ty: &'t Type) -> u32 {
        let base = match ty.base.as_str() {
            "int" => table::TYPE_INT,
            "float" => table::TYPE_FLOAT,
            "bool" => table::TYPE_BOOL,
            "str" => table::TYPE_STR,
            "path" => table::TYPE_PATH,
            "literal" => table::TYPE_LITERAL,
            "list" => table::TYPE_LIST,
            "dict" => table::TYPE_DICT,
            "union" => table::TYPE_UNION,
            "table" | "root" | "variant" => table::TYPE_TABLE,
            _ => table::TYPE_ANY,
        };
        let policy = match ty.policy.as_deref() {
            Some("ignore") => table::POLICY_IGNORE,
            Some("allow") => table::POLICY_ALLOW,
            _ => table::POLICY_FORBID,
        };
        let literals: Vec<u32> = ty.literals.iter().map(|text| self.string(text)).collect();
        let members: Vec<u32> = ty.members.iter().map(|member| self.ty(member)).collect();
        let functions: Vec<u32> = ty.functions.iter().map(|name| self.string(name)).collect();
        let bounds: Vec<u32> = ty
            .bounds
            .iter()
            .flat_map(|(name, limit)| {
                let number = table::BOUNDS.iter().position(|bound| bound == name).map_or(NONE, |at| at as u32);
                let bits = limit.to_bits();
                [number, bits as u32, (bits >> 32) as u32]
            })
            .collect();
        let words = [
            base | (u32::from(ty.nullable) << 8) | (policy << 16),
            self.optional_string(ty.discriminator.as_deref()),
            self.list(&literals),
            self.list(&members),
            self.list(&bounds),
            self.list(&functions),
        ];
        if let Some(&offset) = self.type_offsets.get(&words) {
            return offset;
        }
        let offset = (self.types.len() / table::TYPE_WORDS) as u32;
        self.types.extend(words);
        self.type_offsets.insert(words, offset);
        offset
    }

    fn commits(&mut self, chronicle: &'t Chronicle) -> Result<Vec<u32>, String> {
        let mut words = Vec::new();
        for commit in &chronicle.commits {
            words.extend(sha_words(&commit.sha)?);
            words.extend([self.string(&commit.date), self.string(&commit.day)]);
            words.push(u32::from(commit.schema) | (u32::from(commit.touches_schema) << 16));
            words.push(commit.pull_request.unwrap_or(NONE));
        }
        Ok(words)
    }

    fn tags(&mut self, chronicle: &'t Chronicle) -> Result<Vec<u32>, String> {
        let mut words = Vec::new();
        for tag in &chronicle.tags {
            words.extend(sha_words(&tag.sha)?);
            words.extend([self.string(&tag.date), self.string(&tag.day)]);
            words.push(u32::from(tag.schema));
            words.push(self.string(&tag.name));
        }
        Ok(words)
    }

    fn moves(&mut self, chronicle: &'t Chronicle) -> Vec<u32> {
        let mut words = Vec::new();
        for entry in &chronicle.moves {
            words.push(self.string(&entry.key));
            words.push(entry.point.map_or(NONE, u32::from));
            for text in [&entry.to, &entry.to_kind, &entry.date, &entry.when, &entry.note] {
                words.push(self.optional_string(text.as_deref()));
            }
            for text in [&entry.commit, &entry.change, &entry.automatic, &entry.value] {
                words.push(self.string(text));
            }
            words.push(entry.pull_request.unwrap_or(NONE));
            words.push(self.string(&entry.from));
        }
        words
    }
}

impl<'t> Encoder<'t> {
    /// The section of descriptions: one word for each node, which names the list of its descriptions, each with the first point to which it
    /// applies.
    fn docs(&mut self, sentences: &[Sentence<'t>]) -> Vec<u32> {
        let mut sentences: Vec<(usize, u16, &'t str)> =
            sentences.iter().map(|(node, since, text)| (self.placed[&std::ptr::from_ref(*node)], *since, *text)).collect();
        sentences.sort_unstable();
        let mut by_node: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (place, since, text) in sentences {
            let text = self.string(text);
            by_node.entry(place).or_default().extend([u32::from(since), text]);
        }
        (0..self.nodes.len()).map(|node| by_node.get(&node).map_or(NONE, |sentences| self.list(sentences))).collect()
    }
}

fn sha_words(sha: &str) -> Result<Vec<u32>, String> {
    let word = |at: usize| sha.get(at..at + 8).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    (0..40).step_by(8).map(word).collect::<Option<_>>().ok_or_else(|| format!("`{sha}` is not a full commit hash"))
}

fn bytes(words: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * words.len());
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes
}
