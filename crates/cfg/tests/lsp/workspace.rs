//! Files that are not open, commands, and what a client displays next to a text.

use std::fs;

use serde_json::{Value, json};

use super::{
    client::{self, Server, URI},
    sized::sized,
};

const TEXT: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# hardware = \"2x H100\"\n# ///\nmax_steps = 10\nseq_len = 4096\n[model]\nname = \"Qwen/Qwen3-8B\"\n\
    [trainer]\n[trainer.model.lora]\nrank = 16\n[orchestrator]\nbatch_size = 64\ngroup_size = 8\n[orchestrator.train.sampling]\nmax_completion_tokens = 1024\n[inference]\n";

fn has_error(report: &Value) -> bool {
    report["items"].as_array().is_some_and(|found| found.iter().any(|found| found["severity"] == 1))
}

#[test]
fn closed_files_are_checked_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = fs::canonicalize(folder.path()).expect("it is there");
    // More than are reported at once, and more than there are symbols in an answer.
    let count = sized(1100, 1500);
    for number in 0..count {
        let below = root.join(format!("{}", number % 10));
        fs::create_dir_all(&below).expect("a folder");
        let wrong = if number == 7 { "batch_siez = 1\n" } else { "" };
        fs::write(
            below.join(format!("rl-{number}.toml")),
            format!("max_steps = {}\n{wrong}[trainer]\n[orchestrator]\nseq_len = 1024\n", number + 1),
        )
        .expect("it is written");
    }
    fs::write(root.join("other.toml"), "[package]\nname = \"x\"\n").expect("it is written");
    let folders = json!([{ "uri": format!("file://{}", root.display()), "name": "ws" }]);
    let capabilities = json!({ "textDocument": { "diagnostic": {} }, "window": { "workDoneProgress": true } });
    let (mut server, answer) = Server::start_with(&json!({ "capabilities": capabilities, "workspaceFolders": folders }));
    assert_eq!(answer["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"], true);

    let report = server.ask("workspace/diagnostic", &json!({ "previousResultIds": [], "workDoneToken": "w" }));
    let items = report["items"].as_array().expect("reports");
    assert_eq!(items.len(), count, "the file of another tool is none of ours");
    let found: Vec<&Value> = items.iter().filter(|item| has_error(item)).collect();
    assert_eq!(found.len(), 1);
    assert!(found[0]["uri"].as_str().is_some_and(|uri| uri.ends_with("/7/rl-7.toml")), "{}", found[0]);
    // A client that waits for long gets progress messages, the first of which announces the work.
    let told: Vec<Value> = server.drain().into_iter().filter(|message| message["params"]["token"] == "w").collect();
    assert_eq!(
        told.first().map(|message| message["params"]["value"]["kind"].clone()),
        (!told.is_empty()).then(|| json!("begin"))
    );

    let known: Vec<Value> = items.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect();
    fs::write(root.join("0/rl-0.toml"), "max_stesp = 1\n[trainer]\n[orchestrator]\n").expect("it is written");
    let report = server.ask("workspace/diagnostic", &json!({ "previousResultIds": known, "partialResultToken": "p" }));
    let parts = server.drain().into_iter().filter(|message| message["params"]["token"] == "p");
    let mut all: Vec<Value> =
        parts.flat_map(|message| message["params"]["value"]["items"].as_array().cloned().unwrap_or_default()).collect();
    assert!(all.len() >= 1024, "it comes in parts: {}", all.len());
    all.extend(report["items"].as_array().cloned().unwrap_or_default());
    let full: Vec<&Value> = all.iter().filter(|item| item["kind"] == "full").collect();
    assert_eq!((all.len(), full.len()), (count, 1), "only what has changed");

    let id = server.request("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    server.tell("$/cancelRequest", &json!({ "id": id }));
    let answer = server.answer(id);
    assert!(answer["error"]["code"] == -32800 || answer["result"]["items"].is_array(), "{answer}");

    let symbols = server.ask("workspace/symbol", &json!({ "query": "orchestrator.SEQ" }));
    assert_eq!(symbols.as_array().map(Vec::len), Some(1000), "as many as are of use");
    let symbols = server.ask("workspace/symbol", &json!({ "query": "siez" }));
    assert_eq!(symbols[0]["name"], "batch_siez", "{symbols}");
    assert_eq!(symbols[0]["location"]["range"]["start"], json!({ "line": 1, "character": 0 }));
    let checked = server.ask("workspace/executeCommand", &json!({ "command": "cfg.checkWorkspace" }));
    assert_eq!(checked["checked"], count);
    assert_eq!(server.end(), Some(0));
}

