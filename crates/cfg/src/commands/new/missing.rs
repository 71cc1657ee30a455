//! What a request for a new config leaves out: asked for in a terminal, otherwise named all at once.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use cfg_diag::in_a_row;
use cfg_schema::Kind;

use crate::{args, commands::memory::StepResult, context::Context, progress};

/// The most bytes of all answers.
const LONGEST: u64 = 4096;

/// A value that is needed.
struct Missing {
    what: &'static str,
    option: &'static str,
    example: &'static str,
    /// Where it could be stated instead.
    instead: &'static str,
}

const MODEL: Missing = Missing { what: "model", option: "--model", example: "Qwen/Qwen3-8B", instead: "" };
const MACHINE: Missing =
    Missing { what: "machine", option: "--gpu", example: "\"2x H100\"", instead: "; `gpu` can also be set in cfg.toml" };
const ENVIRONMENT: Missing = Missing { what: "environment", option: "--env", example: "reverse-text", instead: "" };
const DATA: Missing = Missing { what: "dataset", option: "--data", example: "PrimeIntellect/Reverse-Text-SFT", instead: "" };

/// The arguments with what they lack. `has_machine` says whether the settings state the machine.
///
/// # Errors
/// Names everything that is missing, if nobody can be asked or there is no answer.
pub(super) fn completed(cx: &Context, words: &args::New, has_machine: bool) -> StepResult<args::New> {
    let mut words = words.clone();
    if words.like.is_some() {
        return Ok(words);
    }
    let kind = super::kind_of(cx, &words).unwrap_or(Kind::Rl);
    if words.data.is_some() && super::has_environments(kind) {
        return Err(
            "--data is for supervised fine-tuning (`--kind sft`); reinforcement learning takes its tasks from --env".to_owned()
        );
    }
    let needs_environment = super::has_environments(kind) && words.env.is_none();
    let needs_data = kind == Kind::Sft && words.data.is_none();
    let needed = [
        (words.model.is_none(), MODEL),
        (words.gpu.is_none() && !has_machine, MACHINE),
        (needs_environment, ENVIRONMENT),
        (needs_data && words.env.is_none(), DATA),
    ];
    let missing: Vec<Missing> = needed.into_iter().filter_map(|(is_missing, missing)| is_missing.then_some(missing)).collect();
    if missing.is_empty() {
        return Ok(words);
    }
    let is_terminal = cx.host().is_interactive() && io::stderr().is_terminal() && !cx.is_for_program();
    let answers = if is_terminal { answers(cx, &missing).map_err(|error| error.to_string())? } else { Vec::new() };
    if answers.len() < missing.len() {
        let one = |missing: &Missing| format!("{} {}", missing.option, missing.example);
        let named: Vec<&str> = missing.iter().map(|missing| missing.what).collect();
        let options: Vec<String> = missing.iter().map(one).collect();
        let instead: String = missing.iter().map(|missing| missing.instead).collect();
        return Err(format!("missing {}: add `{}`{instead}", in_a_row(&named), options.join(" ")));
    }
    for (missing, answer) in missing.iter().zip(answers) {
        let answer = Some(answer);
        match missing.option {
            "--model" => words.model = answer,
            "--gpu" => words.gpu = answer,
            "--env" => words.env = answer,
            _ => words.data = answer,
        }
    }
    Ok(words)
}

/// Asks for values on standard error, because standard output is for the config; ends at the first one without an answer.
fn answers(cx: &Context, missing: &[Missing]) -> io::Result<Vec<String>> {
    progress::end();
    let mut input = io::BufReader::new(cx.host().input_stream().take(LONGEST));
    let mut answers = Vec::new();
    for Missing { what, example, .. } in missing {
        let mut out = io::stderr();
        write!(out, "{what} ({}): ", example.trim_matches('"'))?;
        out.flush()?;
        let mut answer = String::new();
        input.read_line(&mut answer)?;
        let answer = answer.trim();
        if answer.is_empty() {
            break;
        }
        answers.push(answer.to_owned());
    }
    Ok(answers)
}
