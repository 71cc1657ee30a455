//! A field of the history: its position in the tree of paths, and its properties at each point.

use crate::{
    FieldType, History, Point,
    table::{self, NONE, Section},
};

/// One step of a path below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// A key.
    Field(&'static str),
    /// An item of an array.
    Item,
    /// The value of any key of a map.
    MapValue,
    /// The table that is selected by a tag.
    Variant(&'static str),
    /// A table in an untagged union, named by its class.
    Class(&'static str),
}

/// A field, for all points. [`Node::at`] returns its properties at one point.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    history: History,
    id: u32,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.history.table, other.history.table)
    }
}

impl Eq for Node {}

impl std::hash::Hash for Node {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Node {
    pub(crate) const fn new(history: History, id: u32) -> Self {
        Self { history, id }
    }

    /// Its history.
    pub const fn history(self) -> History {
        self.history
    }

    fn word(self, index: usize) -> u32 {
        self.history.table.word(Section::Nodes, table::NODE_WORDS * self.id as usize + index)
    }

    /// The range in two consecutive words: the first index, and the number of elements.
    fn range(self, index: usize) -> (u32, u32) {
        self.history.table.pair(Section::Nodes, table::NODE_WORDS * self.id as usize + index)
    }

    /// A number that identifies this node in its history.
    pub const fn id(self) -> u32 {
        self.id
    }

    /// The last step of the path.
    pub fn segment(self) -> Segment {
        let name = self.history.table.string(self.word(1)).unwrap_or_default();
        match self.kind() {
            table::SEGMENT_FIELD => Segment::Field(name),
            table::SEGMENT_MAP_VALUE => Segment::MapValue,
            table::SEGMENT_VARIANT => Segment::Variant(name),
            table::SEGMENT_CLASS => Segment::Class(name),
            _ => Segment::Item,
        }
    }

    /// The name of the field; `None` if the last step of the path is not a field.
    pub fn field_name(self) -> Option<&'static str> {
        (self.kind() == table::SEGMENT_FIELD).then(|| self.history.table.string(self.word(1)).unwrap_or_default())
    }

    /// The tag of the variant; `None` if the last step of the path is not a variant.
    pub fn variant_tag(self) -> Option<&'static str> {
        if let Segment::Variant(tag) = self.segment() { Some(tag) } else { None }
    }

    /// The nodes below it, at any point.
    pub fn children(self) -> impl Iterator<Item = Node> {
        let (first, count) = self.range(2);
        (first..first.saturating_add(count)).map(move |id| Node::new(self.history, id))
    }

    /// The nodes below it that are not fields: items, values of maps, variants and classes. They are stored after the fields.
    pub(crate) fn inner_tables(self) -> impl Iterator<Item = Node> {
        let (first, count) = self.range(2);
        let fields_end = || {
            // Most tables have fields alone.
            let is_field = |id: u32| Node::new(self.history, id).kind() == table::SEGMENT_FIELD;
            let (mut low, mut high) = (first, first.saturating_add(count));
            if high > low && is_field(high - 1) {
                return high;
            }
            while low < high {
                let middle = low + (high - low) / 2;
                if is_field(middle) { low = middle + 1 } else { high = middle }
            }
            low
        };
        (fields_end()..first.saturating_add(count)).map(move |id| Node::new(self.history, id))
    }

    /// Whether it has the same nodes below it as another one: nodes share either all of them or none.
    pub fn has_fields_of(self, other: Self) -> bool {
        self.children().next() == other.children().next()
    }

    fn child(self, kind: u32, name: &str) -> Option<Node> {
        let (first, count) = self.range(2);
        let id = self.history.table.child(first, count, kind, name)?;
        Some(Node::new(self.history, id))
    }

    fn kind(self) -> u32 {
        table::segment_kind(self.word(0))
    }

    /// The field with exactly this name.
    pub fn field(self, name: &str) -> Option<Node> {
        self.child(table::SEGMENT_FIELD, name)
    }

    /// The variant that this tag selects.
    pub fn variant(self, tag: &str) -> Option<Node> {
        self.child(table::SEGMENT_VARIANT, tag)
    }

    /// The items of an array; `None` if it is not an array, or the history does not have its items.
    pub fn item(self) -> Option<Node> {
        self.child(table::SEGMENT_ITEM, "")
    }

    /// The values of a map; `None` if it is not a map, or the history does not have its values.
    pub fn map_value(self) -> Option<Node> {
        self.child(table::SEGMENT_MAP_VALUE, "")
    }

    /// The tables of an untagged union.
    pub fn classes(self) -> impl Iterator<Item = Node> {
        self.children().filter(|child| child.kind() == table::SEGMENT_CLASS)
    }

    /// The variants of a tagged union that exist at `point`.
    pub fn variants(self, point: Point) -> impl Iterator<Item = Node> {
        self.children().filter(move |child| child.kind() == table::SEGMENT_VARIANT && child.at(point).is_some())
    }

    /// The fields that exist at `point`, with their properties.
    pub fn fields(self, point: Point) -> impl Iterator<Item = (Node, Interval)> {
        self.children()
            .filter(|child| child.kind() == table::SEGMENT_FIELD)
            .filter_map(move |child| Some((child, child.at(point)?)))
    }

    /// The field for a key of a config at `point`: by its own name, or by one of its aliases.
    pub fn field_for_key(self, key: &str, point: Point) -> Option<(Node, Interval)> {
        let own = self.field(key).and_then(|node| Some((node, node.at(point)?)));
        if let Some((node, interval)) = own
            && (!interval.has_aliases() || interval.is_alias(key))
        {
            return Some((node, interval));
        }
        self.aliased().filter_map(|node| Some((node, node.at(point)?))).find(|(_, interval)| interval.is_alias(key))
    }

    /// The fields that have aliases at some point.
    pub fn aliased(self) -> impl Iterator<Item = Node> {
        self.children().filter(|child| child.word(0) & table::HAS_ALIASES != 0)
    }

    /// Whether a key is an alias of one of its fields at any point.
    pub fn is_alias(self, key: &str) -> bool {
        self.aliased().flat_map(Node::intervals).any(|interval| interval.is_alias(key))
    }

    /// All its intervals, oldest first.
    pub fn intervals(self) -> impl Iterator<Item = Interval> {
        let (first, count) = self.range(4);
        (first..first.saturating_add(count)).map(move |id| Interval { history: self.history, id })
    }

    /// Its properties at `point`; `None` if it does not exist.
    pub fn at(self, point: Point) -> Option<Interval> {
        let (first, count) = self.range(4);
        let id = self.history.table.interval_at(first, count, point.0)?;
        Some(Interval { history: self.history, id })
    }

    /// The required fields at `point`.
    pub fn required(self, point: Point) -> impl Iterator<Item = (Node, Interval)> {
        let has_any = self.word(0) & table::HAS_REQUIRED != 0;
        has_any.then(|| self.fields(point).filter(|(_, interval)| interval.is_required())).into_iter().flatten()
    }
}

