//! Adds keys to a history: those that a project declares for its fork of prime-rl.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::hash::HashMap;
use crate::{
    ExtraType, History, Kind,
    table::{self, NONE, Section},
};

/// Additional keys, by their dotted paths.
type Extras = Vec<(String, ExtraType)>;

impl History {
    /// This history with additional keys, each given by its dotted path and its type, at all points at which the key does not exist already.
    ///
    /// Indices and variants are left out of the paths: `orchestrator.env.shard` is a key of each environment, `trainer.optim.beta` of each
    /// optimizer. A path applies to each kind that has its first table. Every table of the same class as the table around the key gets the key
    /// too: `trainer.beta` of an `rl` config is also `beta` of a `trainer` config. A table that no kind has is created; all its keys are declared
    /// keys.
    ///
    /// Equal keys give the same history, which is kept until the program ends.
    #[must_use]
    pub fn extended(self, extras: &[(String, ExtraType)]) -> Self {
        static KNOWN: Mutex<Vec<(History, Extras, History)>> = Mutex::new(Vec::new());
        if extras.is_empty() {
            return self;
        }
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., made)) = known.iter().find(|(base, own, _)| *base == self && own == extras) {
            return *made;
        }
        let mut draft = Draft::new(self);
        for (path, ty) in extras {
            draft.add(path, ty);
        }
        let made = Self::of_bytes(draft.bytes()).unwrap_or(self);
        known.push((self, extras.to_vec(), made));
        made
    }
}

/// The sections of a table that is being extended. [`table`] describes their words.
pub(crate) struct Draft {
    string_bytes: Vec<u8>,
    string_index: Vec<u32>,
    nodes: Vec<u32>,
    intervals: Vec<u32>,
    types: Vec<u32>,
    lists: Vec<u32>,
    roots: Vec<u32>,
    docs: Vec<u32>,
    /// The classes that have been looked up.
    classes: Vec<Class>,
    /// The class whose children begin with this node.
    by_first_child: HashMap<u32, usize>,
    /// The class of each node that has no children in `nodes`.
    of_childless: HashMap<u32, usize>,
    base: History,
}

/// The children of a node, which it may share with other nodes. They are stored next to each other once all are known.
struct Class {
    fields: BTreeMap<Box<[u8]>, u32>,
    /// The items and variants.
    others: Vec<u32>,
    /// Whether it has fields that are not in `nodes`.
    is_grown: bool,
}

/// The positions in a node's words: segment kind, name, children, intervals.
const KIND: usize = 0;
const NAME: usize = 1;
const CHILDREN: usize = 2;
const INTERVALS: usize = 4;

impl Draft {
    pub(crate) fn new(base: History) -> Self {
        let words = |section| base.table.words_in(section).iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<u32>>();
        let nodes = words(Section::Nodes);
        let mut docs = words(Section::Docs);
        docs.resize(nodes.len() / table::NODE_WORDS, NONE);
        Self {
            string_bytes: base.table.string_bytes().to_vec(),
            string_index: words(Section::StringIndex),
            nodes,
            intervals: words(Section::Intervals),
            types: words(Section::Types),
            lists: words(Section::Lists),
            roots: words(Section::Roots),
            docs,
            classes: Vec::new(),
            by_first_child: HashMap::default(),
            of_childless: HashMap::default(),
            base,
        }
    }

    /// Adds a key by its dotted path.
    fn add(&mut self, path: &str, ty: &ExtraType) {
        let keys: Vec<&str> = path.split('.').filter(|key| !key.is_empty()).collect();
        let Some((name, above)) = keys.split_last() else { return };
        let roots: Vec<u32> = Kind::ALL.iter().filter_map(|kind| self.roots.get(*kind as usize).copied()).collect();
        let knows_first =
            |draft: &mut Self, root: u32| above.first().is_none_or(|first| !draft.fields(&[root], first).is_empty());
        let knowing: Vec<u32> = roots.iter().copied().filter(|&root| knows_first(self, root)).collect();
        for root in if knowing.is_empty() { roots } else { knowing } {
            let mut tables = vec![root];
            for key in above {
                let mut below = self.fields(&tables, key);
                if below.is_empty() {
                    let made = self.type_words(table::TYPE_TABLE, true, NONE, &[]);
                    tables.iter().for_each(|&owner| self.field(owner, key, made));
                    below = self.fields(&tables, key);
                }
                tables.clear();
                below.into_iter().for_each(|field| self.tables_at(field, &mut tables));
            }
            let ty = self.ty(ty, false);
            tables.into_iter().for_each(|owner| self.field(owner, name, ty));
        }
    }

