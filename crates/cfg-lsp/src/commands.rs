//! The commands that a client can run by name.
//!
//! A command answers with a document: `{"title", "language", "text"}`. A client that does not show such documents itself, but can show files, is also
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
    /// The end of the document's title, which names the topic.
    ending: &'static str,
    language: &'static str,
    /// Returns the document, or the reason why it can't be created.
    run: fn(&Session, &Analysis) -> Result<String, String>,
}

/// The commands about one document. To add a command, add a line.
const COMMANDS: [Command; 3] = [
    Command { name: "cfg.compile", ending: "compiled.toml", language: "toml", run: cfg_ide::compiled },
    Command { name: "cfg.memory", ending: "memory.txt", language: "plaintext", run: memory },
    Command { name: "cfg.curriculum", ending: "curriculum.txt", language: "plaintext", run: curriculum },
];

/// Checks all files of the workspace and sends the findings.
pub(crate) const CHECK_WORKSPACE: &str = "cfg.checkWorkspace";

/// Shows the lineage of versions.
pub(crate) const LINEAGE: &str = "cfg.lineage";

/// Registers the document in the first argument as a new version, for the reason in the second. Without a reason, the notes in the metadata block are
/// used if they differ from those of the previous version.
pub(crate) const BUMP: &str = "cfg.bump";

/// Removes the rest of a word that an editor's own completion kept behind what it inserted. Completions name it only for such an editor.
pub(crate) const FINISH_WORD: &str = "cfg.finishWord";

/// The kind of the code action for [`BUMP`].
pub(crate) const KIND_OF_BUMP: lsp::CodeActionKind = lsp::CodeActionKind::new("source.bump");

/// The kind of the code actions that show a document about a config.
pub(crate) const KIND_OF_SHOW: lsp::CodeActionKind = lsp::CodeActionKind::new("source.show");

/// The title of the code action that shows a document.
pub(crate) const fn title(shows: Shows) -> &'static str {
    match shows {
        Shows::Compiled => "show the config as prime-rl resolves it",
        Shows::Memory => "show the memory of each GPU",
        Shows::Curriculum => "draw the curriculum",
        Shows::Lineage => "show the lineage of versions",
    }
}

/// A document that a command created.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) title: String,
    pub(crate) language: &'static str,
    pub(crate) text: String,
}

/// The names of the commands. `keeps_rest` says whether the client needs [`FINISH_WORD`].
pub(crate) fn names(keeps_rest: bool) -> Vec<String> {
    let more = [CHECK_WORKSPACE, LINEAGE, BUMP].into_iter().chain(keeps_rest.then_some(FINISH_WORD));
    COMMANDS.iter().map(|command| command.name).chain(more).map(str::to_owned).collect()
}

/// The name of the command that a lens runs.
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

/// The document that replaces one that can't be created any more: it contains the reason. `None` if there is no such command.
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

    /// Writes the document to a file that a client can be asked to show.
    pub(crate) fn to_file(&self, scratch: &Scratch) -> io::Result<PathBuf> {
        let name: String = self.title.chars().map(|c| if matches!(c, '/' | '\\' | ':') { '_' } else { c }).collect();
        scratch.put("", &name, &self.text)
    }
}
