//! Every field has a description of ours at every release, and the descriptions are useful.

use std::collections::{BTreeMap, BTreeSet};

use cfg_schema::{History, Kind, Node, Point, Segment, Target};

/// Commits between releases whose configs are in use.
const COMMITS: [&str; 2] = ["6b01ba5ae", "d564195ca"];

/// The maximum number of characters in a hover.
const LONGEST: usize = 400;

/// One of this many descriptions may be shared by fields of different names, such as equal switches and limits of several tables.
const ONE_SHARED_IN: usize = 10;

/// The number of complaints that are shown.
const SHOWN: usize = 40;

/// The releases, the commits of [`COMMITS`], and the newest point.
fn points() -> Vec<Point> {
    let history = History::built_in();
    let commits = COMMITS.iter().map(|sha| Target::parse(history, sha).expect("a commit of the history").point);
    let mut points: Vec<Point> =
        history.releases().map(cfg_schema::Tag::point).chain(commits).chain([history.newest()]).collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// All fields of all kinds, and the selectable variants, each once with one of its paths.
fn fields() -> BTreeMap<u32, (String, Node)> {
    fn collect(node: Node, path: &str, into: &mut BTreeMap<u32, (String, Node)>) {
        for child in node.children() {
            let path = match child.segment() {
                Segment::Field(name) => format!("{path}.{name}"),
                Segment::Item => format!("{path}[]"),
                Segment::MapValue => format!("{path}.*"),
                Segment::Variant(tag) => format!("{path}<{tag}>"),
                Segment::Class(name) => format!("{path}<{name}>"),
            };
            let is_bare = matches!(child.segment(), Segment::Item | Segment::MapValue);
            if !is_bare && into.insert(child.id(), (path.clone(), child)).is_some() {
                continue;
            }
            collect(child, &path, into);
        }
    }
    let mut fields = BTreeMap::new();
    for kind in [Kind::Trainer, Kind::Orchestrator, Kind::Inference, Kind::Sft, Kind::Rl].into_iter().chain(Kind::ALL) {
        collect(History::built_in().root(kind), &format!("{kind}:"), &mut fields);
    }
    fields
}

/// The descriptions of all fields, each with one of its fields.
fn sentences() -> BTreeMap<&'static str, String> {
    let fields = fields();
    fields.values().flat_map(|(path, node)| node.docs().map(move |(_, text)| (text, path.clone()))).collect()
}

fn assert_none(complaints: &[String], what: &str) {
    let shown = complaints.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(complaints.is_empty(), "{} {what}\n{shown}", complaints.len());
}

#[test]
fn every_field_has_a_sentence_at_every_release() {
    let points = points();
    let mut count = 0;
    let mut bare = Vec::new();
    for (path, node) in fields().values() {
        for point in points.iter().filter(|point| node.at(**point).is_some()) {
            count += 1;
            if node.doc(*point).is_none() {
                bare.push(format!("{path} at {}", point.0));
                break;
            }
        }
    }
    assert_none(&bare, "fields have no sentence");
    assert!(count > 5000, "only {count} fields were looked at");
}

#[test]
fn fields_between_releases_have_theirs_too() {
    let fields = fields();
    let lacks = |node: &Node| node.intervals().any(|interval| node.doc(interval.since()).is_none());
    let bare: Vec<String> = fields.values().filter(|(_, node)| lacks(node)).map(|(path, _)| path.clone()).collect();
    assert_none(&bare, "fields have no sentence at some point");
}

#[test]
fn no_sentence_is_for_a_time_at_which_its_field_did_not_exist() {
    let mut idle = Vec::new();
    for (path, node) in fields().values() {
        let docs: Vec<(Point, &str)> = node.docs().collect();
        for (index, (since, text)) in docs.iter().enumerate() {
            let until = docs.get(index + 1).map_or(Point(u16::MAX), |(until, _)| *until);
            let holds =
                |interval: cfg_schema::Interval| interval.since() < until && interval.until().is_none_or(|end| end > *since);
            if !node.intervals().any(holds) {
                idle.push(format!("{path}: {text}"));
            }
        }
    }
    assert_none(&idle, "sentences are never shown");
}

#[test]
fn sentences_are_well_formed() {
    let mut wrong = Vec::new();
    for (text, path) in sentences() {
        let faults = [
            (!text.ends_with('.'), "does not end with a full stop"),
            (text.chars().count() < 10, "is too short to say something"),
            (text.chars().count() > LONGEST, "is too long"),
            (text.contains(['\t', '\n']) || text.contains("  ") || text.trim() != text, "has stray white space"),
            (text.contains("TODO") || text.contains("FIXME") || text.contains("TBD"), "is unfinished"),
            (text.matches('`').count() % 2 == 1, "has an unpaired backtick"),
            (
                !text.starts_with(|first: char| first.is_uppercase() || first == '`' || first == '['),
                "does not begin like a sentence",
            ),
        ];
        wrong.extend(faults.iter().filter(|(is_so, _)| *is_so).map(|(_, fault)| format!("{path} {fault}: {text}")));
    }
    assert_none(&wrong, "sentences are not well formed");
}

#[test]
fn a_sentence_mentions_null_only_if_null_is_allowed() {
    let mut wrong = Vec::new();
    for (path, node) in fields().values() {
        let docs: Vec<(Point, &str)> = node.docs().collect();
        for (index, (since, text)) in
            docs.iter().enumerate().filter(|(_, (_, text))| text.contains("Null ") || text.contains(" null "))
        {
            let until = docs.get(index + 1).map_or(Point(u16::MAX), |(until, _)| *until);
            let overlaps =
                |interval: &cfg_schema::Interval| interval.since() < until && interval.until().is_none_or(|end| end > *since);
            if !node.intervals().filter(overlaps).any(|interval| interval.field_type().is_nullable()) {
                wrong.push(format!("{path}: {text}"));
            }
        }
    }
    assert_none(&wrong, "fields are never null");
}

#[test]
fn few_sentences_serve_fields_of_different_names() {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, node) in fields().values() {
        let Segment::Field(name) = node.segment() else { continue };
        for (_, text) in node.docs() {
            names.entry(text).or_default().insert(name);
        }
    }
    let shared: Vec<String> =
        names.iter().filter(|(_, names)| names.len() > 1).map(|(text, names)| format!("{names:?}: {text}")).collect();
    assert!(
        shared.len() * ONE_SHARED_IN < names.len(),
        "{} of {} sentences are shared:\n{}",
        shared.len(),
        names.len(),
        shared.join("\n")
    );
}
