//! `cfg mcp`: the Model Context Protocol over standard streams, as an assistant uses it, and with invalid messages.

use std::{fs, process::Stdio};

use serde_json::{Value, json};

use super::{Folder, MISSPELT, finish};

/// The server's answers to these lines, by id; answers without an id are listed under `null`.
fn answers(folder: &Folder, words: &str, lines: &[Vec<u8>]) -> Vec<Value> {
    let ended = finish(folder.command(words).stdin(Stdio::piped()), &lines.join(&b'\n'));
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stderr, "");
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
}

/// The output of a tool, and whether it is an error.
fn called(folder: &Folder, name: &str, arguments: &Value) -> (String, bool) {
    let lines = [request(7, "tools/call", &json!({ "name": name, "arguments": arguments }))];
    let [answer] = &answers(folder, "mcp", &lines)[..] else { panic!("one answer") };
    assert_eq!(answer["id"], 7);
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (text.to_owned(), result["isError"] == true)
}

/// The output of a tool, as JSON.
pub(crate) fn document(folder: &Folder, name: &str, arguments: &Value) -> Value {
    let (text, is_error) = called(folder, name, arguments);
    assert!(!is_error, "{name}: {text}");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn an_assistant_gets_the_list_of_tools() {
    let folder = Folder::new(&[]);
    let lines = [
        request(1, "initialize", &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x" } })),
        br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec(),
        request(2, "tools/list", &json!({})),
        request(3, "ping", &json!({})),
        request(4, "prompts/list", &json!({})),
        request(5, "initialize", &json!({ "protocolVersion": "1.0" })),
    ];
    let answers = answers(&folder, "mcp", &lines);
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "cfg");
    let tools = answers[1]["result"]["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let first = ["check", "fix", "explain", "schema", "memory", "compile", "diff", "migrate", "diagnose"];
    assert_eq!(names, [&first[..], &["plan", "estimate", "models", "env", "new"]].concat());
    for tool in tools {
        assert!(jsonschema::validator_for(&tool["inputSchema"]).is_ok(), "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
    }
    assert_eq!(answers[2]["result"], json!({}));
    assert_eq!(answers[3]["error"]["code"], -32601);
    assert_eq!(answers[4]["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn each_tool_answers_as_its_command_does() {
    let log = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
    let folder = Folder::new(&[("rl.toml", super::CLEAN), ("bad.toml", MISSPELT), ("logs/trainer.log", log)]);
    let target = "0.4.0";
    let checked = document(&folder, "check", &json!({ "paths": ["bad.toml"], "target": target }));
    assert_eq!(checked["files"][0]["diagnostics"][0]["code"], "PRL101");
    assert_eq!(checked.to_string(), {
        let alone = folder.run("check --format json bad.toml --target=0.4.0").stdout;
        serde_json::from_str::<Value>(&alone).expect("JSON").to_string()
    });
    let unsaved = document(&folder, "check", &json!({ "text": MISSPELT, "path_of_text": "new.toml", "target": target }));
    assert_eq!(unsaved["files"][0]["path"], "new.toml");
    assert_eq!(unsaved["files"][0]["verdict"], "rejected");
    let launch = json!({ "command": ["uv", "run", "rl", "@", "rl.toml", "--max-stepss", "5"], "target": target });
    assert_eq!(document(&folder, "check", &launch)["files"][0]["verdict"], "rejected");
    let (concise, is_error) = called(&folder, "check", &json!({ "paths": ["bad.toml"], "format": "concise", "target": target }));
    assert!(!is_error && concise.starts_with("bad.toml:3:1: error[PRL101]"), "{concise}");
    assert_eq!(document(&folder, "explain", &json!({ "code": "unknown-key" }))["findings"][0]["code"], "PRL101");
    let shown = document(&folder, "schema", &json!({ "key": "trainer.model.lora", "target": target, "kind": "rl" }));
    assert!(shown["keys"].as_array().is_some_and(|keys| keys.len() > 3), "{shown}");
    let memory = document(&folder, "memory", &json!({ "paths": ["rl.toml"], "gpu": "2x H100", "target": target }));
    assert_eq!(memory["schema_version"], 1, "{memory}");
    let compiled = document(&folder, "compile", &json!({ "paths": ["rl.toml"], "target": target }));
    assert_eq!(compiled["max_steps"], 100);
    // A document is given as one, too.
    let lines =
        [request(1, "tools/call", &json!({ "name": "compile", "arguments": { "paths": ["rl.toml"], "target": target } }))];
    assert_eq!(answers(&folder, "mcp", &lines)[0]["result"]["structuredContent"]["max_steps"], 100);
    assert!(document(&folder, "plan", &json!({ "paths": ["rl.toml"], "target": target })).is_object());
    assert!(document(&folder, "models", &json!({ "model": "Qwen/Qwen3-8B", "target": target })).is_object());
    let drafted = json!({ "model": "Qwen/Qwen3-8B", "gpu": "2x H100", "env": "primeintellect/reverse-text", "target": target });
    assert!(document(&folder, "new", &drafted).is_object());
    let differences = document(&folder, "diff", &json!({ "one": "rl.toml", "to_target": "0.3.0", "target": target }));
    assert!(differences.is_object(), "{differences}");
    let migrated = document(&folder, "migrate", &json!({ "paths": ["rl.toml"], "from": target, "to": "main" }));
    assert_eq!(migrated["to"], "main", "{migrated}");
    let diagnosed = document(&folder, "diagnose", &json!({ "paths": ["logs"], "against": "rl.toml" }));
    assert_eq!(diagnosed["findings"][0]["symptom"], "cuda-out-of-memory", "{diagnosed}");
    assert_eq!(fs::read_to_string(folder.path().join("rl.toml")).expect("a config"), super::CLEAN);
}

#[test]
fn a_text_is_returned_with_its_fixes() {
    let folder = Folder::new(&[]);
    let fixed = document(&folder, "fix", &json!({ "text": MISSPELT, "path_of_text": "rl.toml", "target": "0.4.0" }));
    assert_eq!((&fixed["files"][0]["text"], &fixed["files"][0]["fixed"]), (&MISSPELT.into(), &json!([])), "it is not certain");
    let fixed = document(&folder, "fix", &json!({ "text": MISSPELT, "unsafe": true, "target": "0.4.0" }));
    let file = &fixed["files"][0];
    assert_eq!(file["text"], MISSPELT.replace("rolouts_per_exmaple", "rollouts_per_example"));
    assert_eq!((&file["fixed"][0]["code"], &file["verdict"]), (&"PRL101".into(), &"ok".into()), "{fixed:#}");
}

#[test]
fn pages_and_schemas_are_resources() {
    let folder = Folder::new(&[]);
    let read = |uri: &str| request(2, "resources/read", &json!({ "uri": uri }));
    let lines = [
        request(1, "resources/list", &json!({})),
        request(1, "resources/list", &json!({ "cursor": "100" })),
        request(1, "resources/list", &json!({ "cursor": "many" })),
        request(1, "resources/templates/list", &json!({})),
        read("cfg://rules/unknown-key"),
        read("cfg://rules/PRL101"),
        read("cfg://schemas/report"),
        read("cfg://rules/../secret"),
        read("file:///etc/passwd"),
    ];
    let answers = answers(&folder, "mcp", &lines);
    let uris = |answer: &Value| -> Vec<String> {
        let listed = answer["result"]["resources"].as_array().expect("resources").iter();
        listed.map(|resource| resource["uri"].as_str().expect("an address").to_owned()).collect()
    };
    assert_eq!((uris(&answers[0]).len(), &answers[0]["result"]["nextCursor"]), (100, &"100".into()));
    assert!(!uris(&answers[1]).contains(&uris(&answers[0])[0]));
    assert_eq!(answers[2]["error"]["code"], -32602);
    assert_eq!(answers[3]["result"]["resourceTemplates"][0]["uriTemplate"], "cfg://rules/{name}");
    let text = |answer: &Value| answer["result"]["contents"][0]["text"].as_str().expect("a text").to_owned();
    assert!(text(&answers[4]).starts_with("# unknown-key\n") && text(&answers[4]) == text(&answers[5]));
    let schema: Value = serde_json::from_str(&text(&answers[6])).expect("JSON");
    assert_eq!(schema["$id"], "urn:cfg:schema:report:1");
    assert!(answers[7..].iter().all(|answer| answer["error"]["code"] == -32002), "{answers:?}");
}

#[test]
fn a_large_answer_has_its_first_findings() {
    let folder = Folder::new(&[]);
    let strange = (0..60).fold(String::new(), |text, number| text + &format!("zz{number}qq = 1\n"));
    for number in 0..40 {
        folder.write(&format!("many/{number}.toml"), format!("[trainer]\n[orchestrator]\n{strange}").as_bytes());
    }
    let (text, is_error) = called(&folder, "check", &json!({ "paths": ["many"], "target": "0.4.0" }));
    assert!(!is_error && text.starts_with("The document would be larger"), "{text}");
    assert!(text.contains("error[PRL101]") && text.contains(" more lines") && text.len() < 50_000, "{text}");
}

/// A client that cancels a request gets no answer to it, and the next ones are answered.
#[test]
fn a_cancelled_call_is_not_answered() {
    let folder = Folder::new(&[]);
    for number in 0..600 {
        folder.write(&format!("many/{number}.toml"), super::CLEAN.as_bytes());
    }
    let cancel = |id: u64| {
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }).to_string().into_bytes()
    };
    let lines = [
        request(1, "tools/call", &json!({ "name": "check", "arguments": { "paths": ["many"], "target": "0.4.0" } })),
        cancel(1),
        cancel(77),
        request(2, "ping", &json!({})),
        request(3, "tools/call", &json!({ "name": "explain", "arguments": { "code": "PRL101" } })),
    ];
    let answers = answers(&folder, "mcp", &lines);
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert!(!ids.contains(&&json!(1)) && ids.contains(&&json!(2)) && ids.contains(&&json!(3)), "{ids:?}");
}

/// The clients of the protocol's authors, where they are installed: a Python with `mcp`, and a folder in which `@modelcontextprotocol/sdk` is.
#[test]
#[expect(clippy::print_stderr, reason = "it tells that nothing was tried")]
fn the_official_clients_work_with_it() {
    let folder = Folder::new(&[("rl.toml", super::CLEAN), ("bad.toml", MISSPELT)]);
    let cfg = env!("CARGO_BIN_EXE_cfg");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut ran = 0;
    if let Some(python) = std::env::var_os("CFG_MCP_PYTHON") {
        folder.write("client.py", include_bytes!("mcp/client.py"));
        let ended = finish(folder.program(python).args(["client.py", cfg]).env("PATH", &path), b"");
        assert_eq!((ended.status, &*ended.stdout), (Some(0), "ok\n"), "{ended:?}");
        ran += 1;
    }
    if let Some(modules) = std::env::var_os("CFG_MCP_NODE_MODULES") {
        // Node finds modules beside the script.
        #[cfg(unix)]
        std::os::unix::fs::symlink(modules, folder.path().join("node_modules")).expect("a link");
        folder.write("client.mjs", include_bytes!("mcp/client.mjs"));
        let ended = finish(folder.program("node").args(["client.mjs", cfg]).env("PATH", &path), b"");
        assert_eq!((ended.status, &*ended.stdout), (Some(0), "ok\n"), "{ended:?}");
        ran += 1;
    }
    if ran == 0 {
        eprintln!("neither CFG_MCP_PYTHON nor CFG_MCP_NODE_MODULES is set: no client was tried");
    }
}

#[test]
fn errors_in_a_call_are_reported_to_the_model() {
    let folder = Folder::new(&[("rl.toml", super::CLEAN)]);
    let mut said = String::new();
    for (name, arguments) in [
        ("check", json!({ "path": ["rl.toml"] })),
        ("check", json!({ "paths": ["--fix"] })),
        ("memory", json!({ "paths": ["rl.toml"], "target": "no such" })),
        ("explain", json!({ "code": "PRL999" })),
        ("schema", json!({ "what": "show", "key": "no.such.key" })),
    ] {
        let (text, is_error) = called(&folder, name, &arguments);
        assert!(is_error, "{name}: {text}");
        said += &format!("{name} {arguments}\n{text}\n");
    }
    insta::assert_snapshot!("errors_in_calls", said);
}

/// Files outside the roots are not read, however they are named, and nothing is written.
#[test]
fn no_file_outside_the_roots_is_read() {
    let folder = Folder::new(&[("in/rl.toml", super::CLEAN), ("secret.toml", "password = \"hunter2\"\n")]);
    folder.write("in/includes.toml", b"toml_files = [\"../secret.toml\"]\n");
    folder.write("cfg.toml", b"target = \"0.3.0\"\n[lint]\nselect = [\"hunter2\"]\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.toml", folder.path().join("in/link.toml")).expect("a link");
    let outside = folder.path().join("secret.toml").display().to_string();
    let call = |name: &str, arguments: Value| request(1, "tools/call", &json!({ "name": name, "arguments": arguments }));
    let mut lines = Vec::new();
    for path in [&*outside, "../secret.toml", "link.toml", "includes.toml", "/dev/stdin", "/proc/self/environ", "..", "/"] {
        lines.push(call("check", json!({ "paths": [path], "target": "0.3.0" })));
        lines.push(call("check", json!({ "command": ["uv", "run", "rl", "@", path], "target": "0.3.0" })));
        lines.push(call("compile", json!({ "paths": [path], "target": "0.3.0" })));
        lines.push(call("diff", json!({ "one": "rl.toml", "other": path })));
        lines.push(call("diff", json!({ "one": "rl.toml", "other": format!("HEAD:{path}") })));
        lines.push(call("migrate", json!({ "paths": [path], "to": "main" })));
        lines.push(call("diagnose", json!({ "paths": [path], "against": path })));
        lines.push(call("memory", json!({ "paths": [path] })));
    }
    lines.push(call("check", json!({ "text": super::CLEAN, "path_of_text": "../x.toml" })));
    let count = lines.len();
    let answers = answers(&folder, "mcp in", &lines);
    assert_eq!(answers.len(), count);
    for answer in answers {
        assert!(!answer.to_string().contains("hunter2"), "{answer}");
    }
    let names: Vec<_> =
        fs::read_dir(folder.path().join("in")).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert!(names.len() == 2 + usize::from(cfg!(unix)), "{names:?}");
}

/// A checkout can replace a root by a link while the server runs: the calls after that find nothing.
#[cfg(unix)]
#[test]
fn a_root_that_becomes_a_link_contains_nothing() {
    let folder = Folder::new(&[("in/rl.toml", super::CLEAN), ("out/rl.toml", "[trainer.hunter2]\nhunter2 = 1\n")]);
    let root = fs::canonicalize(folder.path()).expect("a path").join("in");
    let check = |path: &str| {
        let mut command = folder.command(&format!("--within={} check {path}", root.display()));
        let ended = finish(&mut command, b"");
        assert!(!ended.stdout.contains("hunter2") && !ended.stderr.contains("hunter2"), "{ended:?}");
        ended.status
    };
    assert_eq!(check("in/rl.toml"), Some(0));
    fs::rename(&root, folder.path().join("before")).expect("it is renamed");
    std::os::unix::fs::symlink("out", &root).expect("a link");
    for path in ["in/rl.toml", "in", ".", "in/../out/rl.toml"] {
        assert_eq!(check(path), Some(2), "{path}");
    }
}

/// A model that a text of a repository has talked into asking learns nothing about the rest of the disk.
#[test]
fn what_lies_outside_the_roots_is_answered_as_what_does_not() {
    let folder =
        Folder::new(&[("in/rl.toml", super::CLEAN), ("out/there.toml", super::CLEAN), ("out/folder/rl.toml", super::CLEAN)]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../out", folder.path().join("in/link")).expect("a link");
    let out = folder.path().join("out").display().to_string();
    let tools = [
        ("check", json!({ "paths": ["?"] })),
        ("check", json!({ "text": "toml_files = [\"?\"]\n[model]\nname = \"?\"\n", "path_of_text": "x.toml" })),
        ("compile", json!({ "command": ["uv", "run", "rl", "@", "?"] })),
        ("diff", json!({ "one": "?" })),
        ("migrate", json!({ "paths": ["?"], "to": "0.8.0" })),
        ("diagnose", json!({ "paths": ["?"], "against": "?" })),
    ];
    let mut asked = Vec::new();
    for (name, arguments) in &tools {
        for place in [&*out, "../out", "link"] {
            for path in ["there.toml", "absent.toml", "folder", "nowhere"] {
                asked.push((*name, arguments, format!("{place}/{path}")));
            }
        }
    }
    let line = |(id, (name, arguments, path)): (u64, &(&str, &Value, String))| {
        let arguments = arguments.to_string().replace('?', &path.replace('\\', "\\\\"));
        let arguments: Value = serde_json::from_str(&arguments).expect("JSON");
        request(id, "tools/call", &json!({ "name": name, "arguments": arguments }))
    };
    let lines: Vec<_> = (0..).zip(&asked).map(line).collect();
    let mut answers = answers(&folder, "mcp in", &lines);
    assert_eq!(answers.len(), lines.len());
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let told: Vec<_> =
        answers.iter().zip(&asked).map(|(answer, (_, _, path))| answer["result"].to_string().replace(path, "?")).collect();
    for (pair, call) in told.chunks(2).zip(asked.chunks(2)) {
        assert_eq!(pair[0], pair[1], "{call:?}");
    }
}

#[test]
fn a_repository_that_extends_beyond_the_roots_is_not_read() {
    let folder = Folder::new(&[("in/rl.toml", super::CLEAN), ("secret.toml", "password = \"hunter2\"\n")]);
    let git = |words: &str| {
        let mut command = folder.program("git");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        finish(command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words.split(' ')), b"").status
    };
    if git("init -q .") != Some(0) {
        return;
    }
    assert_eq!((git("add ."), git("commit -q -m x")), (Some(0), Some(0)));
    let lines =
        [request(1, "tools/call", &json!({ "name": "diff", "arguments": { "one": "in/rl.toml", "other": "HEAD:secret.toml" } }))];
    let mut command = folder.command("mcp in");
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).stdin(Stdio::piped());
    let ended = finish(&mut command, &lines.join(&b'\n'));
    assert_eq!(ended.status, Some(0));
    assert!(ended.stdout.contains("\"id\":1") && !ended.stdout.contains("hunter2"), "{}", ended.stdout);
}

#[test]
fn no_message_ends_the_server() {
    let folder = Folder::new(&[]);
    let mut lines: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"{".to_vec(),
        b"\xff\xfe\x00\x01".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]".to_vec(),
        b"{\"id\":1}".to_vec(),
        b"{\"id\":{},\"method\":\"ping\"}".to_vec(),
        b"{\"id\":1,\"method\":7}".to_vec(),
        b"{\"id\":1,\"method\":\"ping\",\"params\":[]}".to_vec(),
        b"{\"id\":1,\"result\":{}}".to_vec(),
        [b"[".repeat(100_000), b"]".repeat(100_000)].concat(),
        [b"{\"x\":\"".to_vec(), b"y".repeat(max_frame() + 1), b"\"}".to_vec()].concat(),
    ];
    for params in [json!({}), json!({ "name": 1 }), json!({ "name": "rm" }), json!({ "name": "check", "arguments": [] })] {
        lines.push(request(2, "tools/call", &params));
    }
    for arguments in [
        json!({ "paths": [""] }),
        json!({ "paths": ["\u{0}"] }),
        json!({ "paths": ["\u{1b}[2J"] }),
        json!({ "text": "\u{0}\u{1}" }),
    ] {
        lines.push(request(3, "tools/call", &json!({ "name": "check", "arguments": arguments })));
    }
    lines.push(request(4, "tools/call", &json!({ "name": "check", "arguments": { "text": "a = [".repeat(200_000) } })));
    lines.push(request(9, "ping", &json!({})));
    let answers = answers(&folder, "mcp", &lines);
    assert!(answers.iter().any(|answer| answer["id"] == 9 && answer["result"] == json!({})));
    let code = |code: i64| answers.iter().filter(|answer| answer["error"]["code"] == code).count();
    assert_eq!((code(-32700), code(-32600), code(-32602)), (3, 7, 5), "{answers:#?}");
    assert_eq!(answers.iter().filter(|answer| answer["id"] == 3).count(), 4);
    assert_eq!(answers.iter().filter(|answer| answer["id"] == 4).count(), 1);
}

