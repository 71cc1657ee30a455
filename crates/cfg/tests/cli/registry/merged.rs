//! Registries after a merge, and similar names.

use super::{bump, codes, read, registered, replace, verify};
use crate::{CLEAN, Folder};

/// The state of a folder: a.toml, and the registry with the stored texts.
fn state(folder: &Folder) -> [String; 2] {
    ["a.toml", "registry.json"].map(|name| read(folder, name))
}

/// Two branches have each created a v2 and run it. The merge contains one `versions` and both runs.
fn merged() -> Folder {
    let folder = registered();
    let before = state(&folder);
    let branch = |steps: &str| {
        folder.write("a.toml", before[0].replace("max_steps = 100", steps).as_bytes());
        folder.write("registry.json", before[1].as_bytes());
        assert_eq!(bump(&folder, "a.toml -m more").status, Some(0));
        assert_eq!(folder.run(&format!("run add a.toml --id {}", &steps[12..])).status, Some(0));
        state(&folder)
    };
    let theirs = branch("max_steps = 300");
    let ours = branch("max_steps = 200");
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let mut merged = json(&ours[1]);
    merged["runs"]["300"] = json(&theirs[1])["runs"]["300"].clone();
    folder.write("registry.json", format!("{merged:#}\n").as_bytes());
    folder
}

#[test]
fn a_run_of_a_text_dropped_by_a_merge_is_reported_and_its_text_is_kept() {
    let folder = merged();
    let ended = folder.run("registry verify --format json");
    assert_eq!((ended.status, codes(&ended)), (Some(1), vec!["PRL723".to_owned()]), "{ended:?}");
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let message = report.pointer("/files/0/diagnostics/0/message").and_then(serde_json::Value::as_str);
    insta::assert_snapshot!("a_run_of_another_text", message.expect("a message"));
    let objects = || std::fs::read_dir(folder.path().join(".cfg/objects")).expect("a folder").count();
    assert_eq!(folder.run("registry gc").status, Some(0));
    assert_eq!(objects(), 3, "v1, v2, and what the run ran");
    let registry: serde_json::Value = serde_json::from_str(&read(&folder, "registry.json")).expect("JSON");
    let ran = registry["runs"]["300"]["sha256"].as_str().expect("a sha256");
    std::fs::remove_file(folder.path().join(".cfg/objects").join(ran)).expect("removed");
    assert_eq!(verify(&folder).1, ["PRL721", "PRL723"]);
}

#[test]
fn a_run_names_its_text() {
    let folder = registered();
    let ended = folder.run("run add a.toml --format json");
    let run: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let registry: serde_json::Value = serde_json::from_str(&read(&folder, "registry.json")).expect("JSON");
    let version = &registry["configs"]["a.toml"]["versions"]["v1"];
    assert!(version["sha256"].is_string() && version["fingerprint"].is_object(), "{registry:#}");
    assert_eq!((&run["sha256"], &run["fingerprint"]), (&version["sha256"], &version["fingerprint"]));
    assert_eq!(verify(&folder), (Some(0), vec![]));
}

#[test]
fn a_run_that_trains_the_same_is_a_warning_and_one_of_no_version_an_error() {
    let folder = registered();
    assert_eq!(folder.run("run add a.toml").status, Some(0));
    let sha256 = |text: &str| text.rsplit("\"sha256\": \"").next().expect("a sha256")[..64].to_owned();
    let text = read(&folder, "registry.json");
    let known = sha256(&text);
    let at = text.rfind(&known).expect("the run's");
    let other = "0".repeat(64);
    folder.write("registry.json", format!("{}{other}{}", &text[..at], &text[at + 64..]).as_bytes());
    let ended = folder.run("registry verify --format concise");
    assert_eq!(ended.status, Some(1), "its text is lost: {ended:?}");
    assert!(ended.stdout.contains("warning[PRL723]"), "{ended:?}");
    folder.write("registry.json", text.replace("\"config\": \"a.toml:v1\"", "\"config\": \"a.toml:v9\"").as_bytes());
    assert_eq!(verify(&folder), (Some(1), vec!["PRL723".to_owned()]));
}

