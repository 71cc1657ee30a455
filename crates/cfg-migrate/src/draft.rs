//! A config during the migration: a tree of its values, in which each value keeps its place in the text.

use std::collections::HashSet;

use cfg_compose::{Entry, Origin, Table, Value};
use cfg_diag::Location;

use crate::entries::Entries;

/// Keys from the root; the index for an item of an array.
pub(crate) type Path = Vec<Box<str>>;

/// The path of a dotted key.
pub(crate) fn path_of(key: &str) -> Path {
    key.split('.').map(Into::into).collect()
}

/// The index of a value in the text.
pub(crate) type Id = usize;

/// The values of a config, and their original places.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) root: Node,
    pub(crate) sources: Vec<Source>,
}

/// The original place of a value.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: Path,
    /// The location of its key, or of its item of an array.
    pub(crate) place: Option<Location>,
    /// The location of its value.
    pub(crate) value: Option<Location>,
}

/// A value of the config.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each answers its own question")]
pub(crate) struct Node {
    /// Its index in the text; `None` if a move added it.
    pub(crate) id: Option<Id>,
    pub(crate) body: Body,
    /// Whether the value differs from that in the text.
    pub(crate) is_changed: bool,
    /// Whether the user has to decide about it; later moves ignore it.
    pub(crate) is_left: bool,
    /// Whether it is written for the new prime-rl already, so that moves ignore it.
    pub(crate) is_fresh: bool,
    /// Whether a move removed the last key of this table.
    pub(crate) is_emptied: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A value without nested values that could move.
    Leaf(Value),
    /// An array of tables.
    List(Vec<Node>),
    /// A table.
    Table(Entries),
}

impl Draft {
    pub(crate) fn new(table: &Table) -> Self {
        let mut sources = Vec::new();
        let mut path = Path::new();
        let root = Node::made(table_body(table, &mut path, &mut sources));
        Self { root, sources }
    }
}

fn table_body(table: &Table, path: &mut Path, sources: &mut Vec<Source>) -> Body {
    let mut entries = Vec::with_capacity(table.entries().len());
    for entry in table.entries() {
        path.push(entry.key.clone());
        let node = node(&entry.node, entry.key_origin.location(), path, sources);
        path.pop();
        entries.push((entry.key.clone(), node));
    }
    Body::Table(entries.into())
}

fn node(raw: &cfg_compose::Node, place: Option<Location>, path: &mut Path, sources: &mut Vec<Source>) -> Node {
    let id = sources.len();
    sources.push(Source { path: path.clone(), place, value: raw.origin.location() });
    let body = match &raw.value {
        Value::Table(table) => table_body(table, path, sources),
        Value::List(items) if is_of_tables(items) => {
            let mut nodes = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string().into());
                nodes.push(node(item, item.origin.location(), path, sources));
                path.pop();
            }
            Body::List(nodes)
        }
        value => Body::Leaf(value.clone()),
    };
    Node { id: Some(id), ..Node::made(body) }
}

fn is_of_tables(items: &[cfg_compose::Node]) -> bool {
    !items.is_empty() && items.iter().all(|item| matches!(item.value, Value::Table(_)))
}

impl Node {
    /// A new value.
    pub(crate) const fn made(body: Body) -> Self {
        Self { id: None, body, is_changed: false, is_left: false, is_fresh: false, is_emptied: false }
    }

    /// A new value with its nested values.
    pub(crate) fn of(value: &Value) -> Self {
        Self::made(match value {
            Value::Table(table) => {
                Body::Table(table.entries().iter().map(|entry| (entry.key.clone(), Self::of(&entry.node.value))).collect())
            }
            Value::List(items) if is_of_tables(items) => Body::List(items.iter().map(|item| Self::of(&item.value)).collect()),
            value => Body::Leaf(value.clone()),
        })
    }

    /// The entries if it is a table; otherwise none.
    pub(crate) fn entries(&self) -> &[(Box<str>, Self)] {
        if let Body::Table(entries) = &self.body { entries } else { &[] }
    }

    /// The value if it has no nested values.
    pub(crate) const fn leaf(&self) -> Option<&Value> {
        if let Body::Leaf(value) = &self.body { Some(value) } else { None }
    }

    pub(crate) const fn is_table(&self) -> bool {
        matches!(self.body, Body::Table(_))
    }

    fn child(&self, part: &str) -> Option<&Self> {
        match &self.body {
            Body::Table(entries) => entries.named(part),
            Body::List(items) => items.get(part.parse::<usize>().ok()?),
            Body::Leaf(_) => None,
        }
    }

    fn child_mut(&mut self, part: &str) -> Option<&mut Self> {
        match &mut self.body {
            Body::Table(entries) => entries.named_mut(part),
            Body::List(items) => items.get_mut(part.parse::<usize>().ok()?),
            Body::Leaf(_) => None,
        }
    }

    /// The node at a path below this one.
    pub(crate) fn get(&self, path: &[Box<str>]) -> Option<&Self> {
        path.iter().try_fold(self, |node, part| node.child(part))
    }

