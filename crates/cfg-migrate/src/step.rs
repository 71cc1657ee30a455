//! Applies the moves of one commit to a config.

use cfg_diag::Order as _;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use cfg_schema::{Automatic, History, Kind, Move, Node as Field, Point};

use crate::{
    conversion::{Condition, Conversion, name_of},
    draft::{Body, Draft, Id, Node, Path},
    entries::Entries,
    making::{Goal, Making, Tag},
    pattern::{self, Match, Token, find},
};

/// A move whose parts have been parsed.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) entry: Move,
    pub(crate) conversion: Conversion,
    pub(crate) condition: Option<Condition>,
    /// The old path in this file.
    pub(crate) from: Vec<Token>,
    /// The new path in this file; `None` if nothing replaces the key, or the new path is in another file.
    pub(crate) to: Option<Vec<Token>>,
    /// The kind of the other file that has the new path.
    other_file: Option<Kind>,
}

/// The moves of the built-in history: they are parsed once, since a command may migrate thousands of launches.
static BUILT_IN: Mutex<Vec<(Kind, Arc<[Prepared]>)>> = Mutex::new(Vec::new());

impl Prepared {
    /// The moves that concern files of this kind: first those before the history, then by commit.
    pub(crate) fn all(history: History, kind: Kind) -> Arc<[Self]> {
        if history != History::built_in() {
            return Self::parsed(history, kind);
        }
        let mut parsed = BUILT_IN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, moves)) = parsed.iter().find(|(of, _)| *of == kind) {
            return Arc::clone(moves);
        }
        let moves = Self::parsed(history, kind);
        parsed.push((kind, Arc::clone(&moves)));
        moves
    }

    fn parsed(history: History, kind: Kind) -> Arc<[Self]> {
        let mut all: Vec<Self> = history.moves().filter_map(|entry| Self::new(kind, entry)).collect();
        all.order_by_key(|prepared| (prepared.entry.point(), prepared.entry.date(), std::cmp::Reverse(prepared.from.len())));
        all.into()
    }

    fn new(kind: Kind, entry: Move) -> Option<Self> {
        let (own, _) = entry.from();
        let prefix = prefix(kind, own)?;
        let with_prefix = |prefix: &'static str, path| -> Vec<Token> {
            pattern::tokens(prefix).into_iter().chain(pattern::tokens(path)).collect()
        };
        let to =
            entry.to().map(|(kind_of, path)| self::prefix(kind, kind_of).map(|prefix| with_prefix(prefix, path)).ok_or(kind_of));
        Some(Self {
            conversion: Conversion::parse(entry.value()),
            condition: entry.when().and_then(Condition::parse),
            from: with_prefix(prefix, entry.pattern()),
            other_file: to.as_ref().and_then(|to| to.as_ref().err().copied()),
            to: to.and_then(Result::ok),
            entry,
        })
    }

    /// Whether the move takes the key away from its old place.
    pub(crate) fn leaves(&self) -> bool {
        matches!(self.entry.change(), "rename" | "move" | "remove" | "restructure")
    }

    /// Whether a value moves unchanged.
    fn keeps_value(&self, node: &Node) -> bool {
        match &self.conversion {
            Conversion::Copy => true,
            // The new place is already below the table.
            Conversion::TableWith(below) => {
                !node.is_table()
                    && self.to.as_ref().and_then(|to| to.last()) == Some(&Token::Key(below))
                    && self.from != *self.to.as_deref().unwrap_or_default()
            }
            // A key that moves takes a value along that the conversion does not list.
            conversion @ Conversion::Map(_) => self.leaves() && node.leaf().is_some() && conversion.value_of(node).is_err(),
            _ => false,
        }
    }

    /// Whether it moves a whole table with any content.
    pub(crate) fn is_of_table(&self) -> bool {
        matches!(self.conversion, Conversion::Copy | Conversion::Merge)
            && self.leaves()
            && self.entry.automatic() == Automatic::Safe
    }
}

/// The table with the keys of a component in a file of a kind: empty for the whole file, `None` if that kind has none.
pub(crate) fn prefix(file: Kind, component: Kind) -> Option<&'static str> {
    match (file, component) {
        _ if file == component => Some(""),
        (Kind::Rl, Kind::Trainer | Kind::Orchestrator | Kind::Inference) => Some(component.name()),
        _ => None,
    }
}

