//! If a commit renames the key of a setting and the declaration does not have the new key, the setting is absent from that commit on, and
//! all rules that use it report nothing. Therefore each declaration is compared with the history: if a setting loses its last key,
//! `schemas/moves.toml` must state what became of the key, and the declaration must have the key's new place.

use std::collections::BTreeSet;

use cfg_schema::{Commit, FoundField, History, Interval, Kind, Move, Point, without_variants};

use super::{Entry, Section, entries, exists_at, named_fields, sections};

fn settings(section: &Section) -> Vec<Entry> {
    let mut own = Vec::new();
    entries(section.field, &section.declared, &[String::new()], &mut own);
    own
}

/// The shared keys, at the root of an `rl` config or of its orchestrator, that prime-rl copies to the settings of a section.
fn copied(section: &Section) -> (Section, Vec<Entry>) {
    let of_setting = |entry: Entry| Entry {
        field: format!("{}, shared", entry.field),
        keys: entry.shared.into_iter().map(str::to_owned).collect(),
        shared: Vec::new(),
    };
    let above = Section { field: section.field, declared: Vec::new(), roots: vec![(Kind::Rl, ""), (Kind::Orchestrator, "")] };
    (above, settings(section).into_iter().map(of_setting).collect())
}

/// The fields of a setting at all versions, each with the kind of its file.
fn fields(history: History, section: &Section, entry: &Entry) -> Vec<(Kind, FoundField)> {
    let pairs = section.roots.iter().flat_map(|root| entry.keys.iter().map(move |key| (*root, key)));
    pairs.flat_map(|(root, key)| named_fields(history, root, key).into_iter().map(move |field| (root.0, field))).collect()
}

/// The points at which a setting loses its last key.
fn losses(history: History, section: &Section, entry: &Entry, fields: &[(Kind, FoundField)]) -> BTreeSet<Point> {
    let has_key = |point| section.roots.iter().any(|root| entry.keys.iter().any(|key| exists_at(history, *root, key, point)));
    let ends = |field: &FoundField| -> Vec<Point> {
        let own = field.node.intervals().filter_map(Interval::until);
        own.chain(field.within.iter().filter_map(|(_, until)| *until)).collect()
    };
    let ends: BTreeSet<Point> = fields.iter().flat_map(|(_, field)| ends(field)).filter(|point| point.0 > 0).collect();
    ends.into_iter().filter(|point| has_key(Point(point.0 - 1)) && !has_key(*point)).collect()
}

/// The moves at a point that concern a key or a table that contains it, each with the key's new place.
fn moves_at(history: History, point: Point, kind: Kind, key: &str) -> Vec<(Move, Option<(Kind, String)>)> {
    let ends = key.match_indices('.').map(|(at, _)| at).chain([key.len()]);
    let moves = ends.flat_map(|end| history.moves_of(kind, &key[..end]).map(move |entry| (entry, &key[end..])));
    let placed = moves.map(|(entry, below)| (entry, entry.to().map(|(kind, to)| (kind, format!("{to}{below}")))));
    placed.filter(|(entry, _)| entry.point() == Some(point)).collect()
}

/// The errors of a declaration.
fn faults(history: History, section: &Section, entry: &Entry, declared: &BTreeSet<(Kind, String)>) -> BTreeSet<String> {
    let fields = fields(history, section, entry);
    let mut faults = BTreeSet::new();
    for point in losses(history, section, entry, &fields) {
        let commit = history.commit_of(point).map(Commit::short_sha).unwrap_or_default();
        let before = Point(point.0 - 1);
        for (kind, field) in fields.iter().filter(|(_, field)| field.exists_at(before)) {
            let key = without_variants(&field.path);
            let moves = moves_at(history, point, *kind, &key);
            // If a later commit adds the key again, no move is needed.
            let returns = || (point.0..=history.newest().0).any(|later| field.exists_at(Point(later)));
            if moves.is_empty() && !returns() {
                faults.insert(format!(
                    "{}: {kind}:{key} is gone at {commit}; say in schemas/moves.toml what became of it",
                    entry.field
                ));
            }
            // If the form of the value changes, the new key belongs to another setting, or to none.
            for (kind, to) in moves.iter().filter(|(entry, _)| entry.value() == "copy").filter_map(|(_, to)| to.clone()) {
                let arrives = history.schema(kind, point).has(&to);
                if arrives && !declared.contains(&(kind, to.clone())) {
                    faults.insert(format!(
                        "{}: {kind}:{key} moved to {to} at {commit}; put that key before the others in its declaration (`facts!`)",
                        entry.field
                    ));
                }
            }
        }
    }
    faults
}

/// The errors of all these declarations.
fn all_faults(sections: &[(Section, Vec<Entry>)]) -> BTreeSet<String> {
    let history = History::built_in();
    let pairs = || sections.iter().flat_map(|(section, entries)| entries.iter().map(move |entry| (section, entry)));
    let fields = pairs().flat_map(|(section, entry)| fields(history, section, entry));
    let declared = fields.map(|(kind, field)| (kind, without_variants(&field.path))).collect();
    pairs().flat_map(|(section, entry)| faults(history, section, entry, &declared)).collect()
}

#[test]
fn a_setting_has_each_key_to_which_its_value_moved() {
    let own: Vec<_> = sections()
        .into_iter()
        .map(|section| {
            let all = settings(&section);
            (section, all)
        })
        .collect();
    let faults = all_faults(&own);
    assert!(faults.is_empty(), "{faults:#?}");
    let shared: Vec<_> = sections().iter().map(copied).collect();
    let faults = all_faults(&shared);
    assert!(faults.is_empty(), "{faults:#?}");
}
