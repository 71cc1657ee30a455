//! `cfg mcp`: the Model Context Protocol.
//!
//! Each call runs `cfg` as a process of its own, confined to the roots, so that its time and memory can be limited, and its failure does not affect
//! other calls.

use std::{ffi::OsString, io::BufReader, path::PathBuf, time::Duration};

use crate::mcp::{Call, Resource, Runner};
use cfg_diag::codes;
use cfg_report::schemas;
use cfg_system::{Host, NoAnswer, Program};
use serde_json::Value;

use crate::{CommandResult, Outcome, args::Mcp, context::Context};

/// The maximum duration of a call.
const LIMIT: Duration = Duration::from_secs(30);

/// The maximum size of an answer in bytes, far more than a model can read.
const MAX_BYTES: u64 = 1 << 20;

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
    crate::mcp::serve(BufReader::new(host.input_stream()), host.output_stream(), env!("CARGO_PKG_VERSION"), &tools)?;
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

/// The number of lines of an answer that is too large as a document.
const MAX_LINES: usize = 100;

/// The largest answer of which the first lines are taken, in bytes.
const MAX_BYTES_READ: u64 = 64 << 20;

const RULES: &str = "cfg://rules/";
const SCHEMAS: &str = "cfg://schemas/";

impl Runner for Tools<'_> {
    fn run(&self, call: &Call, is_cancelled: &dyn Fn() -> bool) -> Result<String, String> {
        match self.answer(call, MAX_BYTES, is_cancelled) {
            Err(NoAnswer::TooLong(_)) if call.words.first().is_some_and(|word| word == "check") => {
                self.first_findings(call, is_cancelled)
            }
            Err(NoAnswer::Late) => {
                Err(format!("it took longer than {} seconds and was ended; request less at once", LIMIT.as_secs()))
            }
            Err(other) => Err(format!("{other}; request less at once, or for another format")),
            Ok(text) => match failure(&text) {
                Some(why) => Err(why),
                None => Ok(text),
            },
        }
    }

    fn identity(&self, call: &Call, output: &str, is_cancelled: &dyn Fn() -> bool) -> Option<String> {
        // What `compile` prints is prime-rl's own dump, which has no room for it.
        let is_silent = call.words.first().is_some_and(|word| word == "compile") && output.starts_with('{');
        if !is_silent {
            return None;
        }
        let is_about_config = |word: &&String| {
            !word.starts_with("--") || ["--target=", "--kind=", "--format="].iter().any(|option| word.starts_with(option))
        };
        let command = call.words.iter().position(|word| word == "--").unwrap_or(call.words.len());
        let words = call.words[1..command].iter().filter(is_about_config).chain(&call.words[command..]);
        let words = std::iter::once("check".to_owned()).chain(words.cloned()).collect();
        let check = Call { words, ..call.clone() };
        let report = self.answer(&check, MAX_BYTES, is_cancelled).ok()?;
        let report: Value = serde_json::from_str(&report).ok()?;
        let of = |file: &Value| {
            let member = |name: &str| file[name].as_str().map(str::to_owned);
            Some(format!("{}: of the kind {}, for prime-rl {}", member("path")?, member("kind")?, member("target")?))
        };
        let all: Vec<String> = report["files"].as_array()?.iter().filter_map(of).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    fn resources(&self) -> Vec<Resource> {
        let rules = codes::ALL.iter().map(|code| Resource {
            uri: format!("{RULES}{}", code.name),
            name: format!("{} {}", code.code, code.name),
            about: code.summary.to_owned(),
            mime: "text/markdown",
        });
        let schemas = schemas::ALL.iter().map(|kind| Resource {
            uri: format!("{SCHEMAS}{}", kind.name),
            name: format!("{}.schema.json", kind.name),
            about: match kind.commands {
                [] => "the JSON Schema of a command without its own document".to_owned(),
                commands => format!("the JSON Schema of `cfg {}`", commands.join("`, `cfg ")),
            },
            mime: "application/schema+json",
        });
        rules.chain(schemas).collect()
    }

    fn resource(&self, uri: &str) -> Option<String> {
        if let Some(name) = uri.strip_prefix(RULES) {
            return codes::find(name).map(|code| code.page.to_owned());
        }
        Some(schemas::find(uri.strip_prefix(SCHEMAS)?)?.text.to_owned())
    }
}

impl Tools<'_> {
    /// The output of a call, if it is not too long.
    fn answer(&self, call: &Call, most: u64, is_cancelled: &dyn Fn() -> bool) -> Result<String, NoAnswer> {
        let within = self.roots.iter().map(|root| [OsString::from("--within="), root.into()].into_iter().collect::<OsString>());
        let mut program = Program::new(&self.program)
            .arguments(within)
            .arguments(&call.words)
            .in_folder(&self.roots[0])
            .limited(LIMIT, most)
            .ending_with(&[0, 1, 2])
            .forgiving()
            .variable("NO_COLOR", "1");
        program = program.with_input(call.input.as_deref().unwrap_or_default());
        let answer = self.host.run_until(&program, is_cancelled)?;
        Ok(String::from_utf8_lossy(&answer).trim_end().to_owned())
    }

    /// The first findings of a check, one on each line, and how many follow.
    fn first_findings(&self, call: &Call, is_cancelled: &dyn Fn() -> bool) -> Result<String, String> {
        let concise = |word: &String| if word == "--format=json" { "--format=concise".to_owned() } else { word.clone() };
        let call = Call { words: call.words.iter().map(concise).collect(), ..call.clone() };
        let text = self.answer(&call, MAX_BYTES_READ, is_cancelled).map_err(|none| format!("{none}; request less at once"))?;
        let lines: Vec<&str> = text.lines().collect();
        let shown = lines[..lines.len().min(MAX_LINES)].join("\n");
        let more = lines.len().saturating_sub(MAX_LINES);
        Ok(format!(
            "The document would be larger than {} MiB; these are its first findings:\n{shown}\n... and {more} more lines. Check fewer files for the rest.",
            MAX_BYTES >> 20
        ))
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
