//! The table of all settings of a plan: the key of each setting at each version.

use std::fmt::Write as _;

use cfg_schema::{Behaviour, FieldType, FoundField, History, Kind, Point, Policy, Target, TypeKind, find_fields};

use crate::{
    Inference, Orchestrator, Run, Trainer,
    environment::EnvironmentSettings,
    facts::{Declared, Part},
    lower::{EVAL, SINGLE, TRAIN},
};

/// A part of a plan, with the tables from which it is read.
struct Section {
    field: &'static str,
    declared: Vec<Declared>,
    /// The tables in which its keys are looked up: a kind and a path each.
    roots: Vec<(Kind, &'static str)>,
}

fn sections() -> Vec<Section> {
    let environments = TRAIN.into_iter().chain(EVAL).chain([SINGLE]).map(|path| (Kind::Orchestrator, path));
    let section = |field, declared, roots| Section { field, declared, roots };
    vec![
        section("run", Run::declared(), vec![(Kind::Rl, ""), (Kind::Sft, "")]),
        section("trainer", Trainer::declared(), vec![(Kind::Trainer, ""), (Kind::Sft, "")]),
        section("orchestrator", Orchestrator::declared(), vec![(Kind::Orchestrator, "")]),
        section("inference", Inference::declared(), vec![(Kind::Inference, "")]),
        section(
            "environments[]",
            EnvironmentSettings::declared(),
            environments.chain([Kind::Sft, Kind::Evals].map(|kind| (kind, "eval.source"))).collect(),
        ),
    ]
}

/// A setting with all its keys, the newest first.
struct Entry {
    field: String,
    keys: Vec<String>,
    shared: Vec<&'static str>,
}

/// The settings of a section. Those of an inner table follow their table.
fn entries(field: &str, declared: &[Declared], prefixes: &[String], entries_so_far: &mut Vec<Entry>) {
    for each in declared {
        let join = |prefix: &String, path: &&str| if prefix.is_empty() { (*path).to_owned() } else { format!("{prefix}.{path}") };
        let keys: Vec<String> = each.own.iter().flat_map(|path| prefixes.iter().map(move |prefix| join(prefix, path))).collect();
        let own = format!("{field}.{}", each.field);
        entries_so_far.push(Entry { field: own.clone(), keys: keys.clone(), shared: each.shared.clone() });
        entries(&own, &each.below, &keys, entries_so_far);
    }
}

/// The fields that a key names below a table.
fn named_fields(history: History, root: (Kind, &str), key: &str) -> Vec<FoundField> {
    let key = key.split(['[', ']']).filter(|part| !part.is_empty()).collect::<Vec<_>>();
    // The paths of the history have no variants: `filters[zero_advantage].enforce` is `filters.enforce` there.
    let key = if key.len() == 3 { format!("{}{}", key[0], key[2]) } else { key.concat() };
    let path = if root.1.is_empty() { key } else { format!("{}.{key}", root.1) };
    find_fields(history, root.0, &path)
}

/// Whether a key exists at a point, possibly as a free key.
fn exists_at(history: History, root: (Kind, &str), key: &str, point: Point) -> bool {
    let is_there = |found: &FoundField| found.exists_at(point);
    let is_open = |found: &FoundField| found.node.at(point).is_some_and(|interval| is_open(interval.field_type()));
    let above = key.rsplit_once('.').map(|(above, _)| named_fields(history, root, above)).unwrap_or_default();
    named_fields(history, root, key).iter().any(is_there) || above.iter().any(|table| is_there(table) && is_open(table))
}

/// Whether a table accepts keys without a field.
pub(crate) fn is_open(ty: FieldType) -> bool {
    matches!(ty.kind(), TypeKind::Dict | TypeKind::Table(Policy::Allow))
}

/// The points in the table, with their names: the oldest point with recorded verdicts, each release, and the newest point.
fn points(history: History) -> Vec<(String, Point)> {
    let target = |name: &str| Target::parse(history, name).ok().map(|target| (name.to_owned(), target.point));
    let releases: Vec<String> = history.releases().map(|tag| tag.name().trim_start_matches('v').to_owned()).collect();
    let first = Behaviour::VerdictsAreRecorded.since();
    let oldest = history.commit_of(first).map(|commit| (commit.short_sha(), first));
    let mut points: Vec<_> = oldest.into_iter().chain(releases.iter().filter_map(|name| target(name))).collect();
    points.retain(|(_, point)| *point >= first);
    points.push(("main".to_owned(), history.newest()));
    points
}

/// The beginning of the page.
const HEAD: &str = "# The plan

What a config means, in terms that are the same at every version of prime-rl, and the key of each in each version. `cfg` lowers a
resolved config to these settings; rules, the memory model and the editor read nothing else. The command `cfg plan` is [another page](course.md).

The numbers below a version say which of the keys it has, a dash that it has none of them. Keys are dotted paths from their component: an `rl`
config has `trainer.`, `orchestrator.` or `inference.` before them. If a setting has no written key, prime-rl copies its value
from the keys in the third column: those of the run, or, for an environment, those of the orchestrator.

This page is generated from the declarations in `crates/cfg-plan/src`.
";

/// The table as Markdown.
pub fn table(history: History) -> String {
    let points = points(history);
    let mut text = HEAD.to_owned();
    for section in sections() {
        let mut all = Vec::new();
        entries(section.field, &section.declared, &[String::new()], &mut all);
        let _ = writeln!(text, "\n## `{}`\n", section.field);
        let names: Vec<&str> = points.iter().map(|(name, _)| name.as_str()).collect();
        let _ = writeln!(text, "| field | keys, the newest first | copied from | {} |", names.join(" | "));
        let _ = writeln!(text, "|---|---|---|{}", "---|".repeat(points.len()));
        for entry in &all {
            let field = entry.field.strip_prefix(&format!("{}.", section.field)).unwrap_or(&entry.field);
            let is_at = |key: &String, point| section.roots.iter().any(|root| exists_at(history, *root, key, point));
            let keys: Vec<&String> = entry.keys.iter().filter(|key| ever(history, &section.roots, key)).collect();
            // A table that accepts any key says nothing where the setting has a field of its own.
            let is_field = |key: &str, point| {
                let of_root = |root: &(Kind, &str)| named_fields(history, *root, key).iter().any(|found| found.exists_at(point));
                section.roots.iter().any(of_root)
            };
            let column = |(_, point): &(String, Point)| {
                let own = keys.iter().position(|key| is_field(key, *point));
                let place = own.or_else(|| keys.iter().position(|key| is_at(key, *point)));
                place.map_or("-".to_owned(), |place| (place + 1).to_string())
            };
            let columns: Vec<String> = points.iter().map(column).collect();
            let quoted = |keys: &[&str]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            let own: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
            let _ = writeln!(text, "| `{field}` | {} | {} | {} |", quoted(&own), quoted(&entry.shared), columns.join(" | "));
        }
    }
    text
}

/// Whether a key exists at any time, possibly as a free key.
fn ever(history: History, roots: &[(Kind, &str)], key: &str) -> bool {
    let above = key.rsplit_once('.').map_or("", |(above, _)| above);
    let is_free = |table: &FoundField| table.node.intervals().any(|interval| is_open(interval.field_type()));
    roots.iter().any(|root| {
        let is_known = !named_fields(history, *root, key).is_empty();
        is_known || (!above.is_empty() && named_fields(history, *root, above).iter().any(is_free))
    })
}

#[cfg(test)]
mod moved;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use cfg_schema::{History, Kind, find_fields};

