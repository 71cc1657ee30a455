//! `cfg lsp`, driven over its standard streams as an editor drives it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

/// A running server.
struct Server {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: i64,
    /// Notifications that came while an answer was awaited.
    told: Vec<Value>,
}

const URI: &str = "file:///nowhere/rl.toml";

impl Server {
    fn start(capabilities: &Value) -> (Self, Value) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_cfg"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("piped"));
        let mut server = Self { process, input, output, next: 0, told: Vec::new() };
        let answer = server.ask("initialize", &json!({ "capabilities": capabilities }));
        server.tell("initialized", &json!({}));
        (server, answer)
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().expect("open");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message["result"].clone();
            }
            self.told.push(message);
        }
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("the server writes") > 0, "the server has gone");
            if let Some(count) = line.trim().strip_prefix("Content-Length: ") {
                length = count.parse().expect("a number");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the whole message");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// The diagnostics that are sent for a version of the document.
    fn published(&mut self, version: i64) -> Vec<Value> {
        let wanted =
            |message: &Value| message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == version;
        if let Some(at) = self.told.iter().position(wanted) {
            return findings(&self.told.remove(at)["params"]["diagnostics"]);
        }
        loop {
            let message = self.receive();
            if wanted(&message) {
                return findings(&message["params"]["diagnostics"]);
            }
        }
    }

    fn open(&mut self, text: &str) {
        let document = json!({ "uri": URI, "languageId": "toml", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    fn change(&mut self, version: i64, from: (u32, u32), to: (u32, u32), text: &str) {
        let at = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let change = json!({ "range": { "start": at(from), "end": at(to) }, "text": text });
        let params = json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": [change] });
        self.tell("textDocument/didChange", &params);
    }

    fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        let params = json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } });
        self.ask(method, &params)
    }

    /// Ends the session as the protocol wants it, and gives the exit status.
    fn end(mut self) -> Option<i32> {
        self.ask("shutdown", &Value::Null);
        self.tell("exit", &Value::Null);
        self.process.wait().expect("it ends").code()
    }
}

fn findings(list: &Value) -> Vec<Value> {
    list.as_array().cloned().unwrap_or_default()
}

const TEXT: &str = "max_steps = 5\n[trainer]\n[orchestrator]\nseq_len = 1024\nlora_name = \"x\"\n";

#[test]
fn a_client_that_is_told_gets_one_report_for_each_version() {
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
fn a_client_that_asks_gets_the_newest_text_after_a_burst() {
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
    let items = findings(&report["items"]);
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
fn nonsense_ends_nothing() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    server.change(2, (99, 99), (3, 0), "\u{1F600}");
    assert!(server.at("textDocument/hover", 4_000_000, 9).is_null());
    assert!(server.ask("textDocument/unheardOf", &json!({})).is_null());
    server.tell(
        "textDocument/didChange",
        &json!({ "textDocument": { "uri": "file:///other.toml", "version": 1 }, "contentChanges": [] }),
    );
    assert!(server.at("textDocument/hover", 0, 2).is_object());
    assert_eq!(server.end(), Some(0));
}

#[test]
fn it_ends_when_its_client_has_gone() {
    let (mut server, _) = Server::start(&json!({}));
    server.open(TEXT);
    drop(server.input.take());
    assert!(server.process.wait().expect("it ends").success());
}
