//! The moves of one commit, made in a config.

use std::collections::HashSet;

use cfg_schema::{Automatic, History, Kind, Move, Node as Field, Point};

use crate::{
    draft::{Body, Draft, Id, Node, Path},
    pattern::{self, Match, Token, find},
    rule::{Condition, Rule, name_of},
};

/// A move with its parts read.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) entry: Move,
    pub(crate) rule: Rule,
    condition: Option<Condition>,
    /// The path in the file that moves.
    pub(crate) from: Vec<Token>,
    /// Where it goes in the file; `None` if there is nothing in its place, or if that is another file.
    pub(crate) to: Option<Vec<Token>>,
    /// The kind of the other file in which its place is.
    other_file: Option<Kind>,
}

impl Prepared {
    /// The moves that concern a file of this kind: first those before the history, then by commit.
    pub(crate) fn all(history: History, kind: Kind) -> Vec<Self> {
        let mut all: Vec<Self> = history.moves().filter_map(|entry| Self::new(kind, entry)).collect();
        all.sort_by_key(|prepared| (prepared.entry.point(), prepared.entry.date(), std::cmp::Reverse(prepared.from.len())));
        all
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
            rule: Rule::parse(entry.value()),
            condition: entry.when().and_then(Condition::parse),
            from: with_prefix(prefix, entry.pattern()),
            other_file: to.as_ref().and_then(|to| to.as_ref().err().copied()),
            to: to.and_then(Result::ok),
            entry,
        })
    }

    /// Whether the key is another, or gone, afterwards.
    pub(crate) fn leaves(&self) -> bool {
        matches!(self.entry.change(), "rename" | "move" | "remove" | "restructure")
    }

    /// Whether a value goes to its new place as it is.
    fn keeps_value(&self, node: &Node) -> bool {
        match &self.rule {
            Rule::Copy => true,
            // The new place is below the table already.
            Rule::TableWith(below) => {
                !node.is_table()
                    && self.to.as_ref().and_then(|to| to.last()) == Some(&Token::Key(below))
                    && self.from != *self.to.as_deref().unwrap_or_default()
            }
            // Of values that are not named, a key that moves takes them with it.
            rule @ Rule::Map(_) => self.leaves() && node.leaf().is_some() && rule.value_of(node).is_err(),
            _ => false,
        }
    }

    /// Whether it takes a whole table elsewhere, whatever is in it.
    pub(crate) fn is_of_table(&self) -> bool {
        matches!(self.rule, Rule::Copy | Rule::Merge) && self.leaves() && self.entry.automatic() == Automatic::Safe
    }
}

/// The table of a file of a kind in which the keys of a component are, empty where it is the whole file; `None` if they are in none.
pub(crate) fn prefix(file: Kind, component: Kind) -> Option<&'static str> {
    match (file, component) {
        _ if file == component => Some(""),
        (Kind::Rl, Kind::Trainer | Kind::Orchestrator | Kind::Inference) => Some(component.name()),
        _ => None,
    }
}

/// What became of a value.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) entry: Move,
    /// Which value of the text it is; `None` for one that an earlier move made.
    pub(crate) id: Option<Id>,
    /// Where it was at that time.
    pub(crate) at: Path,
    pub(crate) what: What,
    /// Whether the config means the same afterwards.
    pub(crate) is_safe: bool,
}

/// What a move does.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The value is at another place, or in several.
    Moved(Path),
    /// It is another value.
    Changed,
    /// It is taken out.
    Dropped,
    /// This key is written beside it.
    Added(Path),
    /// Its author has to decide.
    Left(Why),
}

/// Why a move is not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It would not mean the same.
    Meaning,
    /// There is something at its new place.
    Occupied(Path),
    /// Its new place is in a file of another kind.
    OtherFile(Kind),
    /// The tables in which it belongs are not there, or not as many.
    NoPlace,
    /// Something in it is to be decided first.
    Undecided,
}

/// A config on its way over the moves.
pub(crate) struct Stepper {
    pub(crate) history: History,
    pub(crate) kind: Kind,
    pub(crate) draft: Draft,
    /// Whether also those moves are made that may change what it means.
    pub(crate) makes_all: bool,
    /// Whether it is a part of a config: what is absent may be in another file.
    pub(crate) is_part: bool,
    /// Whether a table stays where it is as long as its author has to decide about something in it.
    pub(crate) keeps_undecided: bool,
    /// The values of the text that may move; `None` if all may.
    pub(crate) only: Option<HashSet<Id>>,
    pub(crate) events: Vec<Event>,
}

