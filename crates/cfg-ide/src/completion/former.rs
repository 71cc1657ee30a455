//! The names under which people remember a key: those that it had before, and those that other trainers give it.

use cfg_diag::Span;

use super::Item;
use crate::{
    Analysis,
    place::{PathSegment, dotted},
};

/// The offered keys that begin differently from what is typed at `span`, but have another name that begins so.
pub(super) fn keys(analysis: &Analysis, path: &[PathSegment], span: Span, items: &[Item]) -> Vec<Item> {
    let typed = &analysis.text[span.range()];
    if typed.is_empty() {
        return Vec::new();
    }
    let former = analysis.history().renames_in(analysis.schema().kind, &table(path)).into_iter();
    let former = former.map(|(old, new, _)| (old, new.to_owned(), "formerly"));
    let others =
        analysis.checked.names.as_ref().map_or_else(Vec::new, |names| cfg_resolve::other_names(names, &dotted(path), typed));
    let mut others: Vec<_> = others.into_iter().map(|(word, key)| (word, key, "elsewhere")).collect();
    others.sort_by_key(|(word, ..)| word.len());
    let is_key = |name: &str| items.iter().any(|item| item.label == name);
    let mut found: Vec<Item> = Vec::new();
    for (name, key, about) in former.chain(others).filter(|(name, ..)| name.starts_with(typed) && !is_key(name)) {
        let Some(own) = items.iter().find(|item| item.label == key) else { continue };
        match found.iter_mut().find(|item| item.insert == own.insert) {
            // A key is offered once, whatever number of names it has.
            Some(known) => known.filter.iter_mut().for_each(|names| names.extend([" ", name])),
            None => found.push(Item {
                label: format!("{key} ({name})"),
                filter: Some(name.to_owned()),
                detail: format!("{about} `{name}`; {}", own.detail),
                ..own.clone()
            }),
        }
    }
    found
}

/// A table in the notation of moves: `eval.env[]`.
fn table(path: &[PathSegment]) -> String {
    let mut table = String::new();
    for step in path {
        match step {
            PathSegment::Key(key) if table.is_empty() => table.push_str(key),
            PathSegment::Key(key) => table.extend([".", &**key]),
            PathSegment::Index(_) => table.push_str("[]"),
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use crate::{complete, testing::with_cursor};

    /// The offered labels at `^` that name another name of the key, with what they insert.
    fn renamed(text: &str) -> Vec<(String, String)> {
        let (analysis, offset) = with_cursor(text);
        let items = complete(&analysis, offset).into_iter().filter(|item| item.label.ends_with(')'));
        items.map(|item| (item.label, item.insert)).collect()
    }

    #[test]
    fn a_key_is_found_by_its_former_name_and_by_that_of_other_trainers() {
        let pair = |label: &str, insert: &str| (label.to_owned(), insert.to_owned());
        let found = renamed("[trainer]\n[orchestrator]\nrollouts_per_e^\n");
        assert_eq!(found, [pair("group_size (rollouts_per_example)", "group_size = 16")]);
        let found = renamed("[orchestrator]\n[trainer.optim]\nlearning_r^\n");
        assert_eq!(found, [pair("lr (learning_rate)", "lr = 1e-06")]);
        // The names of one key are one item.
        let found = renamed("[trainer]\n[orchestrator]\nrollout^\n");
        assert_eq!(found.iter().filter(|(label, _)| label.starts_with("group_size ")).count(), 1, "{found:?}");
        // A key that is written already is not offered by another name.
        assert!(renamed("[orchestrator]\n[trainer.optim]\nlr = 1e-5\nlearning_r^\n").is_empty());
        assert!(renamed("[orchestrator]\n[trainer.optim]\n^\n").is_empty(), "nothing is typed");
    }
}
