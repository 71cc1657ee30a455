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

/// Writes the former defaults that `is_fine` accepts, and returns their paths. They are tried one by one only if not all of them are accepted
/// together.
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
    let mut kept = Vec::new();
    for keep in keeps {
        let mut one = draft.clone();
        if put(&mut one, keep) && is_fine(&one) {
            *draft = one;
            kept.push(keep.path.clone());
        }
    }
    kept
}

/// Writes a value at a free place, in an existing or a new table; returns whether this was possible.
fn put(draft: &mut Draft, keep: &Keep) -> bool {
    let node = Node::of(&keep.value);
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
