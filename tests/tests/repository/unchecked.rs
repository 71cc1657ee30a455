//! What a run did before each of prime-rl's checks existed is recorded, or it is said why not.

use std::collections::{BTreeMap, BTreeSet, HashMap};

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

fn file() -> toml::Table {
    include_str!("../../../schemas/unchecked.toml").parse().expect("schemas/unchecked.toml is TOML")
}

fn words(value: &toml::Value) -> Vec<&str> {
    value.as_array().expect("an array").iter().map(|word| word.as_str().expect("a text")).collect()
}

/// The code that a validator has under an old name, from a commit on: `validate_env 0be5ac452`. Code that some class has had before is none.
fn later_revisions() -> BTreeSet<String> {
    let commits = include_str!("../../../schemas/commits.tsv").lines().filter_map(|line| line.get(..9));
    let place: HashMap<&str, usize> = commits.zip(0..).collect();
    let validators = validators();
    let mut by_name: BTreeMap<&str, Vec<(usize, &str, &str)>> = BTreeMap::new();
    for row in include_str!("../../../schemas/revisions.tsv").lines().filter(|row| !row.starts_with('#')) {
        let [_, name, hash, range] = *row.split('\t').collect::<Vec<_>>() else { panic!("a row has four parts: {row}") };
        let since = range.split("..").next().unwrap_or_default();
        if validators.contains(name) {
            by_name.entry(name).or_default().push((place[since], since, hash));
        }
    }
    let mut later = BTreeSet::new();
    for (name, mut rows) in by_name {
        rows.sort_unstable();
        let first = rows[0].0;
        let mut known = BTreeSet::new();
        let new = rows.into_iter().filter(|(at, _, hash)| known.insert(*hash) && *at > first);
        later.extend(new.map(|(_, since, _)| format!("{name} {since}")));
    }
    later
}

/// The later revisions that somebody has read: those of entries, and those of groups with a reason. A group has one line for each validator.
fn read_revisions() -> BTreeSet<String> {
    let file = file();
    let of_entries = file["unchecked"].as_array().expect("entries").iter().filter_map(|entry| entry.get("grown"));
    let of_groups = file["read"].as_array().expect("groups").iter().map(|group| {
        assert!(group["why"].as_str().is_some_and(|why| !why.is_empty()), "each group has a reason");
        &group["revisions"]
    });
    let mut read = BTreeSet::new();
    for line in of_entries.chain(of_groups).flat_map(words) {
        let (name, commits) = line.split_once(' ').expect("a name and its commits");
        for commit in commits.split(' ') {
            assert!(read.insert(format!("{name} {commit}")), "{name} {commit} is read twice");
        }
    }
    read
}

/// The validators without an entry, each with the reason.
fn without_entry() -> BTreeMap<String, String> {
    let file = file();
    let mut reasons = BTreeMap::new();
    for group in file["none"].as_array().expect("an array of groups") {
        let why = group["why"].as_str().expect("a reason");
        for name in words(&group["validators"]) {
            let twice = reasons.insert(name.to_owned(), why.to_owned());
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

/// A validator may come to refuse more under its old name.
#[test]
fn each_later_revision_of_a_validator_has_been_read() {
    let (later, read) = (later_revisions(), read_revisions());
    let missing: Vec<&String> = later.difference(&read).collect();
    assert_eq!(
        missing,
        Vec::<&String>::new(),
        "say in schemas/unchecked.toml what a run did before what these came to refuse: an entry with `grown`, or a line of a group of `[[read]]`"
    );
    let unknown: Vec<&String> = read.difference(&later).collect();
    assert_eq!(unknown, Vec::<&String>::new(), "no validator has new code there");
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
