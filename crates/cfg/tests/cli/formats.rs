//! The other formats, and which of them commands without findings accept.

use serde_json::Value;

use super::{CLEAN, DROPPED, Folder, MISSPELT, finish};

fn folder() -> Folder {
    Folder::new(&[("clean.toml", CLEAN), ("my runs/misspelt.toml", MISSPELT), ("dropped.toml", DROPPED)])
}

fn run(format: &str, words: &str) -> super::Ended {
    folder().run(&format!("check --target 0.4.0 --format {format} {words}"))
}

#[test]
fn the_exit_status_is_independent_of_the_format() {
    for format in ["full", "concise", "json", "json-lines", "github", "gitlab", "junit", "sarif"] {
        assert_eq!(run(format, "clean.toml").status, Some(0), "{format}");
        assert_eq!(run(format, ".").status, Some(1), "{format}");
        assert_eq!(run(format, "clean.toml nothere.toml").status, Some(2), "{format}");
    }
}

#[test]
fn github_annotates_files_with_spaces_in_their_paths() {
    let ended = run("github", ".");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{ended:?}");
    assert!(lines[0].starts_with("::warning file=dropped.toml,line=3,"), "{ended:?}");
    assert!(lines[1].starts_with("::error file=my runs/misspelt.toml,line=3,col=1,endLine=3,"), "{ended:?}");
    assert!(lines[1].contains(",title=PRL101 unknown-key::"), "{ended:?}");
}

#[test]
fn many_files_give_one_document() {
    let issues: Vec<Value> = serde_json::from_str(&run("gitlab", ". nothere.toml").stdout).expect("an array");
    let names: Vec<&str> = issues.iter().filter_map(|issue| issue["check_name"].as_str()).collect();
    assert_eq!(names, ["PRL102", "PRL101", "PRL007"]);
    let log: Value = serde_json::from_str(&run("sarif", ". nothere.toml").stdout).expect("a log");
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(3));
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
    let uri = &log["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "my%20runs/misspelt.toml");
    let lines = run("json-lines", ". nothere.toml").stdout;
    let codes = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("each is JSON")["code"].clone());
    assert_eq!(codes.collect::<Vec<_>>(), ["PRL102", "PRL101", "PRL007"]);
}

#[test]
fn junit_counts_denied_warnings_as_failures() {
    assert!(run("junit", "dropped.toml").stdout.contains("tests=\"1\" failures=\"0\""));
    assert!(run("junit", "--deny warnings dropped.toml").stdout.contains("tests=\"1\" failures=\"1\""));
    assert!(run("junit", "clean.toml").stdout.contains("<testcase name=\"no problems\" classname=\"clean.toml\""));
}

#[test]
fn commands_without_findings_refuse_the_formats_of_findings() {
    let folder = folder();
    for words in ["explain PRL101", "explain", "schema show trainer", "schema history ckpt", "schema diff 0.7.0 0.8.0"] {
        for format in ["github", "gitlab", "junit", "sarif"] {
            let ended = folder.run(&format!("{words} --format {format}"));
            assert_eq!((ended.status, &*ended.stdout), (Some(2), ""), "{words} {format}");
            assert!(ended.stderr.contains("json-lines"), "{ended:?}");
        }
        let document = folder.run(&format!("{words} --format json"));
        let document: Value = serde_json::from_str(&document.stdout).unwrap_or_else(|error| panic!("{words}: {error}"));
        assert_eq!(document["schema_version"], 1, "{words}");
        let mut lists = document.as_object().expect("a document").values().filter_map(Value::as_array);
        let array = lists.next().cloned().expect("a list");
        let lines = folder.run(&format!("{words} --format json-lines"));
        let lines: Vec<Value> = lines.stdout.lines().map(|line| serde_json::from_str(line).expect("each is JSON")).collect();
        assert_eq!(array, lines, "{words}");
        assert!(!array.is_empty(), "{words}");
    }
}

