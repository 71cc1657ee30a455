//! Compares the meaning of a config before and after the migration.

use cfg_diag::Order as _;
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use cfg_compose::Value;
use cfg_resolve::{Nulls, ResolvedTable, written};
use cfg_schema::{Automatic, History, Kind, Move, Point};

use crate::{
    conversion::{Conversion, body_of, is, name_of},
    draft::{Body, Draft, Id, Node, Path, dotted, path_of},
    keep::Keep,
    many::same,
    rewriting::written as as_toml,
    step::{Event, Prepared, Stepper, What},
    words,
};

/// The comparison of the resolved values of the old and the new text.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// Whether one side is refused. Then only changed defaults are reported, because prime-rl does not compute the values that depend on others.
    pub is_partial: bool,
    /// The number of values that are equal, at whatever place.
    pub same: usize,
    /// Values that changed, and defaults that are gone without an equivalent.
    pub changed: Vec<Changed>,
    /// The number of settings that only the new prime-rl has.
    pub added: usize,
    /// The number of defaults of the old prime-rl without a counterpart in the new one.
    pub gone: usize,
}

/// A value that changed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The key in the new config; if it is gone, the key in the old one.
    pub key: String,
    /// The value in the old prime-rl, as TOML; `None` if it has no such key.
    pub old: Option<String>,
    /// The value in the new prime-rl, as TOML; `None` if it has no such key.
    pub new: Option<String>,
    /// Whether the new value is in the text, or follows from a value that is.
    pub is_written: bool,
    /// The commit that changed the default.
    pub since: Option<Point>,
    /// A note for the user on the change.
    pub note: Option<&'static str>,
    /// The line that keeps the former value, with its key and the value as TOML; `None` if no line does.
    pub keep: Option<String>,
    /// The same as a path and a value.
    pub(crate) keep_at: Option<Keep>,
}

/// The resolved configs that are compared.
pub(crate) struct Sides<'a> {
    pub(crate) history: History,
    pub(crate) kind: Kind,
    pub(crate) old: &'a ResolvedTable,
    pub(crate) from: Point,
    pub(crate) new: &'a ResolvedTable,
    pub(crate) to: Point,
}

/// Compares the resolved values of a config at one prime-rl with those of the same or the migrated config at a later one.
pub fn meaning(history: History, kind: Kind, old: &ResolvedTable, from: Point, new: &ResolvedTable, to: Point) -> Meaning {
    compare(&Sides { history, kind, old, from, new, to }, &Prepared::all(history, kind))
}

/// Applies the moves to all values of the old side and compares them with the new side.
pub(crate) fn compare(sides: &Sides<'_>, prepared: &[Prepared]) -> Meaning {
    let draft = Draft::new(&written(sides.old, sides.from, Nulls::Kept));
    let mut stepper = Stepper { makes_all: true, ..Stepper::new(sides.history, sides.kind, draft) };
    let first = stepper.draft.root.clone();
    stepper.run(prepared, sides.from, sides.to);
    let new = Draft::new(&written(sides.new, sides.to, Nulls::Kept));
    let unsafe_moves = stepper.events.iter().filter(|event| !event.is_safe).filter_map(|event| event.id).collect();
    let (defaults, meaning) = (RefCell::default(), Meaning::default());
    let mut comparing = Comparing { sides, old: &stepper.draft, unsafe_moves, new: &new, defaults, meaning };
    comparing.tables(&stepper.draft.root, &new.root, &mut Path::new());
    let mut meaning = comparing.meaning;
    meaning.changed.extend(stepper.events.iter().filter_map(|event| gone(event, &stepper.draft, &first)));
    meaning.is_partial = !sides.old.is_valid || !sides.new.is_valid;
    if meaning.is_partial {
        meaning.changed.retain(|changed| !changed.is_written && changed.since.is_some());
    }
    meaning
}

/// A default that had an effect, and is gone.
fn gone(event: &Event, draft: &Draft, first: &Node) -> Option<Changed> {
    let source = draft.sources.get(event.id?).filter(|source| source.value.is_none())?;
    let value = first.get(&source.path)?.leaf()?;
    let is_off = match value {
        Value::Null | Value::Bool(false) => true,
        Value::List(items) => items.is_empty(),
        Value::Str(text) => text.is_empty() || &**text == "None",
        value => name_of(value).is_some_and(|number| number == "0"),
    };
    let is_gone = matches!(event.what, What::Dropped) && !event.is_safe && !is_off;
    is_gone.then(|| Changed {
        key: dotted(&source.path),
        old: Some(as_toml(value)),
        new: None,
        is_written: false,
        since: event.entry.point(),
        note: event.entry.note(),
        keep: None,
        keep_at: None,
    })
}

