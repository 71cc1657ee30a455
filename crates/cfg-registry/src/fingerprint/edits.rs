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
    let moved = Placed::new(differences);
    for difference in differences.iter().filter(by_user).filter(|difference| !moved.is_table(difference)) {
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
    let (one, other) = (Leaves::new(one), Leaves::new(other));
    // The first of the written edits of each key.
    let mut written: HashMap<&str, usize> = HashMap::new();
    for (at, edit) in edits.iter().enumerate().filter(|(_, edit)| edit.is_written()) {
        written.entry(edit.key).or_insert(at);
    }
    for (at, (is_new, place)) in places.into_iter().enumerate() {
        let leaves = if is_new { &other } else { &one };
        let Some(source) = leaves.by_place.get(&place).copied().filter(|_| !edits[at].is_written()) else { continue };
        // What prime-rl derives from a value in a table that was added or removed belongs to that table; anything else is shown where it is written.
        let table = around(&source.key).chain([&*source.key]).filter_map(|key| written.get(key)).min();
        if let Some(&table) = table {
            let (values, class) = (edits[at].values, edits[at].class);
            edits[table].values += values;
            edits[table].class = edits[table].class.min(class);
            folded.insert(at);
        } else {
            let key: &'m str = &source.key;
            edits[at] = Edit { key, one: one.by_key.get(key).copied(), other: other.by_key.get(key).copied(), ..edits[at] };
            if edits[at].is_written() {
                let first = written.entry(key).or_insert(at);
                *first = at.min(*first);
            }
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

/// The values of a meaning, those that are copied first, by where they are written and by key: the first of each.
struct Leaves<'m> {
    by_place: HashMap<Location, &'m Leaf>,
    by_key: HashMap<&'m str, &'m Leaf>,
}

impl<'m> Leaves<'m> {
    fn new(meaning: &'m Meaning) -> Self {
        let (mut by_place, mut by_key) = (HashMap::new(), HashMap::new());
        for leaf in meaning.copied.iter().chain(&meaning.leaves) {
            if let Some(place) = leaf.origin.location() {
                by_place.entry(place).or_insert(leaf);
            }
            by_key.entry(&*leaf.key).or_insert(leaf);
        }
        Self { by_place, by_key }
    }
}

/// The keys of the tables and arrays around a key, the outermost first.
fn around(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices(['.', '[']).map(|(end, _)| &key[..end])
}

/// The place where what differs is written: in the new text, or in the old one if it was removed.
fn place(difference: &Difference<'_>) -> Option<(bool, Location)> {
    let place = |leaf: Option<&Leaf>| leaf?.origin.place();
    place(difference.other).map(|at| (true, at)).or_else(|| place(difference.one).map(|at| (false, at)))
}

/// The keys around those that differ and that are written.
struct Placed<'d>(HashSet<&'d str>);

impl<'d> Placed<'d> {
    fn new(differences: &'d [Difference<'_>]) -> Self {
        Self(differences.iter().filter(|each| place(each).is_some()).flat_map(|each| around(each.key())).collect())
    }

    /// Whether what differs is the existence of a table, and something that is written in it differs as well.
    fn is_table(&self, difference: &Difference<'_>) -> bool {
        let is_marker = |leaf: Option<&Leaf>| leaf.is_none_or(|leaf| leaf.is_table() || leaf.value.is_null());
        is_marker(difference.one) && is_marker(difference.other) && self.0.contains(difference.key())
    }
}
