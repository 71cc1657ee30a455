//! Requests that are cancelled, outdated, or still open at the end of the session.

use serde_json::{Value, json};

use super::client::{Server, URI, framed, process};

const TEXT: &str = "max_steps = 5\n[trainer]\n[orchestrator]\nseq_len = 1024\nlora_name = \"x\"\n";

fn hover(id: usize) -> Value {
    let position = json!({ "line": 0, "character": 2 });
    let params = json!({ "textDocument": { "uri": URI }, "position": position });
    json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": params })
}

/// All messages of a session, sent at once.
fn session(requests: usize, last: &[&str]) -> Vec<u8> {
    let document = json!({ "uri": URI, "languageId": "toml", "version": 1, "text": TEXT });
    let mut bytes = framed(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } }));
    bytes.extend(framed(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} })));
    bytes.extend(framed(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } })));
    (1..=requests).for_each(|id| bytes.extend(framed(&hover(id))));
    for method in last {
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": null });
        if *method == "shutdown" {
            message["id"] = json!(requests + 1);
        }
        bytes.extend(framed(&message));
    }
    bytes
}

/// A client may send a whole session at once, and close its end. What was asked before is answered, in any order.
#[test]
fn a_session_that_is_sent_at_once_has_its_answers() {
    for last in [&["shutdown", "exit"][..], &["shutdown"], &["exit"], &[]] {
        let mut server = Server::around(process());
        server.send_bytes(&session(5, last));
        server.hang_up();
        for id in 1..=5 {
            let answer = server.answer(id);
            // On a busy machine there may be no time left, but there is always an answer.
            assert!(answer["result"].is_object() || answer["error"]["code"].is_i64(), "{last:?}: {answer}");
        }
        if last.contains(&"shutdown") {
            assert_eq!(server.answer(6)["result"], Value::Null);
        }
        assert_eq!(server.ends_soon().and_then(|status| status.code()), Some(i32::from(last == ["exit"])), "{last:?}");
    }
}

/// A request uses the text at the time when it was sent, even if an edit follows it at once.
#[test]
fn requests_between_edits_are_answered_from_their_own_texts() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    let mut asked = Vec::new();
    for (version, number) in (2..60).zip(2_i64..) {
        let text = "# \n".repeat(version) + TEXT;
        server.replace(URI, number, &text);
        asked.push((server.request("textDocument/documentSymbol", &json!({ "textDocument": { "uri": URI } })), version));
    }
    for (id, version) in asked {
        let answer = server.answer(id);
        assert_eq!(answer["result"][0]["range"]["start"]["line"], version, "{answer}");
    }
    let last = server.published(59);
    assert_eq!(last.len(), 1, "{last:?}");
    assert_eq!(server.end(), Some(0));
}

/// A request that waits for news has an answer when the session ends.
#[test]
fn a_waiting_request_does_not_delay_the_end() {
    let watches = json!({
        "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true }, "diagnostics": { "refreshSupport": true } },
        "textDocument": { "diagnostic": {} },
    });
    let (mut server, _) = Server::start(&watches);
    let params = json!({ "previousResultIds": [] });
    server.ask("workspace/diagnostic", &params);
    let waiting = server.request("workspace/diagnostic", &params);
    let shutdown = server.request("shutdown", &Value::Null);
    assert_eq!(server.answer(waiting)["result"]["items"], json!([]));
    assert_eq!(server.answer(shutdown)["result"], Value::Null);
    server.tell("exit", &Value::Null);
    assert_eq!(server.ends_soon().and_then(|status| status.code()), Some(0));
}

/// A document whose path no file can have, or that is deeper than any project, is checked alone.
#[test]
fn a_document_with_an_impossible_path_is_in_no_project() {
    let (mut server, _) = Server::start(&json!({}));
    let uris = [
        format!("file:///{}rl.toml", "a/".repeat(2000)),
        format!("file:///{}rl.toml", "a/".repeat(200_000)),
        format!("file:///{}rl.toml", "a/%2e%2e/".repeat(20_000)),
        format!("file:///{}rl.toml", "%61%2F".repeat(2000)),
        format!("file:///{}.toml", "a".repeat(1_000_000)),
        format!("untitled:{}rl.toml", "a/".repeat(20_000)),
    ];
    for uri in &uris {
        server.open_as(uri, TEXT);
        let found = server.published_for(uri, 1);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(server.at_of(uri, "textDocument/hover", 0, 2).is_object());
        assert!(server.at_of(uri, "textDocument/completion", 0, 2).is_array());
        assert!(server.at_of(uri, "textDocument/references", 0, 2).is_array());
    }
    let renamed: Vec<Value> = uris.iter().map(|uri| json!({ "oldUri": uri, "newUri": format!("{uri}x") })).collect();
    server.ask("workspace/willRenameFiles", &json!({ "files": renamed }));
    assert_eq!(server.end(), Some(0));
}
