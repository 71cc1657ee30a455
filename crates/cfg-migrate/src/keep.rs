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

/// Writes the former defaults that `is_fine` accepts, and returns their paths. Only if not all of them are accepted together are those tried together that
/// several components share, such as how rollouts are sent, and only if these are not accepted each of them.
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
        if write(draft, together, is_fine) {
            kept.extend(together.iter().map(|keep| keep.path.clone()));
            continue;
        }
        let alone = together.chunks(1).filter(|_| together.len() > 1);
        kept.extend(alone.filter(|one| write(draft, one, is_fine)).flatten().map(|keep| keep.path.clone()));
    }
    kept
}

/// Writes values if all of them can be written and the result is fine; returns whether it did.
fn write(draft: &mut Draft, keeps: &[&Keep], is_fine: &dyn Fn(&Draft) -> bool) -> bool {
    let mut next = draft.clone();
    let is_written = keeps.iter().all(|keep| put(&mut next, keep)) && is_fine(&next);
    if is_written {
        *draft = next;
    }
    is_written
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

#[cfg(test)]
mod tests {
    use cfg_compose::{Integer, Table, Value};

    use super::{Draft, Keep, defaults};
    use crate::{draft::path_of, meaning::Changed};

    #[test]
    fn what_components_share_is_kept_together_and_otherwise_one_by_one() {
        let changed = |key: &str| Changed {
            key: key.to_owned(),
            old: None,
            new: None,
            is_written: false,
            since: None,
            note: None,
            keep: None,
            keep_at: Some(Keep { path: path_of(key), value: Value::Int(Integer::Small(1)) }),
        };
        let all = ["trainer.model.a", "inference.model.a", "trainer.b", "inference.c"].map(changed);
        let kept = |refused: &'static [&str]| -> Vec<String> {
            let mut draft = Draft::new(&Table::default());
            let is_fine = move |draft: &Draft| refused.iter().all(|key| draft.root.get(&path_of(key)).is_none());
            let kept = defaults(&mut draft, &all, &is_fine);
            assert!(is_fine(&draft) && kept.iter().all(|path| draft.root.get(path).is_some()));
            let mut kept: Vec<String> = kept.iter().map(|path| path.join(".")).collect();
            kept.sort();
            kept
        };
        assert_eq!(kept(&[]).len(), 4);
        assert_eq!(kept(&["trainer.b"]), ["inference.c", "inference.model.a", "trainer.model.a"]);
        // One of those that belong together is accepted without the other.
        assert_eq!(kept(&["inference.model.a"]), ["inference.c", "trainer.b", "trainer.model.a"]);
    }
}
