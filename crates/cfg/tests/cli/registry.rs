//! Registries, with the built program: versions are created and reported, and are not lost if a command is interrupted.

mod adopted;
mod branches;
mod corpus;
mod endurance;
#[cfg(target_os = "linux")]
mod forbidden;
mod histories;
#[cfg(unix)]
mod kills;
mod merged;
mod renames;
mod schemes;
mod told;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{CLEAN, Ended, Folder};

/// A folder with a registry and a config registered as v1.
pub(crate) fn registered() -> Folder {
    let folder = Folder::new(&[("a.toml", CLEAN), ("cfg.toml", "target = \"0.4.0\"\n")]);
    assert_eq!(folder.run("registry init").status, Some(0));
    let ended = bump(&folder, "a.toml -m first");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    folder
}

/// `cfg bump` on a fixed day.
pub(crate) fn bump(folder: &Folder, words: &str) -> Ended {
    crate::finish(folder.command(&format!("bump {words}")).env("SOURCE_DATE_EPOCH", "1767571200"), b"")
}

pub(crate) fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("it is there")
}

/// The files below a folder, by relative path.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Every file below a folder; empty if the folder does not exist.
fn all(root: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).expect("a file");
                files.insert(path.strip_prefix(root).expect("it is below").to_owned(), bytes);
            }
        }
    }
    files
}

fn replace(folder: &Folder, name: &str, old: &str, new: &str) {
    let text = read(folder, name);
    assert!(text.contains(old), "{text}");
    folder.write(name, text.replace(old, new).as_bytes());
}

/// The codes in a JSON report.
pub(crate) fn codes(ended: &Ended) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let files = report["files"].as_array().expect("files");
    let all = files.iter().flat_map(|file| file["diagnostics"].as_array().expect("diagnostics"));
    let mut codes: Vec<String> = all.map(|diagnostic| diagnostic["code"].as_str().expect("a code").to_owned()).collect();
    codes.sort();
    codes
}

fn verify(folder: &Folder) -> (Option<i32>, Vec<String>) {
    let ended = folder.run("registry verify --format json");
    let codes = codes(&ended);
    (ended.status, codes)
}

#[test]
fn a_bump_writes_header_text_and_registry_at_once() {
    let folder = registered();
    assert_eq!(verify(&folder), (Some(0), vec![]));
    let first = read(&folder, "a.toml");
    assert!(
        first.starts_with("# /// config\n# version = \"v1\"\n# created = \"2026-01-05\"\n# notes = \"first\"\n# ///\n\n"),
        "{first}"
    );
    assert!(first.ends_with(CLEAN), "every other byte stays");
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    assert_eq!(verify(&folder), (Some(1), vec!["PRL710".to_owned()]));
    let ended = bump(&folder, "a.toml -m second --format json");
    let told: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((told["from"].as_str(), told["to"].as_str()), (Some("v1"), Some("v2")));
    assert_eq!(told["suggested"].as_str(), Some("major"));
    assert_eq!(verify(&folder), (Some(0), vec![]));
    assert!(read(&folder, "a.toml").contains("# based_on = \"a.toml:v1\"\n"));
    assert_eq!(folder.run("registry show a.toml:v1").stdout, first);
    let ended = folder.run("registry restore a.toml:v1");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert_eq!(read(&folder, "a.toml"), first);
    assert_eq!(verify(&folder), (Some(0), vec![]));
    let ended = bump(&folder, "a.toml -m third --force");
    assert_eq!(ended.stdout.lines().next(), Some("a.toml: v1 -> v3"), "a version is never made twice: {ended:?}");
}

#[test]
fn the_version_step_follows_from_the_meaning_of_the_config() {
    let folder = registered();
    replace(&folder, "a.toml", "max_steps = 100", "# why not\nmax_steps   = 100");
    let ended = bump(&folder, "a.toml -m layout");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    insta::assert_snapshot!("a_bump_without_a_change", ended.stderr);
    assert_eq!(verify(&folder), (Some(0), vec!["PRL710".to_owned()]));
    let suggested = |old: &str, new: &str| {
        replace(&folder, "a.toml", old, new);
        let ended = bump(&folder, "a.toml -m change --format json");
        let told: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
        told["suggested"].as_str().map(str::to_owned)
    };
    let with_wandb = "max_steps   = 100\n[wandb]\nname = \"other\"\n";
    let text = read(&folder, "a.toml");
    if text.contains("[wandb]") {
        let line = text.lines().find(|line| line.starts_with("name = ") && !line.contains('/')).map(str::to_owned);
        if let Some(line) = line {
            assert_eq!(suggested(&line, "name = \"another-run\"").as_deref(), Some("patch"));
        }
    } else {
        folder.write("a.toml", format!("{}\n[wandb]\nname = \"other\"\n", text.trim_end()).as_bytes());
        assert_eq!(suggested("name = \"other\"", "name = \"another\"").as_deref(), Some("patch"), "{with_wandb}");
    }
    assert_eq!(suggested("max_steps   = 100", "max_steps   = 101").as_deref(), Some("major"));
}

