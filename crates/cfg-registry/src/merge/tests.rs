use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::{merge, renamed};
use crate::{Registry, fingerprint::Digest};

/// An entry whose text is known by its reason.
fn entry(why: &str, parent: Option<&str>) -> Json {
    let sha256 = Digest::of(why.as_bytes()).to_string();
    let mut entry = json!({ "created": "2026-01-05", "notes": why, "sha256": sha256 });
    if let Some(parent) = parent {
        entry["based_on"] = parent.into();
    }
    entry
}

fn registry(versions: &[(&str, Json)]) -> Json {
    let current = versions.last().map_or("v1", |(label, _)| label);
    let versions: serde_json::Map<String, Json> =
        versions.iter().map(|(label, entry)| ((*label).to_owned(), entry.clone())).collect();
    json!({ "schema_version": 1, "active_configs": {}, "configs": { "a.toml": { "current_version": current, "versions": versions } } })
}

fn merged(base: &Json, ours: &Json, theirs: &Json) -> Json {
    let text = |json: &Json| format!("{json:#}\n");
    let merged = merge(&text(base), &text(ours), &text(theirs)).expect("registries").text;
    let (_, diagnostics) = Registry::read(&merged);
    assert_eq!(diagnostics, [], "{merged}");
    serde_json::from_str(&merged).expect("JSON")
}

fn notes(all: &Json, path: &str) -> Vec<String> {
    let versions = all["configs"][path]["versions"].as_object().expect("versions");
    versions.iter().map(|(label, entry)| format!("{label} {}", entry["notes"].as_str().expect("notes"))).collect()
}

#[test]
fn the_other_sides_version_of_the_same_name_is_numbered_on_with_what_refers_to_it() {
    let base = registry(&[("v1", entry("one", None))]);
    let ours = registry(&[("v1", entry("one", None)), ("v2", entry("ours", Some("a.toml:v1")))]);
    let mut theirs = registry(&[
        ("v1", entry("one", None)),
        ("v2", entry("theirs", Some("a.toml:v1"))),
        ("v3", entry("more", Some("a.toml:v2"))),
    ]);
    theirs["runs"] = json!({ "2026-01-05-1": { "config": "a.toml:v2", "status": "running" } });
    theirs["active_configs"] = json!({ "best": "a.toml:v3" });
    theirs["configs"]["b.toml"] = json!({ "current_version": "v1", "versions": { "v1": entry("b", Some("v2")) } });
    theirs["configs"]["b.toml"]["versions"]["v1"]["based_on"] = "a.toml:v2".into();
    let all = merged(&base, &ours, &theirs);
    assert_eq!(notes(&all, "a.toml"), ["v1 one", "v2 ours", "v3 theirs", "v4 more"]);
    let versions = &all["configs"]["a.toml"]["versions"];
    assert_eq!((&versions["v3"]["stated"], &versions["v3"]["based_on"]), (&json!({ "version": "v2" }), &"a.toml:v1".into()));
    assert_eq!(versions["v4"]["stated"], json!({ "version": "v3", "based_on": "a.toml:v2" }));
    assert_eq!(versions["v4"]["based_on"], "a.toml:v3");
    assert_eq!(all["configs"]["a.toml"]["current_version"], "v2");
    assert_eq!(all["configs"]["b.toml"]["versions"]["v1"]["based_on"], "a.toml:v3");
    assert_eq!(
        (&all["runs"]["2026-01-05-1"]["config"], &all["active_configs"]["best"]),
        (&"a.toml:v3".into(), &"a.toml:v4".into())
    );
    // The other branch goes on, and is merged again: what is known by its text has its name already.
    let mut later = theirs.clone();
    later["configs"]["a.toml"]["versions"]["v4"] = entry("last", Some("a.toml:v3"));
    later["configs"]["a.toml"]["current_version"] = "v4".into();
    let again = merged(&theirs, &all, &later);
    assert_eq!(notes(&again, "a.toml"), ["v1 one", "v2 ours", "v3 theirs", "v4 more", "v5 last"]);
    assert_eq!(again["configs"]["a.toml"]["versions"]["v5"]["based_on"], "a.toml:v4");
}

