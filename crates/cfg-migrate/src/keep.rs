//! Writes out former defaults, so that a config keeps its meaning.

use cfg_compose::Value;
use cfg_diag::Order as _;

use crate::{
    draft::{Body, Draft, Node, Path},
    meaning::Changed,
};

/// A former default, and the place where writing it keeps the config's meaning.
#[derive(Clone, Debug)]
pub(crate) struct Keep {
    pub(crate) path: Path,
    pub(crate) value: Value,
}

/// Writes the former defaults that `is_fine` accepts, and returns their paths. Only if not all of them are accepted together are they tried one by one;
/// those that several components share, such as how rollouts are sent, stay together.
pub(crate) fn defaults(draft: &mut Draft, changed: &[Changed], is_fine: &dyn Fn(&Draft) -> bool) -> Vec<Path> {
    let mut keeps: Vec<&Keep> = changed.iter().filter_map(|changed| changed.keep_at.as_ref()).collect();
    keeps.order_by(|one, other| one.path.cmp(&other.path));
    keeps.dedup_by(|one, other| one.path == other.path);
    let mut all = draft.clone();
    let kept: Vec<Path> = keeps.iter().filter(|keep| put(&mut all, keep)).map(|keep| keep.path.clone()).collect();
    if is_fine(&all) {
        *draft = all;
        return kept;
    }
    let shared = |keep: &Keep| keep.path.get(1..).filter(|below| !below.is_empty()).map(<[_]>::to_vec);
    keeps.order_by(|one, other| shared(one).cmp(&shared(other)));
    let mut kept = Vec::new();
    for together in keeps.chunk_by(|one, other| shared(one).is_some() && shared(one) == shared(other)) {
        let mut next = draft.clone();
        if together.iter().all(|keep| put(&mut next, keep)) && is_fine(&next) {
            *draft = next;
            kept.extend(together.iter().map(|keep| keep.path.clone()));
        }
    }
    kept
}

/// Writes a value at a free place, in an existing or a new table; returns whether this was possible.
fn put(draft: &mut Draft, keep: &Keep) -> bool {
    // TOML has no null; prime-rl reads this word as one.
    let value = if matches!(keep.value, Value::Null) { Value::Str("None".into()) } else { keep.value.clone() };
    let node = Node::of(&value);
    // An array that exists only as a default has no tables in the text.
    let is_index = |at: usize| keep.path[at].bytes().all(|byte| byte.is_ascii_digit());
    let is_list = |at: usize| draft.root.get(&keep.path[..at]).is_some_and(|node| matches!(node.body, Body::List(_)));
    let stands = (0..keep.path.len()).all(|at| !is_index(at) || is_list(at));
    let may = stands && draft.root.takes(&keep.path, &node);
    if may {
        draft.root.put(&keep.path, node);
    }
    may
}
