//! A client that waits with a timeout.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

pub(crate) const URI: &str = "file:///nowhere/rl.toml";

/// The timeout, which is sufficient even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// A running server, and its client.
pub(crate) struct Server {
    process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: i64,
    /// Messages that arrived while another one was waited for.
    pub(crate) told: Vec<Value>,
}

/// Starts a server process. `CFG_TEST_SERVER` names another program than that of this build, such as a release.
pub(crate) fn process() -> Child {
    process_with(&[])
}

/// Starts a server process with additional arguments.
fn process_with(words: &[&str]) -> Child {
    let program = env::var_os("CFG_TEST_SERVER").unwrap_or_else(|| env!("CARGO_BIN_EXE_cfg").into());
    let mut command = at_home(program);
    command.arg("lsp").args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts")
}

/// `cfg` as a command, to compare with the editor.
pub(crate) fn cfg(arguments: &[&str]) -> Command {
    let mut command = at_home(env!("CARGO_BIN_EXE_cfg"));
    command.args(arguments);
    command
}

/// A program with a home folder for tests, so that the user's own is not used.
fn at_home(program: impl AsRef<OsStr>) -> Command {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("home");
    let mut command = Command::new(program);
    command.env("HOME", &home).env("XDG_STATE_HOME", home.join("state"));
    command
}

/// A message with its header.
pub(crate) fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(count) = line.trim().strip_prefix("Content-Length: ") {
            length = count.parse().expect("a number");
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}

impl Server {
    /// A server to which no message has been sent.
    pub(crate) fn silent() -> Self {
        Self::around(process())
    }

    /// The client of a process with piped streams.
    pub(crate) fn around(mut process: Child) -> Self {
        let input = process.stdin.take();
        let mut output = BufReader::new(process.stdout.take().expect("piped"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { process, input, messages, next: 0, told: Vec::new() }
    }

    /// An initialized server, with its answer.
    pub(crate) fn start(capabilities: &Value) -> (Self, Value) {
        Self::start_with(&json!({ "capabilities": capabilities }))
    }

    pub(crate) fn start_with(params: &Value) -> (Self, Value) {
        let mut server = Self::silent();
        let answer = server.ask("initialize", params);
        server.tell("initialized", &json!({}));
        (server, answer)
    }

    /// An initialized server that was started with these arguments and sends no requests.
    pub(crate) fn with_words(words: &[&str]) -> Self {
        let mut server = Self::around(process_with(words));
        server.ask("initialize", &json!({ "capabilities": {} }));
        server.tell("initialized", &json!({}));
        server
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(&framed(message));
    }

    pub(crate) fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> i64 {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    /// The next message. Requests of the server are answered with success.
    pub(crate) fn receive(&mut self) -> Value {
        self.receive_or("the server says something")
    }

    /// The next message; after a timeout, fails with this text.
    pub(crate) fn receive_or(&mut self, words: &str) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect(words);
        if message.get("id").is_some() && message.get("method").is_some() {
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
        message
    }

    /// The messages that have arrived so far.
    pub(crate) fn drain(&mut self) -> Vec<Value> {
        let come: Vec<Value> = self.messages.try_iter().collect();
        self.told.drain(..).chain(come).collect()
    }

    /// The answer to a request.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        let is_it = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(at) = self.told.iter().position(is_it) {
            return self.told.remove(at);
        }
        loop {
            let message = self.receive();
            if is_it(&message) {
                return message;
            }
            self.told.push(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The error code of a request that is refused.
    pub(crate) fn refusal(&mut self, method: &str, params: &Value) -> i64 {
        let id = self.request(method, params);
        let answer = self.answer(id);
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method} is not refused: {answer}"))
    }

    /// The first notification with this method for which `fits` returns true.
    pub(crate) fn notified(&mut self, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let is_it = |message: &Value| message["method"] == method && fits(&message["params"]);
        if let Some(at) = self.told.iter().position(&is_it) {
            return self.told.remove(at)["params"].take();
        }
        loop {
            let mut message = self.receive();
            if is_it(&message) {
                return message["params"].take();
            }
            self.told.push(message);
        }
    }

    /// The diagnostics that are published for a version of the document.
    pub(crate) fn published(&mut self, version: i64) -> Vec<Value> {
        self.published_for(URI, version)
    }

    pub(crate) fn published_for(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let params =
            self.notified("textDocument/publishDiagnostics", |params| params["version"] == version && params["uri"] == uri);
        params["diagnostics"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until the diagnostics for a version of the document are right, because earlier results may still arrive after a change.
    pub(crate) fn published_until(&mut self, uri: &str, version: i64, is_right: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        loop {
            let found = self.published_for(uri, version);
            if is_right(&found) {
                return found;
            }
        }
    }

    pub(crate) fn open(&mut self, text: &str) {
        self.open_as(URI, text);
    }

    pub(crate) fn open_as(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "toml", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    pub(crate) fn change(&mut self, version: i64, from: (u32, u32), to: (u32, u32), text: &str) {
        let at = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let change = json!({ "range": { "start": at(from), "end": at(to) }, "text": text });
        let params = json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": [change] });
        self.tell("textDocument/didChange", &params);
    }

    /// Replaces the whole text of a document.
    pub(crate) fn replace(&mut self, uri: &str, version: i64, text: &str) {
        let params = json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": text }] });
        self.tell("textDocument/didChange", &params);
    }

    pub(crate) fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        self.at_of(URI, method, line, character)
    }

    pub(crate) fn at_of(&mut self, uri: &str, method: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let context = json!({ "includeDeclaration": true, "triggerKind": 1 });
        self.ask(method, &json!({ "textDocument": { "uri": uri }, "position": position, "context": context }))
    }

    pub(crate) fn of(&mut self, uri: &str, method: &str) -> Value {
        self.ask(method, &json!({ "textDocument": { "uri": uri } }))
    }

    /// Closes the server's input.
    pub(crate) fn hang_up(&mut self) {
        self.input = None;
    }

    /// The exit status of the process, if it ends soon.
    pub(crate) fn ends_soon(&mut self) -> Option<ExitStatus> {
        ends_soon(&mut self.process)
    }

    /// The resident memory in KiB, if the system reports it.
    pub(crate) fn memory(&self) -> Option<u64> {
        memory(&self.process)
    }

    /// Ends the session by the protocol, and returns the exit status.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.ask("shutdown", &Value::Null);
        self.tell("exit", &Value::Null);
        // Its output ends with the process.
        while let Ok(message) = self.messages.recv_timeout(PATIENCE) {
            self.told.push(message);
        }
        self.ends_soon().and_then(|status| status.code())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A failed test leaves no process behind.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn ends_soon(process: &mut Child) -> Option<ExitStatus> {
    comes(|| process.try_wait().expect("it is ours"))
}

/// Waits until the function returns a value; `None` after a timeout.
pub(crate) fn comes<T>(mut what: impl FnMut() -> Option<T>) -> Option<T> {
    let until = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(50);
    while Instant::now() < until {
        let come = what();
        if come.is_some() {
            return come;
        }
        thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(5));
    }
    None
}

pub(crate) fn memory(process: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse().ok())
}