impl Stepper {
    /// Makes the moves between two points. Of those before, the new name of a key is taken where `from` accepts the old one still.
    pub(crate) fn run(&mut self, prepared: &[Prepared], from: Point, to: Point) {
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

    /// The moves of one commit.
    fn make(&mut self, group: &[Prepared], point: Point) {
        let before = Point(point.0.saturating_sub(1));
        let mut found: Vec<(&Prepared, Match, Option<bool>)> = Vec::new();
        for prepared in group.iter().filter(|prepared| !matches!(prepared.rule, Rule::Pin(_))) {
            for matched in self.matches(prepared, before).into_iter().filter(|matched| self.may_move(&matched.path)) {
                let holds = prepared.condition.as_ref().map(|condition| self.holds(condition, prepared, &matched, before));
                found.push((prepared, matched, holds));
            }
        }
        let tables: Vec<&Prepared> =
            found.iter().map(|(prepared, ..)| *prepared).filter(|prepared| prepared.is_of_table()).collect();
        for (prepared, matched, holds) in &found {
            let is_unset = prepared.entry.change() == "remove" && self.is_unset(&matched.path, before);
            let holds = if is_unset { Some(true) } else { *holds };
            let is_safe = holds == Some(true) || prepared.entry.automatic() == Automatic::Safe;
            self.one(&Making { prepared, matched, point, tables: &tables, is_safe }, holds);
        }
        self.sweep(point);
    }

    /// What a move is about. A shared key rules over those of the components even where only its default stands for it.
    fn matches(&self, prepared: &Prepared, before: Point) -> Vec<Match> {
        if matches!(prepared.rule, Rule::SharedWins(_)) {
            let keys =
                prepared.from.iter().filter_map(|token| if let Token::Key(key) = token { Some((*key).into()) } else { None });
            return vec![Match { path: keys.collect(), captured: Path::new() }];
        }
        find(&self.draft.root, Some(self.root()), before, &prepared.from)
    }

    /// Makes a move at a place. `holds` says whether its condition does, if it has one.
    pub(crate) fn one(&mut self, making: &Making<'_>, holds: Option<bool>) {
        let Making { prepared, matched, .. } = making;
        let path = &matched.path;
        if (1..=path.len()).any(|length| self.draft.root.get(&path[..length]).is_some_and(|node| node.is_left)) {
            return;
        }
        if let Rule::SharedWins(components) = &prepared.rule {
            return self.shared_wins(making, components);
        }
        let Some(node) = self.draft.root.get(path) else { return };
        let may = making.is_safe || self.makes_all;
        let change = prepared.entry.change();
        match &prepared.rule {
            Rule::Pin(_) | Rule::SharedWins(_) => {}
            Rule::DropUnknown => self.drop_unknown(making),
            Rule::ComponentWins(components) => self.component_wins(making, components),
            Rule::With(_) if holds == Some(false) || self.is_part && prepared.entry.pattern().is_empty() => {}
            Rule::With(map) => {
                let named = node.leaf().and_then(name_of).and_then(|name| map.get(&name));
                let with = named.or_else(|| map.get("*")).cloned();
                if let Some(serde_json::Value::Object(keys)) = with {
                    self.with(making, &keys, may);
                }
            }
            _ if node.is_emptied && node.is_table() && node.entries().is_empty() && prepared.leaves() => self.drop(making),
            _ if holds == Some(true) && (change == "remove" || prepared.rule == Rule::ByHand) => self.drop(making),
            Rule::ByHand => self.leave(making, Why::Meaning),
            Rule::None if !prepared.leaves() && change != "value-removed" => {}
            Rule::None if node.has_left() => {}
            Rule::None if may => self.drop(making),
            Rule::Each | Rule::Spread | Rule::SpreadNew | Rule::SpreadById => self.spread(making, may),
            Rule::DivideBy(by) => self.divide(making, by, may),
            Rule::Merge => self.carry(making, may, None),
            rule => {
                let stays = prepared.keeps_value(node);
                let new = if stays { Ok(Some(node.body.clone())) } else { rule.value_of(node) };
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

    /// Moves a value, perhaps with another value, to its new place.
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
        if goal.starts_with(path) {
            // `timeout = 60` becomes `timeout.rollout = 60`; a table can't go into itself.
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
        let moved = Node { body: new.clone().unwrap_or_else(|| node.body.clone()), ..Node::made(Body::Table(Vec::new())) };
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

    /// Whether a table on the way is there already, as another variant.
    fn is_of_another_variant(&self, tags: &[Tag], point: Point) -> bool {
        tags.iter().any(|tag| {
            let node = self.draft.root.get(&tag.table);
            node.is_some() && self.tag_at(tag, point).is_some_and(|other| other != tag.value)
        })
    }

    /// Writes the tags that tables on the way need.
    fn write_tags(&mut self, tags: &[Tag], point: Point) {
        for tag in tags {
            if self.tag_at(tag, point).as_deref() != Some(tag.value) {
                let mut path = tag.table.clone();
                path.push(tag.key.into());
                self.draft.root.put(&path, Node::of(&cfg_compose::Value::Str(tag.value.into())));
            }
        }
    }

    /// The tag of a table as it is, or as it would be if it were made now.
    fn tag_at(&self, tag: &Tag, point: Point) -> Option<String> {
        let root = &self.draft.root;
        let empty = Node::made(Body::Table(Vec::new()));
        let field = pattern::field_at(root, self.root(), point, &tag.table);
        pattern::tag_of(root.get(&tag.table).unwrap_or(&empty), tag.key, field, point).map(str::to_owned)
    }

    /// Takes out the tables that moves emptied and the schema no longer knows.
    fn sweep(&mut self, point: Point) {
        loop {
            let mut empty = Vec::new();
            self.draft.root.visit(&mut Path::new(), &mut |node, path| {
                if node.is_emptied && node.is_table() && node.entries().is_empty() && !node.is_left {
                    empty.push(path.to_vec());
                }
            });
            let mut is_done = true;
            for path in empty.iter().filter(|path| !path.is_empty()) {
                if pattern::field_at(&self.draft.root, self.root(), point, path).is_none() {
                    self.draft.root.take(path);
                    is_done = false;
                }
            }
            // The tables around them may be empty now.
            if is_done {
                return;
            }
        }
    }
}

/// A move at a place of the config.
pub(crate) struct Making<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) matched: &'a Match,
    /// When.
    pub(crate) point: Point,
    /// The tables that the same commit takes elsewhere; they go last.
    pub(crate) tables: &'a [&'a Prepared],
    /// Whether the config means the same afterwards.
    pub(crate) is_safe: bool,
}

/// Where a value goes.
pub(crate) enum Goal {
    /// To this place; with the tags of tables on the way.
    One(Path, Vec<Tag>),
    /// Into every table of the array at this place.
    Each(Path, Path),
    /// There is nothing in its place.
    Nowhere,
}

/// The tag that a table must have.
pub(crate) struct Tag {
    table: Path,
    key: &'static str,
    value: &'static str,
}

impl Making<'_> {
    fn is_at_its_place(&self, root: &Node) -> bool {
        matches!(self.goal(root), Goal::One(path, _) if path == self.matched.path)
    }

    pub(crate) fn goal(&self, root: &Node) -> Goal {
        let Some(to) = &self.prepared.to else { return Goal::Nowhere };
        // What belongs into a table that is still to move goes there first, and moves with it.
        let own = &self.prepared.from;
        let is_above = |table: &&&Prepared| {
            table.to.as_ref().is_some_and(|goal| to.len() > goal.len() && to.starts_with(goal))
                && table.from != *own
                && pattern::stands(root, &table.from)
        };
        let above = self
            .tables
            .iter()
            .filter(is_above)
            .max_by_key(|table| (table.to.as_ref().map_or(0, Vec::len), own.starts_with(&table.from)));
        let to: Vec<Token> = match above {
            Some(table) => table.from.iter().chain(&to[table.to.as_ref().map_or(0, Vec::len)..]).copied().collect(),
            None => to.clone(),
        };
        let mut captured = self.matched.captured.iter();
        let (mut path, mut tags) = (Path::new(), Vec::new());
        for (at, token) in to.iter().enumerate() {
            match token {
                Token::Key(key) => path.push((*key).into()),
                Token::Variant(key, value) => tags.push(Tag { table: path.clone(), key, value }),
                Token::Class(_) => {}
                Token::Items | Token::Values => match captured.next() {
                    Some(part) => path.push(part.clone()),
                    None => {
                        let keys = to[at + 1..].iter().filter_map(|token| match token {
                            Token::Key(key) => Some((*key).into()),
                            _ => None,
                        });
                        return Goal::Each(path, keys.collect());
                    }
                },
            }
        }
        Goal::One(path, tags)
    }
}
