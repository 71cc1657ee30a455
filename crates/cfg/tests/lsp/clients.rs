//! Clients that state what they take get nothing else, in three profiles.

use serde_json::{Value, json};

use super::client::{Server, URI};

/// A config with findings, fixes, characters of several bytes and an environment with known arguments.
const TEXT: &str = "# é🎉\n# /// config\n# prime_rl = \"0.4.0\"\n# hardware = \"2x H100\"\n# ///\nmax_stesp = 10\n[model]\nname = \"Qwen/Qwen3-0.6B\" # ü🎉\n\
                    [trainer.model]\nfoo = 1\nlora = { rank = 8 }\n[orchestrator]\nbatch_size = 32\nsampling = {}\n[[orchestrator.env]]\n\
                    id = \"seconds-0/beautiful-soup-env\"\n[orchestrator.env.args]\nsplit = \n[inference]\n\n";

/// What the client describes, none of it beyond the protocol's first version.
fn plain() -> Value {
    let features =
        ["completion", "hover", "documentSymbol", "rename", "codeAction", "publishDiagnostics", "documentLink", "signatureHelp"];
    let described: serde_json::Map<String, Value> = features.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    json!({ "textDocument": described })
}

/// Plain texts, positions in bytes and literal code actions, as an older terminal editor has them.
fn terminal() -> Value {
    let mut capabilities = plain();
    capabilities["general"] = json!({ "positionEncodings": ["utf-8", "utf-16"] });
    let document = &mut capabilities["textDocument"];
    document["completion"] = json!({ "completionItem": { "documentationFormat": ["plaintext"] } });
    document["hover"] = json!({ "contentFormat": ["plaintext"] });
    document["codeAction"] = json!({ "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["", "quickfix"] } } });
    document["publishDiagnostics"] = json!({ "relatedInformation": true });
    capabilities
}

/// All that a graphical editor has.
fn full() -> Value {
    let kinds: Vec<u32> = (1..=26).collect();
    let item = json!({ "snippetSupport": true, "insertReplaceSupport": true, "documentationFormat": ["markdown"] });
    json!({ "textDocument": {
        "completion": { "completionItem": item, "completionItemKind": { "valueSet": kinds } },
        "hover": { "contentFormat": ["markdown", "plaintext"] },
        "documentSymbol": { "hierarchicalDocumentSymbolSupport": true, "symbolKind": { "valueSet": kinds } },
        "rename": { "prepareSupport": true },
        "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [""] } }, "isPreferredSupport": true },
        "publishDiagnostics": { "relatedInformation": true, "tagSupport": { "valueSet": [1, 2] }, "versionSupport": true },
        "documentLink": { "tooltipSupport": true },
        "signatureHelp": { "signatureInformation": { "activeParameterSupport": true } },
    } })
}

/// Every object in an answer.
fn objects<'a>(answer: &'a Value, found: &mut Vec<&'a serde_json::Map<String, Value>>) {
    match answer {
        Value::Object(object) => {
            found.push(object);
            object.values().for_each(|value| objects(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| objects(item, found)),
        _ => {}
    }
}

/// What in an answer the client did not say that it takes.
fn unstated(capabilities: &Value, method: &str, answer: &Value) -> Vec<String> {
    let of = |path: &str| capabilities.pointer(&format!("/textDocument/{path}")).cloned().unwrap_or_default();
    let has = |path: &str| of(path) == true;
    let formats = |path: &str, kind: &Value| of(path).as_array().is_some_and(|formats| formats.contains(kind));
    let members = [
        ("relatedInformation", "publishDiagnostics/relatedInformation"),
        ("isPreferred", "codeAction/isPreferredSupport"),
        ("tooltip", "documentLink/tooltipSupport"),
        ("insert", "completion/completionItem/insertReplaceSupport"),
        ("children", "documentSymbol/hierarchicalDocumentSymbolSupport"),
    ];
    let mut all = Vec::new();
    objects(answer, &mut all);
    let mut faults = Vec::new();
    for object in all {
        let names = members.iter().filter(|(name, path)| object.contains_key(*name) && !has(path)).map(|(name, _)| *name);
        faults.extend(names.map(str::to_owned));
        if object.contains_key("tags") && of("publishDiagnostics/tagSupport").is_null() {
            faults.push("tags".to_owned());
        }
        if object.get("insertTextFormat") == Some(&json!(2)) && !has("completion/completionItem/snippetSupport") {
            faults.push("a snippet".to_owned());
        }
        let format = match method {
            "textDocument/hover" => "hover/contentFormat",
            _ => "completion/completionItem/documentationFormat",
        };
        if let (Some(kind), true) = (object.get("kind").filter(|kind| kind.is_string()), object.contains_key("value"))
            && !formats(format, kind)
        {
            faults.push(format!("{kind} in {format}"));
        }
        let text = object.get("value").and_then(Value::as_str).unwrap_or_default();
        if object.get("kind") == Some(&json!("plaintext")) && ["`", "](", "\n*"].iter().any(|mark| text.contains(mark)) {
            faults.push(format!("Markdown in plain text: {text}"));
        }
        let kinds = match method {
            "textDocument/completion" => "completion/completionItemKind/valueSet",
            "textDocument/documentSymbol" => "documentSymbol/symbolKind/valueSet",
            _ => continue,
        };
        let is_first = |kind: u64| (1..=18).contains(&kind);
        if let Some(kind) = object.get("kind").and_then(Value::as_u64)
            && !is_first(kind)
            && !of(kinds).as_array().is_some_and(|kinds| kinds.contains(&kind.into()))
        {
            faults.push(format!("{kind} in {kinds}"));
        }
    }
    if method == "textDocument/codeAction" && of("codeAction/codeActionLiteralSupport").is_null() {
        let is_command = |action: &Value| action["command"].is_string();
        faults.extend(answer.as_array().into_iter().flatten().filter(|action| !is_command(action)).map(Value::to_string));
    }
    faults
}

#[test]
fn a_client_gets_only_what_it_takes() {
    for capabilities in [plain(), terminal(), full()] {
        let (mut server, answer) = Server::start(&capabilities);
        let of = |path: &str| capabilities.pointer(path).cloned().unwrap_or_default();
        let in_bytes = of("/general/positionEncodings").as_array().is_some_and(|all| all.contains(&json!("utf-8")));
        assert_eq!(answer["capabilities"]["positionEncoding"] == "utf-8", in_bytes, "{answer}");
        let prepares = of("/textDocument/rename/prepareSupport") == true;
        assert_eq!(answer["capabilities"]["renameProvider"].is_object(), prepares);
        server.open(TEXT);
        let published = server.notified("textDocument/publishDiagnostics", |params| params["uri"] == URI);
        assert!(published["diagnostics"].as_array().is_some_and(|found| !found.is_empty()), "{published}");
        assert_eq!(published["version"].is_i64(), of("/textDocument/publishDiagnostics/versionSupport") == true);
        let mut faults = unstated(&capabilities, "textDocument/publishDiagnostics", &published);
        for method in ["textDocument/documentSymbol", "textDocument/documentLink", "textDocument/codeLens"] {
            let answer = server.of(URI, method);
            faults.extend(unstated(&capabilities, method, &answer));
        }
        for (line, text) in (0..).zip(TEXT.lines()) {
            for column in [0, u32::try_from(text.len() / 2).expect("short"), u32::try_from(text.len()).expect("short")] {
                let at = json!({ "line": line, "character": column });
                for method in ["textDocument/completion", "textDocument/hover", "textDocument/signatureHelp"] {
                    let answer = server.ask(method, &json!({ "textDocument": { "uri": URI }, "position": at }));
                    faults.extend(unstated(&capabilities, method, &answer));
                }
                let range = json!({ "start": at, "end": at });
                let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
                let answer = server.ask("textDocument/codeAction", &params);
                faults.extend(unstated(&capabilities, "textDocument/codeAction", &answer));
            }
        }
        assert!(faults.is_empty(), "{capabilities}: {faults:?}");
        assert_eq!(server.end(), Some(0));
    }
}

#[test]
fn a_client_may_spell_addresses_as_it_likes() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = folder.path().join("my project [1] 100%");
    std::fs::create_dir(&project).expect("it is made");
    std::fs::write(project.join("cfg.toml"), "target = \"0.4.0\"\n").expect("it is written");
    let path = project.to_str().expect("UTF-8");
    for root in [&*format!("file://{path}"), path, "", "no scheme", "C:\\a b", "file://C:\\a b", "%", "\u{2028}"] {
        let params = json!({ "capabilities": {}, "rootUri": root, "workspaceFolders": [{ "uri": root, "name": "x" }] });
        let (mut server, answer) = Server::start_with(&params);
        assert!(answer["capabilities"].is_object(), "{root}: {answer}");
        let uri = format!("{root}/rl.toml");
        server.open_as(&uri, "max_stesp = 3\n[trainer]\n[orchestrator]\n");
        let published = server.notified("textDocument/publishDiagnostics", |params| params["uri"] == *uri);
        assert!(published["diagnostics"].as_array().is_some_and(|found| !found.is_empty()), "{root}: {published}");
        let hover = server.at_of(&uri, "textDocument/hover", 1, 2);
        assert_eq!(hover["contents"].to_string().contains("0.4.0"), root.ends_with(path), "{root}: {hover}");
        assert_eq!(server.end(), Some(0));
    }
}