#[test]
fn two_runs_of_one_name_are_reported() {
    let folder = registered();
    assert_eq!(folder.run("run add a.toml --id x").status, Some(0));
    replace(&folder, "registry.json", "\"runs\": {", "\"runs\": {\n    \"x\": {\"config\": \"a.toml:v1\"},");
    assert_eq!(verify(&folder), (Some(1), vec!["PRL720".to_owned()]));
}

#[test]
fn names_that_are_one_file_elsewhere_are_refused() {
    let folder = registered();
    folder.write("A.toml", CLEAN.replace("max_steps = 100", "max_steps = 500").as_bytes());
    let ended = bump(&folder, "A.toml -m alike");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    insta::assert_snapshot!("names_that_differ_in_case", ended.stderr);
    assert_eq!(folder.run("registry verify").status, Some(0), "nothing was changed");
    let mut said = String::new();
    for alike in ["A.toml", "./a.toml", "x//a.toml"] {
        let text = read(&folder, "registry.json");
        let of = format!("\"configs\": {{\n    \"{alike}\": {{\"current_version\": \"v1\", \"versions\": {{\"v1\": {{}}}}}},");
        folder.write("registry.json", text.replace("\"configs\": {", &of).as_bytes());
        let ended = folder.run("registry verify --format concise");
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.stdout.contains("error[PRL720]"), "{alike}: {ended:?}");
        said += &ended.stdout;
        folder.write("registry.json", text.as_bytes());
    }
    insta::assert_snapshot!("registered_names_of_one_file", said);
    folder.write("caf\u{e9}.toml", CLEAN.as_bytes());
    assert_eq!(bump(&folder, "caf\u{e9}.toml -m composed").status, Some(0));
    folder.write("cafe\u{301}.toml", CLEAN.as_bytes());
    let ended = bump(&folder, "cafe\u{301}.toml -m decomposed");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    insta::assert_snapshot!("names_that_differ_in_composition", ended.stderr);
}

#[test]
fn a_bump_states_no_parent_that_the_next_check_refuses() {
    let headers = [
        "# Based on: v2\n",
        "# Based on: v1\n",
        "# Based on: other.toml v3\n",
        "# Version: v3\n# Based on: v2\n",
        "# Version: v1\n# Based on: v1\n",
        "# Based on: a.toml:v7\n",
        "# /// config\n# based_on = \"v2\"\n# ///\n",
        "# /// config\n# version = \"v1\"\n# based_on = \"v1\"\n# ///\n",
        "# /// config\n# version = \"v5\"\n# based_on = \"v4\"\n# ///\n",
        "# /// config\n# based_on = \"\"\n# ///\n",
    ];
    let mut said = String::new();
    for header in headers {
        let folder = registered();
        folder.write("b.toml", format!("{header}{CLEAN}").as_bytes());
        let ended = bump(&folder, "b.toml -m why");
        assert_eq!(ended.status, Some(0), "{header}: {ended:?}");
        said += &format!("{header}{}", ended.stderr);
        assert_eq!(verify(&folder), (Some(0), vec![]), "{header}: {}", read(&folder, "b.toml"));
        assert_eq!(folder.run("check b.toml --deny warnings").status, Some(0), "{header}");
    }
    insta::assert_snapshot!("parents_that_are_not_stated", said);
    for known in ["# Based on: a.toml:v1\n", "# /// config\n# based_on = \"a.toml\"\n# ///\n"] {
        let folder = registered();
        folder.write("b.toml", format!("{known}{CLEAN}").as_bytes());
        assert_eq!(bump(&folder, "b.toml -m why").status, Some(0));
        assert!(read(&folder, "registry.json").contains("\"based_on\": \"a.toml:v1\""), "{known}");
        assert_eq!(verify(&folder), (Some(0), vec![]), "{known}");
    }
}