/// For a file that was deleted or renamed, empty diagnostics are sent, whether its config includes others or not. Unchanged diagnostics are not sent
/// again.
#[test]
fn a_deleted_file_is_reported_as_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("it is written");
    write("alone.toml", "max_stesp = 1\n[trainer]\n[orchestrator]\n");
    write("base.toml", "max_steps = 1\n[trainer]\n[orchestrator]\n");
    write("joined.toml", "toml_files = [\"base.toml\"]\nmax_stesp = 1\n[trainer]\n[orchestrator]\n");
    let folders = json!([{ "uri": format!("file://{}", root.display()), "name": "ws" }]);
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let (mut server, answer) = Server::start_with(&json!({ "capabilities": capabilities, "workspaceFolders": folders }));
    assert_eq!(answer["capabilities"]["textDocumentSync"]["save"], true);
    let mut ask = |known: &[Value]| {
        let report = server.ask("workspace/diagnostic", &json!({ "previousResultIds": known }));
        let items = report["items"].as_array().cloned().unwrap_or_default();
        let id = |item: &Value| json!({ "uri": item["uri"], "value": item["resultId"] });
        let ids: Vec<Value> = items.iter().filter(|item| item["resultId"].is_string()).map(id).collect();
        (items, ids)
    };
    let (items, known) = ask(&[]);
    assert_eq!((items.len(), known.len()), (3, 3), "{items:?}");
    let (items, _) = ask(&known);
    assert!(items.iter().all(|item| item["kind"] == "unchanged"), "{items:?}");

    fs::remove_file(root.join("alone.toml")).expect("it is removed");
    fs::rename(root.join("joined.toml"), root.join("other.toml")).expect("it is renamed");
    let (items, known) = ask(&known);
    let of = |name: &str| items.iter().find(|item| item["uri"].as_str().is_some_and(|uri| uri.ends_with(name)));
    for gone in ["alone.toml", "joined.toml"] {
        assert_eq!(of(gone).map(|item| (&item["kind"], &item["items"])), Some((&json!("full"), &json!([]))), "{items:?}");
    }
    assert!(of("other.toml").is_some_and(has_error), "{items:?}");
    assert_eq!(known.len(), 2, "of what is gone nothing is remembered: {known:?}");
    assert_eq!(server.end(), Some(0));
}

/// A document with another URI scheme, such as an older version or the output of a command, is not checked.
#[test]
fn only_files_and_those_to_be_saved_are_checked() {
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let (mut server, _) = Server::start_with(&json!({ "capabilities": capabilities }));
    let wrong = "max_stesp = 1\n[trainer]\n[orchestrator]\n";
    for (uri, count) in [
        ("git:/nowhere/rl.toml?HEAD", 0),
        ("cfg:/rl.compiled.toml?cfg.compile", 0),
        ("untitled:rl.toml", 1),
        ("file:///nowhere/other.toml", 1),
    ] {
        server.open_as(uri, wrong);
        let version = json!({ "uri": uri, "version": 2 });
        server.tell("textDocument/didChange", &json!({ "textDocument": version, "contentChanges": [{ "text": wrong }] }));
        let report = server.ask("textDocument/diagnostic", &json!({ "textDocument": { "uri": uri } }));
        let errors = report["items"].as_array().map(|items| items.iter().filter(|item| item["severity"] == 1).count());
        assert_eq!(errors, Some(count), "{uri}: {report}");
    }
    assert_eq!(server.end(), Some(0));
}

