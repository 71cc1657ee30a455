//! Answers messages.

use std::{
    io::{self, BufRead, Write},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use serde_json::{Map, Value, json};

use crate::mcp::{
    frames::{self, Frame},
    message::{self, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message},
    tools::{self, Call},
};

/// The supported versions of the protocol, newest first. The part of the protocol that the server uses is the same in all of them.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The maximum number of simultaneous calls; further ones wait.
const MAX_CALLS: usize = 4;

/// The description of this server that a client gives to its model.
const INSTRUCTIONS: &str = "cfg checks configs (TOML) of RL training runs with prime-rl. Call `check` after each change of a config, apply the first of \
    `fixes` that is safe or follow `next`, and check again; `explain` says what a code means. The tools write nothing: edit the files yourself.";

/// Runs the words of a command line.
pub(crate) trait Runner: Sync {
    /// The output of the command, which may end early once it is cancelled.
    ///
    /// # Errors
    ///
    /// Why there is no output, as a sentence.
    fn run(&self, call: &Call, is_cancelled: &dyn Fn() -> bool) -> Result<String, String>;

    /// For which prime-rl and as what the configs of a call were judged, as a sentence, if its output does not say that.
    fn identity(&self, call: &Call, output: &str, is_cancelled: &dyn Fn() -> bool) -> Option<String>;

    /// The texts that a client may read, without their content.
    fn resources(&self) -> Vec<Resource>;

    /// The content of one of them.
    fn resource(&self, uri: &str) -> Option<String>;
}

/// A text that a client may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// Its address.
    pub(crate) uri: String,
    /// Its name.
    pub(crate) name: String,
    /// What it is, in one sentence.
    pub(crate) about: String,
    /// Its type, such as `text/markdown`.
    pub(crate) mime: &'static str,
}

/// The number of resources in one answer.
const MAX_RESOURCES: usize = 100;

/// Answers messages until the input ends. `version` is the version of the program.
///
/// # Errors
///
/// A stream can't be read or written. A client that closes the output ends the server without an error.
pub(crate) fn serve(mut input: impl BufRead, output: impl Write + Send, version: &str, runner: &dyn Runner) -> io::Result<()> {
    let server = Server {
        output: Mutex::new(Outlet { stream: output, failed: None }),
        calls: Mutex::new(0),
        cancelled: Mutex::default(),
        bell: Condvar::new(),
        runner,
    };
    let read = thread::scope(|scope| {
        while let Some(frame) = frames::next(&mut input)? {
            let line = match frame {
                Frame::Line(line) => line,
                Frame::TooLong => {
                    let why = format!("the message is longer than {} MiB", frames::MAX_BYTES >> 20);
                    server.answer(&message::error(&Value::Null, INVALID_REQUEST, &why));
                    continue;
                }
            };
            match message::read(&line) {
                Err(refusal) => server.answer(&refusal),
                Ok(Message::Other) => {}
                Ok(Message::Cancelled(id)) => server.cancel(&id),
                Ok(Message::Request { id, method, params }) if method == "tools/call" => match call(&params) {
                    Err(why) => server.answer(&message::error(&id, INVALID_PARAMS, &why)),
                    Ok(Err(why)) => server.answer(&message::result(&id, &tool_result(&why, true))),
                    Ok(Ok(call)) => {
                        server.begin(&id);
                        server.take_turn();
                        let (own, own_id) = (&server, id.clone());
                        let work = move || own.work(&own_id, &call);
                        if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                            server.give_turn();
                            server.answer(&message::result(
                                &id,
                                &tool_result("the call can't be run: no thread can be started", true),
                            ));
                        }
                    }
                },
                Ok(Message::Request { id, method, params }) => {
                    let answer = of_resources(&id, &method, &params, runner);
                    server.answer(&answer.unwrap_or_else(|| about_itself(&id, &method, &params, version)));
                }
            }
            if server.outlet().failed.is_some() {
                break;
            }
        }
        Ok(())
    });
    let failed = server.outlet().failed.take();
    match failed {
        // The client has closed the output.
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Some(error) => Err(error),
        None => read,
    }
}

/// The answer to a request about the server itself.
fn about_itself(id: &Value, method: &str, params: &Map<String, Value>, version: &str) -> Value {
    match method {
        "initialize" => {
            let asked = params.get("protocolVersion").and_then(Value::as_str);
            let spoken = VERSIONS.into_iter().find(|known| Some(*known) == asked).unwrap_or(VERSIONS[0]);
            let result = json!({
                "protocolVersion": spoken,
                "capabilities": { "tools": {}, "resources": {} },
                "serverInfo": { "name": "cfg", "title": "cfg for prime-rl", "version": version },
                "instructions": INSTRUCTIONS,
            });
            message::result(id, &result)
        }
        "ping" => message::result(id, &json!({})),
        "tools/list" => {
            message::result(id, &json!({ "tools": tools::ALL.iter().map(tools::Tool::describe).collect::<Vec<_>>() }))
        }
        _ => message::error(
            id,
            METHOD_NOT_FOUND,
            "unknown method; the methods are `initialize`, `ping`, `tools/list`, `tools/call`, `resources/list`, `resources/templates/list` and `resources/read`",
        ),
    }
}