#[test]
fn an_invalid_version_is_refused_without_changes() {
    let folder = registered();
    let before = (read(&folder, "a.toml"), read(&folder, "registry.json"));
    let mut said = String::new();
    for (words, status) in [
        ("a.toml -m again", 1),
        ("a.toml -m x --based-on b.toml:v1 --force", 2),
        ("a.toml -m x --based-on v7 --force", 2),
        ("b.toml -m x", 2),
    ] {
        let ended = bump(&folder, words);
        assert_eq!(ended.status, Some(status), "{words}: {ended:?}");
        said += &format!("$ cfg bump {words}\n{}", ended.stderr);
        assert_eq!((read(&folder, "a.toml"), read(&folder, "registry.json")), before, "{words}");
    }
    folder.write("b.toml", b"[trainer]\n[orchestrator]\nrollouts_per_exmaple = 16\n");
    let ended = bump(&folder, "b.toml -m x");
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert_eq!(read(&folder, "registry.json"), before.1);
    insta::assert_snapshot!("bumps_that_are_refused", said + &ended.stderr);
}

#[test]
fn invalid_entries_of_the_registry_are_reported_and_kept() {
    let folder = registered();
    let good = read(&folder, "registry.json");
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    let config = read(&folder, "a.toml");
    for nonsense in
        ["", "{", "[]", "null", "{\"configs\": []}", &good.replace("\"created\"", "\"notes\""), &good.replace('}', ""), "\u{0}"]
    {
        folder.write("registry.json", nonsense.as_bytes());
        for command in [
            "bump a.toml -m x",
            "restore a.toml:v1 --force",
            "log",
            "show a.toml:v1",
            "registry list",
            "registry gc",
            "registry adopt",
        ] {
            let ended = folder.run(command);
            assert_eq!(ended.status, Some(2), "{command} with {nonsense:?}: {ended:?}");
            assert!(!ended.stderr.is_empty());
        }
        let ended = folder.run("registry verify --format json");
        assert_eq!((ended.status, codes(&ended).contains(&"PRL720".to_owned())), (Some(1), true), "{nonsense:?}: {ended:?}");
        assert_eq!(read(&folder, "registry.json"), nonsense);
        assert_eq!(read(&folder, "a.toml"), config);
    }
}

#[test]
fn gc_removes_only_unreferenced_objects() {
    let folder = registered();
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    assert_eq!(folder.run("registry restore a.toml:v1").status, Some(1), "what is no version is not thrown away");
    assert_eq!(folder.run("registry restore a.toml:v1 --force").status, Some(0));
    let objects = || fs::read_dir(folder.path().join(".cfg/objects")).expect("a folder").count();
    assert_eq!(objects(), 2, "what it held is still there");
    insta::assert_snapshot!("an_unreferenced_text", folder.run("registry gc --dry-run").stderr);
    assert_eq!(objects(), 2);
    assert_eq!(folder.run("registry gc").status, Some(0));
    assert_eq!((objects(), verify(&folder)), (1, (Some(0), vec![])));
}

