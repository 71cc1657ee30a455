//! What completion offers, and what follows an accepted key, for each kind of client.

use serde_json::{Value, json};

use super::client::Server;

const TEXT: &str = "# /// config\n# prime_rl = \"0.8.0\"\n# ///\n[orchestrator]\n[trainer.model]\n\n[model]\n\n";
/// The empty lines in the two tables.
const LINES: [u32; 2] = [5, 7];

fn labels(items: &Value) -> Vec<&str> {
    items.as_array().into_iter().flatten().filter_map(|item| item["label"].as_str()).collect()
}

/// What a client receives for a key of one of the tables: the text, its format and the command.
fn sent(params: &Value, line: u32, key: &str) -> (String, Value, Value) {
    let (mut server, _) = Server::start_with(params);
    server.open(TEXT);
    let items = server.at("textDocument/completion", line, 0);
    let item = items.as_array().into_iter().flatten().find(|item| item["label"] == key);
    let item = item.unwrap_or_else(|| panic!("{key} is offered: {:?}", labels(&items)));
    assert_eq!(server.end(), Some(0));
    let text = item["textEdit"]["newText"].as_str().expect("a text").to_owned();
    (text, item["insertTextFormat"].clone(), item["command"]["command"].clone())
}

#[test]
fn accepting_a_key_offers_its_values() {
    let capabilities = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
    let client = |name: &str| json!({ "capabilities": capabilities, "clientInfo": { "name": name } });
    let (few, many) = ((LINES[0], "trust_remote_code"), (LINES[1], "name"));
    let asked = |params: &Value| [few, many].map(|(line, key)| sent(params, line, key));

    // VS Code lists the values itself if it receives its command for that.
    let mut vs_code = client("Visual Studio Code");
    vs_code["initializationOptions"] = json!({ "suggestCommand": "editor.action.triggerSuggest" });
    let lists = json!("editor.action.triggerSuggest");
    assert_eq!(
        asked(&vs_code),
        [("trust_remote_code = ${1:false}".to_owned(), json!(2), lists.clone()), ("name = \"$0\"".to_owned(), json!(2), lists)]
    );
    // Other clients receive a choice in the snippet.
    let (choice, inside) = ("trust_remote_code = ${1|false,true|}".to_owned(), "name = \"$0\"".to_owned());
    assert_eq!(asked(&client("Zed")), [(choice, json!(2), Value::Null), (inside.clone(), json!(2), Value::Null)]);
    // Clients that do not support choices receive the default as a place to fill, and those without snippets as plain text.
    let filled = "trust_remote_code = ${1:false}".to_owned();
    // Neovim supports them, but inserts nothing until the user has chosen.
    for params in [client("Eglot"), client("Neovim"), json!({ "capabilities": capabilities })] {
        assert_eq!(asked(&params), [(filled.clone(), json!(2), Value::Null), (inside.clone(), json!(2), Value::Null)]);
    }
    let plain = "trust_remote_code = false".to_owned();
    let nothing = json!({ "capabilities": {} });
    assert_eq!(asked(&nothing), [(plain, Value::Null, Value::Null), ("name = \"\"".to_owned(), Value::Null, Value::Null)]);
}

/// Skeletons are offered at the first request, for every kind of file and whatever the comments are; those for the kind of the file are the first.
#[test]
fn an_empty_file_is_offered_skeletons() {
    let wanted = [
        ("rl.toml", "rl with LoRA on 2x H100"),
        ("sft.toml", "sft: supervised fine-tuning"),
        ("trainer.toml", "trainer: the trainer alone"),
        ("orchestrator.toml", "orchestrator: the orchestrator alone"),
        ("inference.toml", "inference: the vLLM server alone"),
        ("new.toml", "rl: trainer, orchestrator and inference in one file"),
    ];
    for (text, line) in [("", 0), ("\n\n", 1), ("# A run.\n# Another line [of words].\n", 2), ("# A run.\n\n# Its end.", 1)] {
        for (name, first) in wanted {
            let (mut server, _) = Server::start(&json!({}));
            let uri = format!("file:///nowhere/{name}");
            server.open_as(&uri, text);
            let items = server.at_of(&uri, "textDocument/completion", line, 0);
            let mut all: Vec<(&str, &str)> = items
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|item| Some((item["sortText"].as_str()?, item["label"].as_str()?)))
                .collect();
            all.sort_unstable();
            let kind = first.split([':', ' ']).next().unwrap_or_default();
            assert!(all.iter().any(|(_, label)| *label == first), "{name}, {text:?}: {all:?}");
            assert!(name == "new.toml" || all[0].1.starts_with(kind), "{name}, {text:?}: {:?}", all[0]);
            assert!(all.iter().any(|(_, label)| *label == "sft: supervised fine-tuning"), "of other kinds as well: {all:?}");
            assert_eq!(server.end(), Some(0));
        }
    }
}
