//! Helpers for the tests of several modules.

use std::collections::BTreeSet;

use cfg_compose::Tree;
use cfg_diag::{Diagnostic, FileId};
use cfg_schema::{History, Interval, Kind, Node, Target};

use crate::{Names, resolve};

/// What is found in a config of a kind at a target.
pub(crate) fn found_in(kind: Kind, target: &str, text: &str) -> Vec<Diagnostic> {
    let history = History::built_in();
    let schema = history.schema(kind, Target::parse(history, target).expect("a target").point);
    let (document, _) = cfg_syntax::parse(FileId(0), text, cfg_syntax::Dialect::Toml10);
    let (_, found) = resolve(schema, &Names::new(schema), Tree::from_document(FileId(0), document));
    found
}

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