#[test]
fn runs_of_both_sides_are_kept() {
    let base = registry(&[("v1", entry("one", None))]);
    let (mut ours, mut theirs) = (base.clone(), base.clone());
    ours["runs"] = json!({ "2026-01-05-1": { "config": "a.toml:v1", "pod": "x" } });
    theirs["runs"] = json!({ "2026-01-05-1": { "config": "a.toml:v1", "pod": "y" } });
    let all = merged(&base, &ours, &theirs);
    assert_eq!(all["runs"]["2026-01-05-1"]["pod"], "x");
    assert_eq!(all["runs"]["2026-01-05-2"]["pod"], "y");
    let mut later = theirs.clone();
    later["runs"]["2026-01-05-1"]["status"] = "completed".into();
    let again = merged(&theirs, &all, &later);
    assert_eq!(again["runs"].as_object().map(serde_json::Map::len), Some(2));
    assert_eq!(again["runs"]["2026-01-05-2"], json!({ "config": "a.toml:v1", "pod": "y", "status": "completed" }));
}

#[test]
fn a_version_that_a_revert_or_a_cherry_pick_leaves_out_is_no_ones_parent() {
    let [one, two] = [entry("one", None), entry("two", Some("a.toml:v1"))];
    let three = entry("three", Some("a.toml:v2"));
    let base = registry(&[("v1", one.clone()), ("v2", two.clone())]);
    let ours = registry(&[("v1", one.clone()), ("v2", two.clone()), ("v3", three.clone())]);
    let all = merged(&base, &ours, &registry(&[("v1", one.clone())]));
    assert_eq!(notes(&all, "a.toml"), ["v1 one", "v3 three"], "the revert of v2");
    assert_eq!(all["configs"]["a.toml"]["versions"]["v3"]["based_on"], "a.toml:v1");
    let picked = merged(&base, &registry(&[("v1", one)]), &ours);
    assert_eq!(notes(&picked, "a.toml"), ["v1 one", "v3 three"], "the cherry-pick of v3");
    assert_eq!(picked["configs"]["a.toml"]["current_version"], "v1", "both sides changed it");
}

#[test]
fn a_rename_on_either_side_meets_a_version_of_the_other() {
    let base = registry(&[("v1", entry("one", None))]);
    let bumped = registry(&[("v1", entry("one", None)), ("v2", entry("two", Some("a.toml:v1")))]);
    let (registry, _) = Registry::read(&format!("{base:#}\n"));
    let moved: Json = serde_json::from_str(&renamed(&registry, &[("a.toml".to_owned(), "q.toml".to_owned())])).expect("JSON");
    for all in [merged(&base, &moved, &bumped), merged(&base, &bumped, &moved)] {
        assert_eq!(all["configs"].as_object().expect("configs").keys().collect::<Vec<_>>(), ["q.toml"]);
        assert_eq!(notes(&all, "q.toml"), ["v1 one", "v2 two"]);
        assert_eq!(all["configs"]["q.toml"]["versions"]["v2"]["based_on"], "q.toml:v1");
    }
}

#[test]
fn a_registry_on_two_branches_without_an_ancestor_is_merged() {
    let ours = registry(&[("v1", entry("one", None))]);
    let theirs = registry(&[("v1", entry("other", None))]);
    let all = merge("", &format!("{ours:#}"), &format!("{theirs:#}")).expect("registries").text;
    assert_eq!(notes(&serde_json::from_str(&all).expect("JSON"), "a.toml"), ["v1 one", "v2 other"]);
}

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// A commit of a made history.
struct Commit {
    registry: Json,
    /// It, and all its ancestors.
    ancestors: BTreeSet<usize>,
}

/// The newest common ancestor: git merges several into one first, of which the newest is a part.
fn ancestor(commits: &[Commit], one: usize, other: usize) -> usize {
    *commits[one].ancestors.intersection(&commits[other].ancestors).last().expect("the first commit")
}

