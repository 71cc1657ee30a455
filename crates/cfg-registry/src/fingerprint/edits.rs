//! The edits that a person made, from the values that they change.

use std::collections::{HashMap, HashSet};

use cfg_diag::Location;

use super::{Cause, Class, Difference, Leaf, Meaning};

/// A place of the text that a person changed, with all that changes by it.
#[derive(Clone, Debug)]
pub struct Edit<'m> {
    /// The key as it is written: `max_steps`, although prime-rl copies it to two other keys.
    pub key: &'m str,
    /// The most important class of the values that change.
    pub class: Class,
    /// The value before, if there was one.
    pub one: Option<&'m Leaf>,
    /// The value after, if there is one.
    pub other: Option<&'m Leaf>,
    /// The number of values that change.
    pub values: usize,
}

/// The edits that lead from one meaning to another. A value that is copied or derived belongs to the place where it is written, and a table to the
/// keys in it; what nobody wrote, such as the defaults of another prime-rl, belongs to no edit.
pub fn edits<'m>(one: &'m Meaning, other: &'m Meaning, differences: &[Difference<'m>]) -> Vec<Edit<'m>> {
    let (mut edits, mut places): (Vec<Edit<'m>>, Vec<(bool, Location)>) = (Vec::new(), Vec::new());
    let mut at: HashMap<(bool, Location), usize> = HashMap::new();
    let by_user = |difference: &&Difference<'m>| difference.cause == Cause::User;
    for difference in differences.iter().filter(by_user).filter(|difference| !is_table(difference, differences)) {
        let Some(place) = place(difference) else { continue };
        let key = difference.one.or(difference.other).map_or("", |leaf| &leaf.key);
        let edit = Edit { key, class: difference.class, one: difference.one, other: difference.other, values: 1 };
        match at.get(&place).and_then(|at| edits.get_mut(*at)) {
            Some(known) => {
                let (class, values) = (known.class.min(difference.class), known.values + 1);
                let better = if edit.is_written() && !known.is_written() { edit } else { known.clone() };
                *known = Edit { class, values, ..better };
            }
            None => {
                at.insert(place, edits.len());
                places.push(place);
                edits.push(edit);
            }
        }
    }
    let mut folded = HashSet::new();
    for (at, (is_new, place)) in places.into_iter().enumerate() {
        let of = |meaning: &'m Meaning, is_it: &dyn Fn(&Leaf) -> bool| {
            meaning.copied.iter().chain(&meaning.leaves).find(|leaf| is_it(leaf))
        };
        let source = of(if is_new { other } else { one }, &|leaf| leaf.origin.location() == Some(place));
        let Some(source) = source.filter(|_| !edits[at].is_written()) else { continue };
        // What prime-rl derives from a value in a table that was added or removed belongs to that table; anything else is shown where it is written.
        let is_it = |edit: &Edit<'_>| edit.is_written() && (edit.key == source.key || is_within(&source.key, edit.key));
        if let Some(table) = edits.iter().position(is_it) {
            let (values, class) = (edits[at].values, edits[at].class);
            edits[table].values += values;
            edits[table].class = edits[table].class.min(class);
            folded.insert(at);
        } else {
            let same = |leaf: &Leaf| leaf.key == source.key;
            edits[at] = Edit { key: &source.key, one: of(one, &same), other: of(other, &same), ..edits[at] };
        }
    }
    let mut index = 0..;
    edits.retain(|_| index.next().is_none_or(|index| !folded.contains(&index)));
    edits
}

impl Edit<'_> {
    /// Whether one of the values is written, and not only made of one that is.
    fn is_written(&self) -> bool {
        [self.one, self.other].into_iter().flatten().any(Leaf::is_written)
    }
}

/// Whether a key is below another one.
fn is_within(key: &str, table: &str) -> bool {
    key.strip_prefix(table).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// The place where what differs is written: in the new text, or in the old one if it was removed.
fn place(difference: &Difference<'_>) -> Option<(bool, Location)> {
    let place = |leaf: Option<&Leaf>| leaf?.origin.place();
    place(difference.other).map(|at| (true, at)).or_else(|| place(difference.one).map(|at| (false, at)))
}

/// Whether what differs is the existence of a table, and something that is written in it differs as well.
fn is_table(difference: &Difference<'_>, all: &[Difference<'_>]) -> bool {
    let is_marker = |leaf: Option<&Leaf>| leaf.is_none_or(|leaf| leaf.is_table() || leaf.value.is_null());
    let is_one = is_marker(difference.one) && is_marker(difference.other);
    is_one && all.iter().any(|each| is_within(each.key(), difference.key()) && place(each).is_some())
}