#[test]
fn every_drift_has_its_finding() {
    let entry = |more: &str| format!("{{\"created\": \"2026-01-05\", \"notes\": \"why\"{more}}}");
    let config = |current: &str, versions: &str| format!("{{\"current_version\": \"{current}\", \"versions\": {{{versions}}}}}");
    let v1 = entry("");
    let registry = format!(
        "{{\"active_configs\": {{\"x\": \"gone.toml:v1\", \"y\": \"a.toml:v9\"}}, \"configs\": {{\n\"a.toml\": {},\n\"b.toml\": {},\n\"gone.toml\": {}}}}}\n",
        config(
            "v3",
            &format!(
                "\"v1\": {}, \"v2\": {}",
                entry(", \"based_on\": \"b.toml:v1\""),
                entry(", \"based_on\": \"nobody.toml:v1\"")
            )
        ),
        config(
            "v1",
            &format!(
                "\"v1\": {}, \"v2\": {{\"created\": \"2026-01-04\", \"based_on\": \"v1\"}}",
                entry(", \"based_on\": \"a.toml:v1\"")
            )
        ),
        config("v1", &format!("\"v1\": {v1}")),
    );
    let header = "# /// config\n# version = \"v7\"\n# ///\n";
    let folder = Folder::new(&[
        ("registry.json", &registry),
        ("a.toml", CLEAN),
        ("b.toml", &format!("{header}{CLEAN}")),
        ("c.toml", CLEAN),
    ]);
    let (status, found) = verify(&folder);
    assert_eq!(status, Some(1));
    let mut distinct = found.clone();
    distinct.dedup();
    let all = ["PRL711", "PRL712", "PRL713", "PRL714", "PRL715", "PRL716", "PRL717", "PRL718", "PRL719", "PRL722"];
    assert_eq!(distinct, all, "{found:?}");
    assert_eq!(found.iter().filter(|code| *code == "PRL716").count(), 2);
    // Reading a registry creates nothing next to it.
    assert!(!folder.path().join(".cfg").exists());
}

#[test]
fn the_lineage_is_drawn_in_every_form() {
    let folder = registered();
    folder.write("b.toml", CLEAN.replace("max_steps = 100", "max_steps = 50").as_bytes());
    assert_eq!(bump(&folder, "b.toml -m \"<b>\" --based-on a.toml:v1").status, Some(0));
    let run = |words: &str| {
        let ended = folder.run(words);
        assert_eq!(ended.status, Some(0), "{words}: {ended:?}");
        ended.stdout
    };
    assert_eq!(run("log --graph").lines().count(), 2);
    assert!(run("log --graph").contains("\n  + b.toml:v1"));
    assert!(run("log --format mermaid").contains("n0 --> n1"));
    assert!(run("log --graph --format dot").contains("\"a.toml:v1\" -> \"b.toml:v1\";"));
    let svg = run("log --format svg");
    assert!(svg.starts_with("<svg ") && svg.contains("&lt;b&gt;") && !svg.contains("<b>"), "{svg}");
    let json: serde_json::Value = serde_json::from_str(&run("log --graph --format json")).expect("JSON");
    assert_eq!(json["versions"][1]["parent"].as_str(), Some("a.toml:v1"));
    assert_eq!(run("log b.toml --graph").lines().count(), 2);
    assert_eq!(run("log a.toml").lines().filter(|line| line.contains(".toml:v")).count(), 1);
    let list: serde_json::Value = serde_json::from_str(&run("registry list --format json")).expect("JSON");
    assert_eq!(list["configs"][1]["path"].as_str(), Some("b.toml"));
}

#[test]
fn a_check_reports_the_registry_findings_of_the_file() {
    let folder = registered();
    let check = |words: &str| {
        let ended = folder.run(&format!("check --format json {words}"));
        (ended.status, codes(&ended))
    };
    assert_eq!(check("."), (Some(0), vec![]));
    folder.write("c.toml", CLEAN.as_bytes());
    assert_eq!(check("."), (Some(0), vec!["PRL717".to_owned()]));
    // In text output, several configs of a folder are reported together.
    folder.write("d.toml", CLEAN.as_bytes());
    let told = folder.run("check --format concise .").stdout;
    insta::assert_snapshot!("unregistered_configs", told);
    folder.write("d.toml", b"");
    folder.write("c.toml", format!("# cfg: ignore-file[PRL717] a draft\n{CLEAN}").as_bytes());
    assert_eq!(check("."), (Some(0), vec![]));
    folder.write("deep/d.toml", CLEAN.as_bytes());
    assert_eq!(check("."), (Some(0), vec![]), "no config of that folder is registered");
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 99");
    assert_eq!(check("."), (Some(1), vec!["PRL710".to_owned()]));
    replace(&folder, "a.toml", "\"v1\"", "\"v2\"");
    assert_eq!(check("a.toml"), (Some(1), vec!["PRL710".to_owned(), "PRL711".to_owned()]));
    let claim = format!("# /// config\n# same_as = \"a.toml:v1\"\n# ///\n{}", CLEAN.replace("1e-5", "1e-6"));
    folder.write("deep/d.toml", claim.as_bytes());
    assert_eq!(check("deep"), (Some(0), vec!["PRL730".to_owned()]));
    let diff = folder.run("diff a.toml:v1 a.toml");
    assert!(diff.stdout.contains("max_steps"), "{diff:?}");
    folder.write("c.toml", CLEAN.as_bytes());
    let registry = read(&folder, "registry.json");
    folder.write("registry.json", registry.replace("\"v1\": {", "\"v1\": 1, \"v1\": {").as_bytes());
    assert_eq!(check("a.toml c.toml").1, ["PRL720"]);
    folder.write("registry.json", b"{\"packages\": {}}");
    fs::remove_dir_all(folder.path().join(".cfg")).expect("it goes");
    assert_eq!(check("."), (Some(0), vec!["PRL731".to_owned()]), "a registry of something else is none of ours");
}

