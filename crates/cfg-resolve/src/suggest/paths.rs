//! The names of a schema's keys, and the paths at which each exists.

use std::collections::{HashMap, HashSet};

use cfg_schema::{Node, Schema, Segment};
use foldhash::fast::RandomState;

/// The dotted paths of each name, the shortest first.
pub(super) type Paths = HashMap<&'static str, Vec<String>, RandomState>;

/// The paths of all keys for which this is true, and of whose tables it is true.
pub(super) fn paths(schema: Schema, exists: &dyn Fn(Node) -> bool) -> Paths {
    let mut found = PathsByName::default();
    collect(exists, schema.root(), &mut String::new(), 0, 0, &mut found);
    let in_order = |mut paths: Vec<(usize, String)>| {
        paths.sort_unstable();
        paths.dedup();
        paths.into_iter().map(|(_, path)| path).collect()
    };
    found.into_iter().map(|(key, paths)| (key, in_order(paths))).collect()
}

/// The deepest table that is searched; below it are the inner tables of environments and their judges.
const MAX_DEPTH: usize = 6;

/// The paths of each name, each with its number of dots.
type PathsByName = HashMap<&'static str, Vec<(usize, String)>, RandomState>;

/// Collects the fields below a node. `dots` is the number of dots in the paths of its own fields.
fn collect(exists: &dyn Fn(Node) -> bool, node: Node, path: &mut String, depth: usize, dots: usize, found: &mut PathsByName) {
    if depth > MAX_DEPTH {
        return;
    }
    for child in node.children() {
        let length = path.len();
        match child.segment() {
            Segment::Field(name) => {
                if !exists(child) {
                    continue;
                }
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                found.entry(name).or_default().push((dots, path.clone()));
                collect(exists, child, path, depth + 1, dots + 1, found);
            }
            Segment::Variant(_) | Segment::Class(_) if !exists(child) => {}
            _ => collect(exists, child, path, depth, dots, found),
        }
        path.truncate(length);
    }
}

/// The names of the keys of a kind at any version, as deep as [`paths`] searches.
pub(super) fn names(schema: Schema) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut seen: HashSet<*const u8, RandomState> = HashSet::default();
    collect_names(schema.root(), 0, &mut HashMap::default(), &mut |name| {
        // Most names are those of many tables, and the history has each once.
        if seen.insert(name.as_ptr()) {
            names.push(name);
        }
    });
    names
}

/// Passes on the names below a node. `seen` has the first of the nodes below another one, and the least depth at which these were searched: nodes share
/// what is below them.
fn collect_names(node: Node, depth: usize, seen: &mut HashMap<u32, usize, RandomState>, found: &mut impl FnMut(&'static str)) {
    let Some(first) = node.children().next() else { return };
    let known = seen.entry(first.id()).or_insert(usize::MAX);
    if depth > MAX_DEPTH || *known <= depth {
        return;
    }
    *known = depth;
    for child in node.children() {
        let name = child.field_name();
        name.into_iter().for_each(&mut *found);
        collect_names(child, depth + usize::from(name.is_some()), seen, found);
    }
}
