//! Whether a key resembles one of prime-rl's, which the files of a project ask again and again.

use std::{cell::RefCell, collections::HashMap};

use cfg_resolve::nearest;
use cfg_schema::{History, Kind, Node};
use foldhash::fast::RandomState;

use super::GENERIC;

/// The maximum number of answers that are kept by each thread, and the length up to which a key is kept, in bytes.
const MAX_CACHED_ANSWERS: usize = 4096;
const LONGEST_KEPT: usize = 64;

/// The least length of a key that is taken for a misspelt one of prime-rl: shorter ones resemble each other by chance.
const SHORTEST_MISSPELT: usize = 7;

/// What is asked about a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Question {
    NearlyKnown,
    Misspelt,
    Strange,
}

/// The answers to one question by key.
type ByKey = HashMap<Box<str>, bool, RandomState>;

/// The answers by table and question.
#[derive(Default)]
struct Answers {
    of: HashMap<(Node, Question), ByKey, RandomState>,
    count: usize,
}

/// The answer to a question about a key of a table, which depends on nothing else.
fn answer(table: Node, question: Question, key: &str, find: impl FnOnce() -> bool) -> bool {
    thread_local! {
        static KNOWN: RefCell<Answers> = RefCell::default();
    }
    if key.len() > LONGEST_KEPT {
        return find();
    }
    let known = KNOWN.with_borrow(|known| known.of.get(&(table, question)).and_then(|keys| keys.get(key)).copied());
    known.unwrap_or_else(|| {
        let found = find();
        KNOWN.with_borrow_mut(|known| {
            if known.count >= MAX_CACHED_ANSWERS {
                *known = Answers::default();
            }
            known.count += 1;
            known.of.entry((table, question)).or_default().insert(key.into(), found);
        });
        found
    })
}

/// Whether a table has a key of a similar name. Short names resemble each other by chance.
pub(super) fn is_nearly_known(table: Node, key: &str) -> bool {
    let has_similar = || nearest(key, table.children().filter_map(Node::field_name)).is_some();
    key.len() > 4 && answer(table, Question::NearlyKnown, key, has_similar)
}

/// Whether a key is nearly one of a table that only prime-rl and few other programs use.
pub(super) fn is_misspelt(table: Node, key: &str) -> bool {
    let own = || table.children().filter_map(Node::field_name).filter(|name| !GENERIC.contains(name));
    let is_near = |name: &str| name.chars().next() == key.chars().next() && name.len().abs_diff(key.len()) <= 1;
    // Most keys are near none, which is found out much faster than the nearest one.
    let find = || table.field(key).is_none() && own().any(is_near) && nearest(key, own()).is_some_and(is_near);
    key.len() >= SHORTEST_MISSPELT && answer(table, Question::Misspelt, key, find)
}

/// Whether no kind ever had a key of this or a similar name at its root.
pub(super) fn is_strange(history: History, key: &str) -> bool {
    let has = |kind: &Kind| {
        let root = history.root(*kind);
        root.field(key).is_some() || root.is_alias(key) || nearest(key, root.children().filter_map(Node::field_name)).is_some()
    };
    answer(history.root(Kind::Rl), Question::Strange, key, || !Kind::RUNS.iter().any(has))
}
