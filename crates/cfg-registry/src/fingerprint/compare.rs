//! Compares two meanings, possibly of different versions of prime-rl: what differs, and why.

use std::collections::{BTreeMap, HashSet};

use cfg_diag::{Location, Order};

use super::{
    Class, Leaf, Level, Meaning,
    meaning::{Identity, Known, places},
    names::KeyPlace,
};

/// A key that has different values in two configs, or that only one of them has.
#[derive(Clone, Debug)]
pub struct Difference<'m> {
    /// The class of the key.
    pub class: Class,
    /// The value in the first config.
    pub one: Option<&'m Leaf>,
    /// The value in the second config.
    pub other: Option<&'m Leaf>,
    /// Why they differ.
    pub cause: Cause,
}

/// Why two configs differ in a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A user wrote another value.
    User,
    /// The value is written in neither: the two versions of prime-rl have different defaults, or derive different values for it.
    Default,
    /// One of the two versions of prime-rl has neither the key nor a replacement for it.
    NoKey,
}

impl Difference<'_> {
    /// The key, by its name in the first config that has it.
    pub fn key(&self) -> &str {
        self.one.or(self.other).map_or("", |leaf| &leaf.key)
    }
}

/// The relation of two configs, from all their differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They have the same meaning.
    Same,
    /// What the users wrote is the same; the differences come from the versions of prime-rl.
    ByDefault,
    /// A user changed something; this is the level of the change.
    ByUser(Level),
}

/// All differences, in the order of classes with the most important first, and sorted by key within each class.
pub fn compare<'m>(one: &'m Meaning, other: &'m Meaning) -> Vec<Difference<'m>> {
    let mut causes = Causes { one, other, places: [None, None], changed: [HashSet::new(), HashSet::new()] };
    let mut differences: Vec<Difference<'_>> = differing(&one.leaves, &other.leaves)
        .into_iter()
        .filter_map(|(one, other)| Some(Difference { class: one.or(other)?.class, one, other, cause: causes.of(one, other) }))
        .collect();
    if one.schema.point != other.schema.point {
        let copied = differing(&one.copied, &other.copied);
        let by_hand = differences.iter().filter(|each| each.cause == Cause::User).map(|each| (each.one, each.other));
        for (one, other) in by_hand.chain(copied).collect::<Vec<_>>() {
            causes.changed[0].extend(one.and_then(|leaf| leaf.origin.location()));
            causes.changed[1].extend(other.and_then(|leaf| leaf.origin.location()));
        }
        for difference in differences.iter_mut().filter(|each| each.cause == Cause::Default) {
            if causes.follows(difference.one, difference.other) {
                difference.cause = Cause::User;
            }
        }
    }
    differences.order_by(|one, other| one.class.cmp(&other.class).then_with(|| one.key().cmp(other.key())));
    differences
}

/// As [`compare`], for a person: an invalid value is listed where it is written, and what follows from it is left out.
pub fn compare_written<'m>(one: &'m Meaning, other: &'m Meaning) -> Vec<Difference<'m>> {
    let is_invalid = |leaf: Option<&Leaf>| leaf.is_some_and(|leaf| leaf.is_invalid);
    let is_written = |leaf: Option<&Leaf>| leaf.is_some_and(|leaf| leaf.is_invalid && leaf.is_written());
    let mut differences = compare(one, other);
    differences.retain(|each| {
        let is_clear = !is_invalid(each.one) && !is_invalid(each.other);
        is_clear || is_written(each.one) || is_written(each.other)
    });
    // A value that prime-rl copies elsewhere has no class of its own.
    let copied = differing(&one.copied, &other.copied).into_iter();
    let written = copied.filter(|(one, other)| is_written(*one) || is_written(*other));
    differences.extend(written.map(|(one, other)| Difference { class: Class::Training, one, other, cause: Cause::User }));
    differences.order_by(|one, other| one.class.cmp(&other.class).then_with(|| one.key().cmp(other.key())));
    differences
}

type Sides<'m> = (Option<&'m Leaf>, Option<&'m Leaf>);

