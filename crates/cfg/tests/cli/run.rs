//! `cfg run`: which run ran which version.

use crate::{CLEAN, Ended, Folder, registry::registered};

fn run(folder: &Folder, words: &[&str]) -> Ended {
    let mut command = folder.command("run");
    command.args(words).env("SOURCE_DATE_EPOCH", "1767571200");
    crate::finish(&mut command, b"")
}

#[test]
fn runs_are_registered_ended_and_listed() {
    let folder = registered();
    let ended = run(&folder, &["add", "a.toml", "--wandb", "https://wandb.ai/x", "--pod", "p1", "--notes", "first | try"]);
    assert_eq!((ended.status, &*ended.stdout), (Some(0), "run 2026-01-05-1 of a.toml:v1\n"), "{ended:?}");
    let ended = run(&folder, &["add", "a.toml:v1", "--pod", "p1"]);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("run 2026-01-05-1 is still running on p1"), "{ended:?}");
    let words = ["finish", "2026-01-05-1", "--status", "abandoned", "--reward", "0.4", "--steps", "25", "--notes", "too slow"];
    assert_eq!(run(&folder, &words).status, Some(0));
    let ended = run(&folder, &["list", "--markdown"]);
    let expected = "# Runs\n\n| Run | Config | Status | Started | Ended | Pod | W&B | Steps | Reward | Notes |\n\
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n\
        | 2026-01-05-2 | a.toml:v1 | running | 2026-01-05 |  | p1 |  |  |  |  |\n\
        | 2026-01-05-1 | a.toml:v1 | abandoned | 2026-01-05 | 2026-01-05 | p1 | https://wandb.ai/x | 25 | 0.4 | first \\| try; too slow |\n";
    assert_eq!(ended.stdout, expected, "{ended:?}");
    let ended = run(&folder, &["list", "a.toml", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((json[0]["id"].as_str(), json[1]["status"].as_str()), (Some("2026-01-05-1"), Some("running")));
    assert_eq!(folder.run("registry verify").status, Some(0), "the registry is as sound as before");
    assert_eq!(folder.run("log a.toml").status, Some(0));
}

#[test]
fn what_is_not_registered_is_not_run() {
    let folder = registered();
    let before = crate::registry::read(&folder, "registry.json");
    folder.write("a.toml", CLEAN.as_bytes());
    let ended = run(&folder, &["add", "a.toml"]);
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("cfg bump a.toml"), "{ended:?}");
    for words in [&["add", "a.toml:v9"][..], &["add", "b.toml"], &["finish", "nothing"]] {
        let ended = run(&folder, words);
        assert_eq!((ended.status, ended.stdout.is_empty()), (Some(2), true), "{words:?}: {ended:?}");
    }
    assert_eq!(crate::registry::read(&folder, "registry.json"), before);
    assert_eq!(run(&folder, &["add", "a.toml:v1", "--id", "mine"]).status, Some(0));
    assert_eq!(run(&folder, &["add", "a.toml:v1", "--id", "mine"]).status, Some(2));
}

#[test]
fn dead_runs_are_told() {
    let folder = registered();
    for (id, started, pod) in
        [("old", "2025-12-01", "p1"), ("left", "2026-01-04", "p2"), ("next", "2026-01-05", "p2"), ("odd", "soon", "p3")]
    {
        let ended = run(&folder, &["add", "a.toml", "--id", id, "--started", started, "--pod", pod]);
        assert_eq!(ended.status, Some(0), "{ended:?}");
    }
    let ended = run(&folder, &["list"]);
    assert_eq!((ended.status, ended.stdout.lines().count()), (Some(0), 4), "{ended:?}");
    assert!(ended.stderr.contains("run old has been marked as running for 35 days"), "{ended:?}");
    assert!(ended.stderr.contains("run left is marked as running on p2, but run next was started there later"), "{ended:?}");
    assert_eq!(ended.stderr.lines().count(), 2, "{ended:?}");
    let stale = run(&folder, &["list", "--stale", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&stale.stdout).expect("JSON");
    assert_eq!(
        json.as_array().expect("a list").iter().map(|run| run["id"].as_str()).collect::<Vec<_>>(),
        [Some("old"), Some("left")]
    );
    for id in ["old", "left"] {
        assert_eq!(run(&folder, &["finish", id, "--status", "abandoned"]).status, Some(0));
    }
    assert_eq!(run(&folder, &["list"]).stderr, "");
}
