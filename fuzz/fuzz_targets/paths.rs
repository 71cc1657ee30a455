//! Bytes as choices of the URIs that an editor names: its folders, a document, a file that changed, one that was renamed. No panic; the end of the
//! session is answered, and all of it takes no longer than the fuzzer allows for one input.
//!
//! Each byte chooses a piece of a URI, and how often it stands in it; a byte of 0 begins the next URI.

#![no_main]

use cfg_fuzz::server::{framed, session};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

/// What URIs are made of: schemes, folders, escapes, names of files, and what is none of these.
const PIECES: [&str; 32] = [
    "file:///",
    "file://",
    "file:",
    "untitled:",
    "vscode-remote://ssh-remote%2Bhost/",
    "git:/",
    "here/",
    "here",
    "/",
    "//",
    "a/",
    "../",
    "./",
    "%2e%2e/",
    "%2E/",
    "%2F",
    "%5C",
    "\\",
    "%00",
    "%",
    "%zz",
    "%C3%A9",
    "é",
    " ",
    "C:/",
    "c%3A/",
    "~/",
    "rl.toml",
    "base.toml",
    "cfg.toml",
    "?query=1",
    "#part",
];

/// How often a piece stands there; most stand there once.
const TIMES: [usize; 8] = [1, 1, 1, 2, 3, 40, 300, 20_000];

/// The URIs that the bytes choose, of at most 2 MiB together.
fn uris(bytes: &[u8]) -> Vec<String> {
    let mut left = 2 << 20;
    let one = |choices: &[u8]| {
        let mut uri = String::new();
        for byte in choices {
            let piece = PIECES[usize::from(byte % 32)];
            let times = TIMES[usize::from(byte / 32)].min(left / piece.len());
            left -= times * piece.len();
            uri.push_str(&piece.repeat(times));
        }
        uri
    };
    bytes.split(|byte| *byte == 0).map(one).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let uris = uris(bytes);
    let uri = |at: usize| &uris[at % uris.len()];
    let document = |at: usize| json!({ "textDocument": { "uri": uri(at) }, "position": { "line": 1, "character": 2 } });
    let text = "toml_files = [\"base.toml\"]\n[trainer]\nmax_step = 1\n";
    let mut messages: Vec<Value> = Vec::new();
    let mut number = 0;
    let mut request = |method: &str, params: Value| {
        number += 1;
        json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params })
    };
    let notification = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
    let folders = json!([{ "uri": uri(0), "name": "a" }, { "uri": "file:///here", "name": "b" }]);
    messages.push(request("initialize", json!({ "capabilities": {}, "rootUri": uri(1), "workspaceFolders": folders })));
    messages.push(notification("initialized", json!({})));
    for at in 0..uris.len().min(6) {
        let opened = json!({ "uri": uri(at), "languageId": "toml", "version": 1, "text": text });
        messages.push(notification("textDocument/didOpen", json!({ "textDocument": opened })));
        for method in ["hover", "completion", "definition", "documentLink", "codeLens", "documentSymbol", "inlayHint"] {
            let mut params = document(at);
            params["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 3, "character": 0 } });
            messages.push(request(&format!("textDocument/{method}"), params));
        }
        messages.push(notification("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri(at + 1), "type": 2 }] })));
        let renamed = json!({ "files": [{ "oldUri": uri(at), "newUri": uri(at + 1) }] });
        messages.push(request("workspace/willRenameFiles", renamed));
        messages.push(notification("textDocument/didClose", document(at)));
    }
    messages.push(request("shutdown", Value::Null));
    messages.push(notification("exit", Value::Null));
    let input = messages.iter().flat_map(|message| framed(message.to_string().as_bytes())).collect();
    let answers = session(input);
    // Whatever is still computed then may stay without an answer.
    assert!(answers.iter().any(|answer| answer.get("method").is_none() && answer["id"] == number), "`shutdown` is not answered");
});
