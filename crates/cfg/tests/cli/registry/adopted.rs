//! Registries that are created from existing configs.

use std::{path::Path, process::Command};

use super::{bump, codes, read};
use crate::{CLEAN, Folder};

/// Runs git without the user's settings.
pub(super) fn git(folder: &Path, words: &[&str], day: &str) {
    let set = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"];
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(set).args(words).env("GIT_AUTHOR_DATE", day).env("GIT_COMMITTER_DATE", day);
    let done = command.output().expect("git runs");
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

pub(super) fn commit(folder: &Folder, files: &[(&str, &str)], day: &str, message: &str) {
    for (name, text) in files {
        folder.write(name, text.as_bytes());
    }
    git(folder.path(), &["add", "-A"], day);
    git(folder.path(), &["commit", "-q", "--allow-empty", "-m", message], day);
}

fn headed(version: &str, steps: u32) -> String {
    format!(
        "# /// config\n# version = \"{version}\"\n# ///\n{}",
        CLEAN.replace("max_steps = 100", &format!("max_steps = {steps}"))
    )
}

#[test]
fn commits_are_versions_unless_headers_state_them() {
    let folder = Folder::new(&[("cfg.toml", "target = \"0.4.0\"\n")]);
    git(folder.path(), &["init", "-q"], "2026-01-01T12:00:00Z");
    let steps = |steps: u32| CLEAN.replace("max_steps = 100", &format!("max_steps = {steps}"));
    commit(&folder, &[("a.toml", CLEAN), ("notes.toml", "x = 1\n")], "2026-01-02T12:00:00Z", "start");
    commit(&folder, &[("a.toml", &format!("# only a comment\n{CLEAN}"))], "2026-01-03T12:00:00Z", "comment");
    commit(&folder, &[("a.toml", &steps(200))], "2026-01-04T12:00:00Z", "more steps");
    folder.write("a.toml", steps(300).as_bytes());
    let dry = folder.run("registry adopt --dry-run");
    assert_eq!((dry.status, folder.path().join("registry.json").exists()), (Some(0), false), "{dry:?}");
    let ended = crate::finish(folder.command("registry adopt").env("SOURCE_DATE_EPOCH", "1767571200"), b"");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let registry: serde_json::Value = serde_json::from_str(&read(&folder, "registry.json")).expect("JSON");
    assert_eq!(registry["configs"].as_object().map(serde_json::Map::len), Some(1), "what is no config is left alone");
    let config = &registry["configs"]["a.toml"];
    let versions = config["versions"].as_object().expect("versions");
    assert_eq!((config["current_version"].as_str(), versions.len()), (Some("v3"), 3), "{registry:#}");
    let of = |version: &str, key: &str| versions[version][key].as_str().unwrap_or_default().to_owned();
    assert_eq!((of("v1", "created"), of("v1", "notes")), ("2026-01-02".to_owned(), "start".to_owned()));
    assert_eq!((of("v2", "notes"), of("v2", "based_on")), ("more steps".to_owned(), "a.toml:v1".to_owned()));
    assert_eq!(of("v3", "created"), "2026-01-05");
    assert_eq!(versions["v1"]["also"].as_array().map(Vec::len), Some(1), "a comment makes no version");
    assert_eq!(folder.run("registry show a.toml:v2").stdout, steps(200));
    let verified = folder.run("registry verify --format json");
    assert_eq!((verified.status, codes(&verified)), (Some(0), vec![]), "{verified:?}");
    let before = read(&folder, "registry.json");
    insta::assert_snapshot!("a_second_adoption", folder.run("registry adopt").stderr);
    assert_eq!(read(&folder, "registry.json"), before);
    assert_eq!(bump(&folder, "a.toml -m on --force").stdout.lines().next(), Some("a.toml: v3 -> v4"));
}

#[test]
fn headers_assign_versions_to_revisions() {
    let folder = Folder::new(&[("cfg.toml", "target = \"0.4.0\"\n")]);
    git(folder.path(), &["init", "-q"], "2026-01-01T12:00:00Z");
    let notes = "{\n  \"configs\": {\n    \"a.toml\": {\n      \"mine\": 1.50,\n      \"current_version\": \"v1\",\n      \"versions\": {\n        \"v1\": {\"created\": \"2026-01-02\", \"notes\": \"first\"}\n      }\n    },\n    \"gone.toml\": {\"current_version\": \"v1\", \"versions\": {\"v1\": {\"created\": \"2026-01-02\", \"notes\": \"x\"}}}\n  },\n  \"active_configs\": {\"x\": \"gone.toml:v1\"}\n}\n";
    commit(&folder, &[("registry.json", notes), ("a.toml", CLEAN)], "2026-01-02T12:00:00Z", "start");
    commit(&folder, &[("a.toml", &headed("v2", 200))], "2026-01-03T12:00:00Z", "two");
    commit(&folder, &[("a.toml", &headed("v2", 300))], "2026-01-04T12:00:00Z", "still two");
    let ended = folder.run("registry adopt");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    insta::assert_snapshot!("adopted_with_headers", ended.stdout);
    let text = read(&folder, "registry.json");
    assert!(text.contains("\"mine\": 1.50,") && text.contains("{\"created\": \"2026-01-02\", \"notes\": \"first\", "), "{text}");
    assert!(text.contains("\"removed\": true") && text.contains("\"active_configs\": {}"), "{text}");
    assert_eq!(folder.run("registry show a.toml:v1").stdout, CLEAN);
    assert_eq!(folder.run("registry show a.toml").stdout, headed("v2", 300));
    let verified = folder.run("registry verify --format json");
    assert_eq!((verified.status, codes(&verified)), (Some(0), vec!["PRL722".to_owned()]), "{verified:?}");
}

#[test]
fn a_version_without_a_target_is_for_the_prime_rl_of_its_day() {
    let folder = Folder::new(&[]);
    git(folder.path(), &["init", "-q"], "2026-01-01T12:00:00Z");
    // A config that is refused today because keys have been renamed since; and one that was never valid.
    let today = "[trainer]\n[orchestrator]\ngroup_size = 8\n[inference]\n";
    commit(&folder, &[("a.toml", CLEAN), ("b.toml", "[trainer]\n[orchestrator]\nnever = 1\n")], "2026-01-02T12:00:00Z", "start");
    commit(&folder, &[("a.toml", today), ("c.toml", &headed("v1", 3))], "2026-08-20T12:00:00Z", "renamed");
    let ended = folder.run("registry adopt");
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let registry: serde_json::Value = serde_json::from_str(&read(&folder, "registry.json")).expect("JSON");
    let of = |path: &str, version: &str| registry["configs"][path]["versions"][version]["prime_rl"].as_str().map(str::to_owned);
    assert_eq!(of("a.toml", "v1").as_deref(), Some("2026-01-02"), "{registry:#}");
    assert_eq!(of("a.toml", "v2").as_deref(), Some("2026-08-20"));
    assert_eq!(of("b.toml", "v1"), None);
    assert_eq!(of("c.toml", "v1"), None, "it fits no prime-rl of its day");
    assert!(registry["configs"]["a.toml"]["versions"]["v1"]["fingerprint"].is_object());
}

#[test]
fn a_registry_above_the_repository_is_not_used() {
    let folder =
        Folder::new(&[("registry.json", "{\"configs\": {\"repo/a.toml\": {\"hardware\": \"8x H100\", \"versions\": {}}}}\n")]);
    folder.write("repo/a.toml", CLEAN.as_bytes());
    folder.write("repo/cfg.toml", b"target = \"0.4.0\"\n");
    let inside = |words: &str| crate::finish(folder.command(words).current_dir(folder.path().join("repo")), b"");
    // Without git, the registry belongs to the folder of the project.
    assert_eq!(inside("registry list").status, Some(0));
    git(&folder.path().join("repo"), &["init", "-q"], "2026-01-01T12:00:00Z");
    let ended = inside("registry list");
    assert_eq!(ended.status, Some(2), "{ended:?}");
    insta::assert_snapshot!("a_folder_without_a_registry", ended.stderr);
    assert_eq!(codes(&inside("check a.toml --format json")), Vec::<String>::new());
    assert_eq!(inside("registry init").status, Some(0));
    assert_eq!(inside("bump a.toml -m first").status, Some(0));
    let outer = read(&folder, "registry.json");
    assert!(!outer.contains("first"), "{outer}");
}