/// The maximum size of a message in bytes.
fn max_frame() -> usize {
    16 << 20
}

#[test]
fn a_root_is_a_folder_below_the_root_of_the_disk() {
    let folder = Folder::new(&[("rl.toml", super::CLEAN)]);
    let mut said = String::new();
    for words in ["mcp /", "mcp rl.toml", "mcp nowhere"] {
        let ended = folder.run(words);
        assert_eq!(ended.status, Some(2));
        said += &ended.stderr;
    }
    insta::assert_snapshot!("invalid_roots", said);
}

#[test]
fn every_answer_about_a_config_says_what_it_is_and_for_which_prime_rl() {
    let folder = Folder::new(&[("rl.toml", super::CLEAN), ("other.toml", &super::CLEAN.replace("= 100", "= 200"))]);
    let paths = json!({ "paths": ["rl.toml"] });
    for (name, arguments) in [
        ("check", paths.clone()),
        ("fix", json!({ "text": MISSPELT, "path_of_text": "new.toml", "target": "0.4.0" })),
        ("memory", json!({ "paths": ["rl.toml"], "gpu": "2x H100" })),
        ("compile", paths.clone()),
        ("compile", json!({ "paths": ["rl.toml"], "explain": "trainer.optim" })),
        ("compile", json!({ "command": ["uv", "run", "rl", "@", "rl.toml", "--max-steps", "5"] })),
        ("diff", json!({ "one": "rl.toml", "other": "other.toml" })),
        ("migrate", json!({ "paths": ["rl.toml"], "to": "0.8.0" })),
        ("plan", paths.clone()),
        ("plan", json!({ "text": super::CLEAN })),
        ("estimate", json!({ "text": super::CLEAN, "gpu": "2x H100" })),
        ("memory", json!({ "text": super::CLEAN, "gpu": "2x H100" })),
        ("compile", json!({ "text": super::CLEAN })),
        ("estimate", json!({ "paths": ["rl.toml"], "gpu": "2x H100" })),
        ("new", json!({ "model": "Qwen/Qwen3-0.6B", "gpu": "2x H100", "env": "primeintellect/reverse-text", "target": "0.4.0" })),
    ] {
        let lines = [request(7, "tools/call", &json!({ "name": name, "arguments": arguments }))];
        let [answer] = &answers(&folder, "mcp", &lines)[..] else { panic!("one answer") };
        let texts: Vec<&str> =
            answer["result"]["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect();
        let said = texts.join("\n");
        let says_kind = said.contains("\"kind\": \"rl\"") || said.contains("\"kind\":\"rl\"") || said.contains("of the kind rl");
        assert!(said.contains("0.4.0") && says_kind, "{name} {arguments}: {said}");
    }
}
