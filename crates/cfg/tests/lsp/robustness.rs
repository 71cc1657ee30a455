//! Clients that say nonsense, go away, or do not listen.

use std::{
    io::{Read as _, Write as _},
    process::Command,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::client::{PATIENCE, Server, URI, ends_soon, framed, memory, process};

const TEXT: &str = "max_steps = 5\n[trainer]\n[orchestrator]\nseq_len = 1024\nlora_name = \"x\"\n";

/// Every request about a position or a range.
const OF_POSITIONS: [&str; 7] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/selectionRange",
];

#[test]
fn malformed_messages_cost_only_themselves() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    for (bytes, code) in [
        (&b"Content-Length: 1\r\n\r\n{"[..], -32700),
        (b"Content-Length: 4\r\n\r\nnull", -32600),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: 2\r\n\r\n\xff\xfe", -32700),
        (b"Content-Length: 0\r\n\r\n", -32700),
        (b"Content-Length: 99999999999999999999999\r\n\r\n", -32700),
        (b"what is this?\r\n\r\n", -32700),
    ] {
        server.send_bytes(bytes);
        let answer = loop {
            let message = server.receive();
            if message.get("error").is_some() {
                break message;
            }
        };
        assert_eq!((&answer["id"], answer["error"]["code"].as_i64()), (&Value::Null, Some(code)), "{answer}");
    }
    assert!(server.at("textDocument/hover", 0, 2).is_object());
    assert_eq!(server.end(), Some(0));
}

#[test]
fn what_is_not_known_is_refused_or_passed_over() {
    let mut server = Server::silent();
    assert_eq!(server.refusal("textDocument/hover", &json!({})), -32002, "not initialized yet");
    server.ask("initialize", &json!({ "capabilities": {} }));
    server.tell("initialized", &json!({}));
    server.open(TEXT);
    assert_eq!(server.refusal("textDocument/unheardOf", &json!({})), -32601);
    assert_eq!(server.refusal("textDocument/hover", &json!({ "textDocument": 1 })), -32602);
    assert_eq!(server.refusal("workspace/executeCommand", &json!({ "command": "cfg.unheardOf", "arguments": [URI] })), -32602);
    assert_eq!(server.refusal("workspace/executeCommand", &json!({ "command": "cfg.compile", "arguments": [] })), -32602);
    server.tell("$/unheardOf", &json!({}));
    server.tell("textDocument/didChange", &json!({ "textDocument": 7 }));
    server.tell("$/cancelRequest", &json!({ "id": 4711 }));
    server.send(&json!({ "jsonrpc": "2.0", "id": 4711, "result": "an answer to nothing" }));
    assert!(server.at("textDocument/hover", 0, 2).is_object());
    assert_eq!(server.end(), Some(0));
}

#[test]
fn wrong_positions_have_an_answer() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    let places = [(0, u32::MAX), (u32::MAX, 0), (u32::MAX, u32::MAX), (5, 0), (4, 12), (3, 4_000)];
    for (line, character) in places {
        let position = json!({ "line": line, "character": character });
        for method in OF_POSITIONS {
            let params = json!({
                "textDocument": { "uri": URI }, "position": position, "positions": [position],
                "context": { "includeDeclaration": true, "triggerKind": 1 },
            });
            server.ask(method, &params);
        }
        for (start, end) in [(&position, &json!({ "line": 0, "character": 0 })), (&position, &position)] {
            let params = json!({
                "textDocument": { "uri": URI }, "range": { "start": start, "end": end }, "context": { "diagnostics": [] },
            });
            for method in ["textDocument/codeAction", "textDocument/inlayHint", "textDocument/semanticTokens/range"] {
                server.ask(method, &params);
            }
        }
        let params = json!({ "textDocument": { "uri": URI }, "position": position, "newName": "x" });
        assert_eq!(server.refusal("textDocument/rename", &params), -32602);
    }
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_client_may_hang_up_in_the_middle() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    for version in 2..40 {
        server.change(version, (0, 0), (0, 0), "# x\n");
        server.request("textDocument/foldingRange", &json!({ "textDocument": { "uri": URI } }));
    }
    server.send_bytes(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\"");
    server.hang_up();
    assert!(server.ends_soon().is_some_and(|status| status.success()));
}