#[test]
fn the_schema_describes_generated_and_handwritten_registries() {
    let schema = cfg_registry::schema().to_value();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let folder = registered();
    let faults = |text: &str| {
        let json = serde_json::from_str(text).expect("JSON");
        validator.iter_errors(&json).map(|error| error.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(faults(&read(&folder, "registry.json")), Vec::<String>::new());
    let by_hand = "{\"active_configs\": {\"a\": \"a.toml:v1\"}, \"configs\": {\"a.toml\": {\"model\": \"m\", \"hardware\": \"2x H100\", \"current_version\": \"v1\", \"versions\": {\"v1\": {\"created\": \"2026-01-04\", \"notes\": \"first\"}}}}}";
    assert_eq!(faults(by_hand), Vec::<String>::new());
    assert_eq!(faults(&by_hand.replace("a.toml:v1", "a.toml")).len(), 1);
}

#[test]
fn a_bump_moves_metadata_of_other_headers_into_the_block() {
    let folder = registered();
    let table = format!("[config]\nversion = \"v2\"\ncreated = \"2026-01-01\"\nnotes = \"old\"\n\n{CLEAN}");
    let table = table.replace("max_steps = 100\ninference_gpu_ids = [0]\n", "");
    folder.write("b.toml", table.as_bytes());
    let ended = bump(&folder, "b.toml -m new");
    assert_eq!(ended.stdout.lines().next(), Some("b.toml: v2, the first version"), "{ended:?}");
    let text = read(&folder, "b.toml");
    assert!(
        !text.contains("[config]") && text.contains("# version = \"v2\"\n") && text.contains("# notes = \"new\"\n"),
        "{text}"
    );
    folder.write("c.toml", format!("# Config version: v3 (2026-01-05)\n# Based on: a.toml:v1\n\n{CLEAN}").as_bytes());
    let ended = bump(&folder, "c.toml -m other");
    assert_eq!(ended.stdout.lines().next(), Some("c.toml: v3, the first version"), "{ended:?}");
    let text = read(&folder, "c.toml");
    assert!(!text.contains("Config version") && text.contains("# based_on = \"a.toml:v1\"\n"), "{text}");
    assert_eq!(verify(&folder), (Some(0), vec![]));
}

#[test]
fn an_unchanged_run_name_is_reported() {
    let folder = registered();
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    let ended = bump(&folder, "a.toml -m longer");
    insta::assert_snapshot!("an_unchanged_run_name", ended.stderr);
    replace(&folder, "a.toml", "\"baseline\"", "\"longest\"");
    replace(&folder, "a.toml", "max_steps = 200", "max_steps = 300");
    let ended = bump(&folder, "a.toml -m longest");
    assert!(ended.status == Some(0) && !ended.stderr.contains("Weights & Biases"), "{ended:?}");
}

#[test]
fn settings_select_the_verified_findings() {
    let folder = registered();
    replace(&folder, "a.toml", "max_steps = 100", "max_steps = 200");
    assert_eq!(verify(&folder), (Some(1), vec!["PRL710".to_owned()]));
    folder.write("cfg.toml", b"target = \"0.4.0\"\n[lint.severities]\nPRL710 = \"warning\"\n");
    assert_eq!(verify(&folder), (Some(0), vec!["PRL710".to_owned()]));
    folder.write("cfg.toml", b"target = \"0.4.0\"\n[lint]\nignore = [\"PRL710\"]\n");
    assert_eq!(verify(&folder), (Some(0), vec![]));
}