    /// Adds a key to the root of a single kind, with its description.
    pub(crate) fn add_to_root(&mut self, kind: Kind, name: &str, ty: &ExtraType, doc: &str) {
        let Some(&root) = self.roots.get(kind as usize) else { return };
        let ty = self.ty(ty, false);
        let class = self.class(root);
        let is_new = !self.classes[class].fields.contains_key(name.as_bytes());
        self.field(root, name, ty);
        if is_new && let Some(&field) = self.classes[class].fields.get(name.as_bytes()) {
            let text = self.string(doc);
            self.docs[field as usize] = self.list(&[0, text]);
        }
    }

    fn word(&self, node: u32, word: usize) -> u32 {
        self.nodes.get(node as usize * table::NODE_WORDS + word).copied().unwrap_or(0)
    }

    fn kind(&self, node: u32) -> u32 {
        table::segment_kind(self.word(node, KIND))
    }

    /// The class of a node. Nodes with the same children have the same class.
    fn class(&mut self, node: u32) -> usize {
        let (first, count) = (self.word(node, CHILDREN), self.word(node, CHILDREN + 1));
        let known = if count > 0 { self.by_first_child.get(&first) } else { self.of_childless.get(&node) };
        if let Some(class) = known {
            return *class;
        }
        let mut class = Class { fields: BTreeMap::new(), others: Vec::new(), is_grown: false };
        for child in first..first.saturating_add(count).min((self.nodes.len() / table::NODE_WORDS) as u32) {
            if self.kind(child) == table::SEGMENT_FIELD {
                class.fields.entry(self.name(child).into()).or_insert(child);
            } else {
                class.others.push(child);
            }
        }
        let number = self.classes.len();
        self.classes.push(class);
        if count > 0 {
            self.by_first_child.insert(first, number)
        } else {
            self.of_childless.insert(node, number)
        };
        number
    }

    fn name(&self, node: u32) -> &[u8] {
        let index = self.word(node, NAME) as usize * 2;
        let (Some(&offset), Some(&length)) = (self.string_index.get(index), self.string_index.get(index + 1)) else { return &[] };
        self.string_bytes.get(offset as usize..(offset + length) as usize).unwrap_or_default()
    }

    /// The fields with this name in these tables.
    fn fields(&mut self, tables: &[u32], name: &str) -> Vec<u32> {
        let field = |&node: &u32| {
            let class = self.class(node);
            self.classes[class].fields.get(name.as_bytes()).copied()
        };
        tables.iter().filter_map(field).collect()
    }

    /// Adds the tables that are values of a field: the field itself, its items, its variants.
    fn tables_at(&mut self, field: u32, tables: &mut Vec<u32>) {
        let mut own = self.word(field, INTERVALS)..self.word(field, INTERVALS).saturating_add(self.word(field, INTERVALS + 1));
        let ty = |interval: u32| self.intervals.get(interval as usize * table::INTERVAL_WORDS + 1).copied().unwrap_or(NONE);
        let is_table = |interval: u32| {
            let words = (ty(interval) as usize).checked_mul(table::TYPE_WORDS).and_then(|at| self.types.get(at));
            words.is_some_and(|word| word & 0xFF == table::TYPE_TABLE)
        };
        if own.by_ref().take(u16::MAX as usize).any(is_table) {
            tables.push(field);
        }
        let class = self.class(field);
        for other in self.classes[class].others.clone() {
            self.tables_at(other, tables);
        }
    }

    /// Adds a field to the class of the table `owner`. If the class has a field of this name already, that field gets intervals for the points at
    /// which it does not exist.
    fn field(&mut self, owner: u32, name: &str, ty: u32) {
        let class = self.class(owner);
        if let Some(&field) = self.classes[class].fields.get(name.as_bytes()) {
            self.fill(field, ty);
            return;
        }
        let field = (self.nodes.len() / table::NODE_WORDS) as u32;
        let string = self.string(name);
        let interval = self.interval(0, u32::from(u16::MAX), ty);
        self.nodes.extend([table::SEGMENT_FIELD, string, 0, 0, interval, 1]);
        self.docs.push(NONE);
        self.classes[class].fields.insert(name.as_bytes().into(), field);
        self.classes[class].is_grown = true;
    }

    /// Stores the children of each extended class next to each other, in order.
    fn settle(&mut self) {
        let count = (self.nodes.len() / table::NODE_WORDS) as u32;
        let mut behind = count;
        let places: Vec<Option<(u32, u32)>> = self
            .classes
            .iter()
            .map(|class| {
                let children = (class.fields.len() + class.others.len()) as u32;
                let first = behind;
                behind += if class.is_grown { children } else { 0 };
                class.is_grown.then_some((first, children))
            })
            .collect();
        for node in 0..count {
            let first = self.word(node, CHILDREN);
            let has_children = self.word(node, CHILDREN + 1) > 0;
            let class = if has_children { self.by_first_child.get(&first) } else { self.of_childless.get(&node) };
            if let Some((first, children)) = class.and_then(|class| places[*class]) {
                let at = node as usize * table::NODE_WORDS + CHILDREN;
                self.nodes[at] = first;
                self.nodes[at + 1] = children;
            }
        }
        for class in std::mem::take(&mut self.classes).into_iter().filter(|class| class.is_grown) {
            for child in class.fields.into_values().chain(class.others) {
                let at = child as usize * table::NODE_WORDS;
                self.nodes.extend_from_within(at..at + table::NODE_WORDS);
                self.docs.push(self.docs[child as usize]);
            }
        }
    }