/// A document that was never saved has the settings of the workspace, and does not replace a file of the same name.
#[test]
fn a_document_without_a_file_uses_the_settings_of_the_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    fs::write(root.join("cfg.toml"), "target = \"0.4.0\"\n[lint]\nignore = [\"unknown-key\"]\n").expect("it is written");
    fs::write(root.join("rl.toml"), "[trainer]\n[orchestrator]\nbatch_size = \"x\"\n").expect("it is written");
    let folders = json!([{ "uri": format!("file://{}", root.display()), "name": "ws" }]);
    let capabilities = json!({ "textDocument": { "diagnostic": {} } });
    let (mut server, _) = Server::start_with(&json!({ "capabilities": capabilities, "workspaceFolders": folders }));
    for uri in ["untitled:Untitled-1", "untitled:rl.toml", "Untitled:new/rl.toml"] {
        server.open_as(uri, "max_stesp = 1\n[trainer]\n[orchestrator]\n");
        let report = server.of(uri, "textDocument/diagnostic");
        assert_eq!(report["items"], json!([]), "{uri}");
        let lenses = server.of(uri, "textDocument/codeLens").to_string();
        assert!(lenses.contains("prime-rl 0.4.0"), "{uri}: {lenses}");
    }
    let report = server.ask("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    assert!(report["items"].as_array().is_some_and(|items| items.len() == 1 && has_error(&items[0])), "{report}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn commands_answer_with_documents() {
    let (mut server, answer) = Server::start(&json!({ "window": { "showDocument": { "support": true } } }));
    let commands = &answer["capabilities"]["executeCommandProvider"]["commands"];
    assert!(commands.as_array().is_some_and(|all| all.contains(&json!("cfg.compile"))), "{commands}");
    server.open(TEXT);
    let run = |server: &mut Server, command: &str| {
        let shown = server.ask("workspace/executeCommand", &json!({ "command": command, "arguments": [URI] }));
        shown["text"].as_str().map(str::to_owned).unwrap_or_default()
    };
    let compiled = run(&mut server, "cfg.compile");
    assert!(compiled.starts_with("# rl.toml as resolved by prime-rl 0.8.0\n") && compiled.contains("rank = 16"), "{compiled}");
    let memory = run(&mut server, "cfg.memory");
    assert!(memory.starts_with("GPU 0 (H100, 79.2 GiB), vLLM: "), "{memory}");
    // A client that can display files is requested to display it.
    let asked =
        server.notified("window/showDocument", |params| params["uri"].as_str().is_some_and(|uri| uri.ends_with("memory.txt")));
    let file = asked["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file").to_owned();
    assert_eq!(fs::read_to_string(&file).as_ref().ok(), Some(&memory));
    // The displayed file is updated when the config is saved.
    server.replace(URI, 2, &TEXT.replace("seq_len = 4096", "seq_len = 8192"));
    server.tell("textDocument/didSave", &json!({ "textDocument": { "uri": URI } }));
    let renewed = client::comes(|| fs::read_to_string(&file).ok().filter(|text| !text.is_empty() && *text != memory));
    assert!(renewed.is_some_and(|text| text.starts_with("GPU 0 (H100, 79.2 GiB), vLLM: ")));
    server.replace(URI, 3, "[trainer]\nmodel = 1\n[orchestrator]\n");
    server.tell("textDocument/didSave", &json!({ "textDocument": { "uri": URI } }));
    let reason = client::comes(|| fs::read_to_string(&file).ok().filter(|text| text.starts_with("memory can't be estimated")));
    assert!(reason.is_some(), "a config that is refused has no memory");
    server.replace(URI, 4, TEXT);
    let params = json!({ "command": "cfg.curriculum", "arguments": [URI] });
    assert_eq!(server.refusal("workspace/executeCommand", &params), -32603, "it has none");
    assert_eq!(server.end(), Some(0));
    assert!(fs::metadata(&file).is_err(), "it leaves nothing behind");
}

#[test]
fn the_memory_report_equals_that_of_cfg_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rl.toml");
    fs::write(&path, TEXT).expect("it is written");
    let output = client::cfg(&["memory", "--format", "json"]).arg(&path).output();
    let report: Value = serde_json::from_slice(&output.expect("it runs").stdout).expect("JSON");
    let gib = |bytes: &Value| bytes.as_f64().expect("a number") / f64::from(1 << 30);
    let trainer = &report["gpus"][1]["trainer"];
    let whole = gib(&trainer["peak_high_bytes"]) + gib(&trainer["context_bytes"]);

    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    let lenses = server.of(URI, "textDocument/codeLens");
    let titles: Vec<&str> =
        lenses.as_array().into_iter().flatten().filter_map(|lens| lens["command"]["title"].as_str()).collect();
    assert!(titles.len() == 1 && titles[0].starts_with("rl, prime-rl 0.8.0: "), "{titles:?}");
    assert!(titles[0].ends_with(" of 79.2 GiB") && titles[0].chars().count() <= 60, "{titles:?}");
    let facts = server.at("textDocument/hover", 0, 1);
    let expected = format!("GPU 1: {whole:.1} of 79.2 GiB");
    assert!(facts["contents"]["value"].as_str().is_some_and(|words| words.contains(&expected)), "{facts}, not {expected}");
    let weights = trainer["parts"].as_array().and_then(|parts| parts.iter().find(|part| part["name"] == "weights"));
    let hover = server.at("textDocument/hover", 7, 1);
    let expected = format!("{:.1} GiB for weights", gib(&weights.expect("weights")["bytes"]));
    assert!(hover["contents"]["value"].as_str().is_some_and(|words| words.contains(&expected)), "{hover}, not {expected}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn environments_are_renamed_and_metadata_is_converted() {
    let (mut server, _) = Server::start(&json!({}));
    server.open("[config]\nversion = \"v2\"\n\n[[orchestrator.env]]\nid = \"a/b\"\nname = \"sums\"\n[orchestrator.eval]\nenv_names = [\"sums\"]\n");
    let at = json!({ "line": 5, "character": 9 });
    let prepared = server.ask("textDocument/prepareRename", &json!({ "textDocument": { "uri": URI }, "position": at }));
    assert_eq!(prepared["placeholder"], "sums");
    let params = json!({ "textDocument": { "uri": URI }, "position": at, "newName": "math" });
    let edit = server.ask("textDocument/rename", &params);
    assert_eq!(edit["changes"][URI].as_array().map(Vec::len), Some(2), "{edit}");
    let start = json!({ "line": 0, "character": 0 });
    let params = json!({
        "textDocument": { "uri": URI }, "range": { "start": start, "end": start }, "context": { "diagnostics": [], "only": ["refactor"] },
    });
    let actions = server.ask("textDocument/codeAction", &params);
    assert_eq!(actions.as_array().map(Vec::len), Some(1), "{actions}");
    let text = &actions[0]["edit"]["changes"][URI][0]["newText"];
    assert_eq!(text, "# /// config\n# version = \"v2\"\n# ///\n\n", "{actions}");
    assert_eq!(server.end(), Some(0));
}

/// An environment is found in all files of the workspace, however each target writes it, and its id is renamed in all of them. Its name belongs
/// to one config.
#[test]
fn an_environment_is_one_in_all_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("it is there");
    let write = |name: &str, text: &str| {
        fs::create_dir_all(root.join(name).parent().expect("within"))
            .and_then(|()| fs::write(root.join(name), text))
            .expect("written");
    };
    let new = "[trainer]\n[[orchestrator.train.source]]\nname = \"sums\"\nlegacy.id = \"org/math\"\n[[orchestrator.train.source]]\nlegacy.id = \"org/code\"\n";
    write("new.toml", new);
    write("old.toml", "[trainer]\n[[orchestrator.env]]\nname = \"sums\"\nid = \"org/math@0.1.0\"\n");
    write(
        "over.toml",
        "# /// config\n# prime_rl = \"0.2.0\"\n# ///\ntoml_files = [\"old.toml\"]\n[orchestrator.eval]\nenv_names = [\"sums\"]\n",
    );
    write("sub/taskset.toml", "[[orchestrator.train.source]]\nenv.taskset.id = \"org/math\"\n[model]\nname = \"org/math\"\n");
    write("cfg.toml", "[environments.\"org/math\"]\nphases = true\n");
    let uri = |name: &str| format!("file://{}/{name}", root.display());
    let folders = json!([{ "uri": uri(""), "name": "ws" }]);
    let (mut server, _) = Server::start_with(&json!({ "capabilities": {}, "workspaceFolders": folders }));
    server.open_as(&uri("new.toml"), new);
    let places = |found: &Value| -> Vec<(String, u64)> {
        let place = |at: &Value| {
            let path = at["uri"].as_str().and_then(|of| of.strip_prefix(&uri(""))).expect("within").to_owned();
            (path, at["range"]["start"]["line"].as_u64().expect("a line"))
        };
        let mut places: Vec<_> = found.as_array().into_iter().flatten().map(place).collect();
        places.sort();
        places
    };
    let place = |path: &str, line| (path.to_owned(), line);
    let id = [place("cfg.toml", 0), place("new.toml", 3), place("old.toml", 3), place("sub/taskset.toml", 1)];
    assert_eq!(places(&server.at_of(&uri("new.toml"), "textDocument/references", 3, 15)), id);
    // The name belongs to one config and the files that it includes.
    assert_eq!(places(&server.at_of(&uri("new.toml"), "textDocument/references", 2, 9)), [place("new.toml", 2)]);
    let old = fs::read_to_string(root.join("old.toml")).expect("it is there");
    server.open_as(&uri("old.toml"), &old);
    let named = [place("old.toml", 2), place("over.toml", 5)];
    assert_eq!(places(&server.at_of(&uri("old.toml"), "textDocument/references", 2, 9)), named);

    let rename = |path: &str, (line, character): (u32, u32), new: &str| {
        let position = json!({ "line": line, "character": character });
        json!({ "textDocument": { "uri": uri(path) }, "position": position, "newName": new })
    };
    let edit = server.ask("textDocument/rename", &rename("new.toml", (3, 15), "org/sums"));
    let texts = |path: &str| -> Vec<&str> {
        let edits = edit["changes"][uri(path)].as_array().into_iter().flatten();
        edits.filter_map(|edit| edit["newText"].as_str()).collect()
    };
    for (path, text) in [("cfg.toml", "\"org/sums\""), ("new.toml", "\"org/sums\""), ("old.toml", "\"org/sums@0.1.0\"")] {
        assert_eq!(texts(path), [text], "{edit}");
    }
    assert_eq!(edit["changes"].as_object().map(serde_json::Map::len), Some(4), "{edit}");
    let edit = server.ask("textDocument/rename", &rename("old.toml", (2, 9), "adding"));
    assert_eq!(edit["changes"].as_object().map(serde_json::Map::len), Some(2), "{edit}");
    // A name that another environment already has is refused, in whichever file that is.
    for (path, at, new) in [
        ("new.toml", (3, 15), "org/code"),
        ("new.toml", (2, 9), "org/code"),
        ("old.toml", (3, 9), "org/code"),
        ("new.toml", (2, 9), ""),
        ("new.toml", (1, 5), "other"),
    ] {
        assert_eq!(server.refusal("textDocument/rename", &rename(path, at, new)), -32602, "{path} {at:?} {new}");
    }
    let symbols = server.ask("workspace/symbol", &json!({ "query": "org/math" }));
    assert_eq!(symbols.as_array().map(Vec::len), Some(3), "{symbols}");
    let outline = server.of(&uri("new.toml"), "textDocument/documentSymbol").to_string();
    assert!(outline.contains("\"detail\":\"\\\"org/code\\\"\""), "{outline}");
    assert_eq!(server.end(), Some(0));
}