/// What a move did to a value.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) entry: Move,
    /// The index of the value in the text; `None` if an earlier move added it.
    pub(crate) id: Option<Id>,
    /// Its path at that time.
    pub(crate) at: Path,
    pub(crate) what: What,
    /// Whether the config keeps its meaning.
    pub(crate) is_safe: bool,
}

/// The effect of a move.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The value is at another place, or at several.
    Moved(Path),
    /// The value is changed.
    Changed,
    /// The value is removed.
    Dropped,
    /// This key is added next to the value.
    Added(Path),
    /// The user has to decide.
    Left(Why),
}

/// Why a move is not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It would change the meaning.
    Meaning,
    /// Something else is at its new place.
    Occupied(Path),
    /// Its new place is in a file of another kind.
    OtherFile(Kind),
    /// The tables that should receive it don't exist, or their number differs.
    NoPlace,
    /// The user has to decide about something below it first.
    Undecided,
    /// It would be removed with something that the old prime-rl does not know.
    Unknown(Path),
}

/// The former defaults that moves write beside a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inserts {
    /// None.
    Nothing,
    /// Those without which the new prime-rl can't use the config.
    Required,
    /// Also those where it has another default.
    All,
}

/// A config while moves are applied.
#[expect(clippy::struct_excessive_bools, reason = "each answers its own question")]
pub(crate) struct Stepper {
    pub(crate) history: History,
    pub(crate) kind: Kind,
    pub(crate) draft: Draft,
    /// Whether to apply moves that may change its meaning, too.
    pub(crate) makes_all: bool,
    /// Whether it is part of a config, so that absent keys may be in another file.
    pub(crate) is_part: bool,
    /// Whether a table stays at its place as long as the user has to decide about something in it.
    pub(crate) keeps_undecided: bool,
    /// The former defaults that are written beside a key.
    pub(crate) inserts: Inserts,
    /// Whether one was left out without which the new prime-rl can't use the config.
    pub(crate) has_left_out: bool,
    /// The former places of values that are written for the new prime-rl already, each with its place now: nothing else may go there.
    pub(crate) taken: HashMap<Path, Path>,
    /// The values whose keys the old prime-rl refuses: they are of another one, such as a fork, so no move may remove them with the table around them.
    pub(crate) unknown: HashSet<Id>,
    /// The values of the text that may move; `None` for all.
    pub(crate) only: Option<HashSet<Id>>,
    pub(crate) events: Vec<Event>,
    /// Whether a table was empty after the last sweep.
    pub(crate) has_emptied: bool,
    /// The number of events at the last sweep.
    pub(crate) swept: usize,
}

/// The moves of tables among those that were found, each once, however many matches it has.
pub(crate) fn tables_of<'a>(found: impl Iterator<Item = &'a Prepared>) -> Vec<&'a Prepared> {
    let mut tables: Vec<&Prepared> = found.collect();
    tables.dedup_by(|one, other| std::ptr::eq(*one, *other));
    tables
}

impl Stepper {
    /// Applies the moves between two points. Keys with a former name that `from` still accepts are renamed first.
    pub(crate) fn run(&mut self, prepared: &[Prepared], from: Point, to: Point) {
        if from == to && self.only.is_none() {
            return;
        }
        for group in
            prepared.chunk_by(|one, other| (one.entry.point(), one.entry.date()) == (other.entry.point(), other.entry.date()))
        {
            match group[0].entry.point() {
                Some(point) if point > to => break,
                Some(point) if point > from => self.make(group, point),
                _ if self.only.is_some() => {}
                _ => self.catch_up(prepared, group, from),
            }
        }
    }

    pub(crate) fn root(&self) -> Field {
        self.history.root(self.kind)
    }

    /// Applies the moves of one commit.
    fn make(&mut self, group: &[Prepared], point: Point) {
        let before = Point(point.0.saturating_sub(1));
        let mut found: Vec<(&Prepared, Match, Option<bool>)> = Vec::new();
        for prepared in group.iter().filter(|prepared| !matches!(prepared.conversion, Conversion::Pin(_))) {
            for matched in self.matches(prepared, before).into_iter().filter(|matched| self.may_move(&matched.path)) {
                let holds = prepared.condition.as_ref().map(|condition| self.holds(condition, prepared, &matched, before));
                found.push((prepared, matched, holds));
            }
        }
        let tables = tables_of(found.iter().map(|(prepared, ..)| *prepared).filter(|prepared| prepared.is_of_table()));
        for (prepared, matched, holds) in &found {
            let is_unset = prepared.entry.change() == "remove" && self.is_unset(&matched.path, before);
            let holds = if is_unset { Some(true) } else { *holds };
            let is_safe = holds == Some(true) || prepared.entry.automatic() == Automatic::Safe;
            self.one(&Making { prepared, matched, point, tables: &tables, is_safe }, holds);
        }
        self.sweep(point);
    }