/// What is being written when the session ends is written to its end: here more than a pipe holds.
#[test]
fn no_message_is_cut_short_by_the_end() {
    let mut child = process();
    let mut input = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    let text = (0..1500).map(|number| format!("unknown_{number} = 1\n")).collect::<Vec<String>>().concat();
    let document = json!({ "uri": URI, "languageId": "toml", "version": 1, "text": text + "[trainer]\n[orchestrator]\n" });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
    ] {
        input.write_all(&framed(&message)).expect("it is read");
    }
    thread::sleep(Duration::from_millis(500));
    input.write_all(&framed(&json!({ "jsonrpc": "2.0", "method": "exit" }))).expect("it is read");
    thread::sleep(Duration::from_millis(300));
    let mut all = String::new();
    output.read_to_string(&mut all).expect("text");
    let (_, last) = all.rsplit_once("Content-Length: ").expect("messages");
    let (length, body) = last.split_once("\r\n\r\n").expect("a header");
    assert_eq!(length.parse(), Ok(body.len()));
    assert!(body.len() > 100_000, "{}", body.len());
    assert!(ends_soon(&mut child).is_some());
}

#[test]
fn a_client_that_never_reads_fills_nothing_and_ends_it_all() {
    for keeps_output in [false, true] {
        let mut child = process();
        let mut input = child.stdin.take().expect("piped");
        let output = child.stdout.take();
        let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } });
        let document = json!({ "uri": URI, "languageId": "toml", "version": 1, "text": TEXT });
        let open = json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } });
        let position = json!({ "line": 0, "character": 0 });
        let params = json!({ "textDocument": { "uri": URI }, "position": position, "context": { "triggerKind": 1 } });
        let complete = json!({ "jsonrpc": "2.0", "id": 1, "method": "textDocument/completion", "params": params });
        input.write_all(&framed(&initialize)).and_then(|()| input.write_all(&framed(&open))).expect("it is read");
        // It is stuck sooner or later, as its answers are not taken; then so is this thread, until the process ends.
        let count = if keeps_output { 600 } else { 200_000 };
        let flood = thread::spawn(move || {
            let message = framed(&complete);
            (0..count).take_while(|_| input.write_all(&message).is_ok()).count()
        });
        if keeps_output {
            // The client's end of the input is closed once all is written; its end of the output stays open, and is never read.
            assert_eq!(flood.join().expect("no panic"), count);
            assert!(ends_soon(&mut child).is_some(), "it waits for a client that has hung up");
            drop(output);
        } else {
            thread::sleep(Duration::from_secs(2));
            assert!(child.try_wait().expect("it is ours").is_none(), "it is stuck, not gone");
            if let Some(kib) = memory(&child) {
                assert!(kib < 300 * 1024, "{kib} KiB");
            }
            drop(output);
            assert!(ends_soon(&mut child).is_some(), "nobody will ever read what it writes");
            flood.join().expect("no panic");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn it_ends_with_the_process_that_started_it() {
    let mut editor = Command::new("sleep").arg("600").spawn().expect("coreutils");
    let (mut server, _) = Server::start_with(&json!({ "processId": editor.id(), "capabilities": {} }));
    server.open(TEXT);
    assert_eq!(server.published(1).len(), 1);
    editor.kill().and_then(|()| editor.wait()).expect("it is ours");
    assert!(server.ends_soon().is_some(), "its streams are open, but nobody is there");
}

#[test]
fn exit_ends_it_without_ceremony() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    server.tell("exit", &Value::Null);
    let begun = std::time::Instant::now();
    // Who does not ask it to shut down first is told so by the status.
    assert_eq!(server.ends_soon().and_then(|status| status.code()), Some(1));
    assert!(begun.elapsed() < PATIENCE / 4);
}
