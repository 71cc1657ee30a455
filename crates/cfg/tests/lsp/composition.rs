//! Configs that consist of several files.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::Server;

const BASE: &str = "[trainer]\n[orchestrator]\nbatch_size = 128\nrollouts_per_example = 8\n";
const RUN: &str = "# /// config\n# prime_rl = \"0.2.0\"\n# based_on = \"old/first.toml:v1\"\n# ///\ntoml_files = [\"base.toml\"]\n[orchestrator]\nbatch_size = 64\n";

/// A folder with these files, and a server for it.
fn server(files: &[(&str, &str)], capabilities: &Value) -> (TempDir, Server) {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("within")).and_then(|()| fs::write(path, text)).expect("it is written");
    }
    let root = uri(&folder, "");
    let params = json!({ "capabilities": capabilities, "workspaceFolders": [{ "uri": root, "name": "ws" }] });
    let (server, _) = Server::start_with(&params);
    (folder, server)
}

fn uri(folder: &TempDir, path: &str) -> String {
    let root = fs::canonicalize(folder.path()).expect("it is there");
    format!("file://{}/{path}", root.display()).trim_end_matches('/').to_owned()
}

#[test]
fn a_base_file_reaches_its_open_overlay_from_disk_and_from_the_editor() {
    let (folder, mut server) = server(&[("base.toml", BASE), ("run.toml", RUN)], &json!({}));
    let (base, run) = (uri(&folder, "base.toml"), uri(&folder, "run.toml"));
    server.open_as(&run, RUN);
    assert_eq!(server.published_for(&run, 1), Vec::<Value>::new());
    // The file on disk:
    fs::write(folder.path().join("base.toml"), BASE.replace("128", "128\nbatch_siez = 1")).expect("it is written");
    server.tell("workspace/didChangeWatchedFiles", &json!({ "changes": [{ "uri": base, "type": 2 }] }));
    let found = server.published_until(&run, 1, |found| !found.is_empty());
    assert_eq!(found.len(), 1, "{found:?}");
    // The finding is at the entry that names the file, and states where it really is.
    assert_eq!(found[0]["range"]["start"]["line"], 4, "{found:?}");
    assert_eq!(found[0]["relatedInformation"][0]["location"]["uri"], json!(base), "{found:?}");
    assert_eq!(found[0]["relatedInformation"][0]["location"]["range"]["start"]["line"], 3, "{found:?}");
    // The file in the editor, before it is saved:
    server.open_as(&base, BASE);
    server.published_until(&run, 1, <[Value]>::is_empty);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_part_is_checked_again_when_no_config_includes_it() {
    let whole = "toml_files = [\"part.toml\"]\n[trainer]\n[orchestrator]\n";
    let files = [("cfg.toml", "target = \"0.4.0\"\n"), ("part.toml", ""), ("run.toml", whole)];
    let (folder, mut server) = server(&files, &json!({}));
    let part = uri(&folder, "part.toml");
    server.open_as(&part, "[trainer.model]\nseq_len = 4096\n");
    assert_eq!(server.published_for(&part, 1), Vec::<Value>::new());
    fs::write(folder.path().join("run.toml"), "[inference]\n").expect("it is written");
    server.tell("workspace/didChangeWatchedFiles", &json!({ "changes": [{ "uri": uri(&folder, "run.toml"), "type": 2 }] }));
    let found = server.published_for(&part, 1);
    assert!(!found.is_empty(), "it has no orchestrator of its own");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn toml_files_completes_neighbouring_files() {
    let (folder, mut server) = server(&[("base.toml", BASE), ("cfg.toml", ""), ("parts/long.toml", BASE)], &json!({}));
    let run = uri(&folder, "run.toml");
    server.open_as(&run, "toml_files = [\"\", \"parts/\"]\n");
    let mut texts = |column| {
        let items = server.at_of(&run, "textDocument/completion", 0, column);
        let text = |item: &Value| item["textEdit"]["newText"].as_str().unwrap_or_default().to_owned();
        items.as_array().into_iter().flatten().map(text).collect::<Vec<String>>()
    };
    assert_eq!(texts(15), ["\"base.toml\"", "\"parts/\"", "\"../\""]);
    assert_eq!(texts(25), ["\"parts/long.toml\""]);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn keys_link_to_the_files_that_set_them() {
    let (folder, mut server) = server(&[("base.toml", BASE), ("run.toml", RUN), ("old/first.toml", BASE)], &json!({}));
    let (base, run) = (uri(&folder, "base.toml"), uri(&folder, "run.toml"));
    server.open_as(&run, RUN);
    server.open_as(&base, BASE);
    let to_base = server.at_of(&run, "textDocument/definition", 6, 3);
    assert_eq!((&to_base[0]["uri"], &to_base[0]["range"]["start"]["line"]), (&json!(base), &json!(2)), "{to_base}");
    let file = server.at_of(&run, "textDocument/definition", 4, 16);
    assert_eq!(file[0]["uri"], json!(base), "{file}");
    let ancestor = server.at_of(&run, "textDocument/definition", 2, 18);
    assert_eq!(ancestor[0]["uri"], json!(uri(&folder, "old/first.toml")), "{ancestor}");
    let users = server.at_of(&base, "textDocument/references", 2, 3);
    assert!(users.as_array().is_some_and(|all| all.iter().any(|one| one["uri"] == json!(run))), "{users}");
    let links = server.of(&run, "textDocument/documentLink");
    assert_eq!(links.as_array().map(Vec::len), Some(2), "{links}");
    assert_eq!(server.end(), Some(0));
}

/// In a checkout of prime-rl, its classes are used: a key leads to the line that declares it, and is known as soon as that line exists.
#[test]
fn a_key_links_to_its_declaration() {
    let class = |name: &str, body: &str| {
        format!(
            "from pydantic import BaseModel\nclass {name}(BaseModel, extra='forbid'):\n    warp: int = 1\n    \"\"\"Speed.\"\"\"\n{body}"
        )
    };
    let home = "src/prime_rl/configs";
    let names = [
        ("rl", "RLConfig"),
        ("trainer", "TrainerConfig"),
        ("orchestrator", "OrchestratorConfig"),
        ("inference", "InferenceConfig"),
        ("sft", "SFTConfig"),
    ];
    let mut files: Vec<(String, String)> =
        names.iter().map(|(kind, name)| (format!("{home}/{kind}.py"), class(name, ""))).collect();
    files.push(("pyproject.toml".to_owned(), "[project]\nname = \"prime-rl\"\nversion = \"0.8.0\"\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (folder, mut server) = server(&files, &json!({}));
    let config = uri(&folder, "t.toml");
    server.open_as(&config, "# /// config\n# kind = \"trainer\"\n# ///\nwarp = 2\nswizzle = 3\n");
    let found = server.published_for(&config, 1);
    assert!(found.iter().any(|one| one["range"]["start"]["line"] == 4), "it is not known yet: {found:?}");
    let declared = server.at_of(&config, "textDocument/definition", 3, 1);
    let trainer = uri(&folder, &format!("{home}/trainer.py"));
    assert_eq!((&declared[0]["uri"], &declared[0]["range"]["start"]["line"]), (&json!(trainer), &json!(2)), "{declared}");
    let other = uri(&folder, "o.toml");
    server.open_as(&other, "# /// config\n# prime_rl = \"0.8.0\"\n# kind = \"trainer\"\n# ///\nwarp = 2\n");
    let declared = server.at_of(&other, "textDocument/definition", 4, 1);
    assert_eq!(declared[0]["uri"], json!(trainer), "one that states a version is led there, too: {declared}");
    let hover = server.at_of(&config, "textDocument/hover", 3, 1).to_string();
    assert!(hover.contains("Speed.") && hover.contains("the prime-rl in this folder"), "{hover}");
    let pulled = class("TrainerConfig", "    swizzle: int = 1\n");
    fs::write(folder.path().join(format!("{home}/trainer.py")), pulled).expect("it is written");
    server.tell("workspace/didChangeWatchedFiles", &json!({ "changes": [{ "uri": trainer, "type": 2 }] }));
    let found = server.published_for(&config, 1);
    assert!(!found.iter().any(|one| one["range"]["start"]["line"] == 4), "it is known now: {found:?}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn settings_count_as_soon_as_they_are_there() {
    let (folder, mut server) = server(&[], &json!({}));
    let run = uri(&folder, "rl.toml");
    server.open_as(&run, "max_steps = 5\nbatch_siez = 1\n[trainer]\n[orchestrator]\n");
    assert_eq!(server.published_for(&run, 1).len(), 1);
    let settings = folder.path().join("cfg.toml");
    fs::write(&settings, "[lint]\nignore = [\"unknown-key\"]\n").expect("it is written");
    let change = json!({ "changes": [{ "uri": uri(&folder, "cfg.toml"), "type": 1 }] });
    server.tell("workspace/didChangeWatchedFiles", &change);
    assert_eq!(server.published_for(&run, 1), Vec::<Value>::new());
    fs::remove_file(&settings).expect("it is ours");
    server.tell("workspace/didChangeConfiguration", &json!({ "settings": {} }));
    assert_eq!(server.published_for(&run, 1).len(), 1);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn accepted_findings_are_not_published() {
    let accepted = "{\"schema_version\": 1, \"findings\": {\"rl.toml\": [{\"code\": \"PRL101\", \"about\": \"batch_siez\"}]}}";
    let files = [("cfg.toml", "baseline = \"known-baseline.json\"\n"), ("known-baseline.json", accepted)];
    let (folder, mut server) = server(&files, &json!({}));
    let run = uri(&folder, "rl.toml");
    server.open_as(&run, "max_steps = 5\nbatch_siez = 1\n[trainer]\n[orchestrator]\n");
    assert_eq!(server.published_for(&run, 1), Vec::<Value>::new());
    server.replace(&run, 2, "max_steps = 5\nbatch_siez = 1\nseq_lne = 2\n[trainer]\n[orchestrator]\n");
    let found = server.published_for(&run, 2);
    assert_eq!((found.len(), &found[0]["range"]["start"]["line"]), (1, &json!(2)), "{found:?}");
    let path = folder.path().join("known-baseline.json");
    fs::write(&path, "{\"schema_version\": 2, \"findings\": {}}").expect("it is written");
    let change = json!({ "changes": [{ "uri": uri(&folder, "known-baseline.json"), "type": 2 }] });
    server.tell("workspace/didChangeWatchedFiles", &change);
    assert_eq!(server.published_for(&run, 2).len(), 2);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_settings_file_is_checked_while_it_is_written() {
    let (folder, mut server) = server(&[], &json!({}));
    let settings = uri(&folder, "cfg.toml");
    server.open_as(&settings, "[lint]\nignore = [\"unknown-kee\"]\n");
    let found = server.published_for(&settings, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["code"], &found[0]["range"]["start"]["line"]), (&json!("PRL014"), &json!(1)), "{found:?}");
    server.replace(&settings, 2, "[lint]\nignore = [\"unknown-key\"]\n");
    assert_eq!(server.published_for(&settings, 2), Vec::<Value>::new());
    assert_eq!(server.end(), Some(0));
}

#[test]
fn settings_that_state_no_known_prime_rl_leave_configs_open() {
    let (folder, mut server) = server(&[("cfg.toml", "target = \"0.4.99\"\n")], &json!({}));
    let run = uri(&folder, "rl.toml");
    server.open_as(&run, "max_steps = 5\nbatch_siez = 1\n[trainer]\n[orchestrator]\n");
    assert_eq!(server.published_for(&run, 1), Vec::<Value>::new());
    fs::write(folder.path().join("cfg.toml"), "target = \"0.4.0\"\n").expect("it is written");
    let change = json!({ "changes": [{ "uri": uri(&folder, "cfg.toml"), "type": 2 }] });
    server.tell("workspace/didChangeWatchedFiles", &change);
    assert_eq!(server.published_for(&run, 1).len(), 1);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_renamed_path_is_updated_in_all_files() {
    let registry = "{\n  \"active_configs\": {\"m\": \"base.toml\"},\n  \"configs\": {\"base.toml\": {\"versions\": {\"v2\": {\"based_on\": \"base.toml:v1\"}}}}\n}\n";
    let child = "# /// config\n# based_on = \"base.toml:v3\"\n# ///\nmax_steps = 1\n[trainer]\n[orchestrator]\n";
    let files = [
        ("base.toml", BASE),
        ("sub/run.toml", "toml_files = [\"../base.toml\"]\n"),
        ("registry.json", registry),
        ("child.toml", child),
    ];
    let (folder, mut server) = server(&files, &json!({}));
    let rename = json!({ "files": [{ "oldUri": uri(&folder, "base.toml"), "newUri": uri(&folder, "bases/b.toml") }] });
    let edit = server.ask("workspace/willRenameFiles", &rename);
    let texts = |path: &str| -> Vec<String> {
        let edits = edit["changes"][uri(&folder, path)].as_array().cloned().unwrap_or_default();
        edits.iter().filter_map(|edit| edit["newText"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(texts("sub/run.toml"), ["../bases/b.toml"], "{edit}");
    assert_eq!(texts("child.toml"), ["bases/b.toml:v3"], "{edit}");
    assert_eq!(texts("registry.json"), ["bases/b.toml", "bases/b.toml", "bases/b.toml:v1"], "{edit}");
    // A config that is moved still names the same files.
    let rename = json!({ "files": [{ "oldUri": uri(&folder, "sub"), "newUri": uri(&folder, "a/b") }] });
    let edit = server.ask("workspace/willRenameFiles", &rename);
    assert_eq!(edit["changes"][uri(&folder, "sub/run.toml")][0]["newText"], "../../base.toml", "{edit}");
    assert_eq!(server.end(), Some(0));
}

/// `linked/..` is the parent of the folder to which the link leads.
#[test]
#[cfg(unix)]
fn a_base_through_a_link_is_the_open_document() {
    let run = RUN.replace("base.toml", "linked/../base.toml");
    let files = [("base.toml", "[trainer]\n"), ("deep/base.toml", BASE), ("deep/er/a.txt", ""), ("run.toml", &*run)];
    let (folder, mut server) = server(&files, &json!({}));
    std::os::unix::fs::symlink("deep/er", folder.path().join("linked")).expect("a link");
    let (base, run_uri) = (uri(&folder, "deep/base.toml"), uri(&folder, "run.toml"));
    server.open_as(&run_uri, &run);
    assert_eq!(server.published_for(&run_uri, 1), Vec::<Value>::new());
    server.open_as(&base, &BASE.replace("128", "128\nbatch_siez = 1"));
    let found = server.published_until(&run_uri, 1, |found| !found.is_empty());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn the_configs_that_include_one_are_its_callers() {
    let (folder, mut server) = server(&[("base.toml", BASE), ("run.toml", RUN), ("cfg.toml", "")], &json!({}));
    let (base, run) = (uri(&folder, "base.toml"), uri(&folder, "run.toml"));
    server.open_as(&base, BASE);
    server.open_as(&run, RUN);
    let items = server.at_of(&base, "textDocument/prepareCallHierarchy", 0, 0);
    assert_eq!((&items[0]["name"], &items[0]["uri"]), (&json!("base.toml"), &json!(base)));
    let callers = server.ask("callHierarchy/incomingCalls", &json!({ "item": items[0] }));
    assert_eq!(callers.as_array().map(Vec::len), Some(1), "{callers}");
    assert_eq!(callers[0]["from"]["uri"], json!(run));
    assert_eq!(callers[0]["fromRanges"][0]["start"], json!({ "line": 4, "character": 14 }));
    // On its name in another config, it is what is meant.
    let named = server.at_of(&run, "textDocument/prepareCallHierarchy", 4, 17);
    assert_eq!(named[0]["uri"], json!(base));
    let own = server.at_of(&run, "textDocument/prepareCallHierarchy", 5, 1);
    let called = server.ask("callHierarchy/outgoingCalls", &json!({ "item": own[0] }));
    assert_eq!((called.as_array().map(Vec::len), &called[0]["to"]["uri"]), (Some(1), &json!(base)), "{called}");
    assert_eq!(server.end(), Some(0));
}