    /// Adds intervals with this type to a field, for all points at which it has none.
    fn fill(&mut self, field: u32, ty: u32) {
        let own = self.word(field, INTERVALS)..self.word(field, INTERVALS).saturating_add(self.word(field, INTERVALS + 1));
        let own: Vec<[u32; table::INTERVAL_WORDS]> = own
            .filter_map(|interval| {
                let at = interval as usize * table::INTERVAL_WORDS;
                self.intervals.get(at..at + table::INTERVAL_WORDS)?.try_into().ok()
            })
            .collect();
        let (mut whole, mut since) = (Vec::new(), 0);
        for interval in own {
            if since < interval[0] & 0xFFFF {
                whole.push(declared(since, interval[0] & 0xFFFF, ty));
            }
            since = interval[0] >> 16;
            whole.push(interval);
        }
        if since < u32::from(u16::MAX) {
            whole.push(declared(since, u32::from(u16::MAX), ty));
        }
        let at = field as usize * table::NODE_WORDS + INTERVALS;
        self.nodes[at] = (self.intervals.len() / table::INTERVAL_WORDS) as u32;
        self.nodes[at + 1] = whole.len() as u32;
        self.intervals.extend(whole.as_flattened());
    }

    fn interval(&mut self, since: u32, until: u32, ty: u32) -> u32 {
        self.intervals.extend(declared(since, until, ty));
        (self.intervals.len() / table::INTERVAL_WORDS) as u32 - 1
    }

    fn ty(&mut self, ty: &ExtraType, nullable: bool) -> u32 {
        let (base, literals, members): (u32, &[String], Vec<u32>) = match ty {
            ExtraType::Any => (table::TYPE_ANY, &[], Vec::new()),
            ExtraType::Int => (table::TYPE_INT, &[], Vec::new()),
            ExtraType::Float => (table::TYPE_FLOAT, &[], Vec::new()),
            ExtraType::Bool => (table::TYPE_BOOL, &[], Vec::new()),
            ExtraType::Str => (table::TYPE_STR, &[], Vec::new()),
            ExtraType::Path => (table::TYPE_PATH, &[], Vec::new()),
            ExtraType::Literal(literals) => (table::TYPE_LITERAL, literals, Vec::new()),
            ExtraType::List(item) => (table::TYPE_LIST, &[], vec![self.ty(item, false)]),
            ExtraType::Dict(value) => {
                let members = vec![self.ty(&ExtraType::Str, false), self.ty(value, false)];
                (table::TYPE_DICT, &[], members)
            }
            ExtraType::Union(several) => {
                let members = several.iter().map(|member| self.ty(member, false)).collect();
                (table::TYPE_UNION, &[], members)
            }
            ExtraType::Optional(inner) => return self.ty(inner, true),
        };
        let literals: Vec<u32> = literals.iter().map(|literal| self.string(literal)).collect();
        let literals = self.list(&literals);
        self.type_words(base, nullable, literals, &members)
    }

    fn type_words(&mut self, base: u32, nullable: bool, literals: u32, members: &[u32]) -> u32 {
        let members = self.list(members);
        self.types.extend([base | u32::from(nullable) << 8, NONE, literals, members, NONE, NONE]);
        (self.types.len() / table::TYPE_WORDS) as u32 - 1
    }

    fn list(&mut self, items: &[u32]) -> u32 {
        if items.is_empty() {
            return NONE;
        }
        let at = self.lists.len() as u32;
        self.lists.push(items.len() as u32);
        self.lists.extend(items);
        at
    }

    fn string(&mut self, text: &str) -> u32 {
        self.string_index.extend([self.string_bytes.len() as u32, text.len() as u32]);
        self.string_bytes.extend(text.as_bytes());
        self.string_index.len() as u32 / 2 - 1
    }

    /// The bytes of the extended table.
    pub(crate) fn bytes(mut self) -> Vec<u8> {
        self.settle();
        let flat = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let names = table::names(&self.nodes, &self.string_index, &self.string_bytes);
        let unchanged = |section| self.base.table.words_in(section).as_flattened().to_vec();
        table::join(&[
            flat(&self.string_index),
            self.string_bytes,
            flat(&self.nodes),
            flat(&self.intervals),
            flat(&self.types),
            flat(&self.lists),
            flat(&self.roots),
            unchanged(Section::Commits),
            unchanged(Section::Tags),
            unchanged(Section::Moves),
            flat(&self.docs),
            flat(&names),
        ])
    }
}