    /// The node at a path below this one, mutably.
    pub(crate) fn get_mut(&mut self, path: &[Box<str>]) -> Option<&mut Self> {
        path.iter().try_fold(self, |node, part| node.child_mut(part))
    }

    /// Whether moves ignore what is at a path: the user has to decide about it, or it is for the new prime-rl already; or this holds for something above it.
    pub(crate) fn is_settled(&self, path: &[Box<str>]) -> bool {
        let mut node = Some(self);
        path.iter().any(|part| {
            node = node.and_then(|node| node.child(part));
            node.is_some_and(|node| node.is_left || node.is_fresh)
        })
    }

    /// Removes the node at a path from its table and returns it.
    pub(crate) fn take(&mut self, path: &[Box<str>]) -> Option<Self> {
        let (key, above) = path.split_last()?;
        let owner = self.get_mut(above)?;
        let Body::Table(entries) = &mut owner.body else { return None };
        let node = entries.remove(key)?;
        owner.is_emptied |= entries.is_empty();
        Some(node)
    }

    /// Removes nodes from the table at a path, each known by its key.
    pub(crate) fn take_all(&mut self, path: &[Box<str>], keys: &HashSet<Box<str>>) {
        let Some(owner) = self.get_mut(path) else { return };
        let Body::Table(entries) = &mut owner.body else { return };
        let count = entries.len();
        entries.retain(|key, _| !keys.contains(key));
        owner.is_emptied |= entries.len() < count && entries.is_empty();
    }

    /// Whether a node can be put at a path: nothing is there, or both are tables that can be merged.
    pub(crate) fn takes(&self, path: &[Box<str>], node: &Self) -> bool {
        let mut here = self;
        for part in path {
            match here.child(part) {
                Some(below) => here = below,
                None => return here.is_table(),
            }
        }
        match (&here.body, &node.body) {
            (Body::Table(_), Body::Table(entries)) => {
                entries.iter().all(|(key, node)| here.takes(std::slice::from_ref(key), node))
            }
            _ => false,
        }
    }

    /// Puts a node at a path, if [`Node::takes`] allows it, and creates the tables above it.
    pub(crate) fn put(&mut self, path: &[Box<str>], node: Self) {
        let Some((first, rest)) = path.split_first() else {
            let Body::Table(added) = node.body else { return };
            for (key, node) in added.into_list() {
                self.put(&[key], node);
            }
            return;
        };
        if let Some(below) = self.child_mut(first) {
            below.put(rest, node);
        } else if let Body::Table(entries) = &mut self.body {
            let table = |below, key: &str| Self::made(Body::Table(vec![(key.into(), below)].into()));
            entries.push((first.clone(), rest.iter().rev().fold(node, |below, key| table(below, key))));
        }
    }

    /// Whether the user has to decide about it, or about something below it.
    pub(crate) fn has_left(&self) -> bool {
        self.is_left || self.children().any(Self::has_left)
    }

    fn children(&self) -> impl Iterator<Item = &Self> {
        let (entries, items): (&[(Box<str>, Self)], &[Self]) = match &self.body {
            Body::Table(entries) => (entries, &[]),
            Body::List(items) => (&[], items),
            Body::Leaf(_) => (&[], &[]),
        };
        entries.iter().map(|(_, node)| node).chain(items)
    }

    /// Calls a function with every node below this one and its path.
    pub(crate) fn visit<'n>(&'n self, path: &mut Path, see: &mut dyn FnMut(&'n Self, &[Box<str>])) {
        see(self, path);
        match &self.body {
            Body::Table(entries) => {
                for (key, node) in &**entries {
                    path.push(key.clone());
                    node.visit(path, see);
                    path.pop();
                }
            }
            Body::List(items) => {
                for (index, node) in items.iter().enumerate() {
                    path.push(index.to_string().into());
                    node.visit(path, see);
                    path.pop();
                }
            }
            Body::Leaf(_) => {}
        }
    }

    /// The raw value.
    pub(crate) fn to_value(&self) -> Value {
        let raw = |node: &Self| cfg_compose::Node { value: node.to_value(), origin: Origin::Default };
        match &self.body {
            Body::Leaf(value) => value.clone(),
            Body::List(items) => Value::List(items.iter().map(raw).collect()),
            Body::Table(entries) => {
                let mut table = Table::default();
                for (key, node) in &**entries {
                    table.insert(Entry { key: key.clone(), written: None, key_origin: Origin::Default, node: raw(node) });
                }
                Value::Table(table)
            }
        }
    }
}

/// A path in the user's notation: `orchestrator.env[0].id`.
pub(crate) fn dotted(path: &[Box<str>]) -> String {
    let mut out = String::new();
    for part in path {
        let is_index = !out.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty();
        let is_bare = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        match (is_index, is_bare) {
            (true, _) => out.push_str(&format!("[{part}]")),
            (false, true) => out.push_str(&format!("{}{part}", if out.is_empty() { "" } else { "." })),
            (false, false) => out.push_str(&format!("{}{part:?}", if out.is_empty() { "" } else { "." })),
        }
    }
    out
}