    /// The values that a move concerns. A shared key takes precedence over those of the components even if it is not written.
    fn matches(&self, prepared: &Prepared, before: Point) -> Vec<Match> {
        if matches!(prepared.conversion, Conversion::SharedWins(_)) {
            let keys =
                prepared.from.iter().filter_map(|token| if let Token::Key(key) = token { Some((*key).into()) } else { None });
            return vec![Match { path: keys.collect(), captured: Path::new() }];
        }
        find(&self.draft.root, Some(self.root()), before, &prepared.from)
    }

    /// Applies a move to one match. `holds` says whether its condition does, if it has one.
    pub(crate) fn one(&mut self, making: &Making<'_>, holds: Option<bool>) {
        let Making { prepared, matched, .. } = making;
        let path = &matched.path;
        if self.draft.root.is_settled(path) {
            return;
        }
        if let Conversion::SharedWins(components) = &prepared.conversion {
            return self.shared_wins(making, components);
        }
        let Some(node) = self.draft.root.get(path) else { return };
        let may = making.is_safe || self.makes_all;
        let change = prepared.entry.change();
        match &prepared.conversion {
            Conversion::Pin(_) | Conversion::SharedWins(_) => {}
            Conversion::DropUnknown => self.drop_unknown(making),
            Conversion::ComponentWins(components) => self.component_wins(making, components),
            Conversion::With(_) if holds == Some(false) || self.is_part && prepared.entry.pattern().is_empty() => {}
            Conversion::With(map) => {
                let named = node.leaf().and_then(name_of).and_then(|name| map.get(&name));
                let with = named.or_else(|| map.get("*")).cloned();
                if let Some(serde_json::Value::Object(keys)) = with {
                    self.with(making, &keys, may);
                }
            }
            _ if node.is_emptied && node.is_table() && node.entries().is_empty() && prepared.leaves() => self.drop(making),
            _ if holds == Some(true) && (change == "remove" || prepared.conversion == Conversion::ByHand) => self.drop(making),
            Conversion::ByHand => self.leave(making, Why::Meaning),
            Conversion::None if !prepared.leaves() && change != "value-removed" => {}
            Conversion::None if node.has_left() => {}
            Conversion::None if may => match self.unknown_below(path).filter(|_| !self.makes_all) {
                Some(unknown) => self.leave(making, Why::Unknown(unknown)),
                None => self.drop(making),
            },
            Conversion::Each | Conversion::Spread | Conversion::SpreadNew | Conversion::SpreadById => self.spread(making, may),
            Conversion::DivideBy(by) => self.divide(making, by, may),
            Conversion::Merge => self.carry(making, may, None),
            conversion => {
                let stays = prepared.keeps_value(node);
                let new = if stays { Ok(Some(node.body.clone())) } else { conversion.value_of(node) };
                if let Ok(new) = new {
                    match new {
                        _ if !(may || stays && making.is_at_its_place(&self.draft.root)) => self.leave(making, Why::Meaning),
                        None => self.drop(making),
                        Some(_) if stays => self.carry(making, true, None),
                        Some(body) => self.carry(making, true, Some(body)),
                    }
                }
            }
        }
    }

    pub(crate) fn leave(&mut self, making: &Making<'_>, why: Why) {
        self.record(making, What::Left(why));
        if let Some(node) = self.draft.root.get_mut(&making.matched.path) {
            node.is_left = true;
        }
    }

    pub(crate) fn record(&mut self, making: &Making<'_>, what: What) {
        self.record_at(making, &making.matched.path, what);
    }

    pub(crate) fn record_at(&mut self, making: &Making<'_>, at: &[Box<str>], what: What) {
        let id = self.draft.root.get(at).and_then(|node| node.id);
        self.events.push(Event { entry: making.prepared.entry, id, at: at.to_vec(), what, is_safe: making.is_safe });
    }

    pub(crate) fn drop(&mut self, making: &Making<'_>) {
        self.record(making, What::Dropped);
        self.draft.root.take(&making.matched.path);
    }

