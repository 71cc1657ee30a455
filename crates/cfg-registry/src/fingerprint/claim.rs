//! The claim that a config trains the same as another, apart from some keys.

use std::collections::HashSet;

use cfg_diag::Location;

use super::{Cause, Class, Difference, Leaf, Meaning, compare};

/// What a config trains otherwise than another, besides what it may: the differences of class training that are somebody's doing and are
/// under none of the excepted keys.
///
/// A key is dotted, and holds for all keys below it; indices may be left out: `orchestrator.env.args`. A shared key such as `seq_len` stands for
/// the keys that prime-rl copies it to.
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

/// Where the excepted ones among the shared keys are written.
fn excepted_places(meaning: &Meaning, except: &[&str]) -> HashSet<Location> {
    let excepted = meaning.copied.iter().filter(|leaf: &&Leaf| is_under(&leaf.key, except));
    excepted.filter_map(|leaf| leaf.origin.place()).collect()
}

/// Whether a key is one of these, or is below one.
fn is_under(key: &str, keys: &[&str]) -> bool {
    let plain = without_indices(key);
    keys.iter().any(|above| {
        let lies_under = |key: &str| key.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        !above.is_empty() && (lies_under(key) || lies_under(&plain))
    })
}

fn without_indices(key: &str) -> String {
    let mut plain = String::with_capacity(key.len());
    let mut rest = key;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        rest = after.split_once(']').map_or("", |(_, after)| after);
    }
    plain + rest
}
