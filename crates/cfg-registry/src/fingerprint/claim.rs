//! The claim that a config trains the same as another, apart from some keys.

use std::collections::HashSet;

use cfg_diag::Location;
use cfg_schema::without_indices;

use super::{Cause, Class, Difference, Leaf, Meaning, compare};

/// The differences that contradict a claim: keys of the class training that a user changed, so that the two configs differ in them, and that are not
/// below an excepted key.
///
/// A key is dotted, and includes all keys below it; indices may be omitted: `orchestrator.env.args`. A shared key such as `seq_len` stands for the
/// keys to which prime-rl copies it.
pub fn untrue<'m>(one: &'m Meaning, other: &'m Meaning, except: &[&str]) -> Vec<Difference<'m>> {
    let copied = [one, other].map(|meaning| excepted_places(meaning, except));
    let is_excepted = |difference: &Difference<'_>| {
        let sides = [difference.one, difference.other];
        sides.iter().zip(&copied).any(|(leaf, copied)| {
            leaf.is_some_and(|leaf| {
                is_under(&leaf.key, except) || leaf.origin.place().is_some_and(|place| copied.contains(&place))
            })
        })
    };
    let mut differences = compare(one, other);
    differences
        .retain(|difference| difference.class == Class::Training && difference.cause == Cause::User && !is_excepted(difference));
    differences
}

/// The locations where excepted shared keys are written.
fn excepted_places(meaning: &Meaning, except: &[&str]) -> HashSet<Location> {
    let excepted = meaning.copied.iter().filter(|leaf: &&Leaf| is_under(&leaf.key, except));
    excepted.filter_map(|leaf| leaf.origin.place()).collect()
}

/// Whether a key is one of `keys`, or is below one.
fn is_under(key: &str, keys: &[&str]) -> bool {
    let plain = without_indices(key);
    keys.iter().any(|above| {
        let lies_under = |key: &str| key.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        !above.is_empty() && (lies_under(key) || lies_under(&plain))
    })
}