/// A repository for prime-rl 0.4.0 that an editor has open, without a document.
struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new() -> Self {
        let workspace = Self(tempfile::tempdir().expect("a folder"));
        workspace.write(".git/HEAD", "ref: refs/heads/main\n");
        workspace.write("cfg.toml", "target = \"0.4.0\"\n");
        workspace
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("it is written");
    }

    /// The server of an editor that asks for findings.
    fn open(&self) -> Server {
        let root = self.0.path().canonicalize().expect("it is there");
        let folders = json!([{ "uri": format!("file://{}", root.display()), "name": "ws" }]);
        let capabilities = json!({ "textDocument": { "diagnostic": {} } });
        Server::start_with(&json!({ "capabilities": capabilities, "workspaceFolders": folders })).0
    }
}

/// What a script starts together is reported in the file in which it is, once.
#[test]
fn launches_of_closed_files_are_checked() {
    let workspace = Workspace::new();
    let write = |name: &str, text: &str| workspace.write(name, text);
    write("c/base.toml", "max_steps = 5\nbogus = 1\n[model]\nname = \"Qwen/Qwen3-0.6B\"\n");
    write("c/run.toml", "[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n");
    write("jobs/a/launch.sh", "uv run rl @ c/base.toml @ c/run.toml --max-stepz 7\n");
    let mut server = workspace.open();
    let report = server.ask("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    let items = report["items"].as_array().cloned().unwrap_or_default();
    let wrong: Vec<&Value> = items.iter().filter(|item| has_error(item)).collect();
    assert_eq!(wrong.len(), 1, "{items:?}");
    assert!(wrong[0]["uri"].as_str().is_some_and(|uri| uri.ends_with("/c/base.toml")), "{wrong:?}");
    let errors: Vec<&Value> = wrong[0]["items"].as_array().into_iter().flatten().filter(|found| found["severity"] == 1).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!((&errors[0]["code"], &errors[0]["range"]["start"]["line"]), (&json!("PRL101"), &json!(1)));
    // The other file is changed, which is not open either.
    write("c/run.toml", "bogus = 2\n[trainer]\n[orchestrator]\n[[orchestrator.env]]\nid = \"reverse-text\"\n[inference]\n");
    let known: Vec<Value> = items.iter().map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect();
    let report = server.ask("workspace/diagnostic", &json!({ "previousResultIds": known }));
    let items = report["items"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| items.iter().find(|item| item["uri"].as_str().is_some_and(|uri| uri.ends_with(name))).cloned();
    assert!(of("/c/base.toml").is_some_and(|item| !has_error(&item)), "{items:?}");
    assert!(of("/c/run.toml").is_some_and(|item| has_error(&item)), "{items:?}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn components_are_checked_as_a_command_starts_them_together() {
    let workspace = Workspace::new();
    let write = |name: &str, text: &str| workspace.write(name, text);
    write("train.toml", "max_steps = 100\n[model]\nname = \"Qwen/Qwen3-4B\"\n");
    write("orch.toml", "max_steps = 50\n[model]\nname = \"Qwen/Qwen3-4B\"\n[[env]]\nid = \"reverse-text\"\n");
    write("infer.toml", "[model]\nname = \"Qwen/Qwen3-4B\"\n");
    write("run.sh", "uv run rl --trainer @ train.toml --orchestrator @ orch.toml --inference @ infer.toml\n");
    let mut server = workspace.open();
    let report = server.ask("workspace/diagnostic", &json!({ "previousResultIds": [] }));
    let items = report["items"].as_array().cloned().unwrap_or_default();
    let of_train = items.iter().find(|item| item["uri"].as_str().is_some_and(|uri| uri.ends_with("/train.toml")));
    let found = of_train.and_then(|item| item["items"].as_array()).cloned().unwrap_or_default();
    let found: Vec<_> =
        found.iter().map(|found| (&found["code"], &found["severity"], &found["range"]["start"]["line"])).collect();
    assert_eq!(found, [(&json!("PRL202"), &json!(1), &json!(0))], "{items:?}");
    assert_eq!(server.end(), Some(0));
}
