//! The registries of a real project at three times, each with the configs and the git history of that time. The files belong to others, so they are
//! not copied into this repository.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{adopted::git, codes, read};
use crate::Folder;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus")
}

/// A time without its separators: `2026-01-05T09-40-26`.
fn moment(text: &str) -> String {
    text[..19].replace(':', "-")
}

/// The project as it was at a time, with the registry of another time.
fn project(corpus: &Path, until: &str, registry: &Path) -> Folder {
    let folder = Folder::new(&[]);
    git(folder.path(), &["init", "-q"], "2026-01-01T12:00:00Z");
    let lines = fs::read_to_string(corpus.join("verdicts.jsonl")).expect("the list");
    let mut commits: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for line in lines.lines() {
        let entry: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| entry[key].as_str().expect("a text").to_owned();
        let bytes = fs::read(corpus.join(text("file"))).expect("a config");
        commits.entry(text("date")).or_default().push((text("path"), bytes));
    }
    for (date, files) in commits {
        if moment(&date).as_str() > until {
            break;
        }
        for (path, bytes) in files {
            folder.write(&path, &bytes);
        }
        git(folder.path(), &["add", "-A"], &date);
        git(folder.path(), &["commit", "-q", "-m", "as it was"], &date);
    }
    folder.write("configs/registry.json", &fs::read(registry).expect("a registry"));
    folder
}

/// The number of findings by code.
fn counts(folder: &Folder) -> BTreeMap<String, usize> {
    let ended = folder.run("registry verify --format json");
    codes(&ended).into_iter().fold(BTreeMap::new(), |mut counts, code| {
        *counts.entry(code).or_default() += 1;
        counts
    })
}

#[test]
#[ignore = "reads ../shared/corpus"]
fn the_drift_of_real_registries_is_found_and_repaired() {
    let corpus = corpus();
    let registry = |name: &str| corpus.join("registry").join(name);
    let [first, second, third] =
        ["2026-01-05T07-44-51_b5c373c73.json", "2026-01-05T09-40-26_5ac9abf90.json", "2026-01-07T06-52-14_6776e51e3.json"];
    // Missing files, active names without a file, unregistered files, and unrecorded versions; then how many of the last are left because they are
    // not in git either. One more results from metadata with a parent that was never committed.
    let cases = [
        (first, "2026-01-05T07-44-51", [2, 0, 1, 3], 3),
        (second, "2026-01-05T09-40-26", [2, 0, 1, 3], 3),
        (third, "2026-01-07T06-52-14", [4, 2, 2, 5], 6),
        (third, "2026-01-31T00-00-00", [1, 1, 9, 5], 3),
    ];
    for (name, until, [missing, unused, unregistered, unrecorded], remaining) in cases {
        let folder = project(&corpus, until, &registry(name));
        let before = read(&folder, "configs/registry.json");
        let expected = [("PRL716", unused), ("PRL717", unregistered), ("PRL719", missing), ("PRL722", unrecorded)];
        let expected: BTreeMap<String, usize> =
            expected.into_iter().filter(|(_, count)| *count > 0).map(|(code, count)| (code.to_owned(), count)).collect();
        assert_eq!(counts(&folder), expected, "{name} at {until}");
        assert_eq!(read(&folder, "configs/registry.json"), before, "looking changes nothing");
        let ended = folder.run("registry adopt");
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert_eq!(counts(&folder), BTreeMap::from([("PRL722".to_owned(), remaining)]), "{name} at {until}: {ended:?}");
        // The members that it had before are unchanged.
        let (old, new): (Value, Value) = (
            serde_json::from_str(&before).expect("JSON"),
            serde_json::from_str(&read(&folder, "configs/registry.json")).expect("JSON"),
        );
        for (path, config) in old["configs"].as_object().expect("configs") {
            for (version, entry) in config["versions"].as_object().expect("versions") {
                let kept = &new["configs"][path]["versions"][version];
                assert!(entry.as_object().expect("an entry").iter().all(|(key, value)| kept[key] == *value), "{path}:{version}");
            }
        }
        let shown = folder.run("registry show configs/prime-rl/qwen3-8b-2xh100.toml:v2").stdout;
        let held = fs::read_to_string(corpus.join("16-2026-01-05-qwen3-8b-2xh100.toml")).expect("a config");
        assert!(shown == held, "{name} at {until}: {shown}");
        assert_eq!(folder.run("registry adopt").status, Some(0));
    }
}