    /// Moves a value to its new place, with a new value if there is one.
    pub(crate) fn carry(&mut self, making: &Making<'_>, may: bool, new: Option<Body>) {
        let path = &making.matched.path;
        let (goal, tags) = match making.goal(&self.draft.root) {
            Goal::One(goal, tags) => (goal, tags),
            Goal::Each(..) => return self.leave(making, Why::NoPlace),
            Goal::Nowhere => {
                let why = making.prepared.other_file.map_or(Why::Meaning, Why::OtherFile);
                return self.leave(making, why);
            }
        };
        if goal == *path {
            if let Some(body) = new {
                self.record(making, What::Changed);
                if let Some(node) = self.draft.root.get_mut(path) {
                    (node.body, node.is_changed) = (body, true);
                }
            }
            return;
        }
        if !may {
            return self.leave(making, Why::Meaning);
        }
        if let Some(now) = self.taken.get(&goal) {
            return self.leave(making, Why::Occupied(now.clone()));
        }
        if goal.starts_with(path) {
            // `timeout = 60` becomes `timeout.rollout = 60`; a table can't move into itself.
            if self.draft.root.get(path).is_none_or(Node::is_table) {
                return;
            }
            self.record(making, What::Moved(goal.clone()));
            let Some(mut node) = self.draft.root.take(path) else { return };
            if let Some(body) = new {
                (node.body, node.is_changed) = (body, true);
            }
            return self.draft.root.put(&goal, node);
        }
        let Some(node) = self.draft.root.get(path) else { return };
        if self.keeps_undecided && node.has_left() {
            return self.leave(making, Why::Undecided);
        }
        let moved =
            Node { body: new.clone().unwrap_or_else(|| node.body.clone()), ..Node::made(Body::Table(Entries::default())) };
        if !self.draft.root.takes(&goal, &moved) || self.is_of_another_variant(&tags, making.point) {
            return self.leave(making, Why::Occupied(goal));
        }
        self.record(making, What::Moved(goal.clone()));
        let Some(mut node) = self.draft.root.take(path) else { return };
        if let Some(body) = new {
            (node.body, node.is_changed) = (body, true);
        }
        self.write_tags(&tags, making.point);
        self.draft.root.put(&goal, node);
    }

    /// Whether one of these tables exists already, as another variant.
    fn is_of_another_variant(&self, tags: &[Tag], point: Point) -> bool {
        tags.iter().any(|tag| {
            let node = self.draft.root.get(&tag.table);
            node.is_some() && self.tag_at(tag, point).is_some_and(|other| other != tag.value)
        })
    }

    /// Writes the tags that the tables on the new path need.
    fn write_tags(&mut self, tags: &[Tag], point: Point) {
        for tag in tags {
            if self.tag_at(tag, point).as_deref() != Some(tag.value) {
                let mut path = tag.table.clone();
                path.push(tag.key.into());
                self.draft.root.put(&path, Node::of(&cfg_compose::Value::Str(tag.value.into())));
            }
        }
    }

    /// The tag that a table has, or would have if it were created now.
    fn tag_at(&self, tag: &Tag, point: Point) -> Option<String> {
        let root = &self.draft.root;
        let empty = Node::made(Body::Table(Entries::default()));
        let field = pattern::field_at(root, self.root(), point, &tag.table);
        pattern::tag_of(root.get(&tag.table).unwrap_or(&empty), tag.key, field, point).map(str::to_owned)
    }

    /// Removes tables that moves emptied and that the schema no longer knows.
    fn sweep(&mut self, point: Point) {
        // Few moves empty a table, and the config can be long.
        if !self.has_emptied && self.swept == self.events.len() {
            return;
        }
        self.swept = self.events.len();
        loop {
            let mut empty = Vec::new();
            self.draft.root.visit(&mut Path::new(), &mut |node, path| {
                if node.is_emptied && node.is_table() && node.entries().is_empty() && !node.is_left {
                    empty.push(path.to_vec());
                }
            });
            self.has_emptied = !empty.is_empty();
            let mut is_done = true;
            for path in empty.iter().filter(|path| !path.is_empty()) {
                if pattern::field_at(&self.draft.root, self.root(), point, path).is_none() {
                    self.draft.root.take(path);
                    is_done = false;
                }
            }
            // This may have emptied the tables around them.
            if is_done {
                return;
            }
        }
    }
}
