//! Helpers for the tests of several modules.

use std::collections::BTreeSet;

use cfg_schema::{History, Interval, Kind, Node};

/// The results of `names` for each interval of each class of every kind: sorted, without duplicates.
pub(crate) fn in_every_class(names: &dyn Fn(Node, Interval) -> Vec<&'static str>) -> Vec<&'static str> {
    fn go(node: Node, names: &dyn Fn(Node, Interval) -> Vec<&'static str>, found: &mut BTreeSet<&'static str>) {
        node.intervals().for_each(|interval| found.extend(names(node, interval)));
        node.children().for_each(|child| go(child, names, found));
    }
    let mut found = BTreeSet::new();
    Kind::ALL.iter().for_each(|kind| go(History::built_in().root(*kind), names, &mut found));
    found.into_iter().collect()
}
