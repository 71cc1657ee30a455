//! What a run did before each of prime-rl's checks existed is recorded, or it is said why not.

use std::collections::{BTreeMap, BTreeSet};

use cfg_schema::{History, Kind, Node, Unchecked};

/// The validators of all classes at all points.
fn validators() -> BTreeSet<&'static str> {
    fn go(node: Node, found: &mut BTreeSet<&'static str>) {
        node.intervals()
            .for_each(|interval| found.extend(interval.validators().map(|(_, name)| name.split('(').next().unwrap_or(name))));
        node.children().for_each(|child| go(child, found));
    }
    let mut found = BTreeSet::new();
    Kind::ALL.iter().for_each(|kind| go(History::built_in().root(*kind), &mut found));
    found
}

/// The validators without an entry, each with the reason.
fn without_entry() -> BTreeMap<String, String> {
    let text = include_str!("../../../schemas/unchecked.toml");
    let file: toml::Table = text.parse().expect("schemas/unchecked.toml is TOML");
    let mut reasons = BTreeMap::new();
    for group in file["none"].as_array().expect("an array of groups") {
        let why = group["why"].as_str().expect("a reason");
        for name in group["validators"].as_array().expect("names") {
            let twice = reasons.insert(name.as_str().expect("a name").to_owned(), why.to_owned());
            assert_eq!(twice, None, "{name} is in two groups of schemas/unchecked.toml");
        }
    }
    reasons
}

#[test]
fn each_validator_has_an_entry_or_a_reason() {
    let reasons = without_entry();
    let entries: BTreeSet<&str> = Unchecked::all().iter().flat_map(|row| row.validators.iter().copied()).collect();
    let missing: Vec<&str> =
        validators().into_iter().filter(|name| !entries.contains(name) && !reasons.contains_key(*name)).collect();
    assert_eq!(
        missing,
        Vec::<&str>::new(),
        "say in schemas/unchecked.toml what a run did before these validators existed: an entry, or a group of `[[none]]`"
    );
}

#[test]
fn no_reason_is_about_an_unknown_validator() {
    let known = validators();
    let entries: BTreeSet<&str> = Unchecked::all().iter().flat_map(|row| row.validators.iter().copied()).collect();
    for name in without_entry().keys() {
        assert!(known.contains(&**name), "prime-rl never had a validator `{name}`");
        assert!(!entries.contains(&**name), "`{name}` has an entry, and a reason for having none");
    }
}
