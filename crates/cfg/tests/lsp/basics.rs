//! The usual requests of an editor.

use serde_json::{Value, json};

use super::client::{Server, URI};

const TEXT: &str = "max_steps = 5\n[trainer]\n[orchestrator]\nseq_len = 1024\nlora_name = \"x\"\n";

#[test]
fn a_client_without_pull_diagnostics_gets_one_report_for_each_version() {
    let (mut server, answer) = Server::start(&json!({}));
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
    assert!(answer["capabilities"]["diagnosticProvider"].is_null());
    server.open(TEXT);
    let found = server.published(1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "PRL110");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 4, "character": 0 }));
    server.change(2, (4, 0), (5, 0), "");
    assert_eq!(server.published(2), Vec::<Value>::new());
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_client_with_pull_diagnostics_gets_the_newest_text_after_a_burst() {
    let (mut server, answer) =
        Server::start(&json!({ "textDocument": { "diagnostic": {} }, "general": { "positionEncodings": ["utf-8"] } }));
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    assert!(answer["capabilities"]["diagnosticProvider"].is_object());
    server.open("max_steps = 0\n[trainer]\n[orchestrator]\n");
    let mut old = 1;
    for version in 2..300 {
        let text = format!("\"{version}x\"");
        server.change(version, (0, 12), (0, 12 + old), &text);
        old = text.len() as u32;
    }
    let report = server.ask("textDocument/diagnostic", &json!({ "textDocument": { "uri": URI } }));
    let mut items = report["items"].as_array().cloned().unwrap_or_default();
    items.retain(|item| item["severity"] == 1);
    assert_eq!(items.len(), 1, "{items:?}");
    assert!(items[0]["message"].as_str().is_some_and(|message| message.contains("299x")), "{items:?}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn hover_completion_and_repairs_answer_beside_a_half_typed_line() {
    let (mut server, _) = Server::start(&json!({}));
    server.open("[trainer]\n[orchestrator]\nbatch_siez = 128\nseq_\n[orchestrator.");
    let hover = server.at("textDocument/hover", 1, 3);
    assert!(hover["contents"]["value"].as_str().is_some_and(|words| words.contains("`orchestrator`")), "{hover}");
    let labels = |answer: &Value| {
        let items = answer.as_array().cloned().unwrap_or_default();
        items.iter().filter_map(|item| item["label"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let keys = labels(&server.at("textDocument/completion", 3, 4));
    assert!(keys.contains(&"seq_len".to_owned()) && !keys.contains(&"trainer".to_owned()), "{keys:?}");
    let tables = labels(&server.at("textDocument/completion", 4, 14));
    assert!(tables.contains(&"wandb".to_owned()) && !tables.contains(&"seq_len".to_owned()), "{tables:?}");
    let range = json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 2, "character": 4 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
    let actions = server.ask("textDocument/codeAction", &params);
    let edit = &actions[0]["edit"]["changes"][URI][0];
    assert_eq!(edit["newText"], "batch_size", "{actions}");
    assert_eq!(server.end(), Some(0));
}

#[test]
fn invalid_messages_do_not_end_the_server() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    server.change(2, (99, 99), (3, 0), "\u{1F600}");
    assert!(server.at("textDocument/hover", 4_000_000, 9).is_null());
    assert_eq!(server.refusal("textDocument/unheardOf", &json!({})), -32601);
    server.tell(
        "textDocument/didChange",
        &json!({ "textDocument": { "uri": "file:///other.toml", "version": 1 }, "contentChanges": [] }),
    );
    assert!(server.at("textDocument/hover", 0, 2).is_object());
    assert_eq!(server.end(), Some(0));
}

#[test]
fn the_server_ends_when_its_client_disconnects() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    server.hang_up();
    assert!(server.ends_soon().is_some_and(|status| status.success()));
}
