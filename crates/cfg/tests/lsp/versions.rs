//! Versions of configs in the editor: what the registry states, and creating a version.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::client::{self, Server};

const CONFIG: &str =
    "# /// config\n# prime_rl = \"0.4.0\"\n# ///\nmax_steps = 10\n[trainer]\n[orchestrator]\nbatch_size = 64\n[inference]\n";

fn cfg(folder: &Path, arguments: &[&str]) {
    let output = client::cfg(arguments).current_dir(folder).output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn titles(lenses: &Value) -> Vec<String> {
    lenses.as_array().into_iter().flatten().filter_map(|lens| Some(lens["command"]["title"].as_str()?.to_owned())).collect()
}

/// Whether the first line of a command's result is this one. Lines about the effects on a step may follow.
fn shows_message(made: &Value, wanted: &str) -> bool {
    made["made"].as_str().and_then(|text| text.lines().next()) == Some(wanted)
}

fn codes(report: &Value) -> Vec<String> {
    report["items"].as_array().into_iter().flatten().filter_map(|found| Some(found["code"].as_str()?.to_owned())).collect()
}

#[test]
fn a_version_is_registered_in_the_editor() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rl.toml");
    fs::write(&path, CONFIG).expect("written");
    cfg(folder.path(), &["registry", "init"]);
    cfg(folder.path(), &["bump", "rl.toml", "-m", "first"]);
    let first = fs::read_to_string(&path).expect("there");
    let uri = format!("file://{}", path.display());
    let (mut server, _) = Server::start(&json!({ "textDocument": { "diagnostic": {} } }));
    server.open_as(&uri, &first);
    let mut lenses = titles(&server.of(&uri, "textDocument/codeLens"));

    let second = first.replace("batch_size = 64", "batch_size = 128");
    server.replace(&uri, 2, &second);
    lenses.extend(titles(&server.of(&uri, "textDocument/codeLens")));
    let at = json!({ "line": 0, "character": 0 });
    let asked = json!({ "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] } });
    let actions = server.ask("textDocument/codeAction", &asked);
    let bump = actions.as_array().into_iter().flatten().find(|action| action["command"]["command"] == "cfg.bump");
    assert_eq!(bump.expect("it is offered")["command"]["arguments"], json!([uri]));

    // The editor displays a hint instead of an error, with the same action.
    let found = server.of(&uri, "textDocument/diagnostic");
    let hint = &found["items"][0];
    assert_eq!((&hint["code"], &hint["severity"]), (&json!("PRL710"), &json!(4)), "{found}");
    let context = json!({ "diagnostics": [hint], "only": ["quickfix"] });
    let asked = json!({ "textDocument": { "uri": uri }, "range": hint["range"], "context": context });
    let actions = server.ask("textDocument/codeAction", &asked);
    let bump = actions.as_array().into_iter().flatten().find(|action| action["command"]["command"] == "cfg.bump");
    let bump = bump.unwrap_or_else(|| panic!("it is offered: {actions}"));
    assert_eq!((&bump["kind"], &bump["diagnostics"][0]), (&json!("quickfix"), hint), "{bump}");

    // A version is created neither from unsaved text nor without a reason.
    let with_reason = json!({ "command": "cfg.bump", "arguments": [uri, "twice the batch"] });
    server.refusal("workspace/executeCommand", &with_reason);
    fs::write(&path, &second).expect("written");
    server.refusal("workspace/executeCommand", &json!({ "command": "cfg.bump", "arguments": [uri] }));
    assert_eq!(fs::read_to_string(&path).expect("there"), second);

    let made = server.ask("workspace/executeCommand", &with_reason);
    assert!(shows_message(&made, "rl.toml: v1 -> v2 (1 change)"), "{made}");
    let third = fs::read_to_string(&path).expect("there");
    assert!(third.contains("# notes = \"twice the batch\"\n"), "{third}");
    server.replace(&uri, 3, &third);
    lenses.extend(titles(&server.of(&uri, "textDocument/codeLens")));
    insta::assert_snapshot!("lenses_of_versions", lenses.join("\n"));
    assert!(codes(&server.of(&uri, "textDocument/diagnostic")).iter().all(|code| !code.starts_with("PRL7")));
    let lineage = server.ask("workspace/executeCommand", &json!({ "command": "cfg.lineage", "arguments": [uri] }));
    assert!(lineage["text"].as_str().is_some_and(|text| text.contains("twice the batch")), "{lineage}");

    // The notes in the metadata block can be the reason as well.
    let fourth = third.replace("batch_size = 128", "batch_size = 256").replace("twice the batch", "four times the batch");
    fs::write(&path, &fourth).expect("written");
    server.replace(&uri, 4, &fourth);
    let made = server.ask("workspace/executeCommand", &json!({ "command": "cfg.bump", "arguments": [uri] }));
    assert!(shows_message(&made, "rl.toml: v2 -> v3 (1 change)"), "{made}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_changed_registry_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rl.toml");
    fs::write(&path, CONFIG).expect("written");
    cfg(folder.path(), &["registry", "init"]);
    cfg(folder.path(), &["bump", "rl.toml", "-m", "first"]);
    let uri = format!("file://{}", path.display());
    let (mut server, _) = Server::start(&json!({ "textDocument": { "diagnostic": {} } }));
    let text = fs::read_to_string(&path).expect("there");
    server.open_as(&uri, &text);
    assert!(codes(&server.of(&uri, "textDocument/diagnostic")).iter().all(|code| !code.starts_with("PRL7")));

    server.replace(&uri, 2, &text.replace("version = \"v1\"", "version = \"v7\""));
    let found = server.of(&uri, "textDocument/diagnostic");
    let of_version = found["items"].as_array().into_iter().flatten().find(|found| found["range"]["start"]["line"] == 1);
    assert!(of_version.is_some_and(|found| found["code"].as_str().is_some_and(|code| code.starts_with("PRL7"))), "{found}");

    server.replace(&uri, 3, &text);
    let registry = folder.path().join("registry.json");
    let old = fs::read_to_string(&registry).expect("there");
    fs::write(&registry, old.replace("\"v1\"", "\"v9\"")).expect("written");
    let changed = json!({ "changes": [{ "uri": format!("file://{}", registry.display()), "type": 2 }] });
    server.tell("workspace/didChangeWatchedFiles", &changed);
    let found = codes(&server.of(&uri, "textDocument/diagnostic"));
    assert!(found.iter().any(|code| code.starts_with("PRL7")), "{found:?}");

    // Errors in the registry are reported once it is saved.
    let uri = format!("file://{}", registry.display());
    let text = old.replace("\"v1\"", "\"v9\"").replace("\"sha256\": \"", "\"sha256\": \"0");
    server.open_as(&uri, &text);
    assert_eq!(codes(&server.of(&uri, "textDocument/diagnostic")), Vec::<String>::new());
    fs::write(&registry, &text).expect("written");
    server.tell("textDocument/didSave", &json!({ "textDocument": { "uri": uri } }));
    let report = server.of(&uri, "textDocument/diagnostic");
    assert!(codes(&report).iter().any(|code| code.starts_with("PRL7")), "{report}");
    assert!(report["items"][0]["range"]["start"]["line"].as_u64().is_some_and(|line| line > 0), "{report}");
}

#[test]
fn a_finding_links_to_the_page_of_its_rule() {
    let href = |options: Value| {
        let capabilities =
            json!({ "textDocument": { "diagnostic": {}, "publishDiagnostics": { "codeDescriptionSupport": true } } });
        let (mut server, _) = Server::start_with(&json!({ "capabilities": capabilities, "initializationOptions": options }));
        server.open("batch_siez = 1\n[trainer]\n[orchestrator]\n");
        let found = server.of(client::URI, "textDocument/diagnostic");
        let href = found["items"][0]["codeDescription"]["href"].as_str().expect("an address").to_owned();
        let page = href.strip_prefix("file://").map(|path| fs::read_to_string(path).expect("it lies there"));
        assert_eq!(server.end(), Some(0));
        (href, page)
    };
    let (address, page) = href(Value::Null);
    assert!(page.is_some_and(|page| page.contains("unknown-key")), "{address}");
    assert!(!Path::new(address.trim_start_matches("file://")).exists(), "it goes with the server");
    let (address, _) = href(json!({ "rulePages": "https://example.org/rules/{name}" }));
    assert_eq!(address, "https://example.org/rules/unknown-key");
}

/// A new file is no override of another one, and a lens above its first line would hide nothing.
#[test]
fn a_file_in_which_nothing_is_written_yet_has_no_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = format!("file://{}", folder.path().join("rl.toml").display());
    let (mut server, _) = Server::start(&json!({ "textDocument": { "diagnostic": {} } }));
    for (version, text) in [(1, ""), (2, "\n\n")] {
        if version == 1 {
            server.open_as(&uri, text);
        } else {
            server.replace(&uri, version, text);
        }
        assert!(codes(&server.of(&uri, "textDocument/diagnostic")).is_empty(), "{text:?}");
        assert!(titles(&server.of(&uri, "textDocument/codeLens")).iter().all(|title| !title.contains("warning")), "{text:?}");
    }
    server.replace(&uri, 3, "max_steps = 5\n");
    assert_eq!(codes(&server.of(&uri, "textDocument/diagnostic")), ["PRL025"]);
}