struct Comparing<'a> {
    sides: &'a Sides<'a>,
    old: &'a Draft,
    /// The values of the old side with a move that may change their meaning.
    unsafe_moves: BTreeSet<Id>,
    new: &'a Draft,
    /// The changes of defaults that were looked up, by the key in the notation of the history: a thousand environments have the same ones.
    defaults: RefCell<HashMap<String, Rc<[Move]>>>,
    meaning: Meaning,
}

impl Comparing<'_> {
    fn tables(&mut self, old: &Node, new: &Node, path: &mut Path) {
        for (key, below) in new.entries() {
            path.push(key.clone());
            match old.get(std::slice::from_ref(key)) {
                Some(before) => self.both(before, below, path),
                None => self.only_new(below, path),
            }
            path.pop();
        }
        for (key, below) in old.entries() {
            if new.get(std::slice::from_ref(key)).is_none() {
                self.meaning.gone += leaves(below);
            }
        }
    }

    fn both(&mut self, old: &Node, new: &Node, path: &mut Path) {
        match (&old.body, &new.body) {
            (Body::Table(_), Body::Table(_)) => self.tables(old, new, path),
            (Body::List(one), Body::List(other)) if one.len() == other.len() => {
                for (index, (old, new)) in one.iter().zip(other).enumerate() {
                    path.push(index.to_string().into());
                    self.both(old, new, path);
                    path.pop();
                }
            }
            _ if is_unknown(old) || is_unknown(new) => {}
            (Body::Table(_), Body::Leaf(Value::Null)) if is_all_null(old) => self.meaning.same += 1,
            _ if same(&nullified(old), &nullified(new)) => self.meaning.same += leaves(new),
            _ => self.differs(Some(old), new, path),
        }
    }

    /// A key that the old prime-rl did not have. Its default may still differ from what the old prime-rl did.
    fn only_new(&mut self, new: &Node, path: &mut Path) {
        let defaults = self.default_changes(path);
        match defaults.last() {
            _ if matches!(new.leaf(), Some(Value::Null)) => self.meaning.added += 1,
            // With this value, it does what the old prime-rl did.
            Some(entry) if matches!(Conversion::parse(entry.value()), Conversion::Pin(json) if is(&new.to_value(), &json)) => {
                self.meaning.added += leaves(new);
            }
            Some(entry) if entry.automatic() != Automatic::Safe => self.differs(None, new, path),
            _ => match &new.body {
                Body::Table(entries) if !entries.is_empty() => {
                    for (key, below) in &**entries {
                        path.push(key.clone());
                        self.only_new(below, path);
                        path.pop();
                    }
                }
                _ => self.meaning.added += leaves(new),
            },
        }
    }

    fn differs(&mut self, old: Option<&Node>, new: &Node, path: &Path) {
        let mut defaults = self.default_changes(path).to_vec();
        // Changes that are recorded under its former name.
        if let Some(source) = old.and_then(|old| self.old.sources.get(old.id?)).filter(|source| source.path != *path) {
            defaults.extend_from_slice(&self.default_changes(&source.path));
            defaults.order_by_key(|entry| entry.point());
        }
        let is_written = new.id.and_then(|id| self.new.sources.get(id)).is_some_and(|source| source.value.is_some());
        let was = old.map(Node::to_value);
        // The commit says that the new default is equivalent to the old one.
        let is_meant = |entry: &Move| match Conversion::parse(entry.value()) {
            Conversion::Pin(json) => entry.automatic() == Automatic::Safe && was.as_ref().is_none_or(|was| is(was, &json)),
            // It is safe to write the former default, but it is not done.
            Conversion::With(map) => entry.automatic() == Automatic::Safe && has_keys(&map, new, path),
            _ => entry.automatic() == Automatic::Safe,
        };
        if !is_written && !defaults.is_empty() && defaults.iter().all(is_meant) {
            self.meaning.same += leaves(new);
            return;
        }
        let last = defaults.last();
        // Whether its former value, if that is written now, does the same.
        let is_as_it_was = |old: &&Node| !old.is_changed && old.id.is_some_and(|id| !self.unsafe_moves.contains(&id));
        let first = old.filter(is_as_it_was);
        // What "auto" stands for is decided by the prime-rl that reads it.
        let is_stated = |value: &&Value| {
            !matches!(value, Value::Null | Value::Unknown) && !matches!(value, Value::Str(text) if &**text == "auto")
        };
        let first = first.and_then(Node::leaf).filter(is_stated);
        let keep_at = if is_written { None } else { self.keep(&defaults, first, old, new, path) };
        let keep = keep_at.as_ref().map(|keep| format!("{} = {}", dotted(&keep.path), as_toml(&keep.value)));
        let changed = Changed {
            key: dotted(path),
            old: was.as_ref().map(as_toml),
            new: Some(as_toml(&new.to_value())),
            is_written,
            since: last.and_then(|entry| entry.point()).or_else(|| self.default_since(path)),
            note: last.and_then(|entry| entry.note()),
            keep,
            keep_at,
        };
        self.meaning.changed.push(changed);
    }

    /// What to write to keep the former value of a key that the user did not write. `first` is that value if it still means the same.
    fn keep(&self, defaults: &[Move], first: Option<&Value>, old: Option<&Node>, new: &Node, path: &Path) -> Option<Keep> {
        let name = in_history(path);
        match defaults.last().map(|entry| (entry, Conversion::parse(entry.value()))) {
            Some((entry, Conversion::Pin(json))) => {
                // If the key gets its value from a shared key or a table above it, the value is kept there, under its current name.
                let (kind, own) = entry.to().unwrap_or(entry.from());
                let key = words::in_file(self.sides.kind, kind, own);
                let is_above = name.ends_with(&key) || name.starts_with(&format!("{key}."));
                let exists = || self.sides.history.schema(self.sides.kind, self.sides.to).has(&key);
                let is_shared = is_above && !key.contains("[]") && exists();
                let kept: Path = if is_shared { path_of(&key) } else { path.clone() };
                let pinned = Node::made(body_of(&json, None)).to_value();
                let is_of_this_key = kept == *path || name.ends_with(&key);
                let value = match old.and_then(Node::leaf) {
                    // The user wrote another value, what the move states was not yet the default, or it is not what a shared key made of it.
                    Some(was) if is_of_this_key && !matches!(was, Value::Null | Value::Unknown) && !is(was, &json) => {
                        first?.clone()
                    }
                    // If a default changed more than once, the first value is the former default.
                    _ => first.filter(|_| defaults.len() > 1).cloned().unwrap_or(pinned),
                };
                Some(Keep { path: kept, value })
            }
            Some((entry, Conversion::With(map))) => {
                let Some(serde_json::Value::Object(keys)) = map.get("*") else { return None };
                let (kind, _) = entry.from();
                let of_it = |(key, json): (&String, &serde_json::Value)| {
                    let key = words::in_file(self.sides.kind, kind, key);
                    name.ends_with(&key).then(|| (path_of(&key), json.clone()))
                };
                let (path, json): (Path, _) = keys.iter().find_map(of_it)?;
                (!json.is_null()).then(|| Keep { path, value: Node::made(body_of(&json, None)).to_value() })
            }
            Some(_) => None,
            // No move describes the change, so the value is kept as it was. A tag is kept with the table that it selects.
            None => {
                let (key, above) = path.split_last()?;
                if &**key == "type" && !above.is_empty() {
                    let table = self.old.root.get(above)?;
                    return Some(Keep { path: above.to_vec(), value: without_nulls(table) });
                }
                let old = old?;
                let value = old.leaf().filter(|value| !matches!(value, Value::Unknown))?;
                let source = old.id.and_then(|id| self.old.sources.get(id)).map_or(path.as_slice(), |source| &source.path);
                let is_plain =
                    self.is_default(source, self.sides.from, value) && self.is_default(path, self.sides.to, new.leaf()?);
                is_plain.then(|| Keep { path: path.clone(), value: value.clone() })
            }
        }
    }

    /// Whether a key's default is this value as it is declared: prime-rl computes others from the rest of the config, and where it does, what it computed
    /// before may be wrong now.
    fn is_default(&self, path: &[Box<str>], point: Point, value: &Value) -> bool {
        let found = self.sides.history.schema(self.sides.kind, point).named(&in_history(path));
        found.into_iter().filter_map(|field| field.at(point)).any(|interval| match interval.default_json() {
            None => matches!(value, Value::Null),
            Some(json) => serde_json::from_str(json).is_ok_and(|json| is(value, &json)),
        })
    }

    /// The recorded changes of a key's default between the two targets, or of that of a table above it.
    fn default_changes(&self, path: &[Box<str>]) -> Rc<[Move]> {
        let own = self.own_default_changes(in_history(path));
        if !own.is_empty() {
            return own;
        }
        // A tag belongs to the default of its table, and a component's copy of a shared key to the default of the shared key.
        let of_table = path.split_last().filter(|(key, above)| &***key == "type" && !above.is_empty());
        let of_table = of_table.map(|(_, above)| self.own_default_changes(in_history(above))).filter(|moves| !moves.is_empty());
        let shared = || path.split_first().filter(|_| self.sides.kind == Kind::Rl).map(|(_, below)| in_history(below));
        let of_shared = || {
            let shared = shared()?;
            let is_shared = |entry: &Move| entry.from().0 == Kind::Rl;
            Some(self.own_default_changes(shared).iter().copied().filter(is_shared).collect())
        };
        of_table.or_else(of_shared).unwrap_or_default()
    }

    /// The recorded changes of the default of this key alone.
    fn own_default_changes(&self, name: String) -> Rc<[Move]> {
        if let Some(known) = self.defaults.borrow().get(&name) {
            return Rc::clone(known);
        }
        let Sides { history, kind, from, to, .. } = *self.sides;
        let on_the_way = |entry: &Move| {
            matches!(entry.change(), "default-change" | "semantics")
                && entry.point().is_some_and(|point| from < point && point <= to)
        };
        let found: Rc<[Move]> = history.moves_of(kind, &name).filter(on_the_way).collect();
        self.defaults.borrow_mut().insert(name, Rc::clone(&found));
        found
    }

    /// The commit that introduced the current default of a key.
    fn default_since(&self, path: &[Box<str>]) -> Option<Point> {
        // A table with free keys has one default as a whole.
        (1..=path.len()).rev().find_map(|length| self.own_default_since(&path[..length]))
    }

    fn own_default_since(&self, path: &[Box<str>]) -> Option<Point> {
        let Sides { history, kind, from, to, .. } = *self.sides;
        let field = *history.schema(kind, to).named(&in_history(path)).first()?;
        let now = field.at(to)?;
        let until_to = field.intervals().filter(|interval| interval.since() <= to);
        let mut since = now.since();
        for interval in until_to.collect::<Vec<_>>().into_iter().rev() {
            if interval.default_json() != now.default_json() || interval.default_variant_json() != now.default_variant_json() {
                break;
            }
            since = interval.since();
        }
        (from < since).then_some(since)
    }
}

