//! The commands that a client can run by name.
//!
//! A command answers with a document: `{"title", "language", "text"}`. A client that can show files, and does not show such documents itself, is also
//! asked to show it as a temporary file.

use std::{io, path::PathBuf};

use cfg_check::Session;
use cfg_ide::{Analysis, Shows};
use serde_json::{Value, json};
use tower_lsp_server::ls_types as lsp;

use crate::{convert, scratch::Scratch};

/// A command about one document.
struct Command {
    name: &'static str,
    /// The suffix of the document's title that names the topic.
    ending: &'static str,
    language: &'static str,
    /// Returns the document, or why there is none.
    run: fn(&Session, &Analysis) -> Result<String, String>,
}

/// The commands about one document. A new one is another line.
const COMMANDS: [Command; 3] = [
    Command { name: "cfg.compile", ending: "compiled.toml", language: "toml", run: cfg_ide::compiled },
    Command { name: "cfg.memory", ending: "memory.txt", language: "plaintext", run: memory },
    Command { name: "cfg.curriculum", ending: "curriculum.txt", language: "plaintext", run: curriculum },
];

/// Checks all files of the workspace and sends the findings.
pub(crate) const CHECK_WORKSPACE: &str = "cfg.checkWorkspace";

/// Shows the lineage of versions.
pub(crate) const LINEAGE: &str = "cfg.lineage";

/// Makes a version: of the document in the first argument, with the reason in the second. Without a reason, the notes in the metadata block are used,
/// if they differ from those of the version before.
pub(crate) const BUMP: &str = "cfg.bump";

/// The kind of the action for it.
pub(crate) const KIND_OF_BUMP: lsp::CodeActionKind = lsp::CodeActionKind::new("source.bump");

/// A document that a command created.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) title: String,
    pub(crate) language: &'static str,
    pub(crate) text: String,
}

/// The names of all commands.
pub(crate) fn names() -> Vec<String> {
    COMMANDS.iter().map(|command| command.name).chain([CHECK_WORKSPACE, LINEAGE, BUMP]).map(str::to_owned).collect()
}

/// The command of a lens.
pub(crate) const fn of_lens(shows: Shows) -> &'static str {
    match shows {
        Shows::Compiled => COMMANDS[0].name,
        Shows::Memory => COMMANDS[1].name,
        Shows::Curriculum => COMMANDS[2].name,
        Shows::Lineage => LINEAGE,
    }
}

/// Runs a command; `None` if it does not exist.
pub(crate) fn run(name: &str, session: &Session, analysis: &Analysis, path: &str) -> Option<Result<Shown, String>> {
    let command = COMMANDS.iter().find(|command| command.name == name)?;
    Some((command.run)(session, analysis).map(|text| Shown::new(path, command.ending, command.language, text)))
}

/// Replaces a document that can't be created any more: the reason. `None` if there is no such command.
pub(crate) fn reason(name: &str, path: &str, why: &str) -> Option<Shown> {
    let why = convert::harmless(why.to_owned());
    if name == LINEAGE {
        return Some(lineage(path, format!("{why}\n")));
    }
    let command = COMMANDS.iter().find(|command| command.name == name)?;
    let text = if command.language == "toml" { format!("# {why}\n") } else { format!("{why}\n") };
    Some(Shown::new(path, command.ending, command.language, text))
}

/// The document of [`LINEAGE`].
pub(crate) fn lineage(path: &str, text: String) -> Shown {
    Shown::new(path, "lineage.txt", "plaintext", text)
}

fn memory(_: &Session, analysis: &Analysis) -> Result<String, String> {
    let why = "memory can't be estimated: prime-rl must accept the config, and its model must be known";
    analysis.memory().map(cfg_ide::Memory::report).ok_or_else(|| why.to_owned())
}

fn curriculum(_: &Session, analysis: &Analysis) -> Result<String, String> {
    cfg_ide::curriculum(analysis).ok_or_else(|| "no environment of this config has `curriculum_phases`".to_owned())
}

impl Shown {
    fn new(of: &str, ending: &str, language: &'static str, text: String) -> Self {
        let file = of.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.strip_suffix(".toml").unwrap_or(file);
        Self { title: convert::harmless(format!("{stem}.{ending}")), language, text }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "title": self.title, "language": self.language, "text": self.text })
    }

    /// Writes it to a file that a client can be asked to show.
    pub(crate) fn to_file(&self, scratch: &Scratch) -> io::Result<PathBuf> {
        let name: String = self.title.chars().map(|c| if matches!(c, '/' | '\\' | ':') { '_' } else { c }).collect();
        scratch.put("", &name, &self.text)
    }
}
