//! `--format json` prints one document that is valid for its schema, whatever was found.

use serde_json::Value;

use super::{CLEAN, DROPPED, Ended, Folder, MISSPELT, document_of, sized::sized};

/// The document, after validating it with the schema of the report.
#[track_caller]
fn document(ended: &Ended) -> Value {
    document_of(ended, &cfg_report::report_schema().to_value())
}

fn paths(document: &Value) -> Vec<&str> {
    document["files"].as_array().expect("files").iter().map(|file| file["path"].as_str().expect("a path")).collect()
}

#[test]
fn a_finding_has_all_its_members() {
    let ended = Folder::new(&[("misspelt.toml", MISSPELT)]).run("check --target 0.4.0 --format json misspelt.toml");
    let document = document(&ended);
    let file = &document["files"][0];
    assert_eq!((&file["kind"], &file["target"], &file["verdict"]), (&"rl".into(), &"0.4.0".into(), &"rejected".into()));
    let finding = &file["diagnostics"][0];
    assert_eq!(finding["code"], "PRL101");
    assert_eq!(finding["key"], "orchestrator.rolouts_per_exmaple");
    assert_eq!(finding["range"]["start"], serde_json::json!({"line": 3, "column": 1, "offset": 25}));
    assert_eq!(finding["native"]["type"], "extra_forbidden");
    assert_eq!(finding["native"]["loc"], serde_json::json!(["orchestrator", "rolouts_per_exmaple"]));
    assert_eq!(finding["fixes"][0]["edits"][0]["new_text"], "rollouts_per_example");
    assert_eq!(finding.get("fix"), None, "the first fix is not repeated");
    assert_eq!(finding["url"], Value::Null);
    let next = |at: usize| finding["next"][at]["command"].as_str().expect("a command");
    assert_eq!(next(0), "cfg check misspelt.toml --target=0.4.0 --unsafe-fixes --diff");
    assert_eq!(next(1), "cfg schema show orchestrator --kind rl --target 0.4.0");
    assert_eq!(next(2), "cfg explain PRL101");
    assert_eq!(document["summary"]["errors"], 1);
}

#[test]
fn every_outcome_fits_the_schema() {
    let folder = Folder::new(&[
        ("clean.toml", CLEAN),
        ("misspelt.toml", MISSPELT),
        ("dropped.toml", DROPPED),
        ("empty.toml", ""),
        ("duplicate.toml", "[trainer]\n[orchestrator]\nseq_len = 1\nseq_len = 2\n"),
        ("half.toml", "[trainer\n[orchestrator]\nseq_len =\nbatch_size = [\n"),
        ("pyproject.toml", "[project]\nname = \"x\"\n"),
        ("folder/inner.toml", MISSPELT),
    ]);
    folder.write("latin1.toml", b"[trainer]\n[orchestrator]\nname = \"\xe9\"\n");
    let all = "clean.toml misspelt.toml dropped.toml empty.toml duplicate.toml half.toml pyproject.toml latin1.toml nothere.toml folder";
    for target in ["--target 0.4.0", "--target main", ""] {
        let document = document(&folder.run(&format!("check --format json {target} {all}")));
        assert_eq!(document["summary"]["files"], 10);
    }
    document(&folder.run("check --format json --target 0.4.0 ."));
    document(&folder.run_with_input("check --format json --target 0.4.0 -", b"[trainer]\n"));
}

#[test]
fn no_file_is_a_document_too() {
    let folder = Folder::new(&[]);
    let ended = folder.run("check --format json .");
    assert_eq!(document(&ended)["files"], serde_json::json!([]));
}

#[test]
fn many_files_give_one_document_in_the_order_of_their_paths() {
    let count = sized(560, 700);
    let names: Vec<String> = (0..count).map(|number| format!("{:03}.toml", (number * 37) % count)).collect();
    let folder = Folder::new(&[]);
    for (number, name) in names.iter().enumerate() {
        folder.write(name, if number % 2 == 0 { CLEAN } else { MISSPELT }.as_bytes());
    }
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let listed = document(&folder.run(&format!("check --target 0.4.0 --format json {}", names.join(" "))));
    assert_eq!(paths(&listed), sorted);
    assert_eq!(listed["summary"]["errors"], count / 2);
    // A folder, to show that the result does not depend on the order of threads.
    for _ in 0..sized(1, 2) {
        let ended = folder.run("check --target 0.4.0 --format json .");
        assert_eq!(paths(&document(&ended)), sorted);
        assert_eq!(ended.status, Some(1));
    }
}

#[test]
fn a_path_named_twice_is_reported_once() {
    let folder = Folder::new(&[("clean.toml", CLEAN)]);
    let document = document(&folder.run("check --target 0.4.0 --format json clean.toml clean.toml ."));
    assert_eq!(paths(&document), ["clean.toml"]);
}

#[test]
fn only_the_configs_of_a_folder_are_reported() {
    let folder = Folder::new(&[
        ("runs/clean.toml", CLEAN),
        ("runs/pyproject.toml", "[project]\nname = \"x\"\n"),
        ("runs/notes.txt", "[trainer]\n"),
        ("Cargo.toml", "[package]\nname = \"x\"\n"),
    ]);
    let ended = folder.run("check --target 0.4.0 --format json .");
    assert_eq!(paths(&document(&ended)), ["runs/clean.toml"]);
    assert_eq!(ended.status, Some(0));
}