/// Whether a value, or what is in it, has the values that a move writes beside a key; other keys are no concern of the move.
fn has_keys(map: &serde_json::Map<String, serde_json::Value>, new: &Node, path: &[Box<str>]) -> bool {
    let Some(serde_json::Value::Object(keys)) = map.get("*") else { return false };
    let own = in_history(path);
    keys.iter().all(|(key, json)| match key.strip_prefix(&own) {
        Some("") => is(&new.to_value(), json),
        Some(below) => {
            let below: Path = below.split('.').filter(|part| !part.is_empty()).map(Into::into).collect();
            new.get(&below).is_some_and(|node| is(&node.to_value(), json))
        }
        None => !own.ends_with(&format!(".{key}")) || is(&new.to_value(), json),
    })
}

/// A table without its nulls, for tables in which null is the default.
fn without_nulls(table: &Node) -> Value {
    let mut table = table.clone();
    if let Body::Table(entries) = &mut table.body {
        entries.retain(|_, node| !node.leaf().is_some_and(|leaf| matches!(leaf, Value::Null)));
    }
    table.to_value()
}

/// A path in the notation of the history, without indices and variants.
fn in_history(path: &[Box<str>]) -> String {
    let mut name = String::new();
    for part in path {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            name.push_str("[]");
        } else {
            name.push_str(if name.is_empty() { "" } else { "." });
            name.push_str(part);
        }
    }
    name
}

/// A value in which every spelling of null is null.
fn nullified(node: &Node) -> Value {
    match node.to_value() {
        Value::Str(text) if &*text == "None" => Value::Null,
        value => value,
    }
}

fn leaves(node: &Node) -> usize {
    let mut count = 0;
    node.visit(&mut Path::new(), &mut |node, _| count += usize::from(node.leaf().is_some()));
    count
}

/// Whether a table holds only nulls, such as one that a move created around a null.
fn is_all_null(node: &Node) -> bool {
    let mut is_null = true;
    node.visit(&mut Path::new(), &mut |node, _| is_null &= node.leaf().is_none_or(|leaf| matches!(leaf, Value::Null)));
    is_null
}

fn is_unknown(node: &Node) -> bool {
    matches!(node.leaf(), Some(Value::Unknown))
}
