//! The arguments of a tool: their types, and how they are converted to words of the command line.

use serde_json::{Map, Value, json};

use crate::mcp::tools::Call;

/// The maximum length of a list.
const MAX_TEXTS: usize = 1000;

/// An argument of a tool.
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) holds: Holds,
    pub(crate) is_needed: bool,
}

/// The type of an argument, and where its value goes.
pub(crate) enum Holds {
    /// A string, as one word.
    Word,
    /// Several strings, each as one word.
    Words,
    /// The words of a command, after `--`.
    Command,
    /// One of these strings, as the name of the subcommand; the first is the default.
    Below(&'static [&'static str]),
    /// One of these strings, as the value of an option; the first is the default.
    Choice(&'static str, &'static [&'static str]),
    /// A string, as the value of an option.
    Option(&'static str),
    /// A boolean: whether the option is given.
    Flag(&'static str),
    /// Nothing that a call may say: the option is always given.
    Given(&'static str),
    /// A string that the command reads from standard input; its word is `-`.
    Input,
}

impl Argument {
    /// Its JSON Schema.
    pub(crate) fn schema(&self) -> Value {
        let about = self.about;
        match &self.holds {
            Holds::Word | Holds::Option(_) | Holds::Input => json!({ "type": "string", "description": about }),
            Holds::Words | Holds::Command => json!({ "type": "array", "items": { "type": "string" }, "description": about }),
            Holds::Below(choices) | Holds::Choice(_, choices) => {
                json!({ "type": "string", "enum": choices, "default": choices[0], "description": about })
            }
            Holds::Flag(_) | Holds::Given(_) => json!({ "type": "boolean", "default": false, "description": about }),
        }
    }
}

/// The arguments that say what a tool looks at: it takes one of them.
const SOURCES: [&str; 3] = ["paths", "text", "command"];

/// The commands that look at no folder if they are given nothing.
const NEED_A_SOURCE: [&str; 4] = ["memory", "plan", "estimate", "compile"];

/// Refuses several sources, and none where one is needed.
fn one_source(command: &str, all: &[Argument], given: &Map<String, Value>) -> Result<(), String> {
    let offered: Vec<&str> = SOURCES.into_iter().filter(|name| all.iter().any(|argument| argument.name == *name)).collect();
    let passed = offered.iter().filter(|name| given.get(**name).is_some_and(|value| !value.is_null())).count();
    match passed {
        0 if NEED_A_SOURCE.contains(&command) => Err(format!("pass one of the arguments {}", offered.join(", "))),
        0 | 1 => Ok(()),
        _ => Err(format!("pass only one of the arguments {}", offered.join(", "))),
    }
}

/// The command line for a call with these arguments.
pub(crate) fn call(command: &str, all: &[Argument], given: &Map<String, Value>) -> Result<Call, String> {
    let offered = || all.iter().filter(|argument| !matches!(argument.holds, Holds::Given(_)));
    if let Some(name) = given.keys().find(|name| offered().all(|argument| argument.name != **name)) {
        let names: Vec<&str> = offered().map(|argument| argument.name).collect();
        return Err(format!("unknown argument `{}`; the arguments are {}", name.escape_debug(), names.join(", ")));
    }
    one_source(command, all, given)?;
    let mut call = Call { words: command.split(' ').map(str::to_owned).collect(), input: None };
    let mut behind = Vec::new();
    for argument in all {
        let name = argument.name;
        let value = given.get(name).filter(|value| !value.is_null());
        let is_not = |what: &str| format!("the argument `{name}` must be {what}");
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| is_not("a string"));
        let words = &mut call.words;
        match (&argument.holds, value) {
            (Holds::Below(choices), value) => words.push(choice(name, choices, value)?),
            (Holds::Choice(option, choices), value) => words.push(format!("{option}={}", choice(name, choices, value)?)),
            (Holds::Given(option), _) => words.push((*option).to_owned()),
            (_, None) if argument.is_needed => return Err(format!("the argument `{name}` is missing")),
            (_, None) => {}
            (Holds::Word, Some(value)) => words.push(plain(name, text(value)?)?),
            (Holds::Words, Some(value)) => {
                for text in texts(name, value)? {
                    words.push(plain(name, text)?);
                }
            }
            (Holds::Command, Some(value)) => behind = texts(name, value)?,
            (Holds::Option(option), Some(value)) => words.push(format!("{option}={}", text(value)?)),
            (Holds::Flag(option), Some(value)) => {
                if value.as_bool().ok_or_else(|| is_not("true or false"))? {
                    words.push((*option).to_owned());
                }
            }
            (Holds::Input, Some(value)) => {
                call.input = Some(text(value)?.into_bytes());
                words.push("-".to_owned());
            }
        }
    }
    if !behind.is_empty() {
        call.words.push("--".to_owned());
        call.words.append(&mut behind);
    }
    if call.words.iter().any(|word| word.contains('\0')) {
        return Err("an argument must not contain a NUL character".to_owned());
    }
    Ok(call)
}

fn choice(name: &str, choices: &[&str], value: Option<&Value>) -> Result<String, String> {
    let Some(value) = value else { return Ok(choices[0].to_owned()) };
    let known = value.as_str().filter(|value| choices.contains(value));
    known.map(str::to_owned).ok_or_else(|| format!("the argument `{name}` must be one of {}", choices.join(", ")))
}

fn texts(name: &str, value: &Value) -> Result<Vec<String>, String> {
    let items = value.as_array().filter(|items| items.len() <= MAX_TEXTS);
    let texts = items.and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
    texts.ok_or_else(|| format!("the argument `{name}` must be a list of at most {MAX_TEXTS} strings"))
}

/// The text, or an error if a command would read it as an option.
fn plain(name: &str, text: String) -> Result<String, String> {
    if text.starts_with('-') {
        return Err(format!("the argument `{name}` must not begin with `-`; write `./-...` for such a path"));
    }
    Ok(text)
}
