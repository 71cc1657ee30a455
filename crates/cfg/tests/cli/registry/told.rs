//! What a command tells about versions: before one is written, and where the files are.

use super::{bump, read, registered, replace};
use crate::{CLEAN, Folder};

/// The first words of each line of the log: the version, and what is said of it.
fn log(folder: &Folder, words: &str) -> Vec<String> {
    let ended = folder.run(&format!("log {words}"));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let heads = ended.stdout.lines().filter(|line| !line.starts_with(' ') && !line.is_empty());
    heads.map(|line| line.replace("  2026-01-05", "")).collect()
}

#[test]
fn edits_are_counted_as_a_person_counts_them() {
    let folder = registered();
    // A shared key is one edit, although prime-rl copies it, and so is a table, from which another value was derived.
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    replace(&folder, "a.toml", "lr = 1e-5", "lr = 2e-5");
    replace(&folder, "a.toml", "[trainer.model.lora]\nrank = 16\n", "");
    let ended = bump(&folder, "a.toml -m longer --dry-run");
    let mut lines: Vec<&str> = ended.stdout.lines().collect();
    lines[1..4].sort_unstable();
    let expected = [
        "a.toml: v1 -> v2",
        "  training   max_steps: 100 -> 200",
        "  training   trainer.model.lora: a table -> nothing",
        "  training   trainer.optim.lr: 1e-5 -> 2e-5",
        "  the change is major (versions v1, v2, ... don't show that)",
    ];
    assert_eq!(lines, expected);
    let ended = bump(&folder, "a.toml -m longer --format json");
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(json["edits"], 3, "{json}");
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = registered();
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    let before = (read(&folder, "a.toml"), read(&folder, "registry.json"));
    let ended = bump(&folder, "a.toml -m longer --dry-run");
    assert_eq!((ended.status, ended.stderr.contains("nothing was written")), (Some(0), true), "{ended:?}");
    assert!(ended.stderr.contains("`baseline` in Weights & Biases"), "it warns: {ended:?}");
    assert_eq!((read(&folder, "a.toml"), read(&folder, "registry.json")), before);
}

/// Without a terminal there is no editor: the message says what would be registered, and how.
#[test]
fn a_bump_without_a_reason_says_what_to_write() {
    let folder = registered();
    let ended = bump(&folder, "a.toml");
    assert!(ended.status == Some(1) && ended.stderr.contains("identical to the registered v1"), "{ended:?}");
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    let before = (read(&folder, "a.toml"), read(&folder, "registry.json"));
    let ended = crate::finish(folder.command("bump a.toml").env("EDITOR", "false"), b"");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    for part in ["cfg bump a.toml -m \"why\"", "v2 of a.toml", "max_steps: 100 -> 200", "EDITOR"] {
        assert!(ended.stderr.contains(part), "{part}: {ended:?}");
    }
    assert_eq!((read(&folder, "a.toml"), read(&folder, "registry.json")), before);
}

#[test]
fn the_log_shows_where_the_file_is() {
    let folder = registered();
    assert_eq!(log(&folder, "a.toml"), ["a.toml:v1  (current)"]);
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    assert_eq!(log(&folder, "--graph"), ["* a.toml:v1  (current, but the file has changed since)  first"]);
    assert_eq!(bump(&folder, "a.toml -m longer").status, Some(0));
    let first = folder.run("registry show a.toml:v1").stdout;
    folder.write("a.toml", first.as_bytes());
    let expected = ["a.toml:v2  (current, but the file has the text of another version)", "a.toml:v1  (the file has this text)"];
    assert_eq!(log(&folder, "a.toml"), expected);
    std::fs::remove_file(folder.path().join("a.toml")).expect("it is there");
    assert_eq!(log(&folder, "a.toml"), ["a.toml:v2  (current, but the file is gone)", "a.toml:v1"]);
    let ended = folder.run("log --graph");
    assert!(ended.stderr.contains("* starts a lineage"), "the marks are explained: {ended:?}");
}

#[test]
fn the_log_follows_a_config_to_its_ancestors() {
    let folder = registered();
    folder.write("b.toml", CLEAN.replace("lr = 1e-5", "lr = 2e-5").as_bytes());
    assert_eq!(bump(&folder, "b.toml -m variant --based-on a.toml:v1").status, Some(0));
    replace(&folder, "b.toml", "lr = 2e-5", "lr = 3e-5");
    assert_eq!(bump(&folder, "b.toml -m more").status, Some(0));
    assert_eq!(log(&folder, "b.toml"), ["b.toml:v2  (current)", "b.toml:v1"]);
    assert_eq!(log(&folder, "--follow b.toml"), ["b.toml:v2  (current)", "b.toml:v1", "a.toml:v1  (current)"]);
    assert_eq!(log(&folder, "--follow a.toml"), ["a.toml:v1  (current)"]);
    let ended = folder.run("log --follow b.toml --format json-lines");
    assert_eq!(ended.stdout.lines().count(), 3, "{ended:?}");
    // A file that got another name without the registry's knowledge is the same config.
    std::fs::rename(folder.path().join("b.toml"), folder.path().join("c.toml")).expect("a file");
    assert_eq!(folder.run("registry adopt").status, Some(0));
    assert_eq!(log(&folder, "--follow c.toml"), ["c.toml:v2  (current)", "c.toml:v1", "a.toml:v1  (current)"]);
    // A copy is another one, also once the first is gone.
    let copy = |from: &str, to: &str| {
        folder.write(to, read(&folder, from).as_bytes());
        assert_eq!(folder.run("registry adopt").status, Some(0));
        std::fs::remove_file(folder.path().join(from)).expect("a file");
        assert_eq!(folder.run("registry adopt").status, Some(0));
    };
    copy("c.toml", "e.toml");
    assert_eq!(log(&folder, "e.toml"), ["e.toml:v2  (current)"]);
    assert_eq!(
        log(&folder, "--follow e.toml"),
        ["e.toml:v2  (current)", "c.toml:v2  (current, removed)", "c.toml:v1", "a.toml:v1  (current)"]
    );
    copy("a.toml", "d.toml");
    assert_eq!(log(&folder, "--follow d.toml"), ["d.toml:v1  (current)", "a.toml:v1  (current, removed)"]);
}
