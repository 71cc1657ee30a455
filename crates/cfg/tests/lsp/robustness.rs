//! Clients that send invalid messages, disappear, or do not read.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, Command},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::channel,
    },
    thread,
};

use serde_json::{Value, json};

use super::client::{PATIENCE, Server, URI, comes, ends_soon, framed, memory, process};

const TEXT: &str = "max_steps = 5\n[trainer]\n[orchestrator]\nseq_len = 1024\nlora_name = \"x\"\n";

/// The number of requests that the server accepts from a client that reads no answers.
const TAKEN: usize = 2048;

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

/// Thousands of findings can't be read, and all would be sent after every keystroke.
#[test]
fn only_the_most_severe_of_many_findings_are_shown() {
    let (mut server, _) = Server::start(&json!({}));
    let many = (0..1500).fold(String::new(), |many, number| many + &format!("key_{number} = 1\n"));
    server.open(&format!("# /// config\n# kind = \"rl\"\n# prime_rl = \"0.4.0\"\n# ///\n{many}"));
    let found = server.published(1);
    let (last, shown) = found.split_last().expect("findings");
    assert_eq!(shown.len(), 1000);
    assert!(shown.iter().all(|found| found["severity"] == 1 && found["code"].is_string()), "{:?}", shown[0]);
    assert_eq!((&last["severity"], &last["code"], &last["range"]["start"]["line"]), (&json!(3), &Value::Null, &json!(1504)));
    let message = last["message"].as_str().expect("a text");
    let (count, words) = message.split_once(' ').expect("several words");
    assert!(count.parse::<usize>().is_ok_and(|count| count >= 500), "{message}");
    insta::assert_snapshot!("more_findings_than_shown", words);
    assert_eq!(server.end(), Some(0));
}

#[test]
fn malformed_messages_do_not_affect_others() {
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
fn unknown_requests_are_refused_and_unknown_notifications_ignored() {
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
fn a_client_may_disconnect_within_a_message() {
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

/// A message that is being written when the session ends is completed. Here it is larger than the buffer of a pipe.
#[test]
fn no_message_is_cut_short_by_the_end() {
    let mut child = process();
    let mut input = child.stdin.take().expect("piped");
    let mut output = BufReader::with_capacity(1, child.stdout.take().expect("piped"));
    let text = (0..1500).map(|number| format!("unknown_{number} = 1\n")).collect::<Vec<String>>().concat();
    let document = json!({ "uri": URI, "languageId": "toml", "version": 1, "text": text + "[trainer]\n[orchestrator]\n" });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
    ] {
        input.write_all(&framed(&message)).expect("it is read");
    }
    // A message that does not fit into the pipe is begun, but can only be completed after it has been read.
    let (sender, begun) = channel();
    thread::spawn(move || {
        let mut length = 0;
        while length <= 100_000 {
            let mut line = String::new();
            assert_ne!(output.read_line(&mut line).expect("text"), 0, "it ends without a long message");
            // There is no line break after a message; the next header follows immediately.
            length = line.trim().rsplit_once("Content-Length: ").map_or(0, |(_, length)| length.parse().expect("a number"));
        }
        sender.send((length, output))
    });
    let (length, mut output) = begun.recv_timeout(PATIENCE).expect("a long message comes");
    let heard = bytes_read(&child);
    input.write_all(&framed(&json!({ "jsonrpc": "2.0", "method": "exit" }))).expect("it is read");
    // Waits until the server has read everything, if the system reports that.
    assert!(comes(|| (heard.is_none() || bytes_read(&child) > heard).then_some(())).is_some());
    let mut message = vec![0; "\r\n".len() + length];
    output.read_exact(&mut message).expect("it is written to its end");
    assert!(serde_json::from_slice::<Value>(&message).is_ok());
    drop(output);
    assert!(ends_soon(&mut child).is_some());
}

/// The number of bytes that a process has read so far, if the system reports it.
fn bytes_read(process: &Child) -> Option<u64> {
    let told = fs::read_to_string(format!("/proc/{}/io", process.id())).ok()?;
    told.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok())
}

#[test]
fn a_client_that_never_reads_ends_the_server() {
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
        // The server blocks at some point because its answers are not read; then this thread blocks too, until the process ends.
        let count = if keeps_output { 600 } else { 200_000 };
        let written = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&written);
        let flood = thread::spawn(move || {
            let message = framed(&complete);
            for _ in 0..count {
                if input.write_all(&message).is_err() {
                    return;
                }
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        if keeps_output {
            // The input is closed after everything is written; the output stays open and is never read.
            flood.join().expect("no panic");
            assert_eq!(written.load(Ordering::Relaxed), count);
            assert!(ends_soon(&mut child).is_some(), "it waits for a client that has hung up");
            drop(output);
        } else {
            // The server accepts at least this many requests, although answers are waiting too.
            assert!(comes(|| (written.load(Ordering::Relaxed) >= TAKEN).then_some(())).is_some());
            assert!(child.try_wait().expect("it is ours").is_none(), "it is stuck, not gone");
            if let Some(kib) = memory(&child) {
                assert!(kib < 300 * 1024, "{kib} KiB");
            }
            drop(output);
            assert!(ends_soon(&mut child).is_some(), "nobody will ever read what it writes");
            flood.join().expect("no panic");
            let written = written.load(Ordering::Relaxed);
            assert!(written < 2 * TAKEN, "{written} messages were taken, whose answers nobody took");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_server_ends_with_its_parent_process() {
    let mut editor = Command::new("sleep").arg("600").spawn().expect("coreutils");
    let (mut server, _) = Server::start_with(&json!({ "processId": editor.id(), "capabilities": {} }));
    server.open(TEXT);
    assert_eq!(server.published(1).len(), 1);
    editor.kill().and_then(|()| editor.wait()).expect("it is ours");
    assert!(server.ends_soon().is_some(), "its streams are open, but nobody is there");
}

#[test]
fn exit_without_shutdown_ends_the_server() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    server.tell("exit", &Value::Null);
    // The status is 1, because there was no shutdown request.
    assert_eq!(server.ends_soon().and_then(|status| status.code()), Some(1));
}
