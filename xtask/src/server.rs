//! A language server that is asked as an editor asks it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

/// A running server, and what it was asked so far.
pub(crate) struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    /// Starts `program lsp`, and greets it.
    ///
    /// # Errors
    /// A sentence, if it can't be started or doesn't say what it can do.
    pub(crate) fn start(mut program: Command) -> Result<Self, String> {
        let started = program.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = started.map_err(|error| format!("cfg lsp: {error}"))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("cfg lsp has no standard streams".to_owned());
        };
        let mut server = Self { process, input, output: BufReader::new(output), asked: 0 };
        let answer = server.ask("initialize", &json!({ "processId": null, "rootUri": null, "capabilities": {} }))?;
        if !answer["capabilities"].is_object() {
            return Err(format!("cfg lsp answers {answer}"));
        }
        server.tell("initialized", &json!({}))?;
        Ok(server)
    }

    /// The result of a request; null if it is refused.
    ///
    /// # Errors
    /// A sentence, if the server has ended or sends something else than messages.
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value, String> {
        self.asked += 1;
        let asked = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": asked, "method": method, "params": parameters }))?;
        loop {
            let message = self.receive()?;
            match (&message["id"], message.get("method")) {
                (id, None) if *id == json!(asked) => return Ok(message["result"].clone()),
                // It asks as well, for settings and progress.
                (id, Some(_)) if !id.is_null() => self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }))?,
                _ => {}
            }
        }
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// A sentence, if the server has ended.
    pub(crate) fn tell(&mut self, method: &str, parameters: &Value) -> Result<(), String> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }))
    }

    /// Ends it as an editor does.
    ///
    /// # Errors
    /// A sentence, if it doesn't end well.
    pub(crate) fn end(mut self) -> Result<(), String> {
        self.ask("shutdown", &Value::Null)?;
        self.tell("exit", &Value::Null)?;
        drop(self.input);
        let status = self.process.wait().map_err(|error| format!("cfg lsp: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("cfg lsp: {status}")) }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let message = message.to_string();
        let sent = write!(self.input, "Content-Length: {}\r\n\r\n{message}", message.len()).and_then(|()| self.input.flush());
        sent.map_err(|error| format!("cfg lsp: {error}"))
    }

    fn receive(&mut self) -> Result<Value, String> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(|error| format!("cfg lsp: {error}"))? == 0 {
                return Err("cfg lsp ended without an answer".to_owned());
            }
            if let Some(number) = line.strip_prefix("Content-Length:") {
                length = number.trim().parse().map_err(|_| format!("cfg lsp: {line}"))?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut message = vec![0; length];
        self.output.read_exact(&mut message).map_err(|error| format!("cfg lsp: {error}"))?;
        serde_json::from_slice(&message).map_err(|error| format!("cfg lsp: {error}"))
    }
}