/// The leaves that differ. A first default is treated like an absent value, and a key that only one of the two versions of prime-rl has is one of that.
fn differing<'m>(one: &'m [Leaf], other: &'m [Leaf]) -> Vec<Sides<'m>> {
    let is_refused = |leaf: &&Leaf| leaf.known == Known::Refused;
    // Nearly no config has such a key.
    let any_refused = one.iter().chain(other).any(|leaf| is_refused(&leaf));
    let known = |leaves: &'m [Leaf]| {
        let known = leaves.iter().filter(|leaf| any_refused && !is_refused(leaf));
        known.map(|leaf| &leaf.identity).collect::<HashSet<_>>()
    };
    let (of_one, of_other) = (known(one), known(other));
    let mut sides: BTreeMap<&Identity, (Vec<&Leaf>, Vec<&Leaf>)> = BTreeMap::new();
    for leaf in one.iter().filter(|leaf| !is_refused(leaf) || !of_other.contains(&leaf.identity)) {
        sides.entry(&leaf.identity).or_default().0.push(leaf);
    }
    for leaf in other.iter().filter(|leaf| !is_refused(leaf) || !of_one.contains(&leaf.identity)) {
        sides.entry(&leaf.identity).or_default().1.push(leaf);
    }
    let pairs = sides.into_values().flat_map(|(ones, others)| {
        let pair = |index: usize| (ones.get(index).copied(), others.get(index).copied());
        (0..ones.len().max(others.len())).map(pair).collect::<Vec<_>>()
    });
    let differs = |sides: &Sides<'_>| match sides {
        (Some(one), Some(other)) => one.first != other.first,
        (Some(only), None) | (None, Some(only)) => !only.is_usual,
        (None, None) => false,
    };
    pairs.filter(differs).collect()
}

/// The relation that follows from all differences.
pub fn outcome(differences: &[Difference<'_>]) -> Outcome {
    let by_user = differences.iter().filter(|difference| difference.cause == Cause::User);
    match by_user.map(|difference| difference.class.level()).max() {
        Some(level) => Outcome::ByUser(level),
        None if differences.is_empty() => Outcome::Same,
        None => Outcome::ByDefault,
    }
}

struct Causes<'m> {
    one: &'m Meaning,
    other: &'m Meaning,
    /// The keys that the prime-rl of each side has, computed when first needed.
    places: [Option<HashSet<KeyPlace>>; 2],
    /// The locations on each side at which a value is written that differs from the other side.
    changed: [HashSet<Location>; 2],
}

impl Causes<'_> {
    /// Why two leaves differ, as far as the leaves alone show it.
    fn of(&mut self, one: Option<&Leaf>, other: Option<&Leaf>) -> Cause {
        if self.one.schema.point == self.other.schema.point {
            return Cause::User;
        }
        match (one, other) {
            (Some(only), None) if !self.has(1, only) => Cause::NoKey,
            (None, Some(only)) if !self.has(0, only) => Cause::NoKey,
            _ if [one, other].into_iter().flatten().any(Leaf::is_written) => Cause::User,
            _ => Cause::Default,
        }
    }

    /// Whether a value was derived from something that a user changed.
    fn follows(&self, one: Option<&Leaf>, other: Option<&Leaf>) -> bool {
        let made_of = |leaf: Option<&Leaf>, changed: &HashSet<Location>| {
            leaf.and_then(|leaf| leaf.origin.place()).is_some_and(|place| changed.contains(&place))
        };
        made_of(one, &self.changed[0]) || made_of(other, &self.changed[1])
    }

    /// Whether the prime-rl of a side has the key, or accepts any key there.
    fn has(&mut self, side: usize, leaf: &Leaf) -> bool {
        let schema = if side == 0 { self.one.schema } else { self.other.schema };
        let places = self.places[side].get_or_insert_with(|| places(schema));
        let KeyPlace { kind, path } = &leaf.identity.place;
        let known = |path: &str| places.contains(&KeyPlace { kind: *kind, path: path.to_owned() });
        // A free key can exist wherever its table can.
        let mut owners = path.match_indices('.').map(|(dot, _)| &path[..dot]);
        known(path) || (leaf.known != Known::Field && owners.any(known))
    }
}
