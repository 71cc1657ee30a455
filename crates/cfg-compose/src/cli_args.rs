//! The arguments of a launch command: the files that they name, and the values that they set.

pub(crate) mod argparse;
pub(crate) mod field;
pub(crate) mod files;
pub(crate) mod list;
pub(crate) mod own;
pub(crate) mod settings;
pub(crate) mod tyro;

use cfg_diag::{Diagnostic, codes};
use cfg_schema::{Schema, moved::at_another_time};
use cfg_syntax::MAX_DEPTH;

use crate::{
    Node, Origin, Word,
    json::{self, JsonPlace},
};

/// Arguments that remain to be read.
pub(crate) type Words<'w> = Vec<&'w Word>;

/// The state of reading the arguments of one command.
pub(crate) struct Reading<'a> {
    pub(crate) schema: Schema,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reading<'_> {
    /// Reports an error in an argument, at which prime-rl fails with `exception`.
    pub(crate) fn refuse(&mut self, word: &Word, exception: &'static str, message: String, help: impl Into<Option<String>>) {
        let mut diagnostic = Diagnostic::new(&codes::UNUSABLE_ARGUMENT, message).at(word.location).native(exception, Vec::new());
        diagnostic.help = help.into();
        self.diagnostics.push(diagnostic);
    }

    /// Whether a flag's path is not deeper than a config can be; a deeper one is refused.
    pub(crate) fn is_shallow(&mut self, word: &Word, path: &str) -> bool {
        let is_shallow = path.bytes().filter(|&byte| byte == b'.').count() < MAX_DEPTH;
        if !is_shallow {
            self.refuse(word, "SystemExit", "this flag is nested deeper than any config".to_owned(), None);
        }
        is_shallow
    }

    /// An argument as JSON; prime-rl fails with `exception` at an error in it.
    pub(crate) fn json(&mut self, word: &Word, exception: &'static str) -> Option<Node> {
        let place =
            if word.is_verbatim { JsonPlace::At(word.location) } else { JsonPlace::Whole(Origin::CommandLine(word.location)) };
        match json::parse(&word.text, place, Origin::CommandLine) {
            Ok(node) => Some(node),
            Err(fault) => {
                let at = word.part(fault.at as usize..fault.at as usize);
                let message = format!("this value is not valid JSON: {}", fault.message);
                self.diagnostics.push(Diagnostic::new(&codes::INVALID_JSON, message).at(at).native(exception, Vec::new()));
                None
            }
        }
    }

    /// Arguments that are left over.
    pub(crate) fn left_over(&mut self, words: &[&Word], exception: &'static str) {
        for word in words {
            let message = format!("prime-rl does not accept `{}` here", word.text);
            // The value of a refused flag belongs to it.
            let is_value =
                !word.text.starts_with(['-', '@']) && self.diagnostics.last().is_some_and(|last| is_flag_before(last, word));
            let help = match word.text.strip_prefix('@') {
                Some(path) if !path.is_empty() => {
                    format!("if it is a config, put a space after the `@`: `@ {path}`")
                }
                _ if word.text.starts_with('-') => self
                    .at_another_time(&word.text)
                    .or_else(|| self.suggestion(&word.text).map(|known| format!("did you mean `--{known}`?")))
                    .unwrap_or_else(|| "this config has no such field".to_owned()),
                _ if word.text.ends_with(".toml") => format!("pass a config after an `@`: `@ {}`", word.text),
                _ => "put a value after its flag, a config after an `@`".to_owned(),
            };
            self.refuse(word, exception, message, help);
            if let Some(last) = self.diagnostics.last_mut().filter(|_| is_value) {
                last.is_echo = true;
            }
        }
    }

    /// What happened to the key of a flag, if another prime-rl has it.
    fn at_another_time(&self, flag: &str) -> Option<String> {
        let path = flag.trim_start_matches('-').replace('-', "_");
        let path = path.split('=').next().unwrap_or_default();
        at_another_time(self.schema.history, self.schema.kind, path, self.schema.point)
    }

    /// A flag with a similar spelling.
    pub(crate) fn suggestion(&self, flag: &str) -> Option<String> {
        let path = flag.trim_start_matches('-').replace('_', "-");
        let path = path.split('=').next().unwrap_or_default();
        let (known, names) = field::neighbours(self.schema, path);
        let rest = path.strip_prefix(known.as_str()).unwrap_or(path).trim_start_matches('.');
        let wrong = rest.split('.').next().filter(|wrong| !wrong.is_empty())?;
        let near = names.into_iter().filter_map(|name| Some((distance(wrong, &name)?, name))).min()?.1;
        let behind = &rest[wrong.len()..];
        Some(if known.is_empty() { format!("{near}{behind}") } else { format!("{known}.{near}{behind}") })
    }

    /// A flag whose value is missing.
    pub(crate) fn no_value(&mut self, word: &Word, exception: &'static str) {
        let message = format!("`{}` needs a value", word.text);
        self.refuse(word, exception, message, None);
    }

    /// A table that is used as a value.
    pub(crate) fn table_as_flag(&mut self, word: &Word, path: &str) {
        let (_, names) = field::neighbours(self.schema, path);
        let some: Vec<String> = names.iter().take(3).map(|name| format!("`--{path}.{name}`")).collect();
        let message = format!("`{path}` is a table, but a flag sets a single value");
        let help = match word.text.split_once("=@") {
            Some((flag, file)) if !file.is_empty() => format!("write `{flag} @ {file}`"),
            _ => format!("set one of its keys, such as {}", some.join(", ")),
        };
        self.refuse(word, "ConfigFileError", message, help);
    }

    /// A flag that is not a field of the inference server's config.
    pub(crate) fn handed_to_vllm(&mut self, word: &Word) {
        let message = format!("`{}` is not a field: prime-rl passes it to vLLM unchanged", word.text);
        self.diagnostics.push(Diagnostic::new(&codes::HANDED_TO_VLLM, message).at(word.location));
    }

    /// A value after `=` in which underscores become hyphens.
    pub(crate) fn mangled(&mut self, word: &Word) {
        let Some((flag, value)) = word.text.split_once('=').filter(|(flag, value)| flag.starts_with("--") && value.contains('_'))
        else {
            return;
        };
        let message = format!(
            "this value arrives as `{}`: in an argument that starts with `--`, every `_` becomes `-`",
            value.replace('_', "-")
        );
        let at = word.part(flag.len() + 1..word.text.len());
        let help = format!("write it as a separate argument: `{flag} {value}`");
        self.diagnostics.push(Diagnostic::new(&codes::MANGLED_VALUE, message).at(at).help(help));
    }

    /// A word that only prints the help.
    pub(crate) fn help(&mut self, word: &Word) {
        let message = format!("`{}` prints the help and runs nothing", word.text);
        self.refuse(word, "SystemExit", message, None);
    }
}

/// Whether a finding refuses the flag directly before an argument.
fn is_flag_before(finding: &Diagnostic, word: &Word) -> bool {
    let is_flag = finding.code == &codes::UNUSABLE_ARGUMENT && finding.message.contains(" `-") && !finding.message.contains('=');
    is_flag && finding.location.is_some_and(|flag| flag.span.end + 1 == word.location.span.start)
}

/// The distance of two words; `None` if they are not similar.
fn distance(one: &str, other: &str) -> Option<usize> {
    // Longer words are not names of fields.
    if one.len() > 64 {
        return None;
    }
    let limit = 1 + one.len() / 4;
    let distance = strsim::damerau_levenshtein(one, other);
    (distance <= limit).then_some(distance)
}