#[test]
fn the_history_of_a_key_is_in_chronological_order() {
    let folder = folder();
    let ended = folder.run("schema history trainer.model.experimental.lora --format json");
    let document: Value = serde_json::from_str(&ended.stdout).expect("a document");
    let events = document["events"].as_array().expect("events");
    let told: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(told, ["holds", "new-error", "gone", "move"]);
    assert_eq!(events[3]["moved"]["to"], serde_json::json!({"kind": "trainer", "key": "model.lora"}));
    let dates: Vec<&str> = events.iter().filter_map(|event| event["date"].as_str()).collect();
    assert!(dates.len() == 4 && dates.is_sorted(), "{dates:?}");
    let text = folder.run("schema history trainer.model.experimental.lora").stdout;
    let order = ["a table, or null", "new-error", "removed", "move to `model.lora`"].map(|words| text.find(words));
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{text}");
}

#[test]
fn a_key_is_shown_with_all_that_holds_of_it() {
    let ended = folder().run("schema show trainer.model.lora.dropout --target 0.4.0 --format json");
    let document: Value = serde_json::from_str(&ended.stdout).expect("a document");
    let field = &document["keys"][0];
    assert_eq!(field["key"], "trainer.model.lora.dropout");
    assert_eq!(field["type"], "a number");
    assert_eq!(field["bounds"], serde_json::json!({"ge": 0, "le": 1}));
    assert_eq!((&field["nullable"], &field["required"], &field["default"]), (&false.into(), &false.into(), &0.0.into()));
    assert_eq!(field["since"]["date"], "2025-12-17");
}

/// A CI system reads paths from the root of the repository, in whatever folder the program runs, and recognises a finding by its fingerprint.
#[test]
fn paths_and_fingerprints_do_not_depend_on_the_working_folder() {
    let folder =
        Folder::new(&[("repo/.git/HEAD", "ref: refs/heads/main\n"), ("repo/a/my runs/x.toml", MISSPELT), ("repo/b/y.toml", "")]);
    let said = |format: &str, here: &str, words: &str, variables: &[(&str, &str)]| {
        let words: Vec<&str> = ["check", "--target", "0.4.0", "--format", format].into_iter().chain(words.split('|')).collect();
        let mut command = folder.program(env!("CARGO_BIN_EXE_cfg"));
        command.args(words).current_dir(folder.path().join(here)).envs(variables.iter().copied());
        finish(&mut command, b"").stdout
    };
    let root = folder.path().canonicalize().expect("it is there");
    let (repository, above) = (root.join("repo"), root.clone());
    let (repository, above) = (repository.to_string_lossy(), above.to_string_lossy());
    for format in ["github", "gitlab", "junit", "sarif"] {
        let whole = said(format, "repo", "a", &[]);
        let file = if format == "sarif" { "a/my%20runs/x.toml" } else { "a/my runs/x.toml" };
        assert!(whole.contains(file), "{format}: {whole}");
        let absolute = format!("{repository}/a");
        for (here, words) in [("repo/a", "."), ("repo/b", "../a"), ("repo/a/my runs", ".."), ("repo/b", &*absolute)] {
            assert_eq!(said(format, here, words, &[]), whole, "{format} in {here}");
        }
        for variable in ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"] {
            let from_above = said(format, "repo/a", ".", &[(variable, &above)]);
            assert!(from_above.contains(&format!("repo/{file}")), "{format}: {from_above}");
            // A folder elsewhere is not that of this check.
            assert_eq!(said(format, "repo/a", ".", &[(variable, "/nowhere")]), whole, "{format}");
        }
    }
    let id = |here: &str, words: &str| {
        let log: Value = serde_json::from_str(&said("sarif", here, words, &[])).expect("a log");
        log["runs"][0]["automationDetails"]["id"].clone()
    };
    assert_eq!((id("repo", "."), id("repo/a", ".."), id("repo/a", ".")), ("cfg/".into(), "cfg/".into(), "cfg/a/".into()));
    // People get paths from where they are.
    assert!(said("concise", "repo/a", ".", &[]).starts_with("my runs/x.toml:3:1"));
}
