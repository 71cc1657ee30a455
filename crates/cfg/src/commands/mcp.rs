//! `cfg mcp`: the Model Context Protocol.
//!
//! Each call runs `cfg` as a process of its own, confined to the roots, so that its time and memory can be limited, and its failure does not affect
//! other calls.

use std::{ffi::OsString, io::BufReader, path::PathBuf, time::Duration};

use cfg_mcp::{Call, Runner};
use cfg_system::{Host, NoAnswer, Program};
use serde_json::Value;

use crate::{CommandResult, Outcome, args::Mcp, context::Context};

/// The maximum duration of a call.
const LIMIT: Duration = Duration::from_secs(30);

/// The maximum size of an answer in bytes, far more than a model can read.
const MOST_BYTES: u64 = 1 << 20;

pub(crate) fn run(cx: &Context, words: &Mcp) -> CommandResult {
    let roots: Result<Vec<PathBuf>, String> = words.roots.iter().map(|root| folder(cx, root)).collect();
    let roots = match roots {
        Ok(roots) => roots,
        Err(why) => {
            cx.complain(&why);
            return Ok(Outcome::Failed);
        }
    };
    let host = cx.host();
    let tools = Tools { host, program: host.own_program()?, roots };
    cfg_mcp::serve(BufReader::new(host.input_stream()), host.output_stream(), env!("CARGO_PKG_VERSION"), &tools)?;
    Ok(Outcome::Clean)
}

/// The real path of a root. The root of the file system is refused, because it would not confine anything.
fn folder(cx: &Context, root: &std::path::Path) -> Result<PathBuf, String> {
    let real = cx.system.real(root).map_err(|error| format!("{}: {error}", root.display()))?;
    if !cx.system.is_folder(&real) {
        return Err(format!("{} is not a folder", root.display()));
    }
    if real.parent().is_none() {
        return Err(format!("{} is the root of a disk; pass a project folder", real.display()));
    }
    Ok(real)
}

struct Tools<'a> {
    host: &'a dyn Host,
    program: PathBuf,
    roots: Vec<PathBuf>,
}

impl Runner for Tools<'_> {
    fn run(&self, call: &Call) -> Result<String, String> {
        let within = self.roots.iter().map(|root| [OsString::from("--within="), root.into()].into_iter().collect::<OsString>());
        let mut program = Program::new(&self.program)
            .arguments(within)
            .arguments(&call.words)
            .in_folder(&self.roots[0])
            .limited(LIMIT, MOST_BYTES)
            .ending_with(&[0, 1, 2])
            .variable("NO_COLOR", "1");
        program = program.with_input(call.input.as_deref().unwrap_or_default());
        let answer = self.host.run(&program).map_err(|none| match none {
            NoAnswer::Late => format!("it took longer than {} seconds and was ended; request less at once", LIMIT.as_secs()),
            other => format!("{other}; request less at once, or for another format"),
        })?;
        let text = String::from_utf8_lossy(&answer).trim_end().to_owned();
        match failure(&text) {
            Some(why) => Err(why),
            None => Ok(text),
        }
    }
}

/// The error message in a command's output, if it failed.
fn failure(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("cfg failed without a message; use the format json for the reason".to_owned());
    }
    let document: Value = serde_json::from_str(text).ok()?;
    let is_failure = document.get("outcome").is_some_and(|outcome| outcome == "failed");
    let errors = document.get("errors").and_then(Value::as_array).filter(|_| is_failure)?;
    Some(errors.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "))
}