/// The words of an interval that has only a type.
fn declared(since: u32, until: u32, ty: u32) -> [u32; table::INTERVAL_WORDS] {
    [since | until << 16, ty, table::FLAG_DECLARED, NONE, NONE, NONE, NONE, NONE]
}

#[cfg(test)]
mod tests {
    use crate::{ExtraType, History, Kind, Target, TypeKind, find_fields};

    fn extended(keys: &[(&str, &str)]) -> History {
        let extras: Vec<(String, ExtraType)> =
            keys.iter().map(|(path, ty)| ((*path).to_owned(), ty.parse().expect("a type"))).collect();
        History::built_in().extended(&extras)
    }

    #[test]
    fn a_declared_key_is_known_where_its_table_is() {
        let history = extended(&[("trainer.swizzle", "int?"), ("trainer.optim.swizzle", "literal(\"a\", \"b\")")]);
        let point = Target::parse(history, "0.4.0").expect("a release").point;
        let known = |kind, path| find_fields(history, kind, path).iter().filter(|found| found.node.at(point).is_some()).count();
        assert_eq!(known(Kind::Rl, "trainer.swizzle"), 1);
        assert_eq!(known(Kind::Trainer, "swizzle"), 1, "it is the same class");
        assert_eq!(known(Kind::Orchestrator, "swizzle"), 0);
        assert!(known(Kind::Trainer, "optim.swizzle") >= 3, "each of the optimizers");
        let field = history.root(Kind::Trainer).field("swizzle").and_then(|field| field.at(point)).expect("it is there");
        assert!(field.is_declared() && field.field_type().is_nullable() && field.field_type().kind() == TypeKind::Int);
        // Everything else is unchanged.
        let built_in = History::built_in();
        for kind in Kind::ALL {
            for (node, _) in built_in.root(kind).fields(point) {
                let Some(name) = node.field_name() else { continue };
                let same = history.root(kind).field(name).expect("each is there");
                assert_eq!(same.doc(point), node.doc(point), "{kind} {name}");
            }
        }
        assert!(built_in.root(Kind::Trainer).field("swizzle").is_none());
        assert_eq!(history, extended(&[("trainer.swizzle", "int?"), ("trainer.optim.swizzle", "literal(\"a\", \"b\")")]));
    }

    #[test]
    fn an_unknown_table_is_created() {
        let history =
            extended(&[("trainer.sandbox.image", "str"), ("trainer.sandbox.slots", "list[int]"), ("probe.rate", "float")]);
        for path in ["trainer.sandbox.image", "trainer.sandbox.slots", "probe.rate"] {
            assert_eq!(find_fields(history, Kind::Rl, path).len(), 1, "{path}");
        }
        assert!(find_fields(history, Kind::Orchestrator, "trainer.sandbox").is_empty());
        assert_eq!(find_fields(history, Kind::Orchestrator, "probe.rate").len(), 1);
    }

    #[test]
    fn a_known_key_is_unchanged_and_declared_where_it_was_absent() {
        let history = extended(&[("orchestrator.mask_truncated_completions", "str")]);
        let field = history.root(Kind::Orchestrator).field("mask_truncated_completions").expect("it was a key once");
        let old = Target::parse(history, "6b01ba5ae").expect("a commit").point;
        assert!(field.at(old).is_some_and(|interval| !interval.is_declared()));
        assert!(field.at(history.newest()).is_some_and(crate::Interval::is_declared));
    }

    #[test]
    fn a_table_gets_the_declared_keys() {
        let size = |count: usize| {
            let keys: Vec<(String, ExtraType)> = (0..count)
                .flat_map(|number| ["trainer.k", "orchestrator.train.env.k", "mine.k"].map(|key| format!("{key}{number}")))
                .map(|key| (key, ExtraType::Int))
                .collect();
            let history = History::built_in().extended(&keys);
            for (key, _) in &keys {
                assert!(!find_fields(history, Kind::Rl, key).is_empty(), "{key}");
            }
            history.table.words(crate::table::Section::Nodes) - History::built_in().table.words(crate::table::Section::Nodes)
        };
        let (few, many) = (size(100), size(400));
        assert!(many < 5 * few, "four times the keys make a table of {many} words more, not {few}");
    }

    #[test]
    fn invalid_declarations_are_handled() {
        for path in ["", ".", "a..b", "max_steps.below", "trainer", "trainer.model"] {
            let _ = extended(&[(path, "int")]);
        }
    }
}