/// Registers a version, or a run of one.
fn change(all: &mut Json, dice: &mut Dice, number: usize) {
    let path = ["a.toml", "b.toml"][dice.below(2)];
    let config = &all["configs"][path];
    let current = config["current_version"].as_str().map(str::to_owned);
    if let (Some(current), 0) = (&current, dice.below(3)) {
        let sha256 = config["versions"][current]["sha256"].clone();
        let runs = all["runs"].as_object().expect("runs");
        let id = (1..=runs.len() + 1).map(|count| format!("r-{count}")).find(|id| !runs.contains_key(id)).expect("a free name");
        all["runs"][id] = json!({ "config": format!("{path}:{current}"), "sha256": sha256, "pod": number });
        return;
    }
    let highest =
        config["versions"].as_object().into_iter().flatten().filter_map(|(label, _)| label[1..].parse::<u64>().ok()).max();
    let label = format!("v{}", highest.unwrap_or(0) + 1);
    let parent = current.map(|current| format!("{path}:{current}"));
    let mut new = entry(&format!("change {number}"), parent.as_deref());
    new["parent"] =
        parent.map_or(Json::Null, |_| config["versions"][config["current_version"].as_str().expect("one")]["sha256"].clone());
    all["configs"][path]["versions"][&label] = new;
    all["configs"][path]["current_version"] = label.into();
}

/// Every text with its reason, and every run with its text.
fn content(all: &Json) -> BTreeSet<String> {
    let configs = all["configs"].as_object().into_iter().flatten();
    let entries = configs
        .flat_map(|(path, config)| config["versions"].as_object().into_iter().flatten().map(move |(_, entry)| (path, entry)));
    let texts = entries.map(|(path, entry)| format!("{path} {} {}", entry["sha256"], entry["notes"]));
    let runs = all.get("runs").and_then(Json::as_object).into_iter().flatten();
    texts.chain(runs.map(|(_, run)| format!("run {} {}", run["pod"], run["sha256"]))).collect()
}

/// Checks that every reference means the text that it meant when it was written.
fn means_what_it_meant(all: &Json) {
    let text = |name: &str| {
        let (path, label) = name.rsplit_once(':').expect("a version");
        all["configs"][path]["versions"][label]["sha256"].clone()
    };
    for (path, config) in all["configs"].as_object().into_iter().flatten() {
        assert!(text(&format!("{path}:{}", config["current_version"].as_str().expect("one"))).is_string(), "{all:#}");
        for (_, entry) in config["versions"].as_object().into_iter().flatten() {
            let parent = entry.get("based_on").and_then(Json::as_str).map_or(Json::Null, text);
            assert_eq!(parent, entry["parent"], "{all:#}");
        }
    }
    for (_, run) in all.get("runs").and_then(Json::as_object).into_iter().flatten() {
        assert_eq!(text(run["config"].as_str().expect("a version")), run["sha256"], "{all:#}");
    }
}

#[test]
fn in_a_thousand_histories_nothing_is_lost_and_no_name_means_another_text() {
    for seed in 0..1000 {
        let mut dice = Dice(seed);
        let mut commits = vec![Commit {
            registry: json!({ "schema_version": 1, "active_configs": {}, "configs": {}, "runs": {} }),
            ancestors: BTreeSet::from([0]),
        }];
        let mut branches = [0; 3];
        for number in 1..24 {
            let branch = dice.below(3);
            let ours = branches[branch];
            let (mut registry, mut ancestors) = (commits[ours].registry.clone(), commits[ours].ancestors.clone());
            let theirs = branches[dice.below(3)];
            if dice.below(3) == 0 && !commits[ours].ancestors.contains(&theirs) {
                let base = ancestor(&commits, ours, theirs);
                let (one, other) = (&commits[ours], &commits[theirs]);
                registry = if base == ours {
                    other.registry.clone()
                } else {
                    merged(&commits[base].registry, &one.registry, &other.registry)
                };
                let expected: BTreeSet<String> = content(&one.registry).union(&content(&other.registry)).cloned().collect();
                assert_eq!(content(&registry), expected, "{seed}: {registry:#}");
                ancestors.extend(&other.ancestors);
            } else {
                change(&mut registry, &mut dice, number);
            }
            means_what_it_meant(&registry);
            ancestors.insert(number);
            commits.push(Commit { registry, ancestors });
            branches[branch] = number;
        }
    }
}