/// The answer to a request about resources; `None` if it is about something else.
fn of_resources(id: &Value, method: &str, params: &Map<String, Value>, runner: &dyn Runner) -> Option<Value> {
    match method {
        "resources/list" => {
            let all = runner.resources();
            // The cursor is the number of those that were listed before.
            let start = match params.get("cursor") {
                None | Some(Value::Null) => Some(0),
                Some(cursor) => {
                    cursor.as_str().and_then(|cursor| cursor.parse::<usize>().ok()).filter(|start| *start < all.len())
                }
            };
            let Some(start) = start else {
                return Some(message::error(id, INVALID_PARAMS, "`cursor` is not one of this server"));
            };
            let listed = all.iter().skip(start).take(MAX_RESOURCES).map(|resource| {
                let Resource { uri, name, about, mime } = resource;
                json!({ "uri": uri, "name": name, "description": about, "mimeType": mime })
            });
            let mut result = json!({ "resources": listed.collect::<Vec<_>>() });
            if start + MAX_RESOURCES < all.len() {
                result["nextCursor"] = (start + MAX_RESOURCES).to_string().into();
            }
            Some(message::result(id, &result))
        }
        "resources/templates/list" => {
            let template = |uri: &str, name: &str, mime: &str| json!({ "uriTemplate": uri, "name": name, "mimeType": mime });
            let templates = [
                template("cfg://rules/{name}", "the page of a finding, by its code or its name", "text/markdown"),
                template("cfg://schemas/{name}", "the JSON Schema of a document", "application/schema+json"),
            ];
            Some(message::result(id, &json!({ "resourceTemplates": templates })))
        }
        "resources/read" => {
            let Some(uri) = params.get("uri").and_then(Value::as_str) else {
                return Some(message::error(id, INVALID_PARAMS, "`params` has no `uri`"));
            };
            Some(match runner.resource(uri) {
                Some(text) => {
                    let mime = if uri.starts_with("cfg://schemas/") { "application/schema+json" } else { "text/markdown" };
                    message::result(id, &json!({ "contents": [{ "uri": uri, "mimeType": mime, "text": text }] }))
                }
                None => message::error(id, message::RESOURCE_NOT_FOUND, "there is no such resource; `resources/list` has all"),
            })
        }
        _ => None,
    }
}

/// The command line of a tool call. The outer error is about the request; the inner one is about the tool's arguments, and is shown to the model.
fn call(params: &Map<String, Value>) -> Result<Result<Call, String>, String> {
    let name = params.get("name").and_then(Value::as_str).ok_or("`params` has no `name`")?;
    let tool = tools::ALL.iter().find(|tool| tool.name == name).ok_or_else(|| {
        let names: Vec<&str> = tools::ALL.iter().map(|tool| tool.name).collect();
        format!("unknown tool; the tools are {}", names.join(", "))
    })?;
    let none = Map::new();
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err("`arguments` must be an object".to_owned()),
    };
    Ok(tool.call(arguments))
}

/// The result of a tool call: its output, or an error message. A document is also given as one, so that a client does not have to read the text.
fn tool_result(text: &str, is_error: bool) -> Value {
    let mut result = json!({ "content": [{ "type": "text", "text": text }], "isError": is_error });
    let document = if text.starts_with('{') && !is_error { serde_json::from_str::<Map<String, Value>>(text).ok() } else { None };
    if let Some(document) = document {
        result["structuredContent"] = Value::Object(document);
    }
    result
}

struct Server<'a, W> {
    output: Mutex<Outlet<W>>,
    /// The number of calls in progress.
    calls: Mutex<usize>,
    /// The calls in progress, each with whether its answer is not needed any more.
    cancelled: Mutex<Vec<(Value, bool)>>,
    bell: Condvar,
    runner: &'a dyn Runner,
}

struct Outlet<W> {
    stream: W,
    /// The error after which nothing can be written.
    failed: Option<io::Error>,
}

impl<W> Server<'_, W> {
    fn take_turn(&self) {
        let mut calls = lock(&self.calls);
        while *calls >= MAX_CALLS {
            calls = self.bell.wait(calls).unwrap_or_else(PoisonError::into_inner);
        }
        *calls += 1;
    }

    fn give_turn(&self) {
        *lock(&self.calls) -= 1;
        self.bell.notify_one();
    }

    fn begin(&self, id: &Value) {
        lock(&self.cancelled).push((id.clone(), false));
    }

    /// Notes that the answer to a call in progress is not needed. Others have been answered.
    fn cancel(&self, id: &Value) {
        if let Some((_, is_cancelled)) = lock(&self.cancelled).iter_mut().find(|(call, _)| call == id) {
            *is_cancelled = true;
        }
    }

    fn is_cancelled(&self, id: &Value) -> bool {
        lock(&self.cancelled).iter().any(|(call, is_cancelled)| call == id && *is_cancelled)
    }

    /// Ends a call; returns whether its answer is needed.
    fn end(&self, id: &Value) -> bool {
        let mut calls = lock(&self.cancelled);
        let Some(at) = calls.iter().position(|(call, _)| call == id) else { return true };
        !calls.remove(at).1
    }

    fn outlet(&self) -> MutexGuard<'_, Outlet<W>> {
        lock(&self.output)
    }
}

impl<W: Write> Server<'_, W> {
    /// Runs a call and sends its answer.
    fn work(&self, id: &Value, call: &Call) {
        let result = match self.runner.run(call, &|| self.is_cancelled(id)) {
            Ok(text) => {
                let mut result = tool_result(&text, false);
                let identity = self.runner.identity(call, &text, &|| self.is_cancelled(id));
                if let (Some(identity), Some(content)) = (identity, result["content"].as_array_mut()) {
                    content.push(json!({ "type": "text", "text": identity }));
                }
                result
            }
            Err(why) => tool_result(&why, true),
        };
        if self.end(id) {
            self.answer(&message::result(id, &result));
        }
        self.give_turn();
    }

    /// Writes a message as one line.
    fn answer(&self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        let mut outlet = self.outlet();
        if outlet.failed.is_none() {
            let written = outlet.stream.write_all(line.as_bytes()).and_then(|()| outlet.stream.flush());
            outlet.failed = written.err();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