    use super::{Declared, Section, ever, sections};

    /// Whether the run or the orchestrator has this key at any time.
    fn is_above(history: History, key: &str) -> bool {
        [Kind::Rl, Kind::Orchestrator].iter().any(|kind| !find_fields(history, *kind, key).is_empty())
    }

    /// Records for each key of a section whether it exists at any time below one of the keys of its table.
    fn look_up(section: &Section, declared: &[Declared], prefixes: &[String], known: &mut BTreeMap<(String, &str), bool>) {
        for each in declared {
            let mut all = Vec::new();
            for path in &each.own {
                let join = |prefix: &String| if prefix.is_empty() { (*path).to_owned() } else { format!("{prefix}.{path}") };
                let keys: Vec<String> = prefixes.iter().map(join).collect();
                let is_known = keys.iter().any(|key| ever(History::built_in(), &section.roots, key));
                *known.entry((each.field.clone(), path)).or_default() |= is_known;
                all.extend(keys);
            }
            for key in &each.shared {
                known.insert((each.field.clone(), key), is_above(History::built_in(), key));
            }
            look_up(section, &each.below, &all, known);
        }
    }

    /// The page has a dash for a setting without a key at a version, so the diff of the page shows each setting that gains or loses a key.
    #[test]
    fn the_page_is_the_table() {
        assert!(include_str!("../../../docs/plan.md") == super::table(History::built_in()), "run `cargo xtask generate`");
    }

    /// Some parts belong to several components, which do not all have the same keys: it is enough if a key exists in one of them.
    #[test]
    fn every_key_exists_at_some_time() {
        let mut known = BTreeMap::new();
        for section in sections() {
            look_up(&section, &section.declared, &[String::new()], &mut known);
        }
        let unknown: Vec<_> = known.into_iter().filter(|(_, is_known)| !is_known).collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
    }
}