/// The properties of a field over a range of points.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    history: History,
    id: u32,
}

impl Interval {
    fn word(self, index: usize) -> u32 {
        self.history.table.word(Section::Intervals, table::INTERVAL_WORDS * self.id as usize + index)
    }

    /// Its first point.
    pub fn since(self) -> Point {
        Point((self.word(0) & 0xFFFF) as u16)
    }

    /// The first point after it; `None` if it still applies.
    pub fn until(self) -> Option<Point> {
        let until = (self.word(0) >> 16) as u16;
        (until != u16::MAX).then_some(Point(until))
    }

    /// The type of its value.
    pub fn field_type(self) -> FieldType {
        FieldType::new(self.history, self.word(1))
    }

    /// Whether the field is required.
    pub fn is_required(self) -> bool {
        self.word(2) & table::FLAG_REQUIRED != 0
    }

    /// Whether its default is computed by a function at each load.
    pub fn has_factory(self) -> bool {
        self.word(2) & table::FLAG_FACTORY != 0
    }

    /// Whether it is left out of the resolved config.
    pub fn is_hidden(self) -> bool {
        self.word(2) & table::FLAG_HIDDEN != 0
    }

    /// Whether the field is declared by a project rather than by prime-rl's classes. Then only its type is known.
    pub fn is_declared(self) -> bool {
        self.word(2) & table::FLAG_DECLARED != 0
    }

    /// The keys that a config may use for the field, in order of preference; empty if only the field's own name is allowed.
    pub fn aliases(self) -> impl ExactSizeIterator<Item = &'static str> {
        self.history.table.strings(self.word(3))
    }

    /// Whether a key is one of its aliases.
    pub fn is_alias(self, key: &str) -> bool {
        self.history.table.list(self.word(3)).any(|alias| self.history.table.is_string(alias, key))
    }

    /// Whether a config may use other keys for the field than its own name.
    pub fn has_aliases(self) -> bool {
        self.word(3) != NONE
    }

    /// Its default, as JSON. The default of a table contains only the keys that it sets itself.
    pub fn default_json(self) -> Option<&'static str> {
        self.history.table.string(self.word(4))
    }

    /// The variant of its default, as JSON: a string, or a list of strings for an array.
    pub fn default_variant_json(self) -> Option<&'static str> {
        self.history.table.string(self.word(5))
    }

    /// The variant of its default, if the default is a single table.
    pub fn default_variant(self) -> Option<&'static str> {
        self.default_variant_json()?.strip_prefix('"')?.strip_suffix('"')
    }

    /// prime-rl's validators of this table, as (mode, name), in order. The modes are `before`, `after`, `before field` and
    /// `after field`.
    pub fn validators(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let mut strings = self.history.table.strings(self.word(6));
        std::iter::from_fn(move || Some((strings.next()?, strings.next()?)))
    }

    /// The names of the validators of one mode, in order.
    pub fn validators_of(self, mode: &str) -> impl DoubleEndedIterator<Item = &'static str> {
        let table = self.history.table;
        let list = self.word(6);
        let pairs = (0..table.length(list) / 2).map(|pair| 2 * pair);
        let of_mode = pairs.filter(move |pair| table.is_string(table.item(list, *pair), mode));
        of_mode.map(move |pair| table.string(table.item(list, pair + 1)).unwrap_or_default())
    }

    /// Whether the table has validators that run on the raw table.
    pub fn has_before_validators(self) -> bool {
        self.word(2) & table::FLAG_BEFORE != 0
    }

    /// Whether the table has validators that run on the finished table.
    pub fn has_after_validators(self) -> bool {
        self.word(2) & table::FLAG_AFTER != 0
    }

    /// The prefix of the environment variables that the class reads; `None` if it reads none.
    pub fn settings_prefix(self) -> Option<&'static str> {
        self.history.table.string(self.word(7))
    }
}
